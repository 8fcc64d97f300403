"""The pages of `compare`: their numbers are those of plain polars and of the rows, and open exactly their cases."""

from itertools import combinations, pairwise

import polars as pl
import pytest
from msgspec.structs import replace

import making
from inspector.analyses._pair import QUADRANTS
from inspector.analyses.compare.compare import compare
from inspector.state.focusing import covering
from inspector.state.opening import inspect
from inspector.state.subject import subject
from published_spaces import mr_math
from scoring.selection.loading import load
from scoring.selection.query import Query
from thoroughness import THOROUGH
from views import compare_view, lines_of, page_sheet, page_view, words_of
from walking import walk

PAIR = ("pair", "cascade")
EVERY = ("scorers", "pairs", "upset")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three scorers with gaps, on cases that share problems and subsets."""
    root = tmp_path_factory.mktemp("study")
    cases, scorers = making.study(n=60)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return inspect(load(Query(workspace=str(root))))


@pytest.fixture(scope="module")
def published(tmp_path_factory, data_folder):
    """MR-MATH with its ten scorers and two that give no verdict."""
    return inspect(load(mr_math(tmp_path_factory.mktemp("mr") / "w", data_folder)))


def view(state, page, *names, intervals=True):
    return page_view(compare, state, page, names, intervals=intervals)


def able(state):
    return [name for name in covering(state) if state.results.evaluation(name).coverage.count]


def test_quadrants_tests_and_figures_equal_plain_polars(published):
    """The quadrants and McNemar's p of all 45 pairs of MR-MATH, usually of the nine that stand next to each other."""
    from scipy.stats import binomtest

    names = able(published)
    assert len(names) == 10
    frame = published.results.evaluated.table([*(f"{name}.outcome" for name in names), "earliest_error"])
    for one, other in combinations(names, 2) if THOROUGH else pairwise(names):
        looked = published.focused(one, published.focus.benchmark)
        rows = view(looked, "pair", one, other, intervals=False).rows.filter(pl.col("subset") == "all")
        cells = {row["metric"]: row for row in rows.iter_rows(named=True)}
        for side, of_side in (("erroneous", pl.col("earliest_error") >= 0), ("clean", pl.col("earliest_error") < 0)):
            tried = frame.filter(
                of_side, *(~pl.col(f"{name}.outcome").is_in(["unscored", "no_gold"]) for name in (one, other))
            )
            a, b = (tried[f"{name}.outcome"].is_in(["exact", "clean"]) for name in (one, other))
            counts = [(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()]
            assert [cells[f"{side}_{name}"]["value"] for name in QUADRANTS] == counts
            assert sum(counts) == tried.height
            p = binomtest(counts[1], counts[1] + counts[2]).pvalue if counts[1] + counts[2] else 1.0
            assert cells[f"{side}_mcnemar"]["p"] == pytest.approx(p)


def test_what_stands_there_is_what_the_rows_say(published):
    found = compare_view(load(Query(workspace=published.results.query.workspace, scorers=covering(published))))
    f1 = found.rows.filter(pl.col("metric") == "f1", pl.col("subset") == "average")
    text = lines_of(found, (200, 40))
    standing = text[next(at for at, line in enumerate(text) if line.startswith("scorer ")) :]
    for row in f1.filter(pl.col("value").is_not_null()).iter_rows(named=True):
        line = next(line for line in standing if line.startswith(f"{row['scorer']} "))
        assert f" {100 * row['value']:.1f} " in line
        lone = found.rows.filter(pl.col("metric").str.ends_with("_lone_right"), pl.col("scorer") == row["scorer"])
        assert [int(word) for word in line.split()[-2:]] == lone["value"].to_list()


def test_the_export_of_the_pair_is_what_the_command_gives(study):
    names = covering(study)[:2]
    made = compare_view(subject(study, names))
    again = load(Query(workspace=study.results.query.workspace, scorers=names))
    assert made.rows.equals(compare_view(again).rows)


@pytest.mark.parametrize("page", [*PAIR, *EVERY])
def test_values_come_first_and_what_follows_adds_intervals_alone(study, page):
    names = covering(study)[:2] if page in PAIR else covering(study)
    first, then = (view(study, page, *names, intervals=intervals).rows for intervals in (False, True))
    resampled = pl.col("metric").str.contains("tied")
    assert first.filter(~resampled)["value"].equals(then.filter(~resampled)["value"])
    assert first.drop("value", "low", "high", "note", strict=False).columns
    if page in {"pair", "scorers"}:
        assert first["low"].count() == 0 < then["low"].count()


def test_the_sets_of_a_side_add_up_to_its_cases(published):
    text = lines_of(view(published, "upset", *covering(published)), (200, 40))
    heads = [line for line in text if "who is right together" in line]
    assert ["83 cases" in heads[0], "76 cases" in heads[1]] == [True, True]
    signs = "abcdefghij"
    rows = [line.split() for line in text[text.index(heads[0]) : text.index(heads[1])]]
    rows = [
        row for row in rows if len(row) > 12 and "cases" not in row and all(word in {*signs, "·"} for word in row[:10])
    ]
    counted = sum(next(int(word) for word in row[10:] if word.isdigit()) for row in rows)
    rest = next((int(line.split(" of ")[1].split()[0]) for line in text if "smaller sets of" in line), 0)
    assert counted + rest == 83


def test_scorers_without_a_case_in_common_say_so(tmp_path):
    cases, ((one, given), *_) = making.study(n=40)
    never = [replace(case, rewards=None) for case in cases]
    halves = ([*given[:20], *never[20:]], [*never[:20], *given[20:]])
    scorers = [(making.scorer(name), half) for name, half in zip(("left", "right"), halves, strict=True)]
    making.workspace(tmp_path, cases, [(one, given), *scorers], **making.labels(cases))
    apart = inspect(load(Query(workspace=str(tmp_path)))).focused("left", "bench")
    assert "No case was tried by both" in words_of(view(apart, "pair", "left", "right"))
    assert "no case that all of them tried" in words_of(view(apart, "scorers", *covering(apart)))
    for page in ("upset", "pairs"):
        walk(apart, page_sheet(view(apart, page, *covering(apart))))
    assert "no case in common that both tried" in words_of(view(apart, "cascade", "left", "right"))


def test_a_scorer_without_verdicts_says_why_it_has_none(published):
    assert "roscoe-sa: " in words_of(view(published, "pair", published.focus.scorer, "roscoe-sa"))


@pytest.mark.parametrize("page", [*PAIR, *EVERY])
def test_ascii_is_ascii(study, page):
    made = view(study, page, *(covering(study)[:2] if page in PAIR else covering(study)))
    for width in (60, 80, 200):
        assert all(line.isascii() for line in lines_of(made, (width, 30), ascii_only=True)), width


def test_two_imported_scorers_are_never_said_to_be_the_same(tmp_path):
    cases, (scored, *_) = making.study(n=12)
    imported = {"settings": {"imported_from": "table"}}
    scorers = [(making.scorer(name, **imported), scored[1]) for name in ("one-model", "another-model")]
    making.workspace(
        tmp_path / "w", cases, [*scorers, (making.scorer("own"), scored[1]), (making.scorer("too"), scored[1])]
    )
    state = inspect(load(Query(workspace=str(tmp_path / "w"))))
    said = words_of(view(state, "pair", "one-model", "another-model"))
    assert "What made the numbers of one-model and another-model is not recorded" in said
    assert "same settings" not in said
    said = words_of(view(state, "pair", "own", "one-model"))
    assert "imported_from" in said
    assert "What made the numbers of one-model is not recorded" in said
    assert "the same settings under two names" in words_of(view(state, "pair", "own", "too"))
