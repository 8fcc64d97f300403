"""The queue of cases without a verdict: the same cases as the board counts, from the list and from a case."""

import pytest

import critic_spaces
from opened import inspected, listed, opened
from scoring.models.asking import GeneratedAnswer
from scoring.selection.query import Query
from screen_text import hides, press, shows


def answers(row, _run):
    """Of four cases one is read, one cut, one without a box and one refused."""
    return [
        [
            GeneratedAnswer(r"\boxed{1}", finish_reason="stop"),
            GeneratedAnswer(f"Let me {'think ' * 80}of {row}", finish_reason="length"),
            GeneratedAnswer("Who knows?", finish_reason="stop"),
            GeneratedAnswer(None, reason="HTTP 500"),
        ][row % 4]
    ]


@pytest.fixture
def space(tmp_path):
    made = critic_spaces.imported(tmp_path)
    critic_spaces.critic(made, answers)
    return made


def opened_on(space, tmp_path, **how):
    return opened(Query(workspace=str(space)), folder=tmp_path, **how)


async def test_the_queue_is_what_the_board_counts_and_begins_at_its_first_case(space, tmp_path):
    async with opened_on(space, tmp_path, size=(160, 36)) as pilot:
        counts = inspected(pilot).summary.outcome_counts
        assert counts["unparsed"] + counts["refused"] == 9
        await press(pilot, "g", "l", "v", "u")
        await shows(pilot, "9 cases unparsed or refused")
        pilot.app.clear_notifications()
        await shows(pilot, "filter outcome = unparsed or refused", "9 of 12 cases")
        assert listed(pilot, "id") == [f"sums-{row}" for row in range(12) if row % 4]
        command = inspected(pilot).results.query.command("cases")
        assert "judge.outcome" in command
        # Each has its reason and the end of its answer beside the list.
        await shows(pilot, "unparsed: cut at the token limit: no box", "The answer ends: ...", "think of 1")
        await press(pilot, "j")
        await shows(pilot, "unparsed: no box", "The answer ends: Who knows?")
        await press(pilot, "j")
        await shows(pilot, "no answer: HTTP 500")
        await press(pilot, "v", "u")
        await shows(pilot, "12 of 12 cases")
        await press(pilot, "home", "enter", "v", "u")
        await shows(pilot, "▸ sums-1 ", "1 of 9", "cut at the token limit")
        await press(pilot, "n")
        await shows(pilot, "▸ sums-2 ", "2 of 9")
        await press(pilot, "v", "c", "n")
        await shows(pilot, "▸ sums-3 ", "3 of 9", "No text was kept.")
        await press(pilot, "v", "u")
        await shows(pilot, "▸ sums-3 ", "4 of 12")


async def test_where_all_can_be_read_that_is_said(tmp_path):
    space = critic_spaces.imported(tmp_path)
    critic_spaces.critic(space, lambda *_: [r"\boxed{1}"])
    async with opened_on(space, tmp_path, size=(120, 36)) as pilot:
        await press(pilot, "g", "l", "v", "u")
        await shows(pilot, "No case here is unparsed or refused by judge.")
        pilot.app.clear_notifications()
        await shows(pilot, "12 of 12 cases")


async def test_without_a_scorer_there_is_no_queue(tmp_path):
    space = critic_spaces.imported(tmp_path)
    async with opened_on(space, tmp_path, size=(120, 36)) as pilot:
        await press(pilot, "v", "u")
        await shows(pilot, "There is no scorer whose answers could be unparsed.")
        await hides(pilot, "cases unparsed")
