"""Notes on cases in the order in which they were written, and how they are put into categories."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from scoring.workspace.triage.actions import NOTE, SORT, Action, JournalChange

_Said = dict[str, str]


class CaseNote(NamedTuple):
    """What one person says of one case: a note, a category, or both.

    `text` is "" where they gave the case a category without a note, `category` "" where it is in none. `time` is when
    they began to say anything of it, as the journal tells it.
    """

    case: str
    who: str
    text: str
    category: str
    time: str


def notes(of_case: Callable[[str], Iterable[tuple[Action, bool]]], cases: Iterable[str]) -> tuple[CaseNote, ...]:
    """Return every person's notes on these cases, in the order in which they were begun.

    A note keeps its place when its words or its category change; one that was taken away, category and all, and is
    written again is a new one. Of one action on several cases the first case comes first. The order is that of the
    journals' counters, not of clocks.

    Args:
        of_case: the actions on a case in order, and whether each holds, as `Journal.of_case` gives them.
        cases: identities of cases.
    """
    notes_begun: list[tuple[tuple[int, str, str, int], int, CaseNote]] = []
    places: dict[int, tuple[Action, dict[str, int]]] = {}
    for case in cases:
        for who, (begun, words) in _fold_notes(of_case(case)).items():
            # Kept with its action, whose identity would else be free for another one.
            _, of = places.setdefault(id(begun), (begun, {case: place for place, case in enumerate(begun.cases)}))
            note = CaseNote(case, who, words.get(NOTE, ""), words.get(SORT, ""), begun.time)
            notes_begun.append((begun[:4], of[case], note))
    notes_begun.sort(key=lambda begun_note: begun_note[:2])
    return tuple(note for _, _, note in notes_begun)


def _fold_notes(actions: Iterable[tuple[Action, bool]]) -> dict[str, tuple[Action, _Said]]:
    """By who says it, the action with which it began and what stands; who says nothing is left out."""
    standing: dict[str, tuple[Action, _Said]] = {}
    for action, holds in actions:
        if not holds or action.kind not in {NOTE, SORT}:
            continue
        words = standing.setdefault(action.who, (action, {}))[1]
        words[action.kind] = action.value
        if not any(words.values()):
            del standing[action.who]
    return standing


def sorting(chosen: Iterable[CaseNote], who: str, category: str) -> list[JournalChange]:
    """Return the changes that put a person's own notes among these into a category; "" takes them out of theirs.

    A category belongs to who gave it, so that other people's notes stay where they are. Nothing is changed of notes
    that are there already: [] where that are all.
    """
    cases = [note.case for note in chosen if note.who == who and note.category != category]
    return [(SORT, cases, category)] if cases else []


def in_category(every: Iterable[CaseNote], category: str) -> tuple[CaseNote, ...]:
    """Return the notes of one category, in their order; "" gives those in none."""
    return tuple(note for note in every if note.category == category)


def categories(every: Iterable[CaseNote]) -> dict[str, tuple[CaseNote, ...]]:
    """Group the notes by category: those of most notes first, then those that were met first; the notes in none come
    last.
    """
    grouped: dict[str, list[CaseNote]] = {}
    for note in every:
        grouped.setdefault(note.category, []).append(note)
    ordered = sorted(grouped, key=lambda name: (name == "", -len(grouped[name])))
    return {name: tuple(grouped[name]) for name in ordered}
