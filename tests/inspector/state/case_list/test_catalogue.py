import pytest

import example
from inspector.analyses.cases import columns_table
from inspector.render.charts.glyphs import Glyphs
from inspector.screens.case_columns import case_columns
from inspector.screens.sort_menu import narrowed, sort_of
from inspector.state.case_list.catalogue import OF_CASES, OF_SCORER, catalogue, entry_of, order_words
from inspector.state.case_list.listed import arranged
from inspector.state.opening import inspect
from scoring.data.schema import METADATA
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.selection.loading import load


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("catalogue") / "ws")))


def test_everything_that_a_scorer_has_has_words():
    assert set(EVERY_COLUMN) <= set(OF_SCORER)
    assert set(OF_CASES) <= {*METADATA, "disagreement", "tags", "note", "adjudication"}


def test_every_entry_sorts_lists_and_exports(now):
    for entry in catalogue(now):
        if entry.sortable:
            for sort in (entry.first, sort_of(entry, entry.first)):
                assert sorted(now.selected(sort=sort).shown.tolist()) == list(range(9))
                assert order_words(sort)
        if entry.listable:
            with_columns = arranged(now, (entry.key,))
            (column,) = case_columns(with_columns, Glyphs())
            assert column.name == entry.key
            assert columns_table(with_columns.results, (entry.key,)).height == 9


def test_keys_are_unique_and_of_other_scorers_come_last(now):
    entries = catalogue(now)
    assert len({entry.key for entry in entries}) == len(entries)
    of = [bool(entry.of) for entry in entries]
    assert of == sorted(of)
    assert any(of)


def test_choosing_what_the_list_is_sorted_by_turns_it(now):
    margin = entry_of("margin")
    assert sort_of(margin, "") == "margin:asc"
    assert sort_of(margin, "margin:asc") == sort_of(margin, "margin") == "margin:desc"
    assert sort_of(margin, "margin:desc") == "margin:asc"
    assert sort_of(entry_of("n_steps"), "margin:desc") == "n_steps:desc"
    assert sort_of(catalogue(now)[1], "") == ""


def test_of_what_is_typed_the_scorer_in_focus_comes_first(now):
    keys = [entry.key for entry in narrowed(catalogue(now), "marg")]
    assert keys == ["margin", "abs_margin", "beta.margin", "beta.abs_margin"]
    assert [entry.key for entry in narrowed(catalogue(now), "BETA marg")] == ["beta.margin", "beta.abs_margin"]
    assert narrowed(catalogue(now), "zzz") == []


@pytest.mark.parametrize(
    ("sort", "words"),
    [
        ("", "as in the file"),
        ("instructive", "most instructive first"),
        ("instructive:desc", "least instructive first"),
        ("n_steps:desc", "longest first"),
        ("generator:asc", "by generator upwards"),
        ("a.b.abs_margin:asc", "nearest to flipping first (a.b)"),
        ("who.outcome:desc", "by outcome (who) downwards"),
        ("strange", "by strange upwards"),
    ],
)
def test_orders_in_words(sort, words):
    assert order_words(sort) == words
