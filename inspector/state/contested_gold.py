"""The shown cases whose gold label is contested, by the consensus of the scorers or by how the benchmark is made; why.

The weights of the scorers come from all cases of a benchmark, whatever is shown: a filter chooses what is listed, and
never what the consensus on a case is.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import verdict_words
from scoring.data.schema import METADATA, TEXTS, Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks.construction import OF_TEXTS, Broken, broken_by_case
from scoring.metrics.aligned import AlignedScorers, align_scorers
from scoring.metrics.baselines import is_baseline
from scoring.metrics.case_groups import group_masks
from scoring.metrics.contested import REASONS, Contested, contested
from scoring.selection.result_set import ResultSet

NAMED = 3
"""Scorers that a sentence names, the heaviest first."""
BETWEEN = "; "
_SHARES, _NAMES, _BESIDE = 2, 3, 4
"""Ranks of what is left out where there is no room: first what scorers say who do not contest the case, then names."""


class Ranking(Struct, frozen=True, eq=False, dict=True):
    """The contested ones of the shown cases of one benchmark.

    `rows` are row ids of the result set's cases. First come the `by_consensus` ones that the consensus contradicts, the
    largest lead first, then those that only break a rule of construction, the most rules first; equal ones in the order
    of the file. `broken` (row id -> rules) holds the rules that the cases of the benchmark break. `consensus` is the
    consensus of the scorers in `aligned`, on all cases of the benchmark that have a gold label; None where no scorer
    has a verdict on any. `n_shown` counts the cases that were looked at.
    """

    benchmark: str
    rows: tuple[int, ...]
    by_consensus: int
    broken: Mapping[int, tuple[Broken, ...]]
    aligned: AlignedScorers | None
    consensus: Contested | None
    n_shown: int

    @cached_property
    def contested(self) -> frozenset[int]:
        """Give the contested ones as a set."""
        return frozenset(self.rows)

    def place(self, row: int) -> int | None:
        """Find where a case, by its row id, stands in `aligned`; None where it has no gold label or none is aligned."""
        if self.aligned is None:
            return None
        place = int(np.searchsorted(self.aligned.rows, row))
        return place if place < self.aligned.rows.size and self.aligned.rows[place] == row else None


def rankings(results: ResultSet) -> Iterator[Ranking]:
    """Rank the shown cases of each benchmark of which any is shown.

    Raises:
        DamagedWorkspace: texts that the rules need cannot be read.
    """
    mask = results.mask
    for part, members in group_masks(results.cases, ("benchmark",)):
        if (members & mask).any():
            yield _ranking(results, part["benchmark"], members, mask)


def ranking_of(results: ResultSet, benchmark: str, scorers: Sequence[str]) -> Ranking:
    """Rank all cases of one benchmark, whatever is shown, by these scorers (full names).

    Raises:
        DamagedWorkspace: texts that the rules need cannot be read.
    """
    members = (results.cases["benchmark"] == benchmark).to_numpy()
    return _ranking(replace(results, chosen=tuple(scorers)), benchmark, members, members)


def voting(evaluations: Sequence[Evaluation], members: Bools) -> tuple[Evaluation, ...]:
    """Find the scorers that have a verdict on any of the cases (n,) and are no baseline that looks at nothing."""
    return tuple(
        evaluation
        for evaluation in evaluations
        if not is_baseline(evaluation.scorer) and bool((evaluation.coverage.answered & members).any())
    )


def _ranking(results: ResultSet, benchmark: str, members: Bools, mask: Bools) -> Ranking:
    broken = _broken(results, np.flatnonzero(members))
    evaluations = voting(results.chosen_evaluations, members)
    aligned = align_scorers(evaluations, members, results.unparsed(benchmark)) if evaluations else None
    result = contested(aligned) if aligned is not None else None
    rows = [] if aligned is None or result is None else aligned.rows[result.order].tolist()
    first = [row for row in rows if mask[row]]
    taken = set(first)
    rest = [row for row in broken if mask[row] and row not in taken]
    rest.sort(key=lambda row: -len(broken[row]))
    return Ranking(benchmark, (*first, *rest), len(first), broken, aligned, result, int((members & mask).sum()))


def _broken(results: ResultSet, rows: Ints) -> dict[int, tuple[Broken, ...]]:
    """The rules that these cases break, by their row ids. Steps are read only where there are originals beside them."""
    cases = results.cases.select(list(METADATA))[rows]
    texts = results.loaded.texts.gather(rows)
    others = texts.frame([name for name in OF_TEXTS if name != "steps"])
    with_original = others["original_steps"].is_not_null().any()
    steps = (
        texts.frame(["steps"])
        if with_original
        else pl.DataFrame({"steps": [None] * rows.size}, {"steps": TEXTS["steps"]})
    )
    by_row = broken_by_case(pl.concat([cases, others, steps], how="horizontal"))
    return {int(rows[row]): broken for row, broken in by_row.items()}


# -- why, in one sentence


def because(ranking: Ranking, row: int) -> str:
    """Explain what the scorers say of a case (its row id), where it is contested by them, and the rules it breaks.

    Where only rules contest it, what the scorers say comes after them. Steps are 0-based.
    """
    return BETWEEN.join(phrase.forms[0] for phrase in because_phrases(ranking, row))


def because_phrases(ranking: Ranking, row: int) -> list[Phrase]:
    """Explain the same in phrases, `BETWEEN` between them; where there is little room, names are left out."""
    rules = [Phrase((rule.words, rule.code), rank=1) for rule in ranking.broken.get(row, ())]
    scorers = list(_of_scorers(ranking, row))
    place = ranking.place(row)
    if ranking.consensus is not None and place is not None and bool(ranking.consensus.against[place]):
        return [*scorers, *rules]
    return [*rules, *(Phrase((phrase.forms[0], ""), rank=_BESIDE) for phrase in scorers)]


def _of_scorers(ranking: Ranking, row: int) -> Iterator[Phrase]:
    if ranking.aligned is None or ranking.consensus is None:
        yield Phrase(("no scorer has a verdict",))
        return
    place = ranking.place(row)
    if place is None:
        yield Phrase(("no gold label to hold the scorers against",))
        return
    result = ranking.consensus
    if reason := REASONS[result.reasons[place]]:
        yield Phrase((f"no consensus: {reason}",))
        return
    votes, voters = int(result.votes[place]), int(result.voters[place])
    verdict = verdict_words(int(result.verdicts[place]))
    says = f"{'says' if votes == 1 else 'say'} {verdict}"
    count = f"{votes} of {voters} scorers {says}"
    if result.against[place]:
        gold = _gold(ranking.aligned, place)
        whole = f"{count}; gold says {gold}, {_as_gold(int(result.gold_votes[place]))}"
        yield Phrase((whole, f"{votes} of {voters} {says}, gold {gold}"))
        shares = f"weight share {result.shares[place]:.2f}, gold's {result.gold_shares[place]:.2f}"
    else:
        yield Phrase((f"{count}, as gold does",))
        shares = f"weight share {result.shares[place]:.2f}"
    yield Phrase((shares, ""), rank=_SHARES)
    yield Phrase((_names(ranking.aligned, result, place), ""), rank=_NAMES)


def _gold(aligned: AlignedScorers, place: int) -> str:
    gold = int(aligned.earliest[place])
    return f"{verdict_words(gold)}{', which is not there' if gold >= aligned.n_steps[place] else ''}"


def _as_gold(votes: int) -> str:
    if votes <= 1:
        return "as 1 scorer does" if votes else "as no scorer does"
    return f"as {votes} scorers do"


def _names(aligned: AlignedScorers, result: Contested, place: int) -> str:
    names: Sequence[str] = [aligned.names[column] for column in result.behind(aligned, place)]
    listed = ", ".join(names[:NAMED])
    return f"among them {listed}" if len(names) > NAMED else f"said by {listed}"
