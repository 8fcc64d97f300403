"""For terminals that have only ASCII: what Textual itself draws, cell for cell in plain characters."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("▌▐▏▕▎▊▋▍▉│┃", "|"),
        **dict.fromkeys("▔▁─━", "-"),
        **dict.fromkeys("▂▃▄▅▆▇█▀", " "),
        "…": "~",
        # It is two cells wide.
        "🔎": "> ",
    }
)
KEYS = {"↑": "up", "↓": "down", "←": "left", "→": "right", "⏎": "enter", "⌫": "backspace"}
"""Names of keys that Textual shows as signs."""


class Plain(LineFilter):
    """Borders, scrollbars and other signs of the toolkit in ASCII. Other text stays as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002  # Textual's own
        """The same cells, those that are no plain text replaced."""
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_PLAIN), segment.style)
            for segment in segments
        ]


def plain_key(shown: str) -> str:
    """A key as it is shown, with its arrow as a word."""
    for arrow, word in KEYS.items():
        shown = shown.replace(arrow, word)
    return shown
