"""From a number to the cases behind it, and back."""

from msgspec.structs import replace

from inspector.filtering.searching import asked
from inspector.inspection import Inspection
from inspector.render.lines import CaseLink
from scoring.filters import Filter


def drilled(inspection: Inspection, drill: CaseLink) -> Inspection:
    """The list of the cases behind a number: those of the slice that fulfil its conditions, most instructive first.

    The slice is what sheets speak of: conditions on what scorers made of the cases are not part of it, so that they are
    dropped here as well.

    Raises:
        FilterError: a condition of it cannot be read.
    """
    benchmark = drill.benchmark or inspection.benchmark
    scorer = drill.scorer or inspection.scorer
    condition = joined(drill.where)
    kept = inspection.of_data
    chosen = Filter(kept.facets, (*kept.where, condition)) if condition else kept
    bare = replace(inspection, titles={**inspection.titles, condition: drill.words}).filtered(Filter())
    beside = drill.others if scorer in drill.others or not drill.others else (str(scorer), *drill.others)
    there = replace(bare.focused(scorer, benchmark) if scorer else bare, beside=beside)
    return there.filtered(chosen).ordered("instructive" if there.scorer else "")


def joined(where: tuple[str, ...]) -> str:
    """Conditions as one."""
    return where[0] if len(where) == 1 else " AND ".join(f"({one})" for one in where)


def returned(now: Inspection, before: Inspection) -> Inspection:
    """What a sheet showed `before` its cases were listed, with what has changed since: thresholds, rewards, tags."""
    same = now.cases is before.cases
    found = before.selection.found if same else now.selection.found
    request = replace(
        now.selection.request, sort=before.selection.request.sort, columns=before.selection.request.columns
    )
    again = replace(now, selection=replace(now.selection, request=replace(request, **asked(found)), found=found))
    names = [one.scorer.name for one in now.selection.evaluations]
    scorer = before.scorer if before.scorer in names else now.scorer
    bare = replace(again, scorer=scorer, benchmark=before.benchmark, filter=before.filter, beside=before.beside)
    return bare.filtered(before.filter)
