"""A report taken apart by a parser: its elements, attributes and texts, and what is not of its own templates."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br"}
ELEMENTS = {
    "html": {"lang"},
    "head": set(),
    "meta": {"charset", "http-equiv", "content", "name"},
    "title": set(),
    "style": set(),
    "body": set(),
    "header": set(),
    "nav": {"aria-label"},
    "main": set(),
    "section": {"id", "class"},
    **{f"h{level}": set() for level in range(1, 7)},
    "p": {"class"},
    **{name: set() for name in ("ul", "ol", "li", "dl", "dt", "dd", "details", "summary", "code", "strong", "em")},
    "small": {"class"},
    **{name: set() for name in ("b", "figure", "figcaption", "caption", "thead", "tbody", "tfoot")},
    "a": {"href"},
    "div": {"class"},
    "table": {"class"},
    "tr": {"class"},
    "th": {"class", "scope", "rowspan", "colspan"},
    "td": {"class", "style"},
    "data": {"value"},
    "svg": {"class", "viewbox", "role", "aria-label", "aria-hidden"},
    "desc": set(),
    "text": {"x", "y", "class", "text-anchor"},
    "rect": {"x", "y", "width", "height", "class"},
    "line": {"x1", "y1", "x2", "y2", "class"},
    "circle": {"cx", "cy", "r", "class"},
    "polyline": {"points", "class"},
}
"""Every element that a report's own templates write, and its attributes."""
NUMBER = r"-?\d+(\.\d+)?(e-?\d+)?"
VALUES = {
    "lang": "en",
    "id": r"[a-z]+(-\d+)*",
    "href": r"#[a-z]+(-\d+)*",
    "class": r"[a-z-]+( [a-z-]+)*",
    "style": r"--[hr]:\d(\.\d+)?",
    "scope": "col|row",
    "rowspan": r"\d+",
    "colspan": "2",
    "aria-hidden": "true",
    "role": "img",
    "charset": "utf-8",
    "http-equiv": "Content-Security-Policy",
    "name": "viewport|color-scheme|referrer",
    "text-anchor": "end|middle",
    "viewbox": r"0 0 ((960|500) \d+|180 16)",
    "points": r"([\d.-]+,[\d.-]+ ?)*",
    "value": NUMBER,
    **dict.fromkeys(("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"), NUMBER),
}
"""What the attributes may hold; of those that are not here any text."""


class Parts(HTMLParser):
    """Elements with attributes, texts in order, and what is wrong with them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.wrong: list[str] = []
        self.open: list[str] = []
        self.styles: list[str] = []
        self.policy = ""
        self.title = ""
        self.feed(page)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")

    @property
    def text(self) -> str:
        """All text, and that of attributes, which is seen or read aloud as well."""
        return "\n".join([*self.texts, *(value for _, found in self.elements for value in found.values())])

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in ELEMENTS:
            self.wrong.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ELEMENTS.get(tag, set()):
                self.wrong.append(f"<{tag} {name}>")
            if name in VALUES and not re.fullmatch(VALUES[name], value or ""):
                self.wrong.append(f'<{tag} {name}="{value}">')
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"] or ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_data(self, data):
        if self.open[-1:] == ["style"]:
            self.styles.append(data)
            return
        if self.open[-1:] == ["title"] and "svg" not in self.open:
            self.title += data
        self.texts.append(data)

    def handle_comment(self, data):
        self.wrong.append(f"<!--{data}-->")

    def handle_pi(self, data):
        self.wrong.append(f"<?{data}>")

    def unknown_decl(self, data):
        self.wrong.append(f"<![{data}")
