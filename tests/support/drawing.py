"""Screens as one SVG: a picture, or a film that shows one after another.

An SVG that a page shows as an image may neither run a script nor load a font, so a film is keyframes of a style sheet,
and blocks and lines, which fonts draw with gaps, are drawn as shapes. A row that several screens share is there once.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from rich.cells import cell_len

CELL, LINE, BASELINE = 12.2, 24.4, 18.5
_LEFT, _TOP, _FOOT = 9, 41, 10
"""Around the screen: the window's frame and its title."""
_SVG = "{http://www.w3.org/2000/svg}"
_STYLE = re.compile(r"\.[\w-]+-(r\d+) \{ ([^}]*?);? \}")
_FONTS = '"Fira Code","Cascadia Mono",ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'


@dataclass(frozen=True)
class Frame:
    """A screen as `App.export_screenshot` gives it, the keys that led to it, what they did, and how long it stays."""

    screenshot: str
    keys: str = ""
    words: str = ""
    seconds: float = 1


@dataclass
class _Row:
    """What stands on one line: filled boxes by colour, in their order, and texts by style."""

    behind: dict[str, list[str]] = field(default_factory=dict)
    shapes: dict[str, list[str]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def markup(self) -> str:
        paths = [
            f'<path fill="{colour}" d="{"".join(d)}"/>' for of in (self.behind, self.shapes) for colour, d in of.items()
        ]
        return "".join((*paths, *self.texts))


def drawn(frames: Sequence[Frame], title: str) -> str:
    """One SVG of these screens, all of one size; where nothing moves it is the first."""
    styles: dict[str, str] = {}
    known: dict[str, str] = {}
    shown = []
    for number, frame in enumerate(frames):
        width, height, ground, rows = _read(frame.screenshot, styles)
        lines = [
            f'<use href="#{known.setdefault(row.markup(), f"r{len(known)}")}" y="{_short(top + BASELINE)}"/>'
            for top, row in rows
            if row.markup()
        ]
        shown.append(f'<g class="f f{number}">{_caption(frame, width)}{"".join(lines)}</g>')
    outer = _short(width + 2 * _LEFT), _short(height + _TOP + _FOOT)
    return "\n".join(
        (
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {outer[0]} {outer[1]}" role="img" '
                f"aria-label={quoteattr(title)}>"
            ),
            f"<style>{_sheet(styles, [frame.seconds for frame in frames])}</style>",
            "<defs>",
            *(f'<g id="{name}">{markup}</g>' for markup, name in known.items()),
            "</defs>",
            f'<rect width="{outer[0]}" height="{outer[1]}" rx="8" fill="#292929"/>',
            (
                '<g transform="translate(26,22)"><circle r="7" fill="#ff5f57"/><circle cx="22" r="7" fill="#febc2e"/>'
                '<circle cx="44" r="7" fill="#28c840"/></g>'
            ),
            (
                f'<g transform="translate({_LEFT},{_TOP})"><rect width="{_short(width)}" height="{_short(height)}" '
                f'fill="{ground}"/>'
            ),
            *shown,
            "</g></svg>\n",
        )
    )


def _caption(frame: Frame, width: float) -> str:
    """The keys and what they did, in the window's title."""
    keys = f'<tspan class="k">{escape(frame.keys)}</tspan>{"  " if frame.keys and frame.words else ""}'
    return f'<text class="t" x="{_short(width / 2)}" y="-13">{keys}{escape(frame.words)}</text>'


def _sheet(styles: dict[str, str], seconds: list[float]) -> str:
    rules = [
        f"text{{font:20px {_FONTS};white-space:pre}}",
        "path{shape-rendering:crispEdges}",
        ".t{fill:#c5c8c6;text-anchor:middle}.k{fill:#e8a73d;font-weight:bold}",
        *(f".{name}{{{style}}}" for style, name in styles.items()),
    ]
    if len(seconds) > 1:
        whole = sum(seconds)
        ends = [f"{100 * end / whole:.3f}".rstrip("0").rstrip(".") for end in accumulate(seconds, initial=0)]
        moving = "".join(
            f".f{number}{{animation:s{number} {whole:g}s step-end infinite}}" for number in range(len(seconds))
        )
        rules += [
            ".f{visibility:hidden}.f0{visibility:visible}",
            f"@media (prefers-reduced-motion:no-preference){{{moving}}}",
        ]
        for number, (begin, end) in enumerate(pairwise(ends)):
            before = "" if number == 0 else "0%{visibility:hidden}"
            after = "" if end == "100" else f"{end}%{{visibility:hidden}}"
            last = "visible" if end == "100" else "hidden"
            rules.append(
                f"@keyframes s{number}{{{before}{begin}%{{visibility:visible}}{after}100%{{visibility:{last}}}}}"
            )
    return "\n".join(rules)


