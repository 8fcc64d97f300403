"""Why a gold label is contested, in one sentence."""

from collections.abc import Iterator, Sequence

from inspector.contested.ranking import Ranking
from inspector.phrases import Phrase
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.contested import REASONS, Contested

NAMED = 3
"""Scorers that a sentence names, the heaviest first."""
BETWEEN = "; "
_SHARES, _NAMES, _BESIDE = 2, 3, 4
"""Ranks of what is left out where there is no room: first what scorers say who do not contest the case, then names."""


def because(ranking: Ranking, row: int) -> str:
    """What the scorers say of a case (its row id), where it is contested by them, and the rules it breaks.

    Where only rules contest it, what the scorers say comes after them. Steps are 0-based.
    """
    return BETWEEN.join(one.forms[0] for one in because_phrases(ranking, row))


def because_phrases(ranking: Ranking, row: int) -> list[Phrase]:
    """The same in phrases, `BETWEEN` between them: where there is little room, who says what with names left out."""
    rules = [Phrase((one.words, one.code), rank=1) for one in ranking.broken.get(row, ())]
    scorers = list(_of_scorers(ranking, row))
    place = ranking.place(row)
    if ranking.found is not None and place is not None and bool(ranking.found.against[place]):
        return [*scorers, *rules]
    return [*rules, *(Phrase((one.forms[0], ""), rank=_BESIDE) for one in scorers)]


def _of_scorers(ranking: Ranking, row: int) -> Iterator[Phrase]:
    if ranking.aligned is None or ranking.found is None:
        yield Phrase(("no scorer has a verdict",))
        return
    place = ranking.place(row)
    if place is None:
        yield Phrase(("no gold label to hold the scorers against",))
        return
    found = ranking.found
    if reason := REASONS[found.reasons[place]]:
        yield Phrase((f"no consensus: {reason}",))
        return
    votes, voters = int(found.votes[place]), int(found.voters[place])
    verdict = _verdict(int(found.verdicts[place]))
    says = f"{'says' if votes == 1 else 'say'} {verdict}"
    said = f"{votes} of {voters} scorers {says}"
    if found.against[place]:
        gold = _gold(ranking.aligned, place)
        whole = f"{said}; gold says {gold}, {_as_gold(int(found.gold_votes[place]))}"
        yield Phrase((whole, f"{votes} of {voters} {says}, gold {gold}"))
        shares = f"weight share {found.shares[place]:.2f}, gold's {found.gold_shares[place]:.2f}"
    else:
        yield Phrase((f"{said}, as gold does",))
        shares = f"weight share {found.shares[place]:.2f}"
    yield Phrase((shares, ""), rank=_SHARES)
    yield Phrase((_names(ranking.aligned, found, place), ""), rank=_NAMES)


def _verdict(verdict: int) -> str:
    """`step 3` (0-based), `no error`."""
    return "no error" if verdict == -1 else f"step {verdict}"


def _gold(aligned: AlignedScorers, place: int) -> str:
    gold = int(aligned.earliest[place])
    return f"{_verdict(gold)}{', which is not there' if gold >= aligned.n_steps[place] else ''}"


def _as_gold(votes: int) -> str:
    if votes <= 1:
        return "as 1 scorer does" if votes else "as no scorer does"
    return f"as {votes} scorers do"


def _names(aligned: AlignedScorers, found: Contested, place: int) -> str:
    names: Sequence[str] = [aligned.names[column] for column in found.behind(aligned, place)]
    listed = ", ".join(names[:NAMED])
    return f"among them {listed}" if len(names) > NAMED else f"said by {listed}"
