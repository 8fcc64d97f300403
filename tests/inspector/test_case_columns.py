import making
from inspector.case_columns import SHOWN_LABELS, case_columns
from inspector.filtering.facet_columns import TITLES
from inspector.filtering.facet_counts import FACETS
from inspector.filtering.facet_groups import facet_groups
from inspector.filtering.filter_words import filter_words
from inspector.first_inspection import inspect
from inspector.paint import Brush
from inspector.request import Request
from inspector.selection import load
from reference import Case
from scoring.filters import Facet, Filter
from scoring.triage_columns import DTYPES as TRIAGE

CASES = [Case(1, -1)] * 3
NEW = {
    "error_category": ["slips", "gaps", None],
    "origin": ["a book", "a book", "a test"],
    "language": ["en", "zh", "en"],
    "subset_group": ["science", "logic", "logic"],
}


def start(root, **columns):
    making.workspace(root, CASES, [], **columns)
    return inspect(load(Request(workspace=str(root))))


def test_labels_that_tell_cases_apart_have_columns_and_facets(tmp_path):
    now = start(tmp_path, **NEW)
    names = [column.name for column in case_columns(now, Brush())]
    assert names == ["id", "n_steps", "earliest_error", "error_category", "subset_group", "origin", "language"]
    groups = {group.title: [value.label for value in group.values] for group in facet_groups(now)}
    assert groups == {
        "group of subsets": ["logic", "science"],
        "error category": ["gaps", "slips", "(none)"],
        "taken from": ["a book", "a test"],
        "language": ["en", "zh"],
    }
    some = now.filtered(Filter((Facet("language", ("zh",)),)))
    assert (some.shown.tolist(), filter_words(some)) == ([1], "filter language = zh")


def test_labels_that_are_all_alike_have_none(tmp_path):
    now = start(tmp_path, language=["en"] * 3, generator=["m"] * 3)
    assert [column.name for column in case_columns(now, Brush())] == ["id", "n_steps", "earliest_error"]
    assert facet_groups(now) == []


def test_no_more_labels_than_there_is_room_for(tmp_path):
    now = start(tmp_path, **NEW, generator=["a", "b", "c"], error_type=["x", "y", None])
    columns = [column.name for column in case_columns(now, Brush())]
    assert columns[3:] == ["error_type", "generator", "error_category", "subset_group"]
    assert len(columns[3:]) == SHOWN_LABELS


def test_every_facet_has_a_title():
    assert TITLES.keys() - {"benchmark", "n_steps", "adjudication", *TRIAGE} == set(FACETS)


def test_what_another_facet_says_of_every_case_comes_once(tmp_path):
    alike = {"subset": ["circular", "deception", "deception"], "error_type": ["circular", "deception", "deception"]}
    now = start(tmp_path / "alike", **alike)
    assert [group.title for group in facet_groups(now)] == ["subset"]
    # A link may have put it into the filter.
    kept = now.filtered(Filter((Facet("error_type", ("circular",)),)))
    assert [group.title for group in facet_groups(kept)] == ["subset", "error type"]
    other = start(tmp_path / "other", **alike | {"error_type": ["circular", "deception", None]})
    assert [group.title for group in facet_groups(other)] == ["subset", "error type"]
