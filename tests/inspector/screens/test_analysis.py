"""What every screen of analysis does: figures that take longer, pages, and lists of the cases behind a number."""

import re
import threading

import pytest

import example
from inspector.app.services import navigation
from inspector.render.analysis_list import summaries
from inspector.screens import analysis
from inspector.screens.analysis import AnalysisScreen
from inspector.screens.messages import Go
from inspector.widgets.sheet_view import SheetView
from opened import inspected, listed, opened
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.journal import Author, Journal
from screen_text import hides, press, rests, screen_text, shows, until
from thoroughness import THOROUGH


def sheet_of(pilot):
    return pilot.app.screen.query_one(SheetView)


def line_of(text, start):
    """Return the first line of the panel whose title starts with the words."""
    return next(line for line in text.splitlines() if line.strip(" ┃│").startswith(start))


async def test_what_cannot_be_computed_says_why_and_not_that_it_is_being_computed(query, monkeypatch):
    def fails(*_, **__):
        raise UsageError("The rewards\x1b[5m cannot be read.", "Import them again.")

    monkeypatch.setattr("inspector.analyses.Analysis.view", fails)
    async with opened(query) as pilot:
        for key in ("g c", "g r"):
            await press(pilot, key)
            await shows(pilot, "cannot be read.", "Import them again.")
            assert "omputing" not in screen_text(pilot.app), key
            assert "\x1b" not in screen_text(pilot.app), key
            await press(pilot, "escape")
            assert "Import them again." not in screen_text(pilot.app), key


async def test_a_page_that_was_open_is_not_computed_again(query, monkeypatch):
    asked = []
    make = AnalysisScreen.view_of

    def counting(self, state, page, *, intervals):
        asked.append((page, intervals))
        return make(self, state, page, intervals=intervals)

    monkeypatch.setattr(AnalysisScreen, "view_of", counting)
    async with opened(query) as pilot:
        await press(pilot, "g", "c")
        first = await rests(pilot, "McNemar")
        pages = [page.name for page in pilot.app.screen.PAGES]
        tried = pages if THOROUGH else [pages[0], pages[2]]
        for page in (*tried[1:], *tried[:-1], *tried[1:]):
            pilot.app.screen.turn_to(page)
            await rests(pilot)
            await until(pilot, lambda: not sheet_of(pilot).sheet.busy)
        assert len(asked) == len(set(asked)) == 2 * len(tried)
        pilot.app.screen.turn_to(pages[0])
        assert await rests(pilot) == first
        # Another threshold makes other figures, of this page and of the others.
        await press(pilot, "t", "right", "enter")
        await rests(pilot)
        pilot.app.screen.turn_to(pages[2])
        await rests(pilot)
        assert asked.count((pages[0], True)) == asked.count((pages[2], True)) == 2


async def test_a_page_of_one_scorer_that_is_told_apart_by_another_follows_that_ones_threshold(query):
    """Though the threshold was moved, and taken back to the first scorer, while another page was open."""
    async with opened(query) as pilot:
        await press(pilot, "g", "d")
        screen = pilot.app.screen
        screen._told_of["bench"] = {"rows": "beta.outcome"}
        screen.show_state(screen.state)
        await until(pilot, lambda: not sheet_of(pilot).sheet.busy)
        before = await rests(pilot, "outcome of beta")
        screen.turn_to("offset")
        screen.put(screen.state.focused("beta", "bench"))
        screen.put(screen.state.moved(0.95))
        screen.put(screen.state.focused("alpha", "bench"))
        await until(pilot, lambda: not sheet_of(pilot).sheet.busy)
        screen.turn_to("cells")
        assert await rests(pilot, "outcome of beta") != before
        await until(pilot, lambda: not sheet_of(pilot).sheet.busy)
        page = screen.view_of(screen.state, "cells", intervals=True)
        assert screen._views["cells"][1].rows.equals(page.rows)


async def test_values_stand_there_before_their_intervals_and_a_moving_threshold_waits_for_neither(query, monkeypatch):
    go_on, make = threading.Event(), AnalysisScreen.view_of

    def waiting(self, state, page, *, intervals):
        if intervals:
            go_on.wait(20)
        return make(self, state, page, intervals=intervals)

    monkeypatch.setattr(AnalysisScreen, "view_of", waiting)
    async with opened(query) as pilot:
        await press(pilot, "g", "c")
        await shows(pilot, "Difference")
        before = screen_text(pilot.app)
        assert "├" not in line_of(before, "F1 ")
        await press(pilot, "t", "right", "right")
        moved = inspected(pilot)
        assert moved.evaluation.rule.threshold == pytest.approx(0.52)
        assert sheet_of(pilot).sheet.busy
        go_on.set()
        await until(pilot, lambda: not sheet_of(pilot).sheet.busy)
        shown = await rests(pilot, "Difference")
        assert "├" in line_of(shown, "F1 ")


