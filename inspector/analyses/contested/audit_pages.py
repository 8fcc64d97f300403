"""The pages of `contested` that rank every gold label by how likely it is wrong, and measure how far to trust that."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from inspector.analyses import Params
from inspector.render.blocks import Block, Note, Section
from inspector.render.cells import share as share_text
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import (
    Cell,
    Column,
    Kind,
    count,
    difference_column,
    figure,
    points,
    table,
    text,
)
from inspector.render.texts.sentences import counted, verdict_words
from inspector.render.view import View
from inspector.state.figure_notes import first_run_notes
from inspector.state.label_audit import AuditedBenchmark, audited_benchmarks
from inspector.state.provenance import provenance
from inspector.state.triage.annotations import annotation_rows, annotations
from scoring.data.schema import Bools, Ints, Row
from scoring.metrics.audit import EVIDENCE, FOLDS
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.consensus import have_a_say
from scoring.metrics.contested import LEAST
from scoring.metrics.planted_labels import (
    AUDIT,
    AVERAGE_PRECISION,
    CHANCE,
    FALSE_FLAGS,
    FLAGGED,
    METRICS_OF_PLANTED,
    PRECISION,
    RANKED_BY,
    RECALL,
    SHARE,
    TOP,
)
from scoring.metrics.resampling import LEVEL, RESAMPLES
from scoring.selection.query import joined, split
from scoring.selection.result_set import ResultSet, within
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.actions import GOLD_WRONG, RULINGS

AUDITED: dict[str, pl.DataType] = {
    "rank": pl.Int64(),
    "case": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    "earliest_error": pl.Int64(),
    # The likeliest label that is not gold: 0-based, -1 no error.
    "suggested": pl.Int64(),
    # The share of `suggested` in the probability of it and of gold: above 0.5 where it is the likelier one.
    "suspicion": pl.Float64(),
    "flagged": pl.Boolean(),
    "gold_probability": pl.Float64(),
    "suggested_probability": pl.Float64(),
    # By confident learning, and whether a step of the case is off the diagonal of its confident joint.
    "baseline_rank": pl.Int64(),
    "baseline_flagged": pl.Boolean(),
    # Scorers whose verdict is `suggested`, or gold, of those with a verdict that names a step or none.
    "votes": pl.Int64(),
    "gold_votes": pl.Int64(),
    "voters": pl.Int64(),
    # Scorers whose verdict is not gold.
    "against": pl.String(),
    # What people ruled, or DIFFER.
    "ruling": pl.String(),
    "reason": pl.String(),
}
PLANTED: dict[str, pl.DataType] = {
    "benchmark": pl.String(),
    # One of RANKED_BY, or CHANCE.
    "ranking": pl.String(),
    # Null; else the value is that of the ranking less that of this one.
    "other": pl.String(),
    "metric": pl.String(),
    # How labels were made wrong; null = in all ways.
    "kind": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "at_best": pl.Float64(),
    "cases": pl.Int64(),
    "planted": pl.Int64(),
    "plantings": pl.Int64(),
    "reason": pl.String(),
}
LINES = 40
"""Cases of one benchmark that people see."""
LINKED = 5_000
"""Cases up to which a number opens them by their names: a longer condition takes long to read."""
NAMED = 3
"""Scorers that a sentence names."""
DIFFER = "people differ"
_DECIDED = RULINGS[:3]
"""Rulings that say whether the label is wrong."""
AUDIT_NOTES = (
    (
        "suspicion: P(suggested) / (P(suggested) + P(gold)), where suggested is the likeliest label but gold (0-based, "
        "-1 no error); flagged: above 0.5. The largest comes first"
    ),
    (
        "probabilities are of the earliest error, step by step: log-odds of the position, and of what each scorer's "
        "reward (what its threshold is compared with, in tenths, by isotonic regression) and its verdict were worth, "
        "with weights by ridge logistic regression, so that scorers that say the same share one weight; all learnt on "
        f"other problems ({FOLDS} folds, by the seed), so that no label has a part in judging itself"
    ),
    (
        "baseline_rank: by confident learning (Northcutt, Jiang and Chuang, JAIR 70, 2021) on labelled steps by "
        "themselves: cases off the diagonal of its confident joint first, then the least self-confidence of a step "
        "(probability: the plain mean over scorers of how often such a step is wrong in other folds)"
    ),
    (
        f"audited are cases with a label that names a step or none and verdicts of {LEAST} scorers; all of a benchmark "
        "are learnt from, whatever is shown; a suspicion, no ruling: what scorers get wrong together stands here too"
    ),
)
PLANTED_NOTES = (
    (
        f"in a copy of the labels of all audited cases {share_text(SHARE, 0)}% are made wrong, drawn by the seed: a "
        "clean case gets an error at any step; an error is moved by one step, or to any other, or the case is "
        "called clean, each as likely; files are not touched"
    ),
    (
        f"how many of the {TOP} most suspicious are planted ({PRECISION}), and of the planted ones how many are among "
        f"as many as were planted ({RECALL}; kind: of those made wrong in this way), and how many are flagged "
        f"({FLAGGED}), as are labels that were left as they are ({FALSE_FLAGS}); at_best: with all planted ones first; "
        f"{CHANCE}: in any order, on average, exactly"
    ),
    "what gold has wrong already counts as not planted here, so that figures are too low where it has errors",
    (
        f"low and high: {share_text(LEVEL, 0)}%, {RESAMPLES} resamples of the plantings, which all rankings and "
        "differences share: of what is planted, not of cases and scorers"
    ),
)


# -- every label, the most suspicious first


def audit_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Rank the gold labels of the shown cases by suspicion; those that are not audited come last, with a reason."""
    audited = audited_benchmarks(results)
    ruled = {} if results.labels.journal is None or results.labels.adjudicated else _rulings(results)
    frames = {name: _audit_frame(results, benchmark, ruled) for name, benchmark in audited.items()}
    rows = pl.concat([pl.DataFrame(schema=AUDITED), *frames.values()])
    notes = (*AUDIT_NOTES, *_caveats(audited), *first_run_notes(results))
    facts = {
        **provenance(results, results.query.command("contested", *params.words, form=params.form), notes),
        "flagged": {name: _flagged_count(frame) for name, frame in frames.items() if frame.height},
        "weights": {name: _weights(benchmark) for name, benchmark in audited.items() if not benchmark.why},
        "rulings": {name: counts for name, frame in frames.items() if (counts := _ruling_counts(frame))},
    }

    def lay_out() -> tuple[Section, ...]:
        return tuple(
            Section(name, f"audit-{at}", tuple(_audit_blocks(results, name, benchmark, frames[name], intervals)))
            for at, (name, benchmark) in enumerate(audited.items())
        )

    return View(rows, facts, title="Label audit", lay_out=lay_out, empty=_nothing(audited))


