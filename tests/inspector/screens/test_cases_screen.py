import json
import re

from msgspec.structs import replace

import example
import making
from inspector.screens.case import CaseScreen
from inspector.state.case_list.listed import arranged
from inspector.state.focusing import on_benchmark
from inspector.widgets.facet_list import FacetList, FacetValue, Rest
from inspector.widgets.frame_table import FrameTable
from opened import DEMO, inspected, listed, opened
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import NumberRange
from screen_text import hides, press, rests, screen_lines, screen_text, shows, until
from thoroughness import THOROUGH, also

EVERY = [f"bench/{one.id}" for one in example.EXAMPLES]


EDGES = " ▌┃│"
"""Prefix of a row: the frame and the mark of the cursor."""


def on_screen(pilot):
    """Ids of the rows on screen, in their order."""
    ids = {one.id for one in example.EXAMPLES}
    words = [line.strip(EDGES).split()[:1] for line in screen_lines(pilot.app)]
    return [f"bench/{first[0]}" for first in words if first and first[0] in ids]


def line_of(pilot, case):
    return next(line.strip(EDGES) for line in screen_lines(pilot.app) if line.strip(EDGES).startswith(case))


def under_cursor(pilot):
    return pilot.app.screen.query_one(FrameTable).key


async def test_the_failures_come_most_instructive_first_and_where_it_is_narrow_the_pane_waits_to_be_asked_for(query):
    async with opened(query, size=(80, 24)) as pilot:
        await press(pilot, "enter")
        assert "Problem of" not in await rests(pilot, "alarm-one")
        for size in ((80, 24), (200, 50)):
            await pilot.resize_terminal(*size)
            lines = (await rests(pilot, "bench ▸ alpha ▸ failures", "5 of 9 cases", "F1 45.0")).splitlines()
            assert "sorted by most instructive" in lines[1]
            assert "F1 ignores outcome filters · 1 of 5" in lines[-2]
            assert on_screen(pilot) == listed(pilot) == example.FAILURES
            assert line_of(pilot, "late-one").split()[:7] == ["late-one", "3", "0", "2", ">", "late", "−0.20"]
            assert line_of(pilot, "alarm-one").split()[:7] == ["alarm-one", "2", "none", "1", "!", "false", "alarm"]
            assert line_of(pilot, "early-one").split()[4:7] == ["<", "early", "never"]
            assert "▸▆█▃" in line_of(pilot, "late-one")
        await pilot.resize_terminal(80, 24)
        await hides(pilot, "Problem of")
        await press(pilot, "v", "z")
        await shows(pilot, "Problem of alarm-one")


async def test_the_list_is_sorted_by_what_is_chosen_or_whose_title_is_clicked_where_there_is_an_order(query):
    """The cursor goes to the first."""
    async with opened(query) as pilot:
        await press(pilot, "g", "l", *["down"] * 4)
        await shows(pilot, "9 of 9 cases", "as in the file")
        assert on_screen(pilot) == EVERY
        await press(pilot, "s", *"steps", "enter")
        await shows(pilot, "longest first", "↓steps")
        steps = {f"bench/{one.id}": one.n_steps for one in example.EXAMPLES}
        assert on_screen(pilot) == sorted(EVERY, key=lambda case: -steps[case])
        await press(pilot, "s", *"file", "enter")
        await shows(pilot, "as in the file")
        assert under_cursor(pilot) == EVERY[0]
        for words, reverse in (("longest first", True), ("shortest first", False)):
            header = screen_lines(pilot.app)[2]
            await pilot.click(FrameTable, offset=(header.index("steps") + 1, 1))
            await shows(pilot, words, "↓steps" if reverse else "↑steps")
            assert listed(pilot) == sorted(EVERY, key=lambda case: steps[case], reverse=reverse)
        header = screen_lines(pilot.app)[2]
        await pilot.click(FrameTable, offset=(header.index("rewa") + 1, 1))
        await shows(pilot, "Rewards has no order to sort by.", "shortest first")
        await pilot.click(FrameTable, offset=(header.index("outcome") + 1, 1))
        await shows(pilot, "sorted by outcome upwards")
        assert listed(pilot, "alpha.outcome") == sorted(listed(pilot, "alpha.outcome"))
        await press(pilot, "s", *"instr", "enter")
        await shows(pilot, "sorted by most instructive")
        assert on_screen(pilot)[:5] == example.FAILURES


