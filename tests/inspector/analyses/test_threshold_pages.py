"""The pages of `thresholds`: their numbers are those of the rows, and open exactly their cases."""

import re

import polars as pl
import pytest
from msgspec.structs import replace

import example
import judged
import making
import scenes
from inspector.analyses import Params
from inspector.analyses.thresholds.thresholds import thresholds
from inspector.render.cells import plain_text
from inspector.render.chart_blocks import Histogram, Reliability
from inspector.render.chart_views import numbers_of
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import text_of
from inspector.render.terminal import Terminal
from inspector.state.case_links import wrong_condition, wrong_rows
from inspector.state.opening import inspect
from inspector.state.subject import every_benchmark
from published_spaces import mr_math
from reference import Case
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import lines_of, metrics_view, page_sheet, page_view, thresholds_view, words_of
from walking import walk

CURVES, NUMBERS, TRANSFER, REWARDS, RELIABILITY = "ways", "curve", "transfer", "rewards", "reliability"
PAGES = (CURVES, NUMBERS, TRANSFER, "flips", REWARDS, RELIABILITY)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three scorers with gaps, on cases that share problems and subsets."""
    root = tmp_path_factory.mktemp("study")
    cases, scorers = making.study(n=90)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return inspect(load(Query(workspace=str(root))))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("example") / "w")))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """Scorers with a threshold, with labels, with votes, with a number a solution."""
    root = tmp_path_factory.mktemp("kinds")
    judged.workspace(root)
    return inspect(load(Query(workspace=str(root))))


@pytest.fixture(scope="module")
def published(tmp_path_factory, data_folder):
    """MR-MATH with its ten scorers and two that give no verdict."""
    return inspect(load(mr_math(tmp_path_factory.mktemp("mr") / "w", data_folder)))


def view(state, page, *others, intervals=True):
    return page_view(thresholds, state, page, (state.focus.scorer, *others), intervals=intervals)


def walked(state, page, both=(False, True)):
    """Walk a page, as it is first and with its intervals; how many numbers there are. 0: no threshold decides."""
    default = state.evaluation.at_default()
    if page in {NUMBERS, "flips"} and (
        not default.rule.is_movable or (state.summary.sweep and state.summary.sweep.best is None)
    ):
        if not default.rule.is_movable:
            with pytest.raises(UsageError, match="no scorer here has a threshold"):
                view(state, page)
        return 0
    for intervals in both:
        opened = walk(state, page_sheet(view(state, page, intervals=intervals)))
    return opened


def test_ways_are_those_of_the_command(study):
    name = study.focus.scorer
    rows = thresholds_view(load(Query(workspace=study.results.query.workspace, scorers=(name,)))).rows
    text = lines_of(view(study, CURVES), (160, 40))
    words = {"default": "default", "best": "best on these", "from:it's": "tuned on it's"}
    seen = 0
    for kind, said in words.items():
        for row in rows.filter(kind=kind, subset="average").iter_rows(named=True):
            whole = rows.row(by_predicate=(pl.col("kind") == kind) & (pl.col("subset") == "all"), named=True)
            # Points stand beneath each other: there may be more than one blank behind a figure.
            line = " ".join(next(line for line in text if line.startswith(f"{said} ")).split())
            star = "*" if row["optimistic"] else ""
            assert f"{100 * row['value']:.1f}{star}" in line
            assert f"{row['threshold']:.3f} " in line
            assert f" {whole['n']}" in line
            seen += 1
    assert seen == 3


def test_the_line_of_the_present_threshold_is_the_headline_and_moves(study):
    for threshold in (0.2, 0.5, 0.7):
        moved = study.moved(threshold)
        text = lines_of(view(moved, CURVES))
        value = metrics_view(every_benchmark(moved)).rows.filter(
            scorer=moved.focus.scorer, metric="f1", subset="average"
        )["value"][0]
        line = next(line for line in text if "(present)" in line)
        assert f"{threshold:.3f} " in line
        assert ("–" if value is None else f"{100 * value:.1f}") in line
        assert f"▲ {threshold:.3f} present" in words_of(view(moved, CURVES))


def test_thresholds_of_dev_sets_are_marked_once_and_their_cases_left_out(tmp_path):
    cases, scorers = making.study(n=200)
    making.workspace(tmp_path, cases, scorers[:1])
    query = Query(workspace=str(tmp_path))
    plain, tuned = (inspect(load(replace(query, thresholds=asked))) for asked in ((), ((None, "dev"),)))
    told_plain, told_tuned = (words_of(view(one, CURVES), (160, 40)) for one in (plain, tuned))
    assert told_plain.count(" dev-tuned, seed 0, ") >= 1
    assert "(by subset)" not in told_plain
    assert told_tuned.count("(by subset)") == len(tuned.evaluation.rule.by_subset) == 2
    assert " dev-tuned, seed 0, " not in told_tuned
    line = next(line for line in lines_of(view(tuned, CURVES), (160, 40)) if line.startswith("dev-tuned, seed 0 "))
    assert f" {tuned.summary.headline.n} " in line
    assert (
        tuned.summary.headline.n
        == plain.summary.headline.n - tuned.evaluation.coverage.left_out
        < plain.summary.headline.n
    )
    walked(tuned, CURVES)


def test_what_is_wrong_at_a_threshold_is_what_deciding_there_says(study, kinds):
    for start in (study, kinds):
        for one in start.results.evaluations:
            if not one.rule.is_movable:
                continue
            for threshold in (0.0, 0.3, 0.5, 0.55, 1.0):
                decided = one.at(threshold)
                wrong = wrong_rows(one, threshold, "wrong")
                assert (wrong == wrong_rows(decided, threshold, "wrong")).all()
                names = decided.column("outcome").to_list()
                expected = [name in {"early", "late", "missed", "false_alarm", "refused", "unparsed"} for name in names]
                assert wrong.tolist() == expected
                sql = wrong_condition(one, threshold, "wrong")
                assert start.results.evaluated.passing((sql,)).tolist() == expected


def test_the_matrix_holds_what_every_subset_gives_on_every_other(study):
    rows = thresholds_view(load(Query(workspace=study.results.query.workspace, scorers=(study.focus.scorer,)))).rows
    found = rows.filter(rows["kind"].str.starts_with("from:"))
    subsets = [kind.removeprefix("from:") for kind in found["kind"].unique(maintain_order=True)]
    assert len(subsets) >= 2
    text = lines_of(view(study, TRANSFER), (200, 40))
    for tuned in subsets:
        line = next(line for line in text if line.startswith(f"tuned on {tuned} "))
        cells = re.findall(r"(\d+\.\d)(\*?) \[?", line.removeprefix(f"tuned on {tuned}"))
        for (value, star), subset in zip(cells, [*subsets, "average"], strict=True):
            row = found.row(by_predicate=(pl.col("kind") == f"from:{tuned}") & (pl.col("subset") == subset), named=True)
            assert (value, bool(star)) == (f"{100 * row['value']:.1f}", row["optimistic"])


def test_one_subset_says_what_transfer_needs(published):
    said = words_of(view(published, TRANSFER))
    assert "There is one subset to tune and report on (none that has a name)." in said
    assert "Transfer needs two" in said


def test_curves_of_others_stand_beside_and_those_without_are_named(published):
    names = [one.scorer.name for one in published.results.evaluations]
    prms = [name for name in names if name.startswith("reasoneval") and name != published.focus.scorer]
    said = words_of(view(published, CURVES, *prms[:2], "gpt4"), (200, 40))
    # Letters follow the order of the workspace, as beside each other in a case.
    order = [name for name in names if name in {published.focus.scorer, "gpt4", *prms[:2]}]
    for letter, name in zip("ABCD", order, strict=True):
        if name == "gpt4":
            continue
        assert f"{letter} {name}" in said
    assert "No threshold decides, so that there is no curve: gpt4." in said
    assert "optimistic" in said
    assert "dev-tuned, seed 0" in said


def test_a_critic_has_no_threshold_and_its_figure_stands_there_all_the_same(published):
    critic = published.focused("gpt4", published.focus.benchmark)
    said = words_of(view(critic, CURVES))
    assert "No threshold decides, so that there is no curve: gpt4." in said
    assert "default 52.8 " in said
    for page in (REWARDS, RELIABILITY):
        assert "gpt4 gives no step rewards" in words_of(view(critic, page))


def test_rewards_are_counted_with_their_separation(published):
    name = "reasoneval_mistral-7b"
    looked = published.focused(name, published.focus.benchmark)
    text = words_of(view(looked, REWARDS))
    lowest = looked.evaluation.column("lowest_reward").to_numpy()
    wrong = looked.evaluation.gold.earliest >= 0
    pairs = lowest[~wrong][:, None] - lowest[wrong][None, :]
    area = float((pairs > 0).mean() + (pairs == 0).mean() / 2)
    assert f"The lowest reward of each case: AUROC {area:.3f} (" in text
    assert f"erroneous: {int(wrong.sum())} cases" in text
    assert f"clean: {int((~wrong).sum())} cases" in text


def test_a_scorer_of_another_range_has_its_own_and_no_probabilities(small):
    beta = small.focused("beta", "bench")
    assert "beta gives rewards in [-1, 1], which are not probabilities" in words_of(view(beta, RELIABILITY))
    said = words_of(view(small.focused("alpha", "bench"), CURVES, "beta"))
    assert "beta (its own range, -1 to 1)" in said


def test_equal_rewards_still_have_a_curve_and_one_bar(tmp_path):
    cases = [Case(2, gold, (0.5, 0.5), subset="one") for gold in (-1, 0, 1, -1)]
    making.workspace(tmp_path, cases, [(making.scorer("flat"), cases)])
    state = inspect(load(Query(workspace=str(tmp_path))))
    for page in PAGES:
        walked(state, page)
    assert "AUROC 0.500" in words_of(view(state, REWARDS))


def test_only_clean_cases_say_why_there_is_no_curve(tmp_path):
    cases = [Case(2, -1, (0.5, 0.9), subset="one") for _ in range(4)]
    making.workspace(tmp_path, cases, [(making.scorer("calm"), cases)])
    state = inspect(load(Query(workspace=str(tmp_path))))
    assert "there is no curve: F1 is undefined" in words_of(view(state, CURVES))
    assert "no AUROC: no erroneous case has rewards" in words_of(view(state, REWARDS))
    for page in PAGES:
        walked(state, page)


@pytest.mark.parametrize("page", PAGES)
def test_ascii_is_ascii_and_lines_keep_to_the_width(study, page):
    made = view(study.moved(0.3), page)
    for width in (76, 120, 200):
        lines = lines_of(made, (width, 30), ascii_only=True)
        assert all(line.isascii() for line in lines), width
        if width > 80:
            assert max(map(len, lines)) <= width


@pytest.mark.parametrize("page", [REWARDS, RELIABILITY])
def test_bins_are_told_where_no_chart_is_drawn(page):
    made = thresholds.view(load(scenes.demo()), Params(page), intervals=False)
    bins = [one for one in made.blocks() if isinstance(one, (Histogram, Reliability))]
    assert bins
    lines = [text_of(row) for row in Terminal(120, Glyphs(), charts=False).sections(made.sections)]
    for one in bins:
        for row in numbers_of(one).rows:
            first = plain_text(row[0])
            assert any(first in line for line in lines), first
