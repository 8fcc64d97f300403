"""The table of ways to choose the threshold of the scorer in focus, and the transfer from subset to subset."""

from collections.abc import Iterator, Sequence

from inspector.charts.heat_map import heat_map
from inspector.charts.mark import Mark
from inspector.headline import F1
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Piece, Row
from inspector.sheets.thresholds.cases import Counted, counted_cases, wrong_at, wrong_now
from inspector.sheets.thresholds.figures import FigureRow
from inspector.sheets.words import count, percent, undefined
from inspector.threshold_ways import PER_SUBSET
from scoring.metrics.intervals import SMALL
from scoring.verdicts import RuleByCase

WHOLE = {"f1": "average", "prmscore": "all"}
"""By metric the row of the official figure."""
OPTIMISTIC = "optimistic"


def ways_lines(inspection: Inspection, rows: Sequence[FigureRow] | None, brush: Brush, width: int) -> Iterator[Row]:
    """The table: the present threshold first; `rows` of the other ways are None while they are computed."""
    line = inspection.headline
    assert line is not None  # noqa: S101  # the caller has looked
    evaluation = inspection.evaluation
    assert evaluation is not None  # noqa: S101
    yield heading("Ways to choose the threshold")
    cases = counted_cases(inspection)
    present = {"value": line.score, "low": line.low, "high": line.high, "reason": line.reason}
    cut = evaluation.rule.threshold
    lines: list[list[Cell]] = [
        [
            Piece("present", "strong"),
            Piece("by subset" if isinstance(evaluation.rule, RuleByCase) else _cut(cut, brush)),
            percent(present, brush),
            _n(line.n, cases),
            Piece(""),
            wrong_now(inspection) if line.metric == F1 else Piece(""),
            Piece(evaluation.rule.source, "dim"),
        ]
    ]
    found = rows or ()
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
    """The table; remarks that do not fit beside it stand beneath their line."""
    remarks = [line[-1] for line in lines]
    bare = table(header[:-1], [line[:-1] for line in lines], [False, True, False, True, True, True])
    longest = max(sum(len(piece.text) for piece in row) for row in bare)
    yield bare[0]
    for row, remark in zip(bare[1:], remarks, strict=True):
        words = remark.text if isinstance(remark, Piece) else ""
        used = sum(len(piece.text) for piece in row)
        if not words:
            yield row
        elif longest + 2 + len(words) <= width:
            yield (*row, Piece(" " * (longest + 2 - used)), Piece(words, "dim"))
        else:
            yield row
            yield from ((Piece("    "), *line) for line in paragraph(words, width - 4))


def _way(
    inspection: Inspection, row: FigureRow, rows: Sequence[FigureRow], cases: Counted | None, brush: Brush
) -> list[Cell]:
    """The line of one way, from its row of all cases; the value is that of the official figure."""
    official = next(
        (one for one in rows if one["kind"] == row["kind"] and one["subset"] == WHOLE.get(one["metric"], "all")), row
    )
    shown = percent(official, brush) if official["value"] is not None else undefined({"reason": ""}, brush)
    if official["small"]:
        shown = (*shown, Piece(" ~", "dim"))
    if official["optimistic"]:
        shown = (*shown, Piece(f" {OPTIMISTIC}", "bad"))
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


def words_of(kind: str, seed: int) -> str:
    """A way in words."""
    told = {"best": "best on these", PER_SUBSET: "best of each subset", "dev": f"dev-tuned, seed {seed}"}
    told |= {"dev:kept": "dev-tuned, dev cases kept"}
    return told.get(kind, kind.replace("from:", "tuned on ").replace("redundancy:", "redundancy, "))


def _cut(threshold: float | None, brush: Brush) -> str:
    return ("-" if brush.ascii_only else "–") if threshold is None else f"{threshold:.4g}"


def _n(n: int, cases: Counted | None) -> Piece:
    """What a figure is of; it opens these cases where they can be told by conditions."""
    if cases is None or (cases.exact and cases.n != n):
        return Piece(f"{n:,}")
    return count(n, cases.drill)


# -- transfer


def transfer_lines(inspection: Inspection, rows: Sequence[FigureRow] | None, brush: Brush, width: int) -> Iterator[Row]:
    """The section on what is tuned on one subset and used on another."""
    yield heading("Transfer: tuned on the row, reported on the column")
    if rows is None:
        yield (Piece("...", "dim"),)
        return
    tuned_on = [row["kind"].removeprefix("from:") for row in rows if row["kind"].startswith("from:")]
    names = list(dict.fromkeys(tuned_on))
    if len(names) < 2:
        yield from paragraph(_why_no_transfer(inspection), width)
        return
    whole = WHOLE.get(str(rows[0]["metric"]), "all")
    columns = [*names, whole]
    kinds = ["default", *(f"from:{name}" for name in names), PER_SUBSET, "dev"]
    found = {(row["kind"], row["subset"]): row for row in rows}
    shown = [kind for kind in kinds if (kind, whole) in found and found[kind, whole]["value"] is not None]
    cells = [[_mark(inspection, found.get((kind, name)), name) for name in columns] for kind in shown]
    seed = inspection.selection.request.seed
    counts = "steps" if rows[0]["metric"] == "prmscore" else "cases"
    yield from heat_map([words_of(kind, seed) for kind in shown], columns, cells, width, brush, counted=counts)
    yield from paragraph("* optimistic: tuned on cases that the figure is of", width)


def _why_no_transfer(inspection: Inspection) -> str:
    evaluation = inspection.evaluation
    if evaluation is not None and not evaluation.movable and not isinstance(evaluation.rule, RuleByCase):
        return f"No threshold decides for {evaluation.scorer.name}, so that there is none to carry over."
    names, groups = inspection.cases["subset"], inspection.slice
    there = sorted({name for name in names.filter(groups.tolist()).to_list() if name})
    if len(there) < 2:
        only = f"only {there[0]}" if there else "none that has a name"
        return (
            f"There is one subset to tune and report on ({only}). Transfer needs two: cases with a field `subset`, or "
            "a filter that leaves more of them."
        )
    return "No subset has a best threshold: the figure is undefined on each of them."


def _mark(inspection: Inspection, row: FigureRow | None, subset: str) -> Mark | None:
    if row is None:
        return None
    cases = counted_cases(inspection, None if subset in WHOLE.values() else subset)
    drill = None
    if cases is not None and not row["excluded"] and not (cases.exact and cases.n != row["n"]):
        drill = cases.drill
    flag = "*" if row["optimistic"] else ""
    return Mark(row["value"], row["low"], row["high"], row["n"], drill, flag, few=bool(row["small"]))
