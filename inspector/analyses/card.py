"""How a scorer's number came to be; of two, in what they differ."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict, replace

from inspector.analyses import Params, analysis
from inspector.render.blocks import Block, Cell, Column, Fold, Note, Section, Table, figure, table, text
from inspector.render.cells import share
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import Headline, counted, headline
from inspector.render.view import View
from inspector.state.case_links import figure_link
from inspector.state.comparability import (
    TUNED_HERE,
    Incomparable,
    choosing_conditions,
    counted_cases,
    counts_unanswered,
    incomparable,
    remedy_of,
    threshold_kind,
)
from inspector.state.label_set import COLUMN
from inspector.state.notes import boundary_notes, label_notes, range_notes, resampled_words, unlike_notes
from inspector.state.provenance import conditions, provenance
from inspector.state.query import as_words
from inspector.state.result_set import ResultSet, within
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.reward_transforms import transform
from scoring.data.rules import when_wrong
from scoring.data.schema import Bools
from scoring.data.scorer import NOT_SAID, not_recorded, settings_of
from scoring.evaluation.case_counts import on_threshold
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import (
    DEV,
    OUTCOMES,
    REFUSED,
    UNPARSED,
    UNSCORED,
    Decision,
    ProvidedVerdicts,
    Rule,
    RuleByCase,
    spelled,
)
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.formats.reading.critic_answers import fault_of
from scoring.metrics.benchmark_figures import leading_figure, official_metric
from scoring.metrics.deciding import rule_among
from scoring.metrics.official_rows import protocol_named, protocol_of
from scoring.metrics.outcome_conditions import SIDES, tried
from scoring.metrics.own import MEMBERS
from scoring.metrics.resampling import LEVEL, RESAMPLES, SMALL
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.adjudicated import CONFIRMED, OVERLAID, UNDECIDED

# -- the facts that make the official figure of a scorer on a benchmark, in words, and what to beware of in it


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
        *_scorer_facts(evaluation, alone.folders.get(scorer)),
        *_decision_facts(evaluation, alone, benchmark),
        *_counting_facts(evaluation, alone, benchmark),
    )
    ordered = sorted(facts, key=lambda fact: GROUPS.index(fact.group))
    return ProtocolCard(scorer, benchmark, tuple(ordered), tuple(_warnings(alone, scorer, benchmark)))


def _alone(results: ResultSet, scorer: str, benchmark: str) -> ResultSet:
    """The result set of this scorer and the shown cases of this benchmark alone, in file order."""
    within = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    return replace(results, chosen=(scorer,), shown=np.flatnonzero(within))


# -- the scorer, and how it decides


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
    if not isinstance(rule, ProvidedVerdicts):
        own = Rule(evaluation.scorer.threshold, evaluation.scorer.comparison, on=evaluation.scorer.on)
        words = "its own" if spelled(rule) == spelled(own) else f"as asked; its own is {spelled(own)}"
        yield Fact("decision", "boundary", f"{spelled(rule)} ({words})")
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
    if isinstance(rule, RuleByCase):
        return ", ".join(f"{subset} {value:g}" for subset, value in rule.by_subset.items())
    return "none" if rule.threshold is None else f"{rule.threshold!r}"


# -- the cases, how they are counted, gold labels, intervals


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
    if step_labelled(benchmark) is None:
        # What a scorer without any verdict was refused on is in no denominator, though its outcome says refused.
        made, unparsed = leading_figure(benchmark), results.unparsed(benchmark)
        where = (tried(name, unparsed),) if made is None else (made.cases or MEMBERS).where(name, unparsed)
        has_them = where if evaluation.coverage.nothing is None else ("false",)
        own = (results.cases["benchmark"] == benchmark).to_numpy() & mask
        if made is not None and not np.array_equal(own & results.passing(has_them), rows):
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
    line = headline(evaluation, mask, unparsed, None, benchmark)
    protocol_name = results.query.protocol
    protocol = protocol_named(protocol_name) if protocol_name else protocol_of(benchmark)
    made = leading_figure(benchmark)
    name = "PRMScore" if step_labelled(benchmark) is not None else "F1 of first errors"
    yield Fact("counting", "official figure", name if made is None else f"{made.title}: {made.about}")
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
    imports = results.workspace.imports(benchmark)
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
    if results.adjudicated is None:
        yield Fact("gold", "labels", f"as the benchmark gives them; {based}")
        return
    people = results.adjudicated.people
    yield Fact("gold", "labels", f"adjudicated{' by ' if people else ''}{', '.join(people)}; {based}")
    there = results.column(COLUMN).gather(results.shown)
    for name in (*OVERLAID, *UNDECIDED, CONFIRMED):
        if n := int((there == name).sum()):
            yield Fact("gold", f"labels here: {name}", counted(n, "case"), (Facet(COLUMN, (name,)).sql,), n)


def _interval(results: ResultSet, benchmark: str) -> Iterator[Fact]:
    of_steps = official_metric(benchmark) != "f1"
    way = "of whole problems" if of_steps else resampled_words(results, benchmark)
    yield Fact("interval", "method", f"{share(LEVEL, 0)}% percentile bootstrap, {way}")
    yield Fact("interval", "resamples", f"{RESAMPLES:,}")
    yield Fact("interval", "seed", str(results.query.seed))


# -- what to beware of


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


CARD = {
    "benchmark": pl.String(),
    "group": pl.String(),
    "fact": pl.String(),
    "scorer": pl.String(),
    "value": pl.String(),
    "other": pl.String(),
    "other_value": pl.String(),
    "same": pl.Boolean(),
}
"""A row a fact. Of one card `other`, `other_value` and `same` are null; of two, `same` where neither says it."""
LACKING = "-"
"""Stands for a fact that only the other card has."""
LETTERS = (("A", "scorer-a"), ("B", "scorer-b"))
"""What two scorers are called, and their style."""


class Benchmark(NamedTuple):
    """What is known of one benchmark: a card a scorer, and why their figures are not comparable."""

    name: str
    cards: tuple[ProtocolCard, ...]
    reasons: tuple[Incomparable, ...]


@analysis(
    "Protocol card",
    whose="one or two",
    scorers="one scorer, or two beside each other (by name or a unique part of it)",
    most=2,
    examples=(
        "prm-inspect card blend --benchmark demo",
        "prm-inspect card blend ledger --benchmark demo --json",
    ),
    needs="A card says how a scorer's number came to be, and {benchmark} has no scorer.",
    help="How the number of the scorer in focus came to be. A second scorer beside it shows in what the two differ, "
    "and whether their figures may be compared.",
)
def card(results: ResultSet, params: Params, intervals: bool) -> View:
    """Show the facts that make the official figure of a scorer, or of two, on every benchmark that either covers."""
    names = _scorers(results)
    pair = replace(results, chosen=names)
    benchmarks = tuple(
        Benchmark(
            benchmark,
            tuple(protocol_card(pair, name, benchmark) for name in names),
            tuple(incomparable(pair, names, benchmark)) if len(names) > 1 else (),
        )
        for benchmark in _benchmarks(pair)
    )
    if not benchmarks:
        raise UsageError("there is no case to make a card of.", "Change --where, --subset or --benchmark.")
    query = replace(pair.query, scorers=(), by=(), sort="")
    facts = {
        **provenance(replace(pair, query=query), query.command("card", *as_words(names), form=params.form)),
        **_cautions(benchmarks),
        "not_recorded": _not_recorded(pair),
    }
    facts["common_cases"] = {
        benchmark.name: list(remedy_of(benchmark.reasons)) for benchmark in benchmarks if remedy_of(benchmark.reasons)
    }
    rows = [row for benchmark in benchmarks for row in _rows(benchmark)]
    frame = pl.DataFrame(rows, schema=CARD, orient="row")

    def sections() -> tuple[Section, ...]:
        seed = results.query.seed if intervals else None
        return tuple(
            Section(benchmark.name, f"card-{at}", tuple(_blocks(pair, benchmark, seed)))
            for at, benchmark in enumerate(benchmarks)
        )

    return View(frame, facts, title="Protocol card", lay_out=sections)


def _scorers(results: ResultSet) -> tuple[str, ...]:
    """The full names of the scorer or the two that are asked about."""
    there = [evaluation.scorer.name for evaluation in results.evaluations]
    names = tuple(match_name(word, there, "scorer") for word in results.query.scorers)
    if not names:
        listed = ", ".join(there) or "none"
        raise UsageError("card needs a scorer, or two: prm-inspect card SCORER [OTHER].", f"There are: {listed}.")
    if len(set(names)) < len(names):
        raise UsageError(f"{names[0]} differs from itself in nothing.", "Name another scorer, or leave it out.")
    return names


def _benchmarks(pair: ResultSet) -> list[str]:
    """The benchmarks of the shown cases for which one of the scorers gave anything; all of them where none did."""
    there = pair.cases["benchmark"].gather(pair.shown).unique(maintain_order=True).to_list()
    covered = [
        name for name in there if any(evaluation.coverage.covers(name) for evaluation in pair.chosen_evaluations)
    ]
    return sorted(covered or there)


def _cautions(benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
    """What to beware of, for programs."""
    return {
        "warnings": {
            f"{of_scorer.scorer} on {of_scorer.benchmark}": list(of_scorer.warnings)
            for benchmark in benchmarks
            for of_scorer in benchmark.cards
            if of_scorer.warnings
        },
        "not_comparable": {
            benchmark.name: [str(reason) for reason in benchmark.reasons]
            for benchmark in benchmarks
            if benchmark.reasons
        },
    }


def _not_recorded(pair: ResultSet) -> str:
    """Of whose numbers nobody knows what made them; of one scorer its card says so."""
    evaluations = pair.chosen_evaluations
    return not_recorded(evaluation.scorer for evaluation in evaluations) if len(evaluations) > 1 else ""


# -- what two cards have in common, and in what they differ


class FactPair(NamedTuple):
    """One fact of two cards; what one of them lacks is LACKING."""

    group: CardGroup
    name: str
    values: tuple[str, str]

    @property
    def same(self) -> bool | None:
        """Say whether both cards say the same; None where neither says anything, so that nobody knows."""
        first, second = self.values
        return None if first == second == NOT_SAID else first == second


def fact_pairs(first: ProtocolCard, second: ProtocolCard) -> tuple[FactPair, ...]:
    """Pair every fact of either card, in the order of GROUPS and in each as the first card has it."""
    values = [{(fact.group, fact.name): fact.value for fact in card.facts} for card in (first, second)]
    places = sorted(dict.fromkeys([*values[0], *values[1]]), key=lambda place: GROUPS.index(place[0]))
    return tuple(FactPair(*place, (values[0].get(place, LACKING), values[1].get(place, LACKING))) for place in places)


def _rows(benchmark: Benchmark) -> Iterator[dict[str, Any]]:
    first, *others = benchmark.cards
    if not others:
        for fact in first.facts:
            row = {"benchmark": benchmark.name, "group": fact.group, "fact": fact.name}
            yield {**row, "scorer": first.scorer, "value": fact.value}
    for second in others:
        for pair in fact_pairs(first, second):
            row = {"benchmark": benchmark.name, "group": pair.group, "fact": pair.name}
            row |= {"scorer": first.scorer, "value": pair.values[0]}
            yield {**row, "other": second.scorer, "other_value": pair.values[1], "same": pair.same}


# -- as people see it


def _blocks(pair: ResultSet, benchmark: Benchmark, seed: int | None) -> Iterator[Block]:
    lines = [_headline(pair, card, seed) for card in benchmark.cards]
    yield _figures(pair, benchmark, lines)
    if len(benchmark.cards) == 1:
        yield from _one_card(pair, benchmark.cards[0])
    else:
        yield from _two_cards(pair, benchmark, lines)


def _headline(pair: ResultSet, card: ProtocolCard, seed: int | None) -> Headline:
    rows = (pair.cases["benchmark"] == card.benchmark).to_numpy() & pair.mask
    evaluation = pair.evaluation(card.scorer)
    return headline(evaluation, rows, pair.unparsed(card.benchmark), seed, card.benchmark)


def _figures(pair: ResultSet, benchmark: Benchmark, lines: Sequence[Headline]) -> Table:
    rows = []
    for card, line, (letter, style) in zip(benchmark.cards, lines, LETTERS, strict=False):
        metric, link = official_metric(benchmark.name), None
        if line.score is not None:
            link = figure_link(pair, pair.evaluation(card.scorer), benchmark.name, metric)
        value = figure({**asdict(line), "value": line.score}, link=link, style="strong")
        name = [text(card.scorer, "strong"), value]
        rows.append(name if len(lines) == 1 else [text(letter, f"{style} strong"), *name])
    titles = ["scorer", lines[0].metric]
    return table("", titles if len(lines) == 1 else ["", *titles], rows, labels=len(titles) - (len(lines) == 1))


def _one_card(pair: ResultSet, card: ProtocolCard) -> Iterator[Block]:
    yield from (Note(f"Warning: {sentence}.", "warning") for sentence in card.warnings)
    for group in GROUPS:
        rows = [
            [text(fact.name, "dim"), text(fact.value, link=_link(pair, card, group, fact.name))]
            for fact in card.facts
            if fact.group == group
        ]
        yield table(GROUP_TITLES[group], ["", Column("", right=False, wraps=True)], rows)


def _link(pair: ResultSet, card: ProtocolCard, group: CardGroup, name: str) -> CaseLink | None:
    fact = card.of(group, name)
    if fact is None or fact.where is None or not fact.n:
        return None
    where = (*within(pair, card.benchmark), *fact.where)
    return CaseLink(where, fact.n, f"{fact.name}, {card.scorer}", card.scorer, benchmark=card.benchmark)


def _two_cards(pair: ResultSet, benchmark: Benchmark, lines: Sequence[Headline]) -> Iterator[Block]:
    first, second = benchmark.cards
    yield from (Note(f"Not comparable as they stand: {reason}.", "warning") for reason in benchmark.reasons)
    if any(line.score is None for line in lines):
        yield Note("There are no two figures to compare.", "warning")
    elif not benchmark.reasons:
        yield Note("Nothing makes these two figures incomparable.", "quiet")
    for (letter, _), card in zip(LETTERS, benchmark.cards, strict=True):
        yield from (Note(f"Warning, {letter}: {sentence}.", "warning") for sentence in card.warnings)
    pairs = fact_pairs(first, second)
    yield Note("They differ in", "lead")
    yield from _side_by_side(pair, benchmark.cards, [fact_pair for fact_pair in pairs if fact_pair.same is False])
    same = tuple(_alike([fact_pair for fact_pair in pairs if fact_pair.same]))
    if same:
        yield Fold("The same in both", same)
    if unsaid := [fact_pair.name for fact_pair in pairs if fact_pair.same is None]:
        yield Note(f"Said of neither: {', '.join(unsaid)}.", "quiet")
    if unrecorded := _not_recorded(pair):
        yield Note(unrecorded, "quiet")


def _side_by_side(pair: ResultSet, cards: Sequence[ProtocolCard], differing: Sequence[FactPair]) -> Iterator[Table]:
    columns: list[str | Column] = ["", *(Column(letter, right=False, wraps=True) for letter, _ in LETTERS)]
    for group in GROUPS:
        rows = []
        for fact in (fact_pair for fact_pair in differing if fact_pair.group == group):
            line: list[Cell] = [text(fact.name, "dim")]
            for card, value, (_, style) in zip(cards, fact.values, LETTERS, strict=True):
                line.append(text(_shortened(value), style, _link(pair, card, group, fact.name)))
            rows.append(line)
        if rows:
            yield table(GROUP_TITLES[group], columns, rows)


def _alike(pairs: Sequence[FactPair]) -> Iterator[Table]:
    for group in GROUPS:
        rows = [[text(pair.name, "dim"), text(pair.values[0], "dim")] for pair in pairs if pair.group == group]
        if rows:
            yield table(GROUP_TITLES[group], ["", Column("", right=False, wraps=True)], rows)


def _shortened(value: str) -> str:
    """A digest by its beginning."""
    digest = len(value) >= 32 and all(letter in "0123456789abcdef" for letter in value)
    return f"{value[:12]}..." if digest else value
