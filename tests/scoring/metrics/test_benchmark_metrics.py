"""What a benchmark reports is one thing: its lines, headline, score, curve and bands agree, in every family."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
from scoring.formats.benchmarks.benchmark_registry import MODULES
from scoring.metrics.benchmark_metrics import OWN_METRICS, leading_metrics, metrics_of
from scoring.metrics.official_protocols import protocol_of
from scoring.metrics.official_rows import CountingRules, figures_of
from scoring.metrics.threshold_curves import tuned
from thoroughness import up_to

FAMILIES = (*sorted(OWN_METRICS), "processbench", "prmbench")
BENCHMARK = st.sampled_from(FAMILIES)
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
    name = metrics_of(benchmark).name
    # A protocol that was asked for by name may have a number where a headline is undefined.
    protocol = protocol_of(benchmark).name if by_name and metrics_of(benchmark).own else None
    counting = CountingRules(protocol, unparsed=unparsed, seed=seed)
    lines = list(figures_of(evaluation, benchmark, rows, counting))
    reported = metrics_of(benchmark)
    by_subset_line = {line["subset"]: line for line in lines if line["metric"] == name}
    head = reported.headline(evaluation, rows, unparsed, seed)
    *figures, why = told(head)
    *of_line, reason = row_of(by_subset_line[reported.whole])
    assert figures == of_line
    # A line counts the subsets or runs in which it is undefined; a headline says why.
    assert bool(why) == bool(reason)
    assert head.score == reported.score(evaluation, rows, unparsed)
    assert (head.metric, head.unit) == (reported.title, reported.unit)
    by_subset = reported.headlines(evaluation, rows, unparsed, seed)
    assert {subset: told(one) for subset, one in by_subset.items()} == {
        subset: row_of(line) for subset, line in by_subset_line.items() if subset not in {"all", "average"}
    }
    values = {(line["subset"], line["metric"]): line["value"] for line in lines}
    sides = ("negative_acc", "positive_acc") if reported.steps else ("error_acc", "correct_acc")
    for subset, one in {reported.whole: head, **by_subset}.items():
        assert (one.on_wrong, one.on_right) == tuple(values.get((subset, side)) for side in sides)


@up_to(100, 12)
@given(evaluation=evaluations(), benchmark=BENCHMARK, unparsed=POLICY, data=st.data())
def test_the_curve_passes_through_the_headline_at_every_threshold(evaluation, benchmark, unparsed, data):
    evaluation = replace(evaluation, further=())
    rows = np.arange(evaluation.codes.size) % 4 < 3
    curve = metrics_of(benchmark).curve(evaluation, rows, unparsed)
    assert (curve.metric.name, curve.metric.title) == (metrics_of(benchmark).name, metrics_of(benchmark).title)
    grid = np.array([*curve.thresholds, *making.TIED])
    bands = metrics_of(benchmark).bands(evaluation, rows, grid, unparsed, 2)
    metric = next(one for one in bands.metrics if one.name == metrics_of(benchmark).name)
    low, high = bands.interval(metric)
    # Intervals take resamples.
    drawn = data.draw(st.sampled_from(grid.tolist()))
    scores = []
    for place, threshold in enumerate(grid.tolist()):
        seed = 2 if threshold == drawn else None
        head = metrics_of(benchmark).headline(evaluation.at(threshold), rows, unparsed, seed)
        score = np.nan if head.score is None else head.score
        assert bands.values(metric)[place] == pytest.approx(score, abs=1e-9, nan_ok=True)
        assert bands.size(metric) == head.n
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


def test_a_title_names_one_metric_alone():
    every = [metrics_of(name) for name in MODULES]
    assert all(leading_metrics()[reported.title].name == reported.name for reported in every)
    assert all(reported.about and reported.cases.words is not None for reported in every)
    assert {reported.benchmark: reported.title for reported in every}["processbench"] == "F1"
    assert metrics_of("visualprocessbench").title == "PRMScore"
    assert metrics_of("a benchmark of one's own").title == "F1"
