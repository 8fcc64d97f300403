"""Elements of HTML and SVG, and the one place where text becomes part of them.

A page is built of elements and texts. No function here or elsewhere in this package takes markup that is written out,
but for the style sheet, which is a file of the program.
"""

import html
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.text import clean

VOID = frozenset({"meta", "br"})
"""Elements without content and end."""
_STYLE = "style"


@dataclass(frozen=True)
class Element:
    """An element with its attributes, in the order they are written, and its children."""

    name: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple["Element | str", ...]


def element(name: str, /, *children: "Element | str", **attributes: str | float | None) -> Element:
    """An element; texts among the children, and values of attributes, may hold anything.

    An attribute's name has `-` for `_` and loses one at its end (`class_`); one that is None is left out.
    """
    told = ((key.removesuffix("_").replace("_", "-"), value) for key, value in attributes.items())
    return Element(name, tuple((key, number(value)) for key, value in told if value is not None), children)


def number(value: str | float) -> str:
    """A number as short as two digits after the point allow; a text as it is."""
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def escaped(text: str) -> str:
    """Any text as literal text of HTML and SVG, between elements and in attributes between double quotes.

    What could act without being markup goes as well: control characters and overrides of direction (`inspector.text`).
    """
    return html.escape(clean(text, lines=True), quote=True)


def rendered(node: "Element | str") -> str:
    """A node as HTML."""
    return "".join(_pieces(node))


def _pieces(node: "Element | str") -> Iterator[str]:
    if isinstance(node, str):
        yield escaped(node)
        return
    attributes = "".join(f' {name}="{escaped(value)}"' for name, value in node.attributes)
    yield f"<{node.name}{attributes}>"
    if node.name in VOID:
        return
    for child in node.children:
        # A style sheet holds no references to characters; this one is the program's own.
        yield from (child,) if node.name == _STYLE and isinstance(child, str) else _pieces(child)
    yield f"</{node.name}>"
