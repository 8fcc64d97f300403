"""Whether the official figures of several scorers may be compared: which cases each is made of, and what else differs.

Where something differs, there is a sentence that says so, and where conditions on the cases can mend it, these.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from msgspec import Struct

from inspector.render.texts.sentences import counted, threshold_name
from inspector.state.counted_cases import (
    choosing_conditions,
    counted_cases,
    counts_unanswered,
    lacking_words,
    remedy_conditions,
)
from scoring.data.reward_transforms import DIFFERENCES, REWARDS
from scoring.data.schema import Bools
from scoring.evaluation.case_counts import on_threshold, runs_among
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import REFUSED, UNPARSED, Decision
from scoring.metrics.deciding import CHOSEN, rule_among
from scoring.selection.query import shell_word
from scoring.selection.result_set import ResultSet

Why = Literal["cases", "unparsed", "threshold", "rule", "boundary", "runs", "votes", "filter"]
"""What differs: the cases counted, what becomes of those without a verdict, the source of the threshold, what is
compared with it and which step is named, who calls a reward on the threshold wrong, how many runs or votes there are,
or that the cases were chosen by one scorer's words."""
NOT_COMPARABLE = "Not comparable"
"""What stands before such a reason."""
ThresholdKind = Literal["given", "own", "chosen", "dev", "these"]
"""What kind of source a threshold has: figures at thresholds of different kinds are no fair comparison."""
TUNED_HERE: ThresholdKind = "these"
_THRESHOLD_WORDS: dict[ThresholdKind, str] = {
    "given": "has no threshold, its verdicts are taken as given",
    "own": "is at its own threshold",
    "chosen": "is at a threshold that somebody chose",
    "dev": "is at thresholds tuned on dev cases",
    "these": "is at a threshold tuned on these cases (optimistic)",
}
_OPTIMISTIC = "optimistic"
_DEV = "dev-tuned"


class Incomparable(Struct, frozen=True):
    """Why two figures are not comparable: `sentence` says what differs, `remedy` what to do about it ("" = nothing).

    `where` are SQL conditions that do it where conditions can: with them every figure is on the common cases. `drop`
    are conditions of the query that would have to go.
    """

    why: Why
    sentence: str
    remedy: str = ""
    where: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.sentence}; {self.remedy}" if self.remedy else self.sentence


def incomparable(
    results: ResultSet, names: Sequence[str], benchmark: str, mask: Bools | None = None
) -> list[Incomparable]:
    """Return every reason why the official figures of these scorers on a benchmark are not comparable as they stand.

    Scorers without a figure there are passed over; of fewer than two others there is nothing to compare. The figures
    meant are those of each scorer on all shown cases that it has, as the board and `metrics` tell them; a comparison of
    two is on their common cases anyway. `mask` (n,) are the cases that figures are made of; None = those that the
    result set shows.
    """
    sets = counted_cases(results, names, benchmark, mask)
    if len(sets) < 2:
        return []
    evaluations = [results.evaluation(name) for name in sets]
    return [
        *_other_cases(results, sets, benchmark),
        *_chosen_by(results, list(sets)),
        *_other_sources(results, sets),
        *_other_rules(evaluations),
        *_other_boundaries(evaluations, sets),
        *_runs_and_votes(evaluations, sets),
    ]


def remedy_of(reasons: Sequence[Incomparable]) -> tuple[str, ...]:
    """Return the conditions that put all figures on the common cases; () where no reason is about cases."""
    return tuple(dict.fromkeys(condition for reason in reasons for condition in reason.where))


def _other_cases(results: ResultSet, sets: Mapping[str, Bools], benchmark: str) -> Iterator[Incomparable]:
    """Other case sets, and whether they differ because one leaves out more answers that could not be read."""
    common = np.logical_and.reduce(list(sets.values()))
    union = np.logical_or.reduce(list(sets.values()))
    if int(common.sum()) == int(union.sum()):
        return
    where = remedy_conditions(results, sets, benchmark)
    n = counted(int(common.sum()), "case")
    remedy = f"all on the {n} in common: " + " ".join(f"--where {shell_word(condition)}" for condition in where)
    if not common.any():
        remedy, where = "they have no case in common: score the same cases with each", ()
    yield Incomparable("cases", f"{benchmark}: {_which(results, sets, union)}", remedy, where)
    if not counts_unanswered(results, benchmark):
        yield from _left_out_unread(results, sets, union, benchmark)


def _which(results: ResultSet, sets: Mapping[str, Bools], union: Bools) -> str:
    """Who has how many cases, and which ones one of two lacks."""
    if len(sets) == 2:
        (first, of_first), (second, of_second) = sets.items()
        pairs = ((first, of_second & ~of_first, second), (second, of_first & ~of_second, first))
        return "; ".join(lacking_words(results, name, rows, than) for name, rows, than in pairs if rows.any())
    sizes: dict[int, list[str]] = {}
    for name, rows in sets.items():
        sizes.setdefault(int(rows.sum()), []).append(name)
    parts = "; ".join(f"{size:,} of {_names(several)}" for size, several in sorted(sizes.items(), reverse=True))
    return f"the figures are over different cases, {int(union.sum()):,} in all: {parts}"


def _left_out_unread(
    results: ResultSet, sets: Mapping[str, Bools], within: Bools, benchmark: str
) -> Iterator[Incomparable]:
    """Under a protocol that leaves out what could not be read, whoever answers less is judged on what it answers.

    Counted among the cases `within` (n,) that at least one scorer answered.
    """
    counts = {name: int((np.isin(results.evaluation(name).codes, (UNPARSED, REFUSED)) & within).sum()) for name in sets}
    if len(set(counts.values())) > 1:
        parts = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        why = f"{benchmark}: unparsed and refused cases are left out, and not equally many: {parts}"
        yield Incomparable("unparsed", why, "--unparsed wrong counts them in figures of first errors")


