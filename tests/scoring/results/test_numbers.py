import math

import pytest

from scoring.reading.fields import Fields
from scoring.results.numbers import number, numbers, reward_range, truths


def fields(value):
    return Fields({"x": value}, "s", 1, 3, [])


def codes(one):
    return [(finding.severity, finding.code) for finding in one.findings]


def test_numbers():
    one = fields([0.5, 1, -2])
    found = numbers(one, "x")
    assert found == [0.5, 1.0, -2.0]
    assert all(type(value) is float for value in found)
    assert not one.findings


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("0.5", "x is text, not a list of numbers"),
        (0.5, "x is a number, not a list of numbers"),
        ([], "x is empty"),
        ([0.5, None], "x[1] is null"),
        (["0.5"], "x[0] is text"),
        ([[0.5]], "x[0] is a list"),
        ([True], "x[0] is a boolean"),
        ([10**400], "x[0] is a number out of range"),
    ],
)
def test_what_is_no_list_of_numbers_is_said(value, said):
    one = fields(value)
    assert numbers(one, "x") is None
    assert [finding.message for finding in one.findings] == [said]
    assert not one.fatal


def test_absent_numbers_are_said_where_they_are_needed():
    one = fields(None)
    assert numbers(one, "x") is None
    assert not one.findings
    assert numbers(one, "x", required=True) is None
    assert codes(one) == [("warning", "wrong-type")]


def test_numbers_that_are_not_finite_are_kept_and_said():
    one = fields([0.5, math.nan, -math.inf])
    found = numbers(one, "x")
    assert found[0] == 0.5
    assert math.isnan(found[1])
    assert found[2] == -math.inf
    assert [finding.message for finding in one.findings] == ["2 of 3 numbers of x are not finite, the first is x[1]"]


@pytest.mark.parametrize(("value", "found"), [([True, False], [True, False]), ([1, 0], [True, False]), (None, None)])
def test_truths(value, found):
    one = fields(value)
    assert truths(one, "x") == found
    assert not one.findings


@pytest.mark.parametrize("value", [[], [2], [0.5], [math.nan], ["true"], [None], "true", True])
def test_what_is_no_list_of_truths_is_said(value):
    one = fields(value)
    assert truths(one, "x") is None
    assert codes(one) == [("warning", "wrong-type")]


@pytest.mark.parametrize("value", [True, None, "1", [1], {}, 10**400])
def test_what_is_no_number(value):
    assert number(value) is None


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([[0.2, 1.0], None, [0.0]], (0.0, 1.0)),
        ([[-0.1, 0.3]], (-1.0, 1.0)),
        ([[-2.5, 0.3]], (-3.0, 1.0)),
        ([[0.3, 7.2]], (0.0, 8.0)),
        ([[math.nan, math.inf, 0.5]], (0.0, 1.0)),
        ([], (0.0, 1.0)),
    ],
)
def test_range(rewards, expected):
    assert reward_range(rewards) == expected
