"""The parts of a report that are analyses: each is asked of one benchmark's cases and stands under its own heading."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses import load as analysis
from inspector.analyses._columns import usual_columns
from inspector.analyses._places import OFFSET
from inspector.analyses.breakdown import NOTES
from inspector.analyses.thresholds import curve_chart
from inspector.notes import first_run_notes
from inspector.render.view import Block, Bullets, Command, Fold, Note, View
from inspector.report.board import board_blocks
from inspector.report.facts import OfBenchmark
from inspector.sentences import counted
from scoring.errors import UsageError
from scoring.verdicts import Rule


class Part(Struct, frozen=True):
    """A part of a report, of every benchmark: its title, its anchor, and what makes its blocks.

    `scorers` says that it has nothing to tell where nothing was scored.
    """

    title: str
    anchor: str
    blocks: Callable[[OfBenchmark], Iterator[Block]]
    scorers: bool = True


def _comparison(of: OfBenchmark) -> Iterator[Block]:
    """Show the standings, what all make of a case together, and the pairs."""
    if isinstance(of.comparison, View):
        yield from view_blocks(of, of.comparison)
    else:
        yield Note(of.comparison)


def _breakdown(of: OfBenchmark) -> Iterator[Block]:
    rows, *cols = usual_columns(of.selection, of.name)
    return analysis_blocks(of, "breakdown", Params(options={"rows": rows, **({"cols": cols[0]} if cols else {})}))


def _offset(of: OfBenchmark) -> Iterator[Block]:
    return analysis_blocks(of, "breakdown", Params(OFFSET))


def _thresholds(of: OfBenchmark) -> Iterator[Block]:
    """Show a curve of each scorer whose threshold can be moved."""
    movable = [one for one in of.scorers if isinstance(one.rule, Rule)]
    charts = [
        replace(chart, title=f"{of.title} by threshold, {one.scorer.name}")
        for one in movable
        if (chart := curve_chart(of.alone, (one,), of.name)) is not None
    ]
    still = [one.scorer.name for one in of.scorers if not isinstance(one.rule, Rule)]
    if still:
        yield Note(f"No one threshold decides for {', '.join(still)}.", "quiet")
    if not charts:
        if not still:
            yield Note("There is no threshold to move.")
        return
    yield Note(
        f"{of.title} at every threshold. The best one is optimistic: it was found on the cases that the figure is of."
    )
    if notes := tuple(first_run_notes(of.selection)):
        yield Bullets(notes)
    yield charts[0]
    if charts[1:]:
        yield Fold(f"The same of {counted(len(charts) - 1, 'other scorer')}", tuple(charts[1:]))
    yield Command(of.alone.request.command("thresholds"))


def _data(of: OfBenchmark) -> Iterator[Block]:
    *blocks, command = analysis_blocks(of, "stats", Params())
    yield Fold(f"Statistics of the {counted(of.n, 'case')}", tuple(blocks))
    yield command


FIGURES = (
    Part("Board", "board", board_blocks, scorers=False),
    Part("Comparison", "compare", _comparison),
    Part("Breakdown", "breakdown", _breakdown),
    Part("Detection latency", "offset", _offset),
    Part("Thresholds", "threshold", _thresholds),
)
"""What comes before the chosen cases."""
DATA = Part("The data", "data", _data, scorers=False)
"""What comes after them."""


def further_part(name: str) -> Part:
    """Make a part of any analysis, as it is usually asked; one of the user's own as well.

    Raises:
        ModuleNotFoundError: there is no such analysis.
    """
    return Part(analysis(name).title, f"with-{name}", lambda of: analysis_blocks(of, name, Params()), scorers=False)


def analysis_blocks(of: OfBenchmark, name: str, params: Params) -> Iterator[Block]:
    """Ask an analysis about the benchmark's cases; where it has no answer, that is a sentence."""
    try:
        view = analysis(name).view(of.ranked, params)
    except UsageError as error:
        yield Note(f"No {name}: {error.sentence}")
        return
    yield from view_blocks(of, view)


def view_blocks(of: OfBenchmark, view: View) -> Iterator[Block]:
    """Show what a view tells of the benchmark, what is to be known of it, and the command that gives the same."""
    if view.empty:
        yield Note(view.empty)
        return
    for section in [section for section in view.sections if section.title == of.name] or view.sections:
        yield from section.blocks
        for part in section.parts:
            yield Note(part.title, "lead")
            yield from part.blocks
    if notes := tuple(note.removeprefix(f"{of.name}: ") for note in view.provenance["notes"] if note not in NOTES):
        yield Bullets(notes)
    yield Command(view.provenance["command"])
