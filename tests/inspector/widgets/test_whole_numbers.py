"""At 80 by 24 every number on screen is one that was meant: none is cut."""

import re

import pytest

import making
from inspector.widgets.frame_table import FrameTable
from opened import inspected, opened
from reference import Case
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from screen_text import press, rests, shows, table_lines

N = 1234


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Two benchmarks of 1,234 cases, one of them labelled by step, and a scorer with a long name."""
    root = tmp_path_factory.mktemp("numbers")
    cases, (first, *_) = making.study(n=N)
    one = making.scorer("a-scorer-with-a-long-name-7b")
    making.workspace(root, cases, [(one, first[1])], benchmark="processbench")
    listed = [Case(case.n_steps, case.gold, subset="one", error_steps=_steps(case)) for case in cases]
    found = making.full_frame(listed, "prmbench", id=[f"missing_condition_prm_test_p2_{i}" for i in range(N)])
    Workspace.open(root).add([Imported("prmbench", "made.jsonl", "made", "0-based", N, found, ())])
    RewardParts(root / "rewards" / one.folder).append(making.rewards(first[1], found["key"]))
    return Query(workspace=str(root), benchmarks=("processbench", "prmbench"))


def _steps(case):
    return () if case.gold < 0 else (case.gold,)


async def test_no_number_on_the_screens_is_cut(workspace):
    async with opened(workspace, size=(80, 24)) as pilot:
        await shows(pilot, "2,468 cases", "on wrong", "on right", "390")
        assert pilot.app.screen.query_one(FrameTable).columns_shown[-1].name == "on_right"
        await press(pilot, "down", "g", "l")
        await shows(pilot, "1,234 of 1,234 cases", "θ 0.500")
        await press(pilot, "enter")
        await shows(pilot, "1 of 1,234", "θ 0.500")
        await press(pilot, "t", *["right"] * 5)
        moved = inspected(pilot)
        text = await rests(pilot, "threshold 0.550 (was 0.500)", "changed")
        assert whole(text, {f"{moved.summary.headline.n:,}"})
        for count in moved.summary.outcome_counts.values():
            assert not count or re.search(rf"(?<![\d,.]){count:,}(?![\d,.])", text)


@pytest.mark.parametrize("size", [(80, 24), (100, 24), (200, 50)])
async def test_a_column_is_there_whole_or_not_at_all(workspace, size):
    async with opened(workspace, size=size) as pilot:
        await shows(pilot, "prmbench")
        table = pilot.app.screen.query_one(FrameTable)
        assert table._columns.width <= table.viewport.width
        assert "…" not in "".join(line[28:] for line in table_lines(pilot.app)[:3]) or size[0] < 200
        names = [column.name for column in table.columns_shown]
        assert all(("1,234" in line) == ("coverage" in names) for line in table_lines(pilot.app)[1:3])


def whole(text, numbers):
    """Whether each of the numbers stands somewhere in the text, and not as a part of another."""
    return all(re.search(rf"(?<![\d,.]){re.escape(number)}(?![\d,.]\d)", text) for number in numbers)
