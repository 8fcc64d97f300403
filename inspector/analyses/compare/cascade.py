"""The page of `compare` on one scorer asked before the other, with what answers cost."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.render.blocks import Block, Facts, Note, quiet_notes
from inspector.render.chart_blocks import Curve, Series, Tick
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, count, figure, forest_column, points, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.common_cases import (
    aligned_cases,
    compare_command,
    comparison_sections,
    without_gold,
)
from inspector.state.figure_notes import first_run_notes, step_benchmarks
from inspector.state.provenance import provenance
from scoring.data.errors import UsageError
from scoring.data.schema import Floats, Row
from scoring.metrics.aligned_conditions import EVERY, common_of
from scoring.metrics.cascade import RULE, Cascade, cascade
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.official_rows import METRICS
from scoring.metrics.resampling import RESAMPLES, Figure
from scoring.metrics.shared_draws import OF_CASES, SharedScores
from scoring.selection.result_set import ResultSet, within

# -- what a critic's answers cost, in tokens, as far as its server counted them


def answer_costs(results: ResultSet, scorer: str) -> tuple[Floats, str | None]:
    """Count tokens in and out of all answers to each case in the scorer's first run, shape (n,), NaN where not counted.

    With them the reason why none is known; None where one is.
    """
    evaluation = results.evaluation(scorer)
    if evaluation.votes is None or scorer not in results.loaded.folders:
        why = f"{scorer} gives no answers in words, whose tokens could be counted"
        return np.full(results.evaluated.height, np.nan), why
    counted = evaluation.column("tokens_in") + evaluation.column("tokens_out")
    if counted.null_count() == counted.len():
        return np.full(results.evaluated.height, np.nan), f"no tokens were counted of the answers of {scorer}"
    return counted.cast(float).to_numpy(), None


# -- one asked before the other

CASCADE_ROWS = {
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
_CASCADE_NOTES = (
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
        f"two alone, and their intervals are paired; low and high: 95%, {RESAMPLES} resamples"
    ),
)


class _Asked(NamedTuple):
    """A cascade with what the second scorer's answers cost a case (n,), and why that is not known."""

    made: Cascade
    costs: Floats
    no_costs: str | None


