"""Pages of `compare`: agreement of every two scorers, who is right together, one asked before the other."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.render.blocks import (
    Block,
    Cell,
    Column,
    Curve,
    Facts,
    Note,
    Series,
    Tick,
    count,
    figure,
    points,
    quiet_notes,
    table,
    text,
)
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.common_cases import (
    ScorerField,
    aligned_cases,
    compare_command,
    comparison_sections,
    field_head,
    need_two,
    set_aside,
    without_gold,
)
from inspector.state.notes import first_run_notes, step_benchmarks
from inspector.state.provenance import provenance
from inspector.state.query import joined
from inspector.state.result_set import ResultSet, within
from scoring.data.errors import UsageError
from scoring.data.schema import Floats, Row
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.aligned_conditions import EVERY, common_of
from scoring.metrics.cascade import RULE, Cascade, cascade
from scoring.metrics.correct_sets import CorrectSet, correct_sets
from scoring.metrics.ensembles import OVER_BETTER
from scoring.metrics.first_error import F1_SCORE, SIDES
from scoring.metrics.official_rows import METRICS
from scoring.metrics.resampling import RESAMPLES, SMALL, Figure
from scoring.metrics.scorer_pairs import agreement_rows, covered_rows, oracle_rows
from scoring.metrics.shared_draws import OF_CASES, SharedScores

# -- what a critic's answers cost, in tokens, as far as its server counted them


def answer_costs(results: ResultSet, scorer: str) -> tuple[Floats, str | None]:
    """Count tokens in and out of all answers to each case in the scorer's first run, shape (n,), NaN where not counted.

    With them the reason why none is known; None where one is.
    """
    evaluation = results.evaluation(scorer)
    if evaluation.votes is None or scorer not in results.folders:
        why = f"{scorer} gives no answers in words, whose tokens could be counted"
        return np.full(results.height, np.nan), why
    counted = evaluation.column("tokens_in") + evaluation.column("tokens_out")
    if counted.null_count() == counted.len():
        return np.full(results.height, np.nan), f"no tokens were counted of the answers of {scorer}"
    return counted.cast(float).to_numpy(), None


# -- all pairs

PAIR_ROWS = {
    "scorer": METRICS["scorer"],
    "other": pl.String(),
    **{name: METRICS[name] for name in ("benchmark", "subset")},
    "side": pl.String(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "count": pl.Int64(),
    "better": pl.String(),
    "reason": METRICS["reason"],
    "note": pl.String(),
    "where": pl.String(),
}
_PAIR_NOTES = (
    (
        "both_right_or_wrong, same_outcome, same_verdict: shares of the cases that both tried (of verdicts: that both "
        "have one of) on which they agree; covered: of the cases that `scorer` has wrong the share that `other` has "
        "right"
    ),
    f"oracle_METRIC: a case is right as soon as one of the two has it right; its gain is over `better`, {OVER_BETTER}",
    "`where` selects `count` cases: those that agree or are covered, or for the oracle all in the denominator",
    (
        "low and high: 95%, Wilson's for shares with cases taken as independent, and for the oracle a bootstrap of "
        f"{RESAMPLES} resamples, which is paired for its gain"
    ),
)


def pairs_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Show how every two scorers agree, what each lacks that the other has, and the oracle's choice of both."""
    need_two(results)
    frames, sections = [pl.DataFrame(schema=PAIR_ROWS)], {}
    for benchmark, aligned in aligned_cases(results).items():
        oracle = oracle_rows(aligned, results.query.seed if intervals else None)
        inside, own = within(results, benchmark), []
        for row in chain(agreement_rows(aligned), covered_rows(aligned), oracle):
            subset = "average" if row["metric"].startswith("oracle_") else "all"
            where = " AND ".join((*inside, row["where"]))
            own.append({"benchmark": benchmark, "subset": subset, **row, "where": where})
        frames.append(pl.DataFrame(own, schema=PAIR_ROWS, orient="row"))
        sections[benchmark] = _pairs_blocks(results, benchmark, aligned, frames[-1].to_dicts())
    notes = (*_PAIR_NOTES, *first_run_notes(results), *without_gold(results))
    facts = provenance(results, compare_command(results, "--pairs", form=params.form), notes)
    return View(pl.concat(frames), facts, title="All pairs", lay_out=lambda: comparison_sections(results, sections))


