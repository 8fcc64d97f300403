"""What to beware of in the number of one scorer, in sentences."""

from collections.abc import Iterator

from inspector.notes import boundary_notes, label_notes, range_notes, unlike_notes
from inspector.protocol_card.case_sets import counted_cases, only_tried
from inspector.protocol_card.settings import UNTOLD, settings_of
from inspector.protocol_card.threshold_kinds import TUNED_HERE, threshold_kind
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.deciding import speaks_of
from scoring.evaluation import Evaluation
from scoring.metrics.resampling import SMALL


def warnings_of(selection: Selection, scorer: str, benchmark: str) -> Iterator[str]:
    """Every caution; the selection shows this scorer and the cases of this benchmark alone."""
    one = selection.evaluation(scorer)
    if one.nothing is not None:
        yield f"{scorer} gives no verdict on any case: {one.nothing}"
    if threshold_kind(one.rule) == TUNED_HERE:
        yield f"the threshold was tuned on these cases, so that the figure is optimistic: {one.rule.source}"
    yield from _coverage(selection, one, benchmark)
    if chosen := _choosing(selection, scorer):
        told = " AND ".join(chosen)
        yield f"the cases are chosen by what {scorer} made of them ({told}): the figure speaks of itself"
    yield from boundary_notes(selection)
    yield from range_notes(selection)
    yield from label_notes(selection)
    yield from unlike_notes(selection)
    yield from (problem for problem in selection.problems if problem.startswith(f"{scorer}:"))
    if "imported_from" in one.scorer.settings and not any(
        name.startswith("weights") for name in settings_of(one.scorer)
    ):
        came = one.scorer.settings["imported_from"]
        yield f"{scorer} was imported from {came}: which weights gave its numbers is {UNTOLD}"


def _choosing(selection: Selection, scorer: str) -> list[str]:
    """The conditions on what the scorer made of the cases, less those that only ask whether it tried them."""
    return [one for one in speaks_of(scorer, selection.request.where) if not only_tried(one, scorer)]


def _coverage(selection: Selection, one: Evaluation, benchmark: str) -> Iterator[str]:
    """Cases that are not counted, and few that are."""
    shown, name = selection.mask, one.scorer.name
    rows = counted_cases(selection, (name,), benchmark).get(name)
    if rows is None:
        return
    without = int((shown & one.gold.known & ~rows).sum())
    if without:
        yield f"of {counted(int((shown & one.gold.known).sum()), 'case')} {without:,} left out of the denominators"
    gold = one.gold.earliest
    sides = {"erroneous": int((rows & (gold >= 0)).sum()), "clean": int((rows & (gold == -1)).sum())}
    few = [f"{counted(n, f'{side} case')}" for side, n in sides.items() if n < SMALL]
    if few:
        yield f"small n: only {' and '.join(few)}"
