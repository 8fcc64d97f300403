"""A vote laid out for the critique pane: lines, and the spots in them that do something when they are chosen."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from msgspec import Struct, field
from rich.cells import cell_len

from inspector.case_page.prose import FOUND, in_raw
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.state.answer_blocks import ANSWER, AnswerBlock
from inspector.state.marked_text import ReadableText, TextMark, WrappedLine, placed_lines, readable
from inspector.state.step_numbering import Numbering
from inspector.widgets.key_table.key_words import USUAL, KeyWords
from inspector.widgets.line_view import Line
from scoring.evaluation.verdicts import Rule
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_spans import occurs, spans

HIT = -2
"""The name of the mark of what a search found."""
CHOSEN = "chosen"
"""The style of the spot on which the cursor is."""
GUTTER = 2
"""Cells at the left in which the lines of what was read have a sign."""


class PageSpot(Struct, frozen=True):
    """What can be chosen on a page, in its order: a `step` (0-based) to go to, or a block to fold and unfold.

    `aside` says of a block that others unfold before it where none is chosen.

    `places` are (line, first cell, cell behind the last) on which it lies; a mention may be broken over two lines.
    """

    places: tuple[tuple[int, int, int], ...]
    step: int | None = None
    fold: int | None = None
    aside: bool = False


class CritiquePage(Struct, frozen=True):
    """The lines and spots; `answer_at` is the line of what was read."""

    lines: tuple[Line, ...]
    spots: tuple[PageSpot, ...]
    answer_at: int | None = None


class Reader(Struct, frozen=True):
    """Who reads a page: what the numbers of mentions mean (`numbering`; None = that is not known, and no mention can be
    chosen), the `rule` by which a rating says that its step is wrong, cells of width, formulas as written or not, the
    signs, what was searched for in answers, and the `verdict` (0-based step of the case; None = it names none) that was
    read, and the `keys` that hints name.
    """

    numbering: Numbering | None
    rule: Rule
    width: int
    glyphs: Glyphs
    raw: bool = False
    search: TextQuery | None = None
    verdict: int | None = None
    keys: KeyWords = USUAL


class _Layout(Struct):
    """A page that is being made; `chosen` is the place of the spot on which the cursor is."""

    reader: Reader
    chosen: int | None
    lines: list[Line] = field(default_factory=list)
    spots: list[PageSpot] = field(default_factory=list)
    answer_at: int | None = None

    @property
    def width(self) -> int:
        """Cells of the page."""
        return self.reader.width

    def say(self, text: str, style: str = "dim") -> None:
        """Words of our own."""
        for line in wrap(clean(text), self.width):
            self.lines.append(Line([(line, style)]))

    def piece(self, at: int, block: AnswerBlock, *, folded: bool) -> None:
        """A block of text, or what stands for it while it is folded."""
        if block.folds:
            self.fold(at, block, folded=folded)
        elif block.title:
            self.say(block.title)
        if not folded:
            self.text(block)

    def ratings(self, block: AnswerBlock) -> None:
        """Numbers beside the steps that they are of, as many in a line as fit."""
        self.say(block.title)
        numbering, cross = self.reader.numbering, "x" if self.reader.glyphs.ascii_only else "✗"
        parts: list[TextPart] = []
        used = 0
        for at, (rating, redundancy) in enumerate(block.ratings):
            step = at if numbering is None or at in numbering.steps else None
            name = f"step {at}"
            wrong = bool(self.reader.rule.wrong(np.array([rating]))[0])
            words = f" {_rating_words(rating, self.reader.rule.threshold)}{cross if wrong else ''}"
            words += "" if redundancy is None else f" redundancy {redundancy:+.4g}"
            size = len(name) + len(words) + GUTTER
            if used and used + size > self.width:
                self.lines.append(Line(parts))
                parts, used = [], 0
            place = (len(self.lines), used, used + len(name))
            style = "stranger" if step is None else self.spot(PageSpot((place,), step=step))
            parts += [(name, style), (words + " " * GUTTER, "bad" if wrong else "good")]
            used += size
        self.lines.append(Line(parts))

    def heading(self, block: AnswerBlock) -> None:
        """What stands above the calls about one step."""
        name = f"step {block.step}"
        self.lines.append(Line([]))
        spot = self.spot(PageSpot(((len(self.lines), 0, len(name)),), step=block.step))
        self.lines.append(Line([(name, f"{spot} strong"), (f"  {block.title}", "strong")]))

    def fold(self, at: int, block: AnswerBlock, *, folded: bool) -> None:
        """The line that a block folds into, or that stands above it."""
        sign = (("+" if folded else "-") if self.reader.glyphs.ascii_only else ("▸" if folded else "▾")) + " "
        words = f"{sign}{block.title}, {len(block.text):,} characters"
        words += " (what was read stands in it)" if folded and block.holds_answer else ""
        hit = folded and not block.prompt and self.reader.search and occurs(self.reader.search, block.text)
        words += " (what was searched for stands in it)" if hit else ""
        line = wrap(words, self.width)[0]
        spot = self.spot(PageSpot(((len(self.lines), 0, cell_len(line)),), fold=at, aside=block.prompt))
        self.lines.append(Line([(line, spot or "dim")]))

    def spot(self, spot: PageSpot) -> str:
        """Add a spot; the style that says so where it is the chosen one."""
        self.spots.append(spot)
        return CHOSEN if len(self.spots) - 1 == self.chosen else "" if spot.step is None else "link"

    def text(self, block: AnswerBlock) -> None:
        """A block's text, wrapped, with what is marked in it."""
        raw = self.reader.raw or block.prompt
        prepared = _readable(block.text.rstrip(), block.marks, raw)
        if prepared.raw and not raw:
            self.say("(as written: a formula around what was read cannot be shown otherwise)")
        lines = list(placed_lines(prepared.text, max(1, self.width - GUTTER)))
        styles = self._styles(prepared, lines, len(self.lines))
        sign = (">" if self.reader.glyphs.ascii_only else "»").ljust(GUTTER)
        every = [*zip(prepared.marks, styles, strict=True), *self._hits(block, prepared)]
        over = _over([mark for mark, _ in every], lines)
        for number, line in enumerate(lines):
            marks = [every[at] for at in over.get(number, ())]
            read = any(mark.name == ANSWER for mark, _ in marks)
            if read and self.answer_at is None:
                self.answer_at = len(self.lines)
            margin = (sign, "gold") if read else (" " * GUTTER, "")
            self.lines.append(Line([margin, *_parts(line, marks)]))

    def _hits(self, block: AnswerBlock, prepared: ReadableText) -> Iterator[tuple[TextMark, str]]:
        """Where a search found something in the text as it is shown; of hits in the raw text alone there are words."""
        if not self.reader.search or block.prompt:
            return
        places = spans(self.reader.search, prepared.text)
        if not places and occurs(self.reader.search, block.text):
            self.say(in_raw(self.reader.keys), f"dim {FOUND}")
        yield from ((TextMark(*place, HIT), FOUND) for place in places)

    def _styles(self, prepared: ReadableText, lines: Sequence[WrappedLine], first: int) -> list[str]:
        """The style of each mark, the spots of those that name a step of the case made."""
        styles = []
        for mark in prepared.marks:
            step, plain = self._meaning(mark)
            if step is None:
                styles.append(plain)
            else:
                here = self.spot(PageSpot(tuple(_places(mark, lines, first)), step=step))
                styles.append(here if here == CHOSEN or not plain else plain)
        return styles

    def _meaning(self, mark: TextMark) -> tuple[int | None, str]:
        """The step (0-based) that a mark leads to, None for none, and its style where it is not that of a link."""
        if mark.name == ANSWER:
            return self.reader.verdict, "match strong"
        if self.reader.numbering is None:
            return None, ""
        step = self.reader.numbering.step(mark.name)
        return step, "" if step is not None else "stranger"


