import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import making
import reference
from scoring.metrics.axes import axis
from scoring.metrics.breakdown import TOTAL, Cells, breakdown
from scoring.metrics.breakdown_difference import breakdown_difference
from scoring.metrics.closed_forms import paired_difference_interval, wilson_interval
from thoroughness import up_to

SOME = up_to(40, 5, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def paired(draw):
    """Cases as two scorers scored them, and a generator for each."""
    left = draw(making.benches(min_size=1))
    right = [one if draw(st.booleans()) else making.replace(one, rewards=None, refused="") for one in left]
    return left, right, [draw(st.sampled_from(("one", "two", None))) for _ in left]


def accuracy(cases, rule, side, unparsed, common):
    """Of the cases of a side that both have, one at a time; None without any."""
    right = []
    for index in common:
        case = cases[index]
        if case.gold is not None and (case.gold >= 0) == (side == "erroneous"):
            right.append(reference.outcome(case, *rule) in {"exact", "clean"})
    return reference.share(right)


def has(case, unparsed):
    return reference.tried(case) if unparsed == "wrong" else reference.usable(case) is not None


@SOME
@given(made=paired(), unparsed=st.sampled_from(("wrong", "drop")), cut=st.sampled_from((0.3, 0.5, 0.7)))
def test_it_is_one_accuracy_less_the_other_on_the_cases_of_both(made, unparsed, cut):
    left, right, generators = made
    frame = making.frame(left, generator=generators)
    cells = Cells((axis(frame, "generator"),), np.ones(len(left), dtype=np.bool_))
    pair = (
        making.evaluation(left, 0.5, name="a", generator=generators),
        making.evaluation(right, cut, name="b", generator=generators),
    )
    rows = breakdown_difference(pair, cells, unparsed)
    for value in (TOTAL, *set(generators)):
        inside = [at for at, one in enumerate(generators) if value in {TOTAL, one}]
        common = [at for at in inside if has(left[at], unparsed) and has(right[at], unparsed)]
        shares = [
            [accuracy(cases, rule, side, unparsed, common) for side in ("erroneous", "clean")]
            for cases, rule in ((left, (0.5, "<")), (right, (cut, "<")))
        ]
        f1s = [reference.harmonic(*pair_of) for pair_of in shares]
        wanted = dict(zip(("error_acc", "correct_acc"), zip(*shares, strict=True), strict=True)) | {"f1": f1s}
        for metric, (one, two) in wanted.items():
            is_value = pl.col("generator").is_null() if value is None else pl.col("generator") == value
            (row,) = rows.filter(is_value & (pl.col("metric") == metric)).iter_rows(named=True)
            assert row["value"] == (None if one is None or two is None else pytest.approx(one - two, abs=1e-12))
            assert (row["value"] is None) == (row["reason"] is not None)
            assert row["low"] is None if metric == "f1" else row["value"] is None or row["low"] <= row["value"] + 1e-12


def test_a_scorer_less_itself_is_nothing_and_turned_round_it_has_the_other_sign():
    cases, scorers = making.study(n=60)
    columns = making.labels(cases)
    one, two = (
        making.evaluation(rows, cut, name=name, **columns)
        for (_, rows), cut, name in zip(scorers[:2], (0.5, 0.25), "ab", strict=True)
    )
    cells = Cells((axis(one.gold.cases, "generator"),), np.ones(60, dtype=np.bool_))
    same = breakdown_difference((one, one), cells)
    assert set(same["value"].drop_nulls()) == {0.0}
    alone = breakdown(one, cells, bootstrap=False)
    n = same.join(alone, on=["generator", "metric"], nulls_equal=True, suffix="_alone")
    assert n.height == same.height
    assert (n["n"] == n["n_alone"]).all()
    there, back = breakdown_difference((one, two), cells), breakdown_difference((two, one), cells)
    assert any(abs(value) > 0.05 for value in there["value"].drop_nulls())
    for ends in (("value", "value"), ("low", "high"), ("high", "low")):
        for forth, turned in zip(there[ends[0]], back[ends[1]], strict=True):
            assert forth == (None if turned is None else pytest.approx(-turned, abs=1e-12))


def test_metrics_that_are_asked_for_are_those_of_all():
    cases, scorers = making.study(n=40)
    evaluation = making.evaluation(scorers[0][1], **making.labels(cases))
    cells = Cells((axis(evaluation.gold.cases, "generator"),), np.ones(40, dtype=np.bool_))
    everything, some = breakdown(evaluation, cells), breakdown(evaluation, cells, metrics=("f1", "cases"))
    assert some.equals(everything.filter(pl.col("metric").is_in(["cases", "f1"])))
    without = breakdown(evaluation, cells, metrics=("f1",), bootstrap=False)
    assert without["low"].is_null().all()
    assert without.drop("low", "high").equals(some.filter(pl.col("metric") == "f1").drop("low", "high"))


COUNTS = st.tuples(*[st.integers(0, 40)] * 4).filter(any)


def slow_interval(both, only_left, only_right, neither):
    """Newcombe's method 10 for pairs, as its paper writes it: a to d, and phi with its correction for continuity."""
    a, b, c, d = both, only_left, only_right, neither
    n = a + b + c + d
    (l2,), (u2,) = wilson_interval(np.array([a + b]), np.array([n]))
    (l3,), (u3,) = wilson_interval(np.array([a + c]), np.array([n]))
    p2, p3 = (a + b) / n, (a + c) / n
    below = (a + b) * (c + d) * (a + c) * (b + d)
    top = a * d - b * c
    top = max(top - n / 2, 0) if top > 0 else top
    phi = top / below**0.5 if below else 0.0
    dl2, du2, dl3, du3 = p2 - l2, u2 - p2, p3 - l3, u3 - p3
    delta = (dl2**2 - 2 * phi * dl2 * du3 + du3**2) ** 0.5
    epsilon = (du2**2 - 2 * phi * du2 * dl3 + dl3**2) ** 0.5
    return p2 - p3 - delta, p2 - p3 + epsilon


@up_to(100, 12)
@given(counts=COUNTS)
def test_the_interval_of_pairs_is_newcombes(counts):
    low, high = paired_difference_interval(*(np.array([count]) for count in counts))
    assert (low[0], high[0]) == pytest.approx(slow_interval(*counts), abs=1e-12)
    value = (counts[1] - counts[2]) / sum(counts)
    assert -1 - 1e-12 <= low[0] <= value + 1e-12
    assert value - 1e-12 <= high[0] <= 1 + 1e-12
    # Not one case that tells them apart does not mean that none exists.
    assert low[0] < high[0]


def test_no_pair_has_no_interval():
    assert np.isnan(paired_difference_interval(*[np.array([0])] * 4)).all()


def test_the_interval_holds_as_often_as_it_says():
    rng = np.random.default_rng(3)
    shares = np.array([0.45, 0.2, 0.1, 0.25])
    low, high = paired_difference_interval(*rng.multinomial(60, shares, 4000).T)
    covered = ((low <= 0.1) & (high >= 0.1)).mean()
    assert 0.935 < covered < 0.975
