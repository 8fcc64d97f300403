"""Elements of HTML and SVG, and the one place where text becomes part of them.

A page is built of elements and texts. No function here or elsewhere in this package takes markup that is written out,
but for the style sheet, which is a file of the program.
"""

import html
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from inspector.render.texts.short_names import short_name
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


# -- pictures in SVG: shapes by name, with a title and a description for who cannot see them
#
# Colours are classes that the page's style sheet gives, so that a picture is readable in light, in dark and on paper.


WIDTH = 960
LETTER = 6.9
"""Units that a letter of a label takes, about."""
NAME = 34
"""Letters of a name at most; the whole of it is in the tooltip."""
ROW = 24


def picture(height: float, title: str, described: str, *shapes: Element) -> Element:
    """Make a picture of WIDTH units and a height, with its title and description."""
    return element(
        "svg",
        element("title", title),
        element("desc", described),
        *shapes,
        class_="chart",
        viewBox=f"0 0 {WIDTH} {height:.0f}",
        role="img",
        aria_label=title,
    )


def words(text: str, x: float, y: float, class_: str = "", anchor: str | None = None) -> Element:
    """Draw a line of text; `anchor` is `middle` or `end`, None = it begins at x."""
    return element("text", text, x=x, y=y, class_=class_ or None, text_anchor=anchor)


def name_label(name: str, x: float, y: float, among: Sequence[str] = ()) -> Element:
    """Draw a name that ends at x; a long one is shortened as usual `among` others, and its tooltip has the whole."""
    return element("text", short_name(name, NAME, among), element("title", name), x=x, y=y, text_anchor="end")


def box(x: float, y: float, width: float, height: float, class_: str, title: str = "") -> Element:
    """Draw a rectangle, with a tooltip."""
    tooltip = (element("title", title),) if title else ()
    return element("rect", *tooltip, x=x, y=y, width=max(0.0, width), height=max(0.0, height), class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Element:
    """Draw a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def width_of(text: str) -> float:
    """Estimate how wide a label is."""
    return LETTER * len(text)
