import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
import response_making
import response_reference
from scoring.data.schema import REWARDS
from scoring.metrics.aggregations import AGGREGATIONS
from scoring.metrics.answer_votes import answer_groups
from scoring.metrics.best_of_n import (
    MAJORITY,
    MEAN,
    NO_ANSWER,
    OVER_MEAN,
    PASS,
    PRM,
    PROBLEMS,
    TIED,
    WEIGHTED,
    FigureLine,
    any_right,
    chosen_right,
    figure_rows,
    response_rows,
    scorer_rows,
)
from scoring.metrics.responses import responses_of
from thoroughness import up_to

SOME = up_to(80, 7)


def figures(problems, n=None, answers=None, rewards=None):
    """{(scorer rows or not, subset, aggregation, metric, of): row}"""
    evaluation, responses = response_making.evaluation(problems, rewards)
    if n is not None:
        responses = responses.keep(responses.sizes >= n)
    answers = [None] * responses.rows.size if answers is None else answers
    groups = answer_groups(responses.bounds, responses.right, answers)
    rows = [*response_rows(responses, groups, n, 0), *scorer_rows(evaluation, responses, groups, n, 0)]
    found = {(row["subset"], row["aggregation"], row["metric"], row["of"]): row for row in rows}
    assert len(found) == len(rows)
    for row in rows:
        assert (row["value"] is None) == (row["reason"] is not None)
        assert row["metric"] == PROBLEMS or (row["low"] is None) == (row["value"] is None)
        assert row["low"] is None or row["low"] <= row["value"] + 1e-9
        assert row["low"] is None or row["value"] <= row["high"] + 1e-9
    return found


@SOME
@given(problems=response_making.problems(), n=st.integers(1, 5), name=st.sampled_from(response_reference.SCORES))
def test_the_best_of_n_is_what_every_choice_of_n_gives(problems, n, name):
    evaluation, responses = response_making.evaluation(problems)
    least = min(len(one) for _, one in problems)
    places = AGGREGATIONS[name].ranked(evaluation.rewards, responses)
    sides = [tuple(zip(*one, strict=True)) for _, one in problems]
    scored = [response_reference.scores(name, rewards) for rewards, _ in sides]
    assert places.tolist() == [place for one in scored for place in response_reference.places(one)]
    whole = [right[response_reference.first_best(one)] for one, (_, right) in zip(scored, sides, strict=True)]
    assert chosen_right(responses, places).tolist() == whole
    n = min(n, least)
    expected = [response_reference.best_of(one, right, n) for one, (_, right) in zip(scored, sides, strict=True)]
    assert chosen_right(responses, places, n).tolist() == pytest.approx(expected)
    expected = [response_reference.any_of(right, n) for _, right in sides]
    assert any_right(responses, n).tolist() == pytest.approx(expected)


@SOME
@given(problems=response_making.problems())
def test_rows_are_means_over_problems_by_subset_pooled_and_averaged(problems):
    found = figures(problems)
    by_subset = {}
    for subset, responses in problems:
        rewards, right = zip(*responses, strict=True)
        best = right[response_reference.first_best(response_reference.scores("product", rewards))]
        by_subset.setdefault(subset, []).append((best, sum(right) / len(right), any(right), len(right)))
    everything = [one for part in by_subset.values() for one in part]
    means = {name: np.mean(part, axis=0) for name, part in {**by_subset, "all": everything}.items()}
    if len(by_subset) > 1:
        means["average"] = np.mean([means[name] for name in by_subset], axis=0)
    for subset, (best, mean, some, _) in means.items():
        sizes = {size for *_, size in by_subset.get(subset, everything)}
        of = sizes.pop() if len(sizes) == 1 else None
        assert found[subset, "product", PRM, of]["value"] == pytest.approx(best)
        assert found[subset, None, MEAN, 1]["value"] == pytest.approx(mean)
        assert found[subset, None, PASS, of]["value"] == pytest.approx(some)
        assert found[subset, "product", OVER_MEAN, of]["value"] == pytest.approx(best - mean)
    assert ("average", "product", PRM, of) in found or len(by_subset) == 1
    row = found["all", None, MEAN, 1]
    assert (row["n"], row["responses"]) == (len(problems), sum(len(one) for _, one in problems))