def _pairs_blocks(results: ResultSet, benchmark: str, aligned: AlignedScorers, rows: Sequence[Row]) -> Iterator[Block]:
    of_pair: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if row["side"] == "all":
            of_pair.setdefault((row["scorer"], row["other"]), {})[row["metric"]] = row
    pairs = [(names, cells) for names, cells in of_pair.items() if "same_outcome" in cells]
    pairs.sort(key=lambda pair: -(pair[1].get("oracle_f1", {}).get("value") or -1.0))

    def link(row: Row, words: str) -> CaseLink:
        return CaseLink((row["where"],), row["count"], words, row["scorer"], (row["scorer"], row["other"]), benchmark)

    def share(row: Row, words: str) -> Cell:
        return replace(figure(row, link=link(row, words) if row["count"] else None), low=None, high=None)

    lines = []
    for (scorer, other), cells in pairs:
        line = [text(scorer), text(other)]
        line.append(share(cells["same_outcome"], f"{scorer} and {other} have the same outcome"))
        line.append(share(cells["same_verdict"], f"{scorer} and {other} have the same verdict"))
        for here, there in ((scorer, other), (other, scorer)):
            row = of_pair[here, there]["covered"]
            made = count(
                row["count"] if row["value"] is not None else None, link(row, f"{there} right and {here} wrong")
            )
            line.append(replace(made, note=f"of {row['n']:,}" if row["value"] is not None else ""))
        oracle, gain = cells.get("oracle_f1"), cells.get("oracle_f1_gain")
        opens = None if oracle is None or oracle["value"] is None else link(oracle, "tried by both")
        lines.append([*line, figure(oracle, link=opens), points(gain)])
    titles = ["scorer", "other", "same outcome", "same verdict", "other has of its mistakes"]
    titles += ["it has of the other's", "F1 of whichever is right", "over the better"]
    yield table("Every two of them, the highest oracle first", titles, lines, labels=2)
    yield from _agreement(aligned, rows, benchmark)
    yield from quiet_notes(without_gold(results, benchmark))


def _agreement(aligned: AlignedScorers, rows: Sequence[Row], benchmark: str) -> Iterator[Block]:
    """How often each two are both right or both wrong, as a map."""
    names = [aligned.names[place] for place in aligned.trying]
    if len(names) < 2:
        return
    by_pair = {
        frozenset((row["scorer"], row["other"])): row
        for row in rows
        if row["side"] == "all" and row["metric"] == "both_right_or_wrong"
    }
    lines = []
    for place, name in enumerate(names[:-1]):
        line = [text(name)]
        for at, other in enumerate(names[1:], 1):
            row = by_pair.get(frozenset((name, other))) if at > place else None
            if row is None:
                line.append(text(""))
                continue
            words = f"{row['scorer']} and {row['other']} both right or both wrong"
            pair = (row["scorer"], row["other"])
            where = CaseLink((row["where"],), row["count"], words, row["scorer"], pair, benchmark)
            made = figure(row, link=where if row["count"] else None)
            line.append(replace(made, n=row["n"], shade=row["value"]))
        lines.append(line)
    title = "How often two agree: both right or both wrong, of the cases that both tried"
    yield table(title, ["", *names[1:]], lines, heat=True)


# -- who is right together

