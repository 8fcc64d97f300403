"""The document of `contested`: gold labels that the scorers together, or the rules of construction, speak against."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from inspector.contested.ranking import Ranking, rankings
from inspector.contested.words import because
from inspector.notes import first_run_notes
from inspector.provenance import provenance
from inspector.request import joined
from inspector.selection import Selection
from scoring.export import Document
from scoring.metrics.baselines import is_baseline
from scoring.metrics.consensus import SHRINK
from scoring.metrics.contested import LEAST, REASONS

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


def contested_document(selection: Selection, form: str = "") -> Document:
    """A row a contested case of those shown, by benchmark, ranked from 1; `because` says why in words.

    `contested_by` says whether the consensus contradicts gold, the case breaks a rule of construction (`rules`, codes
    of `scoring.benchmarks.construction.RULES`), or both. What is undefined without a consensus is null, and `reason`
    says why there is none.

    Raises:
        DamagedWorkspace: texts that the rules need cannot be read.
    """
    found = list(rankings(selection))
    rows = [row for ranking in found for row in _rows(selection, ranking)]
    notes = (*NOTES, *first_run_notes(selection))
    command = selection.request.command("contested", form=form)
    facts = {
        "voices": list(_voices(selection, found)),
        "contested": {one.benchmark: contested_count(one) for one in found},
        "consensus_weight": {one.benchmark: mean_weights(one) for one in found},
    }
    made = {**provenance(selection, command, notes), **facts}
    return Document(pl.DataFrame(rows, schema=CONTESTED, orient="row"), made)


def contested_count(ranking: Ranking) -> str:
    """`31 by consensus, 2 more by a rule alone, of 159 cases`."""
    alone = len(ranking.rows) - ranking.by_consensus
    more = f", {alone} more by a rule alone" if alone else ""
    cases = f"{ranking.shown:,} case{'s' * (ranking.shown != 1)}"
    return f"{ranking.by_consensus} by consensus{more}, of {cases}"


def mean_weights(ranking: Ranking) -> dict[str, float | None]:
    """What each scorer's verdict weighs, averaged over the cases on which it has a say; None where it has none."""
    if ranking.aligned is None or ranking.found is None:
        return {}
    says, weights = ranking.found.says, ranking.found.weights
    return {
        name: float(weights[says[:, place], place].mean()) if says[:, place].any() else None
        for place, name in enumerate(ranking.aligned.names)
    }


def _rows(selection: Selection, ranking: Ranking) -> Iterator[dict[str, Any]]:
    cases = selection.cases.select("case", "benchmark", "subset", "earliest_error")
    for rank, row in enumerate(ranking.rows, 1):
        broken = ranking.broken.get(row, ())
        led = rank <= ranking.by_consensus
        yield {
            "rank": rank,
            **cases.row(row, named=True),
            "contested_by": BY_BOTH if led and broken else BY_CONSENSUS if led else BY_RULE,
            **_of_consensus(ranking, row),
            "rules": joined([one.code for one in broken]) or None,
            "because": because(ranking, row),
        }


def _of_consensus(ranking: Ranking, row: int) -> dict[str, Any]:
    place = ranking.place(row)
    if ranking.aligned is None or ranking.found is None or place is None:
        return {"reason": NO_SCORER if ranking.aligned is None else NO_GOLD}
    found = ranking.found
    counts = {"gold_votes": int(found.gold_votes[place]), "voters": int(found.voters[place])}
    if reason := REASONS[found.reasons[place]]:
        return {**counts, "reason": reason}
    return {
        "consensus": int(found.verdicts[place]),
        "share": float(found.shares[place]),
        "gold_share": float(found.gold_shares[place]),
        "lead": float(found.leads[place]),
        "votes": int(found.votes[place]),
        **counts,
        "scorers": joined([ranking.aligned.names[column] for column in found.behind(ranking.aligned, place)]),
        "reason": None,
    }


def _voices(selection: Selection, found: list[Ranking]) -> Iterator[str]:
    """Who votes as one, who votes alone, and who does not vote."""
    names = dict.fromkeys(name for one in found if one.aligned for name in one.aligned.names)
    scorers = {one.scorer.name: one.scorer for one in selection.chosen_evaluations}
    families: dict[str, list[str]] = {}
    for name in names:
        families.setdefault(scorers[name].family, []).append(name)
    alone = families.pop("", [])
    for family, members in families.items():
        yield f"one voice, as the family {family}: {', '.join(members)}"
    if alone:
        yield f"no family is declared, so that each has a voice of its own: {', '.join(alone)}"
    for one in selection.chosen_evaluations:
        if one.scorer.name in names:
            continue
        why = "it looks at nothing" if is_baseline(one.scorer) else one.nothing or "no verdict on these cases"
        yield f"{one.scorer.name} does not vote: {why}"
    for ranking in found:
        if nothing := without_consensus(ranking):
            yield f"{ranking.benchmark}: {nothing}"


def without_consensus(ranking: Ranking) -> str | None:
    """Why there is no consensus on any case of a benchmark; None where there is one on some."""
    if ranking.aligned is None or ranking.found is None:
        return f"{NO_SCORER}, and only the rules of construction are held against the labels"
    if not ranking.aligned.rows.size:
        return "no case has a gold label that names a step or none"
    if len(ranking.aligned.names) < LEAST:
        return f"only {ranking.aligned.names[0]} has verdicts, and one scorer is no consensus"
    if np.any(ranking.found.reasons == 0):
        return None
    if np.all(ranking.found.voters < LEAST):
        return f"no case has verdicts of {LEAST} scorers"
    return f"on no case {LEAST} scorers are right more often than wrong elsewhere and one verdict leads"
