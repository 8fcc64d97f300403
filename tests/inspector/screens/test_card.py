"""The protocol card on screen, a second one beside it, and the line that warns on the board."""

import json
import shlex

from msgspec.structs import replace

import example
from inspector.cli import main
from inspector.widgets.sheet_view import SheetView
from opened import inspected, listed, opened
from scoring.selection.result_set import select
from screen_text import hides, press, rests, screen_text, shows, until
from walking import walk


async def test_the_board_warns_of_other_cases_and_the_card_says_how_the_number_came_to_be(
    query, tmp_path, monkeypatch, capsys
):
    """All are put on the common cases; and what the card exports is what the command prints."""
    monkeypatch.chdir(tmp_path)
    async with opened(query, size=(80, 24), folder=tmp_path) as pilot:
        await shows(pilot, "Not comparable: other cases", "v a: all on the common cases", "g r: why")
        before = inspected(pilot).summary.headline.score
        await press(pilot, "v", "a")
        text = await rests(pilot, "All on the common cases", "7/8")
        assert "Not comparable" not in text
        state = inspected(pilot)
        common = select(replace(state.results, query=replace(state.results.query, where=state.base)))
        assert common.shown.size == 8
        # A number without a total means that all cases are scored.
        assert next(line for line in text.splitlines() if "▌alpha" in line).split("┃")[1].split()[-1] == "8"
        assert state.summary.headline.score == 0.5 != before
        await press(pilot, "g", "l")
        await shows(pilot, "8 of 9 cases")
        await press(pilot, "escape", "v", "a")
        await shows(pilot, "Not comparable: other cases")
        assert inspected(pilot).base == ()
        await press(pilot, "g", "r")
        text = await rests(pilot, "alpha", "(0.0 to 75.0)", "How a verdict is decided")
        assert "Warning: small n: only 6 erroneous cases and 3 clean cases" in text
        await press(pilot, "e", "j")
        await until(pilot, lambda: list(tmp_path.glob("*card*.json")))
        pilot.app.clear_notifications()
        await press(pilot, "escape")
        await shows(pilot, "alpha: verdicts")
    (file,) = tmp_path.glob("*card*.json")
    capsys.readouterr()
    assert main(shlex.split(json.loads(file.read_text())["provenance"]["command"])[1:]) == 0
    assert capsys.readouterr().out == file.read_text()


async def test_a_second_card_shows_what_differs_and_every_number_of_every_card_opens_exactly_its_cases(query):
    """It says why the two are not comparable."""
    async with opened(query, size=(120, 60)) as pilot:
        await press(pilot, "g", "r", "o")
        await shows(pilot, "Compare with", "nobody")
        await press(pilot, "j", "enter")
        text = await rests(pilot, "They differ in", "The same in both")
        assert "beta lacks 1 case that alpha has (bench/early-one); all on the 8 cases in common" in (
            " ".join(text.replace("┃", " ").replace("│", " ").split())
        )
        assert "v v options" in text
        differing, _, same = text.partition("The same in both")
        assert "threshold source" in same
        assert "threshold source" not in differing.partition("They differ in")[2]
        await press(pilot, "v", "a")
        await shows(pilot, "Nothing makes these two figures incomparable")
        assert "8 cases" in screen_text(pilot.app)
        await press(pilot, "v", "a")
        await shows(pilot, "beta lacks 1 case")
        await press(pilot, "o", "home", "enter")
        await hides(pilot, "B beta")
        await shows(pilot, "How a verdict is decided")
        await press(pilot, "escape")
        places = 0
        for keys in (("o", "down", "enter"), ("o", "j", "enter")):
            await press(pilot, "g", "r")
            await shows(pilot, "How a verdict is decided")
            await press(pilot, *keys)
            view = pilot.app.screen.query_one(SheetView)
            await until(pilot, lambda view=view: not view.sheet.busy and view.spots)
            places += walk(inspected(pilot), view.sheet)
            await press(pilot, "enter")
            await until(pilot, lambda: pilot.app.screen.NAME == "cases")
            assert len(listed(pilot)) == view.drill.n
            await press(pilot, "escape", "escape")
        assert places > 8
        # From a card over compare its key goes back to it.
        await press(pilot, "g c", "g r")
        await shows(pilot, "How a verdict is decided")
        await press(pilot, "g c")
        await until(pilot, lambda: pilot.app.screen.NAME == "compare")


async def test_without_a_scorer_it_says_what_would_give_one(tmp_path):
    async with opened(example.write(tmp_path / "w", scored=False), size=(80, 24)) as pilot:
        await press(pilot, "g", "r")
        await shows(pilot, "A card says how a scorer's number came to be", "prm-inspect score")


async def test_the_board_has_no_line_where_all_is_comparable_until_one_threshold_is_tuned_on_these_cases():
    async with opened(size=(80, 24)) as pilot:
        await shows(pilot, "tiny-prm-m")
        await hides(pilot, "Not comparable")
        assert not pilot.app.screen.query_one("#banner").display
        await pilot.resize_terminal(120, 24)
        await press(pilot, "t", "v", "m", "enter")
        await shows(pilot, "Not comparable: other threshold sources", "g r: why")
