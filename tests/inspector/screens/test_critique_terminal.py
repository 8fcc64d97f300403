"""Answers that try to act, under a real terminal: none does, and the pane's keys answer."""

import sys
from pathlib import Path

import pytest

import critic_spaces
from hostile_space import ESCAPES, MARKUP, TEXTS
from scoring.models.asking import GeneratedAnswer
from terminal import Terminal
from test_hostile import acting
from thoroughness import also

pytestmark = pytest.mark.pty

ROOT = str(Path(__file__).parents[3])


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    made = critic_spaces.imported(tmp_path_factory.mktemp("hostile-answers"))
    said = [
        GeneratedAnswer(
            rf"{text} paragraph 1 {text} \boxed{{{text}}} \boxed{{1}}", reasoning=text, finish_reason=ESCAPES
        )
        for text in TEXTS
    ]
    critic_spaces.critic(made, lambda *_: said, name=f"judge {MARKUP}")
    return made


@pytest.mark.parametrize(
    ("columns", "lines", "plain", "votes"), [(80, 24, True, 5), *also((140, 40, False, 6), (44, 12, False, 8))]
)
def test_no_answer_acts(space, tmp_path, columns, lines, plain, votes):
    """In colours the walk of `test_hostile` goes through answers as well."""
    words = ["--ascii"] if plain else []
    env = {"PYTHONPATH": ROOT, **({"NO_COLOR": "1"} if plain else {})}
    argv = [sys.executable, "-m", "inspector.cli", "-w", str(space), *words]
    with Terminal(argv, columns=columns, lines=lines, env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("Enter")
        terminal.settle()
        for key in ("a", "enter", "v", *["space", "tab", "tab", "]"] * votes, "\\", "z", "n", "[", "z", "U", "v", "v"):
            terminal.press(key, gap=0.03, timeout=0.15)
        for size in ((120, 30), (30, 8), (columns, lines)):
            terminal.resize(*size)
        terminal.settle()
        for _ in range(4):
            terminal.press("escape", gap=0.15, timeout=0.25)
        terminal.press("q")
        assert terminal.wait() == 0
        output = bytes(terminal.output)
    assert acting(output) == []
    assert b"Traceback" not in output
    if plain:
        assert b"judge" in output
