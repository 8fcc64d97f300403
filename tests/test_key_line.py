import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Input, Static

from inspector.widgets.key_line import KeyLine
from screen_text import screen_text, settled, until

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
        (80, "0 First 1 Second 2 Third 3 漢字 4 Last ^q Quit"),
        (31, "0 First 1 Second 2 Third 3 漢字"),
        (24, "0 First 1 Second 2 Third"),
        (23, "0 First 1 Second"),
        (4, ""),
    ],
)
async def test_no_key_is_cut_in_half(width, shown):
    async with Keys().run_test(size=(width, 5)) as pilot:
        await settled(pilot)
        assert line(pilot.app) in {shown, shown.removesuffix(" ^q Quit")}


async def test_what_had_no_room_comes_with_it():
    async with Keys().run_test(size=(20, 5)) as pilot:
        await settled(pilot)
        assert "Last" not in line(pilot.app)
        await pilot.resize_terminal(80, 5)
        await until(pilot, lambda: "4 Last" in line(pilot.app))


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
        assert "1 Second" in line(pilot.app)
        assert "A page" not in line(pilot.app)


class Typing(Keys):
    BINDINGS = [Binding(key, f"sign('{key}')", key) for key in ("at", "slash")]  # noqa: RUF012

    def action_sign(self, sign: str) -> None: ...

    def compose(self) -> ComposeResult:
        yield Input()
        yield Pane()
        yield KeyLine()


async def test_what_would_be_typed_is_no_key_while_a_line_has_the_focus():
    keys = {"First", "at", "slash"}
    async with Typing().run_test(size=(80, 5)) as pilot:
        pilot.app.query_one(Pane).focus()
        await until(pilot, lambda: keys <= set(line(pilot.app).split()))
        pilot.app.query_one(Input).focus()
        await until(pilot, lambda: not keys & set(line(pilot.app).split()))
