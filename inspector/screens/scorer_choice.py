"""The dialog that chooses the scorers that stand beside each other."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from inspector.screens.dialog import Dialog
from inspector.widgets.pick_list import Pick, PickList, natural_width


class ScorerChoice(Dialog[tuple[str, ...] | None]):
    """A list with ticks; the answer are the ticked names in the order of the list, None where nothing is to change.

    The scorer in focus is always among them and cannot be unticked. No more than `most` can be ticked.
    """

    HINT = "Space ticks   Enter shows them"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", "Show them"),
        ("escape,q,o", "dismiss(None)", "Close"),
        ("space", "tick", "Tick"),
        ("x", "none", "Untick all"),
    ]

    def __init__(
        self, names: Sequence[str], facts: Sequence[str], ticked: Sequence[str], focus: str, most: int
    ) -> None:
        """`facts` are words on each of the `names`."""
        super().__init__("Scorers beside each other")
        self._names, self._facts, self._focus, self._most = tuple(names), tuple(facts), focus, most
        self._ticked = {name for name in ticked if name in self._names} | {focus}

    @property
    def content_width(self) -> int:
        return natural_width(self._picks)

    def compose_panel(self) -> ComposeResult:
        yield PickList()

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self._show(self._names.index(self._focus) if self._focus in self._names else 0)

    @property
    def _picks(self) -> list[Pick]:
        return [
            Pick(
                name,
                name,
                f"{fact}{'  in focus' if name == self._focus else ''}",
                ticked=name in self._ticked,
                strong=name == self._focus,
            )
            for name, fact in zip(self._names, self._facts, strict=True)
        ]

    def _show(self, cursor: int) -> None:
        self.query_one(PickList).show(self._picks, cursor)

    def action_tick(self) -> None:
        """Tick or untick the scorer under the cursor, and go to the next one."""
        cursor = self.query_one(PickList).cursor
        name = self._names[cursor]
        if name == self._focus:
            self.notify("The scorer in focus is always shown. Focus on another one to leave it out.", markup=False)
        elif name not in self._ticked and len(self._ticked) >= self._most:
            self.notify(f"No more than {self._most} fit beside each other.", markup=False)
        else:
            self._ticked ^= {name}
        # Space moves to the next row, as in other lists with ticks.
        self._show(min(cursor + 1, len(self._names) - 1))

    def action_none(self) -> None:
        """Untick all but the scorer in focus."""
        self._ticked = {self._focus}
        self._show(self.query_one(PickList).cursor)

    def action_take(self) -> None:
        self.dismiss(tuple(name for name in self._names if name in self._ticked))

    def on_pick_list_clicked(self) -> None:
        self.action_tick()