@up_to(100, 12)
@given(problems=response_making.problems(values=(0.1, 0.5, 0.9), least=4), name=st.sampled_from(("product", "min")))
def test_fewer_responses_are_told_as_powers_of_two_and_one_is_a_random_one(problems, name):
    found = figures(problems)
    assert {key[3] for key in found if key[2] == PRM and key[0] == "all" and key[3]} >= {1, 2}
    assert found["all", None, MEAN, 1]["value"] <= found["all", None, PASS, 2]["value"] + 1e-9
    assert found["all", name, PRM, 1]["value"] == pytest.approx(found["all", None, MEAN, 1]["value"])


def test_equal_scores_go_to_the_first_in_the_file_and_are_told():
    first, second = ("one", [((0.5, 0.5), True), ((0.25,), False)]), ("one", [((0.25,), False), ((0.5, 0.5), True)])
    found = figures([first, second])
    assert found["all", "product", PRM, 2]["value"] == 0.5
    assert found["all", "product", TIED, 2]["value"] == 1.0
    assert found["all", "min", TIED, 2]["value"] == 0.0


def test_the_two_products_choose_differently():
    # 0.9 * 0.9 < 0.9, and 0.81 * 0.81 > 0.81 * 0.01 whatever the length.
    problem = ("one", [((0.9, 0.9), True), ((0.9, 0.99, 0.99), False), ((0.1,), False)])
    found = figures([problem])
    assert found["all", "product", PRM, 3]["value"] == 0.0
    lengths = ("one", [((2.0, 2.0), False), ((3.5,), True), ((2.0,), False)])
    found = figures([lengths])
    # 2 * 2 > 3.5, and 0.01 * 0.01 < 1.51.
    assert found["all", "product", PRM, 3]["value"] == 0.0
    assert found["all", "shifted_product", PRM, 3]["value"] == 1.0


def test_the_shifted_product_says_nothing_of_fewer_responses():
    found = figures([("one", [((0.5,), True), ((0.2,), False), ((0.9,), True)])])
    assert found["all", "shifted_product", PRM, 1]["value"] is None
    assert "compared" in found["all", "shifted_product", PRM, 1]["reason"]
    assert found["all", "shifted_product", PRM, 3]["value"] == 1.0


def test_a_problem_counts_only_with_all_its_responses_scored():
    problems = [("one", [((0.9,), True), ((0.1,), False)]), ("two", [((0.9,), False), (None, True)])]
    found = figures(problems)
    row = found["all", "product", PRM, 2]
    assert (row["value"], row["n"], row["left_out"], row["responses"]) == (1.0, 1, 1, 2)
    assert found["one", "product", PRM, 2]["left_out"] == 0
    assert ("two", "product", PRM, 2) not in found
    average = found["average", "product", PRM, None]
    assert (average["value"], average["reason"]) == (None, "undefined in 1 of 2 subsets")
    assert found["average", None, MEAN, 1]["value"] == 0.5


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), None])
def test_a_reward_that_is_no_number_leaves_its_problem_out(bad):
    found = figures([("one", [((0.9, bad), True), ((0.1,), False)])])
    for name in response_reference.SCORES:
        row = found["all", name, PRM, None]
        assert (row["value"], row["n"], row["left_out"]) == (None, 0, 1)
        assert row["reason"] == "no problem has all its responses scored"


def test_rewards_at_the_ends_of_the_floats_give_no_warning():
    huge = 1.7e308
    problem = ("one", [((huge, huge), True), ((-huge, huge), False), ((5e-324,), False)])
    found = figures([problem])
    assert {found["all", name, PRM, 3]["value"] for name in ("product", "shifted_product", "min", "mean")} <= {0.0, 1.0}
    assert found["all", "product", PRM, 3]["value"] == 1.0
    assert found["all", "mean", PRM, 3]["value"] == 1.0


def test_one_number_a_solution_ranks_by_itself():
    problems = [("one", [((0.5,), True), ((0.5,), False)])] * 2
    found = figures(problems, rewards=lambda keys: judged.solutions(keys, [0.9, 0.1, 0.2, None]))
    assert {key[1] for key in found} == {None, "solution"}
    row = found["all", "solution", PRM, 2]
    assert (row["value"], row["n"], row["left_out"]) == (1.0, 1, 1)