def _nothing(audited: Mapping[str, AuditedBenchmark]) -> str:
    """Why no label is audited; "" where some are."""
    if not audited:
        return "No case is shown, so that there is no label to audit."
    if all(benchmark.why for benchmark in audited.values()):
        several = len(audited) > 1
        whys = [f"{name}: {benchmark.why}" if several else str(benchmark.why) for name, benchmark in audited.items()]
        return f"Nothing can be audited: {'; '.join(whys)}."
    return ""


def _caveats(audited: Mapping[str, AuditedBenchmark]) -> Iterator[str]:
    """Why benchmarks are not audited, and what to keep in mind where they are."""
    for name, benchmark in audited.items():
        if caveat := benchmark.why or benchmark.one_sided:
            yield f"{name}: {caveat}"


def _audit_frame(results: ResultSet, benchmark: AuditedBenchmark, ruled: Mapping[str, str]) -> pl.DataFrame:
    """The rows of the shown cases of a benchmark, with ranks from 1 among these; none where no label is audited."""
    if benchmark.aligned is None or benchmark.audit is None or benchmark.flat is None:
        return pl.DataFrame(schema=AUDITED)
    aligned, audit = benchmark.aligned, benchmark.audit
    mask = results.mask
    shown_here = mask[aligned.rows]
    order = audit.order[shown_here[audit.order]]
    rows = aligned.rows[order]
    baseline = np.zeros(aligned.rows.size, dtype=np.int64)
    flat_order = benchmark.flat.order[shown_here[benchmark.flat.order]]
    baseline[flat_order] = np.arange(1, flat_order.size + 1)
    says = have_a_say(aligned)
    against = says & (aligned.verdicts != aligned.earliest[:, None])
    behind = says & (aligned.verdicts == audit.suggested[:, None])
    audited = pl.DataFrame(
        {
            "rank": np.arange(1, order.size + 1),
            **results.cases[rows].select("case", "benchmark", "subset", "earliest_error").to_dict(),
            "suggested": audit.suggested[order],
            "suspicion": audit.suspicions[order],
            "flagged": audit.flagged[order],
            "gold_probability": np.exp(audit.log_gold[order]),
            "suggested_probability": np.exp(audit.log_other[order]),
            "baseline_rank": baseline[order],
            "baseline_flagged": benchmark.flat.off_diagonal[order],
            "votes": behind.sum(axis=1)[order],
            "gold_votes": (says & ~against).sum(axis=1)[order],
            "voters": says.sum(axis=1)[order],
            "against": _names(aligned.names, against[order]),
        }
    )
    left = mask & benchmark.members
    left[aligned.rows] = False
    others = results.cases.filter(pl.Series(left)).select("case", "benchmark", "subset", "earliest_error")
    reasons = _reasons(results, np.flatnonzero(left))
    frame = pl.concat(
        [audited, others.with_columns(reason=pl.Series(reasons, dtype=pl.String))], how="diagonal_relaxed"
    )
    spoken = pl.DataFrame({"case": list(ruled), "ruling": list(ruled.values())}, schema=["case", "ruling"])
    spoken = spoken.cast({"case": pl.String(), "ruling": pl.String()})
    frame = frame.join(spoken, on="case", how="left", maintain_order="left")
    return frame.with_columns(
        pl.lit(None, dtype).alias(name) for name, dtype in AUDITED.items() if name not in frame.columns
    ).select(pl.col(name).cast(dtype) for name, dtype in AUDITED.items())


