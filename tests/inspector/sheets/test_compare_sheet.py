"""The compare screen's sheets: their numbers are those of the command and of plain polars, and open their cases."""

from dataclasses import replace
from itertools import combinations, permutations

import polars as pl
import pytest
from scipy.stats import binomtest

import example
import making
from inspector.comparison import compare_document
from inspector.first_inspection import inspect
from inspector.flips import flips_document
from inspector.loading import load
from inspector.paint import Brush
from inspector.request import Request
from inspector.sheets.compare.sheet import CASCADE, FIELD, FLIPS, PAIR, SETS, compare_sheet, comparisons, usual_other
from inspector.sheets.sheet import text_of
from inspector.subject import covering, subject
from published_spaces import mr_math
from scoring.filters import Filter
from walking import walk

PAGES = (PAIR, CASCADE, FIELD, SETS, FLIPS)
BRUSH = Brush()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three scorers with gaps, on cases that share problems and subsets."""
    root = tmp_path_factory.mktemp("study")
    cases, scorers = making.study(n=60)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return inspect(load(Request(workspace=str(root))))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("example") / "w")))


@pytest.fixture(scope="module")
def published(tmp_path_factory, data_folder):
    """MR-MATH with its ten scorers and two that give no verdict."""
    return inspect(load(mr_math(tmp_path_factory.mktemp("mr") / "w", data_folder)))


def sheet(inspection, other, page, size=(100, 40), brush=BRUSH):
    found = comparisons(inspection, other, page)
    return compare_sheet(inspection, other, page, found, brush, size)


def lines(found):
    return [text_of(row) for row in found.lines]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("space", ["study", "small", "published"])
def test_every_number_opens_exactly_its_cases(request, space, page):
    inspection = request.getfixturevalue(space)
    for one, other in list(permutations(covering(inspection), 2))[:4]:
        looked = inspection.focused(one, inspection.benchmark)
        waiting = compare_sheet(looked, other, page, None, BRUSH, (100, 40))
        assert waiting.busy
        walk(looked, waiting)
        found = sheet(looked, other, page)
        assert not found.busy
        walk(looked, found)


def test_so_it_does_under_a_filter_of_the_cases(study):
    looked = study.filtered(Filter(where=("n_steps > 3", "\"gpt4.outcome\" = 'exact'")))
    assert looked.slice.sum() < study.slice.sum()
    names = covering(looked)
    for page in PAGES:
        assert (
            walk(looked, sheet(looked, next(name for name in names if name != looked.scorer), page)) or page == CASCADE
        )


def test_quadrants_tests_and_figures_equal_plain_polars(published):
    """The quadrants and McNemar's p of all 45 pairs of MR-MATH."""
    names = [name for name in covering(published) if published.selection.evaluation(name).coverage]
    assert len(names) == 10
    frame = published.selection.table([*(f"{name}.outcome" for name in names), "earliest_error"])
    for one, other in combinations(names, 2):
        looked = published.focused(one, published.benchmark)
        text = lines(sheet(looked, other, PAIR))
        for side, of_side in (("erroneous", pl.col("earliest_error") >= 0), ("clean", pl.col("earliest_error") < 0)):
            tried = frame.filter(
                of_side, *(~pl.col(f"{name}.outcome").is_in(["unscored", "no_gold"]) for name in (one, other))
            )
            a, b = (tried[f"{name}.outcome"].is_in(["exact", "clean"]) for name in (one, other))
            counts = [(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()]
            row = next(line.split() for line in text if line.startswith(side))
            assert [int(word) for word in row[1:6]] == [*counts, tried.height]
            p = binomtest(counts[1], counts[1] + counts[2]).pvalue if counts[1] + counts[2] else 1.0
            assert f"{p:.4f}" in row or (p < 1e-4 and "0.0001" in row)


def test_what_stands_there_is_what_the_command_prints(published):
    names = covering(published)
    rows = compare_document(load(Request(workspace=published.selection.request.workspace, scorers=names))).rows
    f1 = {
        row["scorer"]: row
        for row in rows.filter(pl.col("metric") == "f1", pl.col("subset") == "average").iter_rows(named=True)
    }
    text = "\n".join(lines(sheet(published, usual_other(published), FIELD)))
    for name, row in f1.items():
        assert f"{100 * row['value']:.1f} [{100 * row['low']:.1f}–{100 * row['high']:.1f}]" in text, name
    lone = rows.filter(pl.col("metric").str.ends_with("_lone_right"))
    for row in lone.iter_rows(named=True):
        line = next(line for line in text.splitlines() if line[2:].startswith(f"{row['scorer']} "))
        place = -2 if row["metric"].startswith("erroneous") else -1
        assert int(line.split()[place]) == row["value"]


def test_the_export_of_the_pair_is_the_command_s_document(study):
    names = covering(study)[:2]
    made = compare_document(subject(study, names))
    again = load(Request(workspace=study.selection.request.workspace, scorers=names))
    assert made.rows.equals(compare_document(again).rows)


@pytest.mark.parametrize("space", ["study", "small", "published"])
def test_flips_are_those_of_thresholds_flips(request, space):
    inspection = request.getfixturevalue(space)
    default = inspection.threshold
    moved = inspection.moved(default + 0.1)
    rows = flips_document(moved.selection, "default", "present").rows.filter(pl.col("flip") != "steps")
    found = sheet(moved, usual_other(moved), FLIPS)
    walk(moved, found)
    turned = next(line for line in lines(found) if "become right" in line).split()
    for name, at in (("right", 0), ("wrong", 3), ("other", 6)):
        assert int(turned[at]) == rows.filter(pl.col("flip") == name).height


def test_a_scorer_without_threshold_cannot_flip(published):
    critic = published.focused("gpt4", published.benchmark)
    assert "no threshold to move" in " ".join(lines(sheet(critic, usual_other(critic), FLIPS)))


def test_the_sets_of_a_side_add_up_to_its_cases(published):
    found = sheet(published, usual_other(published), SETS)
    text = lines(found)
    heads = [line for line in text if "who is right together" in line]
    assert len(heads) == 2
    assert "83 cases" in heads[0]
    assert "76 cases" in heads[1]
    rows = [line.split() for line in text[text.index(heads[0]) : text.index(heads[1])] if line.startswith(("·", "●"))]
    assert all(set(row[:10]) <= {"·", "●"} for row in rows)
    rest = next(int(line.split(" of ")[1].split()[0]) for line in text if "smaller sets of" in line)
    assert sum(int(row[10]) for row in rows) + rest == 83


def test_one_scorer_is_told_what_would_make_two(tmp_path):
    cases, scorers = making.study(n=12)
    making.workspace(tmp_path, cases, scorers[:1], **making.labels(cases))
    alone = inspect(load(Request(workspace=str(tmp_path))))
    assert usual_other(alone) is None
    for page in (PAIR, CASCADE, FIELD, SETS):
        told = lines(compare_sheet(alone, None, page, None, BRUSH, (60, 20)))
        assert told[0] == "Nothing to compare yet"
        assert "prm-inspect score bench --model DIR" in " ".join(told)


def test_scorers_without_a_case_in_common_say_so(tmp_path):
    cases, ((one, given), *_) = making.study(n=40)
    never = [replace(case, rewards=None) for case in cases]
    halves = ([*given[:20], *never[20:]], [*never[:20], *given[20:]])
    scorers = [(making.scorer(name), half) for name, half in zip(("left", "right"), halves, strict=True)]
    making.workspace(tmp_path, cases, [(one, given), *scorers], **making.labels(cases))
    apart = inspect(load(Request(workspace=str(tmp_path)))).focused("left", "bench")
    for page, said in ((PAIR, "no case in common that both tried"), (FIELD, "no case that all of them tried")):
        assert said in " ".join(lines(sheet(apart, "right", page)))
    for page in (SETS, CASCADE):
        walk(apart, sheet(apart, "right", page))


def test_a_scorer_without_verdicts_says_why_it_has_none(published):
    assert "roscoe-sa: " in " ".join(lines(sheet(published, "roscoe-sa", PAIR)))


def test_a_critic_that_has_no_threshold_cannot_come_first(published):
    names = covering(published)
    critic = next(name for name in names if name.startswith("gpt4"))
    looked = published.focused(critic, published.benchmark)
    told = " ".join(lines(sheet(looked, usual_other(looked), CASCADE)))
    assert "has no threshold" in told
    assert "change places" in told


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [60, 80, 200])
def test_ascii_is_ascii(study, page, width):
    found = sheet(study, usual_other(study), page, (width, 30), Brush(ascii_only=True))
    assert all(line.isascii() for line in lines(found))


