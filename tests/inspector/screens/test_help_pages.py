"""`?` lists what can be done and does it; a key that nobody has is answered."""

from inspector.render.texts.sentences import GLYPHS
from inspector.screens.dialog import CommandMenu
from inspector.screens.help_pages import MEANINGS
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.pick_list import PickList
from opened import opened
from screen_text import looks_like, press, rests, settled, shows


def labels(pilot):
    return [pick.label.split() for pick in pilot.app.screen.query_one(PickList)._picks]


async def test_it_lists_every_command_of_the_screen_and_what_marks_mean(query):
    async with opened(query, size=(80, 24)) as pilot:
        for keys, name in (((), "board"), (("g", "l"), "cases"), (("enter",), "case")):
            await press(pilot, *keys)
            before, screen = await rests(pilot), pilot.app.screen
            await press(pilot, "question_mark")
            await shows(pilot, "Everything that can be done here", "type letters to narrow", "⏎ do it")
            listed = {pick.key for pick in pilot.app.screen.query_one(PickList)._picks if pick.key}
            assert listed == {command.id for command in COMMANDS if name in command.screens}
            marks = {line[0] for line in labels(pilot) if line[-1] == "(mark)"}
            assert marks >= {GLYPHS[outcome] for outcome in MEANINGS}
            await press(pilot, "escape")
            await settled(pilot)
            assert pilot.app.screen is screen
            await looks_like(pilot, before)


async def test_a_key_that_nobody_has_is_answered_and_typing_narrows_the_list_whose_line_is_done_by_enter(query):
    """Answered once, and named where it has something to do. The line is told whole, and a mark is nothing to do."""
    async with opened(query, size=(100, 30)) as pilot:
        said = pilot.app._notifications
        await press(pilot, "7")
        assert [one.message for one in said] == ["7 does nothing here. ? lists what does."]
        await press(pilot, *"8999")
        assert len(said) == 1
        pilot.app.keys.answered = 0.0
        await press(pilot, "slash")
        assert [one.message for one in said][1:] == [
            "/ does nothing here; on the list it is Search. ? lists what does."
        ]
        await press(pilot, "f5", "ctrl+k")
        assert len(said) == 2
        pilot.app.clear_notifications()
        await press(pilot, "g", "l")
        for typed, line, whole in (
            ("condition", ": Condition", "SQL"),
            ("sort", "s Sort", "Sort by any column, up or down"),
            ("false al", "! (mark)", "it names a step, though none is wrong"),
            ("e", "e Export", "Save or copy exactly"),
            ("no such thing", None, "Nothing has these letters."),
        ):
            await press(pilot, "question_mark", *("space" if letter == " " else letter for letter in typed))
            await shows(pilot, whole)
            found = labels(pilot)
            assert (" ".join(found[0]) if found else None) == line
            await press(pilot, "escape")
        await press(pilot, "question_mark", *"refused", "enter")
        assert isinstance(pilot.app.screen, CommandMenu)
        await press(pilot, "escape", "question_mark", *"threshold", "enter")
        await shows(pilot, "←→ move")
        await press(pilot, "question_mark", *"rais", "enter")
        await press(pilot, "escape", "question_mark", *"theme", "enter")
        await shows(pilot, "Search for themes")
