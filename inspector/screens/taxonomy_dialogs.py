"""The lists of the taxonomy in which one types: of categories to put notes into, and of notes to tick."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.screens.dialog import Narrowing
from inspector.state.triage.categories import category_name, ranked, typed_category
from inspector.widgets.pick_list import Pick
from scoring.evaluation.similar import NoteCluster
from scoring.workspace.triage.case_notes import CaseNote

_NEW, _OLD, _NONE = "n", "o", "-"
"""How keys of lines begin: a new category, one that there is, none."""
_TYPED = "typed"
"""The key of the line of notes that hold what was typed; those of clusters are their numbers."""


class CategoryDialog(Narrowing[str]):
    """Asks for a category, there or new; "" takes notes out of theirs, None leaves them where they are."""

    PLACEHOLDER: ClassVar[str] = "a part of a category's name, or a new one"
    ENTER = "Put it there"

    def __init__(self, title: str, present: Mapping[str, int], *, out: bool) -> None:
        """`title` says what is put there, `present` the categories with their notes; `out` offers none as well."""
        super().__init__(title)
        self._present, self._out = present, out

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        names = list(self._present)
        picks = [
            Pick(f"{_OLD}{name}", name, counted(self._present[name], "note")) for name in ranked(names, clean(typed))
        ]
        if clean(typed).strip() and typed_category(typed, names) not in self._present:
            picks.append(Pick(f"{_NEW}{category_name(typed)}", category_name(typed), "a new category"))
        elif not clean(typed).strip() and self._out:
            picks.append(Pick(_NONE, "(in none)", "take them out of their category"))
        return picks, 0

    def answer(self, key: str) -> str:
        return key[1:]


class TickDialog(Narrowing[tuple[CaseNote, ...]]):
    """Ends with the notes to tick, which may be none; None where it was only closed."""

    PLACEHOLDER: ClassVar[str] = "a word or more; nothing unticks all"
    ENTER = "Tick them"

    def __init__(self, title: str, notes: Sequence[CaseNote], clusters: Sequence[NoteCluster]) -> None:
        """`notes` are those that can be ticked, `clusters` those of them that are alike."""
        super().__init__(title)
        self._notes, self._clusters = notes, clusters
        self._held: tuple[CaseNote, ...] = ()

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        words = clean(typed).strip().casefold()
        self._held = tuple(note for note in self._notes if words and words in note.text.casefold())
        label = f"those that hold {words}" if words else "none"
        alike = (
            Pick(f"{at}", ", ".join(cluster.words) or "alike in rare words", counted(len(cluster.notes), "note"))
            for at, cluster in enumerate(self._clusters)
            if any(words in note.text.casefold() for note in cluster.notes)
        )
        return (Pick(_TYPED, label, counted(len(self._held), "note") if words else ""), *alike), 0

    def whole(self, pick: Pick) -> str:
        if pick.key == _TYPED:
            return ""
        cluster = self._clusters[int(pick.key)]
        return f"{pick.note} alike in words: {' / '.join(note.text for note in cluster.notes[:3])}"

    def answer(self, key: str) -> tuple[CaseNote, ...]:
        return self._held if key == _TYPED else self._clusters[int(key)].notes