async def test_letters_of_a_listed_case_are_those_of_the_screen_where_it_was_opened(query):
    """And another analysis from there is of these cases alone."""
    async with opened(query, size=(120, 40)) as pilot:
        await press(pilot, "g", "c")
        await rests(pilot, "A alpha, B beta", "McNemar")
        await press(pilot, "v s")
        before = await rests(pilot, "A beta, B alpha")
        chosen = pilot.app.remembered.left.overlaid
        while sheet_of(pilot).drill is None or not sheet_of(pilot).drill.n:
            await press(pilot, "l")
        await press(pilot, "enter")
        await shows(pilot, "▸ beta ▸ cases")
        assert inspected(pilot).focus.scorer == "beta"
        await press(pilot, "enter")
        case = await rests(pilot, "1 of")
        assert re.search(r"\bA beta", case), case
        assert re.search(r"\bB alpha", case), case
        # What a person chose to stand beside the scorer is as it was, and comes back with the next list.
        assert pilot.app.remembered.left.overlaid == chosen == ()
        await press(pilot, "escape", "escape")
        assert await rests(pilot, "A beta, B alpha") == before
        await press(pilot, "escape", "g", "l")
        await rests(pilot, "9 of 9")
        assert inspected(pilot).focus.beside == ()
        await press(pilot, "g", "b")
        await press(pilot, "g c")
        await rests(pilot, "Cases with an error")
        while sheet_of(pilot).drill is None or not 0 < sheet_of(pilot).drill.n < 9:
            await press(pilot, "l")
        number = sheet_of(pilot).drill.n
        await press(pilot, "enter")
        await shows(pilot, f"{number} of 9 cases")
        await press(pilot, "g c")
        await until(pilot, lambda: pilot.app.screen.NAME == "compare")
        assert [screen.NAME for screen in pilot.app.screen_stack[1:]] == ["board", "compare", "cases", "compare"]
        await press(pilot, "g l")
        await shows(pilot, f"{number} of 9 cases")
        await press(pilot, "g b")
        assert [screen.NAME for screen in pilot.app.screen_stack[1:]] == ["board"]


async def test_where_there_are_few_cases_figures_that_take_little_are_there_at_once(query, monkeypatch):
    monkeypatch.setattr(AnalysisScreen, "_start_view", lambda *_: None)
    async with opened(query) as pilot:
        await press(pilot, "g", "r")
        await rests(pilot, "How a verdict is decided")
        monkeypatch.setattr(analysis, "FEW", 1)
        await press(pilot, "escape", "g", "r")
        assert "How a verdict is decided" not in await rests(pilot, "Computing.")


async def test_the_next_screens_are_imported_while_nobody_waits_for_them(query, monkeypatch):
    imported = []
    monkeypatch.setattr(navigation, "_kind", imported.append)
    async with opened(query) as pilot:
        await rests(pilot)
        assert imported == list(dict.fromkeys((*navigation.SCREENS, *summaries())))


def test_an_analysis_that_is_called_as_a_screen_is_opened_as_that_screen():
    """The listing of what people said is a command; the screen of that name rules on cases."""
    shared = set(navigation.SCREENS) & set(summaries())
    assert "triage" in shared
    assert not any(issubclass(navigation._kind(name), AnalysisScreen) for name in shared)
    assert issubclass(navigation._kind("metrics"), AnalysisScreen)


async def test_where_a_scorer_is_needed_the_keys_that_bring_one_are_named(tmp_path):
    async with opened(example.write(tmp_path / "ws", scored=False)) as pilot:
        for key in ("g c", "g h"):
            await press(pilot, key)
            await shows(
                pilot, "Nothing to show yet", "Use S to run one, or g i on the board", "prm-inspect score bench"
            )
        await press(pilot, "S")
        await shows(pilot, "Score bench", "with a PRM")
        await press(pilot, "escape", "escape")
        await hides(pilot, "Nothing to show yet")


async def test_what_is_about_people_follows_what_they_say(query):
    """Two people agree on a case of three; then one of them, at another machine, comes to agree on a second."""
    folder = load(query).loaded.workspace.root / "triage"
    cases = ["bench/alarm-one", "bench/late-one", "bench/exact-one"]
    for who, rulings in (("ann", RULINGS[:3]), ("bob", (RULINGS[0], RULINGS[2], RULINGS[1]))):
        for case, ruling in zip(cases, rulings, strict=True):
            Journal(folder, Author(who, "gpu")).rule([case], ruling)
    async with opened(query) as pilot:
        await press(pilot, "g", "l")
        pilot.app.screen.post_message(Go("agreement"))
        await shows(pilot, "kappa, of all: alpha", "33.3 ~")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "Rulings", "second")
        await press(pilot, "left_square_bracket")
        Journal(folder, Author("bob", "laptop")).rule([cases[1]], RULINGS[1])
        await shows(pilot, "66.7 ~")
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen.NAME == "cases")
        assert sorted(listed(pilot)) == sorted(cases)
