import example
import making
import reference
from inspector.case_page.open_case import Stop
from inspector.screens.cases import CasesScreen
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.step_view import StepView
from opened import inspected, listed, opened
from scoring.selection.query import Query
from screen_text import press, rests, screen_text, shows, until


async def test_n_and_p_stop_at_the_ends_of_the_list_and_each_verdict_has_words_of_its_own(query):
    """Other scorers and hidden reasons stay for the next case."""
    async with opened(query) as pilot:
        await press(pilot, "enter", "enter", "N")
        text = await rests(pilot, "alarm-one", "1 of 5", "sums · bob-model · 2 steps")
        assert text.splitlines()[0].startswith(" bench ▸ alpha ▸ failures ▸ alarm-one ")
        seen = [open_case(pilot)]
        for number, case in enumerate(example.FAILURES[1:], 2):
            await press(pilot, "n")
            await shows(pilot, f"▸ {case.removeprefix('bench/')} ", f" {number} of 5 ")
            seen.append(open_case(pilot))
        assert seen == example.FAILURES
        await press(pilot, "n", "n")
        await shows(pilot, "▸ early-one ", "5 of 5")
        assert open_case(pilot) == example.FAILURES[-1]
        await press(pilot, "g", "b", "g", "l", "home", "enter")
        text = await rests(pilot, "= predicted step 1, gold", "step 1: exactly right", "1 of 9")
        assert _line(text, "Step 1 of").split()[0] == "exact"
        await press(pilot, *["n"] * 5)
        text = await rests(pilot, ". predicted no error", "6 of 9", "Gold says no error")
        assert not any(_line(text, f"Step {step} of").startswith(("gold", "pred")) for step in range(2))
        await press(pilot, "g", "b", "g", "l", "home", "enter", "l")
        await shows(pilot, "x refused: over length", "beta", "–")
        await press(pilot, "n")
        await shows(pilot, "not scored yet")
        await press(pilot, "n", "v", "r", "v", "w")
        await shows(pilot, "━ beta ━┓", "= predicted step 0", "hidden; v r shows it", "$\\frac{3}{4}$")
        await press(pilot, "n")
        await shows(pilot, "missed-one", "hidden; v r shows it", "$\\frac{3}{4}$")
        await press(pilot, "escape")
        assert inspected(pilot).focus.scorer == "beta"


def open_case(pilot):
    return inspected(pilot).cases["case"][pilot.app.screen.row]


def _line(text, words):
    """Return the line with these words, without frames."""
    return next(line.strip(" ┃│") for line in text.splitlines() if words in line)


async def test_gold_step_predicted_step_rewards_and_outcome_are_there_without_scrolling_at_any_width(query):
    """A resized terminal gets the case wrapped anew. j, k and the arrows go step by step, and half pages scroll."""
    async with opened(query) as pilot:
        await press(pilot, "enter", "j", "enter")
        for size in ((120, 36), (80, 24)):
            await pilot.resize_terminal(*size)
            text = await rests(pilot, "late-one", "2 of 5", "alpha", "θ 0.500", "F1 45.0")
            told = "".join(text.replace("│", "").replace("┃", "").split())
            if size == (80, 24):
                assert ">predictedstep2,goldstep0:twostepslate(reward0.70atthegold" in told
            else:
                assert "> predicted step 2, gold" in text
            gold, predicted = _line(text, "Step 0 of"), _line(text, "Step 2 of")
            assert gold.split()[:2] == ["gold", "0"]
            assert "0.70" in gold
            assert predicted.split()[:2] == ["pred", "2"]
            assert "0.30✗" in predicted
            assert "gap · Deduction" in text
            assert "Because of late-one." in text
            # The problem stays visible after scrolling.
            assert "Problem of late-one: what is 3/4 of it?" in text
        view = pilot.app.screen.query_one("#steps", StepView)
        await pilot.resize_terminal(200, 40)
        await rests(pilot)
        wide = len(view._lines)
        await pilot.resize_terminal(50, 40)
        await until(pilot, lambda: len(view._lines) > wide)
        assert view.virtual_size.width <= view.viewport.width
        await pilot.resize_terminal(80, 24)
        await press(pilot, "g", "b", "g", "l", "G", "enter")
        # It opens on the gold step.
        await shows(pilot, "▸ long-one ", "9 of 9", "Step 12 of", "Problem of long-one")
        assert pilot.app.screen.cursor.stop == Stop("step", 12)
        await press(pilot, "home")
        await shows(pilot, "Problem of long-one")
        view = pilot.app.screen.query_one("#steps", StepView)
        assert (pilot.app.screen.cursor.stop, view.scroll_offset.y) == (Stop("problem"), 0)
        await press(pilot, "ctrl+d")
        half = view.scroll_offset.y
        assert 4 < half < 20
        await press(pilot, "ctrl+u")
        assert (pilot.app.screen.cursor.stop, view.scroll_offset.y) == (Stop("problem"), 0)
        for step in range(4):
            await press(pilot, "j" if step % 2 else "down")
            assert pilot.app.screen.cursor.stop == Stop("step", step)
            assert view.cursor in view.seen
        await press(pilot, "k")
        assert pilot.app.screen.cursor.stop == Stop("step", 2)
        await press(pilot, *["j"] * 40)
        bottom = view.scroll_offset.y
        assert "Why   Because of long-one." in screen_text(pilot.app)
        await press(pilot, "j")
        assert view.scroll_offset.y == bottom
        await press(pilot, *["k"] * 40)
        assert (pilot.app.screen.cursor.stop, view.scroll_offset.y) == (Stop("problem"), 0)
        await press(pilot, "G")
        assert view.scroll_offset.y == bottom
        assert "Why   Because of long-one." in screen_text(pilot.app)
        # Moving the threshold keeps the place.
        await press(pilot, "home", *["j"] * 20)
        top = pilot.app.screen.steps.seen.start
        await press(pilot, "t", "right")
        await shows(pilot, "θ 0.510")
        assert pilot.app.screen.steps.seen.start == top
        assert pilot.app.screen.cursor.stop == Stop("step", 19)


