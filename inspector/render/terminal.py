"""Views as lines for a terminal: a screen's sheet, or what a command prints."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from rich.cells import cell_len

from inspector.render.blocks import (
    BESIDE,
    Block,
    Bullets,
    CaseBlock,
    CommandLine,
    Facts,
    Fold,
    Judged,
    Note,
    Panel,
    Section,
    Tokens,
    Verbatim,
)
from inspector.render.cells import GOLD, further_text, legend, points, remark_of, rights, value_text
from inspector.render.chart_blocks import Chart, Columns, Curve, Histogram, Reliability, Square
from inspector.render.chart_views import numbers_of
from inspector.render.charts.bars import Bar, bars
from inspector.render.charts.chart_columns import LEAST, with_charts
from inspector.render.charts.chart_marks import ChartMark, Form
from inspector.render.charts.columns import CountColumn, columns
from inspector.render.charts.curve import curve
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.heat_map import heat_map
from inspector.render.charts.histogram import histogram
from inspector.render.charts.paired_bars import BarPlace, paired_bars
from inspector.render.charts.reliability import ReliabilityBin, reliability
from inspector.render.charts.square import square
from inspector.render.lines import GAP, Piece, PieceRow, heading, paragraph
from inspector.render.readable import readable
from inspector.render.table_blocks import Cell, CellChart, Kind, Table, table, text
from inspector.render.table_blocks import Column as TableColumn
from inspector.render.texts.short_names import short_name, short_names
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.render.tokens import PAGE, token_rows
from scoring.data.errors import LONGEST_NAME

NARROWEST = 18
"""Cells that a name keeps where there is no room."""
WIDE = 100
"""Least width in cells at which texts wrap to make room for a chart."""
VARIANTS = ((3, 3), (1, 3), (1, 2))
"""Least rank of columns without intervals, and of omitted columns; the fullest table comes first."""
UNBOUNDED = 10_000
"""Cells of a line where nothing is cut and nothing is wrapped."""


class Terminal:
    """Lays blocks out in `width` cells and for panes of `height` lines.

    A table that is too wide first loses what its columns can do without, then texts that may take several lines do so,
    then names are shortened. What is still too wide stays so, and is scrolled; `split` makes of it several tables
    beneath each other instead, each with its labels, as a page needs it. Without `charts` there are no maps either, and
    bins stand as tables of their numbers. A `raw` text of a case is as it was written, LaTeX and all, which is also the
    only way to write it in ASCII.
    """

    def __init__(
        self,
        width: int,
        glyphs: Glyphs,
        height: int = 24,
        *,
        split: bool = False,
        charts: bool = True,
        raw: bool = False,
    ) -> None:
        self.width, self.height, self.glyphs, self.split, self.charts = width, height, glyphs, split, charts
        self._raw = raw or glyphs.ascii_only
        self._made: dict[type, Callable[[Any], Iterator[PieceRow]]] = {
            Note: self._note,
            Bullets: self._bullets,
            Facts: self._facts,
            CommandLine: self._command,
            Table: self._table,
            Columns: self._columns,
            Curve: self._curve,
            Histogram: self._histogram,
            Reliability: self._reliability,
            Square: self._square,
            CaseBlock: self._case,
            Verbatim: self._verbatim,
            Tokens: self._tokens,
            Fold: self._fold,
            Panel: self._panel,
        }

    def sections(self, sections: Sequence[Section], title: bool = True) -> Iterator[PieceRow]:
        """Yield the lines of sections; the title of the only one may be left out."""
        for number, section in enumerate(sections):
            if number:
                yield ()
            if section.title and (title or len(sections) > 1):
                yield heading(section.title)
            yield from self.blocks(section.blocks)

    def inside(self, panel: Panel, width: int) -> list[PieceRow]:
        """Return the lines in the frame of a panel, each of at most `width` cells if possible."""
        terminal = Terminal(width, self.glyphs, self.height, split=self.split, charts=self.charts, raw=self._raw)
        return list(terminal.blocks(panel.blocks))

    def blocks(self, blocks: Sequence[Block]) -> Iterator[PieceRow]:
        """Yield the lines of blocks; what is no sentence has a blank line before it, but for the first."""
        if not self.charts:
            # Points of a curve are too many for a page, and whoever wants them asks for them.
            kept = (block for block in blocks if not isinstance(block, Curve) or block.whole)
            blocks = [numbers_of(block) if isinstance(block, Chart) else block for block in kept]
        for number, block in enumerate(blocks):
            of_notes = isinstance(block, Note) and block.level != "lead" and isinstance(blocks[number - 1], Note)
            if number and not of_notes:
                yield ()
            for row in self._made[type(block)](block):
                yield in_ascii(row) if self.glyphs.ascii_only else row

    def _note(self, note: Note) -> Iterator[PieceRow]:
        styles = {"warning": "bad", "lead": "strong", "": "", "quiet": "dim"}
        yield from paragraph(note.text, self.width, styles[note.level])

    def _bullets(self, bullets: Bullets) -> Iterator[PieceRow]:
        for item in bullets.items:
            first, *others = wrap(clean(item), max(20, self.width - 2))
            yield (Piece(f"- {first}", "dim"),)
            yield from ((Piece(f"  {line}", "dim"),) for line in others)

    def _facts(self, facts: Facts) -> Iterator[PieceRow]:
        size = max((cell_len(clean(name)) for name, _ in facts.items), default=0)
        for name, value in facts.items:
            lines = wrap(clean(value, lines=True), max(20, self.width - size - GAP)) or [""]
            yield (Piece(f"{clean(name):<{size}}{' ' * GAP}", "dim"), Piece(lines[0]))
            yield from ((Piece(" " * (size + GAP) + line),) for line in lines[1:])

    def _command(self, command: CommandLine) -> Iterator[PieceRow]:
        yield from paragraph(f"{command.gives}: {command.line}", self.width)

    def _verbatim(self, block: Verbatim) -> Iterator[PieceRow]:
        yield from paragraph(block.title, self.width)
        for line in wrap(clean(block.text, lines=True), max(20, self.width - 4)):
            yield (Piece(f"    {line}"),)

    def _tokens(self, block: Tokens) -> Iterator[PieceRow]:
        width = PAGE if self.width == UNBOUNDED else self.width
        return token_rows(block, width, ascii_only=self.glyphs.ascii_only)

    def _fold(self, fold: Fold) -> Iterator[PieceRow]:
        yield heading(fold.summary)
        yield from self.blocks(fold.blocks)

    def _panel(self, panel: Panel) -> Iterator[PieceRow]:
        if panel.title:
            yield heading(panel.heading)
        yield from self.blocks(panel.blocks)

    # -- a case

    def _case(self, block: CaseBlock) -> Iterator[PieceRow]:
        """What is known of the case, its steps, and what every scorer made of them.

        Few scorers stand beside the texts, more have tables of their own, by number.
        """
        yield from paragraph(" · ".join(block.facts), self.width)
        yield ()
        why = f"{self._text(block.reason)}{f' ({block.reason_note})' if block.reason_note else ''}"
        known = (
            ("Problem", self._text(block.problem)),
            ("Gold", block.gold),
            *((("Why", why),) if block.reason else ()),
        )
        yield from self._facts(Facts(known))
        yield ()
        widths = [max(cell_len(clean(name)), _JUDGED) + GAP for name in block.scorers]
        few = len(block.scorers) <= BESIDE and sum(widths) <= self.width - _TEXT
        names = block.scorers if few else tuple(f"({number})" for number in range(1, len(block.scorers) + 1))
        heads = (TableColumn("step", right=True), TableColumn("gold"), TableColumn("text", right=False, wraps=True))
        labels = [(text(str(step.number)), _gold(step.gold)) for step in block.steps]
        texts: list[tuple[Cell, ...]] = [
            (*label, text(self._text(step.text))) for label, step in zip(labels, block.steps, strict=True)
        ]
        judged = [tuple(map(_judged, step.judged)) for step in block.steps]
        if few:
            rows = [(*words, *cells) for words, cells in zip(texts, judged, strict=True)]
            yield from self._table(table("", (*heads, *names), rows, labels=3))
        else:
            yield from self._table(table("", heads, texts, labels=3))
            rows = [(*label, *cells) for label, cells in zip(labels, judged, strict=True)]
            judgements = table("", (*heads[:2], *names), rows, labels=2)
            # Whoever says nothing of a step has a line beneath all the same.
            if len(judgements.columns) > judgements.labels:
                yield ()
                yield from self._table(judgements)
        if any(cell.truncated for step in block.steps for cell in step.judged):
            yield from paragraph("t: truncated, a reward of a case whose later steps were cut off", self.width)
        if block.outcomes:
            yield ()
            yield from self._outcomes(block, () if few else names)
        if block.others:
            yield from paragraph(f"The others: {block.others}", self.width)

    def _outcomes(self, block: CaseBlock, numbers: Sequence[str]) -> Iterator[PieceRow]:
        """A line a scorer: what happened, and how many of the steps it has right."""
        accuracies = block.accuracies or ("",) * len(block.outcomes)
        rows = [
            (text(name), text(f"{glyph} {happened}".strip()), text(accuracy))
            for (name, glyph, happened), accuracy in zip(block.outcomes, accuracies, strict=True)
        ]
        heads = ("scorer", TableColumn("outcome", right=False, wraps=True), TableColumn("step accuracy", right=True))
        if numbers:
            numbered = [(text(number), *row) for number, row in zip(numbers, rows, strict=True)]
            yield from self._table(table("", ("", *heads), numbered, labels=2))
        else:
            yield from self._table(table("", heads, rows))

    def _text(self, written: str) -> str:
        return written if self._raw else readable(written)

    # -- tables

    def _table(self, table: Table) -> Iterator[PieceRow]:
        if table.title:
            yield from paragraph(table.title, self.width, "strong")
        if table.heat and self.charts:
            yield from self._heat(table)
        elif table.bars and self.charts:
            yield from self._bars(table)
        else:
            if self.charts and any(column.chart for column in table.columns):
                table = with_charts(table, self._room_beside(table), self.glyphs)
            for number, part in enumerate(self._parts(table)):
                if number:
                    yield ()
                yield from part
            yield from (line for words in legend(table) for line in paragraph(words, self.width))

    def _room_beside(self, table: Table) -> int:
        """Return the cells left for charts in columns; charts replace intervals.

        The least important columns make room for one chart, and on wide screens texts wrap for it.
        """
        charts = [column.chart for column in table.columns]
        drawn = [chart not in {None, CellChart.BAR, CellChart.HEAT} for chart in charts]
        rows = tuple(
            tuple(replace(cell, low=None, high=None) if on else cell for cell, on in zip(row, drawn, strict=True))
            for row in table.rows
        )
        bare = replace(table, rows=rows)
        least = min((LEAST[chart] + GAP for chart in charts if chart in LEAST), default=0)
        room, texts = 0, _Texts(bare, self.glyphs)
        for variant in VARIANTS:
            lines = _Lines(bare, texts, *variant)
            if self.width >= WIDE:
                lines.wrap(self.width - least)
            room = self.width - lines.width
            if room >= least:
                break
        return room

    def _heat(self, table: Table) -> Iterator[PieceRow]:
        cells = [row[table.labels :] for row in table.rows]
        kind = next((cell.kind for row in cells for cell in row if cell.kind != Kind.TEXT), Kind.SHARE)
        yield from heat_map(
            [" ".join(value_text(cell) for cell in row[: table.labels]) for row in table.rows],
            [column.title for column in table.columns[table.labels :]],
            [[_mark(cell) for cell in row] for row in cells],
            self.width,
            self.glyphs,
            form=_FORMS.get(kind, "number"),
            counted=table.counted,
        )
        if any(cell.optimistic for row in cells for cell in row):
            yield from paragraph("* optimistic: tuned on cases that the figure is of", self.width)

    def _bars(self, table: Table) -> Iterator[PieceRow]:
        at = table.labels
        kind = next((row[at].kind for row in table.rows if row[at].kind != Kind.TEXT), Kind.SHARE)
        names = [" ".join(value_text(cell) for cell in row[:at]) for row in table.rows]
        entries = [Bar(clean(name), _mark(row[at])) for name, row in zip(names, table.rows, strict=True)]
        form, span = _FORMS.get(kind, "number"), (0.0, 1.0) if kind is Kind.SHARE else None
        yield from bars(entries, self.width, self.glyphs, form=form, span=span, counted=table.counted)

    def _parts(self, table: Table) -> Iterator[list[PieceRow]]:
        """The lines of a table; of one that is too wide to stand on a page in several parts."""
        texts = _Texts(table, self.glyphs)
        for variant in VARIANTS:
            lines = _Lines(table, texts, *variant)
            if lines.width <= self.width:
                break
        lines.wrap(self.width)
        room = self.width
        if self.split and lines.narrowest > self.width:
            # It comes in parts anyway, so that names stand whole if they leave half of the room for figures.
            room = max(room, lines.width - max(0, lines.labelled + GAP - self.width // 2))
        for at in range(table.labels):
            lines.squeeze(at, room)
        if lines.width <= self.width or not self.split:
            yield list(lines.rows(self.width))
        else:
            yield from lines.parts(self.width)
        if self.split and lines.left_out:
            yield list(paragraph(f"Left out at this width: {', '.join(lines.left_out)}.", self.width))

    # -- charts

    def _curve(self, chart: Curve) -> Iterator[PieceRow]:
        chart = chart.fitted
        if chart.title:
            yield from paragraph(chart.title, self.width, "strong")
        height = min(16, max(6, self.height - 18))
        up, low = (("^" if self.glyphs.ascii_only else "▲"), "v")
        ticks = [replace(tick, letter=up if tick.letter == "^" else tick.letter or low) for tick in chart.ticks]
        width = min(self.width, 200)
        form = _FORMS.get(chart.kind, "number")
        numbers = tuple(map(float, chart.series[0].xs)) if chart.whole else ()
        yield from curve(
            chart.series,
            width,
            height,
            self.glyphs,
            ticks=ticks,
            across=chart.across,
            upward=chart.upward,
            form=form,
            numbers=numbers,
            doubling=chart.doubling,
        )
        unit = " in percent" if chart.kind is Kind.SHARE else ""
        yield from paragraph(f"{chart.y}{unit}, upwards, by {chart.x}", width)

    def _columns(self, chart: Columns) -> Iterator[PieceRow]:
        if chart.title:
            yield from paragraph(chart.title, self.width, "strong")
        widest = max((max(cell_len(column.name) + 2, len(f"{column.n:,}")) for column in chart.columns), default=1) + 1
        fitting = chart.folded(max(3, self.width // widest)).columns
        drawn = [CountColumn(column.name, column.n, column.style, column.link) for column in fitting]
        yield from columns(drawn, self.width, max(3, min(8, self.height - 14)), self.glyphs)

    def _histogram(self, chart: Histogram) -> Iterator[PieceRow]:
        if chart.title:
            yield from paragraph(chart.title, self.width, "")
        up = "^" if self.glyphs.ascii_only else "▲"
        ticks = [replace(tick, letter=up if tick.letter == "^" else tick.letter) for tick in chart.ticks]
        if any(reward_bin.name for reward_bin in chart.bins):
            places = [BarPlace(reward_bin.name, reward_bin.counts, reward_bin.drills) for reward_bin in chart.bins]
            yield from paired_bars(places, chart.classes, min(self.width, 200), self.glyphs, counted=chart.counted)
            return
        rows = min(7, max(3, self.height // 8))
        yield from histogram(
            chart.bins,
            chart.classes,
            min(self.width, 200),
            self.glyphs,
            height=rows,
            ticks=ticks,
            counted=chart.counted,
        )

    def _square(self, chart: Square) -> Iterator[PieceRow]:
        if chart.title:
            yield from paragraph(chart.title, self.width, "strong")
        yield from square(chart, self.width, self.glyphs)

    def _reliability(self, chart: Reliability) -> Iterator[PieceRow]:
        if chart.title:
            yield from paragraph(chart.title, self.width, "")
        bins = [ReliabilityBin(bin_.low, bin_.high, bin_.mean, _mark(bin_.share)) for bin_ in chart.bins]
        rows = min(14, max(7, self.height // 3))
        yield from reliability(bins, min(self.width, 200), rows, self.glyphs, counted=chart.counted)


_FORMS: dict[Kind, Form] = {Kind.SHARE: "percent", Kind.POINTS: "difference", Kind.COUNT: "count"}
"""How charts write values."""
_JUDGED, _TEXT = len("0.4996 ✗←"), 60
"""Cells of a judgement, and how many a step needs beside them."""
_ASCII = str.maketrans(
    {"…": "~", "·": ".", "–": "-", "−": "-", "→": ">", "←": "<", "✗": "x", "▲": "^", "△": "^", "≈": "?"}
)
"""Signs of ours, and what stands for them where there is only ASCII."""


def in_ascii(row: PieceRow) -> PieceRow:
    """Write our own symbols in ASCII; data stays unchanged."""
    return tuple(replace(piece, text=piece.text.translate(_ASCII)) for piece in row)


def _gold(gold: str | None) -> Cell:
    return text(GOLD.get(gold or "", gold), "gold" if gold in GOLD else "")


def _judged(judged: Judged) -> Cell:
    """A judgement, with its marks behind the number: judged wrong, the verdict, truncated."""
    marks = f"{'✗' if judged.wrong else ''}{'←' if judged.verdict else ''}{' t' if judged.truncated else ''}"
    return Cell(judged.text, note=marks.strip(), style="bad" if judged.wrong else "")


def _mark(cell: Cell) -> ChartMark:
    """A cell as a chart's mark."""
    value = cell.value if isinstance(cell.value, (int, float)) else None
    star = "*" if cell.optimistic else ""
    return ChartMark(value, cell.low, cell.high, cell.n, cell.link, star, few=cell.small)


