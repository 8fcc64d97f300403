"""The orders in which the cases of a list can come in a queue."""

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.state.contested_gold import rankings
from inspector.state.focusing import covering
from inspector.state.label_audit import audited_benchmarks
from inspector.state.screen_state import ScreenState
from inspector.state.subject import subject
from inspector.state.triage.disagreements import disagreements, statements_by_person
from scoring.data.errors import UsageError
from scoring.data.schema import Ints
from scoring.evaluation.evaluated_cases import disagreement
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.instructive import instructive
from scoring.metrics.baselines import is_baseline
from scoring.metrics.resampling import SMALL

SUSPICIOUS = "suspicious"
CONTESTED, DIFFERING, RULED = "contested", "differing", "ruled"
"""The orders that leave out the cases that they say nothing of."""
ONCE_MORE = frozenset({DIFFERING, RULED})
"""The orders of cases on which one may have ruled before."""
STRATA = ("pattern", "error_type", "subset", "generator")
"""The columns beside the outcome by which a queue can be stratified, where the cases have them."""


class QueueOrder(Struct, frozen=True):
    """A way to order a queue: its name, and in words what comes first."""

    name: str
    words: str


def queue_orders(state: ScreenState) -> list[QueueOrder]:
    """Return the orders that listed cases can have; those that need scorers come only where there are such.

    A column is offered for strata where it tells the listed cases apart.
    """
    orders = [QueueOrder("listed", "as listed"), QueueOrder("random", "at random")]
    columns = [name for name in STRATA if name in state.cases.columns]
    if state.focus.scorer is not None:
        columns.insert(0, state.focus.outcome_column)
    orders += [
        QueueOrder(f"by {name}", f"random, in turns by {name.rpartition('.')[2].replace('_', ' ')}")
        for name in columns
        if state.results.evaluated.column(name).gather(state.shown).n_unique() > 1
    ]
    if state.evaluation is not None:
        orders.append(QueueOrder("instructive", "most instructive first"))
        if state.evaluation.rule.is_movable:
            orders.append(QueueOrder("uncertain", "nearest to the threshold first"))
    if len(judging(state)) > 1:
        orders.append(QueueOrder("disagreed", "most disagreed by scorers first"))
        if _erroneous(state) >= SMALL:
            orders.append(QueueOrder(SUSPICIOUS, "most suspicious gold first"))
        orders.append(QueueOrder(CONTESTED, "only contested gold"))
    if state.results.labels.journal is not None and len(state.results.labels.journal.triage.people) > 1:
        orders.append(QueueOrder(DIFFERING, "only where people differ"))
    if _ruled(state, 0).size:
        orders.append(QueueOrder(RULED, "only those that you ruled on, once more"))
    return orders


def judging(state: ScreenState) -> list[Evaluation]:
    """Return the scorers with a verdict on the benchmark in focus, but for baselines, which look at nothing."""
    evaluations = state.results.evaluations
    return [
        evaluation
        for evaluation in evaluations
        if evaluation.coverage.judges(state.focus.benchmark) and not is_baseline(evaluation.scorer)
    ]


def queue_rows(state: ScreenState, order: str, seed: int = 0) -> Ints:
    """Order the row ids (int32) of the listed cases by one of `queue_orders`; all, but for the last three orders.

    What ties stays as it is in the file, but for orders with chance: there every prefix of the queue is a sample.

    Raises:
        InspectError: texts of the cases cannot be read; what people say cannot be compared.
    """
    listed = state.shown
    if order.startswith("by "):
        return listed[_in_turns(state.results.evaluated.column(order.removeprefix("by ")).gather(listed), seed)]
    return listed[_ORDERS[order](state, seed)]


def _contested(state: ScreenState, seed: int) -> Ints:  # noqa: ARG001
    every = subject(state, covering(state))
    return _placed(state, [row for ranking in rankings(every) for row in ranking.rows])


def _erroneous(state: ScreenState) -> int:
    """How many cases of the benchmark in focus are labelled with an error."""
    cases = state.cases.select("benchmark", "earliest_error")
    return cases.filter(benchmark=state.focus.benchmark).filter(pl.col("earliest_error") >= 0).height


