"""The sheet of the protocol card: how a number came to be, or in what two differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from inspector.headline import headline
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.protocol_card.card import Card, card
from inspector.protocol_card.difference import Pair, differences
from inspector.protocol_card.fact import GROUPS, TITLES, Fact
from inspector.protocol_card.incomparable import Incomparable, incomparable
from inspector.protocol_card.settings import not_recorded
from inspector.render.lines import CaseLink, Piece, Row, Sheet, heading, paragraph
from inspector.sheets.words import percent
from inspector.subject import subject
from inspector.text import squeezed
from inspector.wrap import wrap

NAME = 28
"""Cells of a fact's name."""
NARROW = 20
"""Cells that a value keeps beside another."""


@dataclass(frozen=True, eq=False)
class Cards:
    """One card, or two; `figures` are the rows of their official figures, `reasons` why these are not comparable.

    `unrecorded` says of whose numbers it is not known what made them; "" = of none.
    """

    one: Card
    other: Card | None
    figures: tuple[dict[str, object], ...]
    reasons: tuple[Incomparable, ...]
    unrecorded: str = ""


def cards(inspection: Inspection, other: str | None) -> Cards:
    """The card of the scorer in focus, and that of another one; it reads which engines ran."""
    names = (str(inspection.scorer), *([other] if other else []))
    selection, benchmark = subject(inspection, names), inspection.benchmark
    found = [card(selection, name, benchmark) for name in names]
    rows, seed = selection.mask, selection.request.seed
    lines = [
        headline(selection.evaluation(name), rows, selection.unparsed(benchmark), seed, benchmark) for name in names
    ]
    figures = tuple({**vars(line), "value": line.score} for line in lines)
    reasons = tuple(incomparable(selection, names, benchmark))
    unrecorded = not_recorded(selection.evaluation(name).scorer for name in names) if other else ""
    return Cards(found[0], found[1] if other else None, figures, reasons, unrecorded)


def card_sheet(inspection: Inspection, found: Cards | None, brush: Brush, width: int, common: str) -> Sheet:
    """The sheet; `found` is None while it is computed, `common` the key that puts all figures on the common cases."""
    if inspection.scorer is None:
        lines = (heading("No card yet"), *paragraph(_NONE.format(inspection.benchmark), width))
        return Sheet(lines)
    if found is None:
        return Sheet((heading(f"The card of {inspection.scorer}"),), "Computing.")
    if found.other is None:
        return Sheet(tuple(_one(found, brush, width)))
    return Sheet(tuple(_two(found, found.other, brush, width, common)))


_NONE = "A card says how a scorer's number came to be, and {} has no scorer: prm-inspect score runs one."


def _one(found: Cards, brush: Brush, width: int) -> Iterator[Row]:
    yield _figure(found, 0, brush)
    yield from _warnings(found.one.warnings, width)
    for group in GROUPS:
        yield ()
        yield heading(TITLES[group])
        for fact in (one for one in found.one.facts if one.group == group):
            yield from _fact(fact, found.one, width)


def _figure(found: Cards, at: int, brush: Brush, mark: Row = ()) -> Row:
    """The scorer's name with its official figure."""
    one = found.one if at == 0 or found.other is None else found.other
    row = found.figures[at]
    return (*mark, Piece(f"{one.scorer}  ", "strong"), Piece(f"{row['metric']} "), *percent(row, brush, style="strong"))


def _warnings(sentences: Sequence[str], width: int) -> Iterator[Row]:
    for sentence in sentences:
        yield from paragraph(f"! {sentence}", width, "bad")


def _fact(fact: Fact, of: Card, width: int) -> Iterator[Row]:
    drill = _drill(fact, of)
    for at, text in enumerate(wrap(fact.value, max(NARROW, width - NAME))):
        name = squeezed(fact.name, NAME - 3) if at == 0 else ""
        yield Piece(f"  {name:<{NAME - 2}}", "dim"), Piece(text, "", drill if at == 0 else None)


def _drill(fact: Fact | None, of: Card) -> CaseLink | None:
    """The cases that a fact counts."""
    if fact is None or fact.where is None or not fact.n:
        return None
    return CaseLink(fact.where, fact.n, f"{fact.name}, {of.scorer}", of.scorer)


def _two(found: Cards, other: Card, brush: Brush, width: int, common: str) -> Iterator[Row]:
    yield _figure(found, 0, brush, (Piece("A  ", "scorer-a strong"),))
    yield _figure(found, 1, brush, (Piece("B  ", "scorer-b strong"),))
    for reason in found.reasons:
        remedy = f"{common} puts both figures on the common cases" if reason.where else reason.remedy
        told = f"{reason.sentence}; {remedy}" if remedy else reason.sentence
        yield from paragraph(f"! Not comparable as they stand: {told}", width, "bad")
    if any(row["value"] is None for row in found.figures):
        yield from paragraph("! There are no two figures to compare.", width, "bad")
    elif not found.reasons:
        yield from paragraph("Nothing makes these two figures incomparable.", width)
    for letter, one in (("A", found.one), ("B", other)):
        yield from _warnings([f"{letter}: {sentence}" for sentence in one.warnings], width)
    pairs = differences(found.one, other)
    yield ()
    yield heading("They differ in")
    column = max(NARROW, (width - NAME - 2) // 2)
    for group in GROUPS:
        differing = [pair for pair in pairs if pair.group == group and pair.same is False]
        if differing:
            yield (Piece(f"  {TITLES[group]}", "dim"),)
        for pair in differing:
            yield from _beside(pair, (found.one, other), column)
    yield ()
    yield from _alike(pairs, found, width)


def _alike(pairs: Sequence[Pair], found: Cards, width: int) -> Iterator[Row]:
    """What is the same in both cards, what neither says, and what is not recorded."""
    yield heading("The same in both")
    for pair in pairs:
        if pair.same:
            yield from (
                tuple(replace(piece, style="dim") for piece in row)
                for row in _fact(Fact(pair.group, pair.name, pair.value), found.one, width)
            )
    if unsaid := [pair.name for pair in pairs if pair.same is None]:
        yield ()
        yield from paragraph(f"Said of neither: {', '.join(unsaid)}.", width, "dim")
    if found.unrecorded:
        yield from paragraph(found.unrecorded, width)


def _beside(pair: Pair, of: tuple[Card, Card], column: int) -> Iterator[Row]:
    drills = [_drill(one.of(pair.group, pair.name), one) for one in of]
    left, right = (wrap(_short(text), column) for text in (pair.value, pair.other))
    for at in range(max(len(left), len(right))):
        name = squeezed(pair.name, NAME - 5) if at == 0 else ""
        one, other = (side[at] if at < len(side) else "" for side in (left, right))
        blank = " " * max(0, column - cell_len(one))
        yield (
            Piece(f"    {name:<{NAME - 4}}"),
            Piece(one, "scorer-a", drills[0] if at == 0 else None),
            Piece(f"{blank}  "),
            Piece(other, "scorer-b", drills[1] if at == 0 else None),
        )


def _short(value: str) -> str:
    """A digest by its beginning."""
    digest = len(value) >= 32 and all(letter in "0123456789abcdef" for letter in value)
    return f"{value[:12]}..." if digest else value