SET_ROWS = {
    **{name: METRICS[name] for name in ("scorer", "benchmark", "subset")},
    "side": pl.String(),
    "kind": pl.String(),
    "right": pl.String(),
    "n_right": pl.Int64(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "count": pl.Int64(),
    "left_out": pl.Int64(),
    "small": pl.Boolean(),
    "reason": METRICS["reason"],
    "where": pl.String(),
}
_SET_NOTES = (
    (
        "every case that all scorers tried is in one row of its side: `right` names those that have it right, the "
        "others have it wrong; `where` selects the `count` cases, and `value` is their share of the `n`"
    ),
    f"low and high: 95%, Wilson's, cases taken as independent; small: n below {SMALL}",
)
MOST_SETS = 12
"""Sets of one side that people see, beside those of nobody, everybody and one alone."""
NAMED = 3
"""Scorers of a set that are named; of larger sets those that are missing are, if they are as few."""


def sets_view(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing is resampled
    """Show every set of scorers that are right together, by benchmark and side, the largest first."""
    need_two(results)
    rows, notes, sections = [], [*_SET_NOTES], {}
    for benchmark, aligned in aligned_cases(results).items():
        field = ScorerField.of(results, benchmark, aligned)
        rows += [{"benchmark": benchmark, "subset": "all", **row} for row in _set_rows(field)]
        notes += [f"{benchmark}: {words}" for words in set_aside(aligned)]
        sections[benchmark] = _set_blocks(results, field)
    notes += [*first_run_notes(results), *without_gold(results)]
    facts = provenance(results, compare_command(results, "--upset", form=params.form), tuple(notes))
    frame = pl.DataFrame(rows, schema=SET_ROWS, orient="row")
    return View(frame, facts, title="Right together", lay_out=lambda: comparison_sections(results, sections))


def _set_rows(field: ScorerField) -> Iterator[dict[str, Any]]:
    aligned, columns = field.aligned, field.columns
    if len(columns) < 2:
        why = f"only {aligned.names[columns[0]]} tried a case" if columns else "no scorer tried a case"
        yield from ({"side": side, "metric": "share", "n": 0, "reason": why} for side in SIDES)
        return
    left_out = aligned.left_out(columns)
    for correct_set in field.sets or correct_sets(aligned, columns):
        low, high = correct_set.interval
        names = [aligned.names[column] for column in correct_set.right]
        yield {
            "scorer": names[0] if correct_set.kind == "lone_right" else None,
            "side": correct_set.side,
            "kind": correct_set.kind,
            "right": joined(names),
            "n_right": len(names),
            "metric": "share",
            "value": correct_set.share,
            "low": low,
            "high": high,
            "n": correct_set.n,
            "count": correct_set.count,
            "small": 0 < correct_set.n < SMALL,
            "reason": None if correct_set.n else f"no {correct_set.side} case in common",
            "left_out": left_out,
            "where": " AND ".join((*field.inside, correct_set.where)),
        }


def _set_blocks(results: ResultSet, field: ScorerField) -> Iterator[Block]:
    yield from field_head(field)
    letters = {place: _sign(at) for at, place in enumerate(field.columns)}
    if field.sets:
        yield Facts(tuple((letters[place], field.aligned.names[place]) for place in field.columns))
    for side in SIDES:
        there = [correct_set for correct_set in field.sets if correct_set.side == side and correct_set.count]
        total = sum(correct_set.count for correct_set in there)
        if not total:
            continue
        always = {"unanimous_wrong", "unanimous_right", "lone_right"}
        listed = [correct_set for at, correct_set in enumerate(there) if at < MOST_SETS or correct_set.kind in always]
        lines = []
        for correct_set in listed:
            low, high = correct_set.interval
            share = {
                "value": correct_set.share,
                "low": low,
                "high": high,
                "reason": None,
                "small": correct_set.n < SMALL,
            }
            dots = " ".join(letters[place] if place in correct_set.right else "·" for place in field.columns)
            line = [text(dots), text(_who(correct_set, field), "bad" if not correct_set.right else "")]
            lines.append([*line, count(correct_set.count, field.link(correct_set)), figure(share)])
        title = f"{side.capitalize()}: who is right together, {counted(total, 'case')}"
        signs = " ".join(letters.values())
        yield table(title, [signs, "right", Column("cases"), "share"], lines, labels=2)
        if rest := [correct_set for correct_set in there if correct_set not in listed]:
            n = counted(sum(correct_set.count for correct_set in rest), "case")
            yield Note(f"and {len(rest)} smaller sets of {n} in all; these are in --csv and --json", "quiet")
    yield from quiet_notes(without_gold(results, field.benchmark))


def _sign(at: int) -> str:
    """What a scorer is called in the lines: a small letter, by its place."""
    return chr(ord("a") + at) if at < 26 else "+"


def _who(correct_set: CorrectSet, field: ScorerField) -> str:
    right = [field.aligned.names[place] for place in correct_set.right]
    missing = [name for name in field.names if name not in right]
    if not right:
        return "nobody"
    if not missing:
        return "everybody"
    if len(right) == 1:
        return f"{right[0]} alone"
    if len(right) <= NAMED:
        return ", ".join(right)
    return f"all but {', '.join(missing)}" if len(missing) <= NAMED else f"{len(right)} of {len(field.columns)}"


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
    titles: list[str | Column] = ["distance", "asked B", "share", "tokens of B", "F1"]
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
