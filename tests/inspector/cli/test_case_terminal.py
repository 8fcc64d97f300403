"""The first question: where did the model leave the rails? And what a key costs a real terminal."""

import sys

import pytest

import example
from opened import opened
from scoring.selection.query import Query
from screen_text import press, screen_lines, shows
from terminal import Terminal
from thoroughness import also

RUN = [sys.executable, "-m", "inspector.cli"]


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    root = tmp_path_factory.mktemp("rails") / "workspace"
    example.write(root)
    return str(root)


@pytest.mark.parametrize("ascii_only", [True, *also(False)])
async def test_gold_step_predicted_step_rewards_and_outcome_without_scrolling(space, ascii_only):
    """In greys: `test_pty`."""
    async with opened(Query(workspace=space, scorers=("alpha",)), ascii_only=ascii_only) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "5 of 9 cases")
        await press(pilot, "j", "enter")
        await shows(pilot, "> predicted step 2", "two steps late", "Step 2 of late-one.")
        lines = [line.strip("|│┃ ") for line in screen_lines(pilot.app)]
        gold, predicted = (next(line for line in lines if f"Step {step} of late-one." in line) for step in (0, 2))
        assert gold.startswith("gold")
        assert "0.70" in gold
        assert predicted.startswith("pred")
        assert ("0.30x" if ascii_only else "0.30✗") in predicted
        # With another scorer beside: both outcomes, both predicted steps.
        await press(pilot, "o")
        await shows(pilot, "in focus")
        await press(pilot, "k", "space", "enter")
        text = await shows(pilot, "A = exact", "B > late", "1 of 2 is right")
        assert ("0 <-.50x" if ascii_only else "0 ◂-.50✗") in text
        assert text.isascii() is ascii_only


def test_a_key_of_the_step_cursor_writes_little(space, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal([*RUN, "-w", space], columns=200, lines=50, env=state) as terminal:
        terminal.wait_for("2 scorers")
        for key, shown in (("g l", "9 of 9 cases"), ("G", "Step 12 of long-one"), ("enter", "cases ▸ long-one")):
            terminal.press(key)
            terminal.wait_for(shown)
        terminal.press("home")
        terminal.settle()
        sizes = [len(answer.data) for _ in range(10) if (answer := terminal.press("j")) is not None]
        assert len(sizes) == 10
        assert sorted(sizes)[5] <= 3000
