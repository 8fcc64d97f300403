"""A comparison of scorers step by step, as rows in long form, where a benchmark's official figure is PRMScore."""

from collections.abc import Iterator
from typing import Any

from scoring.metrics.comparison_row import figure_row, plain_row
from scoring.metrics.figure import Figure
from scoring.metrics.paired_steps import COMPARED, SharedSteps, StepLineup, shared_steps, steps_of_pairs

PAIRED = (
    "of all steps pooled, on the cases whose steps all scorers of a row judged: n and left_out count cases; the "
    "interval is a paired bootstrap of whole problems, without strata; there is no test, since steps of one case are "
    "not independent"
)
TO_BEST = ("prmscore_behind_best", "prmscore_tied_with_best")
NO_BEST = "PRMScore is undefined for every scorer"
NO_OTHER = "nothing to compare with: no other scorer has a PRMScore here"


def step_comparison_rows(lineup: StepLineup, seed: int = 0) -> Iterator[dict[str, Any]]:
    """What is to say about two or more scorers' judgements of the single steps of one benchmark.

    Yields the dictionaries of `scoring.metrics.comparison.comparison_rows`. For every pair, on the cases whose steps
    both judged: `prmscore_difference`, `positive_acc_difference`, `negative_acc_difference` (scorer minus other, of
    all steps pooled; the accuracies are those on right and on wrong steps). For every scorer, on the cases whose steps
    all scorers judged, those set aside that judged none: `prmscore`, `prmscore_behind_best` (scorer minus the best
    one, which is `other`) and `prmscore_tied_with_best` (1 if that difference's interval contains 0, else 0), both
    undefined where no two scorers have a PRMScore. `n` counts cases, `left_out` those that not all of the scorers a row
    is about judged. Undefined is None, with a `reason`.
    """
    for (left, right), shared in steps_of_pairs(lineup, seed).items():
        pair = (left, right)
        about = {"scorer": lineup.names[left], "other": lineup.names[right], "left_out": lineup.left_out(pair)}
        said = [f"{lineup.names[column]}: {lineup.nothing[column]}" for column in pair if lineup.nothing[column]]
        for metric in COMPARED:
            figure = shared.difference(metric, left, right)
            yield _pooled(about, f"{metric}_difference", figure, "; ".join(said) or None)
    yield from step_standing_rows(lineup, seed)


def step_standing_rows(lineup: StepLineup, seed: int = 0) -> Iterator[dict[str, Any]]:
    """How good every scorer is on the cases whose steps all judged, and how far behind the best.

    Yields the rows of `prmscore`, `prmscore_behind_best` and `prmscore_tied_with_best` alone; see
    `step_comparison_rows`.
    """
    columns = lineup.judging
    shared = shared_steps(lineup, columns, seed)
    own = {column: shared.estimate("prmscore", column) for column in columns}
    values = {column: figure.value for column, figure in own.items() if figure.value is not None}
    best = max(values, key=lambda column: values[column]) if values else None
    for column, name in enumerate(lineup.names):
        about = {"scorer": name, "left_out": lineup.left_out(columns)}
        if column not in columns:
            why = f"{name}: {lineup.nothing[column] or 'no case with a labelled step was judged'}"
            yield from (plain_row(about, metric, None, 0, why) for metric in ("prmscore", *TO_BEST))
            continue
        yield _pooled(about, "prmscore", own[column])
        if best is None or len(values) < 2:
            why = NO_BEST if best is None else own[column].reason or NO_OTHER
            yield from (plain_row(about, metric, None, shared.n, why) for metric in TO_BEST)
            continue
        yield from _to_best({**about, "other": lineup.names[best]}, shared, column, best)


def _to_best(about: dict[str, Any], shared: SharedSteps, column: int, best: int) -> Iterator[dict[str, Any]]:
    behind = shared.difference("prmscore", column, best)
    yield _pooled(about, TO_BEST[0], behind)
    yield plain_row(about, TO_BEST[1], behind.holds_zero, behind.n, behind.reason or behind.note or "")


def _pooled(about: dict[str, Any], metric: str, figure: Figure, nothing: str | None = None) -> dict[str, Any]:
    return figure_row(about, metric, figure, nothing, subset="all")
