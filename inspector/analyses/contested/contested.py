"""Gold labels that the scorers together, or how cases are made, deny."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from inspector.analyses import Page, Params, analysis
from inspector.analyses.contested.audit_pages import audit_view, planted_view
from inspector.render.blocks import Block, Note, Section, quiet_notes
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Kind, count, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.contested_gold import Ranking, because, rankings
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance
from scoring.data.schema import Row
from scoring.metrics.baselines import is_baseline
from scoring.metrics.consensus import SHRINK
from scoring.metrics.contested import LEAST, REASONS
from scoring.selection.query import joined
from scoring.selection.result_set import ResultSet, within
from scoring.workspace.filtering.filters import Facet

CONTESTED: dict[str, pl.DataType] = {
    "rank": pl.Int64(),
    "case": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    "earliest_error": pl.Int64(),
    "contested_by": pl.String(),
    "consensus": pl.Int64(),
    "share": pl.Float64(),
    "gold_share": pl.Float64(),
    "lead": pl.Float64(),
    "votes": pl.Int64(),
    "gold_votes": pl.Int64(),
    "voters": pl.Int64(),
    "scorers": pl.String(),
    "rules": pl.String(),
    "because": pl.String(),
    "reason": pl.String(),
}
LINES = 40
"""Cases of one benchmark that people see."""
BY_CONSENSUS, BY_RULE, BY_BOTH = "consensus", "rule", "consensus and rule"
NO_SCORER = "no scorer has a verdict on this benchmark"
NO_GOLD = "the gold labels name no step of the solution"
NOTES = (
    (
        "consensus: the verdict (0-based, -1 no error) with the most weight behind it. A verdict weighs the log-odds "
        f"of its scorer's accuracy on the cases of other problems, with {SHRINK:g} right and {SHRINK:g} wrong case "
        "added, divided by the scorers of its declared family that have a verdict on the case; it weighs nothing where "
        "its scorer is wrong as often as right or more often, or where it names no step of the solution"
    ),
    (
        f"there is no consensus where two verdicts weigh the same, or where fewer than {LEAST} scorers have one that "
        "weighs anything; `reason` says which"
    ),
    (
        "share: of all weight on the case; lead: the weight behind the consensus less that behind gold, in nats; "
        "votes, gold_votes and voters count scorers of whatever weight; the largest lead comes first, then the larger "
        "share, then what only breaks a rule of construction"
    ),
    (
        "weights come from all cases of a benchmark, whatever is shown; gold that is wrong lowers the weight of "
        "whoever is right about it, and what scorers get wrong together stands here too: a suspicion, no ruling"
    ),
)


CONSENSUS_PAGE, AUDIT_PAGE, PLANTED_PAGE = "consensus", "audit", "planted"
PAGES = (
    Page(CONSENSUS_PAGE, "by consensus"),
    Page(
        AUDIT_PAGE,
        "every label",
        also=PLANTED_PAGE,
        people=True,
        help="every gold label by how likely it is wrong (calibrated step rewards of all scorers, beside confident "
        "learning)",
    ),
    Page(
        PLANTED_PAGE,
        "planted errors",
        help="how well that ranking finds labels made wrong on purpose (precision at 50, recall, by kind of error)",
    ),
)


@analysis(
    "Contested gold labels",
    PAGES,
    together="instead of what the consensus contradicts",
    slow=True,
    examples=("prm-inspect contested --benchmark demo", "prm-inspect contested --audit --csv -o audit.csv"),
    help="The cases whose gold label the consensus of the scorers contradicts, the strongest first, and those that "
    "break a rule by which the benchmark is made; every label by how likely it is wrong; and how well that finds "
    "errors that were planted.",
)
def contested(results: ResultSet, params: Params, intervals: bool) -> View:
    """List the contested cases, rank every label by suspicion, or measure that ranking on planted errors."""
    if params.page == AUDIT_PAGE:
        return audit_view(results, params, intervals)
    if params.page == PLANTED_PAGE:
        return planted_view(results, params, intervals)
    return _by_consensus(results, params)


def _by_consensus(results: ResultSet, params: Params) -> View:
    """Return the contested cases of those shown, by benchmark, ranked from 1; `because` says why in words.

    `contested_by` says whether the consensus contradicts gold, the case breaks a rule of construction (`rules`, codes
    of `scoring.formats.benchmarks.construction.RULES`), or both. What is undefined without a consensus is null, and
    `reason` says why there is none.

    Raises:
        DamagedWorkspace: texts that the rules need cannot be read.
    """
    ranked = {ranking.benchmark: ranking for ranking in rankings(results)}
    rows = [row for ranking in ranked.values() for row in _rows(results, ranking)]
    notes = (*NOTES, *first_run_notes(results))
    facts = {
        "voices": list(_voices(results, tuple(ranked.values()))),
        "contested": {name: contested_count(ranking) for name, ranking in ranked.items()},
        "consensus_weight": {name: mean_weights(ranking) for name, ranking in ranked.items()},
    }
    made = {**provenance(results, results.query.command("contested", form=params.form), notes), **facts}
    frame = pl.DataFrame(rows, schema=CONTESTED, orient="row")

    def lay_out() -> tuple[Section, ...]:
        first_runs = {name: quiet_notes(first_run_notes(results, name)) for name in ranked}
        by_benchmark = {name: frame.filter(benchmark=name).to_dicts() for name in ranked}
        return tuple(
            Section(name, f"contested-{at}", (*_blocks(results, ranking, by_benchmark[name]), *first_runs[name]))
            for at, (name, ranking) in enumerate(ranked.items())
        )

    empty = "" if ranked else "No case is shown, so that there is no label to contest."
    return View(frame, made, title="Contested gold labels", lay_out=lay_out, empty=empty)


def contested_count(ranking: Ranking) -> str:
    """Count how many are contested: `31 by consensus, 2 more by a rule alone, of 159 cases`."""
    alone = len(ranking.rows) - ranking.by_consensus
    more = f", {alone} more by a rule alone" if alone else ""
    return f"{ranking.by_consensus} by consensus{more}, of {counted(ranking.n_shown, 'case')}"


def mean_weights(ranking: Ranking) -> dict[str, float | None]:
    """Average what each scorer's verdict weighs over the cases on which it has a say; None where it has none."""
    if ranking.aligned is None or ranking.consensus is None:
        return {}
    says, weights = ranking.consensus.says, ranking.consensus.weights
    return {
        name: float(weights[says[:, place], place].mean()) if says[:, place].any() else None
        for place, name in enumerate(ranking.aligned.names)
    }