async def test_a_click_selects_a_case_and_a_second_opens_it_and_the_cursor_comes_back_to_it(
    query,
):
    """A moved threshold flips cases in their place until it is kept."""
    async with opened(query) as pilot:
        await press(pilot, "enter")
        await pilot.click(FrameTable, offset=(5, 4))
        await shows(pilot, "Problem of missed-one")
        await pilot.click(FrameTable, offset=(5, 4))
        await until(pilot, lambda: isinstance(pilot.app.screen, CaseScreen))
        await shows(pilot, "3 of 5")
        await press(pilot, "escape", "home", "enter", "n", "n")
        await shows(pilot, "3 of 5")
        await press(pilot, "escape")
        await shows(pilot, "Problem of missed-one")
        assert under_cursor(pilot) == example.FAILURES[2]
        # The gold reason can be hidden, and formulas raw.
        await press(pilot, "k")
        await shows(pilot, "Because of late-one", "what is 3/4 of it?")
        await press(pilot, "v", "r", "v", "w")
        assert "Because of" not in await rests(pilot, "hidden; v r shows it", "$\\frac{3}{4}$")
        await press(pilot, "j")
        await shows(pilot, "Problem of missed-one", "$\\frac{3}{4}$", "hidden; v r shows it")
        # Escape closes the facets first, and then the list.
        await press(pilot, "f")
        await shows(pilot, "outcome of alpha")
        await press(pilot, "escape")
        await until(pilot, lambda: "outcome of alpha" not in screen_text(pilot.app))
        assert isinstance(pilot.app.focused, FrameTable)
        await press(pilot, "escape")
        await shows(pilot, "2 scorers")
        # A case that becomes right leaves the failures, and comes back.
        await press(pilot, "enter", "home", "down", "down", "down")
        await shows(pilot, "5 of 9 cases", "Problem of missed-two")
        await press(pilot, "t", *["right"] * 3)
        await shows(pilot, "4 of 9 cases", "Problem of early-one")
        assert "bench/missed-two" not in on_screen(pilot)
        await press(pilot, "escape")
        await shows(pilot, "5 of 9 cases", "F1 45.0")
        assert on_screen(pilot) == example.FAILURES
        await press(pilot, "x", "t")
        await shows(pilot, "9 of 9 cases", "sorted by most instructive", "* best")
        before = on_screen(pilot)
        await press(pilot, *["right"] * 3)
        await shows(pilot, "F1 60.0", "1 changed: 1 right, 0 wrong, 0 still wrong")
        assert on_screen(pilot) == before
        assert "= exact" in line_of(pilot, "missed-two")
        await press(pilot, "enter")
        await until(pilot, lambda: on_screen(pilot) != before)
        assert on_screen(pilot)[:4] == [case for case in example.FAILURES if case != "bench/missed-two"]
        assert on_screen(pilot) == listed(pilot)


async def test_the_pane_follows_the_cursor_and_two_facets_together_count_under_each_other(query):
    """The pane gives its room to the list."""
    async with opened(query) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "Problem of alarm-one")
        await press(pilot, "j")
        text = await rests(pilot, "Problem of late-one", "two steps late", "gold   0", "pred   2", "Why   Because")
        assert "error type" not in text
        await press(pilot, "v", "z")
        text = await rests(pilot, "error type", "pattern", "at gold")
        assert "Problem of" not in text
        await press(pilot, "v", "z")
        await shows(pilot, "Problem of late-one")
        await press(pilot, "f")
        await shows(pilot, "[x] o missed", "[ ] = exact", "outcome of alpha")
        assert _count(pilot, "= exact") == 2
        assert (_count(pilot, "sums"), _count(pilot, "words")) == (3, 2)
        facets = pilot.app.screen.query_one(FacetList)
        _go_to(facets, FacetValue("subset", "sums", "", 0))
        await press(pilot, "space")
        await shows(pilot, "subset = sums", "3 of 9 cases", "[x] sums")
        assert _count(pilot, "o missed") == 0
        assert (_count(pilot, "sums"), _count(pilot, "words")) == (3, 2)
        assert listed(pilot) == [f"bench/{name}" for name in ("alarm-one", "late-one", "early-one")]