def _names(names: tuple[str, ...], marks: Bools) -> pl.Series:
    """The names that are marked in each row (n, s), in one word."""
    kinds, number = np.unique(marks, axis=0, return_inverse=True)
    words = [joined([names[column] for column in np.flatnonzero(kind)]) for kind in kinds]
    return pl.Series(words, dtype=pl.String).gather(number.reshape(-1))


def _reasons(results: ResultSet, rows: Ints) -> list[str]:
    """Why these cases, by their row ids, are not audited."""
    if not rows.size:
        return []
    gold = results.chosen_evaluations[0].gold
    known, beyond = gold.known[rows], gold.earliest[rows] >= gold.n_steps[rows]
    reasons: list[str] = np.select(
        [~known, gold.n_steps[rows] == 0, beyond],
        [
            "the gold labels name no step of the solution",
            "the case has no steps",
            "gold names a step that is not there",
        ],
        f"fewer than {LEAST} scorers have a verdict here that names a step or none",
    ).tolist()
    return reasons


def _rulings(results: ResultSet) -> dict[str, str]:
    """What people ruled on the shown cases as they are here: one ruling, or that they differ."""
    spoken = annotation_rows(results, annotations(results).shown)
    ruled = spoken.filter(pl.col("ruling").is_not_null() & ~pl.col("outdated").fill_null(value=True))
    grouped = ruled.group_by("case", maintain_order=True).agg(pl.col("ruling").unique())
    return {case: rulings[0] if len(rulings) == 1 else DIFFER for case, rulings in grouped.iter_rows()}


def _weights(benchmark: AuditedBenchmark) -> dict[str, dict[str, float]]:
    """What each scorer's log-odds weigh, by EVIDENCE, on average over the folds."""
    if benchmark.aligned is None or benchmark.audit is None:
        return {}
    means = benchmark.audit.weights.mean(axis=0)
    return {
        name: dict(zip(EVIDENCE, own.tolist(), strict=True))
        for name, own in zip(benchmark.aligned.names, means.T, strict=True)
    }