def page_of(
    blocks: Sequence[AnswerBlock], notes: Sequence[str], reader: Reader, *, unfolded: frozenset[int], chosen: int | None
) -> CritiquePage:
    """Lay out the blocks.

    Args:
        blocks: of one answer.
        notes: sentences of our own, to stand above.
        reader: who reads it.
        unfolded: the places (0-based) of blocks that are not folded.
        chosen: the place of the spot on which the cursor is.
    """
    layout = _Layout(reader, chosen)
    for note in (*notes, *_strangers(blocks, reader.numbering)):
        layout.say(note)
    for at, block in enumerate(blocks):
        if block.ratings:
            layout.ratings(block)
        elif not block.text and block.step is not None:
            layout.heading(block)
        else:
            layout.piece(at, block, folded=block.folds and at not in unfolded)
    return CritiquePage(tuple(layout.lines), tuple(layout.spots), layout.answer_at)


def _strangers(blocks: Sequence[AnswerBlock], numbering: Numbering | None) -> Iterator[str]:
    """What is to be said of mentions that cannot be followed."""
    named = sorted({mark.name for block in blocks for mark in block.marks if mark.name != ANSWER})
    if numbering is None:
        if named:
            yield "From which number this scorer counts steps is not known: no mention of a step can be followed."
        return
    if strange := [number for number in named if numbering.step(number) is None]:
        listed = ", ".join(map(str, strange))
        yield f"Struck through: there is no step {listed} here, as this scorer counts (from {numbering.base})."