def _head(text: str, *, wraps: bool) -> str:
    """Clean the value of a cell: a text of several lines, or a name, which also a page that is as wide shortens."""
    return clean(text, lines=True) if wraps else short_name(text, LONGEST_NAME)


class _Texts:
    """What stands in the cells of a table: values, what follows them with and without intervals, and remarks."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        # A label that holds for the lines beneath its own stands there once.
        self.heads = [
            [
                _head(value_text(cell, ascii_only=glyphs.ascii_only), wraps=column.wraps) if cell.rows else ""
                for cell, column in zip(row, table.columns, strict=True)
            ]
            for row in table.rows
        ]
        self.tails = [[clean(further_text(cell)) if cell.rows else "" for cell in row] for row in table.rows]
        self.bare = [
            [
                clean(further_text(cell, intervals=False)) if cell.low is not None else tail
                for cell, tail in zip(*both, strict=True)
            ]
            for both in zip(table.rows, self.tails, strict=True)
        ]
        self.remarks = [clean(remark_of(row)) for row in table.rows]
        self.right = rights(table)


class _Lines:
    """The cells of a table as pieces, each in two parts: the value, and what follows it.

    Columns of rank `bare` or more go without intervals, those of rank `dropped` or more are left out.
    """

    def __init__(self, table: Table, texts: _Texts, bare: int = 3, dropped: int = 3) -> None:
        kept = [at for at, column in enumerate(table.columns) if at < table.labels or column.rank < dropped]
        self._labels, self._rows, self._at, self._remarks = table.labels, table.rows, kept, texts.remarks
        self._titles = [clean(table.columns[at].title) for at in kept]
        self.left_out = [clean(column.title) for at, column in enumerate(table.columns) if at not in kept]
        self._wraps = [table.columns[at].wraps for at in kept]
        self._right = [texts.right[at] for at in kept]
        self._heads = [[row[at] for at in kept] for row in texts.heads]
        sources = [texts.tails if table.columns[at].rank < bare else texts.bare for at in kept]
        self._tails = [
            [source[number][at] for at, source in zip(kept, sources, strict=True)] for number in range(len(table.rows))
        ]
        self._measure()

    def _measure(self) -> None:
        self._has_tails, self._head_widths, self._widths, self._blanks = [], [], [], []
        for at, title in enumerate(self._titles):
            blanks = points([row[at] for row in self._heads]) if self._right[at] else [0] * len(self._heads)
            heads = [
                max(map(cell_len, row[at].split("\n"))) + blank for row, blank in zip(self._heads, blanks, strict=True)
            ]
            self._blanks.append(blanks)
            tails = [cell_len(row[at]) for row in self._tails]
            widest = max(heads, default=0)
            # Values stand with their points beneath each other, and what follows them begins behind them all.
            sizes = [
                (widest if self._right[at] and tail else head) + (1 + tail if tail else 0)
                for head, tail in zip(heads, tails, strict=True)
            ]
            self._has_tails.append(any(tails))
            self._head_widths.append(widest)
            self._widths.append(max([cell_len(title), *sizes]))

    @property
    def width(self) -> int:
        """Cells of a line, but for its remark."""
        return sum(self._widths) + GAP * max(0, len(self._widths) - 1)

    @property
    def labelled(self) -> int:
        """Cells of the labels of a line."""
        return sum(self._widths[: self._labels]) + GAP * max(0, self._labels - 1)

    @property
    def narrowest(self) -> int:
        """Cells of a line where all names are as short as they may be."""
        return self.width - sum(max(0, width - NARROWEST) for width in self._widths[: self._labels])

    def wrap(self, room: int) -> None:
        """Break the texts that may take several lines, as far as is needed, into lines of NARROWEST cells at least."""
        wrapping = [at for at, wraps in enumerate(self._wraps) if wraps]
        if self.width <= room or not wrapping:
            return
        room -= self.width - sum(self._widths[at] for at in wrapping)
        # Whoever needs less than an equal share of the room leaves the rest to the others.
        wrapping.sort(key=lambda at: self._widths[at])
        for place, at in enumerate(wrapping):
            size = min(self._widths[at], max(NARROWEST, room // (len(wrapping) - place)))
            room -= size
            for heads, tails in zip(self._heads, self._tails, strict=True):
                whole = f"{heads[at]} {tails[at]}".strip()
                heads[at], tails[at] = "\n".join(wrap(whole, size)), ""
        self._measure()

    def squeeze(self, at: int, room: int) -> None:
        """Shorten the names of a column of labels as far as is needed, and no further than NARROWEST."""
        lacking = self.width - room
        if lacking <= 0:
            return
        size = max(NARROWEST, self._widths[at] - lacking)
        # A label that stands once for several lines is no name where it is left out.
        forms = short_names((row[at] for row in self._heads if row[at]), size)
        for row in self._heads:
            row[at] = forms.get(row[at], "")
        self._measure()

    def rows(self, width: int, columns: Sequence[int] | None = None) -> Iterator[PieceRow]:
        """The header and the lines, of some columns or of all; remarks stand beside them or beneath."""
        taken = range(len(self._titles)) if columns is None else columns
        if any(self._titles[at] for at in taken):
            yield tuple(_joined([self._title(at) for at in taken]))
        remarks = any(self._remarks)
        room = width - sum(self._widths[at] for at in taken) - GAP * len(taken)
        for number in range(len(self._rows)):
            first, *others = (
                tuple(_joined([self._cell(number, at, line, last=at == taken[-1] and not remarks) for at in taken]))
                for line in range(max(self._heads[number][at].count("\n") + 1 for at in taken))
            )
            remark = self._remarks[number] if columns is None else ""
            if remark and cell_len(remark) <= room:
                yield from ((*first, Piece(" " * GAP), Piece(remark, "dim")), *others)
                continue
            yield from (first, *others)
            if remark:
                yield from ((Piece("    "), *row) for row in paragraph(remark, width - 4))

    def parts(self, width: int) -> Iterator[list[PieceRow]]:
        """Tables beneath each other that are as wide as that at most, where columns allow it."""
        labels, part = list(range(self._labels)), list[int]()
        for at in range(self._labels, len(self._titles)):
            size = sum(self._widths[column] + GAP for column in (*labels, *part, at)) - GAP
            if part and size > width:
                yield list(self.rows(width, [*labels, *part]))
                part = []
            part.append(at)
        yield list(self.rows(width, [*labels, *part]))
        remarks = [(row[0], remark) for row, remark in zip(self._heads, self._remarks, strict=True) if remark]
        if remarks:
            yield [line for name, remark in remarks for line in paragraph(f"{name}: {remark}", width)]

    def _title(self, at: int) -> list[Piece]:
        title, blank = self._titles[at], self._widths[at] - cell_len(self._titles[at])
        # Over figures with something behind them, a title stands where the figures begin.
        right = self._right[at] and not self._has_tails[at]
        return [Piece(" " * blank if right else ""), Piece(title, "dim"), Piece("" if right else " " * blank)]

    def _cell(self, number: int, at: int, line: int, *, last: bool) -> list[Piece]:
        """A line (0-based) of a cell; what opens cases and what follows the value stand on the first one."""
        cell, lines = self._rows[number][self._at[at]], self._heads[number][at].split("\n")
        head, tail = lines[line] if line < len(lines) else "", "" if line else self._tails[number][at]
        before, blank = 0, self._blanks[at][number]
        if self._right[at]:
            before = (self._head_widths[at] if self._has_tails[at] else self._widths[at]) - cell_len(head) - blank
        style = "dim" if cell.value is None and not cell.style else cell.style
        small = "dim" if cell.small and not style else style
        link = None if line else cell.link
        further = f"{' ' * blank} {tail}" if tail else ""
        pieces = [Piece(" " * before), Piece(head, small, link), Piece(further, "dim")]
        used = before + cell_len(head) + cell_len(further)
        return [*pieces, Piece("" if last else " " * max(0, self._widths[at] - used))]


def _joined(cells: Sequence[Sequence[Piece]]) -> Iterator[Piece]:
    for number, cell in enumerate(cells):
        if number:
            yield Piece(" " * GAP)
        yield from (piece for piece in cell if piece.text)