def _flagged_count(frame: pl.DataFrame) -> str:
    ranked = frame.filter(pl.col("rank").is_not_null())
    left = frame.height - ranked.height
    more = f"; {counted(left, 'case')} not audited" if left else ""
    return f"{int(ranked['flagged'].sum())} of {counted(ranked.height, 'case')}{more}"


def _ruling_counts(frame: pl.DataFrame) -> dict[str, dict[str, int]]:
    """How often what was ruled, of flagged cases and of others."""
    ruled = frame.filter(pl.col("ruling").is_not_null() & pl.col("rank").is_not_null())
    groups = {"flagged": ruled.filter("flagged"), "not flagged": ruled.filter(~pl.col("flagged"))}
    return {
        name: {word: n for word in (*RULINGS, DIFFER) if (n := int((group["ruling"] == word).sum()))}
        for name, group in groups.items()
        if group.height
    }


# -- as people see it


def _audit_blocks(
    results: ResultSet, name: str, benchmark: AuditedBenchmark, frame: pl.DataFrame, intervals: bool
) -> Iterator[Block]:
    """How many labels are flagged, how far to trust that, the strongest, what people ruled, and what scorers weigh."""
    if benchmark.why or benchmark.aligned is None:
        yield Note(f"Not audited: {benchmark.why}.")
        return
    ranked = frame.filter(pl.col("rank").is_not_null())
    flagged = ranked.filter("flagged")["case"].to_list()
    left = frame.filter(pl.col("rank").is_null())["case"].to_list()
    line = [
        text("another label is likelier", "strong"),
        count(len(flagged), _link(name, flagged, "flagged")),
        count(ranked.height, _audited_link(results, name, ranked.height, left)),
        count(len(left), _link(name, left, "not audited")),
    ]
    by_flat = ranked.filter("baseline_flagged")["case"].to_list()
    flat_link = _link(name, by_flat, "off the diagonal of the confident joint")
    beside = [text("by confident learning"), count(len(by_flat), flat_link), text(""), text("")]
    yield table("Suspected gold labels", ["", "flagged", "of audited", "not audited"], [line, beside])
    yield _planted_table(benchmark, _planted_rows(name, benchmark, intervals), whole=False)
    if ranked.height:
        cases = [_case(name, row) for row in ranked.head(LINES).iter_rows(named=True)]
        columns: list[str | Column] = ["rank", "case", Column("subset", 2), "gold", "likelier", "suspicion", "against"]
        yield table("The most suspicious first", [*columns, Column("baseline's rank", 2), "ruling"], cases, labels=2)
        yield Note(
            "Suspicion: the share of the likelier label in the probability of both; against: scorers whose verdict is "
            "not gold. Steps are 0-based.",
            "quiet",
        )
    if (more := ranked.height - LINES) > 0:
        yield Note(f"{counted(more, 'more case')} {'is' if more == 1 else 'are'} in --csv and --json.")
    yield from _ruled(name, ranked)
    if results.labels.adjudicated is not None and results.labels.journal is not None:
        yield Note("Rulings are of the benchmark's own labels: with --labels original they stand beside.", "quiet")
    weights = sorted(_weights(benchmark).items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))
    scorers = {evaluation.scorer.name: evaluation.scorer for evaluation in results.chosen_evaluations}
    lines = [
        [text(name), text(scorers[name].family), *(Cell(own[kind], Kind.MEAN) for kind in EVIDENCE)]
        for name, own in weights
    ]
    yield table("What scorers weigh, beside each other", ["scorer", "family", *EVIDENCE], lines)
    yield Note(
        "A weight is of log-odds: 1 for a scorer that says what no other says, less for those that say the same; below "
        "0 where it corrects others. A suspicion, no ruling: what scorers get wrong together stands here too.",
        "quiet",
    )
    if caveat := benchmark.one_sided:
        yield Note(f"{caveat[:1].upper()}{caveat[1:]}.", "quiet")


