"""How a scorer's number came to be; of two, in what they differ."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import polars as pl
from msgspec.structs import asdict, replace

from inspector.analyses import Params, analysis
from inspector.analyses.card.protocol_card import GROUP_TITLES, GROUPS, CardGroup, ProtocolCard, protocol_card
from inspector.render.blocks import Block, Fold, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Table, figure, table, text
from inspector.render.view import View
from inspector.state.case_links import figure_link
from inspector.state.comparability import (
    Incomparable,
    incomparable,
    remedy_of,
)
from inspector.state.provenance import provenance
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.scorer import NOT_SAID, not_recorded
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.headline import Headline
from scoring.selection.query import as_words
from scoring.selection.result_set import ResultSet, within

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
    return metrics_of(card.benchmark).headline(evaluation, rows, pair.unparsed(card.benchmark), seed)


def _figures(pair: ResultSet, benchmark: Benchmark, lines: Sequence[Headline]) -> Table:
    rows = []
    for card, line, (letter, style) in zip(benchmark.cards, lines, LETTERS, strict=False):
        metric, link = metrics_of(benchmark.name).name, None
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
