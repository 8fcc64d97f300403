"""A failure taxonomy: notes become a table of categories by keys alone, with who is wrong and whether more come."""

import csv
import io
import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

import making
from at_the_terminal import eventually, pressed, printed, shell, shown, typed, unframed
from scoring.workspace.triage.journal import Journal
from under_pilot import app

WORDS = {"minus": "signs", "feet": "units", "column": "careless reading", "premise": "unchecked premise"}
"""What a note speaks of, and the category that it belongs into."""
NOTES = [
    f"{'premise' if number == 15 else ('minus', 'feet', 'column')[number % 3]} lost, note {number}"
    for number in range(24)
]
"""Three kinds are known after three notes; of the last twenty one brings another."""
BEFORE = 21
"""Notes of an earlier day."""
SAVED = "demo-taxonomy.csv"


def category(note: str) -> str:
    return WORDS[note.partition(" ")[0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace, beside which the demo is known as everywhere."""
    cases, _ = making.study(n=1)
    making.workspace(tmp_path / "space", cases, [])
    journal = Journal(tmp_path / "space" / "triage")
    for number in range(BEFORE):
        journal.note([f"demo/arithmetic-{number + 1:03d}"], NOTES[number])
    return tmp_path


def closed(screen: str) -> None:
    assert "Note on demo/" not in screen, screen
    assert "Enter keeps it" not in screen, screen


def stands_on(screen: str, number: int) -> None:
    """The cursor of the list is on the case with this number."""
    assert re.search(rf"▌\S+-{number:03d} ", screen), screen


def put(terminal, word: str, name: str) -> None:
    """The notes in no category that hold a word, into a category."""
    pressed(terminal, "G", "/")
    shown(terminal, "Tick notes in")
    typed(terminal, f"{word}\r")
    shown(terminal, " ticked")
    pressed(terminal, "w")
    shown(terminal, "Put ")
    typed(terminal, f"{name}\r")
    shown(terminal, f"put into {name}")


def says(screen: str, patterns: list[str]) -> None:
    assert all(re.search(pattern, screen) for pattern in patterns), screen


def test_from_notes_to_a_table_by_keys_alone(folder):
    with app("-w", "space", "--benchmark", "demo", cwd=folder, size=(120, 44)) as terminal:
        shown(terminal, "240 cases", "? help")
        pressed(terminal, "g l")
        shown(terminal, "240 of 240 cases")
        # While one reads, a note on the first thing that went wrong.
        terminal.send(b"j" * BEFORE)
        eventually(terminal, partial(stands_on, number=BEFORE + 1))
        for number, note in list(enumerate(NOTES))[BEFORE:]:
            pressed(terminal, "a")
            shown(terminal, f"Note on demo/arithmetic-{number + 1:03d}", gap=0.05)
            typed(terminal, f"{note}\r")
            eventually(terminal, closed)
            pressed(terminal, "j")
            eventually(terminal, partial(stands_on, number=number + 2))
        pressed(terminal, "g x")
        shown(terminal, "24 notes in 0 categories", "no note is in a category yet, of 24")

        # Open coding: notes that hold a word go into a category, which is there with the first of them.
        for word, name in list(WORDS.items())[:3]:
            put(terminal, word, name if name != "units" else "unit")
        # What is left is one kind, and goes there as a whole.
        pressed(terminal, "G", "w")
        shown(terminal, "Put ")
        typed(terminal, "unchecked premise\r")
        shown(terminal, "24 notes in 4 categories")
        # Axial coding: another name; and two that are one after all are merged, which is undone again.
        pressed(terminal, "home")
        for _ in range(4):
            if ">unit " in terminal.screen_text():
                break
            pressed(terminal, "j")
        pressed(terminal, "a")
        shown(terminal, "Rename unit")
        typed(terminal, "s\r")
        shown(terminal, "notes put into units", ">units ")
        pressed(terminal, "w")
        shown(terminal, "Put ")
        typed(terminal, "signs\r")
        shown(terminal, "24 notes in 3 categories")
        pressed(terminal, "u")
        screen = shown(terminal, "24 notes in 4 categories", "last 20 notes: 1 new category")
        assert "4 categories" in screen
        counts = Counter(map(category, NOTES))
        for name, count in counts.items():
            assert re.search(rf"[ >]{name} +{count}\b", screen), (name, screen)

        # Who has the cases of a category wrong is the shell's figure.
        by_scorer = printed("taxonomy", "-w", "space", "--benchmark", "demo", "--by", "scorer", cwd=folder)
        pressed(terminal, "home")
        chosen = next(line for line in unframed(shown(terminal, "wrong")).splitlines() if line.lstrip().startswith(">"))
        (name,) = (name for name in counts if chosen.lstrip().startswith(f">{name} "))
        wrong = {row["scorer"]: row["wrong"] for row in by_scorer if row["category"] == name}
        assert len(wrong) == 7
        shown(terminal, f"{name}: {counts[name]} notes")
        figures = [rf"{re.escape(scorer)} +{n} +{counts[name]}\b" for scorer, n in wrong.items()]
        eventually(terminal, partial(says, patterns=figures))

        pressed(terminal, "e", "c")
        shown(terminal, SAVED)
        pressed(terminal, "e", "m")
        shown(terminal, "Copied")
        copied = terminal.clipboard()

    # Both are what the command prints: the file byte for byte.
    told = shell("taxonomy", "-w", "space", "--benchmark", "demo", "--markdown", cwd=folder).decode()
    assert copied.strip() == told.strip()
    assert all(name in told for name in WORDS.values())
    saved = (folder / SAVED).read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO("".join(line for line in saved.splitlines(True) if line[0] != "#"))))
    assert {row["category"]: int(row["notes"]) for row in rows} == counts
    assert shell("taxonomy", "-w", "space", "--benchmark", "demo", "--csv", cwd=folder).decode() == saved
