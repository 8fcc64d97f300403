import polars as pl
import pytest

import making
import reference
from scoring.foreign_rows.given import Given, beside
from scoring.schema import METADATA, REWARDS

CASES = [reference.Case(2, 1), reference.Case(3, -1)]


def found(*rows):
    cases = making.frame(CASES)
    rewards = [{"vote": 0, "key": cases["key"][row.pop("of")], **row} for row in rows]
    pairs = list(beside(cases, pl.DataFrame(rewards, schema=REWARDS, orient="row")))
    assert [list(case) for case, _ in pairs] == [list(METADATA)] * 2
    assert [case["id"] for case, _ in pairs] == cases["id"].to_list()
    return [given for _, given in pairs]


def test_rewards_stand_beside_their_case_in_the_order_of_the_cases():
    first, second = [0.5, 0.25], [1.0, 0.0, -1.0]
    assert found({"of": 1, "rewards": second}, {"of": 0, "rewards": first}) == [Given(first), Given(second)]


def test_a_case_that_was_not_tried_has_nothing_and_a_refused_one_its_reason():
    assert found({"of": 0, "reason": "over length"}) == [Given(refused="over length"), Given()]


def test_the_lowest_vote_counts():
    given, _ = found({"of": 0, "vote": 1, "rewards": [0.0, 0.0]}, {"of": 0, "rewards": [1.0, 1.0]})
    assert given == Given([1.0, 1.0])


def test_redundancy_and_labels_come_along():
    more = {"redundancy": [0.0, 0.5], "labels": [True, False], "redundancy_labels": [False, True]}
    assert found({"of": 0, "rewards": [1.0, 0.0], **more})[0] == Given([1.0, 0.0], **more)
    assert found({"of": 0, "labels": [True, False]})[0] == Given(labels=[True, False])


@pytest.mark.parametrize("redundancy", [[0.5], [0.5, None], [0.5, float("nan")], [0.5, float("inf")]])
def test_what_is_not_whole_is_not_there(redundancy):
    assert found({"of": 0, "rewards": [1.0, 0.0], "redundancy": redundancy})[0] == Given([1.0, 0.0])


@pytest.mark.parametrize("rewards", [[0.5], [0.5, None], [0.5, float("nan")], [0.5, -float("inf")]])
def test_rewards_that_are_not_whole_are_refused_with_a_reason(rewards):
    given = found({"of": 0, "rewards": rewards})[0]
    assert given.rewards is None
    assert given.refused


def test_cases_of_equal_text_have_beside_them_what_names_them():
    cases = making.frame([reference.Case(2), reference.Case(2)]).with_columns(key=pl.lit("k"))
    rows = [
        {"key": "k", "case": cases["case"][1], "vote": 0, "rewards": [0.25, 0.5], "redundancy": [1.0, 0.0]},
        {"key": "k", "vote": 0, "rewards": [1.0, 0.0], "redundancy": [0.0, 1.0]},
    ]
    assert [given for _, given in beside(cases, pl.DataFrame(rows, schema=REWARDS))] == [
        Given([1.0, 0.0], [0.0, 1.0]),
        Given([0.25, 0.5], [1.0, 0.0]),
    ]
