"""A case as the case screen shows it, for tests of its parts."""

from inspector.case_page.case_lines import CaseLines, case_lines
from inspector.case_page.open_case import DisplayOptions, OpenCase, open_case
from inspector.render.charts.glyphs import Glyphs
from inspector.state.screen_state import ScreenState

PLAIN = Glyphs(ascii_only=True)


def seen(start: ScreenState, row: int, width: int = 100, **display) -> tuple[CaseLines, list[str]]:
    """The page, and its lines as texts."""
    page = case_lines(start, row, DisplayOptions(width, display.pop("glyphs", PLAIN), named=False, **display))
    return page, ["".join(text for text, _ in line.parts) for line in page.lines]


def at_hand(start: ScreenState, row: int, width: int = 100, **display) -> OpenCase:
    """The case as its sections get it."""
    return open_case(start, row, DisplayOptions(width, display.pop("glyphs", PLAIN), named=False, **display))