def _chosen_by(results: ResultSet, names: Sequence[str]) -> Iterator[Incomparable]:
    """A filter on what some of the scorers made of the cases."""
    by_scorer = {name: choosing_conditions(results, name) for name in names}
    chosen = [name for name, conditions in by_scorer.items() if conditions]
    if chosen:
        drop = tuple(dict.fromkeys(condition for conditions in by_scorer.values() for condition in conditions))
        dropped = " AND ".join(f"({text})" for text in drop)
        why = f"the cases are chosen by what {_names(chosen)} made of them: {dropped}"
        yield Incomparable("filter", why, "leave this condition out", drop=drop)


def _other_sources(results: ResultSet, sets: Mapping[str, Bools]) -> Iterator[Incomparable]:
    """Thresholds from sources of different kinds; a scorer that gives verdicts has none, which is no difference."""
    seed = results.query.seed
    kinds = {name: threshold_kind(rule_among(results.evaluation(name), rows, seed)) for name, rows in sets.items()}
    movable = {name: kind for name, kind in kinds.items() if kind != "given"}
    tuned = [name for name, kind in kinds.items() if kind == TUNED_HERE]
    others = [name for name, kind in kinds.items() if kind != TUNED_HERE]
    if tuned and others:
        verb = "are at thresholds" if len(tuned) > 1 else "is at a threshold"
        why = f"{_names(tuned)} {verb} tuned on these cases (optimistic), {_names(others)} not"
        yield Incomparable("threshold", why, "--threshold default or dev for all")
    elif len(set(movable.values())) > 1:
        by_kind: dict[ThresholdKind, list[str]] = {}
        for name, kind in movable.items():
            by_kind.setdefault(kind, []).append(name)
        sources = ", ".join(
            f"{_names(names)} {_plural(_THRESHOLD_WORDS[kind], names)}" for kind, names in by_kind.items()
        )
        yield Incomparable(
            "threshold", f"thresholds come from different sources: {sources}", "--threshold default for all"
        )


def _plural(words: str, names: Sequence[str]) -> str:
    if len(names) < 2:
        return words
    return words.replace("is at its own threshold", "are at their own").replace("is at", "are at", 1)


def _other_rules(evaluations: Sequence[Evaluation]) -> Iterator[Incomparable]:
    """Who is decided in a way that was asked for it alone; differences are a scorer's own, and no other way."""
    ways: dict[str, list[str]] = {}
    for evaluation in evaluations:
        if evaluation.rule.by_threshold:
            own = evaluation.rule.step == "first" and evaluation.rule.on in {REWARDS, DIFFERENCES}
            ways.setdefault("" if own else threshold_name(evaluation.rule), []).append(evaluation.scorer.name)
    if len(ways) > 1:
        rules = "; ".join(f"{_names(names)}: {way or 'the usual threshold'}" for way, names in ways.items())
        yield Incomparable("rule", f"verdicts are decided in different ways ({rules})", "one --rule for all")


def _other_boundaries(evaluations: Sequence[Evaluation], sets: Mapping[str, Bools]) -> Iterator[Incomparable]:
    """Who calls a reward on the threshold wrong and who right, where there are such rewards."""
    ruled = [evaluation for evaluation in evaluations if evaluation.rule.is_movable]
    sides = {evaluation.scorer.name: evaluation.rule.comparison for evaluation in ruled if evaluation.rule.is_movable}
    if len(set(sides.values())) < 2:
        return
    hit = {evaluation.scorer.name: on_threshold(evaluation, sets[evaluation.scorer.name]) for evaluation in ruled}
    hit = {name: count for name, count in hit.items() if count}
    if hit:
        wrong = [name for name, side in sides.items() if side == "<="]
        right = [name for name, side in sides.items() if side == "<"]
        counts = ", ".join(f"{count:,} of {name}" for name, count in hit.items())
        why = f"a reward on the threshold is wrong for {_names(wrong)}, right for {_names(right)}; there are {counts}"
        yield Incomparable("boundary", why, "--rule '<' or --rule '<=' for all")


def _runs_and_votes(evaluations: Sequence[Evaluation], sets: Mapping[str, Bools]) -> Iterator[Incomparable]:
    """Means over runs beside single runs; and, of critics, votes of different sizes."""
    runs = {evaluation.scorer.name: runs_among(evaluation, sets[evaluation.scorer.name]) for evaluation in evaluations}
    for first, second in combinations(runs, 2):
        if runs[first] != runs[second]:
            several = ", ".join(f"{name} {counted(number, 'run')}" for name, number in runs.items() if number > 1)
            single = _names([name for name, number in runs.items() if number == 1])
            why = f"means over several runs ({several})" + (f" beside single runs ({single})" if single else "")
            yield Incomparable("runs", why, "the sd beside the mean says how much a single run may be off")
            break
    votes = {
        evaluation.scorer.name: evaluation.votes.most for evaluation in evaluations if evaluation.votes is not None
    }
    if len(set(votes.values())) > 1:
        several = ", ".join(f"{name} {number}" for name, number in votes.items())
        yield Incomparable(
            "votes", f"verdicts of different numbers of votes: {several}", "prm-inspect votes tells fewer"
        )


def _names(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first ones."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} others"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


# -- where a threshold comes from


def threshold_kind(rule: Decision) -> ThresholdKind:
    """Return what kind of source a threshold has; one tuned on a part of what is shown counts as tuned on it."""
    if not rule.by_threshold:
        return "given"
    if _OPTIMISTIC in rule.source:
        return "these"
    if rule.source.startswith(_DEV):
        return "dev"
    return "chosen" if rule.source == CHOSEN else "own"
