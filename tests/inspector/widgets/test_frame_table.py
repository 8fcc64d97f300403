import numpy as np
import polars as pl
from textual.app import App

from inspector.widgets.columns import TableColumn
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


async def test_lines_beneath_the_rows_stay_in_sight_while_rows_are_scrolled():
    async with Alone().run_test(size=(40, 6)) as pilot:
        table = pilot.app.query_one(FrameTable)
        for n, shown in ((2, ["case", "c0", "c1", "", "a legend"]), (9, ["case", "c0", "c1", "c2", "", "a legend"])):
            rows = pl.DataFrame({"case": [f"c{number}" for number in range(n)]})
            table.foot = ((), [("a legend", "dim")])
            table.show(rows, np.arange(n, dtype=np.int32), [TableColumn("case", "case", 6)])
            await pilot.pause()
            assert [table.render_line(y).text.strip().lstrip("▌") for y in range(6)][: len(shown)] == shown
        await pilot.press("end")
        await pilot.pause()
        lines = [table.render_line(y).text.strip().lstrip("▌") for y in range(6)]
        assert lines == ["case", "c6", "c7", "c8", "", "a legend"]


async def test_a_column_may_have_another_heading_at_each_width():
    column = TableColumn("case", "case", 6, flex=1, heading=lambda width: f"{width} cells")
    async with Alone().run_test(size=(40, 6)) as pilot:
        table = pilot.app.query_one(FrameTable)
        table.show(pl.DataFrame({"case": ["c0"]}), np.arange(1, dtype=np.int32), [column])
        for width in (40, 30):
            await pilot.resize_terminal(width, 6)
            assert f"{table.width_of('case')} cells" in table.line_strip(0).text
