"""The sheet of the thresholds screen."""

from collections.abc import Iterator, Sequence

from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.rail_lines import why_unmovable
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Row, Sheet
from inspector.sheets.thresholds.curves import curve_lines
from inspector.sheets.thresholds.figures import Figures
from inspector.sheets.thresholds.rewards import reward_lines
from inspector.sheets.thresholds.ways import transfer_lines, ways_lines
from scoring.verdicts import AsGiven


def thresholds_sheet(
    inspection: Inspection, names: Sequence[str], figures: Figures | None, brush: Brush, width: int, height: int
) -> Sheet:
    """The sheet; `names` are the scorers that are drawn, the one in focus first; `figures` None while computed."""
    lines = tuple(_lines(inspection, names, figures, brush, width, height))
    return Sheet(lines, "" if figures or inspection.scorer is None else "Computing intervals and ways.")


def _lines(
    inspection: Inspection, names: Sequence[str], figures: Figures | None, brush: Brush, width: int, height: int
) -> Iterator[Row]:
    evaluation = inspection.evaluation
    if evaluation is None:
        yield heading("No threshold yet")
        yield from paragraph(
            f"A threshold is held against step rewards, and no scorer has any on {inspection.benchmark}. In a shell: "
            f"prm-inspect score {inspection.benchmark} --model DIR runs one, prm-inspect import PATH reads results.",
            width,
        )
        return
    if isinstance(evaluation.rule, AsGiven):
        yield heading("No threshold to choose")
        yield from paragraph(
            f"{why_unmovable(inspection)} Scorers with step rewards have one: look through them.", width
        )
    else:
        yield from curve_lines(inspection, names, figures, brush, width, height)
    ways = None if figures is None else figures.ways
    yield ()
    yield from ways_lines(inspection, ways, brush, width)
    yield ()
    yield from transfer_lines(inspection, ways, brush, width)
    yield ()
    yield from reward_lines(inspection, figures, brush, width, height)
