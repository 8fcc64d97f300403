import math

import pytest

from scoring.data.readout import EngineOutput, Refused
from scoring.engines.base import answer_of, combined


def test_the_sequences_of_a_case_are_its_steps_in_order():
    assert answer_of(4, [[[0.1], [0.2]], [[0.3]]], str) == EngineOutput(4, (0.1, 0.2, 0.3))


def test_a_second_number_of_each_position_is_redundancy():
    assert answer_of(0, [[[0.1, 0.5], [0.2, 0.6]]], str) == EngineOutput(0, (0.1, 0.2), (0.5, 0.6))


def test_one_refused_sequence_refuses_the_case():
    assert answer_of(1, [[[0.1]], Refused("no memory"), Refused("later")], str) == EngineOutput(1, Refused("no memory"))


def test_what_is_not_finite_is_explained():
    assert answer_of(0, [[[0.1], [float("inf")]]], lambda: "the weights are") == EngineOutput(
        0, (0.1, float("inf")), None, "the weights are"
    )


@pytest.mark.parametrize(
    ("rewards", "how", "expected"),
    [
        ((0.3, 0.1, 0.2), "least", 0.1),
        ((0.5, 0.5, 0.2), "gate", 0.2),
        ((0.5, 0.49, 0.9), "gate", -1.0),
        ((0.49, 0.5, 0.9), "gate", -1.0),
    ],
)
def test_several_readings_of_a_step_are_one_reward(rewards, how, expected):
    assert combined(rewards, how) == expected
    for place in range(3):
        assert math.isnan(combined((*rewards[:place], math.inf, *rewards[place + 1 :]), how))
