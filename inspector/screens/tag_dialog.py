"""The tag dialog: words to put on cases, or to take away."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Static

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import cell, clean
from inspector.screens.dialog import TypedAhead
from inspector.screens.tag_words import completed, offered_tags, typed_tags
from inspector.widgets.text_editor import TypingLine
from scoring.formats.benchmarks.benchmark_registry import error_types

Typed = tuple[tuple[str, ...], tuple[str, ...]]
"""Tags to put on, tags to take away."""
IN_USE = 20
"""Tags that are listed."""
NUMBERED = 9
"""Tags for which a digit stands."""


def in_columns(words: Sequence[str], width: int) -> list[str]:
    """Return words below each other in as many columns as fit into so many cells, of equal width."""
    longest = max(map(cell_len, words), default=0) + 2
    rows = -(-len(words) // max(1, width // longest))
    return ["".join(cell(word, longest) for word in words[row::rows]).rstrip() for row in range(rows)]


class TagSuggester(Suggester):
    """Completes the word that is being typed to a tag in use."""

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._tags = tags

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole line with its last word completed, where that goes on from what was typed."""
        whole = completed(value, self._tags)
        return whole if whole is not None and whole.startswith(value) else None


class TagDialog(TypedAhead[Typed | None]):
    """Asks for tags; None if nothing is to be done."""

    ENTER = "Tag"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "Close"),
        ("tab", "complete", "Complete"),
    ]

    def __init__(self, title: str, present: Sequence[str], in_use: Mapping[str, int], own: Sequence[str] = ()) -> None:
        """Ask for tags of cases.

        Args:
            title: what is tagged.
            present: the tags that it has.
            in_use: all tags, with how many cases have each.
            own: the error types of the benchmark at hand; those of other benchmarks are completed.
        """
        super().__init__(title)
        self._present = present
        self._in_use = in_use
        self._offered = offered_tags(in_use, own)
        self._known = offered_tags(self._offered, error_types())

    def compose_panel(self) -> ComposeResult:
        if self._present:
            yield Static(Content(clean(f"It has: {', '.join(self._present)}")))
        placeholder = "tags, or their digits; -tag takes one away"
        yield TypingLine(placeholder=placeholder, suggester=TagSuggester(self._known), compact=True)
        yield Static(Content(clean(self._listed(), lines=True)), classes="dim")

    def _listed(self) -> str:
        """The tags that are offered: the first nine with their digits, one below the other, then others in use."""
        used = {tag: f" ({self._in_use[tag]:,})" for tag in self._offered if tag in self._in_use}
        numbered = [f"{at} {tag}{used.get(tag, '')}" for at, tag in enumerate(self._offered[:NUMBERED], 1)]
        others = [f"{tag}{count}" for tag, count in list(used.items())[NUMBERED:IN_USE]]
        left = len(self._known) - len(numbered) - len(others)
        what = f"{left:,} more" if numbered else counted(left, "error type")
        more = f"{what}, which Tab completes" if left else ""
        behind = " and ".join(filter(None, (", ".join(others), more)))
        return "\n".join((*in_columns(numbered, self.line_width), *([behind] if behind else ())))

    def action_complete(self) -> None:
        """Take the completion, if there is one."""
        box = self.query_one(Input)
        whole = completed(box.value, self._known)
        if whole is not None:
            box.value = whole
            box.action_end()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        typed = typed_tags(event.value, self._offered[:NUMBERED])
        self.dismiss(typed if any(typed) else None)
