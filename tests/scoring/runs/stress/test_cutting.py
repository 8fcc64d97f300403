"""One solution cut in five ways: what the parts are, in which step each begins, and that nothing is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.runs.stress.cutting import WAYS, cut_into_parts

STEPS = (
    "First, we add. This gives $2 + 2 = 4.\\text{ A } 5$ here.",
    "Note:\n- one, e.g. Two\n- two\n\nA new paragraph",
    "So x is k. The end!",
)


def parts(way, steps=STEPS):
    return [(step.text, step.origin) for step in cut_into_parts(steps, way)]


def test_the_five_ways():
    assert parts("as given") == [(text, at) for at, text in enumerate(STEPS)]
    assert parts("whole") == [("\n\n".join(STEPS), 0)]
    assert parts("blank lines") == [
        (STEPS[0], 0),
        ("Note:\n- one, e.g. Two\n- two", 1),
        ("A new paragraph", 1),
        (STEPS[2], 2),
    ]
    lines = [("Note:", 1), ("- one, e.g. Two", 1), ("- two", 1), ("A new paragraph", 1)]
    assert parts("lines") == [(STEPS[0], 0), *lines, (STEPS[2], 2)]
    # Neither in a formula nor behind an abbreviation; a blank line ends one that has no full stop.
    assert parts("sentences") == [
        ("First, we add.", 0),
        ("This gives $2 + 2 = 4.\\text{ A } 5$ here.", 0),
        ("Note:\n- one, e.g. Two\n- two", 1),
        ("A new paragraph", 1),
        ("So x is k.", 2),
        ("The end!", 2),
    ]


@pytest.mark.parametrize("steps", [(), ("",), ("", " \n"), ("a",)])
def test_nothing_is_nothing_in_every_way(steps):
    for way in WAYS[1:]:
        assert [text for text, _ in parts(way, steps)] == [step for step in steps if step.strip()]


@given(st.lists(st.text('ab.A \n!$`"', max_size=15), max_size=5), st.sampled_from(WAYS[1:]))
def test_no_letter_is_lost_and_origins_rise_to_the_steps_that_letters_are_of(steps, way):
    made = cut_into_parts(steps, way)
    letters = [(letter, at) for at, step in enumerate(steps) for letter in re.sub(r"\s", "", step)]
    again = [letter for step in made for letter in re.sub(r"\s", "", step.text)]
    assert again == [letter for letter, _ in letters]
    # Each part begins in the step that its first letter is of.
    place = 0
    for step in made:
        assert step.origin == letters[place][1]
        place += len(re.sub(r"\s", "", step.text))
