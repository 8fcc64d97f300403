"""Ticking notes that hold some words, or that speak of the same."""

from collections.abc import Sequence
from typing import ClassVar

from inspector.screens.narrowing import Narrowing
from inspector.sentences import counted
from inspector.text import clean
from inspector.widgets.pick_list import Pick
from scoring.note_clusters import Cluster
from scoring.triage.words import Note

_TYPED = "typed"
"""The key of the line of what was typed; those of clusters are their numbers."""


class TickDialog(Narrowing[tuple[Note, ...]]):
    """Ends with the notes to tick, which may be none; None where it was only closed."""

    PLACEHOLDER: ClassVar[str] = "a word or more; nothing unticks all"

    def __init__(self, title: str, notes: Sequence[Note], clusters: Sequence[Cluster]) -> None:
        """`notes` are those that can be ticked, `clusters` those of them that are alike."""
        super().__init__(title, "", "Enter ticks them, up and down move, Esc closes")
        self._notes, self._clusters = notes, clusters
        self._held: tuple[Note, ...] = ()

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        words = clean(typed).strip().casefold()
        self._held = tuple(one for one in self._notes if words and words in one.text.casefold())
        label = f"those that hold {words}" if words else "none"
        alike = (
            Pick(f"{at}", ", ".join(one.words) or "alike in rare words", counted(len(one.notes), "note"))
            for at, one in enumerate(self._clusters)
            if any(words in note.text.casefold() for note in one.notes)
        )
        return (Pick(_TYPED, label, counted(len(self._held), "note") if words else ""), *alike), 0

    def whole(self, pick: Pick) -> str:
        if pick.key == _TYPED:
            return ""
        cluster = self._clusters[int(pick.key)]
        return f"{pick.note} alike in words: {' / '.join(one.text for one in cluster.notes[:3])}"

    def answer(self, key: str) -> tuple[Note, ...]:
        return self._held if key == _TYPED else self._clusters[int(key)].notes
