"""Why two figures on screen are not comparable: a sentence a reason, and what would make them so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from inspector.protocol_card.case_sets import (
    counted_cases,
    counts_unanswered,
    lacking_words,
    on_threshold,
    only_tried,
    remedy_conditions,
)
from inspector.protocol_card.threshold_kinds import TUNED_HERE, WORDS, Kind, threshold_kind
from inspector.request import shell_word
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.deciding import speaks_of
from scoring.evaluation import Evaluation
from scoring.step_rewards import Bools
from scoring.verdicts import REFUSED, UNPARSED, Rule

Why = Literal["cases", "unparsed", "threshold", "boundary", "runs", "votes", "filter"]
"""What differs: the cases counted, what becomes of those without a verdict, the source of the threshold, who calls a
reward on the threshold wrong, how many runs or votes there are, or that the cases were chosen by one scorer's words."""


@dataclass(frozen=True)
class Incomparable:
    """One reason. `sentence` says what differs, `remedy` what to do about it ("" = nothing can be done here).

    `where` are SQL conditions that do it where conditions can: with them every figure is on the common cases. `drop`
    are conditions of the request that would have to go.
    """

    why: Why
    sentence: str
    remedy: str = ""
    where: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.sentence}; {self.remedy}" if self.remedy else self.sentence


def incomparable(
    selection: Selection, names: Sequence[str], benchmark: str, shown: Bools | None = None
) -> list[Incomparable]:
    """Every reason why the official figures of these scorers on a benchmark are not comparable as they stand.

    Scorers without a figure there are passed over; of fewer than two others there is nothing to compare. The figures
    meant are those of each scorer on all shown cases that it has, as the board and `metrics` tell them; a comparison of
    two is on their common cases anyway. `shown` (n,) are the cases that figures are made of; None = those that the
    selection shows.
    """
    sets = counted_cases(selection, names, benchmark, shown)
    if len(sets) < 2:
        return []
    evaluations = [selection.evaluation(name) for name in sets]
    return [
        *_other_cases(selection, sets, benchmark),
        *_chosen_by(selection, list(sets)),
        *_other_sources(evaluations),
        *_other_boundaries(evaluations, sets),
        *_runs_and_votes(evaluations),
    ]


def remedy_of(reasons: Sequence[Incomparable]) -> tuple[str, ...]:
    """The conditions that put all figures on the common cases; () where no reason is about cases."""
    return tuple(dict.fromkeys(condition for one in reasons for condition in one.where))


def _other_cases(selection: Selection, sets: Mapping[str, Bools], benchmark: str) -> Iterator[Incomparable]:
    """Other case sets, and whether they differ because one leaves out more answers that could not be read."""
    common = np.logical_and.reduce(list(sets.values()))
    union = np.logical_or.reduce(list(sets.values()))
    if int(common.sum()) == int(union.sum()):
        return
    where = remedy_conditions(selection, sets, benchmark)
    n = counted(int(common.sum()), "case")
    remedy = f"all on the {n} in common: " + " ".join(f"--where {shell_word(one)}" for one in where)
    if not common.any():
        remedy, where = "they have no case in common: score the same cases with each", ()
    yield Incomparable("cases", f"{benchmark}: {_which(selection, sets, union)}", remedy, where)
    if not counts_unanswered(selection, benchmark):
        yield from _left_out_unread(selection, sets, union, benchmark)


def _which(selection: Selection, sets: Mapping[str, Bools], union: Bools) -> str:
    """Who has how many cases, and which ones one of two lacks."""
    if len(sets) == 2:
        (one, of_one), (other, of_other) = sets.items()
        pairs = ((one, of_other & ~of_one, other), (other, of_one & ~of_other, one))
        return "; ".join(lacking_words(selection, name, rows, than) for name, rows, than in pairs if rows.any())
    sizes: dict[int, list[str]] = {}
    for name, rows in sets.items():
        sizes.setdefault(int(rows.sum()), []).append(name)
    told = "; ".join(f"{size:,} of {_names(several)}" for size, several in sorted(sizes.items(), reverse=True))
    return f"the figures are over different cases, {int(union.sum()):,} in all: {told}"


