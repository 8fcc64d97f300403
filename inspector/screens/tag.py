"""The tag dialog: words to put on cases, or to take away."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Static

from inspector.screens.typed_ahead import TypedAhead
from inspector.tag_words import completed, typed_tags
from inspector.text import clean
from inspector.widgets.typing_line import TypingLine

Typed = tuple[tuple[str, ...], tuple[str, ...]]
"""Tags to put on, tags to take away."""
IN_USE = 20
"""Tags that are listed."""


class TagSuggester(Suggester):
    """Completes the word that is being typed to a tag in use."""

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._tags = tags

    async def get_suggestion(self, value: str) -> str | None:
        """The whole line with its last word completed."""
        return completed(value, self._tags)


class TagDialog(TypedAhead[Typed | None]):
    """Asks for tags; None if nothing is to be done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "Close"),
        ("tab", "complete", "Complete"),
    ]

    def __init__(self, title: str, present: Sequence[str], in_use: Mapping[str, int]) -> None:
        """`title` says what is tagged, `present` are the tags it has, `in_use` all tags with how many cases have it."""
        super().__init__()
        self._title = title
        self._present = present
        self._in_use = in_use

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(clean(self._title)), classes="strong")
            if self._present:
                yield Static(Content(clean(f"It has: {', '.join(self._present)}")))
            yield TypingLine(placeholder="tags, -tag takes one away", suggester=TagSuggester(list(self._in_use)))
            if self._in_use:
                listed = ", ".join(f"{tag} {count:,}" for tag, count in list(self._in_use.items())[:IN_USE])
                more = f" and {len(self._in_use) - IN_USE} more" if len(self._in_use) > IN_USE else ""
                yield Static(Content(clean(f"In use: {listed}{more}")), classes="dim")
            yield Static(Content("Enter does it, Tab completes, Esc closes"), classes="dim")

    def action_complete(self) -> None:
        """Take the completion, if there is one."""
        box = self.query_one(Input)
        whole = completed(box.value, list(self._in_use))
        if whole is not None:
            box.value = whole
            box.action_end()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        typed = typed_tags(event.value)
        self.dismiss(typed if any(typed) else None)
