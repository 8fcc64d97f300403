"""Benchmarks with figures of their own: the headline is the leading one, on the board, the bar and the thresholds."""

import random

import numpy as np
import pytest
from msgspec.structs import replace

import making
import reference
from inspector.analyses import Params, load
from inspector.analyses.board.arrangement import Arrangement, kind_of, title_of
from inspector.analyses.board.board_rows import board_frame, pieces, published_frame
from inspector.analyses.board.cells import BEST
from inspector.analyses.board.standings import standings
from inspector.analyses.report.benchmark_report import benchmarks_of
from inspector.analyses.report.report_board import board_table
from inspector.screens.board_columns import explained
from inspector.state.common_cases import best_first
from scoring.formats.benchmarks.case_format import Imported
from scoring.metrics.benchmark_metrics import OWN_METRICS, metrics_of
from scoring.metrics.deciding import dev_thresholds
from scoring.metrics.kernel import Decided
from scoring.selection.loading import load as load_query
from scoring.selection.query import Query
from thoroughness import together
from views import table_of

# -- where people see it


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """The same cases, with all their steps labelled, as benchmarks with figures and one of first errors."""
    root = tmp_path_factory.mktemp("mixed") / "w"
    cases, scorers = making.study(n=40)
    listed = [
        replace(case, error_steps=() if case.gold < 0 else tuple(range(case.gold, case.n_steps, 2))) for case in cases
    ]
    first, *others = sorted(OWN_METRICS)
    made = making.workspace(root, listed, scorers, benchmark=first)
    for name in (*others, "bench"):
        frame = making.full_frame(listed, name)
        made.add([Imported(name, f"{name}.jsonl", "made", "0-based", frame.height, frame, ())])
    return Query(workspace=str(root))


@pytest.fixture(scope="module")
def whole(mixed):
    return load_query(mixed)


@pytest.fixture(scope="module")
def apart(mixed):
    """Each benchmark that has a figure, alone."""
    return {benchmark: load_query(replace(mixed, benchmarks=(benchmark,))) for benchmark in OWN_METRICS}


def test_a_board_of_one_benchmark_is_headed_by_its_figure(apart):
    for benchmark, results in apart.items():
        frame = board_frame(results)
        kind = kind_of(frame, Arrangement(), several=False)
        titles = [title_of(key, kind) for key in ("score", "on_wrong", "on_right")]
        assert titles == [metrics_of(benchmark).leading.title, "errors found", "clean kept"]
        assert metrics_of(benchmark).leading.about in explained(titles[0])
        assert "metric" not in kind.keys
        figures = load("metrics").view(results, Params()).rows
        official = figures.filter(metric=metrics_of(benchmark).name, subset="all")
        assert frame.sort("scorer")["score"].to_list() == official.sort("scorer")["value"].to_list()
        (of,) = benchmarks_of(results)
        assert board_table(of).columns[1].title == f"{titles[0]} (95%)"


def test_a_board_of_several_says_of_each_row_which_figure_it_has(whole):
    frame = board_frame(whole)
    kind = kind_of(frame, Arrangement(), several=True)
    assert title_of("score", kind) == "score"
    assert "metric" in kind.keys
    assert dict(frame.select("benchmark", "metric").unique().rows()) == {
        name: metrics_of(name).title for name in (*OWN_METRICS, "bench")
    }
    notes = load("board").view(whole, Params()).provenance["notes"]
    for benchmark in OWN_METRICS:
        title = metrics_of(benchmark).leading.title
        assert any(note.startswith(f"score: {title} is") for note in notes)


def test_the_best_has_the_highest_figure_and_differences_are_of_it_on_common_cases(whole):
    known = standings(whole, parts := pieces(whole, subsets=True), "gpt4")
    for piece in parts:
        reported, unparsed = metrics_of(piece.benchmark), whole.unparsed(piece.benchmark)
        if not reported.own:
            continue

        def score(evaluation, rows, piece=piece, unparsed=unparsed):
            return metrics_of(piece.benchmark).headline(evaluation, rows & piece.rows, unparsed, None).score

        counted = {
            evaluation.scorer.name: reported.cases.rows(Decided(evaluation, unparsed)) & piece.rows
            for evaluation in whole.evaluations
        }
        some = np.logical_or.reduce(list(counted.values()))
        values = {
            one.scorer.name: score(one, some) for one in whole.evaluations if (counted[one.scorer.name] == some).all()
        }
        ranks = known.ranks[piece.benchmark, piece.subset]
        assert ranks.scorers == len(values)
        if len(values) > 1:
            assert ranks.n == some.sum()
            assert [name for name, kind in ranks.kinds.items() if kind == BEST] == [max(values, key=values.get)]
        else:
            assert not ranks.kinds
        for name in ("rand-0", "x=y"):
            both = counted[name] & counted["gpt4"]
            difference = known.differences[piece.key(name)]
            scores = [score(whole.evaluation(one), both) for one in (name, "gpt4")]
            assert difference.score.value == pytest.approx(scores[0] - scores[1])
            assert difference.n == both.sum()
            assert difference.score.low <= difference.score.value <= difference.score.high


