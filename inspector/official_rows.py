"""The official metrics of scorers as rows: those that each benchmark reports first, and what else holds for it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.grouping import grouped, groups
from inspector.parts import parts
from inspector.selection import Selection
from inspector.twins import twin_evaluations
from scoring.benchmarks.catalogue import StepLabelled, step_labelled
from scoring.evaluation import Evaluation
from scoring.metrics import first_error, step_labels
from scoring.metrics.intervals import RESAMPLES, SMALL
from scoring.metrics.redundancy import redundancy_untold
from scoring.metrics.step_counts import asked_by_redundancy
from scoring.protocols import protocol_named
from scoring.step_rewards import Bools

Row = dict[str, Any]

STRATA = "stratified by erroneous/clean and, for the average, subset"
WHOLE = "of whole problems, without strata, since cases share problems"
SMALL_WORDS = f"small: fewer than {SMALL} cases in the denominator (for f1, on either side)"


def official_rows(selection: Selection) -> Iterator[Row]:
    """Rows of `scorer, benchmark, subset, metric, value, low, high, n, reason` and the columns that were asked for.

    Over the shown cases of every benchmark. Grouped by columns, only `all` is told of each group.
    """
    request, shown = selection.request, selection.mask
    twins = {name: twin_evaluations(selection, name) for name, facts in step_benchmarks(selection) if facts.twins}
    frame = grouped(selection)
    for evaluation in selection.chosen_evaluations:
        for benchmark, within in parts(selection.cases, ("benchmark",)):
            name = benchmark["benchmark"]
            own = twins.get(name, {}).get(evaluation.scorer.name)
            for group, rows in groups(frame, request.by, within & shown):
                for row in figures_of(evaluation, name, rows, selection, own):
                    if not request.by or row["subset"] == "all":
                        yield {"scorer": evaluation.scorer.name, **benchmark, **row, **group}


def figures_of(
    evaluation: Evaluation, benchmark: str, rows: Bools, selection: Selection, twins: Evaluation | None = None
) -> Iterable[Row]:
    """Rows of `subset, metric, value` and so on of the cases `rows` (n) of one benchmark, counted as the request asks.

    Args:
        evaluation: the decided cases.
        benchmark: that of `rows`.
        rows: (n,) which cases take part.
        selection: says how it is counted.
        twins: the same scorer on the unharmed originals, where the benchmark has some.
    """
    request, facts = selection.request, step_labelled(benchmark)
    undefined = protocol_named(request.protocol).undefined if request.protocol else None
    official = undefined if facts is None and undefined is not None and undefined >= 0 else None
    unparsed = selection.unparsed(benchmark)
    of_first_errors = first_error.metric_rows(evaluation, rows, unparsed, request.seed, official)
    if facts is None:
        return of_first_errors
    of_steps = step_labels.metric_rows(evaluation, rows, facts, twins, request.seed, official=undefined == -1)
    return [*of_steps, *_with_both_sides(list(of_first_errors))]


def _with_both_sides(rows: list[Row]) -> Iterator[Row]:
    """First errors where there are both erroneous and clean cases: most classes of step labels have no clean ones."""
    lacking = {row["subset"] for row in rows if row["metric"] != "f1" and row["value"] is None}
    yield from (row for row in rows if row["subset"] not in lacking)


def averaging(selection: Selection) -> str:
    """How the benchmarks of a selection average, in words."""
    stepwise = len(step_benchmarks(selection))
    whole = stepwise == selection.cases["benchmark"].n_unique() and stepwise > 0
    words = [*([] if whole else [first_error.AVERAGING]), *([step_labels.AVERAGING] if stepwise else [])]
    return "; ".join(words)


def interval_notes(selection: Selection) -> Iterator[str]:
    """How intervals came to be, and what figures of steps count."""
    found = step_benchmarks(selection)
    of_steps = dict(found)
    ways = {name: resampled_words(selection, name) for name in selection.cases["benchmark"].unique(maintain_order=True)}
    whole = {name: way for name, way in ways.items() if name not in of_steps}
    bootstrap = f"low and high: 95% bootstrap, {RESAMPLES} resamples"
    for way in dict.fromkeys(whole.values()):
        named = f"{', '.join(name for name in whole if whole[name] == way)}: " if len(set(whole.values())) > 1 else ""
        yield f"{named}{bootstrap}, {way}"
    for name, facts in found:
        others = f"; first errors {ways[name]}" if facts.without_errors else ""
        yield f"{name}: {bootstrap} of whole problems{others}"
        cases = "first, validity_rate and similarity" if facts.twins else "first and validity_rate"
        yield f"{name}: n counts steps, of {cases} cases; what has no judgement of its steps lowers validity_rate alone"
        yield from without_errors(name, facts)
        yield from _redundancy(selection, name, facts)


def resampled_words(selection: Selection, benchmark: str) -> str:
    """How the first errors of the chosen scorers are resampled on the shown cases of a benchmark, in words."""
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask
    unparsed = selection.unparsed(benchmark)
    found = {
        first_error.first_errors(one, rows, unparsed).decided.related
        for one in selection.chosen_evaluations
        for _, rows in parts(grouped(selection), selection.request.by, within)
        if (one.tried & rows).any()
    }
    if {True, False} <= found:
        return f"{WHOLE} (of a scorer or group in which no two cases do: {STRATA})"
    return WHOLE if True in found else STRATA


def without_errors(benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """Which classes have another figure in the place of PRMScore."""
    if facts.without_errors:
        told = ", ".join(sorted(facts.without_errors))
        yield f"{benchmark}: prmscore of {told} is its f1_positive, for it holds no wrong step"


def _redundancy(selection: Selection, benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """A sentence for every scorer whose redundancy numbers are not used, because no threshold is known for them."""
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask
    for one in selection.chosen_evaluations:
        untold = redundancy_untold(one, asked_by_redundancy(one, facts) & within)
        if untold:
            why = "no threshold is known for its redundancy numbers, so that validity decides"
            yield f"{one.scorer.name} on {benchmark}: {why} {untold} cases of {', '.join(sorted(facts.by_redundancy))}"


def step_benchmarks(selection: Selection) -> list[tuple[str, StepLabelled]]:
    """The benchmarks of the cases whose official figures are of steps."""
    names: list[str] = selection.cases["benchmark"].unique(maintain_order=True).to_list()
    facts: Mapping[str, StepLabelled | None] = {name: step_labelled(name) for name in names}
    return [(name, one) for name, one in facts.items() if one is not None]
