"""The facts behind the official figure of a scorer on a benchmark, in words, and what to beware of in it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.render.cells import share
from inspector.render.texts.sentences import counted
from inspector.state.comparability import TUNED_HERE, threshold_kind
from inspector.state.counted_cases import choosing_conditions, counted_cases, counts_unanswered
from inspector.state.figure_notes import boundary_notes, label_notes, range_notes, resampled_words, unlike_notes
from inspector.state.provenance import conditions
from scoring.data.reward_transforms import transform
from scoring.data.rules import when_wrong
from scoring.data.schema import Bools
from scoring.data.scorer import NOT_SAID, settings_of
from scoring.evaluation.case_counts import on_threshold
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import (
    DEV,
    OUTCOMES,
    REFUSED,
    UNPARSED,
    UNSCORED,
    Decision,
    Rule,
)
from scoring.formats.reading.critic_answers import fault_of
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.deciding import rule_among
from scoring.metrics.official_protocols import protocol_named, protocol_of
from scoring.metrics.outcome_conditions import SIDES, tried
from scoring.metrics.resampling import LEVEL, RESAMPLES, SMALL
from scoring.selection.labels import COLUMN
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.adjudicated import CONFIRMED, OVERLAID, UNDECIDED

CardGroup = Literal["scorer", "decision", "cases", "counting", "gold", "interval"]
GROUPS: tuple[CardGroup, ...] = ("decision", "cases", "counting", "gold", "interval", "scorer")
GROUP_TITLES: dict[CardGroup, str] = {
    "decision": "How a verdict is decided",
    "cases": "Which cases are counted",
    "counting": "How they are counted",
    "gold": "Where the gold labels come from",
    "interval": "How the interval is made",
    "scorer": "What the scorer is",
}
_WANTED: Mapping[str, tuple[str, ...]] = {
    "prm": ("weights", "adapter", "dtype"),
    "critic": ("protocol", "model", "template", "sampling"),
    "baseline": (),
}
"""The settings that make a scorer what it is: the card says so of one that is not known."""
_NAMED = 4
"""Reasons, subsets and files that a fact names."""
_UNCOUNTED = {
    UNPARSED: "unparsed",
    REFUSED: "refused",
    UNSCORED: "never scored",
    DEV: "left out: the threshold was tuned on them",
}


class Fact(Struct, frozen=True):
    """A fact in words. `where` are SQL conditions that leave the `n` cases that it counts; None: it counts none."""

    group: CardGroup
    name: str
    value: str
    where: tuple[str, ...] | None = None
    n: int = 0


class ProtocolCard(Struct, frozen=True):
    """The facts that make a scorer's official figure on a benchmark, in the order of GROUPS, and what to beware of."""

    scorer: str
    benchmark: str
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]

    def of(self, group: CardGroup, name: str) -> Fact | None:
        """Find the fact of that name in a group."""
        return next((fact for fact in self.facts if (fact.group, fact.name) == (group, name)), None)


def protocol_card(results: ResultSet, scorer: str, benchmark: str) -> ProtocolCard:
    """Make the card of one scorer (full name) on the shown cases of one benchmark."""
    alone = _alone(results, scorer, benchmark)
    evaluation = alone.evaluation(scorer)
    facts = (
        *_scorer_facts(evaluation, alone.loaded.folders.get(scorer)),
        *_decision_facts(evaluation, alone, benchmark),
        *_counting_facts(evaluation, alone, benchmark),
    )
    ordered = sorted(facts, key=lambda fact: GROUPS.index(fact.group))
    return ProtocolCard(scorer, benchmark, tuple(ordered), tuple(_warnings(alone, scorer, benchmark)))


def _alone(results: ResultSet, scorer: str, benchmark: str) -> ResultSet:
    """The result set of this scorer and the shown cases of this benchmark alone, in file order."""
    within = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    return replace(results, chosen=(scorer,), shown=np.flatnonzero(within))


