"""The notes that stand, in the order in which they were written, and how they are put into categories."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scoring.triage.actions import NOTE, SORT, Action, Change

_Said = dict[str, str]


class Note(NamedTuple):
    """What one person says of one case: a note, a category, or both.

    `text` is "" where they gave the case a category without a note, `category` "" where it is in none. `time` is when
    they began to say anything of it, as the journal tells it.
    """

    case: str
    who: str
    text: str
    category: str
    time: str


def notes(of_case: Callable[[str], Iterable[tuple[Action, bool]]], cases: Iterable[str]) -> tuple[Note, ...]:
    """Every person's notes on these cases, in the order in which they were begun.

    A note keeps its place when its words or its category change; one that was taken away, category and all, and is
    written again is a new one. Of one action on several cases the first case comes first. The order is that of the
    journals' counters, not of clocks.

    Args:
        of_case: the actions on a case in order, and whether each holds, as `Journal.of_case` gives them.
        cases: identities of cases.
    """
    found: list[tuple[tuple[int, str, str, int], int, Note]] = []
    places: dict[int, tuple[Action, dict[str, int]]] = {}
    for case in cases:
        for who, (begun, said) in _fold(of_case(case)).items():
            # Kept with its action, whose identity would else be free for another one.
            _, of = places.setdefault(id(begun), (begun, _places(begun.cases)))
            note = Note(case, who, said.get(NOTE, ""), said.get(SORT, ""), begun.time)
            found.append((begun[:4], of[case], note))
    found.sort(key=lambda one: one[:2])
    return tuple(note for _, _, note in found)


def _fold(actions: Iterable[tuple[Action, bool]]) -> dict[str, tuple[Action, _Said]]:
    """By who says it, the action with which it began and what stands; who says nothing is left out."""
    standing: dict[str, tuple[Action, _Said]] = {}
    for action, holds in actions:
        if not holds or action.kind not in {NOTE, SORT}:
            continue
        said = standing.setdefault(action.who, (action, {}))[1]
        said[action.kind] = action.value
        if not any(said.values()):
            del standing[action.who]
    return standing


def _places(cases: Sequence[str]) -> dict[str, int]:
    return {case: place for place, case in enumerate(cases)}


def sorting(chosen: Iterable[Note], who: str, category: str) -> list[Change]:
    """What puts a person's own notes among these into a category; "" takes them out of theirs.

    A category belongs to who gave it, so that other people's notes stay where they are. Nothing is changed of notes
    that are there already: [] where that are all.
    """
    cases = [one.case for one in chosen if one.who == who and one.category != category]
    return [(SORT, cases, category)] if cases else []


def in_category(every: Iterable[Note], category: str) -> tuple[Note, ...]:
    """The notes of one category, in their order; "" gives those in none."""
    return tuple(one for one in every if one.category == category)


def categories(every: Iterable[Note]) -> dict[str, tuple[Note, ...]]:
    """The notes by category: those of most notes first, then those that were met first; the notes in none come last."""
    grouped: dict[str, list[Note]] = {}
    for one in every:
        grouped.setdefault(one.category, []).append(one)
    ordered = sorted(grouped, key=lambda name: (name == "", -len(grouped[name])))
    return {name: tuple(grouped[name]) for name in ordered}
