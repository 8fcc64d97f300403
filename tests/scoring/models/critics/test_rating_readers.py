import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.critic_answers import Reading
from scoring.formats.reading.rated_answers import read_prmbench, read_socratic

NUMBERS = st.floats(-1, 1) | st.sampled_from((-1, 0, 1))


def answer(validity, redundancy=(0, 0, 0), **more):
    return json.dumps({"validity": validity, "redundancy": redundancy} | more)


def unread(reason):
    return Reading(reason=reason)


@pytest.mark.parametrize("around", ["{}", "<think>{{}}</think>{}", "Sure.\n```json\n{}\n```\nAnything else?"])
def test_every_step_has_both_numbers(around):
    text = around.format(answer([1, -0.5, 0], [-1, 0, 1.0]))
    assert read_prmbench(text, 3) == Reading(rewards=(1.0, -0.5, 0.0), redundancy=(-1.0, 0.0, 1.0))
    assert read_socratic(text, 3) == Reading(rewards=(1.0, -0.5, 0.0))


def test_other_keys_do_not_matter():
    assert read_prmbench(answer([1, 1, 1], comment="fine"), 3).reason is None


def test_an_example_within_the_reasoning_is_no_answer():
    example, said = answer([1, 1, 1]), answer([-1, -1, -1])
    assert read_prmbench(f"<think>As in {example}?</think>{said}", 3).rewards == (-1.0, -1.0, -1.0)
    assert read_prmbench(f"As in {example}?</think>{said}", 3).rewards == (-1.0, -1.0, -1.0)
    assert read_prmbench(f"<think>As in {example}?</think>", 3) == unread("empty answer (reasoning alone)")
    assert read_prmbench(f"<think>As in {example}?", 3) == unread("reasoning never ended")


@pytest.mark.parametrize("read", [read_prmbench, read_socratic])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty answer"),
        ("All steps are fine.", "no JSON"),
        ('{"validity": [1, 1', "JSON never closed"),
        ("} {}", "brace closed before one was opened"),
        ("{'validity': [1]}", "broken JSON"),
        ("{}", "JSON without validity"),
        ('{"a": 1} {"validity": [1, 1, 1], "redundancy": [1, 1, 1]}', "JSON without validity"),
        (answer(1), "no list (validity is a number)"),
        (answer("1, 1, 1"), "no list (validity is text)"),
        (answer({"0": 1}), "no list (validity is an object)"),
        (answer([1, "1", 1]), "not a number (validity of step 1 is text)"),
        (answer([1, 1, None]), "not a number (validity of step 2 is null)"),
        (answer([[1, 1, 1]]), "not a number (validity of step 0 is a list)"),
        (answer([1, float("nan"), 1]), "not finite (validity of step 1)"),
        (answer([float("-inf"), 1, 1]), "not finite (validity of step 0)"),
        ('{"validity": [1e999, 1, 1], "redundancy": [0, 0, 0]}', "not finite (validity of step 0)"),
        (answer([10**400, 1, 1]), "not finite (validity of step 0)"),
        (answer([]), "list too short (0 of 3)"),
        # What cannot be compared comes first: there is no figure to be made of the rest.
        (answer(["1"]), "not a number (validity of step 0 is text)"),
    ],
)
def test_what_cannot_be_read_has_a_reason(read, text, reason):
    assert read(text, 3) == unread(reason)


@pytest.mark.parametrize(
    ("validity", "signs", "reason"),
    [
        ([1, -1], (1.0, -1.0), "list too short (2 of 3)"),
        ([1, -1, 1, 0.5], (1.0, -1.0, 1.0, 0.5), "list too long (4 of 3)"),
        ([1, 0, 8.5], (1.0, 0.0, 8.5), "out of range (validity of step 2 is 8.5)"),
        ([True, False, True], (1.0, 0.0, 1.0), "truth values (validity of step 0)"),
    ],
)
def test_what_the_toolkit_does_not_notice_is_kept_beside_the_reason(validity, signs, reason):
    for read in (read_prmbench, read_socratic):
        found = read(answer(validity), 3)
        assert (found.rewards, found.reason) == (signs, reason)


@pytest.mark.parametrize(
    ("redundancy", "kept", "reason"),
    [
        ([0, 1], (0.0, 1.0), "list too short (redundancy, 2 of 3)"),
        ([0, 1, 1, 1], (0.0, 1.0, 1.0, 1.0), "list too long (redundancy, 4 of 3)"),
        ([0, 0, -3], (0.0, 0.0, -3.0), "out of range (redundancy of step 2 is -3)"),
        ([], None, "list too short (redundancy, 0 of 3)"),
    ],
)
def test_redundancy_is_read_like_validity(redundancy, kept, reason):
    found = read_prmbench(answer([1, 1, 1], redundancy), 3)
    assert found == Reading(rewards=(1.0, 1.0, 1.0), redundancy=kept, reason=reason)
    assert read_socratic(answer([1, 1, 1], redundancy), 3) == Reading(rewards=(1.0, 1.0, 1.0))


def test_redundancy_that_cannot_be_compared_spoils_the_answer_as_it_does_in_the_toolkit():
    assert read_prmbench(answer([1, 1, 1], ["0", 0, 0]), 3) == unread("not a number (redundancy of step 0 is text)")
    assert read_prmbench(answer([1, 1, 1], None), 3) == unread("no list (redundancy is null)")
    assert read_prmbench('{"validity": [1, 1, 1]}', 3) == unread("JSON without redundancy")


def test_the_validity_key_as_the_prompt_of_socratic_writes_it():
    text = '{"validity ": [1, -1, 1]}'
    assert read_socratic(text, 3) == Reading(rewards=(1.0, -1.0, 1.0))
    assert read_prmbench(text, 3) == unread("JSON without validity")


def test_comments_beside_the_numbers():
    text = '{"validity": [1, // the first\n -1, # wrong\n 0.5], "redundancy": [-1, -1, -1]}'
    assert read_prmbench(text, 3).rewards == (1.0, -1.0, 0.5)


def test_a_case_without_steps_has_no_ratings():
    assert read_socratic(answer([]), 0) == Reading(rewards=())
    assert read_socratic(answer([1]), 0).reason == "list too long (1 of 0)"


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6))
def test_sound_answers_come_back_as_they_were_said(pairs):
    validity, redundancy = zip(*pairs, strict=True)
    found = read_prmbench(answer(validity, redundancy), len(pairs))
    assert found == Reading(rewards=validity, redundancy=redundancy)