def _scorer_facts(evaluation: Evaluation, folder: Path | None) -> Iterator[Fact]:
    """Name, fingerprint, every setting, the engines that ran; `folder` holds its parts, None = there is none."""
    scorer = evaluation.scorer
    yield Fact("scorer", "name", scorer.name)
    yield Fact("scorer", "about", scorer.about or NOT_SAID)
    settings = settings_of(scorer)
    yield from (Fact("scorer", name, value) for name, value in settings.items())
    for name in _WANTED[scorer.kind]:
        if not any(known == name or known.startswith(f"{name}.") for known in settings):
            yield Fact("scorer", name, NOT_SAID)
    yield Fact("scorer", "reads", ", ".join(("problem", "steps", *scorer.reads)))
    ran = [] if folder is None else [*RewardParts(folder).engines(), *VoteParts(folder).engines()]
    yield Fact("scorer", "engine", ", ".join(dict.fromkeys(ran)) or NOT_SAID)


def _decision_facts(evaluation: Evaluation, results: ResultSet, benchmark: str) -> Iterator[Fact]:
    """Tell the rule, the threshold, where it comes from, and what becomes of a reward that equals it."""
    here = (results.cases["benchmark"] == benchmark).to_numpy()
    rule = rule_among(evaluation, here, results.query.seed)
    yield Fact("decision", "rule", str(rule))
    yield Fact("decision", "threshold", _threshold(rule))
    yield Fact("decision", "threshold source", rule.source)
    if rule.by_threshold:
        own = Rule(evaluation.scorer.threshold, evaluation.scorer.comparison, on=evaluation.scorer.on)
        words = "its own" if rule.spelled == own.spelled else f"as asked; its own is {own.spelled}"
        yield Fact("decision", "boundary", f"{rule.spelled} ({words})")
        if (compared := transform(rule.on)).code is not None:
            yield Fact("decision", "code of the rule", compared.code.words)
        yield Fact("decision", "rewards on the threshold", f"{on_threshold(evaluation, results.mask):,}")
    if evaluation.scorer.redundancy_threshold is not None:
        cut, source = evaluation.scorer.redundancy_threshold, evaluation.scorer.redundancy_threshold_source
        yield Fact("decision", "redundancy threshold", f"above {cut:g} ({source or NOT_SAID})")
    protocol_name = results.query.protocol
    protocol = protocol_named(protocol_name) if protocol_name else protocol_of(benchmark)
    side = "" if protocol.comparison is None else f"; it has {when_wrong('rewards', protocol.comparison)}"
    yield Fact(
        "decision",
        "protocol that decides",
        f"{protocol_name}, as asked" if protocol_name else f"none: the scorer's own{side}",
    )


def _threshold(rule: Decision) -> str:
    if rule.by_subset:
        return ", ".join(f"{subset} {value:g}" for subset, value in rule.by_subset.items())
    return "none" if rule.threshold is None else f"{rule.threshold!r}"


def _counting_facts(evaluation: Evaluation, results: ResultSet, benchmark: str) -> Iterator[Fact]:
    """Tell the facts on cases, counting, gold and interval; the result set shows the cases of this benchmark alone."""
    yield from _cases(evaluation, results, benchmark)
    yield from _counting(evaluation, results, benchmark)
    yield from _gold(results, benchmark)
    yield from _interval(results, benchmark)


def _cases(evaluation: Evaluation, results: ResultSet, benchmark: str) -> Iterator[Fact]:
    mask, name = results.mask, evaluation.scorer.name
    n = int(mask.sum())
    yield Fact("cases", "benchmark", benchmark)
    yield Fact("cases", "filter", " AND ".join(f"({condition})" for condition in conditions(results.query)) or "none")
    yield Fact("cases", "shown", counted(n, "case"), (), n)
    whole = int((results.cases["benchmark"] == benchmark).sum())
    if whole != n:
        yield Fact("cases", "in the benchmark", counted(whole, "case"))
    rows = counted_cases(results, (name,), benchmark).get(name, np.zeros(mask.size, dtype=np.bool_))
    if metrics_of(benchmark).steps is None:
        # What a scorer without any verdict was refused on is in no denominator, though its outcome says refused.
        reported, unparsed = metrics_of(benchmark), results.unparsed(benchmark)
        where = reported.cases.where(name, unparsed) if reported.own else (tried(name, unparsed),)
        has_them = where if evaluation.coverage.nothing is None else ("false",)
        own = (results.cases["benchmark"] == benchmark).to_numpy() & mask
        if reported.own and not np.array_equal(own & results.evaluated.passing(has_them), rows):
            has_them = ()
        yield Fact(
            "cases",
            "in the denominators",
            counted(int(rows.sum()), "case"),
            has_them or None,
            int(rows.sum()) if has_them else 0,
        )
        gold = evaluation.gold.earliest
        for side, condition in SIDES.items():
            members = rows & ((gold >= 0) if side == "erroneous" else (gold == -1)) & evaluation.gold.known
            opened = ((condition, *has_them), int(members.sum())) if has_them else (None, 0)
            yield Fact("cases", side, f"{int(members.sum()):,}", *opened)
    else:
        yield Fact("cases", "with judged steps", counted(int(rows.sum()), "case"))
    unknown = mask & ~evaluation.gold.known
    if unknown.any():
        yield Fact(
            "cases",
            "without a gold first error",
            f"{int(unknown.sum()):,}",
            ("earliest_error IS NULL",),
            int(unknown.sum()),
        )
    yield Fact("cases", "subsets", _subsets(evaluation, rows))