def cascade_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Ask one scorer first, and the other where that one is not sure: at POINTS cuts, and at the best of all."""
    names = results.chosen
    if len(names) != 2:
        message = f"a cascade is of two scorers, not of {len(names)}."
        raise UsageError(message, "Name the one that is asked first, then the other.")
    first, second = results.chosen_evaluations
    if not np.isfinite(first.decision_distances).any():
        other = f" {second.scorer.name} has one: name it first." if second.rule.is_movable else ""
        message = f"{first.scorer.name} has no threshold, so that nothing says how sure it is."
        raise UsageError(message, other.strip() or "Name a scorer with a threshold first, such as a PRM.")
    costs, no_costs = answer_costs(results, names[1])
    frames, sections = [pl.DataFrame(schema=CASCADE_ROWS)], {}
    for benchmark, aligned in aligned_cases(results).items():
        made = cascade(aligned, 0, 1, first.decision_distances[aligned.rows])
        costed = _Asked(made, costs[made.shared.rows], no_costs)
        inside = within(results, benchmark)
        about = {"scorer": names[0], "other": names[1], "benchmark": benchmark}
        rows = [
            {**about, **row, "where": " AND ".join((*inside, row["where"]))}
            for row in _cascade_rows(costed, results.query.seed if intervals else None)
        ]
        frames.append(pl.DataFrame(rows, schema=CASCADE_ROWS, orient="row"))
        sections[benchmark] = _cascade_blocks(results, costed, frames[-1].to_dicts())
    of_steps = [f"{name}: of first errors, not of steps" for name, _ in step_benchmarks(results)]
    notes = (*_CASCADE_NOTES, *of_steps, *first_run_notes(results), *without_gold(results))
    facts = provenance(results, compare_command(results, "--cascade", form=params.form), notes)
    return View(pl.concat(frames), facts, title="Cascade", lay_out=lambda: comparison_sections(results, sections))


def _cascade_rows(costed: _Asked, seed: int | None) -> Iterator[dict[str, Any]]:
    made, best = costed.made, costed.made.best
    cuts = [*made.spread(POINTS).tolist(), *([] if best is None else [best])]
    scores = made.scores(cuts, seed)
    everything = {"count": made.n, "where": common_of(made.shared, (0, 1), EVERY)}
    for place, kind in enumerate(("first", "second")):
        for metric in OF_CASES:
            yield {"kind": kind, **everything, **_cascade_figure(metric.name, scores.estimate(metric, place))}
    spent = made.spent(costed.costs)
    for at, cut in enumerate(cuts):
        kind = "best" if best is not None and at == len(cuts) - 1 else "cut"
        sent = {"count": int(made.sent[cut]), "where": made.where(cut)}
        about = {"kind": kind, "cut": float(made.cuts[cut]), "optimistic": kind == "best", **sent}
        for row in _cut_rows(costed, scores, cut, at + 2, float(spent[cut])):
            yield {**about, **row}


def _cut_rows(costed: _Asked, scores: SharedScores, cut: int, place: int, spent: float) -> Iterator[dict[str, Any]]:
    """The rows of one cut, which is the scorer at `place` of the scores."""
    made = costed.made
    share = float(made.shares[cut]) if made.n else None
    none = None if made.n else "no case in common"
    yield {"subset": "all", "metric": "share_sent", "value": share, "n": made.n, "reason": none}
    known = made.n > 0 and np.isfinite(spent) and costed.no_costs is None
    why = None if known else none or costed.no_costs or "not all answers to these cases were counted"
    tokens = {"subset": "all", "metric": "second_tokens", "value": spent if known else None}
    yield {**tokens, "n": int(made.sent[cut]), "reason": why}
    for metric in OF_CASES:
        yield _cascade_figure(metric.name, scores.estimate(metric, place))
    for name, alone in (("f1_over_first", 0), ("f1_over_second", 1)):
        yield _cascade_figure(name, scores.difference(F1_SCORE, place, alone))


def _cascade_figure(metric: str, estimate: Figure) -> dict[str, Any]:
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}
    return {"subset": "average", "metric": metric, **ends, "reason": estimate.reason, "note": estimate.note}


def _cascade_blocks(results: ResultSet, costed: _Asked, rows: Sequence[Row]) -> Iterator[Block]:
    made = costed.made
    first, second = rows[0]["scorer"], rows[0]["other"]
    benchmark = rows[0]["benchmark"]
    yield Facts((("A, asked first", first), ("B, asked where A is not sure", second)))
    yield Note(f"{RULE[:1].upper()}{RULE[1:]}.", "quiet")
    if not made.n:
        yield Note("They have no case in common that both tried. Score the same cases with both.")
        return
    known = made.f1[np.isfinite(made.f1)]
    if known.size:
        yield _cascade_chart(made, (float(known.min()), float(known.max())))
    groups: dict[tuple[str, float | None], dict[str, Row]] = {}
    for row in rows:
        groups.setdefault((row["kind"], row["cut"]), {})[row["metric"]] = row
    lines: list[list[Cell]] = []
    # From A alone over ever more that is sent on to B alone; the best cut stands where it belongs.
    ordered = sorted(
        groups.items(), key=lambda group: (group[0][0] == "second", group[0][0] != "first", group[0][1] or 0.0)
    )
    for (kind, cut), cells in ordered:
        alone = kind in {"first", "second"}
        some = next(iter(cells.values()))
        words = "tried by both" if alone else "A is not sure: sent on to B"
        link = CaseLink((some["where"],), some["count"], words, first, (first, second), benchmark)
        label = {"first": "A alone", "second": "B alone", "best": f"below {cut or 0.0:.4g} (best)"}
        line = [text(label.get(kind, f"below {cut or 0.0:.4g}"), "strong" if kind == "best" else "")]
        line.append(count(0 if kind == "first" else some["count"], link))
        line.append(text("") if alone else replace(figure(cells["share_sent"]), reason=""))
        tokens = None if alone else cells["second_tokens"]["value"]
        line.append(count(None) if tokens is None else count(int(tokens)))
        line.append(replace(figure(cells["f1"]), optimistic=kind == "best"))
        line += [figure(cells[name]) for name in ("error_acc", "correct_acc")]
        line += [text("") if alone else points(cells[name]) for name in ("f1_over_first", "f1_over_second")]
        lines.append(line)
    titles: list[str | Column] = ["distance", "asked B", "share", "tokens of B", forest_column("F1")]
    titles += [Column("on erroneous", 1), Column("on clean", 1), Column("over A", 2), Column("over B", 2)]
    yield table(f"Of {counted(made.n, 'case')} that both tried", titles, lines)
    unknown = next((row["reason"] for row in rows if row["metric"] == "second_tokens" and row["value"] is None), None)
    if unknown:
        yield Note(f"No cost in tokens: {unknown}.", "quiet")
    sentence = "Each line opens the cases that are sent on to B; best is the highest F1 of all cuts."
    yield Note(sentence, "quiet")
    yield from quiet_notes(without_gold(results, benchmark))


def _cascade_chart(made: Cascade, span: tuple[float, float]) -> Curve:
    room = max(0.02, (span[1] - span[0]) * 0.1)
    ticks: tuple[Tick, ...] = ()
    if made.best is not None:
        at, score = float(made.shares[made.best]), float(made.f1[made.best])
        ticks = (Tick(at, "b", "best on these cases (optimistic)", score=score),)
    name = "F1 of the cascade by the share of cases that B is asked about"
    series = Series(name, "c", "scorer-a", made.shares, made.f1)
    upward = (max(0.0, span[0] - room), min(1.0, span[1] + room))
    return Curve("", "share of cases that B is asked about", "F1", (series,), ticks, (0.0, 1.0), upward)