def _read(screenshot: str, styles: dict[str, str]) -> tuple[float, float, str, list[tuple[float, _Row]]]:
    """Width, height, the commonest background and the rows of a screenshot; its styles get the names of all frames."""
    root = ET.fromstring(screenshot)  # noqa: S314  # the app's own
    own = dict(_STYLE.findall(root.findtext(f"{_SVG}style") or ""))
    box = root.find(f"{_SVG}defs/{_SVG}clipPath/{_SVG}rect")
    screen = root.findall(f"{_SVG}g")[-1]
    assert box is not None
    width, height = (float(box.get(side, 0)) + 1 for side in ("width", "height"))
    boxes = [(float(one.get("y", 0)) - 1.5, one) for one in screen.findall(f"{_SVG}rect")]
    area: dict[str, float] = {}
    for _, one in boxes:
        area[one.get("fill", "")] = area.get(one.get("fill", ""), 0) + float(one.get("width", 0))
    ground = max(sorted(area), key=area.__getitem__)
    rows: dict[float, _Row] = {}
    for top, one in boxes:
        row = rows.setdefault(round(top, 1), _Row())
        if (colour := one.get("fill", "")) != ground:
            _join(row.behind.setdefault(colour, []), float(one.get("x", 0)), float(one.get("width", 0)))
    for text in screen.iter(f"{_SVG}text"):
        row = rows.setdefault(round(float(text.get("y", 0)) - 20, 1), _Row())
        style = own[text.get("class", "").rpartition("-")[2]].replace(": ", ":").rstrip(";")
        _write(row, float(text.get("x", 0)), text.text or "", style, styles)
    return width, height, ground, sorted(rows.items())


def _join(boxes: list[str], x: float, width: float) -> None:
    """Add a box as high as the line, as one with the box that ends where it begins."""
    if boxes and (last := re.fullmatch(r"M([\d.]+) -18.5h([\d.]+)v24.7H\1z", boxes[-1])):
        begin, before = float(last[1]), float(last[2])
        if abs(begin + before - x) < 0.15:
            x, width = begin, before + width
            boxes.pop()
    boxes.append(f"M{_short(x)} -18.5h{_short(width)}v24.7H{_short(x)}z")


_WORDS = re.compile("[\u2500\u2502\u2580-\u2590\u2594\u2595]+|[^\u2500\u2502\u2580-\u2590\u2594\u2595]+")


def _write(row: _Row, x: float, text: str, style: str, styles: dict[str, str]) -> None:
    """Put a text of one style at x: words as text, blocks and lines as shapes."""
    colour = re.search(r"fill:(#\w+)", style)
    for part in _WORDS.findall(text.replace("\xa0", " ")):
        cells = cell_len(part)
        if _shape(part[0], 0):
            at = (_shape(char, x + number * CELL) for number, char in enumerate(part))
            row.shapes.setdefault(colour[1] if colour else "#fff", []).extend(at)
        elif words := part.strip():
            begin = x + (len(part) - len(part.lstrip())) * CELL
            name = styles.setdefault(style, f"c{len(styles)}")
            spaced = escape(words.replace("  ", "\xa0\xa0").replace("\xa0 ", "\xa0\xa0"))
            length = f' textLength="{_short(cell_len(words) * CELL)}"' if len(words) > 1 else ""
            row.texts.append(f'<text class="{name}" x="{_short(begin)}"{length}>{spaced}</text>')
        x += cells * CELL


def _shape(char: str, x: float) -> str:
    """A block or a line as a path, or nothing for another character."""
    code, left, top, wide, high = ord(char), 0.0, 0.0, 1.0, 1.0
    if 0x2581 <= code <= 0x2588:
        high = (code - 0x2580) / 8
        top = 1 - high
    elif 0x2589 <= code <= 0x258F:
        wide = (0x2590 - code) / 8
    elif char in "▀▔":
        high = 1 / 2 if char == "▀" else 1 / 8
    elif char in "▐▕":
        wide = 1 / 2 if char == "▐" else 1 / 8
        left = 1 - wide
    elif char == "─":
        top, high = 0.47, 0.06
    elif char == "│":
        left, wide = 0.44, 0.12
    else:
        return ""
    begin, width = x + left * CELL, wide * CELL
    return f"M{_short(begin)} {_short(top * LINE - BASELINE)}h{_short(width)}v{_short(high * LINE)}H{_short(begin)}z"


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