def _subsets(evaluation: Evaluation, rows: Bools) -> str:
    """How many subsets take part, and the size of the first ones."""
    names, numbers = evaluation.gold.subsets
    sizes = np.bincount(numbers[rows], minlength=len(names))
    subsets = [f"{names[at] or 'none'} {sizes[at]:,}" for at in np.flatnonzero(sizes)]
    more = f" and {len(subsets) - _NAMED} more" if len(subsets) > _NAMED else ""
    return f"{len(subsets)}: {', '.join(subsets[:_NAMED])}{more}" if subsets else "none"


def _counting(evaluation: Evaluation, results: ResultSet, benchmark: str) -> Iterator[Fact]:
    mask, unparsed = results.mask, results.unparsed(benchmark)
    # What it is averaged over takes no resample.
    reported = metrics_of(benchmark)
    line = reported.headline(evaluation, mask, unparsed, None)
    protocol_name = results.query.protocol
    protocol = protocol_named(protocol_name) if protocol_name else protocol_of(benchmark)
    title = reported.title if reported.own or reported.steps else f"{reported.title} of first errors"
    yield Fact("counting", "official figure", f"{title}: {reported.about}" if reported.own else title)
    yield Fact("counting", "averaged over", line.over)
    yield Fact("counting", "protocol", f"{protocol.name}: {protocol.counts} ({protocol.source})")
    wrong = counts_unanswered(results, benchmark)
    policy = "count as wrong" if wrong else "are left out of the denominators"
    by = "" if results.query.unparsed is None else ", as asked"
    yield Fact("counting", "cases without a verdict", f"unparsed and refused ones {policy}{by}")
    answered = int((evaluation.coverage.answered & mask).sum())
    yield Fact("counting", "coverage", f"{answered:,} of {int(mask.sum()):,} with a verdict")
    for code, words in _UNCOUNTED.items():
        rows = mask & (evaluation.codes == code)
        if rows.any():
            where = (Facet(f"{evaluation.scorer.name}.outcome", (OUTCOMES[code],)).sql,)
            yield Fact("counting", words, f"{int(rows.sum()):,}{_why(evaluation, rows, code)}", where, int(rows.sum()))
    yield Fact("counting", "runs", _runs(evaluation))
    if evaluation.votes is not None:
        yield Fact("counting", "votes", f"up to {evaluation.votes.most} a case, one verdict")


def _why(evaluation: Evaluation, rows: Bools, code: int) -> str:
    """The reasons of these cases, the most frequent first; "" where there is nothing to give a reason for."""
    if code not in {UNPARSED, REFUSED}:
        return ""
    reasons = evaluation.coverage.reasons
    kinds = Counter(
        str(fault_of(reasons[at] or "") or reasons[at] or "no reason given") for at in np.flatnonzero(rows).tolist()
    )
    frequent = [f"{count:,} {kind}" for kind, count in kinds.most_common(_NAMED)]
    more = f" and {len(kinds) - _NAMED} other reasons" if len(kinds) > _NAMED else ""
    return f": {', '.join(frequent)}{more}"


def _runs(evaluation: Evaluation) -> str:
    several = len(evaluation.runs)
    unlike = f"; {evaluation.unlike} further with another number of votes left out" if evaluation.unlike else ""
    return (f"mean of {several} runs" if several > 1 else "one") + unlike


