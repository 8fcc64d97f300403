"""Benchmarks with figures of their own: the headline is the leading one, on the board, the bar and the thresholds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
from inspector.texts.sentences import headline, official_score, official_title, subset_headlines, unit_of
from scoring.benchmarks.registry import FIGURES
from scoring.evaluations.official_rows import Counting, figures_of
from scoring.metrics.own import leading_figure, leading_figures, official_metric
from scoring.metrics.threshold_curves import official_bands, official_curve, tuned

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


@given(evaluation=evaluations(), benchmark=BENCHMARK, unparsed=POLICY, seed=st.sampled_from((None, 0, 3)))
def test_the_headline_is_the_line_of_metrics(evaluation, benchmark, unparsed, seed):
    rows = np.ones(evaluation.codes.size, dtype=np.bool_)
    name = official_metric(benchmark)
    for protocol in (None, benchmark):
        counting = Counting(protocol, unparsed=unparsed, seed=seed)
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
    assert len(leading_figures()) == len(FIGURES)
    assert all(leading_figure(name).about and leading_figure(name).cases for name in FIGURES)
    assert official_title("processbench") == "F1"
    assert official_title("visualprocessbench") == "PRMScore"
