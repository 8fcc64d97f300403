"""The search line of the list: live, beside the keys, kept or given back, and the same on screen as in the shell."""

import shlex
import threading

import example
from inspector.cli.entry import parse
from inspector.cli.query_arguments import query_from
from inspector.screens import searching as search_screen
from inspector.state.filtering import search_run
from inspector.state.filtering.facets import offered_counts
from inspector.state.subject import every_benchmark
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.search_bar import SearchBar
from opened import inspected, listed, opened
from scoring.selection.loading import load
from screen_text import hides, looks_like, press, rests, screen_text, shows, type_ahead, until
from thoroughness import also
from views import cases_view

ONE = [
    f"bench/{name}"
    for name in ("exact-one", "early-one", "late-one", "missed-one", "clean-one", "alarm-one", "long-one")
]


def keys(text):
    names = {" ": "space", "/": "slash", '"': "quotation_mark", "\\": "backslash", "(": "left_parenthesis"}
    return [names.get(character, character) for character in text]


async def typed(pilot, text):
    """Type into the line; wait until the search for it has ended."""
    await press(pilot, *keys(text))
    search = pilot.app.screen.searching
    await until(pilot, lambda: not search._search_running and search._search_timer is None)


def of_the_command(pilot):
    """The cases that the command of what is on screen prints."""
    command = cases_view(inspected(pilot).results).provenance["command"]
    return cases_view(load(query_from(parse(shlex.split(command)[1:])))).rows["case"].to_list()


async def test_it_is_live_and_kept_with_enter_and_its_line_fits(query):
    async with opened(query, size=(200, 50)) as pilot:
        await press(pilot, "g", "l", "slash")
        await shows(pilot, "/ in all:")
        await typed(pilot, "late")
        screen = await rests(pilot, "1 of 9 cases", "ms", "search late")
        assert listed(pilot) == ["bench/late-one"] == of_the_command(pilot)
        assert "step 0, problem, reason" in screen or "step 0 +2" in screen
        await press(pilot, "enter")
        await hides(pilot, "/ in all:")
        assert listed(pilot) == ["bench/late-one"]
        assert pilot.app.focused is pilot.app.screen.query_one(FrameTable)
        assert inspected(pilot).results.query.search == "late"
        await press(pilot, "slash")
        await shows(pilot, "/ in all:", "1 of 9 cases")
        assert pilot.app.screen.query_one(SearchBar).input.value == "late"
        await press(pilot, *["backspace"] * 4)
        await typed(pilot, "-one of")
        await shows(pilot, "7 of 9 cases", "search -one of")
        assert listed(pilot) == ONE == of_the_command(pilot)
        await press(pilot, "escape")
        await shows(pilot, "1 of 9 cases", "search late")
        await press(pilot, "x")
        await shows(pilot, "9 of 9 cases")
        assert inspected(pilot).results.matches is None
        for size in ((40, 12), *also((80, 24), (120, 36), (200, 50))):
            await pilot.resize_terminal(*size)
            await press(pilot, "slash", *keys("of"))
            await until(pilot, lambda: len(listed(pilot)) == 9 and inspected(pilot).results.matches is not None)
            assert max(map(len, screen_text(pilot.app).splitlines())) <= size[0]
            await press(pilot, "escape")
            await hides(pilot, "/ in all")


