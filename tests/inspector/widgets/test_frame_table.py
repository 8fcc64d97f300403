import numpy as np
import polars as pl
from textual.app import App

from inspector.widgets.frame_table import FrameTable


class Alone(App):
    def compose(self):
        yield FrameTable(empty="Nothing passes.")


def words(table):
    return [table.line_strip(line).text.strip() for line in range(table.size.height)]


async def test_that_there_is_nothing_is_said_when_it_is_known_and_not_before():
    async with Alone().run_test(size=(40, 8)) as pilot:
        table = pilot.app.query_one(FrameTable)
        assert not any(words(table))
        table.show(pl.DataFrame({"case": []}, schema={"case": pl.String()}), np.empty(0, np.int32))
        await pilot.pause()
        assert "Nothing passes." in words(table)
