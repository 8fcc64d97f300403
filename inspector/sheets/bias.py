"""The sheet of the bias screen: which way a scorer leans, and on which cases it is better or worse than on the rest."""

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.bias import bias_document
from inspector.breakdown import judged_steps
from inspector.filtering.facet_columns import column_words
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import CaseLink, LineCell, Piece, Row, Sheet, heading, paragraph, table
from inspector.sentences import counted
from inspector.sheets.words import WAITING, count, difference, p_value, percent
from inspector.subject import subject
from scoring.export import Document
from scoring.metrics.bias import bias_rows
from scoring.metrics.cell_conditions import behind
from scoring.metrics.outcome_conditions import answered
from scoring.metrics.slices import SUPPORT
from scoring.sql_words import named

TITLES = {
    "error_acc": "accuracy on erroneous cases",
    "correct_acc": "accuracy on clean cases",
    "negative_acc": "accuracy on wrong steps",
    "positive_acc": "accuracy on right steps",
    "bias": "bias: the second less the first",
    "predicted_positive_rate": "called clean",
}
SIDES = {"error_acc_difference": "error_acc", "correct_acc_difference": "correct_acc"}
_OWN = {"steps": "n_steps", "position": "earliest_error"}
"""The columns of the cases that bins are made of."""


def document_of(inspection: Inspection, form: str = "") -> Document:
    """What the command `bias` prints for the scorer in focus; it takes as long."""
    return bias_document(subject(inspection, (str(inspection.scorer),)), form)


def bias_sheet(inspection: Inspection, found: Document | None, brush: Brush, width: int) -> Sheet:
    """The sheet; `found` is None while slices are compared, and what is quick stands there before."""
    ready = found is not None or inspection.scorer is None or not inspection.slice.any()
    return Sheet(tuple(_lines(inspection, found, brush, width)), "" if ready else "Computing.")


def _lines(inspection: Inspection, found: Document | None, brush: Brush, width: int) -> Iterator[Row]:
    evaluation = inspection.evaluation
    if evaluation is None:
        yield heading("Nothing to say yet")
        yield from paragraph(
            f"No scorer has verdicts on {inspection.benchmark}. In a shell: prm-inspect score {inspection.benchmark} "
            "--model DIR runs one, prm-inspect import PATH reads results.",
            width,
        )
        return
    if not inspection.slice.any():
        yield from paragraph("No case is left by the filter.", width)
        return
    judged = judged_steps(evaluation, inspection.benchmark)
    rows = list(bias_rows(evaluation, inspection.slice, inspection.unparsed, judged))
    yield from _leaning(inspection, rows, brush, width)
    yield ()
    slices = None if found is None else found.rows.filter(found.rows["column"].is_not_null()).to_dicts()
    yield from _slices(inspection, slices, brush, width)


def _leaning(inspection: Inspection, rows: list[dict[str, Any]], brush: Brush, width: int) -> Iterator[Row]:
    yield heading("Which way it leans")
    said: list[list[LineCell]] = []
    for unit in ("case", "step"):
        here = {row["metric"]: row for row in rows if row["unit"] == unit}
        for metric, row in here.items():
            title = TITLES[metric] if metric != "predicted_positive_rate" or unit == "case" else "steps called right"
            make = difference if metric == "bias" else percent
            small = "~" if row["small"] else ""
            shown = make(row, brush, None)
            number = (
                count(row["n"], _drill(inspection, metric, row["n"], title)) if unit == "case" else _steps(row["n"])
            )
            said.append([Piece(title, "strong" if metric == "bias" else ""), shown, Piece(small, "dim"), number])
    yield from table(
        [Piece(word) for word in ("", "percent, 95% interval", "", "n")], said, [False, False, False, True]
    )
    yield ()
    yield from paragraph(
        "A scorer that calls everything right has a bias of +100, one that calls everything wrong -100. By step there "
        "is no interval, since the steps of a case are not independent, and steps have no list of cases.",
        width,
    )


def _steps(n: int) -> Piece:
    return Piece(f"{n:,} {'step' if n == 1 else 'steps'}", "dim")


def _drill(inspection: Inspection, metric: str, n: int, title: str) -> CaseLink:
    scorer = str(inspection.scorer)
    if metric == "predicted_positive_rate":
        return CaseLink((answered(scorer),), n, "with a verdict", scorer)
    figure = "f1" if metric == "bias" else metric
    return CaseLink(behind(figure, scorer, inspection.unparsed), n, f"tried: {title.partition(':')[0]}", scorer)


def _slices(inspection: Inspection, rows: list[dict[str, Any]] | None, brush: Brush, width: int) -> Iterator[Row]:
    yield heading("Where it is better or worse than on the rest")
    if rows is None:
        yield (Piece(WAITING, "dim"),)
        return
    if not rows:
        yield from paragraph(
            f"No value of a column has {SUPPORT} cases of one side with {SUPPORT} others beside them: too few to say.",
            width,
        )
        return
    looks = rows[0]["looks"]
    yield (Piece(f"{counted(looks, 'look')}, the largest difference first", "dim"),)
    said = [_slice(inspection, row, brush) for row in rows]
    header = ["cases with", "of", "less the rest", "n", "rest", "p", "p Holm"]
    right = [False, False, False, True, True, True, True]
    yield from table([Piece(word) for word in header], said, right)
    yield ()
    yield from paragraph(
        f"Accuracy on the cases with a value less that on those with another, with Newcombe's 95% interval, where both "
        f"have {SUPPORT} cases or more. p is Fisher's exact test; p Holm is adjusted for the {looks} looks, and what "
        "is small without it may be chance. Cases are taken as independent.",
        width,
    )


def _slice(inspection: Inspection, row: Mapping[str, Any], brush: Brush) -> list[LineCell]:
    figure, column = SIDES[row["metric"]], row["column"]
    scorer, side = str(inspection.scorer), "erroneous" if figure == "error_acc" else "clean"
    own = behind(figure, scorer, inspection.unparsed)
    name = f"{column_words(column)}: {row['slice'] or '(empty)'}"
    known = f"{named(_OWN.get(column, column))} IS NOT NULL"
    here = CaseLink((row["where"], *own), row["n"], f"{name}, {side}", scorer)
    rest = CaseLink((f"NOT ({row['where']})", known, *own), row["rest"], f"not {name}, {side}", scorer)
    return [
        Piece(name),
        Piece(side, "dim"),
        difference(row, brush),
        count(row["n"], here),
        count(row["rest"], rest, "dim"),
        p_value(row["p"]),
        p_value(row["p_holm"]),
    ]
