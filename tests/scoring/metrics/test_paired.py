import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
import reference
import side_by_side
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.paired import CASE_NAMES
from scoring.metrics.shared_draws import OF_CASES, shared_by_pairs, shared_scores
from thoroughness import THOROUGH, up_to

SOME = up_to(40, 5)
SIMULATIONS = 300 if THOROUGH else 120


def differences(aligned, left=0, right=1, seed=0):
    scores = dict(shared_by_pairs(aligned, seed))[min(left, right), max(left, right)]
    return {metric.name: scores.difference(metric, left, right) for metric in OF_CASES}


@st.composite
def two(draw):
    """Two scorers' cases of the same gold, any kind of row each."""
    cases = draw(making.balanced())
    other = [
        draw(
            st.sampled_from(
                [
                    replace(case, rewards=None, refused=""),
                    replace(case, rewards=None, refused="over length"),
                    *[replace(case, rewards=(value,) * case.n_steps, refused="") for value in (0.1, 0.9)],
                    case,
                ]
            )
        )
        for case in cases
    ]
    return cases, other


def counts(case, unparsed):
    return reference.tried(case) if unparsed == "wrong" else reference.usable(case) is not None


@SOME
@given(both=two(), unparsed=st.sampled_from(("wrong", "drop")))
def test_a_difference_is_what_plain_counting_on_the_common_cases_gives(both, unparsed):
    aligned = side_by_side.of(
        [making.evaluation(cases, name=name) for cases, name in zip(both, "ab", strict=True)], unparsed
    )
    common = [index for index in range(len(both[0])) if all(counts(cases[index], unparsed) for cases in both)]
    values = [reference.metrics([cases[index] for index in common], 0.5, "<", unparsed) for cases in both]
    for metric, figure in differences(aligned).items():
        one, other = (found["average", metric] for found in values)
        if one is None or other is None:
            assert (figure.value, figure.low, figure.high) == (None, None, None)
            assert figure.reason
        else:
            assert figure.value == pytest.approx(one - other, abs=1e-12)
            assert figure.reason is None


@SOME
@given(both=two())
def test_swapping_flips_signs_and_a_scorer_is_as_good_as_itself(both):
    made = [making.evaluation(cases, name=name) for cases, name in zip(both, "ab", strict=True)]
    there, back = differences(side_by_side.of(made)), differences(side_by_side.of(made[::-1]))
    for metric in CASE_NAMES:
        one, other = there[metric], back[metric]
        assert (one.n, one.reason is None) == (other.n, other.reason is None)
        if one.value is not None:
            assert one.value == -other.value
        if one.low is not None:
            assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
    for figure in differences(side_by_side.of([made[0], made[0]])).values():
        assert figure.value in (0, None)
        assert figure.low in (0, None)
        assert figure.high in (0, None)


def test_a_table_worked_out_by_hand():
    """Five common cases in two subsets: error_acc 1/2 and 1 against 1 and 0, correct_acc 1 and 1 against 1 and 0."""
    subsets = ["p", "p", "p", "q", "q", "q", "q"]
    aligned = side_by_side.aligned("EEC EC CE", "101 11 1-", "111 00 --", subsets=subsets)
    found = differences(aligned)
    assert {metric: figure.n for metric, figure in found.items()} == {"f1": 5, "error_acc": 3, "correct_acc": 2}
    assert found["error_acc"].value == pytest.approx((1 / 2 + 1) / 2 - (1 + 0) / 2)
    assert found["correct_acc"].value == pytest.approx(1 - 1 / 2)
    assert found["f1"].reason == "both accuracies of b are 0 in 1 of 2 subsets"
    assert aligned.left_out((0, 1)) == 1


@pytest.mark.parametrize(
    ("gold", "one", "other", "reasons"),
    [
        ("EE", "11", "10", {"f1": "no clean case in common", "correct_acc": "no clean case in common"}),
        ("CC", "11", "10", {"f1": "no erroneous case in common", "error_acc": "no erroneous case in common"}),
        ("EC", "1-", "-1", dict.fromkeys(CASE_NAMES, "no case in common")),
        ("EC", "00", "11", {"f1": "both accuracies of a are 0"}),
        ("E", "1", "0", {"f1": "no clean case in common", "correct_acc": "no clean case in common"}),
    ],
)
def test_what_is_undefined_says_why(gold, one, other, reasons):
    found = differences(side_by_side.aligned(gold, one, other))
    assert {metric: figure.reason for metric, figure in found.items() if figure.reason} == reasons
    assert all(found[metric].value is None and found[metric].low is None for metric in reasons)


def test_a_subset_that_lacks_a_side_leaves_the_average_undefined():
    found = differences(side_by_side.aligned("ECC", "111", "100", subsets=["p", "p", "q"]))
    assert found["error_acc"].reason == "no erroneous case in common in 1 of 2 subsets"
    assert found["correct_acc"].value == 1


