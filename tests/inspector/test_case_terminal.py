"""The first question, in a real terminal: where did the model leave the rails?"""

import sys

import pytest

import example
from terminal import Terminal
from thoroughness import also

RUN = [sys.executable, "-m", "inspector.cli"]


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    root = tmp_path_factory.mktemp("rails") / "workspace"
    example.write(root)
    return str(root)


@pytest.mark.parametrize(("env", "words"), [({"NO_COLOR": "1"}, ["--ascii"]), *also(({}, []), ({"NO_COLOR": "1"}, []))])
def test_gold_step_predicted_step_rewards_and_outcome_without_scrolling(space, tmp_path, env, words):
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal(
        [*RUN, "-w", space, "--scorer", "alpha", *words], columns=120, lines=36, env={**env, **state}
    ) as terminal:
        terminal.wait_for("2 scorers")
        terminal.press("enter")
        terminal.wait_for("5 of 9 cases")
        terminal.press("j")
        terminal.press("enter")
        terminal.wait_for("two steps late")
        terminal.wait_for("Step 2 of late-one.")
        lines = [line.strip() for line in terminal.screen_text().splitlines()]
        gold, predicted = (next(line for line in lines if f"Step {step} of late-one." in line) for step in (0, 2))
        assert gold.startswith("gold")
        assert "0.70" in gold
        assert predicted.startswith("pred")
        assert ("0.30x" if words else "0.30✗") in predicted
        assert any(line.startswith("> predicted step 2, gold step 0: two steps late") for line in lines)
        # With another scorer beside: both outcomes, both predicted steps.
        for key in ("o", "j", "space", "enter"):
            terminal.press(key)
        terminal.wait_for("B beta = exact 0")
        text = terminal.screen_text()
        assert "A alpha > late 2" in text
        assert "1 of 2 exact; A late" in text
        assert ("-0.50x<" if words else "-0.50✗◂") in text
        if words:
            assert text.isascii()
        if env:
            colours = {cell.fg for line in range(36) for cell in terminal.screen().buffer[line].values()}
            assert all(len(set(zip(*[iter(colour)] * 2, strict=False))) == 1 for colour in colours - {"default"})


def test_a_key_of_the_step_cursor_writes_little(space, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal([*RUN, "-w", space], columns=200, lines=50, env=state) as terminal:
        terminal.wait_for("2 scorers")
        for key, shown in (("g l", "9 of 9 cases"), ("G", "Step 12 of long-one"), ("enter", "long-one · 9 of 9")):
            terminal.press(key)
            terminal.wait_for(shown)
        terminal.press("home")
        terminal.settle()
        sizes = [len(answer.data) for _ in range(10) if (answer := terminal.press("j")) is not None]
        assert len(sizes) == 10
        assert sorted(sizes)[5] <= 3000
