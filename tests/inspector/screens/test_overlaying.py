"""Scorers beside each other, curves, blind mode and facts on the case screen."""

import example
import making
import reference
from opened import inspected, opened
from scoring.selection.query import Query
from screen_text import hides, looks_like, press, rests, shows
from thoroughness import also

HINT = "Scorers beside each other"


async def test_o_chooses_scorers_that_stay_for_other_cases_and_blind_hides_what_was_decided_everywhere(query):
    """Both hold for later visits."""
    async with opened(query, size=(150, 36)) as pilot:
        await press(pilot, "enter", "enter", "o")
        text = await rests(pilot, HINT, "[x] alpha", "[ ] beta", "in focus")
        assert "threshold 0.5" in text
        # The best scorer comes first, as on the board, and Space moves to the next one.
        assert text.index("] beta") < text.index("] alpha")
        await press(pilot, "home", "space", "enter")
        await shows(pilot, "A beta", "B ! false alarm   1", "A . clean", "1 of 2 is right", "[B]")
        await press(pilot, "n")
        text = await rests(pilot, "B > late          2", "A = exact         0", "1 of 2 is right")
        assert "0.70" in text
        # Columns follow the letters; the cell of the other scorer has an arrow at its verdict.
        assert "◂-.50✗" in next(line for line in text.splitlines() if "Step 0 of" in line).split("█")[0]
        await press(pilot, "escape", "j", "enter")
        await shows(pilot, "A beta")
        # With the other scorer in focus, the letters and their positions are the same.
        await press(pilot, "l")
        await shows(pilot, "[A]", "A beta   B alpha")
        assert inspected(pilot).focus.scorer == "beta"
        await press(pilot, "o", "x", "enter")
        await hides(pilot, "B alpha")
        await press(pilot, "h", "g", "b", "enter", "j", "enter", "v", "b")
        text = await rests(pilot, "BLIND", "blind: gold labels")
        for word in ("gold ", "pred ", "late", "Why", "✗", "┊", "Because", "final answer", "gap"):
            assert word not in text.replace("late-one", "").replace("blind: gold labels", ""), word
        assert "0.30" in text
        await press(pilot, "n", "v", "p")
        await shows(pilot, "missed-one", "that would tell where the error is")
        pilot.app.clear_notifications()
        await shows(pilot, "missed-one", "BLIND")
        await press(pilot, "escape")
        await shows(pilot, "5 of 9 cases", "blind: gold labels")
        await press(pilot, "enter", "v", "b")
        await shows(pilot, "o predicted no error", "step 1: missed")
        # Facts unfold, and stay for the next case.
        await press(pilot, "N", "N", "v", "f")
        await shows(pilot, "Facts  (v f folds them)", "  key  ", "made.jsonl:7")
        await press(pilot, "n")
        await shows(pilot, "Facts  (v f folds them)", "made.jsonl:3")
        await press(pilot, "v", "f")
        await hides(pilot, "made.jsonl:3\n")
        # The pane beside the list shows the scorers that were put beside each other.
        await press(pilot, "N", "o", "home", "space", "enter", "escape")
        await shows(pilot, "B alpha ! false alarm 1", "A beta . clean")


def curve_of(pilot):
    """Return the pane of the curves: on the right of a three-column screen, else above the steps."""
    return pilot.app.screen.curves.view


async def test_curves_stand_above_the_steps_or_beside_them_where_they_take_no_room_from_them(query):
    async with opened(query, size=(120, 50)) as pilot:
        await press(pilot, "enter", "enter")
        for columns, there in ((159, False), (160, True)):
            await pilot.resize_terminal(columns, 50)
            await rests(pilot, "? help")
            assert curve_of(pilot).display == there
        await press(pilot, "v", "v")
        await rests(pilot, "? help")
        assert not curve_of(pilot).display
        # What was chosen holds for other cases, and in another room.
        await press(pilot, "n")
        await pilot.resize_terminal(159, 50)
        await rests(pilot, "? help")
        assert not curve_of(pilot).display
        await press(pilot, "v", "v", "n")
        for columns in (159, 160):
            await pilot.resize_terminal(columns, 50)
            await rests(pilot, "? help")
            assert curve_of(pilot).display
        await press(pilot, "g", "b", "enter", "j", "enter", "v", "v")
        for size in ((80, 24), (200, 50), *also((120, 36))):
            await pilot.resize_terminal(*size)
            before = await rests(pilot, "late-one")
            assert "╌╌╌" not in before
            await press(pilot, "v", "v")
            await shows(pilot, "╌╌╌", "1.00 ", "Step 0 of", "Step 2 of")
            curve, steps = curve_of(pilot), pilot.app.screen.steps
            beside = size[0] >= 160
            assert (curve.region.x > steps.region.x) == beside
            assert curve.region.y < steps.region.y
            assert steps.virtual_size.width <= steps.viewport.width
            await press(pilot, "n")
            await shows(pilot, "missed-one", "╌╌╌")
            await press(pilot, "N", "v", "v")
            await looks_like(pilot, before)


async def test_the_focus_stays_ticked_and_no_more_than_eight_are(tmp_path):
    cases = [reference.Case(2, 0, (0.1, 0.9)), reference.Case(2, -1, (0.9, 0.9))]
    making.workspace(tmp_path / "w", cases, [(making.scorer(f"s{number}[b]"), cases) for number in range(10)])
    async with opened(Query(workspace=str(tmp_path / "w")), size=(80, 24)) as pilot:
        await press(pilot, "g", "l", "enter", "o", "space")
        await shows(pilot, "is always shown")
        await press(pilot, *["space"] * 9)
        text = await rests(pilot, "No more than 8", "s9[b]")
        assert text.count("[x]") == 8
        await press(pilot, "G", "k", "home", "enter")
        text = await rests(pilot, "8 of 8 exact", "H s7[b]")
        first = next(line for line in text.splitlines() if "step 0 of" in line)
        assert first.split()[1] == "exact"
        assert first.count("▁◂") == 7


async def test_with_one_scorer_or_none_o_and_curves_say_so(tmp_path, query):
    cases = [reference.Case(2, 0, (0.1, 0.9))]
    making.workspace(tmp_path / "w", cases, [(making.scorer(), cases)])
    async with opened(Query(workspace=str(tmp_path / "w"))) as pilot:
        await press(pilot, "g", "l", "enter", "o")
        await shows(pilot, "There is no other scorer on this benchmark.")
    async with opened(example.write(tmp_path / "bare", scored=False)) as pilot:
        await press(pilot, "enter", "o")
        await shows(pilot, "There is no scorer to put beside another.")
        await press(pilot, "v", "v")
        await shows(pilot, "There is no scorer whose rewards could be drawn.")
