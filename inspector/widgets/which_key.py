"""What may follow a first key."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from inspector.text import cell

GAP = 3
"""Cells between columns."""


class WhichKey(Widget, can_focus=False):
    """Keys and what they do, in as many columns as there is room for. It lies over what is above the footer."""

    COMPONENT_CLASSES = {"key-panel--key", "key-panel--title"}  # noqa: RUF012  # Textual declares it
    DEFAULT_CSS = """
    WhichKey {
        layer: above;
        dock: bottom;
        height: auto;
        margin-bottom: 1;
        padding: 0 1;
        background: $panel;
        border-top: tall $frame;
        & > .key-panel--key { text-style: bold; color: $footer-key-foreground; }
        & > .key-panel--title { color: $dim; }
    }
    """

    def __init__(self, title: str, keys: Sequence[tuple[str, str]]) -> None:
        """`keys` are the keys that may follow, as people write them, each with what it does."""
        super().__init__()
        self._title, self._keys = title, keys

    def render(self) -> Text:
        key_style = self.get_component_rich_style("key-panel--key")
        title_style = self.get_component_rich_style("key-panel--title")
        return panel(self._title, self._keys, self.size.width or self.app.size.width, key_style, title_style)


def panel(
    title: str, keys: Sequence[tuple[str, str]], width: int, key_style: Style | str = "", title_style: Style | str = ""
) -> Text:
    """Lay the keys out in columns, read downwards."""
    widest = max((cell_len(f"{key} {does}") for key, does in keys), default=0) + GAP
    columns = max(1, (width - 2 + GAP) // widest) if widest else 1
    rows = -(-len(keys) // columns)
    text = Text(no_wrap=True)
    text.append(title, title_style)
    for row in range(rows):
        text.append("\n")
        for key, does in keys[row::rows]:
            text.append(key, key_style)
            text.append(cell(f" {does}", widest - cell_len(key)))
    return text