async def test_the_threshold_decides_the_open_case_again_and_one_that_left_the_list_has_its_place(query):
    """An optimistic threshold is called so at every width."""
    async with opened(query) as pilot:
        await press(pilot, "enter", "enter", "n", "n", "n")
        await shows(pilot, "▸ missed-two ", "4 of 5", "o predicted no error", "step 0: missed")
        await press(pilot, "t", *["right"] * 3)
        text = await rests(pilot, "= predicted step 0, gold", "exactly right", "F1 60.0", "no longer in the list")
        assert _line(text, "Step 0 of").split()[0] == "exact"
        await press(pilot, "escape")
        await shows(pilot, "▸ missed-two ", "4 of 5", "o predicted no error", "F1 45.0")
        await press(pilot, "t", *["right"] * 3, "enter")
        await shows(pilot, "▸ missed-two ", "no longer in the list")
        assert open_case(pilot) == "bench/missed-two"
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, CasesScreen))
        await shows(pilot, "4 of 9 cases", "θ 0.530 chosen   F1 60.0", "Problem of early-one")
        assert listed(pilot) == [case for case in example.FAILURES if case != "bench/missed-two"]
        assert pilot.app.screen.query_one(FrameTable).key == "bench/early-one"
        # N and n go to its neighbours.
        await press(pilot, "t", *["left"] * 3, "enter")
        await shows(pilot, "5 of 9 cases")
        await press(pilot, "home", "enter", "n", "n", "n", "t", *["right"] * 3, "enter")
        await shows(pilot, "▸ missed-two ", "no longer in the list")
        await press(pilot, "n")
        await shows(pilot, "▸ early-one ", "4 of 4")
        assert open_case(pilot) == "bench/early-one"
        await press(pilot, "N")
        await shows(pilot, "▸ missed-one ", "3 of 4")
        assert open_case(pilot) == "bench/missed-one"
        await press(pilot, "g", "b", "g", "l", "t", "v", "m", "enter")
        for titled in ("9 of 9", "1 of 9"):
            for width in (120, 80):
                await pilot.resize_terminal(width, 24)
                title = (await rests(pilot, titled, "θ 0.550")).splitlines()[0]
                assert "θ 0.550 optimistic" in title, (titled, width)
            await press(pilot, "enter")


async def test_j_never_skips_lines_of_a_step_longer_than_the_screen(tmp_path):
    words = " ".join(f"word{number}" for number in range(600))
    cases = [reference.Case(2, 1, (0.9, 0.1))]
    making.workspace(tmp_path / "w", cases, [(making.scorer(), cases)], steps=[[words, "Then the end."]])
    async with opened(Query(workspace=str(tmp_path / "w")), size=(80, 20)) as pilot:
        await press(pilot, "g", "l", "enter", "home")
        await shows(pilot, "word0 ")
        seen = screen_text(pilot.app)
        for _ in range(16):
            await press(pilot, "j")
            seen += screen_text(pilot.app)
        assert all(f"word{number}" in seen for number in range(600))
        assert "Gold  step 1" in seen
        seen = ""
        for _ in range(16):
            await press(pilot, "k")
            seen += screen_text(pilot.app)
        assert all(f"word{number}" in seen for number in range(600))
        assert pilot.app.screen.query_one("#steps", StepView).scroll_offset.y == 0


async def test_a_case_without_a_scorer_shows_its_labels(tmp_path):
    async with opened(example.write(tmp_path / "workspace", scored=False)) as pilot:
        await shows(pilot, "9 of 9 cases")
        await press(pilot, "enter")
        text = await rests(pilot, "▸ exact-one ", "1 of 9", "Step 0 of exact-one.", "Why gold says step 1", "slip")
        assert "F1" not in text
        assert _line(text, "Step 1 of").split()[0] == "gold"
        await press(pilot, "t", "n", "escape")
        await shows(pilot, "9 of 9 cases")


async def test_with_one_scorer_m_says_that_there_is_no_other(tmp_path):
    making.workspace(tmp_path / "w", *single())
    async with opened(Query(workspace=str(tmp_path / "w"))) as pilot:
        await press(pilot, "g", "l", "o", "down", "enter")
        await shows(pilot, "There is no other scorer on this benchmark.")
        assert inspected(pilot).focus.scorer == "one"
        await press(pilot, "enter", "h")
        await shows(pilot, "There is no other scorer on this benchmark.")


def single():
    cases = [reference.Case(2, 0, (0.1, 0.9)), reference.Case(1, -1, (0.9,))]
    return cases, [(making.scorer("one"), cases)]
