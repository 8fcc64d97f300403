"""The figures that a cell can show, in words, and which of them the cases have."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inspector.charts.mark import Form
from inspector.inspection import Inspection
from inspector.sentences import WORDS
from scoring.evaluation import Evaluation
from scoring.metrics.breakdown import Cells
from scoring.metrics.cell_conditions import COUNTS
from scoring.metrics.kernel import Decided
from scoring.metrics.shares import error_type_shares, process_error_shares
from scoring.verdicts import OUTCOMES


@dataclass(frozen=True)
class FigureWords:
    """What a metric of a breakdown is called, of which cases it is, and what more is to be said of it."""

    title: str
    among: str
    note: str = ""


_ALL, _ERRONEOUS, _CLEAN = "cases tried", "erroneous cases tried", "clean cases tried"
FIGURES: dict[str, FigureWords] = {
    "f1": FigureWords("F1", _ALL, "harmonic mean of both accuracies"),
    "error_acc": FigureWords("accuracy on erroneous cases", _ERRONEOUS, "the earliest error is found exactly"),
    "correct_acc": FigureWords("accuracy on clean cases", _CLEAN, "no step is called wrong"),
    "fp": FigureWords("FP", _ERRONEOUS, "GR-Ben's: a step before the earliest error is named"),
    "fn": FigureWords("FN", _ERRONEOUS, "GR-Ben's: a later step is named, or none"),
    "late": FigureWords("late", _ERRONEOUS, "a later step is named"),
    "missed": FigureWords("missed", _ERRONEOUS, "no step is named"),
    "unanswered": FigureWords("unanswered", _ERRONEOUS, "refused, or the answer cannot be read"),
    "step_accuracy": FigureWords("step accuracy", "cases with steps labelled and judged", "mean over cases"),
    "process_error_rate": FigureWords(
        "wrong processes among right final answers", "cases that end in the right answer", "of the data alone"
    ),
    "process_error_exact": FigureWords(
        "those found exactly", "erroneous cases tried that end in the right answer", "wrong processes, right answers"
    ),
    "cases": FigureWords("how many cases", "cases"),
    **{f"count_{name}": FigureWords(f"how many {WORDS[name]}", WORDS[name]) for name in OUTCOMES},
}
"""In the order in which they are offered."""


def form_of(figure: str) -> Form:
    """How a figure is written."""
    return "count" if figure in COUNTS else "percent"


def figures_of(inspection: Inspection, *, difference: bool) -> tuple[str, ...]:
    """The figures that are defined for some case of the slice, through the scorer in focus."""
    evaluation = inspection.evaluation
    if evaluation is None:
        return ()
    there = set(_defined(evaluation, inspection))
    own = {*COUNTS, "process_error_rate"} if difference else set()
    return tuple(name for name in FIGURES if name in there and name not in own)


def _defined(evaluation: Evaluation, inspection: Inspection) -> Iterator[str]:
    rows, unparsed = inspection.slice, inspection.unparsed
    member, erroneous = Decided(evaluation, unparsed).members & rows, evaluation.gold.earliest >= 0
    sides = [bool((member & erroneous).any()), bool((member & ~erroneous).any())]
    names = ("error_acc", "correct_acc")
    yield from (name for name, any_of in zip(names, sides, strict=True) if any_of)
    if all(sides):
        yield "f1"
    for share in (*error_type_shares(evaluation, unparsed), *process_error_shares(evaluation, unparsed)):
        few = not (share.hits & rows).any() if share.name == "unanswered" else not (share.among & rows).any()
        if not few:
            yield share.name
    if (rows & ~np.isnan(evaluation.step_accuracies)).any():
        yield "step_accuracy"
    yield "cases"
    counts = np.bincount(evaluation.codes[rows], minlength=len(OUTCOMES))
    yield from (f"count_{name}" for name, count in zip(OUTCOMES, counts.tolist(), strict=True) if count)


def usual_figure(evaluation: Evaluation, cells: Cells, inspection: Inspection) -> str:
    """F1 where most cells have both sides, else the accuracy on the side that they have."""
    member, erroneous = Decided(evaluation, inspection.unparsed).members, evaluation.gold.earliest >= 0
    inner = np.ones(cells.places[0].size, dtype=np.bool_)
    for place, one in zip(cells.places, cells.axes, strict=True):
        inner &= place < len([value for value in one.values if value is not None])
    wrong, clean = (cells.counts(member & side)[inner] for side in (erroneous, ~erroneous))
    some = (wrong > 0) | (clean > 0)
    if not some.any():
        return "cases"
    if 2 * int(((wrong > 0) & (clean > 0)).sum()) > int(some.sum()):
        return "f1"
    return "error_acc" if wrong.sum() >= clean.sum() else "correct_acc"
