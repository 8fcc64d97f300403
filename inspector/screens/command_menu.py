"""`?`: everything that can be done on a screen, what its marks mean, and what it is for."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.render.texts.text import cell
from inspector.screens.dialog import Dialog, Narrowing
from inspector.widgets.guide import KEYS, page
from inspector.widgets.guide.key_page import key_page
from inspector.widgets.guide.laid_out import GuidePage
from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table import SCREENS, Command
from inspector.widgets.key_table.command import CLOSE, GO, OPEN, VIEW
from inspector.widgets.pick_list import Pick

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.screen import Screen


Groups = Sequence[tuple[str, Sequence[Command]]]
"""Commands that belong together, and what stands above them."""
_MOVES_FOCUS = {"app.focus_next", "app.focus_previous", "screen.copy_text"}
"""What Textual binds on every screen."""

MEANINGS = {
    "exact": "the verdict names the earliest wrong step",
    "early": "it names a step before that one",
    "late": "it names a step after it",
    "missed": "it names no step, though one is wrong",
    "clean": "it names no step, and none is wrong",
    "false_alarm": "it names a step, though none is wrong",
    "unparsed": "an answer from which no verdict can be read",
    "refused": "a case that the scorer could not judge",
}
"""What an outcome is, on a case with a gold label."""


class CommandMenu(Narrowing[Command]):
    """The command that was chosen; None if it was only closed."""

    ENTER = "Do it"

    def __init__(
        self,
        title: str,
        groups: Groups,
        keys: Mapping[str, str],
        *,
        about: str = "",
        marks: Sequence[tuple[str, str]] = (),
        columns: Sequence[tuple[str, str]] = (),
    ) -> None:
        """List commands by what they belong to.

        Args:
            title: what stands above all.
            groups: the commands.
            keys: those of the commands by their id, as they are written.
            about: what the screen is for.
            marks: marks, and what they mean.
            columns: titles of columns, and what they mean.
        """
        super().__init__(title, about)
        self._commands = {command.id: command for _, commands in groups for command in commands}
        width = max(map(cell_len, keys.values()), default=0)
        self._picks: list[Pick] = []
        for group, commands in groups:
            self._picks += _headed(
                group,
                (
                    Pick(command.id, f"{cell(keys.get(command.id, ''), width)}  {command.title}", command.help)
                    for command in commands
                ),
            )
        self._picks += _headed(
            "Columns", (Pick("", f"{cell('', width)}  {name} (column)", meaning) for name, meaning in columns)
        )
        self._picks += _headed("Marks", (Pick("", f"{cell(mark, width)}  (mark)", meaning) for mark, meaning in marks))

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        words = typed.lower().split()
        if not words:
            return self._picks, 0
        matching = [
            pick
            for pick in self._picks
            if not pick.heading and all(word in f"{pick.label} {pick.note}".lower() for word in words)
        ]
        # A key that was typed as it is comes first, then the names that begin so.
        return sorted(matching, key=lambda pick: _place(pick, typed.strip())), 0

    def answer(self, key: str) -> Command | None:
        return self._commands.get(key)


def outcome_marks() -> Iterator[tuple[str, str]]:
    """Return the marks of outcomes, which are the same on every screen, and what they mean."""
    return ((GLYPHS[name], f"{WORDS[name]}: {meaning}") for name, meaning in MEANINGS.items())


def grouped(commands: Sequence[Command]) -> Groups:
    """Sort the commands of a screen: what it does, what is shown, where to go, what is done everywhere, what moves."""
    rest = {command.id: command for command in commands}

    def take(holds: Callable[[Command], bool]) -> list[Command]:
        return [rest.pop(name) for name, command in list(rest.items()) if holds(command)]

    going = take(lambda command: command.keys.startswith(f"{GO} "))
    viewing = take(lambda command: command.keys.startswith(f"{VIEW} "))
    bare = take(lambda command: command.keys == NO_KEY)
    everywhere = take(lambda command: command.screens == SCREENS)
    moving = take(lambda command: command.moves)
    return [
        ("On this screen", list(rest.values())),
        ("What is shown, and how", viewing),
        ("Another screen", going),
        ("On every screen", everywhere),
        ("Moving", moving),
        ("Without a key", bare),
    ]


def commands_bound(
    screen: "Screen[Any]", bindings: "Iterable[ActiveBinding]", *, whole: bool = True
) -> list[tuple[Command, str]]:
    """Make commands of the bindings of what has the focus, with their keys as they are written.

    Those of the screen itself, with `whole`, come before them.
    """
    commands: dict[str, tuple[Command, str]] = {}
    for bound in bindings:
        binding, focused = bound.binding, bound.node is screen.focused
        if binding.action in _MOVES_FOCUS or not (focused or (whole and bound.node is screen)):
            continue
        if (focused and not binding.id) or not (whole or binding.tooltip):
            # What a widget of Textual's brings with it is not told.
            continue
        action = (
            binding.action
            if binding.action.startswith("app.")
            else f"{'focused' if focused else 'screen'}.{binding.action}"
        )
        name = binding.id or action
        if name in commands:
            command, first_key = commands[name]
            commands[name] = replace(command, keys=f"{command.keys},{binding.key}"), first_key
            continue
        command = Command(name, binding.key, binding.description, binding.tooltip, action)
        commands[name] = command, screen.app.get_key_display(binding)
    if not whole:
        return list(commands.values())
    # What opens and closes comes first, what only moves in the pane last.
    order = {OPEN: 0, CLOSE: 1}
    return sorted(
        commands.values(),
        key=lambda pair: (
            pair[0].action.startswith("focused."),
            pair[0].action.startswith("app."),
            order.get(pair[0].keys.partition(",")[0], len(order)),
        ),
    )


def _headed(heading: str, picks: Iterable[Pick]) -> list[Pick]:
    """Lines under a heading; nothing where there are none."""
    listed = list(picks)
    return [Pick("", heading, heading=True), *listed] if listed else []


def _place(pick: Pick, typed: str) -> tuple[bool, bool, bool]:
    key, _, title = pick.label.partition("  ")
    name, start = title.strip().lower(), typed.lower()
    return key.strip() != typed, name != start, not name.startswith(start)


# -- a page of text over the screen: of the guide, or what was done


class TextPage(Dialog[None]):
    """Scrolls with the keys that go down and up everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,enter", "dismiss(None)", "Close"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def __init__(self, text: RenderableType, hint: str = "") -> None:
        """`hint` stands beneath the text, where it says something."""
        super().__init__()
        self._text, self._hint = text, hint

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog"):
            yield Static(self._text)
            if self._hint:
                yield Static(Content(self._hint), classes="dim")
        yield self.key_line()

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, by: int) -> None:
        """Scroll some lines down, or up where `by` is negative."""
        self.query_one(VerticalScroll).scroll_relative(y=3 * by, animate=False)


def guide_page(topic: str) -> TextPage:
    """Make the dialog of a page of the guide."""
    text = key_page() if topic == KEYS else page(topic)
    return TextPage(GuidePage(text), f"prm-inspect guide {topic} prints it")
