"""`?`: everything that can be done on a screen, what its marks mean, and what it is for."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from inspector.commands import Command
from inspector.screens.narrowing import Narrowing
from inspector.sentences import GLYPHS, WORDS
from inspector.text import cell
from inspector.widgets.pick_list import Pick

MEANINGS = {
    "exact": "the verdict names the earliest wrong step",
    "early": "it names a step before that one",
    "late": "it names a step after it",
    "missed": "it names no step, though one is wrong",
    "clean": "it names no step, and none is wrong",
    "false_alarm": "it names a step, though none is wrong",
    "unparsed": "an answer from which no verdict can be read",
    "refused": "a case that the scorer could not judge",
}
"""What an outcome is, on a case with a gold label."""


class CommandList(Narrowing[Command]):
    """The command that was chosen; None if it was only closed."""

    def __init__(
        self,
        title: str,
        about: str,
        commands: Sequence[Command],
        keys: Mapping[str, str],
        marks: Sequence[tuple[str, str]] = (),
        columns: Sequence[tuple[str, str]] = (),
    ) -> None:
        """`keys` are those of the commands by their id, as they are written; `marks` are the screen's own marks.

        `columns` are the titles of its columns; of both it is said what they mean.
        """
        super().__init__(title, about, "Enter does it, Esc closes")
        self._commands = {command.id: command for command in commands}
        width = max(map(cell_len, keys.values()), default=0)
        self._picks = [
            Pick(command.id, f"{cell(keys.get(command.id, ''), width)}  {command.title}", command.help)
            for command in commands
        ]
        self._picks += [Pick("", f"{cell('', width)}  {title} (column)", meaning) for title, meaning in columns]
        outcomes = [(GLYPHS[name], f"{WORDS[name]}: {meaning}") for name, meaning in MEANINGS.items()]
        self._picks += [Pick("", f"{cell(mark, width)}  (mark)", meaning) for mark, meaning in (*marks, *outcomes)]

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        words = typed.lower().split()
        if not words:
            return self._picks, 0
        found = [pick for pick in self._picks if all(word in f"{pick.label} {pick.note}".lower() for word in words)]
        # A key that was typed as it is comes first, then the names that begin so.
        return sorted(found, key=lambda pick: _place(pick, typed.strip())), 0

    def answer(self, key: str) -> Command | None:
        return self._commands.get(key)


def _place(pick: Pick, typed: str) -> tuple[bool, bool, bool]:
    key, _, title = pick.label.partition("  ")
    name, start = title.strip().lower(), typed.lower()
    return key.strip() != typed, name != start, not name.startswith(start)
