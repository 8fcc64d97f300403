"""A case as the case screen shows it, for tests of its parts."""

from inspector.case_view.lines import CaseLines, case_lines
from inspector.case_view.open_case import Manner, OpenCase, open_case
from inspector.inspection import Inspection
from inspector.texts.paint import Brush

PLAIN = Brush(ascii_only=True)


def seen(start: Inspection, row: int, width: int = 100, **manner) -> tuple[CaseLines, list[str]]:
    """The page, and its lines as texts."""
    page = case_lines(start, row, Manner(width, manner.pop("brush", PLAIN), named=False, **manner))
    return page, ["".join(text for text, _ in line.parts) for line in page.lines]


def at_hand(start: Inspection, row: int, width: int = 100, **manner) -> OpenCase:
    """The case as its sections get it."""
    return open_case(start, row, Manner(width, manner.pop("brush", PLAIN), named=False, **manner))
