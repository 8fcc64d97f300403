"""Pages for people as plain text, held to what every page must keep to."""

from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

ACTING = set("\x1b\x07\x00\u202e\u200b\r")


def plain(lines, width):
    """The page's lines as text; fails where one is wider than `width` or holds what could act on a terminal."""
    out = StringIO()
    console = Console(file=out, width=width, highlight=False, emoji=False, markup=False)
    for line in lines:
        console.print(line, soft_wrap=isinstance(line, Text))
    found = out.getvalue().splitlines()
    assert [line for line in found if cell_len(line) > width] == []
    assert not ACTING & set("".join(found))
    return "\n".join(line.rstrip() for line in found)
