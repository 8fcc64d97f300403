"""The thresholds screen's sheets: their numbers are those of the command, and open exactly their cases."""

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import example
import judged
import making
import step_making
from inspector.documents import metrics_document
from inspector.first_inspection import inspect
from inspector.loading import load
from inspector.paint import Brush
from inspector.request import Request
from inspector.sheets.sheet import text_of
from inspector.sheets.thresholds.cases import wrong_condition, wrong_rows
from inspector.sheets.thresholds.figures import CURVES, RELIABILITY, REWARDS, TRANSFER, threshold_figures
from inspector.sheets.thresholds.sheet import thresholds_sheet
from inspector.threshold_rows import thresholds_document
from published_spaces import mr_math
from reference import Case
from scoring.filters import Filter
from step_reference import Step
from walking import walk

PAGES = (CURVES, TRANSFER, REWARDS, RELIABILITY)
BRUSH = Brush()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three scorers with gaps, on cases that share problems and subsets."""
    root = tmp_path_factory.mktemp("study")
    cases, scorers = making.study(n=90)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return inspect(load(Request(workspace=str(root))))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("example") / "w")))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """Scorers with a threshold, with labels, with votes, with a number a solution."""
    root = tmp_path_factory.mktemp("kinds")
    judged.workspace(root)
    return inspect(load(Request(workspace=str(root))))


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """A benchmark whose official figure is of steps."""
    root = tmp_path_factory.mktemp("steps") / "w"
    rng = np.random.default_rng(0)
    items = []
    for name in step_making.CLASSES[:3]:
        for _ in range(8):
            wrong = (int(rng.integers(3)),)
            rewards = tuple(round(float(rng.random()), 2) for _ in range(3))
            items.append(Step(Case(3, wrong[0], rewards, "", name, wrong), name))
    step_making.workspace(root, items, [(making.scorer("abel"), items)])
    return inspect(load(Request(workspace=str(root))))


@pytest.fixture(scope="module")
def published(tmp_path_factory, data_folder):
    """MR-MATH with its ten scorers and two that give no verdict."""
    return inspect(load(mr_math(tmp_path_factory.mktemp("mr") / "w", data_folder)))


def sheet(inspection, page, *others, size=(100, 40), brush=BRUSH):
    names = (inspection.scorer, *others)
    figures = threshold_figures(inspection, names, page)
    return thresholds_sheet(inspection, names, page, figures, brush, size)


def lines(found):
    return [text_of(row) for row in found.lines]


def told(found):
    return " ".join(" ".join(lines(found)).split())


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("space", ["study", "small", "kinds", "steps", "published"])
def test_every_number_opens_exactly_its_cases(request, space, page):
    start = request.getfixturevalue(space)
    opened = 0
    for one in start.selection.evaluations[:4]:
        looked = start.focused(one.scorer.name, start.benchmark)
        waiting = thresholds_sheet(looked, (looked.scorer,), page, None, BRUSH, (100, 40))
        assert waiting.busy
        walk(looked, waiting)
        found = sheet(looked, page)
        assert not found.busy
        opened += walk(looked, found)
    assert opened or (page, space) in {(TRANSFER, "published"), (TRANSFER, "kinds")} or space in {"steps", "kinds"}


@pytest.mark.parametrize("page", PAGES)
def test_so_it_does_at_another_threshold_under_a_filter_and_with_thresholds_of_dev_sets(study, page):
    moved = study.moved(0.31)
    assert walk(moved, sheet(moved, page))
    looked = study.filtered(Filter(where=("n_steps > 3", f"\"{study.scorer}.outcome\" = 'exact'")))
    assert looked.slice.sum() < study.slice.sum()
    walk(looked, sheet(looked, page))
    root = study.selection.request.workspace
    tuned = inspect(load(Request(workspace=root, thresholds=((None, "dev"),))))
    walk(tuned, sheet(tuned, page))


def test_ways_are_those_of_the_command(study):
    name = study.scorer
    rows = thresholds_document(load(Request(workspace=study.selection.request.workspace, scorers=(name,)))).rows
    text = lines(sheet(study, CURVES, size=(160, 40)))
    words = {"default": "default", "best": "best on these", "from:it's": "tuned on it's"}
    seen = 0
    for kind, said in words.items():
        for row in rows.filter(kind=kind, subset="average").iter_rows(named=True):
            whole = rows.row(by_predicate=(pl.col("kind") == kind) & (pl.col("subset") == "all"), named=True)
            line = next(line for line in text if line.startswith(f"{said} "))
            assert f"{100 * row['value']:.1f} [{100 * row['low']:.1f}–{100 * row['high']:.1f}]" in line
            assert f"{row['threshold']:.4g} " in line
            assert ("optimistic" in line) == row["optimistic"]
            assert f" {whole['n']}" in line
            seen += 1
    assert seen == 3


def test_the_present_line_is_the_headline_and_moves(study):
    for threshold in (0.2, 0.5, 0.7):
        moved = study.moved(threshold)
        text = lines(sheet(moved, CURVES))
        value = metrics_document(moved.for_metrics()).rows.filter(scorer=moved.scorer, metric="f1", subset="average")[
            "value"
        ][0]
        line = next(line for line in text if line.startswith("present "))
        assert f"{threshold:g} " in line
        assert ("–" if value is None else f"{100 * value:.1f}") in line
        assert f"▲ {threshold:.3f} present" in told(sheet(moved, CURVES))


def test_thresholds_of_dev_sets_are_marked_once_and_their_cases_left_out(tmp_path):
    cases, scorers = making.study(n=300)
    making.workspace(tmp_path, cases, scorers[:1])
    request = Request(workspace=str(tmp_path))
    plain, tuned = (inspect(load(replace(request, thresholds=asked))) for asked in ((), ((None, "dev"),)))
    told_plain, told_tuned = (told(sheet(one, CURVES, size=(160, 40))) for one in (plain, tuned))
    assert told_plain.count(" dev-tuned, seed 0, ") >= 1
    assert "(by subset)" not in told_plain
    assert told_tuned.count("(by subset)") == len(tuned.evaluation.rule.told) == 2
    assert " dev-tuned, seed 0, " not in told_tuned
    line = next(line for line in lines(sheet(tuned, CURVES, size=(160, 40))) if line.startswith("present "))
    assert f" {tuned.headline.n} " in line
    assert tuned.headline.n == plain.headline.n - tuned.evaluation.left_out < plain.headline.n
    for page in PAGES:
        walk(tuned, sheet(tuned, page))


def test_what_is_wrong_at_a_threshold_is_what_deciding_there_says(study, kinds):
    for start in (study, kinds):
        for one in start.selection.evaluations:
            if not one.movable:
                continue
            for threshold in (0.0, 0.3, 0.5, 0.55, 1.0):
                decided = one.at(threshold)
                wrong = wrong_rows(one, threshold, "wrong")
                assert (wrong == wrong_rows(decided, threshold, "wrong")).all()
                names = decided.column("outcome").to_list()
                expected = [name in {"early", "late", "missed", "false_alarm", "refused", "unparsed"} for name in names]
                assert wrong.tolist() == expected
                sql = wrong_condition(one, threshold, "wrong")
                assert start.selection.passing((sql,)).tolist() == expected


def test_the_matrix_holds_what_every_subset_gives_on_every_other(study):
    rows = thresholds_document(load(Request(workspace=study.selection.request.workspace, scorers=(study.scorer,)))).rows
    found = rows.filter(rows["kind"].str.starts_with("from:"))
    subsets = [kind.removeprefix("from:") for kind in found["kind"].unique(maintain_order=True)]
    assert len(subsets) >= 2
    text = lines(sheet(study, TRANSFER, size=(200, 40)))
    for tuned in subsets:
        line = next(line for line in text if line.startswith(f"tuned on {tuned} "))
        cells = re.findall(r"(\d+\.\d)(\*?) \[?", line.removeprefix(f"tuned on {tuned}"))
        for (value, star), subset in zip(cells, [*subsets, "average"], strict=True):
            row = found.row(by_predicate=(pl.col("kind") == f"from:{tuned}") & (pl.col("subset") == subset), named=True)
            assert (value, bool(star)) == (f"{100 * row['value']:.1f}", row["optimistic"])


def test_one_subset_says_what_transfer_needs(published):
    said = told(sheet(published, TRANSFER))
    assert "There is one subset to tune and report on (none that has a name)." in said
    assert "Transfer needs two" in said


def test_curves_of_others_stand_beside_and_those_without_are_named(published):
    names = [one.scorer.name for one in published.selection.evaluations]
    prms = [name for name in names if name.startswith("reasoneval") and name != published.scorer]
    said = told(sheet(published, CURVES, *prms[:2], "gpt4", size=(200, 40)))
    # Letters follow the order of the workspace, as beside each other in a case.
    order = [name for name in names if name in {published.scorer, "gpt4", *prms[:2]}]
    for letter, name in zip("ABCD", order, strict=True):
        if name == "gpt4":
            continue
        assert f"{letter} {name}" in said
    assert "No threshold decides, so that there is no curve: gpt4." in said
    assert "optimistic" in said
    assert "dev-tuned, seed 0" in said


def test_a_critic_has_no_threshold_and_its_figure_stands_there_all_the_same(published):
    critic = published.focused("gpt4", published.benchmark)
    said = told(sheet(critic, CURVES))
    assert "No threshold to choose" in said
    assert "52.8 [45.3–60.4]" in said
    for page in (REWARDS, RELIABILITY):
        assert "gpt4 gives no step rewards" in told(sheet(critic, page))


def test_rewards_are_counted_with_their_separation(published):
    name = "reasoneval_mistral-7b"
    looked = published.focused(name, published.benchmark)
    text = told(sheet(looked, REWARDS))
    lowest = looked.evaluation.column("lowest_reward").to_numpy()
    wrong = looked.evaluation.gold.earliest >= 0
    pairs = lowest[~wrong][:, None] - lowest[wrong][None, :]
    area = float((pairs > 0).mean() + (pairs == 0).mean() / 2)
    assert f"The lowest reward of each case: AUROC {area:.3f} [" in text
    assert f"erroneous: {int(wrong.sum())} cases" in text
    assert f"clean: {int((~wrong).sum())} cases" in text


def test_a_scorer_of_another_range_has_its_own_and_no_probabilities(small):
    beta = small.focused("beta", "bench")
    assert "beta gives rewards in [-1, 1], which are no probabilities" in told(sheet(beta, RELIABILITY))
    said = told(sheet(small.focused("alpha", "bench"), CURVES, "beta"))
    assert "beta (its own range, -1 to 1)" in said


def test_equal_rewards_still_have_a_curve_and_one_bar(tmp_path):
    cases = [Case(2, gold, (0.5, 0.5), subset="one") for gold in (-1, 0, 1, -1)]
    making.workspace(tmp_path, cases, [(making.scorer("flat"), cases)])
    inspection = inspect(load(Request(workspace=str(tmp_path))))
    for page in PAGES:
        walk(inspection, sheet(inspection, page))
    assert "AUROC 0.500" in told(sheet(inspection, REWARDS))


def test_only_clean_cases_say_why_there_is_no_curve(tmp_path):
    cases = [Case(2, -1, (0.5, 0.9), subset="one") for _ in range(4)]
    making.workspace(tmp_path, cases, [(making.scorer("calm"), cases)])
    inspection = inspect(load(Request(workspace=str(tmp_path))))
    assert "There is no curve: F1 is undefined" in told(sheet(inspection, CURVES))
    assert "no AUROC: no erroneous case has rewards" in told(sheet(inspection, REWARDS))
    for page in PAGES:
        walk(inspection, sheet(inspection, page))


def test_without_a_scorer_it_says_what_would_give_one(tmp_path):
    making.workspace(tmp_path, [Case(2, 0)], [])
    inspection = inspect(load(Request(workspace=str(tmp_path))))
    for page in PAGES:
        found = thresholds_sheet(inspection, (), page, None, BRUSH, (60, 20))
        assert not found.busy
        assert lines(found)[0] == "No threshold yet"
        assert "prm-inspect score bench --model DIR" in told(found)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [76, 120, 200])
def test_ascii_is_ascii_and_lines_keep_to_the_width(study, page, width):
    found = sheet(study, page, size=(width, 30), brush=Brush(ascii_only=True))
    assert all(line.isascii() for line in lines(found))
    if width > 80:
        assert max(map(len, lines(found))) <= width


def test_a_name_that_acts_is_only_text(tmp_path):
    cases, scorers = making.study(n=24)
    hostile = [
        (making.scorer(f"{'[red]' if place else chr(27) + '[31m'}x'\"{place}"), given)
        for place, (_, given) in enumerate(scorers[:2])
    ]
    evil = [replace(case, subset=f"\x1b[31m{case.subset}'\"") for case in cases]
    making.workspace(tmp_path, evil, hostile)
    inspection = inspect(load(Request(workspace=str(tmp_path))))
    for page in PAGES:
        walk(inspection, sheet(inspection, page))
