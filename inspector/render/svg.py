"""Pictures in SVG: shapes by name, with a title and a description for who cannot see them."""

from collections.abc import Sequence

from inspector.render.elements import Element, element
from inspector.render.texts.short_names import short_name

WIDTH = 960
LETTER = 6.9
"""Units that a letter of a label takes, about."""
NAME = 34
"""Letters of a name at most; the whole of it is in the tooltip."""
ROW = 24


def picture(height: float, title: str, described: str, *shapes: Element, width: int = WIDTH) -> Element:
    """Make an SVG image of a width and a height in units, with a title and a description."""
    return element(
        "svg",
        element("title", title),
        element("desc", described),
        *shapes,
        class_="chart" if width == WIDTH else "chart small",
        viewBox=f"0 0 {width} {height:.0f}",
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
