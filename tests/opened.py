"""The app, opened on the demo or on a workspace of a test, under a Pilot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual.pilot import Pilot

from inspector.app import InspectApp
from inspector.inspection import Inspection
from inspector.request import Request
from inspector.screens.base import InspectionScreen
from inspector.widgets.frame_table import FrameTable
from screen_text import settled, until

DEMO = Request(benchmarks=("demo",))
SOURCES = Path(__file__).resolve().parents[1]


@asynccontextmanager
async def opened(
    request: Request = DEMO,
    *,
    size: tuple[int, int] = (120, 36),
    ascii_only: bool = False,
    folder: Path | None = None,
    state: Path | None = None,
) -> AsyncIterator[Pilot[int]]:
    """An app that has read its workspace and shows its first screen; for `folder` and `state` see `Wired`.

    Without a folder it writes to the current one, where a test has gone to its own, and never among the sources.
    """
    with TemporaryDirectory() as spare:
        if folder is None and Path.cwd() == SOURCES:
            folder = Path(spare)
        app = InspectApp(request, ascii_only=ascii_only, folder=folder, state=state)
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, InspectionScreen) and app.screen.is_mounted)
            await settled(pilot)
            yield pilot


def inspected(pilot: Pilot[Any]) -> Inspection:
    """What the screen on top shows."""
    screen = pilot.app.screen
    assert isinstance(screen, InspectionScreen)
    assert screen.inspection is not None
    return screen.inspection


def listed(pilot: Pilot[Any], column: str = "case") -> list[Any]:
    """A column of the rows that the list on screen has, seen or not, in their order."""
    inspection = inspected(pilot)
    table = pilot.app.screen.query_one(FrameTable)
    values = inspection.rows.get_column(column).gather(inspection.shown).to_list()
    assert table.row_count == len(values)
    return values
