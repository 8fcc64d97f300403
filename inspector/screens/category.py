"""The category dialog: one that there is, found by a part of its name, or a new one."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from inspector.screens.narrowing import Narrowing
from inspector.sentences import counted
from inspector.text import clean
from inspector.triage.categories import category_name, ranked, typed_category
from inspector.widgets.pick_list import Pick

_NEW, _OLD, _NONE = "n", "o", "-"
"""How keys of lines begin: a new category, one that there is, none."""


class CategoryDialog(Narrowing[str]):
    """Asks for a category; "" takes notes out of theirs, None leaves them where they are."""

    PLACEHOLDER: ClassVar[str] = "a part of a category's name, or a new one"

    def __init__(self, title: str, present: Mapping[str, int], *, out: bool) -> None:
        """`title` says what is put there, `present` the categories with their notes; `out` offers none as well."""
        super().__init__(title, "", "Enter takes the line, up and down move, Esc closes")
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