def _gold(results: ResultSet, benchmark: str) -> Iterator[Fact]:
    imports = results.loaded.workspace.imports(benchmark)
    yield from _labels(results)
    for name, key in (("label base in the file", "label_base"), ("read from", "source"), ("format", "format")):
        values = list(dict.fromkeys(str(imported[key]) for imported in imports if imported.get(key)))
        more = f" and {len(values) - _NAMED} more" if len(values) > _NAMED else ""
        yield Fact("gold", name, "; ".join(values[:_NAMED]) + more if values else NOT_SAID)
    here = results.cases.filter(results.cases["benchmark"] == benchmark)
    repeated = here.height - here["key"].n_unique()
    if repeated:
        yield Fact("gold", "repeated", f"{repeated:,} cases repeat the problem and steps of another")


def _labels(results: ResultSet) -> Iterator[Fact]:
    """Whose labels they are; where they were adjudicated, which of the shown cases have another one than before."""
    based = "steps are 0-based here, -1 = no error"
    if results.labels.adjudicated is None:
        yield Fact("gold", "labels", f"as the benchmark gives them; {based}")
        return
    people = results.labels.adjudicated.people
    yield Fact("gold", "labels", f"adjudicated{' by ' if people else ''}{', '.join(people)}; {based}")
    there = results.evaluated.column(COLUMN).gather(results.shown)
    for name in (*OVERLAID, *UNDECIDED, CONFIRMED):
        if n := int((there == name).sum()):
            yield Fact("gold", f"labels here: {name}", counted(n, "case"), (Facet(COLUMN, (name,)).sql,), n)


def _interval(results: ResultSet, benchmark: str) -> Iterator[Fact]:
    of_steps = metrics_of(benchmark).name != "f1"
    way = "of whole problems" if of_steps else resampled_words(results, benchmark)
    yield Fact("interval", "method", f"{share(LEVEL, 0)}% percentile bootstrap, {way}")
    yield Fact("interval", "resamples", f"{RESAMPLES:,}")
    yield Fact("interval", "seed", str(results.query.seed))


def _warnings(results: ResultSet, scorer: str, benchmark: str) -> Iterator[str]:
    """Give every caution; the result set shows this scorer and the cases of this benchmark alone."""
    evaluation = results.evaluation(scorer)
    if evaluation.coverage.nothing is not None:
        yield f"{scorer} gives no verdict on any case: {evaluation.coverage.nothing}"
    rule = rule_among(evaluation, results.mask, results.query.seed)
    if threshold_kind(rule) == TUNED_HERE:
        yield f"the threshold was tuned on these cases, so that the figure is optimistic: {rule.source}"
    yield from _coverage(results, evaluation, benchmark)
    if chosen := choosing_conditions(results, scorer):
        words = " AND ".join(chosen)
        yield f"the cases are chosen by what {scorer} made of them ({words}): the figure speaks of itself"
    yield from boundary_notes(results)
    yield from range_notes(results)
    yield from label_notes(results)
    yield from unlike_notes(results)
    yield from (problem for problem in results.problems if problem.startswith(f"{scorer}:"))
    if "imported_from" in evaluation.scorer.settings and not any(
        name.startswith("weights") for name in settings_of(evaluation.scorer)
    ):
        came = evaluation.scorer.settings["imported_from"]
        yield f"{scorer} was imported from {came}: which weights gave its numbers is {NOT_SAID}"


def _coverage(results: ResultSet, evaluation: Evaluation, benchmark: str) -> Iterator[str]:
    """Cases that are not counted, and few that are."""
    mask, name = results.mask, evaluation.scorer.name
    rows = counted_cases(results, (name,), benchmark).get(name)
    if rows is None:
        return
    without = int((mask & evaluation.gold.known & ~rows).sum())
    if without:
        known = counted(int((mask & evaluation.gold.known).sum()), "case")
        yield f"of {known} {without:,} left out of the denominators"
    gold = evaluation.gold.earliest
    sides = {"erroneous": int((rows & (gold >= 0)).sum()), "clean": int((rows & (gold == -1)).sum())}
    few = [f"{counted(n, f'{side} case')}" for side, n in sides.items() if n < SMALL]
    if few:
        yield f"small n: only {' and '.join(few)}"
