"""Transfer: what a threshold that is tuned on one subset gives on another."""

from collections.abc import Iterator

from inspector.charts.heat_map import heat_map
from inspector.charts.mark import Mark
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Piece, Row
from inspector.sheets.thresholds.cases import counted_cases
from inspector.sheets.thresholds.figures import FigureRow, Figures
from inspector.sheets.thresholds.ways import WHOLE, words_of
from inspector.threshold_ways import PER_SUBSET
from scoring.verdicts import AsGiven


def transfer_lines(inspection: Inspection, figures: Figures | None, brush: Brush, width: int) -> Iterator[Row]:
    """The matrix; `figures` is None while they are computed."""
    rows = None if figures is None else figures.ways
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
    if evaluation is not None and isinstance(evaluation.rule, AsGiven):
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