async def test_the_pane_is_wrapped_anew_when_the_facets_take_its_room():
    async with opened(DEMO, size=(160, 30)) as pilot:
        await press(pilot, "enter", "f")
        await shows(pilot, "[x] o missed")
        await shows(pilot, "predicted step")
        pane = pilot.app.screen.query_one("#pane")
        await until(pilot, lambda: all(width <= pane.viewport.width for width in _widths(pane)))
        await press(pilot, "f")
        await until(pilot, lambda: max(_widths(pane)) > 50)


def _widths(pane):
    return [sum(len(text) for text, _ in line.parts) for line in pane._lines]


async def test_another_scorer_brings_its_own_columns_and_blind_hides_those_of_labels_and_verdicts(query, tmp_path):
    """Blind wherever it was asked for, also in what is copied. A threshold that moves is kept when another scorer or a
    facet is chosen.
    """
    async with opened(query, size=(160, 30), state_folder=tmp_path) as pilot:
        await press(pilot, "g", "l")
        table = pilot.app.screen.query_one(FrameTable)
        before = await rests(pilot, "o missed", "▸")
        names = [column.name for column in table.columns_shown]
        assert {"earliest_error", "verdict", "outcome", "margin", "reward_at_gold"} <= set(names)
        await press(pilot, "v", "b")
        told = await rests(pilot, "BLIND", "v b shows them")
        assert [column.name for column in table.columns_shown][:3] == ["id", "n_steps", "rewards"]
        below = told.partition("\n")[2]
        assert [word for word in ("o missed", "! false alarm", "▸", "pattern", "slip") if word in below] == []
        await press(pilot, "enter", "v", "b")
        await shows(pilot, "gold says step")
        await press(pilot, "escape")
        await hides(pilot, "BLIND")
        assert [column.name for column in table.columns_shown] == names
        await press(pilot, "enter", "v", "b", "escape")
        await shows(pilot, "BLIND")
        assert "outcome" not in [column.name for column in table.columns_shown]
        await press(pilot, "v", "b")
        assert await hides(pilot, "BLIND") == before
        await shows(pilot, "▸ alpha ▸", "F1 45.0", "= exact")
        await press(pilot, "o", "down", "enter")
        await shows(pilot, "▸ beta ▸", "θ 0.000", "F1 83.3", "x refused")
        assert "x refused" in line_of(pilot, "exact-one")
        assert "unscored" in line_of(pilot, "early-one")
        assert "= exact" in line_of(pilot, "missed-two")
        await press(pilot, "o", "up", "enter")
        await shows(pilot, "▸ alpha ▸", "F1 45.0")
        await press(pilot, "t", *["right"] * 3, "o", "down", "enter")
        assert "changed: " not in await rests(pilot, "▸ beta ▸", "F1 83.3")
        await press(pilot, "o", "up", "enter")
        await shows(pilot, "▸ alpha ▸", "θ 0.530 chosen", "F1 60.0")
        await press(pilot, "f", "t", "right", "space")
        assert "changed: " not in await rests(pilot, "3 of 9 cases", "filter outcome = exact", "θ 0.540")
        await press(pilot, "escape", "escape")
        assert inspected(pilot).focus.scorer == "alpha"
        await press(pilot, "g", "l")
        pilot.app.screen.put(arranged(inspected(pilot), ("outcome", "beta.margin", "lowest_reward", "tags")))
        await press(pilot, "v", "b")
        await shows(pilot, "BLIND", "lowest")
        assert [column.name for column in pilot.app.screen.query_one(FrameTable).columns_shown] == ["lowest_reward"]
        pilot.app.screen.put(arranged(inspected(pilot), ("outcome",)))
        await shows(pilot, "exact-one")
        await press(pilot, "y")
        await shows(pilot, "Copied the facts of exact-one")
        facts = json.loads((tmp_path / "copied.txt").read_text())
        assert {"outcome", "verdict", "earliest_error"} & set(facts) == set()
        assert facts["rewards"] == [0.9, 0.2, 0.8]


