"""The breakdown screen under its keys."""

import json
import shlex

import pytest
from msgspec.structs import replace

import taxonomy_spaces
from inspector.cli import main
from inspector.widgets.sheet_view import SheetView
from opened import inspected, listed, opened
from screen_text import hides, press, rests, shows, until

HOME = "by reasoning pattern and error kind"


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    made = taxonomy_spaces.write(tmp_path_factory.mktemp("two") / "w")
    return replace(made, benchmarks=("socratic",))


def sheet(pilot):
    return pilot.app.screen.query_one(SheetView)


async def entered(pilot, *keys):
    """The breakdown of the benchmark with the taxonomy, through its first scorer."""
    await press(pilot, *keys, "g", "d")
    return await rests(pilot, HOME)


async def test_columns_figure_second_scorer_and_bins_are_chosen_with_keys(query):
    async with opened(query, size=(120, 40)) as pilot:
        await entered(pilot)
        await press(pilot, "v", "r", *["home"], "enter")
        await shows(pilot, " by ")
        await press(pilot, "v", "c", "home", "enter")
        await shows(pilot, "the 95% interval and the value")
        await press(pilot, "v", "f", "home", "j", "enter")
        text = await rests(pilot, "Accuracy on erroneous cases of")
        assert "less" not in text.splitlines()[0]
        await press(pilot, "v", "v", "end", "k", "enter")
        await shows(pilot, "nobody")
        await press(pilot, "j", "enter")
        first = (await rests(pilot, ", B ", " minus ")).splitlines()[0]
        one, two = first.split(" ▸ ")[1].removeprefix("A ").split(", B ")
        await press(pilot, "v", "s")
        await shows(pilot, f"{two} minus {one}")
        await press(pilot, "v", "v", "end", "k", "enter")
        await shows(pilot, "nobody")
        await press(pilot, "home", "enter")
        await hides(pilot, " minus ")
        # Bins, where there are positions.
        await press(pilot, "v", "b")
        await shows(pilot, "There is nothing of that kind")
        await press(pilot, "right_square_bracket", "right_square_bracket")
        await shows(pilot, "Where errors are")
        await press(pilot, "v", "b")
        await shows(pilot, "relative", "socratic")
        await press(pilot, "end", "enter")
        await shows(pilot, "Positions are relative")
        await press(pilot, "v", "v", "end", "enter", "home", "enter")
        await shows(pilot, ": earliest errors")
        await press(pilot, "v", "v", "end", "enter", "end", "enter")
        await shows(pilot, ": all error steps")


async def test_enter_opens_exactly_the_cases_of_a_cell_and_esc_gives_back_sheet_and_threshold(query, tmp_path, capsys):
    async with opened(query, size=(120, 60), folder=tmp_path) as pilot:
        await entered(pilot)
        # What is saved is what the command in its footer prints.
        await press(pilot, "e", "j")
        await until(pilot, lambda: list(tmp_path.glob("*.json")))
        before = sheet(pilot).sheet
        await press(pilot, "t", *["n"] * 2)
        await until(pilot, lambda: sheet(pilot).sheet != before)
        await press(pilot, "escape")
        await until(pilot, lambda: sheet(pilot).sheet == before)
        await press(pilot, "t", "right", "right", "enter", "j", "l")
        await until(pilot, lambda: not sheet(pilot).sheet.busy)
        before, drill, threshold = sheet(pilot).sheet, sheet(pilot).drill, inspected(pilot).evaluation.rule.threshold
        assert drill is not None
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen.NAME == "cases")
        assert len(listed(pilot)) == drill.n
        await press(pilot, "escape")
        await shows(pilot, HOME)
        assert sheet(pilot).sheet == before
        assert sheet(pilot).drill == drill
        assert inspected(pilot).evaluation.rule.threshold == threshold
    (saved,) = tmp_path.glob("*.json")
    document = saved.read_text()
    assert main(shlex.split(json.loads(document)["provenance"]["command"])[1:]) == 0
    assert capsys.readouterr().out == document
