"""The official metrics of scorers as rows: those that each benchmark reports first, and what else holds for it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.parts import parts
from inspector.selection import Selection
from inspector.twins import twin_evaluations
from scoring.benchmarks.catalogue import step_labelled
from scoring.benchmarks.step_labelled import StepLabelled
from scoring.evaluation import Evaluation
from scoring.metrics import first_error, step_labels
from scoring.metrics.intervals import RESAMPLES
from scoring.metrics.redundancy import redundancy_untold
from scoring.metrics.step_counts import asked_by_redundancy
from scoring.step_rewards import Bools

Row = dict[str, Any]


def official_rows(selection: Selection) -> Iterator[Row]:
    """Rows of `scorer, benchmark, subset, metric, value, low, high, n, reason` and the columns that were asked for.

    Over the shown cases of every benchmark. Grouped by columns, only `all` is told of each group.
    """
    request, shown = selection.request, selection.mask
    twins = {name: twin_evaluations(selection, name) for name, facts in _step_labelled(selection) if facts.twins}
    for evaluation in selection.chosen_evaluations:
        for benchmark, within in parts(selection.cases, ("benchmark",)):
            name = benchmark["benchmark"]
            own = twins.get(name, {}).get(evaluation.scorer.name)
            for group, rows in parts(selection.cases, request.by, within & shown):
                for row in _rows(evaluation, name, rows, own, selection):
                    if not request.by or row["subset"] == "all":
                        yield {"scorer": evaluation.scorer.name, **benchmark, **row, **group}


def _rows(
    evaluation: Evaluation, benchmark: str, rows: Bools, twins: Evaluation | None, selection: Selection
) -> Iterable[Row]:
    request, facts = selection.request, step_labelled(benchmark)
    of_first_errors = first_error.metric_rows(evaluation, rows, request.unparsed, request.seed)
    if facts is None:
        return of_first_errors
    of_steps = step_labels.metric_rows(evaluation, rows, facts, twins, request.seed)
    return [*of_steps, *_with_both_sides(list(of_first_errors))]


def _with_both_sides(rows: list[Row]) -> Iterator[Row]:
    """First errors where there are both erroneous and clean cases: most classes of step labels have no clean ones."""
    lacking = {row["subset"] for row in rows if row["metric"] != "f1" and row["value"] is None}
    yield from (row for row in rows if row["subset"] not in lacking)


def averaging(selection: Selection) -> str:
    """How the benchmarks of a selection average, in words."""
    stepwise = len(_step_labelled(selection))
    whole = stepwise == selection.cases["benchmark"].n_unique() and stepwise > 0
    words = [*([] if whole else [first_error.AVERAGING]), *([step_labels.AVERAGING] if stepwise else [])]
    return "; ".join(words)


def interval_notes(selection: Selection) -> Iterator[str]:
    """How intervals came to be, and what figures of steps count."""
    found = _step_labelled(selection)
    strata = "stratified by erroneous/clean and, for the average, subset"
    if not found or len(found) < selection.cases["benchmark"].n_unique():
        yield f"low and high: 95% bootstrap, {RESAMPLES} resamples, {strata}"
    for name, facts in found:
        others = f"; first errors {strata}" if facts.without_errors else ""
        yield f"{name}: low and high: 95% bootstrap, {RESAMPLES} resamples of whole problems{others}"
        cases = "first, validity_rate and similarity" if facts.twins else "first and validity_rate"
        yield f"{name}: n counts steps, of {cases} cases; what has no judgement of its steps lowers validity_rate alone"
        if facts.without_errors:
            told = ", ".join(sorted(facts.without_errors))
            yield f"{name}: prmscore of {told} is its f1_positive, for it holds no wrong step"
        yield from _redundancy(selection, name, facts)


def _redundancy(selection: Selection, benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """A sentence for every scorer whose redundancy numbers are not used, because no threshold is known for them."""
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask
    for one in selection.chosen_evaluations:
        untold = redundancy_untold(one, asked_by_redundancy(one, facts) & within)
        if untold:
            why = "no threshold is known for its redundancy numbers, so that validity decides"
            yield f"{one.scorer.name} on {benchmark}: {why} {untold} cases of {', '.join(sorted(facts.by_redundancy))}"


def _step_labelled(selection: Selection) -> list[tuple[str, StepLabelled]]:
    """The benchmarks of the cases whose official figures are of steps."""
    names: list[str] = selection.cases["benchmark"].unique(maintain_order=True).to_list()
    facts: Mapping[str, StepLabelled | None] = {name: step_labelled(name) for name in names}
    return [(name, one) for name, one in facts.items() if one is not None]
