"""Changed cells of a screen, written in few bytes."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from rich.color import ColorSystem
from rich.console import Console
from rich.control import Control
from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor

RESET = "\x1b[0m"
SHOWN_ON_BLANKS = frozenset({"4", "5", "6", "7", "9", "21", "51", "52", "53"})
"""Attributes that blanks show, such as underline and reverse; they do not show bold and the colour of text."""

END_OF = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29"}
"""Attribute -> the code that ends it."""


class SgrCodes(NamedTuple):
    """The SGR codes of a style: attributes such as bold, and both colours ("" for the terminal's own)."""

    attributes: frozenset[str]
    foreground: str
    background: str


class SpanUpdate(ChopsUpdate):
    """The changed spans of lines. Textual 8.2 writes each from the left edge of its widget."""

    def render_segments(self, console: Console) -> str:
        return "".join(written_segments(self._segments(), console))

    def _segments(self) -> Iterator[Segment]:
        """Yield the segments of all spans, each span after the move to its first cell."""
        for y, first, last in self.spans:
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                if strip is None or x >= last or end <= first:
                    continue
                start = max(x, first)
                yield Control.move_to(start, y).segment
                yield from strip if start == x and end <= last else strip.crop(start - x, min(end, last) - x)


class SpanCompositor(Compositor):
    """Writes only changed spans: over a slow connection, the rest of their lines need not be sent again."""

    def render_partial_update(self) -> ChopsUpdate | None:
        update = super().render_partial_update()
        return None if update is None else SpanUpdate(update.chops, update.spans, update.chop_ends)


def written_segments(segments: Iterable[Segment], console: Console) -> Iterator[str]:
    """Yield the text of segments with the escape sequences that change between them.

    Rich resets and names both colours for each segment, which takes some 40 bytes.
    """
    system = console._color_system or ColorSystem.TRUECOLOR  # noqa: SLF001  # as Textual does
    before = ""
    for text, style, control in segments:
        if control:
            # A move of the cursor leaves the style as it is.
            yield text
            continue
        if style is not None and style.link:
            yield from (RESET if before else "", style.render(text, color_system=system))
            before = ""
            continue
        codes = "" if style is None else style._make_ansi_codes(system)  # noqa: SLF001
        if text.isspace():
            codes = codes_of_blanks(before, codes)
        if codes != before:
            yield changed_codes(before, codes)
            before = codes
        yield text
    if before:
        yield RESET


@cache
def codes_of_blanks(before: str, after: str) -> str:
    """Return codes with which blanks look as with the codes `after`: what blanks do not show stays as `before`."""
    old, new = parse_codes(before), parse_codes(after)
    if (old.attributes | new.attributes) & SHOWN_ON_BLANKS or (old.background and not new.background):
        return after
    return ";".join(filter(None, (*sorted(old.attributes, key=int), old.foreground, new.background)))


@cache
def changed_codes(before: str, after: str) -> str:
    """Return the shortest sequence that leads from the SGR codes `before` to the codes `after`."""
    old, new = parse_codes(before), parse_codes(after)
    ended = {END_OF[code] for code in old.attributes - new.attributes if code in END_OF}
    # One code ends bold and dim alike.
    kept = {code for code in old.attributes & new.attributes if END_OF.get(code) not in ended}
    changes = [*sorted(ended, key=int), *sorted(new.attributes - kept, key=int)]
    grounds = (("39", old.foreground, new.foreground), ("49", old.background, new.background))
    changes += [new_colour or default for default, old_colour, new_colour in grounds if old_colour != new_colour]
    stepwise, anew = f"\x1b[{';'.join(changes)}m", f"\x1b[0;{after}m" if after else RESET
    known = all(code in END_OF for code in old.attributes - new.attributes)
    return min(stepwise, anew, key=len) if known else anew


def parse_codes(codes: str) -> SgrCodes:
    """Read SGR codes as Rich writes them."""
    attributes, colours = set[str](), {"3": "", "4": ""}
    parts = iter(codes.split(";") if codes else ())
    for part in parts:
        ground = {"38": "3", "48": "4"}.get(part)
        if ground is not None:
            kind = next(parts)
            colours[ground] = ";".join((part, kind, *(next(parts) for _ in range(3 if kind == "2" else 1))))
        elif len(part) > 1 and part[:-1] in {"3", "4", "9", "10"}:
            colours["3" if part[:-1] in {"3", "9"} else "4"] = part
        else:
            attributes.add(part)
    return SgrCodes(frozenset(attributes), colours["3"], colours["4"])
