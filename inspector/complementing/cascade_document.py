"""The document of `compare FIRST SECOND --cascade`: one scorer is asked first, the other where that one is not sure."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from inspector.breakdown import within
from inspector.comparison import lineups, scorer_command, without_gold
from inspector.complementing.answer_costs import answer_costs
from inspector.documents import provenance
from inspector.official_rows import step_benchmarks
from inspector.run_notes import first_run_notes
from inspector.selection import Selection
from scoring.errors import UsageError
from scoring.export import Document
from scoring.metrics.cascade import RULE, Cascade, cascade
from scoring.metrics.figure import Figure
from scoring.metrics.intervals import RESAMPLES
from scoring.metrics.lineup_conditions import EVERY, common_of
from scoring.metrics.paired import METRICS as FIGURES
from scoring.metrics.paired import SharedScores
from scoring.official_rows import METRICS
from scoring.step_rewards import Floats

CASCADE = {
    "scorer": METRICS["scorer"],
    "other": pl.String(),
    **{name: METRICS[name] for name in ("benchmark", "subset")},
    "kind": pl.String(),
    "cut": pl.Float64(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "count": pl.Int64(),
    "optimistic": pl.Boolean(),
    "reason": METRICS["reason"],
    "note": pl.String(),
    "where": pl.String(),
}
POINTS = 21
NOTES = (
    RULE,
    (
        "kind: `first` and `second` are the scorers alone, `cut` some values of m, and `best` the one with the highest "
        "F1; optimistic: it was found on the cases that its value is of"
    ),
    (
        "share_sent: of the cases that both tried, what is sent on; `where` selects these `count` cases, and all in "
        "common where a scorer stands alone; second_tokens: tokens in and out of the second one's answers to them"
    ),
    (
        "f1, error_acc and correct_acc are means over subsets; f1_over_first and f1_over_second are differences to the "
        f"two alone; low and high: 95%, {RESAMPLES} resamples that all rows share"
    ),
)


class _Asked(NamedTuple):
    """A cascade with what the second scorer's answers cost a case (n,), and why that is not known."""

    made: Cascade
    costs: Floats
    no_costs: str | None


def cascade_document(selection: Selection, form: str = "") -> Document:
    """Rows of the two chosen scorers alone, of the cascade at POINTS cuts, and at the best of all, by benchmark.

    Raises:
        UsageError: not two scorers are chosen, or the first one decides by no threshold.
    """
    names = selection.chosen
    if len(names) != 2:
        said = f"a cascade is of two scorers, not of {len(names)}."
        raise UsageError(said, "Name the one that is asked first, then the other.")
    first, second = selection.chosen_evaluations
    if not np.isfinite(first.decision_distances).any():
        other = f" {second.scorer.name} has one: name it first." if second.movable else ""
        said = f"{first.scorer.name} has no threshold, so that nothing says how sure it is."
        raise UsageError(said, other.strip() or "Name a scorer with a threshold first, such as a PRM.")
    costs, no_costs = answer_costs(selection, names[1])
    rows: list[dict[str, Any]] = []
    for benchmark, lineup in lineups(selection).items():
        made = cascade(lineup, 0, 1, first.decision_distances[lineup.rows])
        asked = _Asked(made, costs[made.shared.rows], no_costs)
        about = {"scorer": names[0], "other": names[1], "benchmark": benchmark}
        inside = within(selection, benchmark)
        found = _rows(asked, selection.request.seed)
        rows += ({**about, **row, "where": " AND ".join((*inside, row["where"]))} for row in found)
    of_steps = [f"{name}: of first errors, not of steps" for name, _ in step_benchmarks(selection)]
    notes = (*NOTES, *of_steps, *first_run_notes(selection), *without_gold(selection))
    command = scorer_command(selection, "compare", "--cascade", form=form)
    return Document(pl.DataFrame(rows, schema=CASCADE, orient="row"), provenance(selection, command, notes))


def _rows(asked: _Asked, seed: int) -> Iterator[dict[str, Any]]:
    made, best = asked.made, asked.made.best
    cuts = [*made.spread(POINTS).tolist(), *([] if best is None else [best])]
    scores = made.scores(cuts, seed)
    everything = {"count": made.n, "where": common_of(made.shared, (0, 1), EVERY)}
    for place, kind in enumerate(("first", "second")):
        for metric in FIGURES:
            yield {"kind": kind, **everything, **_figure(metric, scores.estimate(metric, place))}
    spent = made.spent(asked.costs)
    for number, cut in enumerate(cuts):
        kind = "best" if best is not None and number == len(cuts) - 1 else "cut"
        sent = {"count": int(made.sent[cut]), "where": made.where(cut)}
        about = {"kind": kind, "cut": float(made.cuts[cut]), "optimistic": kind == "best", **sent}
        for row in _point(asked, scores, cut, number + 2, float(spent[cut])):
            yield {**about, **row}


def _point(asked: _Asked, scores: SharedScores, cut: int, place: int, spent: float) -> Iterator[dict[str, Any]]:
    """The rows of one cut, which is the scorer at `place` of the scores."""
    made = asked.made
    share = float(made.shares[cut]) if made.n else None
    yield {"subset": "all", "metric": "share_sent", "value": share, "n": made.n, "reason": _none(made)}
    known = made.n > 0 and np.isfinite(spent) and asked.no_costs is None
    why = None if known else _none(made) or asked.no_costs or "not all answers to these cases were counted"
    tokens = {"subset": "all", "metric": "second_tokens", "value": spent if known else None}
    yield {**tokens, "n": int(made.sent[cut]), "reason": why}
    for metric in FIGURES:
        yield _figure(metric, scores.estimate(metric, place))
    for name, alone in (("f1_over_first", 0), ("f1_over_second", 1)):
        yield _figure(name, scores.difference("f1", place, alone))


def _none(made: Cascade) -> str | None:
    return None if made.n else "no case in common"


def _figure(metric: str, figure: Figure) -> dict[str, Any]:
    ends = {"value": figure.value, "low": figure.low, "high": figure.high, "n": figure.n}
    return {"subset": "average", "metric": metric, **ends, "reason": figure.reason, "note": figure.note}
