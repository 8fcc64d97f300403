"""The board's columns on screen: how wide they are, and how a value is painted."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from inspector.analyses.board.arrangement import (
    NAMES,
    SMALLEST_FIRST,
    SOURCES,
    UNSORTABLE,
    Arrangement,
    BoardKind,
    meanings,
    title_of,
)
from inspector.analyses.board.cells import (
    BASELINE,
    BEST,
    DRAWN,
    PERCENT,
    PUBLISHED,
    SCORER,
    SHORTEST_BAR,
    TIED,
    BoardCells,
    name_title,
)
from inspector.analyses.board.standings import Ranks, Standings, state_of
from inspector.render.charts.chart_columns import axis_text
from inspector.render.charts.glyphs import Glyphs
from inspector.render.table_blocks import Kind
from inspector.render.texts.sentences import F1, GLYPHS, PRMSCORE, WORDS, counted
from inspector.render.texts.short_names import short_names
from inspector.render.texts.text import TextPart
from inspector.state.case_list.catalogue import Entry
from inspector.widgets.columns import Paint, TableColumn, fit_parts
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.benchmark_metrics import leading_metrics, metrics_of
from scoring.metrics.own import own_metrics

NAME_WIDTH, NAME_LEAST = 20, 12
"""Cells of a name at most where there is no room to spare, and at least."""
NAMES_FIRST = 100
"""Their share of the cells to spare."""
SIGNED = 6
"""Cells of a signed number of percentage points."""
RANGE, SPAN = 8, 10
"""Widths in cells of an interval in figures, for a score and for a difference."""
FOREST, DIFFERENCE = 46, 72
"""Greatest widths in cells of a drawn interval, for a score and for a difference."""
BARS = {"on_wrong": ("exact", 2, 30), "on_right": ("clean", 1, 22)}
"""Columns with bars: the style of the bar, its share of spare cells, and its greatest width in cells."""


def entries(kind: BoardKind) -> tuple[Entry, ...]:
    """Return every column as the sort menu and the column menu offer it."""
    return tuple(
        Entry(
            key, title_of(key, kind), meaning, sortable=key not in UNSORTABLE, largest_first=key not in SMALLEST_FIRST
        )
        for key, (_, meaning) in meanings().items()
    )


def board_columns(glyphs: Glyphs, kind: BoardKind) -> list[TableColumn]:
    """Return the board's columns on screen."""
    cells = BoardCells(glyphs)
    made = [_column(key, kind, cells) for key in kind.keys]
    if not kind.chosen:
        return made
    # Columns that were chosen never leave: names are narrowed, and where that is not enough the rest scrolls.
    return [replace(column, leave=0, least=column.least if column.name in NAMES else 0) for column in made]


def _column(key: str, kind: BoardKind, cells: BoardCells) -> TableColumn:
    title = title_of(key, kind)
    drawn = {"interval": _interval, "score": _score, **dict.fromkeys(BARS, _bar)}
    if kind.against and key in {"score", "on_wrong", "on_right"}:
        return _difference(key, title, max(6, len(title)), cells)
    if key in NAMES:
        return _name(key, title, kind, cells)
    if key in drawn:
        return drawn[key](key, title, kind, cells)
    if key == "outcomes":
        return TableColumn(key, title, 10, paint=cells.bar, source=OUTCOMES, flex=4, least=8, leave=3)
    if key == "threshold":
        # Room for "0.550 optimistic" and "labels as given"; where there is less, for the number.
        paint, most = cells.cut, max(16, kind.source_width)
        return TableColumn(
            key, title, 16, paint=paint, source=SOURCES[key], flex=2, most=most, least=len(title), leave=4
        )
    return _number(key, title, kind, cells)


def _score(key: str, title: str, _: BoardKind, cells: BoardCells) -> TableColumn:
    source, width = (key, "kind", "small", "standing"), max(7, len(title) + 2)
    heading = partial(_above_digits, title)
    return TableColumn(key, title, width, right=True, paint=cells.score, source=source, start=True, heading=heading)


