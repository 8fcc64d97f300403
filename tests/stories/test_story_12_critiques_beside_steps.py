"""Critiques beside steps: votes browsed, what was read stands out, named steps lead to steps, reasoning folds."""

import re
from collections import Counter
from functools import partial

import pytest

import critic_spaces
from at_the_terminal import eventually, pressed, printed, shown, unframed
from scoring.models.asking import GeneratedAnswer
from thoroughness import also
from under_pilot import app

CASES = 12
VOTES = (
    GeneratedAnswer(
        r"In paragraph 2 half is wrong; paragraph 9 is none. So $\boxed{1}$.", reasoning="Let me think of it."
    ),
    GeneratedAnswer(r"<think>All of it looks right at first.</think>It is step 2, so \boxed{2}."),
    GeneratedAnswer(r"I would say \boxed{1}"),
    GeneratedAnswer("Nobody can know that."),
)
BALLOTS = (1, 2, 1, None)


def answers(row, _run):
    """The first eight cases get the four votes; of the others each vote is one that cannot be read or did not come."""
    if row < 8:
        return list(VOTES)
    return [GeneratedAnswer("No box at all."), GeneratedAnswer(None, reason="HTTP 500")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("critiques")
    critic_spaces.critic(critic_spaces.imported(folder, CASES), answers)
    return folder


def styles(terminal, text: str) -> set[tuple]:
    """How the cells of a text on screen are painted."""
    lines = terminal.cells()
    texts = ["".join(sign for sign, _ in line) for line in lines]
    ((line, column),) = ((at, line.index(text)) for at, line in enumerate(texts) if text in line)
    styles = (style for _, style in lines[line][column : column + len(text)])
    return {(style.color, style.bgcolor, style.bold, style.reverse, style.underline) for style in styles}


def open_first(terminal) -> None:
    pressed(terminal, "g l")
    shown(terminal, f"{CASES} of {CASES} cases")
    pressed(terminal, "enter")
    shown(terminal, f"1 of {CASES} ", "v c opens them")


def vote_is(screen: str, number: int) -> str:
    assert f"vote {number} ({number + 1} of {len(VOTES)})" in screen, screen
    return screen


def cursor_line(terminal) -> str:
    """The text of the line that the step cursor stands on: painted from the left edge unlike the others."""
    cells = terminal.cells()
    lines = ["".join(sign for sign, _ in line) for line in cells]
    grounds = [line[2][1].bgcolor for line in cells]
    usual = Counter(grounds).most_common(1)[0][0]
    return "\n".join(line for line, ground in zip(lines[1:-1], grounds[1:-1], strict=True) if ground != usual)


def _lacks(screen: str, text: str) -> None:
    assert text not in screen, screen


def _stands_on(terminal, text: str) -> None:
    assert text in cursor_line(terminal), (cursor_line(terminal), terminal.screen_text())


@pytest.mark.parametrize("no_color", ["", *also("1")])
def test_votes_are_browsed_and_lead_to_steps_and_what_cannot_be_read_is_a_queue(no_color, folder):
    rows = printed("cases", "-w", "space", cwd=folder)
    queue = [row["id"] for row in rows if row["judge.outcome"] in {"unparsed", "refused"}]
    assert len(queue) == CASES - 8
    with app("-w", "space", cwd=folder, size=(140, 40), NO_COLOR=no_color) as terminal:
        shown(terminal, f"{CASES} cases", "? help")
        open_first(terminal)
        pressed(terminal, "v c")
        screen = shown(terminal, "vote 0 (1 of 4)", "paragraph 2 half is wrong")
        # Beside the steps, not instead of them.
        assert "Then x + 1 follows" in screen
        # The tally: two for step 1, one for step 2, one that cannot be read.
        told = Counter(BALLOTS)
        assert re.search(rf"step 1 wins.*\b{told[1]}\b", screen), screen
        assert styles(terminal, "⟦1⟧").isdisjoint(styles(terminal, "half is wrong"))

        for number in (1, 2, 3):
            pressed(terminal, "l")
            screen = eventually(terminal, partial(vote_is, number=number))
            if BALLOTS[number] is not None:
                assert f"⟦{BALLOTS[number]}⟧" in screen
        assert "Nobody can know that." in screen
        for number in (2, 1, 0):
            pressed(terminal, "h")
            eventually(terminal, partial(vote_is, number=number))

        assert "Let me think of it." not in shown(terminal, "vote 0 (1 of 4)", "reasoning, 19 characters")
        pressed(terminal, "enter")
        shown(terminal, "Let me think of it.")
        pressed(terminal, "enter")
        eventually(terminal, partial(_lacks, text="Let me think of it."))
        # The protocol counts from 0, as the screen does: paragraph 2 is step 2.
        pressed(terminal, "tab", "enter")
        eventually(terminal, lambda _: _stands_on(terminal, "So the answer is boxed"))

        # Those that cannot be read, with reason and tail.
        pressed(terminal, "escape", "escape")
        pressed(terminal, "g l")
        shown(terminal, f"{CASES} of {CASES} cases")
        pressed(terminal, "v u")
        screen = shown(terminal, f" {len(queue)} of {CASES} cases", "No box at all.")
        seen = [found[1] for line in unframed(screen).splitlines() if (found := re.match(r" [ ▌](sums-\d+) ", line))]
        assert seen == queue
        assert re.search(r"\? unparsed: \S+", screen), screen