async def test_a_filter_that_nothing_passes_says_so_and_x_shows_all(query):
    async with opened(replace(query, unparsed="drop")) as pilot:
        await press(pilot, "enter", "o", "down", "enter")
        await shows(pilot, "0 of 9 cases", "beta", "No case passes this filter; x shows all again.")
        await press(pilot, "enter", "e", "escape", "j", "G", "v", "r", "v", "w", "t", "right", "escape")
        await press(pilot, "x")
        await shows(pilot, "9 of 9 cases", "▸ cases ", "Problem of")


async def test_every_value_of_every_facet_counts_the_rows_it_would_list():
    """On the demo the first value of each is kept alone and the last is hidden, with --thorough every one: its count is
    what the list holds, or lacks.
    """
    async with opened(DEMO, size=(70, 12)) as pilot:
        await press(pilot, "g", "l", "f")
        await shows(pilot, "240 of 240", "outcome of")
        facets = pilot.app.screen.query_one(FacetList)
        for place in reversed(range(len(facets._lines))):
            if isinstance(facets._lines[place], Rest):
                facets.cursor = place
                await press(pilot, "enter")
        everything = [line for line in facets._lines if isinstance(line, FacetValue)]
        assert len(everything) > 30
        total = len(listed(pilot))
        last, first = ({entry.column: entry for entry in way} for way in (everything, everything[::-1]))
        for key, tried in ("space", first.values()), ("number_sign", last.values()):
            for entry in everything if THOROUGH else tried:
                _go_to(facets, entry)
                await press(pilot, key)
                await until(pilot, lambda: inspected(pilot).filter)
                rows = listed(pilot, entry.column)
                count = entry.count if key == "space" else total - entry.count
                assert len(rows) == count
                assert all(_has(entry.value, row) == (key == "space") for row in rows)
                assert f"{count:,} of {total:,} cases" in screen_lines(pilot.app)[0]
                _go_to(facets, entry)
                await press(pilot, key)
                await until(pilot, lambda: not inspected(pilot).filter)
        by_facet = {}
        for entry in everything:
            by_facet[entry.column] = by_facet.get(entry.column, 0) + entry.count
        assert set(by_facet.values()) == {total}


def _go_to(facets, entry):
    known = [(line.column, line.value) if isinstance(line, FacetValue) else None for line in facets._lines]
    facets.cursor = known.index((entry.column, entry.value))


def _has(value, row):
    return value.low <= row <= (value.high or row) if isinstance(value, NumberRange) else row == value


def _count(pilot, label):
    line = next(line for line in screen_lines(pilot.app) if f"] {label} " in line)
    return int(re.split("[│┃]", line.strip(EDGES))[0].split()[-1])


async def test_a_tiny_terminal_breaks_nothing(query):
    async with opened(query) as pilot:
        for size in ((20, 5), (1, 1), *also((40, 10))):
            await pilot.resize_terminal(*size)
            await press(pilot, "enter", "j", "f", "j", "space", "escape", "v", "z", "t", "right", "right")
            await press(pilot, "enter", "enter", "n", "t", "left", "escape", "e", "escape")
            await press(pilot, "question_mark", "question_mark", "escape")
            await pilot.resize_terminal(120, 36)
            await shows(pilot, "alpha")
            await press(pilot, "escape", "g", "b")


async def test_the_rail_says_what_decides_on_the_benchmark_that_is_looked_at(tmp_path):
    """Dev sets tune the thresholds of one benchmark and not those of the other, which is too small."""
    for name, n in (("large", 160), ("small", 12)):
        making.workspace(tmp_path / "w", *making.study(n=n), benchmark=name)
    query = Query(workspace=str(tmp_path / "w"), scorers=("gpt4",), thresholds=((None, "dev"),))
    async with opened(query, size=(160, 36)) as pilot:
        for keys in (("g", "l"), ("enter",), ("g", "d")):
            await press(pilot, *keys)
            screen = pilot.app.screen
            for name, words in (("large", "dev-tuned per subset"), ("small", "default; not dev-tuned")):
                screen.put(on_benchmark(inspected(pilot), name))
                await shows(pilot, f" {name} ▸ gpt4")
                card = load(replace(query, benchmarks=(name,)))
                assert card.evaluation("gpt4").rule.source.startswith(words)
                await press(pilot, "t")
                await shows(pilot, f"threshold for each subset ({words}" if name == "large" else "for each subset (def")
                pilot.app.clear_notifications()