def test_a_name_that_acts_is_only_text(tmp_path):
    cases, scorers = making.study(n=24)
    hostile = [
        (making.scorer(f"{'[red]' if place else chr(27) + '[31m'}x{place}"), given)
        for place, (_, given) in enumerate(scorers[:2])
    ]
    making.workspace(tmp_path, cases, hostile, **making.labels(cases))
    inspection = inspect(load(Request(workspace=str(tmp_path))))
    for page in PAGES:
        walk(inspection, sheet(inspection, usual_other(inspection), page))


def test_two_imported_scorers_are_never_said_to_be_the_same(tmp_path):
    cases, (scored, *_) = making.study(n=12)
    imported = {"settings": {"imported_from": "table"}}
    scorers = [(making.scorer(name, **imported), scored[1]) for name in ("one-model", "another-model")]
    making.workspace(
        tmp_path / "w", cases, [*scorers, (making.scorer("own"), scored[1]), (making.scorer("too"), scored[1])]
    )
    inspection = inspect(load(Request(workspace=str(tmp_path / "w"))))
    said = " ".join(lines(sheet(inspection.focused("one-model", "bench"), "another-model", PAIR)))
    assert "What made the numbers of one-model and another-model is not recorded" in said
    assert "same settings" not in said
    said = " ".join(lines(sheet(inspection.focused("own", "bench"), "one-model", PAIR)))
    assert "imported_from" in said
    assert "What made the numbers of one-model is not recorded" in said
    assert "the same settings under two names" in " ".join(
        lines(sheet(inspection.focused("own", "bench"), "too", PAIR))
    )