@lru_cache(maxsize=64)
def _readable(text: str, marks: tuple[TextMark, ...], raw: bool) -> ReadableText:
    """Converting takes the time: a page is laid out anew with every move of its cursor."""
    return readable(text, marks, raw=raw, precious=ANSWER)


def _over(marks: Sequence[TextMark], lines: Sequence[WrappedLine]) -> dict[int, list[int]]:
    """By the place of a line, the places of the marks that lie on it."""
    by_line: dict[int, list[int]] = {}
    for at, mark in enumerate(marks):
        for number in _lines_of(mark, lines):
            by_line.setdefault(number, []).append(at)
    return by_line


def _lines_of(mark: TextMark, lines: Sequence[WrappedLine]) -> Iterator[int]:
    """The places of the lines on which a mark lies."""
    number = max(0, bisect_right(lines, mark.start, key=lambda line: line.start) - 1)
    while number < len(lines) and lines[number].start < mark.end:
        if lines[number].end > mark.start:
            yield number
        number += 1


def _places(mark: TextMark, lines: Sequence[WrappedLine], first: int) -> Iterator[tuple[int, int, int]]:
    for number in _lines_of(mark, lines):
        line = lines[number]
        start, end = max(mark.start, line.start) - line.start, min(mark.end, line.end) - line.start
        before = GUTTER + cell_len(line.text[:start])
        yield first + number, before, before + cell_len(line.text[start:end])


def _parts(line: WrappedLine, marks: Sequence[tuple[TextMark, str]]) -> Iterator[TextPart]:
    """A line in pieces of one style each; `marks` lie on it, each with its style."""
    edges = {line.start, line.end}
    for mark, _ in marks:
        edges |= {max(mark.start, line.start), min(mark.end, line.end)}
    for start, end in pairwise(sorted(edges)):
        names = [style for mark, style in marks if style and mark.start <= start and end <= mark.end]
        yield line.text[start - line.start : end - line.start], " ".join(names)


def _rating_words(rating: float, threshold: float) -> str:
    """A rating with four digits, or in full where these are those of the threshold."""
    words = f"{rating:+.4g}"
    return f"{rating:+}" if rating != threshold and words == f"{threshold:+.4g}" else words
