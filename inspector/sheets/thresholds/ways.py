"""The table of ways to choose the threshold of the scorer in focus."""

from collections.abc import Iterator, Sequence

from inspector.charts.names import name_lines, whole_width
from inspector.headline import F1
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Piece, Row, text_of
from inspector.sheets.thresholds.cases import Counted, counted_cases, wrong_at, wrong_now
from inspector.sheets.thresholds.figures import FigureRow, Figures
from inspector.sheets.words import count, percent, undefined
from inspector.text import clean
from inspector.threshold_ways import PER_SUBSET
from scoring.metrics.intervals import SMALL
from scoring.verdicts import RuleByCase

WHOLE = {"f1": "average", "prmscore": "all"}
"""By metric the row of the official figure."""
OPTIMISTIC = "optimistic"
LEAST_NAME = 26
"""Cells in which a way's name has room on one line: there it is no subset's."""
_FEW = Piece(" ~", "dim")
_FLATTERS = Piece(f" {OPTIMISTIC}", "bad")


def ways_lines(inspection: Inspection, figures: Figures | None, brush: Brush, width: int) -> Iterator[Row]:
    """The table: the present threshold first; `figures` of the other ways are None while they are computed."""
    rows = None if figures is None else figures.ways
    line = inspection.headline
    assert line is not None  # noqa: S101  # the caller has looked
    evaluation = inspection.evaluation
    assert evaluation is not None  # noqa: S101
    yield heading("Ways to choose the threshold")
    cases = counted_cases(inspection)
    present = {"value": line.score, "low": line.low, "high": line.high, "reason": line.reason}
    cut = evaluation.rule.threshold
    found = rows or ()
    lines: list[list[Cell]] = [
        [
            Piece("present", "strong"),
            Piece("by subset" if isinstance(evaluation.rule, RuleByCase) else _cut(cut, brush)),
            (
                *percent(present, brush),
                # Cases are the same at every threshold, but for those of dev sets.
                *([_FEW] if _official(found, "default").get("small") and not evaluation.left_out else []),
                *([_FLATTERS] if OPTIMISTIC in evaluation.rule.source else []),
            ),
            _n(line.n, cases),
            Piece(""),
            wrong_now(inspection) if line.metric == F1 else Piece(""),
            Piece(evaluation.rule.source, "dim"),
        ]
    ]
    lines += [_way(inspection, row, found, cases, brush) for row in found if row["subset"] == "all"]
    unit = line.unit
    titles = ["way", "threshold", f"{line.metric}, 95% interval", unit, "excluded"]
    titles += ["wrong" if line.metric == F1 else "", ""]
    header = [Piece(word) for word in titles]
    yield from _fitted(header, lines, width)
    if rows is None:
        return
    seed = inspection.selection.request.seed
    if any(row["kind"] == "dev" and row["value"] is not None for row in rows):
        yield from paragraph(
            f"dev: tuned on a few cases of every subset (seed {seed}), which are excluded from what is reported.", width
        )
    if any(row["optimistic"] for row in rows):
        yield from paragraph("optimistic: tuned on cases that the figure is of, so that it flatters the scorer.", width)
    if any(row["small"] for row in rows):
        yield from paragraph(f"~ fewer than {SMALL} cases on a side.", width)


def _fitted(header: list[Piece], lines: list[list[Cell]], width: int) -> Iterator[Row]:
    """The table; names that are long break, and remarks that do not fit beside it stand beneath their line."""
    names = [name_lines(_text(line[0]), max(LEAST_NAME, width // 4)) for line in lines]
    remarks = [_text(line[-1]) for line in lines]
    cells = [[Piece(name[0]), *line[1:-1]] for name, line in zip(names, lines, strict=True)]
    bare = table(header[:-1], cells, [False, True, False, True, True, True])
    longest = max(map(_width, bare))
    yield bare[0]
    for row, name, remark in zip(bare[1:], names, remarks, strict=True):
        beside = bool(remark) and longest + 2 + whole_width(remark) <= width
        yield (*row, Piece(" " * (longest + 2 - _width(row))), Piece(remark, "dim")) if beside else row
        yield from ((Piece(line),) for line in name[1:])
        if remark and not beside:
            yield from ((Piece("    "), *line) for line in paragraph(remark, width - 4))


def _text(cell: Cell) -> str:
    return clean(cell.text if isinstance(cell, Piece) else text_of(cell))


def _width(row: Row) -> int:
    return sum(whole_width(piece.text) for piece in row)


def _way(
    inspection: Inspection, row: FigureRow, rows: Sequence[FigureRow], cases: Counted | None, brush: Brush
) -> list[Cell]:
    """The line of one way, from its row of all cases; the value is that of the official figure."""
    official = _official(rows, row["kind"]) or row
    shown = percent(official, brush) if official["value"] is not None else undefined({"reason": ""}, brush)
    if official["small"]:
        shown = (*shown, _FEW)
    if official["optimistic"]:
        shown = (*shown, _FLATTERS)
    several = row["threshold"] is None and official["value"] is not None and row["kind"] != "default"
    wrong = wrong_at(inspection, row["threshold"]) if row["metric"] == "f1" and not row["excluded"] else None
    return [
        Piece(words_of(row["kind"], inspection.selection.request.seed)),
        Piece("by subset" if several else _cut(row["threshold"], brush)),
        shown,
        _n(row["n"], cases) if row["n"] else Piece(""),
        Piece(f"{row['excluded']:,}" if row["excluded"] else "", "dim"),
        wrong or Piece(""),
        Piece(official["reason"] or ""),
    ]


def _official(rows: Sequence[FigureRow], kind: str) -> FigureRow:
    """The row of the official figure of a way; {} where there is none."""
    return next((row for row in rows if row["kind"] == kind and row["subset"] == WHOLE.get(row["metric"], "all")), {})


def words_of(kind: str, seed: int) -> str:
    """A way in words."""
    told = {"best": "best on these", PER_SUBSET: "best of each subset", "dev": f"dev-tuned, seed {seed}"}
    told |= {"dev:kept": "dev-tuned, dev cases kept"}
    return told.get(kind, kind.replace("from:", "tuned on ").replace("redundancy:", "redundancy, "))


def _cut(threshold: float | None, brush: Brush) -> str:
    return ("-" if brush.ascii_only else "–") if threshold is None else f"{threshold:.4g}"


def _n(n: int, cases: Counted | None) -> Cell:
    """What a figure is of; it opens these cases where they can be told by conditions."""
    if cases is None or (cases.exact and cases.n != n):
        return Piece(f"{n:,}")
    if cases.exact:
        return count(n, cases.drill)
    return (Piece(f"{n:,} in "), count(cases.n, cases.drill), Piece(f" {'case' if cases.n == 1 else 'cases'}"))