def test_labels_and_nothing_rank_nothing():
    problems = [("one", [((0.5,), True), ((0.5,), False)])]
    found = figures(problems, rewards=lambda keys: judged.labels(keys, [(True,), (False,)]))
    assert found["all", None, PRM, None]["reason"] == "verdicts or labels without numbers rank nothing"
    found = figures(problems, rewards=lambda _: pl.DataFrame(schema=REWARDS))
    assert found["all", None, PRM, None]["reason"] == "no response was scored"


def test_the_vote_is_of_final_answers_where_there_are_any():
    problems = [("one", [((0.5,), True), ((0.5,), False), ((0.5,), False)]), ("one", [((0.5,), False)] * 2)]
    problems[1][1][1] = ((0.5,), True)
    row = figures(problems, answers=["1", "2", "2", None, None])["all", None, MAJORITY, None]
    # By two votes against one, and at random: nobody votes in the second problem.
    assert (row["value"], row["n"], row["left_out"], row["sampling_error"]) == (0.25, 2, 0, None)
    row = figures(problems)["all", None, MAJORITY, None]
    assert (row["value"], row["reason"]) == (None, NO_ANSWER)


def test_a_number_asked_for_is_over_the_problems_that_have_as_many():
    problems = [("one", [((0.9,), True), ((0.5,), False), ((0.1,), False)]), ("one", [((0.9,), False)] * 2)]
    found = figures(problems, n=2)
    assert found["all", "product", PRM, 2]["n"] == 2
    assert found["all", "product", PRM, 2]["value"] == pytest.approx((2 / 3 + 0) / 2)
    assert found["all", None, PASS, 2]["value"] == pytest.approx((2 / 3 + 0) / 2)
    found = figures(problems, n=3)
    assert (found["all", "product", PRM, 3]["n"], found["all", "product", PRM, 3]["value"]) == (1, 1.0)
    assert found["all", "shifted_product", PRM, 3]["value"] == 1.0
    assert {key[3] for key in found if key[2] == PRM} == {3}


def test_many_responses_do_not_leave_the_floats():
    responses = [((number / 1000,), number == 0) for number in range(600)]
    evaluation, found = response_making.evaluation([("one", responses)])
    places = AGGREGATIONS["last"].ranked(evaluation.rewards, found)
    assert chosen_right(found, places, 1).tolist() == pytest.approx([1 / 600])
    assert chosen_right(found, places, 300).tolist() == pytest.approx([0.0])
    assert any_right(found, 300).tolist() == pytest.approx([0.5])


def test_equal_seeds_give_equal_intervals():
    problems = [("one", [((0.9,), number % 3 == 0), ((0.5,), number % 2 == 0)]) for number in range(30)]
    one, other = (figures(problems)["all", "product", PRM, 2] for _ in range(2))
    assert one == other
    assert one["low"] < one["value"] < one["high"]


def test_neither_the_order_of_problems_nor_another_subset_changes_an_interval():
    """The names of problems are those of `flat`; the second order has the subset first that came last."""
    right = np.random.default_rng(2).random((60, 2)) < 0.5
    problems = [
        ("one" if number < 35 else "two", [((0.9,), bool(first)), ((0.5,), bool(second))])
        for number, (first, second) in enumerate(right)
    ]

    def intervals(order):
        cases, columns = response_making.flat(problems)
        places = [60 * at + number for number in order for at in (0, 1)]
        columns = {name: [values[place] for place in places] for name, values in columns.items()}
        frame = making.full_frame([cases[place] for place in places], **columns)
        rows = figure_lines(responses_of(frame, frame["problem"], np.ones(frame.height, dtype=bool)))
        return {(row["subset"], row["metric"]): (row["value"], row["low"], row["high"]) for row in rows}

    usual = intervals(range(60))
    assert intervals(range(59, -1, -1)) == usual
    alone = intervals(range(35, 60))
    assert {key: found for key, found in alone.items() if key[0] == "two"} == {
        key: found for key, found in usual.items() if key[0] == "two"
    }


def figure_lines(responses):
    line = FigureLine(PRM, None, responses.right[responses.bounds[:-1]].astype(float))
    return list(figure_rows(responses, [line], responses, 0))


# -- which cases are responses


def responses(frame):
    return responses_of(frame, frame["problem"], np.ones(frame.height, dtype=bool))


def made(**columns):
    count = len(next(iter(columns.values())))
    return making.full_frame([making.reference.Case(1, -1)] * count, **columns)