# -- rows


def _rows(results: ResultSet, ranking: Ranking) -> Iterator[dict[str, Any]]:
    cases = results.cases.select("case", "benchmark", "subset", "earliest_error")
    for rank, row in enumerate(ranking.rows, 1):
        broken = ranking.broken.get(row, ())
        led = rank <= ranking.by_consensus
        yield {
            "rank": rank,
            **cases.row(row, named=True),
            "contested_by": BY_BOTH if led and broken else BY_CONSENSUS if led else BY_RULE,
            **_of_consensus(ranking, row),
            "rules": joined([rule.code for rule in broken]) or None,
            "because": because(ranking, row),
        }


def _of_consensus(ranking: Ranking, row: int) -> dict[str, Any]:
    place = ranking.place(row)
    if ranking.aligned is None or ranking.consensus is None or place is None:
        return {"reason": NO_SCORER if ranking.aligned is None else NO_GOLD}
    consensus = ranking.consensus
    counts = {"gold_votes": int(consensus.gold_votes[place]), "voters": int(consensus.voters[place])}
    if reason := REASONS[consensus.reasons[place]]:
        return {**counts, "reason": reason}
    return {
        "consensus": int(consensus.verdicts[place]),
        "share": float(consensus.shares[place]),
        "gold_share": float(consensus.gold_shares[place]),
        "lead": float(consensus.leads[place]),
        "votes": int(consensus.votes[place]),
        **counts,
        "scorers": joined([ranking.aligned.names[column] for column in consensus.behind(ranking.aligned, place)]),
        "reason": None,
    }


# -- who votes


def _voices(results: ResultSet, ranked: Sequence[Ranking]) -> Iterator[str]:
    """Who votes as one, who votes alone, and who does not vote."""
    names = dict.fromkeys(name for ranking in ranked if ranking.aligned for name in ranking.aligned.names)
    scorers = {evaluation.scorer.name: evaluation.scorer for evaluation in results.chosen_evaluations}
    families: dict[str, list[str]] = {}
    for name in names:
        families.setdefault(scorers[name].family, []).append(name)
    alone = families.pop("", [])
    for family, members in families.items():
        yield f"one voice, as the family {family}: {', '.join(members)}"
    if alone:
        yield f"no family is declared, so that each has a voice of its own: {', '.join(alone)}"
    yield from _without_a_vote(results, names)
    for ranking in ranked:
        if nothing := without_consensus(ranking):
            yield f"{ranking.benchmark}: {nothing}"


