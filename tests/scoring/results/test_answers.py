import pytest

from scoring.results.answers import boxed, voted, written


def test_an_answer_and_what_it_votes_with():
    assert boxed("so \\boxed{0} or \\boxed{ 2 }") == {
        "answer": "so \\boxed{0} or \\boxed{ 2 }",
        "ballot": "2",
        "verdict": 2,
        "reason": None,
    }


@pytest.mark.parametrize(
    ("ballot", "base", "verdict"),
    [
        *(("0", 0, 0), ("-1", 0, -1), ("-2", 0, -2), ("-9", 0, -2), ("+3", 0, 3)),
        *(("1", 1, 0), ("-1", 1, -1), ("0", 1, -2), ("-2", 1, -2)),
    ],
)
def test_verdicts_are_0_based(ballot, base, verdict):
    assert voted(ballot, base) == {"ballot": ballot, "verdict": verdict, "reason": None}


@pytest.mark.parametrize(
    ("ballot", "reason"),
    [
        (None, "the answer has no \\boxed{...}"),
        ("", "the box is empty"),
        ("two", "the box holds no whole number: two"),
        ("2.0", "the box holds no whole number: 2.0"),
        ("x" * 41, f"the box holds no whole number: {'x' * 40}…"),
    ],
)
def test_what_is_no_verdict_has_a_reason(ballot, reason):
    assert voted(ballot, 1) == {"ballot": ballot, "verdict": None, "reason": reason}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((5, "5"), (-1, "-1"), (2.0, "2"), ("words", "words"), ("", "")),
        *((2.5, None), (float("nan"), None), (1e300, None), (10**18, None), (True, None), (None, None), ([1], None)),
    ],
)
def test_what_is_written(value, text):
    assert written(value) == text
