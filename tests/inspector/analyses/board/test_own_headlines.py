"""Benchmarks with figures of their own: the headline is the leading one, on the board, the bar and the thresholds."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
from inspector.render.texts.headlines import headline, official_score, official_title, subset_headlines, unit_of
from inspector.screens.board_columns import explained
from inspector.state.common_cases import best_first
from scoring.formats.benchmarks.case_format import Imported
from scoring.metrics.benchmark_figures import FIGURES, leading_figure, leading_figures, official_metric
from scoring.metrics.curve_bands import official_bands
from scoring.metrics.deciding import dev_thresholds
from scoring.metrics.kernel import Decided
from scoring.metrics.official_protocols import protocol_of
from scoring.metrics.official_rows import CountingRules, figures_of
from scoring.metrics.threshold_curves import official_curve, tuned
from scoring.selection.loading import load as load_query
from scoring.selection.query import Query
from thoroughness import together, up_to
from views import table_of

BENCHMARK = st.sampled_from(sorted(FIGURES))
POLICY = st.sampled_from(("wrong", "drop"))


@st.composite
def evaluations(draw):
    """One scorer on cases whose steps may be labelled one by one, some neutral; perhaps with a second run."""
    cases = draw(making.benches(max_size=12))
    neutral = [
        None
        if case.error_steps is None
        else [step for step in range(case.n_steps) if step not in case.error_steps and draw(st.booleans())]
        for case in cases
    ]
    settings_of = {"threshold": draw(st.sampled_from(making.TIED)), "comparison": draw(st.sampled_from(("<", "<=")))}
    first = making.evaluation(cases, **settings_of, neutral_steps=neutral)
    # From -1 to 1, a reward of 0 says neutral.
    first = replace(first, scorer=replace(first.scorer, low=draw(st.sampled_from((-1.0, 0.0)))))
    if draw(st.booleans()):
        return first
    # The other run is decided otherwise, so that the two differ.
    return replace(first, further=(first.at(draw(st.sampled_from(making.TIED))),))


def row_of(line):
    """What a line of `metrics` says, as a headline says it."""
    reason = line["reason"] if line["value"] is None else None
    return (*(line[name] for name in ("value", "low", "high", "n", "sd", "runs", "small")), reason)


def told(head):
    return (*(getattr(head, name) for name in ("score", "low", "high", "n", "sd", "runs", "small")), head.reason)


@up_to(100, 15)
@given(
    evaluation=evaluations(),
    benchmark=BENCHMARK,
    by_name=st.booleans(),
    unparsed=POLICY,
    seed=st.sampled_from((None, 0, 3)),
)
def test_the_headline_is_the_line_of_metrics(evaluation, benchmark, by_name, unparsed, seed):
    rows = np.ones(evaluation.codes.size, dtype=np.bool_)
    name = official_metric(benchmark)
    counting = CountingRules(protocol_of(benchmark).name if by_name else None, unparsed=unparsed, seed=seed)
    lines = list(figures_of(evaluation, benchmark, rows, counting))
    own = [line for line in lines if line["metric"] == name]
    head = headline(evaluation, rows, unparsed, seed, benchmark)
    # The last two are of all cases and the mean over subsets.
    assert own[-2]["subset"] == "all"
    assert told(head) == row_of(own[-2])
    assert head.score == official_score(evaluation, rows, unparsed, benchmark)
    assert (head.metric, head.unit) == (official_title(benchmark), unit_of(official_title(benchmark)))
    by_subset = subset_headlines(evaluation, rows, unparsed, seed, benchmark)
    assert {subset: told(one) for subset, one in by_subset.items()} == {
        line["subset"]: row_of(line) for line in own[:-2]
    }
    values = {(line["subset"], line["metric"]): line["value"] for line in lines}
    for subset, one in {"all": head, **by_subset}.items():
        ends = (values.get((subset, "error_acc")), values.get((subset, "correct_acc")))
        assert (one.on_wrong, one.on_right) == ends


@up_to(100, 12)
@given(evaluation=evaluations(), benchmark=BENCHMARK, unparsed=POLICY, data=st.data())
def test_the_curve_passes_through_the_headline_at_every_threshold(evaluation, benchmark, unparsed, data):
    evaluation = replace(evaluation, further=())
    rows = np.arange(evaluation.codes.size) % 4 < 3
    curve = official_curve(evaluation, rows, unparsed, benchmark)
    assert (curve.metric.name, curve.metric.title) == (official_metric(benchmark), official_title(benchmark))
    grid = np.array([*curve.thresholds, *making.TIED])
    bands = official_bands(evaluation, rows, grid, unparsed, benchmark, seed=2)
    (metric,) = bands.metrics
    low, high = bands.interval(metric)
    # Intervals take resamples.
    drawn = data.draw(st.sampled_from(grid.tolist()))
    scores = []
    for place, threshold in enumerate(grid.tolist()):
        seed = 2 if threshold == drawn else None
        head = headline(evaluation.at(threshold), rows, unparsed, seed, benchmark)
        score = np.nan if head.score is None else head.score
        assert bands.values(metric)[place] == pytest.approx(score, abs=1e-9, nan_ok=True)
        assert bands.sizes(metric) == (head.n,)
        if head.low is not None:
            assert (low[place], high[place]) == pytest.approx((head.low, head.high), abs=1e-9)
        if curve.thresholds.size:
            at = curve.places(threshold, evaluation.rule.comparison)
            assert curve.score[at] == pytest.approx(score, abs=1e-9, nan_ok=True)
        scores.append(score)
    best = tuned(curve)
    if best.threshold is None:
        assert best.reason
        assert np.isnan(scores[: curve.thresholds.size]).all()
    else:
        # The lowest of equally good ones.
        highest = max(score for score in scores if not np.isnan(score))
        assert best.threshold == next(
            cut for cut, score in zip(curve.thresholds, scores, strict=False) if score >= highest - 1e-9
        )


def test_a_title_names_one_leading_figure_alone():
    assert all(leading_figures()[leading_figure(name).title] is leading_figure(name) for name in FIGURES)
    assert all(leading_figure(name).about and leading_figure(name).cases for name in FIGURES)
    assert official_title("processbench") == "F1"
    assert official_title("visualprocessbench") == "PRMScore"


# -- where people see it


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """The same cases, with all their steps labelled, as benchmarks with figures and one of first errors."""
    root = tmp_path_factory.mktemp("mixed") / "w"
    cases, scorers = making.study(n=40)
    listed = [
        replace(case, error_steps=() if case.gold < 0 else tuple(range(case.gold, case.n_steps, 2))) for case in cases
    ]
    first, *others = sorted(FIGURES)
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
    return {benchmark: load_query(replace(mixed, benchmarks=(benchmark,))) for benchmark in FIGURES}


def test_a_board_of_one_benchmark_is_headed_by_its_figure(apart):
    for benchmark, results in apart.items():
        frame = board_frame(results)
        kind = kind_of(frame, Arrangement(), several=False)
        titles = [title_of(key, kind) for key in ("score", "on_wrong", "on_right")]
        assert titles == [leading_figure(benchmark).title, "errors found", "clean kept"]
        assert leading_figure(benchmark).about in explained(titles[0])
        assert "metric" not in kind.keys
        figures = load("metrics").view(results, Params()).rows
        official = figures.filter(metric=official_metric(benchmark), subset="all")
        assert frame.sort("scorer")["score"].to_list() == official.sort("scorer")["value"].to_list()
        (of,) = benchmarks_of(results)
        assert board_table(of).columns[1].title == f"{titles[0]} (95%)"


def test_a_board_of_several_says_of_each_row_which_figure_it_has(whole):
    frame = board_frame(whole)
    kind = kind_of(frame, Arrangement(), several=True)
    assert title_of("score", kind) == "score"
    assert "metric" in kind.keys
    assert dict(frame.select("benchmark", "metric").unique().rows()) == {
        name: official_title(name) for name in (*FIGURES, "bench")
    }
    notes = load("board").view(whole, Params()).provenance["notes"]
    for benchmark in FIGURES:
        title = leading_figure(benchmark).title
        assert any(note.startswith(f"score: {title} is") for note in notes)


def test_the_best_has_the_highest_figure_and_differences_are_of_it_on_common_cases(whole):
    known = standings(whole, parts := pieces(whole, subsets=True), "gpt4")
    for piece in parts:
        made, unparsed = leading_figure(piece.benchmark), whole.unparsed(piece.benchmark)
        if made is None:
            continue

        def score(evaluation, rows, made=made, piece=piece, unparsed=unparsed):
            return headline(evaluation, rows & piece.rows, unparsed, None, piece.benchmark).score

        counted = {
            evaluation.scorer.name: made.cases.rows(Decided(evaluation, unparsed)) & piece.rows
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
    assert all(benchmarks >= set(FIGURES) for benchmarks in linked.values()), linked
    for benchmark, of in together(FIGURES, (whole, moved)):
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
    for benchmark in FIGURES:
        best = load_query(replace(mixed, benchmarks=(benchmark,), thresholds=(("gpt4", "best"),)))
        rows = load("thresholds").view(replace(best, chosen=("gpt4",)), Params()).rows
        assert set(rows["metric"]) == {official_metric(benchmark)}
        evaluation, unparsed = best.evaluation("gpt4"), best.unparsed(benchmark)
        every = [
            headline(evaluation.at(cut), best.mask, unparsed, None, benchmark).score or 0.0
            for cut in np.arange(0.05, 1.0, 0.05)
        ]
        mine = headline(evaluation, best.mask, unparsed, None, benchmark).score
        assert mine == pytest.approx(max(every), abs=1e-9)
        assert rows.filter(kind="best", subset="all")["value"].item() == pytest.approx(mine)


@pytest.mark.parametrize("benchmark", sorted(FIGURES))
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
            scores = [official_score(evaluation.at(cut), rows, "wrong", benchmark) or 0.0 for cut in cuts]
            mine = official_score(evaluation.at(tuned.by_subset[subset]), rows, "wrong", benchmark)
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
    first, *others = [*sorted(FIGURES), "bench"]
    made = making.workspace(root, cases, scorers, benchmark=first)
    for name in others:
        frame = making.full_frame(cases, name)
        made.add([Imported(name, f"{name}.jsonl", "made", "0-based", frame.height, frame, ())])
    return Query(workspace=str(root))


@pytest.mark.parametrize("benchmark", [*sorted(FIGURES), "bench"])
def test_board_compare_metrics_and_timeline_have_one_figure_and_one_best(turned, benchmark):
    results = load_query(replace(turned, benchmarks=(benchmark,)))
    name, subset = official_metric(benchmark), "average" if benchmark == "bench" else "all"
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
    assert (asked.exit_code, row["metric"]) == (0, official_metric(benchmark))
    assert row["f1_low"] > 0
    compared = load("compare").view(results, Params("pair")).rows
    subset = "all" if own else "average"
    (difference,) = compared.filter(metric=f"{row['metric']}_difference", subset=subset).iter_rows(named=True)
    for mine, theirs in {"difference": "value", "low": "low", "high": "high", "n": "n", "left_out": "left_out"}.items():
        assert row[mine] == difference[theirs]
    board = {of["scorer"]: of["score"] for of in board_frame(results).iter_rows(named=True)}
    assert (row["value"], row["baseline_value"]) == tuple(board[name] for name in names)
    title = official_title(benchmark)
    assert next(iter(table_of(usual, "Difference, A − B")[0].values())) == title
    assert next(iter(table_of(usual)[0].values())) == title
