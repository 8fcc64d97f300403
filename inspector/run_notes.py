"""Sentences about scorers that ran several times: which run is shown, and what a mean over runs is of."""

from collections.abc import Iterator

from inspector.selection import Selection
from inspector.sentences import counted
from scoring.metrics.first_error import FirstErrors
from scoring.parts import parts


def first_run_notes(selection: Selection) -> Iterator[str]:
    """A sentence for every chosen scorer of which only the first run is here."""
    for one in selection.chosen_evaluations:
        if one.further:
            yield f"{one.scorer.name} ran {len(one.runs)} times: this is its first run; metrics is about all of them"


def unlike_notes(selection: Selection) -> Iterator[str]:
    """A sentence for every chosen scorer with runs that are no repetitions of its first."""
    for one in selection.chosen_evaluations:
        if one.unlike:
            most = one.votes.most if one.votes is not None else 1
            yield (
                f"{one.scorer.name}: {counted(one.unlike, 'further run')} left out of every figure: not {most} votes a "
                "case as in the first; ask for as many in each (score --votes N --runs N)"
            )


def mean_notes(selection: Selection) -> Iterator[str]:
    """What the means over runs are of, where the chosen scorers have any; for each scorer and benchmark of how many."""
    if not any(one.further for one in selection.chosen_evaluations):
        return
    yield (
        "value: the mean over the runs that tried cases in every subset of a line, sd: their sample standard deviation "
        "(n-1), n: that of the first of them; low and high: cases resampled, with the same draws in all runs"
    )
    for one in selection.chosen_evaluations:
        for part, rows in parts(selection.cases, ("benchmark",), selection.mask) if one.further else ():
            benchmark = part["benchmark"]
            found = FirstErrors.of(one, rows, selection.unparsed(benchmark))
            sizes = found.sizes.tolist()
            whole = found.pooled_runs.size
            if not any(sizes):
                continue
            counted = ", ".join(f"{size:,}" for size in sizes) if len(set(sizes)) > 1 else f"{sizes[0]:,} each"
            less = "" if whole == len(sizes) else f"; {whole} of them tried every subset, and stand in all and average"
            yield f"{one.scorer.name} on {benchmark}: {len(sizes)} runs, of {counted} cases{less}"