def _above_digits(title: str, width: int) -> str:
    """Return the title of the scores, padded for the mark after each score."""
    return f"{title}  " if cell_len(title) + 2 <= width else title


def _interval(key: str, title: str, kind: BoardKind, cells: BoardCells) -> TableColumn:
    """Make the column of intervals on a shared axis with its numbers as title, or in figures if it is narrow."""
    signed = Kind.POINTS if kind.against else Kind.SHARE

    def heading(width: int) -> str:
        return axis_text(kind.axis, width, signed) if width >= DRAWN else title.rjust(width)

    paint = cells.difference_forest if kind.against else cells.forest
    source = ("d_low", "d_high", "d_score") if kind.against else ("low", "high", "score", "kind")
    least = SPAN if kind.against else RANGE
    return TableColumn(
        key,
        title,
        DRAWN,
        paint=partial(paint, axis=kind.axis),
        source=source,
        flex=4,
        most=DIFFERENCE if kind.against else FOREST,
        least=least,
        leave=1,
        heading=heading,
    )


def _bar(key: str, title: str, _: BoardKind, cells: BoardCells) -> TableColumn:
    """Make the column of an accuracy: a bar and a figure, or only the figure if it is narrow."""
    style, flex, most = BARS[key]
    short = title.split(maxsplit=1)[0] if " found" in title or " kept" in title else title

    def heading(width: int) -> str:
        return f" {title}" if width > cell_len(title) else f"{short} ".rjust(width)

    return TableColumn(
        key,
        title,
        max(PERCENT + SHORTEST_BAR + 3, len(title) + 1),
        paint=partial(cells.found, style=style),
        source=(key, "kind"),
        flex=flex,
        most=most,
        least=max(PERCENT, len(short)) + 1,
        leave=2,
        heading=heading,
    )


def _number(key: str, title: str, kind: BoardKind, cells: BoardCells) -> TableColumn:
    """A column of numbers, at the right of its width."""
    numbers: dict[str, tuple[Paint, int, int]] = {
        "coverage": (cells.coverage, kind.scored_width, 5),
        "bias": (cells.points, SIGNED, 6),
        **dict.fromkeys(("fp", "fn", "sd"), (cells.percent, 5, 0)),
        **{
            made.name: (cells.own_share, 6, 0) if made.kind == "share" else (cells.own_number, 10, 0)
            for made in own_metrics()
        },
    }
    paint, width, leave = numbers.get(key, (cells.count, 5, 0))
    own = {made.name: (made.name, "kind", state_of(made.name)) for made in own_metrics()}
    source = own.get(key) or SOURCES.get(key, (key, "kind"))
    return TableColumn(key, title, max(width, len(title)), right=True, paint=paint, source=source, leave=leave)


def _name(key: str, title: str, kind: BoardKind, cells: BoardCells) -> TableColumn:
    """A column that says what rows are of."""
    there = {"scorer": kind.scorers, "benchmark": kind.benchmarks, "subset": kind.parts, "metric": kind.metrics}
    names = there[key] if key != "subset" else tuple(map(name_title, (None, *there[key])))
    paint, source = (cells.group, (key, "kind", "repeated")) if kind.group == key else (cells.name, (key, "kind"))
    whole = max(map(cell_len, (title, *names)))
    # Room for all but what names share; for all of them before pictures are wider.
    width = max(map(cell_len, (title, *short_names(names, NAME_WIDTH).values())))
    least, painted = min(width, NAME_LEAST), partial(paint, among=names)
    return TableColumn(key, title, width, paint=painted, source=source, flex=NAMES_FIRST, most=whole, least=least)


