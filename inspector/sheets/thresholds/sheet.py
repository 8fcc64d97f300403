"""The sheets of the thresholds screen: curves and ways, transfer, rewards, and whether these are probabilities."""

from collections.abc import Iterator, Sequence

from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.rail_lines import why_unmovable
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Row, Sheet
from inspector.sheets.thresholds.curves import curve_lines
from inspector.sheets.thresholds.figures import RELIABILITY, REWARDS, TRANSFER, Figures
from inspector.sheets.thresholds.reliabilities import reliability_lines
from inspector.sheets.thresholds.rewards import reward_lines
from inspector.sheets.thresholds.transfer import transfer_lines
from inspector.sheets.thresholds.ways import ways_lines
from scoring.verdicts import AsGiven


def thresholds_sheet(
    inspection: Inspection,
    names: Sequence[str],
    page: str,
    figures: Figures | None,
    brush: Brush,
    size: tuple[int, int],
) -> Sheet:
    """The sheet of a page for a pane of `size` cells and lines.

    `names` are the scorers that are drawn, the one in focus first; `figures` is None while they are computed.
    """
    lines = tuple(_lines(inspection, names, page, figures, brush, size))
    return Sheet(lines, "" if figures or inspection.scorer is None else "Computing.")


def _lines(
    inspection: Inspection,
    names: Sequence[str],
    page: str,
    figures: Figures | None,
    brush: Brush,
    size: tuple[int, int],
) -> Iterator[Row]:
    evaluation, (width, height) = inspection.evaluation, size
    if evaluation is None:
        yield heading("No threshold yet")
        yield from paragraph(
            f"A threshold is held against step rewards, and no scorer has any on {inspection.benchmark}. In a shell: "
            f"prm-inspect score {inspection.benchmark} --model DIR runs one, prm-inspect import PATH reads results.",
            width,
        )
        return
    if page == TRANSFER:
        yield from transfer_lines(inspection, figures, brush, width)
    elif page == REWARDS:
        yield from reward_lines(inspection, figures, brush, width, height)
    elif page == RELIABILITY:
        yield from reliability_lines(inspection, figures, brush, width, height)
    else:
        if isinstance(evaluation.rule, AsGiven):
            yield heading("No threshold to choose")
            told = f"{why_unmovable(inspection)} Scorers that give step rewards have one: look through one of them."
            yield from paragraph(told, width)
        else:
            yield from curve_lines(inspection, names, figures, brush, width, height)
        yield ()
        yield from ways_lines(inspection, figures, brush, width)
