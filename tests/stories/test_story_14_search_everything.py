"""Search everything: problem, steps, reasons, answers and notes of many cases, while the keys go on being answered."""

import re
from functools import partial

import many_cases
from at_the_terminal import eventually, pressed, printed, shown, unframed
from many_cases import MANY
from under_pilot import app


def finds(screen: str, number: int, typed: str) -> str:
    """The screen, where so many cases were found for what was typed and the search has ended."""
    assert f" {typed} " in screen.splitlines()[-2], screen
    assert f" {number:,} of {MANY:,} cases" in screen.splitlines()[0], screen
    assert re.search(rf"{number:,} of {MANY:,} cases · \d+ ms", screen.splitlines()[-2]), screen
    return screen


def hits(cases, *words: str, only: str = "") -> list[str]:
    """The cases, in the order of the files, in whose texts all words stand."""
    found = []
    for case in sorted(cases, key=lambda case: many_cases.SUBSETS.index(case.subset)):
        texts = {"problem": case.problem, "steps": "\n".join(case.steps)}
        text = texts[only] if only else "\n".join(texts.values())
        if all(word in text for word in words):
            found.append(case.name)
    return found


def test_all_texts_are_searched_and_the_list_is_right_however_fast_one_types(cases, folder):
    with app("-w", "space", cwd=folder, size=(160, 40)) as terminal:
        shown(terminal, f"{MANY:,} cases", "? help")
        pressed(terminal, "g l")
        for typed, words in {"twice cube": ("twice", "cube"), '"carry over left"': ("carry over left",)}.items():
            names = hits(cases, *words)
            assert 0 < len(names) < MANY
            pressed(terminal, "/")
            shown(terminal, "/ in all")
            terminal.send(typed.encode())
            screen = eventually(terminal, partial(finds, number=len(names), typed=typed))
            seen = [found[1] for line in unframed(screen).splitlines() if (found := re.match(r" [ ▌](\w+-\d+) ", line))]
            assert len(seen) > 10 or len(seen) == len(names)
            assert seen == names[: len(seen)]
            assert [row["id"] for row in printed("cases", "-w", "space", "--search", typed, cwd=folder)] == names

            # Tab goes to the next scope, the problems; Esc gives back what was there.
            pressed(terminal, "tab")
            eventually(terminal, partial(finds, number=len(hits(cases, *words, only="problem")), typed=typed))
            pressed(terminal, "escape")
            shown(terminal, f"{MANY:,} of {MANY:,} cases")

        # Letters, deletions and moves of the cursor follow each other faster than anybody types: the last word wins.
        pressed(terminal, "/")
        shown(terminal, "/ in all")
        terminal.send(b"root half term")
        number = len(hits(cases, "root", "half", "term"))
        eventually(terminal, partial(finds, number=number, typed="root half term"))
        pressed(terminal, *["backspace"] * len("half term"))
        terminal.send(b"cube x_1")
        number = len(hits(cases, "root", "cube", "x_1"))
        eventually(terminal, partial(finds, number=number, typed="root cube x_1"))

        # Enter goes to the list at once, and the arrows walk there.
        pressed(terminal, "2", "enter")
        names = hits(cases, "root", "cube", "x_12")
        eventually(terminal, partial(_cursor_at, name=names[0], number=len(names)))
        pressed(terminal, "down", "down")
        eventually(terminal, partial(_cursor_at, name=names[2], number=len(names)))


def _cursor_at(screen: str, name: str, number: int) -> None:
    assert f" {number:,} of {MANY:,} cases" in screen.splitlines()[0], screen
    assert any(f"▌{name} " in line for line in screen.splitlines()), (name, screen)