def _case(benchmark: str, row: Row) -> list[Cell]:
    against = row["voters"] - row["gold_votes"]
    return [
        text(str(row["rank"])),
        text(row["case"], link=_link(benchmark, [row["case"]], row["case"]), remark=_because(row)),
        text(row["subset"]),
        text(verdict_words(row["earliest_error"])),
        text(verdict_words(row["suggested"]), "" if row["flagged"] else "dim"),
        Cell(row["suspicion"], Kind.REWARD),
        text(f"{against} of {row['voters']}"),
        count(row["baseline_rank"]),
        text(row["ruling"]),
    ]


def _because(row: Row) -> str:
    """Explain in one sentence who denies the label, and what it could be instead."""
    gold, other = verdict_words(row["earliest_error"]), verdict_words(row["suggested"])
    likely = f"{other} {row['suggested_probability']:.2f}, gold ({gold}) {row['gold_probability']:.2f}"
    votes = f"{row['votes']} of {row['voters']} scorers {'says' if row['votes'] == 1 else 'say'} {other}"
    against = split(row["against"])
    names = f"; against gold: {', '.join(against[:NAMED])}" if against else ""
    more = f" and {len(against) - NAMED} more" if len(against) > NAMED else ""
    return f"{likely}; {votes}, {row['gold_votes']} {'says' if row['gold_votes'] == 1 else 'say'} {gold}{names}{more}"


def _link(benchmark: str, cases: Sequence[str], words: str) -> CaseLink | None:
    """The cases of these names: no column says what is suspected."""
    if not cases or len(cases) > LINKED:
        return None
    return CaseLink((Facet("case", tuple(cases)).sql,), len(cases), words, benchmark=benchmark)


def _audited_link(results: ResultSet, benchmark: str, n: int, left: Collection[str]) -> CaseLink | None:
    """All shown cases but those that are left out."""
    if len(left) > LINKED:
        return None
    inside = within(results, benchmark)
    without = (Facet("case", tuple(left), keep=False).sql,) if left else ()
    return CaseLink((*inside, *without), n, "audited", benchmark=benchmark)


def _ruled(benchmark: str, ranked: pl.DataFrame) -> Iterator[Block]:
    """What people ruled on flagged cases and on others, and how often the label was wrong."""
    ruled = ranked.filter(pl.col("ruling").is_not_null())
    if not ruled.height:
        return
    words = [*RULINGS, DIFFER]
    lines = []
    for name, flagged in (("flagged", True), ("not flagged", False)):
        group = ruled.filter(pl.col("flagged") == flagged)
        by_ruling = {word: group.filter(ruling=word)["case"].to_list() for word in words}
        hits, n = len(by_ruling[GOLD_WRONG]), sum(len(by_ruling[word]) for word in _DECIDED)
        low, high = wilson_interval(np.array(hits), np.array(n))
        share: dict[str, Any] = {"value": None, "low": None, "high": None, "reason": "nobody decided about any"}
        if n:
            share = {"value": hits / n, "low": float(low), "high": float(high), "reason": None}
        cells = [count(len(cases), _link(benchmark, cases, f"{name}: {word}")) for word, cases in by_ruling.items()]
        lines.append([text(name), *cells, figure(share)])
    columns = [Column(word, right=True) for word in words]
    yield table("What people ruled on them", ["", *columns, "gold wrong, of decided"], lines)
    yield Note(
        f"Decided: {', '.join(_DECIDED)}, of those that people came to; the interval is Wilson's and takes them "
        "as drawn at random.",
        "quiet",
    )


# -- how well suspicion finds what is known to be wrong