def _left_out_unread(
    selection: Selection, sets: Mapping[str, Bools], within: Bools, benchmark: str
) -> Iterator[Incomparable]:
    """Under a protocol that leaves out what could not be read, whoever answers less is judged on what it answers.

    Counted among the cases `within` (n,) that at least one scorer answered.
    """
    counts = {
        name: int((np.isin(selection.evaluation(name).codes, (UNPARSED, REFUSED)) & within).sum()) for name in sets
    }
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        why = f"{benchmark}: unparsed and refused cases are left out, and not equally many: {told}"
        yield Incomparable("unparsed", why, "--unparsed wrong counts them in figures of first errors")


def _chosen_by(selection: Selection, names: Sequence[str]) -> Iterator[Incomparable]:
    """A filter on what some of the scorers made of the cases."""
    said = {
        name: [one for one in speaks_of(name, selection.request.where) if not only_tried(one, name)] for name in names
    }
    chosen = [name for name, found in said.items() if found]
    if chosen:
        drop = tuple(dict.fromkeys(one for found in said.values() for one in found))
        told = " AND ".join(f"({one})" for one in drop)
        why = f"the cases are chosen by what {_names(chosen)} made of them: {told}"
        yield Incomparable("filter", why, "leave this condition out", drop=drop)


def _other_sources(evaluations: Sequence[Evaluation]) -> Iterator[Incomparable]:
    """Thresholds from sources of different kinds; a scorer that gives verdicts has none, which is no difference."""
    kinds = {one.scorer.name: threshold_kind(one.rule) for one in evaluations}
    movable = {name: kind for name, kind in kinds.items() if kind != "given"}
    tuned = [name for name, kind in kinds.items() if kind == TUNED_HERE]
    others = [name for name, kind in kinds.items() if kind != TUNED_HERE]
    if tuned and others:
        verb = "are at thresholds" if len(tuned) > 1 else "is at a threshold"
        why = f"{_names(tuned)} {verb} tuned on these cases (optimistic), {_names(others)} not"
        yield Incomparable("threshold", why, "--threshold default or dev for all")
    elif len(set(movable.values())) > 1:
        by_kind: dict[Kind, list[str]] = {}
        for name, kind in movable.items():
            by_kind.setdefault(kind, []).append(name)
        told = ", ".join(f"{_names(names)} {_plural(WORDS[kind], names)}" for kind, names in by_kind.items())
        yield Incomparable(
            "threshold", f"thresholds come from different sources: {told}", "--threshold default for all"
        )


def _plural(words: str, names: Sequence[str]) -> str:
    if len(names) < 2:
        return words
    return words.replace("is at its own threshold", "are at their own").replace("is at", "are at", 1)


def _other_boundaries(evaluations: Sequence[Evaluation], sets: Mapping[str, Bools]) -> Iterator[Incomparable]:
    """Who calls a reward on the threshold wrong and who right, where there are such rewards."""
    ruled = [one for one in evaluations if isinstance(one.rule, Rule)]
    sides = {one.scorer.name: one.rule.comparison for one in ruled if isinstance(one.rule, Rule)}
    if len(set(sides.values())) < 2:
        return
    hit = {one.scorer.name: on_threshold(one, sets[one.scorer.name]) for one in ruled}
    hit = {name: count for name, count in hit.items() if count}
    if hit:
        wrong = [name for name, side in sides.items() if side == "<="]
        right = [name for name, side in sides.items() if side == "<"]
        told = ", ".join(f"{count:,} of {name}" for name, count in hit.items())
        why = f"a reward on the threshold is wrong for {_names(wrong)}, right for {_names(right)}; there are {told}"
        yield Incomparable("boundary", why, "--rule '<' or --rule '<=' for all")


def _runs_and_votes(evaluations: Sequence[Evaluation]) -> Iterator[Incomparable]:
    """Means over runs beside single runs; and, of critics, votes of different sizes."""
    runs = {one.scorer.name: len(one.runs) for one in evaluations}
    for first, second in combinations(runs, 2):
        if runs[first] != runs[second]:
            told = ", ".join(f"{name} {counted(number, 'run')}" for name, number in runs.items() if number > 1)
            single = _names([name for name, number in runs.items() if number == 1])
            why = f"means over several runs ({told})" + (f" beside single runs ({single})" if single else "")
            yield Incomparable("runs", why, "the sd beside the mean says how much a single run may be off")
            break
    votes = {one.scorer.name: one.votes.most for one in evaluations if one.votes is not None}
    if len(set(votes.values())) > 1:
        told = ", ".join(f"{name} {number}" for name, number in votes.items())
        yield Incomparable("votes", f"verdicts of different numbers of votes: {told}", "prm-inspect votes tells fewer")


def _names(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first ones."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} others"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
