"""The parts of a report that are analyses: each is asked of one benchmark's cases and stands under its own heading."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses import load as analysis
from inspector.analyses._columns import usual_columns
from inspector.analyses.breakdown.bin_pages import OFFSET
from inspector.analyses.breakdown.breakdown_cells import NOTES
from inspector.analyses.report.benchmark_report import BenchmarkReport
from inspector.analyses.report.report_board import board_blocks
from inspector.analyses.thresholds.curve_page import curve_chart
from inspector.render.blocks import Block, Bullets, CommandLine, Fold, Note
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.figure_notes import first_run_notes
from scoring.data.errors import UsageError
from scoring.evaluation.verdicts import Rule


class ReportPart(Struct, frozen=True):
    """A part of a report, of every benchmark: its title, its anchor, and what makes its blocks.

    `scorers` says that it has nothing to tell where nothing was scored.
    """

    title: str
    anchor: str
    blocks: Callable[[BenchmarkReport], Iterator[Block]]
    scorers: bool = True


def _comparison(of: BenchmarkReport) -> Iterator[Block]:
    """Show the standings, what all make of a case together, and the pairs."""
    if isinstance(of.comparison, View):
        yield from view_blocks(of, of.comparison)
    else:
        yield Note(of.comparison)


def _breakdown(of: BenchmarkReport) -> Iterator[Block]:
    rows, *cols = usual_columns(of.results, of.name)
    return analysis_blocks(of, "breakdown", Params(options={"rows": rows, **({"cols": cols[0]} if cols else {})}))


def _offset(of: BenchmarkReport) -> Iterator[Block]:
    return analysis_blocks(of, "breakdown", Params(OFFSET))


def _thresholds(of: BenchmarkReport) -> Iterator[Block]:
    """Show a curve of each scorer whose threshold can be moved."""
    movable = [evaluation for evaluation in of.scorers if isinstance(of.rule(evaluation), Rule)]
    charts = [
        replace(chart, title=f"{of.title} by threshold, {evaluation.scorer.name}")
        for evaluation in movable
        if (chart := curve_chart(of.alone, (evaluation,), of.name)) is not None
    ]
    still = [evaluation.scorer.name for evaluation in of.scorers if evaluation not in movable]
    if still:
        yield Note(f"No one threshold decides for {', '.join(still)}.", "quiet")
    if not charts:
        if not still:
            yield Note("There is no threshold to move.")
        return
    yield Note(
        f"{of.title} at every threshold. The best one is optimistic: it was found on the cases that the figure is of."
    )
    if notes := tuple(first_run_notes(of.results)):
        yield Bullets(notes)
    yield charts[0]
    if charts[1:]:
        yield Fold(f"The same of {counted(len(charts) - 1, 'other scorer')}", tuple(charts[1:]))
    yield CommandLine(of.alone.query.command("thresholds"))


def _data(of: BenchmarkReport) -> Iterator[Block]:
    *blocks, command = analysis_blocks(of, "stats", Params())
    yield Fold(f"Statistics of the {counted(of.n, 'case')}", tuple(blocks))
    yield command


FIGURES = (
    ReportPart("Board", "board", board_blocks, scorers=False),
    ReportPart("Comparison", "compare", _comparison),
    ReportPart("Breakdown", "breakdown", _breakdown),
    ReportPart("Detection latency", "offset", _offset),
    ReportPart("Thresholds", "threshold", _thresholds),
)
"""What comes before the chosen cases."""
DATA = ReportPart("The data", "data", _data, scorers=False)
"""What comes after them."""


def further_part(name: str) -> ReportPart:
    """Make a part of any analysis, as it is usually asked; one of the user's own as well.

    Raises:
        ModuleNotFoundError: there is no such analysis.
    """
    return ReportPart(
        analysis(name).title, f"with-{name}", lambda of: analysis_blocks(of, name, Params()), scorers=False
    )


def analysis_blocks(of: BenchmarkReport, name: str, params: Params) -> Iterator[Block]:
    """Ask an analysis about the benchmark's cases; where it has no answer, that is a sentence."""
    try:
        view = analysis(name).view(of.ranked, params)
    except UsageError as error:
        yield Note(f"No {name}: {error.sentence}")
        return
    yield from view_blocks(of, view)


def view_blocks(of: BenchmarkReport, view: View) -> Iterator[Block]:
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
    yield CommandLine(view.provenance["command"])