def _difference(key: str, title: str, wide: int, cells: BoardCells) -> TableColumn:
    if key == "score":
        width = max(7, len(title) + 1)
        source = ("d_score", "d_standing")
        return TableColumn(key, title, width, right=True, paint=cells.difference, source=source, start=True)
    return TableColumn(key, title, wide, right=True, paint=cells.points, source=(f"d_{key}", "kind"), leave=2)


# -- what a board's columns and marks mean: a sentence where the column cursor stands, and all of it under `?`


ALWAYS = ("exact", "early", "late", "missed", "clean", "false_alarm")
WHERE_PRESENT = ("refused", "unparsed")
ONE_METRIC = {
    ("on_wrong", F1): "accuracy on erroneous cases",
    ("on_wrong", PRMSCORE): "accuracy on wrong steps",
    ("on_right", F1): "accuracy on clean cases",
    ("on_right", PRMSCORE): "accuracy on right steps",
    ("bias", F1): "accuracy on clean minus on erroneous cases, all subsets together",
    ("bias", PRMSCORE): "accuracy on right minus on wrong steps",
}
"""Columns that mean more where rows are of both metrics."""
TEST = "paired bootstrap"


def remarks(line: Mapping[str, Any]) -> list[str]:
    """Return sentences about the figures of a row: reasons for missing figures, and their limits."""
    sentences = [f"No {line['metric']}: {line['reason']}"] if line["reason"] else []
    if line["small"]:
        sentences.append(f"Few: {counted(line['n'], metrics_of(line['benchmark']).unit.removesuffix('s'))}")
    if (line["runs"] or 1) > 1:
        sentences.append(f"Means of {line['runs']} runs; outcomes and bias are those of the first run")
    if line.get("d_reason"):
        sentences.append(f"No difference: {line['d_reason']}")
    if line["scored"] is not None and line["scored"] < line["cases"]:
        sentences.append(f"{line['scored']:,} of {counted(line['cases'], 'case')} scored")
    return [sentence if sentence.endswith(".") else f"{sentence}." for sentence in sentences]


def explained(metric: str) -> str:
    """Explain an official figure by its title."""
    return f"in percent, {leading_metrics()[metric].about}"