def test_without_an_id_the_wording_says_which_problem_it_is():
    frame = made(problem=["a", "b", "a", "c", "b"], final_answer_correct=[True, False, False, True, None])
    found = responses(frame)
    assert (found.rows.tolist(), found.bounds.tolist(), found.right.tolist()) == ([0, 2], [0, 2], [True, False])
    assert (found.unknown, found.alone) == (1, 2)


def test_an_id_comes_before_the_wording_and_counts_within_its_subset():
    frame = made(
        problem=["a", "a", "b", "b"],
        problem_id=["1", "1", "1", "1"],
        subset=["x", None, "x", None],
        final_answer_correct=[True, False, False, True],
    )
    found = responses(frame)
    assert found.rows.tolist() == [0, 2, 1, 3]
    assert [found.names[number] for number in found.subsets] == ["x", None]


def test_nothing_known_is_no_responses():
    found = responses(made(problem=["a", "a"], final_answer_correct=[None, None]))
    assert (found.rows.size, found.subsets.size, found.unknown) == (0, 0, 2)


@SOME
@given(problems=response_making.problems())
def test_a_response_counts_its_product_in_a_vote(problems):
    evaluation, responses = response_making.evaluation(problems)
    product = AGGREGATIONS["product"]
    weights, scores = (of(evaluation.rewards, responses) for of in (product.weigh, product.scores))
    # A product of 0 may be one that no float holds.
    is_odd = (np.abs(scores) < np.finfo(float).tiny) | ~np.isfinite(scores)
    is_plain = (np.bincount(responses.problems[is_odd], minlength=responses.subsets.size) == 0)[responses.problems]
    assert weights[is_plain].tolist() == scores[is_plain].tolist()


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.22), (20.0, 22.0)])
def test_products_beyond_the_range_of_floats_keep_their_ratio_in_a_vote(low, high):
    """Of five hundred steps, beside a short problem whose weights stay as they are."""
    long = [([low] * 500, True), ([high] * 500, False), ([0.0] * 500, False)]
    evaluation, responses = response_making.evaluation([(None, long), (None, [([0.25, 0.5], True), ([0.5], False)])])
    weights = AGGREGATIONS["product"].weigh(evaluation.rewards, responses)
    assert weights[0] / weights[1] == pytest.approx((low / high) ** 500)
    assert weights[2:].tolist() == [0.0, 0.125, 0.5]
    assert np.isfinite(weights).all()


@pytest.mark.parametrize("low", [0.2, 0.01])
def test_products_beyond_the_range_of_floats_are_compared_in_every_choice_of_fewer_responses(low):
    """The highest product is in range, and the right one of the two others is chosen over the wrong one."""
    problem = [((0.9,), False), ((low,) * 500, True), ((low * 0.9,) * 500, False)]
    answers = ["1", "2", "3"]
    found = figures([("one", problem)], answers=answers)
    # Of the pairs, one is without the highest.
    assert found["all", "product", WEIGHTED, 2]["value"] == pytest.approx(1 / 3)
    assert found["all", "product", PRM, 2]["value"] == pytest.approx(1 / 3)


def test_many_products_far_apart_keep_their_order_in_a_vote():
    problem = [((0.5,) * (1 + 300 * number), number % 2 == 1) for number in range(40)]
    evaluation, responses = response_making.evaluation([("one", problem)])
    weights = AGGREGATIONS["product"].weigh(evaluation.rewards, responses)
    assert (np.diff(weights) < 0).all()
    assert (weights > 0).all()
    assert np.isfinite(weights).all()


def test_votes_of_two_are_those_of_the_three_pairs():
    """Two right responses and a wrong one: with ten drawn choices, votes by product of 2 differed from prm@n."""
    problem = [((0.64, 0.5), True), ((0.5, 0.6), True), ((0.9, 0.7), False)]
    found = figures([("one", problem)] * 6, answers=["1", "1", "2"] * 6)
    assert found["all", "product", WEIGHTED, 2]["value"] == pytest.approx(1 / 3)
    assert found["all", "product", PRM, 2]["value"] == pytest.approx(1 / 3)
    assert found["all", None, MAJORITY, 2]["value"] == pytest.approx(2 / 3)
    assert found["all", None, MAJORITY, 2]["value"] <= found["all", None, PASS, 2]["value"]