def _without_a_vote(results: ResultSet, voting: Collection[str]) -> Iterator[str]:
    """Why each of the scorers that are not among these has no vote."""
    for evaluation in results.chosen_evaluations:
        if evaluation.scorer.name not in voting:
            why = (
                "it looks at nothing"
                if is_baseline(evaluation.scorer)
                else evaluation.coverage.nothing or "no verdict on these cases"
            )
            yield f"{evaluation.scorer.name} does not vote: {why}"


def without_consensus(ranking: Ranking) -> str | None:
    """Explain why there is no consensus on any case of a benchmark; None where there is one on some."""
    if ranking.aligned is None or ranking.consensus is None:
        return f"{NO_SCORER}, and only the rules of construction are held against the labels"
    if not ranking.aligned.rows.size:
        return "no case has a gold label that names a step or none"
    if len(ranking.aligned.names) < LEAST:
        return f"only {ranking.aligned.names[0]} has verdicts, and one scorer is not a consensus"
    if np.any(ranking.consensus.reasons == 0):
        return None
    if np.all(ranking.consensus.voters < LEAST):
        return f"no case has verdicts of {LEAST} scorers"
    return f"on no case {LEAST} scorers are right more often than wrong elsewhere and one verdict leads"


# -- as people see it


def _blocks(results: ResultSet, ranking: Ranking, rows: Sequence[Row]) -> Iterator[Block]:
    """How many are contested, these cases with the reasons, and whose verdicts weigh how much."""
    inside = within(results, ranking.benchmark)
    n = ranking.by_consensus
    groups = {"by consensus": rows[:n], "by a rule alone": rows[n:]}
    line: list[Cell] = [text("contested", "strong")]
    for words, group in groups.items():
        line.append(count(len(group), _link(ranking.benchmark, [row["case"] for row in group], f"contested {words}")))
    line.append(count(ranking.n_shown, CaseLink(inside, ranking.n_shown, "looked at", benchmark=ranking.benchmark)))
    yield table("How many gold labels are contested", ["", *groups, "of cases"], [line])
    if rows:
        lines = [_case(ranking.benchmark, row) for row in rows[:LINES]]
        yield table("The strongest first", ["rank", "case", "subset", "contested by", "lead"], lines, labels=2)
        yield Note("Lead: the weight behind the consensus less that behind gold, in nats. Steps are 0-based.", "quiet")
    if left := len(rows[LINES:]):
        yield Note(
            f"{counted(left, 'more case')} are in --csv and --json.".replace("1 more case are", "1 more case is")
        )
    yield from _voters(results, ranking)
    yield Note("A suspicion, no ruling: what scorers get wrong together stands here too.", "quiet")


def _case(benchmark: str, row: Row) -> list[Cell]:
    link = _link(benchmark, [row["case"]], row["case"])
    return [
        text(str(row["rank"])),
        text(row["case"], link=link, remark=row["because"]),
        text(row["subset"]),
        text(row["contested_by"]),
        Cell(row["lead"], Kind.MEAN),
    ]


def _link(benchmark: str, cases: Sequence[str], words: str) -> CaseLink:
    """The cases of these names: no column says what is contested."""
    return CaseLink((Facet("case", tuple(cases)).sql,), len(cases), words, benchmark=benchmark)


def _voters(results: ResultSet, ranking: Ranking) -> Iterator[Block]:
    """What verdicts weigh, by scorer, the heaviest first; whoever has none, and why there is no consensus."""
    weights = mean_weights(ranking)
    if weights:
        names = sorted(weights, key=lambda name: (-(weights[name] or 0), name))
        families = {name: results.evaluation(name).scorer.family for name in names}
        lines = [[text(name), text(families[name]), Cell(weights[name], Kind.MEAN)] for name in names]
        yield table("What a verdict weighs, on average", ["scorer", "family (one voice)", "weight"], lines)
    yield from quiet_notes(_without_a_vote(results, weights))
    if nothing := without_consensus(ranking):
        yield Note(f"{nothing[0].upper()}{nothing[1:]}.")
