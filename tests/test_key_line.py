from itertools import pairwise

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Input, Static

from inspector.widgets.key_line import KeyLine
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import SCREENS
from inspector.widgets.key_table.footers import footer_of
from inspector.widgets.key_table.rail import RAIL
from screen_text import screen_text, settled, until

ONLY_SOME = {"next-page", "scorers", "options", "swap"}
"""Commands of some analysis screens only."""
WORDS = ["First", "Second", "Third", "漢字", "Last"]


class Keys(App[None]):
    BINDINGS = [Binding(str(number), f"go({number})", word) for number, word in enumerate(WORDS)]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        yield KeyLine()

    def action_go(self, number: int) -> None: ...


def line(app):
    return screen_text(app).splitlines()[-1].rstrip()


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (80, " 0 first   1 second   2 third   3 漢字   4 last"),
        (39, " 0 first   1 second   2 third   3 漢字"),
        (37, " 0 first   1 second   2 third"),
        (20, " 0 first   1 second"),
        (4, ""),
    ],
)
async def test_no_key_is_cut_in_half(width, shown):
    async with Keys().run_test(size=(width, 5)) as pilot:
        await settled(pilot)
        assert line(pilot.app) == shown


async def test_what_had_no_room_comes_with_it():
    async with Keys().run_test(size=(24, 5)) as pilot:
        await settled(pilot)
        assert "last" not in line(pilot.app)
        await pilot.resize_terminal(80, 5)
        await until(pilot, lambda: "4 last" in line(pilot.app))


class Pane(Static, can_focus=True):
    BINDINGS = [Binding("p", "go(1)", "A page of the pane", show=False)]  # noqa: RUF012

    def action_go(self, number: int) -> None: ...


class Beside(Keys):
    def compose(self) -> ComposeResult:
        yield Pane()
        yield KeyLine()


async def test_an_action_of_the_same_name_in_a_pane_takes_no_key_away():
    async with Beside().run_test(size=(80, 5)) as pilot:
        await settled(pilot)
        pilot.app.query_one(Pane).focus()
        await settled(pilot)
        assert " 0 first   1 second   2 third" in line(pilot.app)
        assert "A page" not in line(pilot.app)


class Typing(Keys):
    BINDINGS = [Binding(key, f"sign('{key}')", key) for key in ("at", "slash")]  # noqa: RUF012

    def action_sign(self, sign: str) -> None: ...

    def compose(self) -> ComposeResult:
        yield Input()
        yield Pane()
        yield KeyLine()


async def test_what_would_be_typed_is_no_key_while_a_line_has_the_focus():
    keys = {"first", "at", "slash"}
    async with Typing().run_test(size=(80, 5)) as pilot:
        pilot.app.query_one(Pane).focus()
        await until(pilot, lambda: keys <= set(line(pilot.app).split()))
        pilot.app.query_one(Input).focus()
        await until(pilot, lambda: not keys & set(line(pilot.app).split()))


class Many(App[None]):
    BINDINGS = [  # noqa: RUF012
        *(Binding(letter, f"go('{letter}')", f"Thing {letter}", id=letter, show=False) for letter in "abcdfg"),
        Binding("p", "go('pane')", "Next pane", id="next-pane", show=False),
        Binding("t", "go('threshold')", "Threshold", id="threshold", show=False),
        Binding("e", "go('export')", "Export", id="export", show=False),
        Binding("enter", "go('open')", "Open", id="open", show=False),
        Binding("question_mark", "go('help')", "Help", id="help", show=False),
    ]
    FOOTER = {"open": "failures", "next-pane": "pane", **{letter: letter for letter in "gfdcba"}}  # noqa: RUF012

    def compose(self) -> ComposeResult:
        yield KeyLine({**self.FOOTER, "threshold": "threshold", "export": "export", "help": "help"})

    def action_go(self, name: str) -> None: ...


@pytest.mark.parametrize(("width", "count"), [(80, 7), (120, 10)])
async def test_a_screen_has_few_hints_in_one_order_and_help_at_the_right_edge(width, count):
    async with Many().run_test(size=(width, 5)) as pilot:
        await settled(pilot)
        keys = pilot.app.query_one(KeyLine).keys
        words = [key.description for key in keys]
        assert len(words) == count
        assert (words[:2], words[-3:]) == (["failures", "pane"], ["threshold", "export", "help"])
        assert words[2:-3] == [*"gfdcba"][: count - 5]
        assert all(later.start - earlier.end >= 3 for earlier, later in pairwise(keys))
        assert keys[-1].end == width - 1


@pytest.mark.parametrize("screen", SCREENS)
def test_the_footer_of_a_screen_names_commands_that_it_has(screen):
    known = {command.id for command in COMMANDS if screen in command.screens or command.in_answers}
    known |= {command.id for command in RAIL} | {"command_palette"}
    assert set(footer_of(screen)) <= known | ONLY_SOME
    assert all(title == title.strip() and title for title in footer_of(screen).values())