def test_each_number_opens_as_many_cases_as_it_says(mixed, whole):
    """Half of the views as they are, the others at another threshold."""
    moved = load_query(replace(mixed, thresholds=((None, "0.3"),)))
    pair = replace(moved, query=replace(moved.query, scorers=("x=y", "gpt4")), chosen=("x=y", "gpt4"))
    linked = {}
    for name, params, results in (
        ("board", Params(options={"rows": "subset"}), whole),
        ("board", Params(options={"against": "gpt4"}), moved),
        ("metrics", Params(), whole),
        ("compare", Params(), moved),
        ("compare", Params("pair"), pair),
        ("check", Params(options={"baseline": "gpt4"}), pair),
        ("thresholds", Params("ways"), pair),
        ("thresholds", Params("transfer"), pair),
        ("thresholds", Params("curve"), whole),
    ):
        linked.setdefault(name, set()).update(link.benchmark for link in links_of(results, name, params))
    assert all(benchmarks >= set(OWN_METRICS) for benchmarks in linked.values()), linked
    for benchmark, of in together(OWN_METRICS, (whole, moved)):
        alone = load_query(replace(of.query, benchmarks=(benchmark,), scorers=("gpt4",)))
        assert links_of(alone, "card", Params())


def links_of(results, name, params):
    """The links of a view, each of which opens as many cases as it says."""
    links = list(load(name).view(results, params, intervals=False).links())
    sizes = {}
    for link in links:
        if link.where not in sizes:
            sizes[link.where] = (results.mask & results.evaluated.passing(link.where)).sum()
        assert sizes[link.where] == link.n, (name, link)
    return links


def test_a_threshold_is_tuned_for_the_figure(mixed):
    for benchmark in OWN_METRICS:
        best = load_query(replace(mixed, benchmarks=(benchmark,), thresholds=(("gpt4", "best"),)))
        rows = load("thresholds").view(replace(best, chosen=("gpt4",)), Params()).rows
        assert set(rows["metric"]) == {metrics_of(benchmark).name}
        evaluation, unparsed = best.evaluation("gpt4"), best.unparsed(benchmark)
        every = [
            metrics_of(benchmark).headline(evaluation.at(cut), best.mask, unparsed, None).score or 0.0
            for cut in np.arange(0.05, 1.0, 0.05)
        ]
        mine = metrics_of(benchmark).headline(evaluation, best.mask, unparsed, None).score
        assert mine == pytest.approx(max(every), abs=1e-9)
        assert rows.filter(kind="best", subset="all")["value"].item() == pytest.approx(mine)


@pytest.mark.parametrize("benchmark", sorted(OWN_METRICS))
def test_a_dev_set_tunes_the_figure_and_says_where_it_is_undefined(benchmark):
    """As every cut, tried one by one on the dev cases, says."""
    draw = random.Random(len(benchmark))
    cases = []
    for subset in ("one", "two", "small"):
        for number in range(60 if subset != "small" else 4):
            wrong = tuple(sorted(draw.sample(range(4), 2))) if number % 2 else ()
            rewards = tuple(draw.choice((0.1, 0.3, 0.5, 0.7, 0.9)) for _ in range(4))
            cases.append(reference.Case(4, wrong[0] if wrong else -1, rewards, subset=subset, error_steps=wrong))
    neutral = [[] for _ in cases]
    evaluation = making.evaluation(cases, benchmark=benchmark, neutral_steps=neutral)
    tuned = dev_thresholds(evaluation, 3, lambda _: "wrong")
    assert set(tuned.by_subset) == {"one", "two"}
    assert set(tuned.lacking) == {"small"}
    for number, subset in enumerate(tuned.sets.names):
        if subset in tuned.by_subset:
            rows = tuned.sets.rows & (tuned.sets.numbers == number)
            cuts = (0.1, 0.3, 0.5, 0.7, 0.9, np.nextafter(0.9, 1))
            scores = [metrics_of(benchmark).score(evaluation.at(cut), rows, "wrong") or 0.0 for cut in cuts]
            mine = metrics_of(benchmark).score(evaluation.at(tuned.by_subset[subset]), rows, "wrong")
            assert mine == pytest.approx(max(scores), abs=1e-9)


def test_printed_figures_are_those_of_the_figure():
    printed = published_frame([("agentprocessbench", None), ("deltabench", None)])
    assert set(printed["metric"]) == {"StepAcc"}
    # Of twenty judges; 70.1 is what is printed of GPT-5.2.
    assert printed.height == 20
    assert 0.701 in printed["score"].to_list()


def test_what_else_is_loaded_moves_no_figure_and_no_interval(whole, apart):
    frame = board_frame(whole, subsets=True)
    columns = ["row", "score", "low", "high", "on_wrong", "on_right", "n", "reason"]
    for benchmark, results in apart.items():
        alone = board_frame(results, subsets=True)
        assert frame.filter(benchmark=benchmark).select(columns).equals(alone.select(columns))
        assert alone["low"].null_count() == 0


