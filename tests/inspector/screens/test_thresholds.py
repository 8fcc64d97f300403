"""The thresholds screen under a Pilot: its keys, the threshold that moves on it, its lists and its files."""

from io import StringIO

import polars as pl
import pytest

import example
import judged
from inspector.analyses.thresholds import thresholds as analysis
from inspector.screens.analysis import screen_of
from inspector.widgets.sheet_view import SheetView
from opened import inspected, opened
from scoring.selection.loading import load
from scoring.selection.query import Query
from screen_text import hides, looks_like, press, rests, screen_lines, shows
from views import curve_view, thresholds_view

COMPLETE = "best of each subset"


def line_of(app, start):
    return next(text for line in screen_lines(app) if (text := line.strip(" ┃│▄▅")).startswith(start))


def marked(app, glyph):
    """The column of a mark in the line of letters beneath the curve."""
    lines = [line.replace("│", " ").replace("┃", " ") for line in screen_lines(app)]
    (line,) = [line for line in lines if line.strip() and set(line.strip()) <= set("▲^d*v ")]
    return line.index(glyph)


async def test_its_files_are_the_documents_of_the_commands_and_o_puts_another_curve_beside_it(query, tmp_path):
    async with opened(query, folder=tmp_path) as pilot:
        await press(pilot, "g", "h")
        assert isinstance(pilot.app.screen, screen_of("thresholds"))
        await shows(pilot, "F1 against the threshold", "▲ 0.500 present, the default", COMPLETE)
        await press(pilot, "e")
        await shows(pilot, "ways and curves", "curves in numbers")
        await press(pilot, "c")
        await shows(pilot, "bench-thresholds.csv")
        await press(pilot, "e", "C")
        await shows(pilot, "bench-thresholds-2.csv")
        await press(pilot, "o")
        await shows(pilot, "Scorers beside each other", "[x] alpha", "[ ] beta")
        await press(pilot, "j", "space", "enter")
        await shows(pilot, "A alpha", "B beta (its own range, -1 to 1)")
        await press(pilot, "v n")
        await shows(pilot, "A alpha", "B beta", "beta ▸ thresholds", "θ 0.000")
        await press(pilot, "v n", "o", "x", "enter")
        await hides(pilot, "B beta")
    wanted = load(Query(workspace=query.workspace, scorers=("alpha",)))
    for name, document in (
        ("bench-thresholds.csv", thresholds_view(wanted)),
        ("bench-thresholds-2.csv", curve_view(wanted)),
    ):
        text = (tmp_path / name).read_text(encoding="utf-8")
        rows = [line for line in text.splitlines() if not line.startswith("#")]
        found = pl.read_csv(StringIO("\n".join(rows)))
        assert found.height == document.rows.height
        assert found.columns == document.rows.columns
        assert found["value"].cast(pl.Float64).to_list() == pytest.approx(document.rows["value"].to_list(), nan_ok=True)


async def test_the_mark_and_the_line_of_the_present_threshold_move_with_it_and_pages_turn(query, monkeypatch):
    """Other ways are not computed again. Enter opens exactly the cases, and Esc comes back to the number."""
    asked = []
    make = analysis.way_rows

    def counting(*words, **more):
        asked.append(more.get("only"))
        return make(*words, **more)

    monkeypatch.setattr(analysis, "way_rows", counting)
    async with opened(query, size=(120, 44)) as pilot:
        await press(pilot, "g", "h")
        before = await rests(pilot, COMPLETE)
        every = asked.count(None)
        # The present threshold is the default, which then has no separate mark.
        at = marked(pilot.app, "▲")
        await press(pilot, "t", *["right"] * 4)
        await shows(pilot, "▲ 0.540 present: chosen")
        await rests(pilot)
        assert asked.count(None) == every
        assert asked.count("chosen")
        assert marked(pilot.app, "▲") > at
        # Beside the mark of the present one where both would be in one column, else in its own.
        assert at - 1 <= marked(pilot.app, "d") <= at
        cells = line_of(pilot.app, "chosen").split()
        assert cells[1:4] == ["0.540", "(present)", f"{100 * inspected(pilot).summary.headline.score:.1f}"]
        best = line_of(pilot.app, "best on these").split()
        assert best in [line.strip(" ┃│▄▅").split() for line in before.splitlines()]
        await press(pilot, "v", "m")
        await shows(pilot, "present: optimistic: best on these cases")
        assert "*" in line_of(pilot.app, "chosen")
        await press(pilot, "escape")
        await looks_like(pilot, before)
        view = pilot.app.screen.query_one(SheetView)
        wrong = next(spot for spot in view.spots if "wrong at the threshold 0.55" in spot.piece.drill.words)
        view.go_to(wrong.line, wrong.place)
        before = await rests(pilot, "Enter: 4 cases: alpha is wrong at the threshold 0.55")
        await press(pilot, "enter")
        await shows(pilot, "4 of 9 cases", "alpha is wrong at the threshold 0.55")
        await press(pilot, "escape")
        await looks_like(pilot, before)
        await press(pilot, "right_square_bracket")
        await shows(pilot, "[curves in numbers]", "At some thresholds")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "[from subset to subset]", "tuned on sums", "optimistic")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "[two thresholds]", "Does it help")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "[rewards by gold]", "AUROC", "erroneous: 6 cases", "clean: 3 cases")
        count = view.drill.n
        await press(pilot, "enter")
        await shows(pilot, f"{count} of 9 cases", "lowest reward")
        await press(pilot, "escape", "right_square_bracket")
        await shows(pilot, "[reliability]", "expected calibration error")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "[ways and curves]", COMPLETE)


async def test_without_scorers_and_with_a_critic_it_says_why_there_is_nothing(tmp_path):
    async with opened(example.write(tmp_path / "w", scored=False)) as pilot:
        await press(pilot, "g", "h")
        await shows(pilot, "A threshold is held against step rewards", "prm-inspect score bench --model")
        await press(pilot, "o")
        await shows(pilot, "There is no scorer whose curve could be drawn.")
        await press(pilot, "e")
        await shows(pilot, "There is nothing to export here yet.")
    judged.workspace(tmp_path / "judged")
    async with opened(Query(workspace=str(tmp_path / "judged"), scorers=("critic",))) as pilot:
        await press(pilot, "g", "h")
        await shows(pilot, "No threshold decides, so that there is no curve: critic.")
        await press(pilot, "t")
        await shows(pilot, "critic has no threshold to move")