def _suspicious(state: ScreenState, seed: int) -> Ints:  # noqa: ARG001
    """As the audit of labels ranks them; those that it says nothing of come last."""
    audited = audited_benchmarks(subject(state, covering(state)))
    ranked = [row for benchmark in audited.values() for row in benchmark.ranked]
    if not ranked:
        whys = "; ".join(f"{name}: {benchmark.why}" for name, benchmark in audited.items())
        raise UsageError(f"no label can be audited here: {whys}.", "Take another order.")
    first = _placed(state, ranked)
    rest = np.setdiff1d(np.arange(state.shown.size, dtype=np.int32), first)
    return np.concatenate([first, rest])


def _differing(state: ScreenState, seed: int) -> Ints:  # noqa: ARG001
    cases = disagreements(state.results, statements_by_person(state.results))["case"]
    rows = dict(zip(state.cases["case"].gather(state.shown), state.shown.tolist(), strict=True))
    return _placed(state, [rows[case] for case in cases])


def _ruled(state: ScreenState, seed: int) -> Ints:  # noqa: ARG001
    journal = state.results.labels.journal
    mine = {case for case, of in journal.triage.rulings.items() if journal.author.who in of} if journal else set()
    listed = state.cases["case"].gather(state.shown)
    return np.flatnonzero(listed.is_in(list(mine)).to_numpy()).astype(np.int32)


def _placed(state: ScreenState, rows: Sequence[int]) -> Ints:
    """Where these rows are among those shown, in their order."""
    places = {row: at for at, row in enumerate(state.shown.tolist())}
    return np.array([places[row] for row in rows if row in places], dtype=np.int32)


def _at_random(state: ScreenState, seed: int) -> Ints:
    return np.random.default_rng(seed).permutation(state.shown.size).astype(np.int32)


def _in_turns(values: pl.Series, seed: int) -> Ints:
    """One of each value, then a second of each, and so on; which one is left to chance, who begins is not.

    A case with a list of values belongs to the stratum of that list; one without a value to a stratum of its own.
    """
    mixed = np.random.default_rng(seed).permutation(values.len())
    words = (
        values.cast(pl.List(pl.String)).list.join(", ") if isinstance(values.dtype, pl.List) else values.cast(pl.String)
    )
    strata = words.rank("dense").fill_null(0).to_numpy()[mixed]
    order = np.argsort(strata, kind="stable")
    first = np.r_[True, np.diff(strata[order]) != 0]
    starts = np.flatnonzero(first)
    turns = np.empty(values.len(), dtype=np.int64)
    turns[order] = np.arange(values.len()) - np.repeat(starts, np.diff(np.r_[starts, values.len()]))
    return cast("Ints", mixed[np.lexsort((strata, turns))].astype(np.int32))


def _instructive(state: ScreenState, seed: int) -> Ints:  # noqa: ARG001  # no chance in it
    assert state.evaluation is not None  # noqa: S101  # queue_orders offers it only then
    places = np.empty(state.results.evaluated.height, dtype=np.int64)
    places[instructive(state.evaluation.margins, state.evaluation.codes)] = np.arange(places.size)
    return np.argsort(places[state.shown], kind="stable").astype(np.int32)


def _uncertain(state: ScreenState, seed: int) -> Ints:  # noqa: ARG001
    assert state.evaluation is not None  # noqa: S101
    distances = np.abs(state.evaluation.decision_distances[state.shown])
    return np.argsort(distances, kind="stable").astype(np.int32)


def _disagreed(state: ScreenState, seed: int) -> Ints:  # noqa: ARG001
    verdicts = [evaluation.verdicts[state.shown] for evaluation in judging(state)]
    shares = np.nan_to_num(disagreement(verdicts, state.shown.size))
    return np.argsort(-shares, kind="stable").astype(np.int32)


_ORDERS: dict[str, Callable[[ScreenState, int], Ints]] = {
    "listed": lambda state, _: np.arange(state.shown.size, dtype=np.int32),
    "random": _at_random,
    "instructive": _instructive,
    "uncertain": _uncertain,
    "disagreed": _disagreed,
    SUSPICIOUS: _suspicious,
    CONTESTED: _contested,
    DIFFERING: _differing,
    RULED: _ruled,
}
