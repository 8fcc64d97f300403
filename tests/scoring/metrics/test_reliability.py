import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import force_setattr

import making
import reference
import selecting
from judged import critic
from reference import Case
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.reliability import case_reliability, step_reliability, why_no_reliability
from thoroughness import up_to

PROBABILITIES = (0.0, 0.1, 0.3, float(np.nextafter(0.3, 0)), 0.5, making.FLOAT32, 0.7, 0.95, 1.0)


def everything(evaluation):
    return np.ones(evaluation.codes.size, dtype=bool)


def held(cases, mask):
    """The cases and the steps that count, each as its reward and whether it is right."""
    found = {"case": [], "step": []}
    for case, within in zip(cases, mask, strict=True):
        rewards = reference.usable(case)
        if not within or rewards is None or case.gold is None:
            continue
        found["case"].append((min(rewards), case.gold < 0))
        labels = [reference.step_label(case, step) for step in range(case.n_steps)]
        found["step"] += [pair for pair in zip(rewards, labels, strict=True) if pair[1] is not None]
    return found


def checked(share, average, own, unit):
    """The two rows of a bin; the distance between them, times what is in it."""
    n, hits = len(own), sum(right for _, right in own)
    assert (share["metric"], average["metric"]) == ("share_right", "mean_reward")
    assert share["n"] == average["n"] == n
    if not n:
        assert share["value"] is average["value"] is None
        assert share["reason"] == f"no {unit} in this bin"
        return 0
    mean = sum(value for value, _ in own) / n
    assert share["value"] == hits / n
    assert math.isclose(average["value"], mean)
    ends = wilson_interval(np.array([hits]), np.array([n]))
    assert (share["low"], share["high"]) == ((ends[0][0], ends[1][0]) if unit == "case" else (None, None))
    return n * abs(hits / n - mean)


@up_to(80, 10)
@given(
    cases=making.benches(PROBABILITIES),
    taken=st.lists(st.booleans(), min_size=10, max_size=10),
    bins=st.sampled_from((1, 3, 10)),
)
def test_shares_and_ece_are_what_going_through_them_gives(cases, taken, bins):
    evaluation, mask = making.evaluation(cases), np.array(taken[: len(cases)], dtype=bool)
    frame = selecting.beside(evaluation)
    for unit, make in (("case", case_reliability), ("step", step_reliability)):
        *rows, ece = make(evaluation, mask, bins)
        values = held(cases, mask)[unit]
        if not values:
            assert not rows
            assert ece["value"] is None
            assert ece["reason"]
            continue
        apart = 0.0
        for share, average in zip(rows[::2], rows[1::2], strict=True):
            low, high = share["reward_from"], share["reward_to"]
            own = [(value, right) for value, right in values if low <= value < high or value == high == 1]
            apart += checked(share, average, own, unit)
            here = [] if unit == "step" else selecting.selected(frame, share["where"])
            assert sum(mask[here]) == (0 if unit == "step" else len(own))
        assert ece["n"] == len(values)
        if unit == "case":
            assert sum(mask[selecting.selected(frame, ece["where"])]) == ece["n"]
        assert ece["value"] == pytest.approx(apart / len(values))


def test_bins_begin_where_they_are_written():
    evaluation = making.evaluation([Case(1, -1, (0.3,))])
    rows = list(case_reliability(evaluation, everything(evaluation)))
    assert [row["reward_from"] for row in rows[::2]][:-1] == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert [row["n"] for row in rows[::2]] == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]


def test_sure_and_right_is_calibrated_and_sure_and_wrong_is_not():
    right = making.evaluation([Case(2, -1, (1.0, 1.0)), Case(2, 1, (1.0, 0.0))])
    wrong = making.evaluation([Case(1, -1, (0.0,)), Case(1, 0, (1.0,))])
    for make in (case_reliability, step_reliability):
        assert list(make(right, everything(right)))[-1]["value"] == 0
        assert list(make(wrong, everything(wrong)))[-1]["value"] == 1


def told(evaluation):
    return why_no_reliability(evaluation)


def test_what_is_no_probability_is_said_to_be_none():
    one = making.evaluation([Case(1, -1, (0.5,))])
    assert told(one) is None
    assert "beyond [0, 1]" in told(making.evaluation([Case(1, -1, (1.5,))]))
    assert told(one.compared("<=", "differences")).startswith("the threshold is compared with differences")
    silent = critic([Case(1, 0)], [0])
    assert told(silent) == "a critic gives no step rewards"
    (row,) = case_reliability(silent, everything(silent))
    assert (row["metric"], row["value"], row["reason"]) == ("ece", None, "a critic gives no step rewards")
    ratings = making.evaluation([Case(1, -1, (0.5,))], name="judge")
    force_setattr(ratings.scorer, "low", -1.0)
    assert told(ratings) == "judge gives rewards in [-1, 1], which are not probabilities"
    force_setattr(ratings.scorer, "kind", "critic")
    assert told(ratings) == "judge is a critic: its ratings are not probabilities"
