import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
import reference
import selecting
import side_by_side
from reference import Case
from scoring.metrics.cascade import cascade
from scoring.metrics.first_error import CORRECT_ACC, ERROR_ACC, F1_SCORE
from scoring.metrics.shared_draws import OF_CASES, shared_scores
from thoroughness import up_to


@st.composite
def pairs(draw):
    """Cases as a PRM scored them, and the verdicts of a critic on them: None cannot be read."""
    cases = draw(making.benches(making.TIED, max_size=9))
    return cases, [draw(st.none() | st.integers(-1, 5)) for _ in cases], draw(making.rules())


def simulated(cases, verdicts, rule, cut, policy):
    """The rows sent on, and OF_CASES as means over subsets, one case at a time; None where undefined."""
    threshold, comparison = rule
    sent, by_subset = [], {}
    for row, (case, verdict) in enumerate(zip(cases, verdicts, strict=True)):
        rewards = reference.usable(case)
        first_tried = reference.tried(case) if policy == "wrong" else rewards is not None
        if case.gold is None or not first_tried or (policy == "drop" and verdict is None):
            continue
        right = reference.is_right(case, threshold, comparison)
        if rewards is None or abs(min(rewards) - threshold) < cut:
            sent.append(row)
            if verdict is not None:
                right = reference.outcome_of(verdict, case.gold, case.n_steps) in {"exact", "clean"}
        by_subset.setdefault(case.subset, {True: [], False: []})[case.gold >= 0].append(right)
    figures = []
    for sides in by_subset.values():
        error, clean = (sum(sides[side]) / len(sides[side]) if sides[side] else None for side in (True, False))
        both = None if error is None or clean is None or error + clean == 0 else 2 * error * clean / (error + clean)
        figures.append((both, error, clean))
    means = [
        None if not figures or None in column else sum(column) / len(column) for column in zip(*figures, strict=True)
    ]
    return sent, means or [None] * 3


@up_to(120, 8)
@given(study=pairs(), policy=st.sampled_from(("wrong", "drop")))
def test_every_cut_is_what_asking_case_by_case_gives(study, policy):
    cases, verdicts, rule = study
    first, second = making.evaluation(cases, *rule, name="a prm"), judged.critic(cases, verdicts)
    aligned = side_by_side.of([first, second], policy)
    found = cascade(aligned, 0, 1, first.decision_distances[aligned.rows])
    frame = selecting.beside(first, second)
    for at, cut in enumerate(found.cuts):
        sent, means = simulated(cases, verdicts, rule, cut, policy)
        assert found.shared.rows[found.asks(at)].tolist() == sent == selecting.selected(frame, found.where(at))
        assert found.sent[at] == len(sent)
        for value, expected in zip((found.tally.mean(metric)[at] for metric in OF_CASES), means, strict=True):
            assert math.isnan(value) if expected is None else math.isclose(value, expected, abs_tol=1e-12)
    assert found.sent[-1] == found.n
    assert (np.diff(found.sent) > 0).all()
    f1 = [value for value in found.f1.tolist() if not math.isnan(value)]
    assert (found.best is None) == (not f1)
    assert found.best is None or found.f1[found.best] == max(f1)


@up_to(40, 5)
@given(cases=making.benches(), data=st.data())
def test_who_is_sent_on_does_not_depend_on_gold(cases, data):
    """The same rewards under any other gold labels send the same cases on."""
    asked = []
    for _ in range(2):
        golds = [data.draw(st.integers(-1, max(0, case.n_steps - 1))) for case in cases]
        labelled = [
            Case(case.n_steps, gold, case.rewards, case.refused) for case, gold in zip(cases, golds, strict=True)
        ]
        first = making.evaluation(labelled)
        aligned = side_by_side.of([first, judged.critic(labelled, [0] * len(cases))])
        found = cascade(aligned, 0, 1, first.decision_distances[aligned.rows])
        asked.append((found.cuts.tolist(), [found.asks(at).tolist() for at in range(found.cuts.size)]))
    assert asked[0] == asked[1]


def by_hand():
    """Distances .4 .1 0 and none; the first is right, wrong, wrong, silent; the second wrong, right, unread, right."""
    cases = [Case(1, 0, (0.1,)), Case(1, 0, (0.6,)), Case(1, -1, (0.5,)), Case(1, -1, None, "over length")]
    first = making.evaluation(cases, 0.5, "<=", name="prm")
    second = judged.critic(cases, [-1, 0, None, -1])
    aligned = side_by_side.of([first, second])
    return cascade(aligned, 0, 1, first.decision_distances[aligned.rows])


def test_a_cascade_by_hand():
    found = by_hand()
    assert found.cuts.tolist() == [0, pytest.approx(0.1), 0.4, np.nextafter(0.4, 1)]
    assert found.sent.tolist() == [1, 2, 3, 4]
    assert found.shares.tolist() == [0.25, 0.5, 0.75, 1]
    assert found.tally.mean(ERROR_ACC).tolist() == [0.5, 0.5, 1, 0.5]
    # The answer that cannot be read leaves the false alarm as it is, the refused case is rescued at any cut.
    assert found.tally.mean(CORRECT_ACC).tolist() == [0.5] * 4
    assert found.best == 2
    assert found.spread(3).tolist() == [0, 2, 3]
    assert found.spent(np.array([10.0, 1, 5, 7])).tolist() == [7, 12, 13, 23]
    assert np.isnan(found.spent(np.array([np.nan, 1, 5, 7]))).tolist() == [False, False, False, True]


def test_points_and_baselines_share_their_resamples():
    gold, one, other = "EEEECCCC" * 5, "11001110" * 5, "10011001" * 5
    aligned = side_by_side.aligned(gold, one, other)
    distances = np.tile(np.arange(8) / 10, 5)
    found = cascade(aligned, 0, 1, distances)
    cuts = (0, 3, found.cuts.size - 1)
    scores = found.scores(cuts, 7)
    alone = shared_scores(aligned, (0, 1), 7)
    for metric in OF_CASES:
        for place, same in ((0, 0), (1, 1), (2, 0), (4, 1)):
            assert scores.estimate(metric, place) == alone.estimate(metric, same)
        assert scores.estimate(metric, 3).value == pytest.approx(found.tally.mean(metric)[3])
    assert scores.difference(F1_SCORE, 2, 0).value == 0


def test_without_a_case_in_common_nothing_is_defined():
    aligned = side_by_side.aligned("EC", "1-", "-1")
    found = cascade(aligned, 0, 1, np.array([0.1, 0.2]))
    assert (found.n, found.best, found.sent.tolist()) == (0, None, [0])
    assert np.isnan(found.f1).all()
    assert np.isnan(found.shares).all()
    assert found.scores((0,)).estimate(F1_SCORE, 2).reason == "no case in common"


def test_without_any_distance_everything_is_sent_on():
    aligned = side_by_side.aligned("EC", "10", "01")
    found = cascade(aligned, 0, 1, np.full(2, np.nan))
    assert (found.sent.tolist(), found.spread().tolist()) == ([2], [0])
    assert found.right(0).tolist() == [False, True]


def test_equal_distances_leave_two_cascades():
    found = cascade(side_by_side.aligned("EECC", "1010", "0101"), 0, 1, np.full(4, 0.3))
    assert found.sent.tolist() == [0, 4]
    assert found.best == 0