def planted_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Measure how well the ranking finds labels that are made wrong on purpose, beside the baselines and chance."""
    audited = audited_benchmarks(results)
    rows = {name: _planted_rows(name, benchmark, intervals) for name, benchmark in audited.items()}
    frame = pl.DataFrame([row for each in rows.values() for row in each], schema=PLANTED, orient="row")
    notes = (*PLANTED_NOTES, *AUDIT_NOTES, *_caveats(audited), *first_run_notes(results))
    facts = provenance(results, results.query.command("contested", *params.words, form=params.form), notes)

    def blocks(name: str) -> Iterator[Block]:
        benchmark = audited[name]
        if benchmark.why:
            yield Note(f"Not audited: {benchmark.why}.")
            return
        yield _planted_table(benchmark, rows[name], whole=True)
        yield from _over(rows[name])
        yield from (Note(f"{line[:1].upper()}{line[1:]}.", "quiet") for line in PLANTED_NOTES)

    def lay_out() -> tuple[Section, ...]:
        return tuple(Section(name, f"planted-{at}", tuple(blocks(name))) for at, name in enumerate(audited))

    facts |= {"level": LEVEL, "resamples": RESAMPLES}
    return View(frame, facts, title="Planted label errors", lay_out=lay_out, empty=_nothing(audited))


def _planted_rows(name: str, benchmark: AuditedBenchmark, intervals: bool) -> list[Row]:
    """The figures of a benchmark; without intervals none is planted yet, and there is none."""
    figures = benchmark.figures if intervals and not benchmark.why else None
    if figures is None:
        return []
    about = {"cases": figures.cases, "planted": figures.planted, "plantings": figures.plantings}
    return [{"benchmark": name, **row, **about} for row in figures.rows(benchmark.seed)]


_METRIC_WORDS = {
    PRECISION: f"precision at {TOP}",
    RECALL: "recall",
    AVERAGE_PRECISION: "average precision",
    FLAGGED: "planted, flagged",
    FALSE_FLAGS: "others, flagged",
}


def _planted_table(benchmark: AuditedBenchmark, rows: Sequence[Row], *, whole: bool) -> Block:
    """A line a metric, a column a ranking; `whole` with how labels were made wrong."""
    # Where there is no room the intervals of the others go first: those of the differences stand on a page.
    columns: list[str | Column] = [
        "",
        AUDIT,
        *(Column(name, 1) for name in RANKED_BY[1:]),
        CHANCE,
        Column("at best", 2),
    ]
    if not rows or benchmark.aligned is None:
        waiting = [text("measuring"), *(figure(None) for _ in (*RANKED_BY, CHANCE, "at best"))]
        return table("What it finds of planted errors", columns, [waiting])
    by_place = {(row["metric"], row["kind"] or "", row["ranking"]): row for row in rows if row["other"] is None}
    metrics = [(metric, kind) for metric, kind in METRICS_OF_PLANTED if whole or not kind]
    first = rows[0]
    lines = []
    for metric, kind in metrics:
        words = kind or (f"recall at {first['planted']}" if metric == RECALL else _METRIC_WORDS[metric])
        cells = [figure(by_place[metric, kind, name]) for name in RANKED_BY]
        chance = by_place[metric, kind, CHANCE]
        # What has no threshold flags nothing.
        cells.append(text("") if chance["value"] is None and metric in {FLAGGED, FALSE_FLAGS} else figure(chance))
        best = by_place[metric, kind, AUDIT]["at_best"]
        at_best = Cell(best, Kind.SHARE, style="dim")
        lines.append([text(f"  {words}" if kind else words), *cells, at_best])
    title = f"What it finds of {first['planted']} errors planted among {counted(first['cases'], 'label')}"
    return table(f"{title}, {first['plantings']} times", columns, lines)


def _over(rows: Sequence[Row]) -> Iterator[Block]:
    """How much more the audit finds than each of the others, on the same plantings."""
    if not rows:
        return
    others = RANKED_BY[1:]
    by_place = {(row["metric"], row["kind"], row["other"]): row for row in rows if row["other"] is not None}
    lines = []
    for metric, kind in dict.fromkeys((metric, kind) for metric, kind, _ in by_place):
        words = kind or _METRIC_WORDS[metric]
        lines.append(
            [text(f"  {words}" if kind else words), *(points(by_place[metric, kind, name]) for name in others)]
        )
    yield table(
        "The audit compared with the others", ["", *(difference_column(f"vs. {name}") for name in others)], lines
    )
