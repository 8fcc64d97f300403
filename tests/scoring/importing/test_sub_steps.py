import math

import polars as pl
import pytest

from results_and_cases import case, cases_of, codes, results, rewards
from scoring.importing.joining import join
from scoring.importing.sub_steps import grouped
from scoring.step_rewards import align

COARSE = case("a", 3, sub_steps=[1, 2, 2])
FIVE = [0.9, 0.8, 0.3, 0.4, 0.7]


def joined(row, of=COARSE):
    return join(results({"id": "a", **row}), cases_of("nested", of))


def test_a_step_takes_the_lowest_reward_of_its_sub_steps():
    found = joined({"rewards": FIVE})
    assert list(rewards(found).values()) == [[0.9, 0.3, 0.4]]
    assert [(one.severity, one.code, one.message) for one in found.findings] == [
        (
            "note",
            "grouped-sub-steps",
            (
                "1 cases have one number a sub-step: each step takes the lowest of its sub-steps' rewards "
                "(of redundancy the highest)"
            ),
        )
    ]


def test_a_step_takes_the_highest_redundancy_of_its_sub_steps():
    found = joined({"rewards": FIVE, "redundancy": FIVE}).rewards
    assert found["redundancy"].to_list() == [[0.9, 0.8, 0.7]]


def test_a_step_is_right_if_all_its_sub_steps_are_and_redundant_if_one_is():
    labels = [True, True, False, False, False]
    found = joined({"labels": labels, "redundancy_labels": labels}).rewards
    assert found["labels"].to_list() == [[True, False, False]]
    assert found["redundancy_labels"].to_list() == [[True, True, False]]


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("column", ["rewards", "redundancy", "labels", "redundancy_labels"])
def test_an_absent_number_is_never_hidden_by_its_neighbour(column, place):
    sound = FIVE if column in {"rewards", "redundancy"} else [True, False, True, False, True]
    hurt = [*sound[:place], None, *sound[place + 1 :]]
    found = joined({"rewards": FIVE, column: hurt}).rewards
    assert found[column].to_list()[0][1] is None


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("column", ["rewards", "redundancy"])
def test_a_number_that_is_not_finite_is_never_hidden_by_its_neighbour(column, odd, place):
    hurt = [*FIVE[:place], odd, *FIVE[place + 1 :]]
    found = joined({"rewards": FIVE, column: hurt}).rewards[column].to_list()[0]
    assert math.isnan(found[1])
    assert all(map(math.isfinite, (found[0], found[2])))


def test_a_step_without_sub_steps_was_not_judged_and_the_case_is_refused():
    cases = cases_of("nested", case("a", 3, sub_steps=[2, 0, 2]))
    found = join(results({"id": "a", "rewards": FIVE[:4]}), cases)
    assert found.rewards["rewards"].to_list() == [[0.8, None, 0.3]]
    assert align(cases, found.rewards).refused.tolist() == [True]


def test_one_number_a_step_is_left_as_it_is():
    found = joined({"rewards": [0.1, 0.2, 0.3]})
    assert list(rewards(found).values()) == [[0.1, 0.2, 0.3]]
    assert codes(found) == []


def test_sub_steps_that_are_as_many_as_steps_are_not_grouped():
    found = joined({"rewards": [0.1, 0.2, 0.3]}, case("a", 3, sub_steps=[1, 1, 1]))
    assert list(rewards(found).values()) == [[0.1, 0.2, 0.3]]


def test_any_other_number_of_numbers_is_a_mismatch():
    found = join(results({"id": "a", "rewards": FIVE[:4]}), cases_of("nested", COARSE), "nested")
    assert list(rewards(found).values()) == [FIVE[:4]]
    assert codes(found) == [("warning", "length-mismatch")]


def test_a_list_of_another_length_beside_the_numbers_is_left_as_it_is():
    found = joined({"rewards": FIVE, "redundancy": [0.5, 0.6, 0.7]}).rewards
    assert found["rewards"].to_list() == [[0.9, 0.3, 0.4]]
    assert found["redundancy"].to_list() == [[0.5, 0.6, 0.7]]


def test_grouped_rows_stay_in_their_place_and_each_case_is_counted_once():
    rows = [case("b", 5), COARSE, case("c", 5)]
    values = [{"id": name, "rewards": FIVE} for name in ("b", "a", "c")]
    again = {"id": "a", "vote": 1, "rewards": FIVE}
    found = join(results(*values, again), cases_of("nested", *rows))
    assert found.rewards["rewards"].list.len().to_list() == [5, 3, 5, 3]
    assert found.findings[0].message.startswith("1 cases have")


def test_nothing_to_group_gives_the_rows_themselves():
    rows = pl.DataFrame({"sub_steps": [[2, 1], None], "_numbers": [2, 3], "n_steps": [2, 3]})
    assert grouped(rows) == (rows, [])
