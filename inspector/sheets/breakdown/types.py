"""The page of errors by type: GR-Ben's FP and FN, and what becomes of the rest."""

from collections.abc import Iterator

from inspector.charts.names import legend
from inspector.inspection import Inspection
from inspector.paint import apportioned
from inspector.render.lines import CaseLink, LineCell, Piece, Row, paragraph, table
from inspector.sheets.breakdown.choice import Choice
from inspector.sheets.breakdown.columns import GIVEN_BY, axis, offered, usual_types, words
from inspector.sheets.breakdown.grid import EVERYTHING, Grid, focused
from inspector.sheets.breakdown.title import title
from inspector.sheets.words import count
from scoring.filters import Facet
from scoring.metrics.breakdown import Cells
from scoring.metrics.kernel import Decided
from scoring.metrics.outcome_conditions import SIDES, tried
from scoring.metrics.resampling import SMALL
from scoring.metrics.shares import BY_TYPE, error_type_shares

KINDS = (
    ("fp", "FP", "early"),
    ("late", "late", "late"),
    ("missed", "missed", "missed"),
    ("exact", "exact", "exact"),
    ("unanswered", "no verdict", "dim"),
)
"""Metric, word and style, from left to right in a bar."""
GLYPHS = {"fp": "<", "late": ">", "missed": "o", "exact": "=", "unanswered": "?"}
WIDE = 100
"""Cells from which bars stand beside the figures."""


def column_of(inspection: Inspection, choice: Choice) -> str:
    """The column of kinds of errors; "" where the cases have none and none was chosen."""
    return choice.types if choice.types in offered(inspection) else usual_types(inspection)


def types_lines(inspection: Inspection, choice: Choice, width: int) -> Iterator[Row]:
    """The page."""
    column = column_of(inspection, choice)
    if not column:
        yield from paragraph(
            f"The cases of {inspection.benchmark} have no types of errors ({GIVEN_BY['error_type']} have them). "
            "Another column can be chosen instead.",
            width,
        )
        return
    yield from title("How erroneous cases are got wrong", f", by {words(column)}", width)
    yield ()
    rows = list(_rows(inspection, column))
    if not rows or not rows[-1][2]:
        yield from paragraph("There are no erroneous cases tried in this slice.", width)
        return
    kinds = [kind for kind in KINDS if any(counts[kind[0]] for _, _, _, counts in rows)]
    said: list[list[LineCell]] = []
    beside = width >= WIDE
    for name, where, n, counts in rows:
        small = "dim" if n < SMALL else ""
        cells: list[LineCell] = [Piece(name), (count(n, _drill(inspection, where, None, n, name), small),)]
        cells += [Piece("~" if n < SMALL else "", "dim"), Piece(_percent(counts["fn"], n), small)]
        for kind, _, _ in kinds:
            hits = counts[kind]
            cells += [
                count(hits, _drill(inspection, where, kind, hits, name), small),
                Piece(_percent(hits, n), small or "strong" if kind == "fp" else small),
            ]
        if beside:
            cells.append(_bar(counts, kinds, max(10, min(40, width - WIDE + 16))))
        said.append(cells)
    header = [Piece(""), Piece("n"), Piece(""), Piece("FN%")]
    for _, word, style in kinds:
        header += [Piece(word, style), Piece("%")]
    header += [Piece("")] if beside else []
    yield from table(header, said, [False, True, False, *[True] * (1 + 2 * len(kinds))], gap=1)
    yield ()
    if beside:
        yield from legend([(Piece(GLYPHS[kind], style), word) for kind, word, style in kinds], width)
    yield from paragraph(
        "GR-Ben's definition: of the erroneous cases, FP name a step before the earliest error; FN name a later one or "
        f"none, which are told apart here as late and missed. ~ fewer than {SMALL} cases.",
        width,
    )


def _percent(hits: int, n: int) -> str:
    return f"{100 * hits / n:.1f}" if n else ""


def _rows(inspection: Inspection, column: str) -> Iterator[tuple[str, str, int, dict[str, int]]]:
    """A name, the condition of its cases, how many erroneous ones were tried, and how many there are by metric."""
    evaluation = focused(inspection)
    cells = Cells((axis(inspection, column),), inspection.slice)
    grid = Grid.made(inspection, cells, "error_acc")
    among = Decided(evaluation, inspection.unparsed).members & (evaluation.gold.earliest >= 0)
    n = cells.counts(among).tolist()
    shares = error_type_shares(evaluation, inspection.unparsed)
    found = {share.name: cells.counts(share.hits).tolist() for share in shares}
    wheres = grid.frame["where"].to_list()
    for at, number in enumerate(cells.places[0].tolist()):
        if n[at] or grid.is_total(0, number):
            yield grid.value(0, number), wheres[at], n[at], {name: counts[at] for name, counts in found.items()}


def _drill(inspection: Inspection, where: str, kind: str | None, n: int, name: str) -> CaseLink:
    """The erroneous cases of a value that were tried, or of these the ones with the outcomes of a metric."""
    scorer = str(inspection.scorer)
    cell = () if where == EVERYTHING else (where,)
    own = tried(scorer, inspection.unparsed) if kind is None else Facet(f"{scorer}.outcome", BY_TYPE[kind]).sql
    word = "erroneous cases tried" if kind is None else next(word for one, word, _ in KINDS if one == kind)
    return CaseLink((*cell, SIDES["erroneous"], own), n, f"{name}, {word}", scorer)


def _bar(counts: dict[str, int], kinds: list[tuple[str, str, str]], width: int) -> Row:
    cells = apportioned([counts[kind] for kind, _, _ in kinds], width)
    return tuple(Piece(GLYPHS[kind] * size, style) for (kind, _, style), size in zip(kinds, cells, strict=True) if size)
