"""Elements of HTML and SVG, and the one place where text becomes part of them.

A page is built of elements and texts. No function here or elsewhere in this package takes markup that is written out,
but for the style sheet, which is a file of the program.
"""

import html
import re
from collections.abc import Callable
from typing import NamedTuple

from inspector.render.texts.text import clean

VOID = frozenset({"meta", "br"})
"""Elements without content and end."""
_STYLE = "style"
_PLAIN = re.compile(r"[\w .,:;()\[\]%/=+-]*", re.ASCII)
"""Most texts: numbers and names, in which nothing acts and nothing is markup."""


class Element(NamedTuple):
    """An element with its attributes, in the order they are written, and its children."""

    name: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple["Element | str", ...]


def element(name: str, /, *children: "Element | str", **attributes: str | float | None) -> Element:
    """Make an element; texts among the children, and values of attributes, may hold anything.

    An attribute's name has `-` for `_` and loses one at its end (`class_`); one that is None is left out.
    """
    set_values = [(key, value) for key, value in attributes.items() if value is not None]
    return Element(
        name, tuple((key.rstrip("_").replace("_", "-"), number(value)) for key, value in set_values), children
    )


def number(value: str | float) -> str:
    """Write a number as short as two digits after the point allow; a text as it is."""
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def escaped(text: str) -> str:
    """Escape any text as literal text of HTML and SVG, between elements and in attributes between double quotes.

    What could act without being markup goes as well: control characters and overrides of direction
    (`inspector.render.texts.text`).
    """
    return text if _PLAIN.fullmatch(text) else html.escape(clean(text, lines=True), quote=True)


def rendered(node: "Element | str") -> str:
    """Render a node as HTML."""
    pieces: list[str] = []
    _render(node, pieces.append)
    return "".join(pieces)


def _render(node: "Element | str", put: Callable[[str], None]) -> None:
    if isinstance(node, str):
        put(escaped(node))
        return
    put(f"<{node.name}")
    for name, value in node.attributes:
        put(f' {name}="{escaped(value)}"')
    put(">")
    if node.name in VOID:
        return
    for child in node.children:
        if node.name == _STYLE and isinstance(child, str):
            # A style sheet holds no references to characters; this one is the program's own.
            put(child)
        else:
            _render(child, put)
    put(f"</{node.name}>")


#
# Colours are classes that the page's style sheet gives, so that a picture is readable in light, in dark and on paper.