async def test_escape_gives_back_what_was_there_tab_chooses_the_texts_and_a_filter_stays_beside_it(query):
    """Letters that are keys elsewhere are letters, and a wrong expression is told while it is typed."""
    async with opened(query) as pilot:
        await press(pilot, "enter")
        before = await rests(pilot, "5 of 9 cases")
        await press(pilot, "slash", *keys("missed"))
        await shows(pilot, "2 of 9 cases")
        await press(pilot, "escape")
        await looks_like(pilot, before)
        assert inspected(pilot).results.query.search == ""
        await press(pilot, "slash")
        await typed(pilot, "text q?")
        assert pilot.app.screen.query_one(SearchBar).input.value == "text q?"
        assert not pilot.app.screen.rail_open
        await press(pilot, "escape", "g", "b", "g", "l", "slash")
        await typed(pilot, "beca")
        assert len(listed(pilot)) == 6
        counts = {}
        for scope in ("problem", "steps", "context", "reason", "answers", "notes"):
            await press(pilot, "tab")
            await shows(pilot, f"/ in {scope}:", f"beca in {scope}")
            counts[scope] = len(listed(pilot))
            if scope in {"reason", *also("problem", "steps", "context", "answers", "notes")}:
                assert of_the_command(pilot) == listed(pilot)
        assert counts == {"problem": 0, "steps": 0, "context": 0, "reason": 6, "answers": 0, "notes": 0}
        await press(pilot, "shift+tab", "shift+tab")
        await shows(pilot, "/ in reason:")
        await press(pilot, *["tab"] * 3)
        await shows(pilot, "/ in all:")
        await press(pilot, *["backspace"] * 4)
        await typed(pilot, "late")
        await press(pilot, "home", "slash", "left_parenthesis", "end", "slash")
        await shows(pilot, "at character 2: unclosed group")
        assert listed(pilot) == ["bench/late-one"]
        await press(pilot, "escape")
        await shows(pilot, "9 of 9 cases")
        # What is typed ahead is a single search, which goes on beneath the case that the next key opens.
        type_ahead(pilot, "slash", *keys("missed"), "enter")
        await until(pilot, lambda: inspected(pilot).results.query.search == "missed")
        assert len(listed(pilot)) == 2
        await press(pilot, "x")
        await shows(pilot, "9 of 9 cases")
        type_ahead(pilot, "slash", *keys("missed"), "enter", "enter")
        # Which case that is, the first of all or of those found, is a matter of how fast the search is.
        await until(pilot, lambda: pilot.app.screen.NAME == "case")
        await press(pilot, "escape")
        await shows(pilot, "2 of 9 cases", "search missed")
        # A filter beside it, and the metric of both.
        await press(pilot, "x", "g", "b", "enter", "slash")
        await typed(pilot, "-one")
        await press(pilot, "enter")
        assert listed(pilot) == [case for case in example.FAILURES if case.endswith("-one")] == of_the_command(pilot)
        state = inspected(pilot)
        # A condition on outcomes does not count for the metric, a search does.
        assert state.slice.sum() == 7
        assert every_benchmark(state).shown.size == 7
        assert sum(count for _, count in offered_counts(state)["alpha.outcome"]) == 7
        await press(pilot, "o", "down", "enter")
        assert len(listed(pilot)) < 5
        assert inspected(pilot).results.query.search == "-one"


class Gate:
    """A search that has its first hits and waits before it gives the finished value."""

    def __init__(self, monkeypatch):
        self.open = threading.Event()
        self.begun = threading.Event()
        self.stopped = False
        real = search_run.run_search

        def slow(state, query, remembered, stopped, every):
            for so_far in real(state, query, remembered, stopped, 0.0):
                if so_far.state is not None:
                    self.begun.set()
                    while not self.open.wait(0.01):
                        if stopped():
                            self.stopped = True
                            return
                yield so_far

        monkeypatch.setattr(search_screen, "run_search", slow)


async def test_keys_are_answered_while_it_runs_and_no_metric_is_about_a_part(query, monkeypatch):
    """Hits fill in, and another letter drops the search."""
    async with opened(query) as pilot:
        await press(pilot, "g", "l")
        for pressed in ("escape", "x"):
            gate = Gate(monkeypatch)
            await press(pilot, "slash", *keys("late"), "enter")
            await until(pilot, gate.begun.is_set)
            await press(pilot, "j", "k", pressed)
            await until(pilot, lambda gate=gate: gate.stopped)
            await shows(pilot, "of 9 cases")
            await hides(pilot, "so far")
            assert inspected(pilot).results.matches is None, pressed
            monkeypatch.undo()
            if pilot.app.screen.NAME != "cases":
                await press(pilot, "g", "l")
        gate = Gate(monkeypatch)
        await press(pilot, "slash", *keys("late"), "enter")
        await until(pilot, gate.begun.is_set)
        await press(pilot, "j", "k", "v z")
        # It ends while another screen is on top.
        await press(pilot, "enter")
        await shows(pilot, "Step 0 of")
        gate.open.set()
        await until(pilot, lambda: all(one.is_finished for one in pilot.app.workers if one.group == "search"))
        await press(pilot, "escape")
        await shows(pilot, "1 of 9 cases", "search late")
        assert listed(pilot) == ["bench/late-one"]
        await hides(pilot, "/ in all")
        await press(pilot, "x")
        await shows(pilot, "9 of 9 cases")
        gate = Gate(monkeypatch)
        await press(pilot, "slash", "l")
        await until(pilot, gate.begun.is_set)
        await press(pilot, *keys("ate"))
        screen = await shows(pilot, "1 case so far, 100% of the texts read")
        assert "F1" not in screen.splitlines()[0]
        assert pilot.app.screen.query_one(FrameTable).row_count == 1
        gate.open.set()
        await until(pilot, lambda: inspected(pilot).results.query.search == "late")
        await shows(pilot, "1 of 9 cases", "F1")
        assert listed(pilot) == ["bench/late-one"]


async def test_a_workspace_opened_with_a_search_keeps_it(query):
    from msgspec.structs import replace

    async with opened(replace(query, search="-one", within=("problem",))) as pilot:
        await shows(pilot, "filter search -one in problem")
        await press(pilot, "g", "l")
        await shows(pilot, "7 of 9 cases")
        await press(pilot, "slash", "home", *keys("late"))
        await shows(pilot, "1 of 9 cases", "/ in problem:", "search late-one in problem")
        await press(pilot, "enter", "x")
        await shows(pilot, "7 of 9 cases")
