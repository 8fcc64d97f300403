"""search-and-learn's three answers and RewardBench 2's score, against loops written after their own code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import response_making
import response_reference
from scoring.metrics.answer_votes import answer_groups
from scoring.metrics.response_protocols import (
    MAJORITY_PRED,
    NAIVE,
    OUT_OF_RANGE,
    SCORE,
    WEIGHTED_PRED,
    first_credit,
    rewardbench_rows,
    search_and_learn_rows,
    ties_score,
)
from scoring.metrics.score_places import places
from thoroughness import up_to

SCORES = (0.0, 0.25, 0.5, 1.0)


def completions():
    """Answers with the rewards of their steps; an answer of a problem is right or wrong throughout."""
    one = st.tuples(st.sampled_from(("1", "2", "3", None)), st.lists(st.sampled_from(SCORES), min_size=1, max_size=3))
    return st.lists(st.lists(one, min_size=2, max_size=9), min_size=1, max_size=4)


def figures(problems, truth="1"):
    """{(metric, n): value} of all problems."""
    made = [("one", [(tuple(steps), answer == truth) for answer, steps in one]) for one in problems]
    evaluation, responses = response_making.evaluation(made)
    # The file's order takes turns; within a problem it stays.
    words = ["" if answer is None else answer for one in problems for answer, _ in one]
    groups = answer_groups(responses.bounds, responses.right, words)
    rows = list(search_and_learn_rows(evaluation, responses, groups, None))
    return {(row["metric"], row["of"]): row for row in rows if row["subset"] == "all"}


@up_to(60, 8)
@given(problems=completions())
def test_search_and_learn_counts_as_its_code_does(problems):
    found = figures(problems)
    most = max(map(len, problems))
    numbers = [2**power for power in range(10) if 2**power <= most]
    assert {n for _, n in found} == set(numbers)
    for n in numbers:
        each = [
            response_reference.search_and_learn(
                [answer for answer, _ in one], [steps for _, steps in one], [answer == "1" for answer, _ in one], n
            )
            for one in problems
        ]
        for metric, values in zip((NAIVE, WEIGHTED_PRED, MAJORITY_PRED), zip(*each, strict=True), strict=True):
            assert found[metric, n]["value"] == pytest.approx(np.mean(values))


def test_search_and_learn_takes_the_first_of_equals_and_adds_scores():
    problem = [("2", [0.1, 0.5]), ("1", [0.9, 0.5]), ("1", [0.2]), ("3", [0.6])]
    found = figures([problem])
    # By hand: of the first two equal scores the first; 0.5 + 0.2 for "1"; twice "1".
    assert [found[NAIVE, n]["value"] for n in (1, 2, 4)] == [0.0, 0.0, 0.0]
    assert [found[WEIGHTED_PRED, n]["value"] for n in (1, 2, 4)] == [0.0, 0.0, 1.0]
    assert [found[MAJORITY_PRED, n]["value"] for n in (1, 2, 4)] == [0.0, 0.0, 1.0]


def test_a_problem_with_an_unscored_or_unknown_completion_is_left_out():
    made = [
        ("one", [((0.9,), True), ((0.1,), False)]),
        ("one", [((0.9,), True), (None, False)]),
        ("one", [((0.9,), False), ((0.8,), True), ((0.1,), None)]),
    ]
    evaluation, responses = response_making.evaluation(made)
    assert responses.lacking.tolist() == [0, 0, 1]
    groups = answer_groups(responses.bounds, responses.right, ["1", "2"] * 3)
    rows = list(search_and_learn_rows(evaluation, responses, groups, 0))
    row = next(row for row in rows if row["metric"] == NAIVE and row["of"] == 2 and row["subset"] == "all")
    assert (row["value"], row["n"], row["left_out"]) == (1.0, 1, 2)
    evaluation, responses = response_making.evaluation(made[1:])
    groups = answer_groups(responses.bounds, responses.right, ["1", "2"] * 2)
    (row,) = search_and_learn_rows(evaluation, responses, groups, 0)
    assert (row["value"], row["left_out"]) == (None, 2)
    assert "no problem has all its responses scored by steps" in row["reason"]


# -- RewardBench 2


@up_to(100, 12)
@given(scores=st.lists(st.lists(st.sampled_from(SCORES), min_size=2, max_size=5), min_size=1, max_size=5))
def test_ties_for_the_highest_share_the_credit(scores):
    made = [("one", [((score,), not at) for at, score in enumerate(one)]) for one in scores]
    _, responses = response_making.evaluation(made)
    ranked = places(np.array([score for one in scores for score in one]), responses.problems)
    assert first_credit(responses, ranked).tolist() == pytest.approx(list(map(response_reference.rewardbench, scores)))


def prompts():
    scores = st.lists(st.sampled_from(SCORES), min_size=1, max_size=3)
    pair = st.tuples(scores, st.lists(st.sampled_from(SCORES), min_size=2, max_size=3), scores)
    return st.lists(pair, min_size=1, max_size=4)


@up_to(60, 8)
@given(pairs=prompts())
def test_the_score_of_ties_is_that_of_its_code(pairs):
    made = [("ref", number, [0.5, *wrong], 1) for number, (wrong, _, _) in enumerate(pairs)]
    made += [("tied", number, [*good, *wrong], len(good)) for number, (_, good, wrong) in enumerate(pairs)]
    problems = [("ties", [((score,), at < right) for at, score in enumerate(own)]) for _, _, own, right in made]
    _, responses = response_making.evaluation(problems)
    names = [f"{kind}:{number}" for kind, number, *_ in made]
    value, why = ties_score(names, np.array([score for _, _, own, _ in made for score in own]), responses)
    assert (value, why) == (pytest.approx(response_reference.rewardbench_ties(made)), "")


def test_the_score_of_ties_by_hand_and_where_there_is_none():
    _, responses = response_making.evaluation(
        [("Ties", [((0.9,), True), ((0.1,), False)]), ("Ties", [((0.9,), True), ((0.7,), True), ((0.1,), False)])]
    )
    scores = np.array([0.9, 0.1, 0.9, 0.7, 0.1])
    value, _ = ties_score(["ref:1", "tied:1"], scores, responses)
    # All four shares are 1; the smaller gap is .6 and the right ones lie .2 apart.
    assert value == pytest.approx(0.3 + 0.3 + 0.2 + 0.2 + 0.01 * np.tanh(2))
    assert ties_score(["ref:1", "tied:2"], scores, responses) == (None, "no prompt is there both as ref and as tied")
    assert ties_score(["tied:1", "ref:1"], scores, responses)[1].startswith("a tied prompt has one right response")
    assert ties_score(["ref:1", "other"], scores, responses)[0] is None


def test_rewardbench_has_a_figure_a_subset_and_one_of_its_own_for_ties():
    made = [
        ("Math", [((0.9,), True), ((0.9,), False)]),
        ("Math", [((0.8,), True), ((0.9,), False)]),
        ("Ties", [((0.9,), True), ((0.1,), False)]),
        ("Ties", [((0.9,), True), ((0.7,), True), ((0.1,), False)]),
    ]
    flat = [0.9, 0.8, 0.9, 0.9, 0.9, 0.9, 0.1, 0.7, 0.1]
    evaluation, responses = response_making.evaluation(made, lambda keys: judged.solutions(keys, flat))
    rows = list(rewardbench_rows(evaluation, responses, ["1", "2", "ref:1", "tied:1"], 0))
    found = {row["subset"]: row for row in rows}
    assert set(found) == {"Math", "Ties"}
    assert {row["aggregation"] for row in rows} == {"solution"}
    assert (found["Math"]["value"], found["Math"]["n"]) == (0.25, 2)
    assert found["Ties"]["value"] == pytest.approx(1 + 0.01 * np.tanh(2))
    wrong_first = [("Math", [((0.9,), False), ((0.9,), True)])]
    (row,) = rewardbench_rows(*response_making.evaluation(wrong_first), ["1"], 0)
    assert (row["metric"], row["value"]) == (SCORE, None)
    assert "the first response is not right" in row["reason"]


def test_ties_have_no_score_where_products_leave_the_range_of_floats():
    """Both products are 0 as floats, so that no gap between them can be told."""
    made = [
        ("Ties", [((0.2,) * 500, True), ((0.1,) * 500, False)]),
        ("Ties", [((0.9,), True), ((0.7,), True), ((0.1,), False)]),
    ]
    evaluation, responses = response_making.evaluation(made)
    rows = {row["aggregation"]: row for row in rewardbench_rows(evaluation, responses, ["ref:1", "tied:1"], None)}
    assert (rows["product"]["value"], rows["product"]["reason"]) == (None, OUT_OF_RANGE)
    assert rows["last"]["value"] is not None