# -- scorers held against each other


@pytest.fixture(scope="module")
def turned(tmp_path_factory):
    """One scorer is better at first errors, the other at steps; they are checkpoints of one training run."""
    root = tmp_path_factory.mktemp("turned") / "w"
    rng, cases = random.Random(2), []
    for at in range(120):
        wrong = (0, *range(2, 3 + at % 3)) if at % 2 else ()
        cases.append(reference.Case(5, min(wrong, default=-1), subset=f"s{at % 4 // 2}", error_steps=wrong))

    def judged(case, *, by_steps):
        # By first errors: nothing is said of later steps. By steps: most are right, and the first often is not.
        low = [
            (step in case.error_steps) != (step == max(case.gold, 0) and rng.random() < 0.4)
            if by_steps
            else step == case.gold
            for step in range(5)
        ]
        return replace(case, rewards=tuple(0.1 if is_low else 0.9 for is_low in low))

    scorers = [
        (
            making.scorer(name, series="run", at=at),
            [judged(case, by_steps=name == "by-steps") for case in cases],
        )
        for at, name in enumerate(("by-steps", "by-first-errors"), 1)
    ]
    first, *others = [*sorted(OWN_METRICS), "bench"]
    made = making.workspace(root, cases, scorers, benchmark=first)
    for name in others:
        frame = making.full_frame(cases, name)
        made.add([Imported(name, f"{name}.jsonl", "made", "0-based", frame.height, frame, ())])
    return Query(workspace=str(root))


@pytest.mark.parametrize("benchmark", [*sorted(OWN_METRICS), "bench"])
def test_board_compare_metrics_and_timeline_have_one_figure_and_one_best(turned, benchmark):
    results = load_query(replace(turned, benchmarks=(benchmark,)))
    name, subset = metrics_of(benchmark).name, "average" if benchmark == "bench" else "all"
    board = {row["scorer"]: row for row in board_frame(results).iter_rows(named=True)}
    view, timeline = load("compare").view(results, Params()), load("timeline").view(results, Params())
    metrics = load("metrics").view(results, Params()).rows.filter(metric=name, subset=subset)
    compared = view.rows.filter(metric=name, subset=subset)
    # All cases are common: not a digit may differ.
    for scorer, row in board.items():
        (figure,) = metrics.filter(scorer=scorer).iter_rows(named=True)
        (standing,) = compared.filter(scorer=scorer).iter_rows(named=True)
        (checkpoint,) = timeline.rows.filter(metric=name, subset=subset, scorer=scorer).iter_rows(named=True)
        ends = [tuple(of[end] for end in ("low", "high")) for of in (figure, standing, checkpoint)]
        assert row["score"] == figure["value"] == standing["value"] == checkpoint["value"]
        if benchmark != "bench":
            assert {(row["low"], row["high"])} == set(ends)
    ranks = standings(results, pieces(results)).ranks[benchmark, None]
    (best,) = (scorer for scorer, kind in ranks.kinds.items() if kind == BEST)
    assert best == max(board, key=lambda scorer: board[scorer]["score"])
    assert view.rows["scorer"].drop_nulls()[0] == best == best_first(results).chosen[0]
    assert view.rows["metric"][0] == f"{name}_difference"
    # F1 of first errors has its rows everywhere.
    for frame in (view.rows, timeline.rows):
        assert {"f1", "error_acc", "correct_acc", "f1_difference"} <= set(frame["metric"])


@pytest.mark.parametrize("benchmark", ["agentprocessbench", "hard2verify", "bench"])
def test_check_judges_by_the_figure_and_by_another_where_it_is_asked_for(turned, benchmark):
    names = ("by-first-errors", "by-steps")
    results = load_query(replace(turned, benchmarks=(benchmark,), scorers=names))
    usual, asked = (
        load("check").view(results, Params(options={"baseline": "by-steps", **rule}))
        for rule in ({}, {"fail_if": "f1_high < 0"})
    )
    own = benchmark != "bench"
    (row,) = usual.rows.iter_rows(named=True)
    assert (usual.exit_code, row["result"]) == ((1, "regression") if own else (0, "improvement"))
    assert (asked.exit_code, row["metric"]) == (0, metrics_of(benchmark).name)
    assert row["f1_low"] > 0
    compared = load("compare").view(results, Params("pair")).rows
    subset = "all" if own else "average"
    (difference,) = compared.filter(metric=f"{row['metric']}_difference", subset=subset).iter_rows(named=True)
    for mine, theirs in {"difference": "value", "low": "low", "high": "high", "n": "n", "left_out": "left_out"}.items():
        assert row[mine] == difference[theirs]
    board = {of["scorer"]: of["score"] for of in board_frame(results).iter_rows(named=True)}
    assert (row["value"], row["baseline_value"]) == tuple(board[name] for name in names)
    title = metrics_of(benchmark).title
    assert next(iter(table_of(usual, "Difference, A − B")[0].values())) == title
    assert next(iter(table_of(usual)[0].values())) == title
