"""The breakdown of a benchmark by its usual columns, and how far verdicts lie from its errors."""

from collections.abc import Iterator

from inspector.analyses import Params
from inspector.analyses._columns import usual_columns
from inspector.analyses._places import OFFSET
from inspector.analyses.breakdown import NOTES, breakdown
from inspector.render.view import Block, Bullets, Command, Note
from inspector.report.facts import OfBenchmark
from scoring.errors import UsageError


def breakdown_blocks(of: OfBenchmark) -> Iterator[Block]:
    """Show the benchmark by its usual columns."""
    rows, *cols = usual_columns(of.selection, of.name)
    yield from _page(of, Params(options={"rows": rows, **({"cols": cols[0]} if cols else {})}))


def offset_blocks(of: OfBenchmark) -> Iterator[Block]:
    """Show how far the verdicts of each scorer lie from the earliest errors."""
    yield from _page(of, Params(OFFSET))


def _page(of: OfBenchmark, params: Params) -> Iterator[Block]:
    if of.first is None:
        yield Note("No scorer has a verdict on these cases, so there is nothing to break down.")
        return
    try:
        view = breakdown.view(of.alone, params)
    except UsageError as error:
        yield Note(f"No breakdown: {error.sentence}")
        return
    yield from next(section.blocks for section in view.sections if section.title == of.name)
    if notes := tuple(note for note in view.provenance["notes"] if note not in NOTES):
        yield Bullets(notes)
    yield Command(view.provenance["command"])
