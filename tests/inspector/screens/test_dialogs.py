"""A dialog tells its keys in its footer and under `?`; what it leaves on the screen: `test_ending`."""

import importlib
import pkgutil
import re
from pathlib import Path

import textual
from textual.dom import DOMNode

import example
import inspector.screens
import inspector.widgets
from inspector.screens.dialog import CommandMenu, Dialog
from inspector.screens.question_dialogs import SureDialog
from inspector.widgets.key_line import KeyLine
from inspector.widgets.line_view import LineView
from inspector.widgets.pick_list import PickList
from inspector.widgets.themes import OneDialog
from opened import opened
from screen_text import press, settled, shows


def test_no_class_of_ours_takes_the_styles_of_one_of_textuals():
    """Styles go by the names of classes: Textual's palette hid a dialog of ours that was called as a part of it."""
    for package in (inspector.screens, inspector.widgets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    ours = {one.__name__ for one in _all_kinds(DOMNode) if one.__module__.startswith("inspector.")}
    sources = (path.read_text(encoding="utf-8") for path in Path(textual.__file__).parent.rglob("*.py"))
    theirs = {name for source in sources for name in re.findall(r"^class (\w+)\(", source, re.MULTILINE)}
    assert {"CommandMenu", "WhichKey"} <= ours
    assert {"CommandList", "KeyPanel"} <= theirs
    assert not ours & theirs


def _all_kinds(kind):
    return {kind}.union(*map(_all_kinds, kind.__subclasses__()))


OPENED_BY = {
    "g b": {
        "everything that can be done": "question_mark",
        "export": "e",
        "sort": "s",
        "score": "S",
        "guide": "g u",
    },
    "g l": {
        "slices": "v s",
        "columns": "v c",
        "looked through": "o",
        "condition": "colon",
        "tags": "w",
        "note": "a",
        "queue": "g t",
    },
    "enter": {"like this": "g k", "history": "v h", "beside": "o", "what if": "g w"},
}
"""The key of a screen, from the one before, and those of the dialogs on it."""


async def test_its_footer_tells_its_own_keys_and_each_of_them_is_one_that_works(query):
    """It can be clicked; and a dialog lists what it can do, and does it. What it draws before it is laid out is as wide
    as it gets: else it would be drawn twice, and first with its words cut. The list of keys is seen after the palette
    was open.
    """
    async with opened(query, size=(100, 30)) as pilot:
        await press(pilot, "ctrl+p")
        await shows(pilot, "Search for")
        await press(pilot, "escape", "question_mark")
        await shows(pilot, "Everything that can be done here")
        await press(pilot, "escape")
        places = [(key, name, opening) for key, dialogs in OPENED_BY.items() for name, opening in dialogs.items()]
        for (key, name, opening), (before, *_) in zip(places, [("",), *places], strict=False):
            await press(pilot, *((key,) if key != before else ()), opening)
            dialog = pilot.app.screen
            assert isinstance(dialog, Dialog), name
            told = dialog.query_one(KeyLine).keys
            assert "escape" in [key.name for key in told], name
            assert all(key.name in dialog.active_bindings for key in told), name
            letters = [key.name for key in told if len(key.name) == 1 or key.name == "question_mark"]
            types = dialog.focused is not None and dialog.focused.check_consume_key("x", "x")
            assert not (types and letters), f"{letters} would be typed in {name}"
            await press(pilot, "escape")
            assert not isinstance(pilot.app.screen, Dialog), name
        await press(pilot, "g l", "o")
        beneath, line = pilot.app.screen_stack[-2], pilot.app.screen.query_one(KeyLine)
        place = next(key.start for key in line.keys if key.name == "escape")
        await pilot.click(KeyLine, offset=(place, 0))
        await settled(pilot)
        assert pilot.app.screen is beneath
        for opening, runs, stays in ("v c", "usual ones", True), ("e", "close", False):
            await press(pilot, opening)
            dialog, beneath = pilot.app.screen, pilot.app.screen_stack[-2]
            await press(pilot, "question_mark")
            listed = pilot.app.screen
            assert isinstance(listed, CommandMenu)
            picks = [pick for pick in listed.query_one(PickList).picks if not pick.heading]
            assert {pick.label.split(maxsplit=1)[0] for pick in picks} >= {"Enter", "Esc", "?", "Ctrl+c"}
            await press(pilot, *("space" if letter == " " else letter for letter in runs), "enter")
            await settled(pilot)
            assert pilot.app.screen is (dialog if stays else beneath)
            if stays:
                await press(pilot, "escape")
        for width, keys in (50, ("v s",)), (99, ("enter", "v h")):
            await pilot.resize_terminal(width, 30)
            await press(pilot, *keys)
            dialog = pilot.app.screen
            assert isinstance(dialog, Dialog)
            assert dialog.line_width == dialog.query_one(LineView).viewport.width
            await press(pilot, "escape")


async def test_whoever_presses_twice_ends_it_once():
    dialog = SureDialog("Do it?")
    app = OneDialog(dialog)
    async with app.run_test() as pilot:
        dialog.dismiss(result=True)
        dialog.dismiss(result=False)
        await pilot.pause()
    assert app.return_value is True


async def test_what_is_said_in_a_dialog_is_at_the_top(tmp_path):
    """A short toast takes one line, a longer one two; neither hides text that people read."""
    async with opened(example.write(tmp_path), size=(80, 24)) as pilot:
        await press(pilot, "g", "l", "w", *"odd", "enter")
        await shows(pilot, "Tagged bench/exact-one: odd")
        toasts = pilot.app.screen.query("Toast")
        assert [toast.region.y for toast in toasts] == [0]
        pilot.app.clear_notifications()
        await pilot.resize_terminal(40, 12)
        await press(pilot, "f5")
        pilot.app.notify("one two three four five six seven eight nine ten eleven twelve")
        await shows(pilot, "one two", "eleven twelve")
