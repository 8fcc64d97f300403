"""An app around one FrameTable, for its tests."""

import re

import numpy as np
import polars as pl
from textual.app import App, ComposeResult
from textual.strip import Strip

from inspector.widgets.columns import TableColumn
from inspector.widgets.frame_table import FrameTable

COLUMNS = (TableColumn("case", "Case", 8), TableColumn("n", "N", 5), TableColumn("text", "Text", 10, flex=1))


class Table(FrameTable):
    """Remembers which of its lines it was asked to paint, and their texts."""

    def __init__(self, **options: str) -> None:
        super().__init__(**options)
        self.painted: list[int] = []
        self.texts: list[str] = []

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        self.painted.append(y)
        self.texts.append(strip.text)
        return strip


class TableApp(App[None]):
    def __init__(self, **options: str) -> None:
        super().__init__()
        self.table = Table(empty="No case here.", **options)
        self.told: list[tuple[str, int, object]] = []

    def compose(self) -> ComposeResult:
        yield self.table

    def on_frame_table_highlighted(self, event: FrameTable.Highlighted) -> None:
        assert event.control is self.table
        self.told.append(("highlighted", event.row_id, event.key))

    def on_frame_table_opened(self, event: FrameTable.Opened) -> None:
        self.told.append(("opened", event.row_id, event.key))

    def on_frame_table_header_clicked(self, event: FrameTable.HeaderClicked) -> None:
        self.told.append(("header", 0, event.column.name))

    def on_frame_table_widths_changed(self, event: FrameTable.WidthsChanged) -> None:
        self.told.append(("widths", 0, dict(event.table.widths)))

    def keys(self) -> list[object]:
        """The keys that were told since the last call."""
        keys = [key for _, _, key in self.told]
        self.told.clear()
        return keys


def cases(count: int) -> pl.DataFrame:
    return pl.DataFrame(
        {"case": [f"c{number}" for number in range(count)], "n": range(count), "text": ["words"] * count},
        schema={"case": pl.String, "n": pl.Int64, "text": pl.String},
    )


def ids(*rows: int) -> np.ndarray:
    return np.array(rows, dtype=np.int32)


def every(frame: pl.DataFrame) -> np.ndarray:
    return np.arange(frame.height, dtype=np.int32)


def screen(app: App[None]) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


def on_screen(app: App[None]) -> list[str]:
    """The marks and first cells of the rows on screen."""
    return [re.split(r" {2,}", line)[0].rstrip() for line in screen(app)[1:]]