def test_few_cases_are_marked():
    few, many = (differences(side_by_side.aligned("EC" * n, "11" * n, "01" * n)) for n in (19, 20))
    assert few["error_acc"].note == "small n: fewer than 20 erroneous cases"
    assert few["f1"].note == "small n: fewer than 20 erroneous or clean cases"
    assert [figure.note for figure in many.values()] == [None] * 3


def test_where_a_side_is_missing_in_many_resamples_there_is_no_interval():
    """Two problems, of which one alone is clean: a quarter of the draws has no clean case at all."""
    aligned = side_by_side.aligned("EEC", "111", "101", problem_id=["p", "p", "q"])
    found = differences(aligned)
    assert found["correct_acc"].value == 0
    assert found["correct_acc"].low is None
    assert found["correct_acc"].holds_zero is None
    assert found["correct_acc"].note.startswith("no interval: the difference is undefined in ")


def test_pairs_of_equal_coverage_share_their_resamples_and_others_have_their_own():
    found = dict(shared_by_pairs(side_by_side.aligned("ECEC", "1101", "1001", "111-")))
    assert list(found) == [(0, 1), (0, 2), (1, 2)]
    assert found[0, 2] is found[1, 2]
    assert found[0, 1] is not found[0, 2]
    assert (found[0, 1].n, found[0, 2].n) == (4, 3)


def test_an_interval_does_not_depend_on_who_else_is_compared():
    rng = np.random.default_rng(0)
    gold = "EC" * 30
    marks = ["".join(rng.choice(["0", "1"], 60)) for _ in range(3)]
    two_of_them, three = side_by_side.aligned(gold, *marks[:2]), side_by_side.aligned(gold, *marks)
    assert differences(two_of_them, seed=4) == differences(three, seed=4)
    assert differences(two_of_them, seed=4) != differences(two_of_them, seed=5)


def test_the_best_is_the_highest_f1_and_of_equal_ones_the_first():
    made = side_by_side.aligned("EECC", "1011", "1111", "1111", "0000")
    scores = shared_scores(made, (0, 1, 2, 3))
    assert scores.best(F1_SCORE) == 1
    assert scores.estimate(F1_SCORE, 0).value == pytest.approx(2 / 3)
    assert scores.estimate(F1_SCORE, 3).reason == "both accuracies of d are 0"
    nobody = side_by_side.aligned("EE", "11")
    assert shared_scores(nobody, (0,)).best(F1_SCORE) is None


# -- the interval holds what it says


def simulated(rng, size, problems=None, shared=0.0):
    """Two scorers that are right on an erroneous case at .6 and .5, on a clean one at .8 and .9, and often together.

    With `problems` each has two solutions, and with the chance `shared` the second comes out as the first.
    """
    n = 2 * size
    gold = np.tile([0, -1], size)
    rates = np.where(gold[:, None] >= 0, [0.6, 0.5], [0.8, 0.9])
    common, own = rng.random((n, 1)), rng.random((n, 2))
    luck = np.where(rng.random((n, 1)) < 0.6, common, own)
    numbers = np.arange(n)
    if problems:
        numbers = (np.arange(n) // 4) * 2 + np.arange(n) % 2
        second = np.flatnonzero((np.arange(n) % 4 >= 2) & (rng.random(n) < shared))
        luck[second] = luck[second - 2]
    right = luck < rates
    zeros, tried = np.zeros(n, dtype=np.int64), np.ones((n, 2), dtype=bool)
    verdicts = np.where(right, gold[:, None], 5)
    return AlignedScorers(
        ("a", "b"),
        ("", ""),
        (None, None),
        numbers,
        tried,
        right,
        verdicts,
        gold,
        zeros + 2,
        zeros,
        numbers,
        right.astype(np.uint8),
    )


def covered(simulate):
    """How often the 95% interval of the F1 difference holds the true difference."""
    truth = 2 * 0.6 * 0.8 / 1.4 - 2 * 0.5 * 0.9 / 1.4
    rng = np.random.default_rng(11)
    hits = 0
    for seed in range(SIMULATIONS):
        figure = differences(simulate(rng), seed=seed)["f1"]
        hits += figure.low <= truth <= figure.high
    return hits / SIMULATIONS


def test_the_interval_holds_the_truth_about_as_often_as_it_says(record_property):
    share = covered(lambda rng: simulated(rng, 100))
    record_property("coverage of the paired interval", share)
    assert 0.91 <= share <= 0.985


def test_it_does_so_where_solutions_share_problems_and_not_if_that_is_ignored(record_property):
    clustered = covered(lambda rng: simulated(rng, 100, problems=True, shared=1.0))
    ignored = covered(lambda rng: replace(simulated(rng, 100, True, 1.0), problems=np.arange(200)))
    record_property("coverage with whole problems resampled", clustered)
    record_property("coverage with clustering ignored", ignored)
    assert 0.90 <= clustered <= 0.985
    assert ignored < 0.9
