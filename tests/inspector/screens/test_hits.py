"""What was searched for stands out where texts are read, and n and N go through it."""

import re

import making
from inspector.case_page.prose import FOUND
from inspector.widgets.line_view import LineView
from opened import opened
from reference import Case
from scoring.selection.query import Query
from screen_text import hides, press, rests, shows


def found(pilot, name):
    view = pilot.app.screen.query_one(f"#{name}", LineView)
    return [text for line in view._lines for text, names in line.parts if FOUND in names.split()]


async def test_hits_stand_out_and_n_goes_from_one_to_the_next_and_on_to_the_next_case(query):
    """The pane shows the first. Without a search it is the next case, and what only the raw text has is told."""
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, "g", "l", "slash", *"28", "enter")
        await shows(pilot, "1 of 9 cases", "step 28", "Step 28 of long-one")
        assert found(pilot, "pane") == ["28"]
        await press(pilot, "enter")
        await shows(pilot, "Step 28 of long-one")
        assert found(pilot, "steps") == ["28"]
        await press(pilot, "escape", "x")
        await pilot.resize_terminal(80, 24)
        await press(pilot, "slash", "slash", *"2 of|1 of missed-t", "slash", "enter")
        await shows(pilot, "5 of 9 cases")
        await press(pilot, "G", "enter")
        await shows(pilot, "Step 2 of long-one")
        assert len(found(pilot, "steps")) == 3
        await press(pilot, "n")
        await shows(pilot, "hit 1 of 3")
        await press(pilot, "n")
        await shows(pilot, "hit 2 of 3")
        await press(pilot, "n")
        await shows(pilot, "hit 3 of 3", "Step 22 of long-one")
        await press(pilot, "n")
        await shows(pilot, "This is the last case of the list.")
        pilot.app.clear_notifications()
        await shows(pilot, "5 of 5", "hit 3 of 3")
        await press(pilot, "N", "N")
        await shows(pilot, "hit 1 of 3")
        await press(pilot, "N")
        here = await rests(pilot, "4 of 5")
        (last,) = re.findall(r"hit (\d+) of (\d+)", here)
        assert last == ("2", "2")
        await press(pilot, "n")
        await shows(pilot, "5 of 5", "hit 1 of 3")
        await press(pilot, "escape", "x", "home", "enter", "n")
        await shows(pilot, "2 of 9")
        await press(pilot, "N")
        await shows(pilot, "1 of 9")
        await press(pilot, "escape", "slash", "backslash", *"frac", "enter")
        await shows(pilot, "filter search")
        await press(pilot, "enter")
        await shows(pilot, "found in the raw text; v w shows it")
        await press(pilot, "v", "w")
        await shows(pilot, "$\\frac{3}{4}$")
        assert found(pilot, "problem") == ["\\frac"]


async def test_a_tools_name_and_words_of_its_result_are_walked_like_those_of_steps(tmp_path):
    """A folded message is one hit at its first place; unfolded each line of it is one."""
    cases = [Case(2, 0, (0.2, 0.9)), Case(2, 1, (0.9, 0.2))]
    result = "seat row " * 300 + "ticket " + "seat row " * 300 + "ticket"
    context = [{"role": "tool", "name": "ticket_office", "text": result}]
    making.workspace(
        tmp_path, cases, [(making.scorer("s"), cases)], context=[None, context], step_messages=[None, [0, 2]]
    )
    async with opened(Query(workspace=str(tmp_path)), size=(100, 24)) as pilot:
        await press(pilot, "g", "l", "slash", *"ticket", "enter")
        await shows(pilot, "1 of 2 cases", "context")
        await press(pilot, "enter")
        await shows(pilot, "seat row ticket seat row seat row seat row seat ... 2 hits")
        assert found(pilot, "steps") == ["ticket", "ticket"]
        await press(pilot, "n")
        await shows(pilot, "hit 1 of 1")
        await press(pilot, "enter")
        await hides(pilot, "... 2 hits")
        assert found(pilot, "steps") == ["ticket"] * 3
        await press(pilot, "n", "n", "n")
        await shows(pilot, "hit 3 of 3")