class Legend(Struct, frozen=True):
    """The legend of these rows of a board, as it is arranged.

    `known` is what is known of them beside each other, `seed` that of the intervals, and `cells` know the marks.
    """

    frame: pl.DataFrame
    how: Arrangement
    known: Standings
    seed: int
    cells: BoardCells

    def column(self, key: str) -> str:
        """Explain what stands in a column."""
        made = {"scorer": self._scorer, "score": self._score, "outcomes": self._outcomes}
        words = made[key]() if key in made else self._meaning(key)
        if self.how.against and key in {"interval", "on_wrong", "on_right"}:
            return f"{words}, less that of {self.how.against}"
        return words

    def marks(self) -> Iterator[tuple[str, str]]:
        """Yield the marks in the cells and what they mean."""
        if not self.how.against and any(ranks.kinds for ranks in self._ranks()):
            yield self.cells.mark(BEST), "the best"
            yield self.cells.mark(TIED), f"tied with it: the 95% interval of the difference holds 0 ({self._tests()})"
        if self._has(PUBLISHED):
            yield "( )", "as the paper prints it, of the whole benchmark; not computed here, and never ranked"

    def line(self, width: int) -> list[TextPart]:
        """Explain the marks in one line of about `width` cells, or why marks are missing."""
        ranks = self._ranks()
        if self.how.against:
            parts: list[TextPart] = [("Paired bootstrap differences on the cases that both tried", "dim")]
        elif self.known.busy or any(rank.kinds for rank in ranks):
            # Keep the line while marks are computed.
            several = self.frame.filter(pl.col("kind") == SCORER)["scorer"].n_unique() > 1
            why = next((f"   {rank.why}" for rank in ranks if rank.why), "")
            parts = [
                (self.cells.mark(BEST), "strong"),
                (" best   ", "dim"),
                (self.cells.mark(TIED), "strong"),
                (" tied with best", "dim"),
            ]
            used = sum(cell_len(text) for text, _ in parts)
            forms = (" (paired 95% interval of the difference includes 0)", " (paired 95% interval includes 0)", "")
            tie = next((form for form in forms if used + cell_len(form) <= width), "")
            parts.append((f"{tie}{why}", "dim"))
            parts = parts if several else []
        else:
            words = self._standing()
            parts = [(f"{words[:1].upper()}{words[1:]}", "dim")]
        if self._has(PUBLISHED):
            parts.append((f"{'   ' if parts else ''}( ) printed in the paper", "dim"))
        return fit_parts(parts, width)

    @property
    def _metrics(self) -> tuple[str, ...]:
        return tuple(self.frame["metric"].unique().sort()) or (F1,)

    def _meaning(self, key: str) -> str:
        if len(self._metrics) > 1:
            return meanings()[key][1]
        # Beside a figure of a benchmark's own stand the accuracies of first errors.
        own = bool(leading_metrics()[self._metrics[0]].own)
        alone = ONE_METRIC.get((key, F1 if own else self._metrics[0]))
        return meanings()[key][1] if alone is None else f"{alone}, by first errors" if own else alone

    def _scorer(self) -> str:
        baselines = self.frame.filter(pl.col("kind") == BASELINE)["scorer"].unique(maintain_order=True)
        what = "baselines, which look at nothing and are never called the best"
        return f"its name; {', '.join(baselines)}: {what}" if baselines.len() else "its name"

    def _outcomes(self) -> str:
        names = (*ALWAYS, *(name for name in WHERE_PRESENT if self.frame[name].sum()))
        return "the share of each: " + ", ".join(f"{GLYPHS[name]} {WORDS[name]}" for name in names)

    def _score(self) -> str:
        metrics = self._metrics
        words = (
            [explained(metrics[0])] if len(metrics) == 1 else [f"{metric}, {explained(metric)}" for metric in metrics]
        )
        meaning = self._against() if self.how.against else self._standing()
        printed = self.frame.filter(pl.col("kind") == PUBLISHED).height
        in_brackets = [f"in brackets {counted(printed, 'figure')} as the paper prints them"] if printed else []
        return "; ".join((*words, *([meaning] if meaning else []), *in_brackets))

    def _standing(self) -> str:
        if self.known.busy:
            return "who is tied with the best is being computed"
        if not (ranks := self._ranks()):
            return ""
        why = next((rank.why for rank in ranks if rank.why), "")
        if not any(rank.kinds for rank in ranks):
            nobody = why or "no two scorers have a score on cases that all of them tried"
            return f"no best one is marked: {nobody}"
        words = f"{self.cells.mark(BEST)} the best, {self.cells.mark(TIED)} tied with it ({self._tests()})"
        return f"{words}; {why}" if why else words

    def _ranks(self) -> list[Ranks]:
        rows = set(self.frame.select("benchmark", "subset").iter_rows())
        return [ranks for place, ranks in self.known.ranks.items() if place in rows]

    def _tests(self) -> str:
        """By which test, and on how many cases."""
        ranks = self._ranks()
        scorers = {of_piece.scorers for of_piece in ranks}
        whose = f"all {scorers.pop()} scorers" if len(scorers) == 1 else "all scorers of a row's group"
        return f"{TEST}, seed {self.seed}; {_range([of_piece.n for of_piece in ranks])} cases that {whose} tried"

    def _against(self) -> str:
        if self.known.busy:
            return f"differences to {self.how.against} are being computed"
        rows = set(self.frame["row"])
        sizes = [difference.n for row, difference in self.known.differences.items() if row in rows and difference.n]
        cases = f"the {_range(sizes)} cases" if sizes else "the cases"
        return f"less that of {self.how.against}, on {cases} that both tried ({TEST}, seed {self.seed})"

    def _has(self, kind: str) -> bool:
        return bool((self.frame["kind"] == kind).any())


def _range(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
