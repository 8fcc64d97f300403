"""What every dialog is: a panel over a screen that stays readable beside it, with the keys that work in it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, TypeVar

from msgspec.structs import replace
from rich.cells import cell_len
from textual import on
from textual.actions import SkipAction
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.events import Key, Resize
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from inspector.render.texts.text import cell, clean
from inspector.widgets.key_line import ALL_KEYS, KeyLine
from inspector.widgets.key_table.command import CLOSE, KEYS, OPEN, Command
from inspector.widgets.pick_list import Pick, PickList, natural_width
from inspector.widgets.text_editor import TextEditor, TypingLine
from inspector.widgets.textual_compat import Steady

DialogAnswer = TypeVar("DialogAnswer")
Groups = Sequence[tuple[str, Sequence[Command]]]
"""Commands that belong together, and what stands above them."""
BESIDE_CONTENT, BESIDE_TITLE = 5, 6
"""Cells of a frame besides its content and a scrollbar, and besides its title."""
MOST_HINT = 60
"""Width of a line of text below a list, in cells."""
LEAST_WIDTH, MOST_SHARE = 32, 0.96
"""Least width of a frame fitted to its content, in cells, and its greatest share of the screen."""
_MOVES_FOCUS = {"app.focus_next", "app.focus_previous", "screen.copy_text"}
"""What Textual binds on every screen."""


def copy_or_quit(action: str) -> Binding:
    """Bind the key that copies the text selected with the mouse, or else quits."""
    explained = "Copy the selected text; without a selection, quit (asks first during a run)"
    return Binding("ctrl+c", action, "Copy, or quit", show=False, system=True, tooltip=explained, id="quit-at-once")


class Dialog(Steady, ModalScreen[DialogAnswer]):
    """Ends with an answer; None where it was only closed.

    A subclass gives what its panel holds in `compose_panel`. Its bindings stand in the footer, in their order, and `?`
    lists them all, unless one types there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # No key of the app's own comes through to it from a modal screen.
        copy_or_quit("app.copy_or_quit"),
        Binding(KEYS, ALL_KEYS, "Help", tooltip="Everything that can be done in this dialog"),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; background: transparent; }
    """
    # At most lists that high are as high as they need.
    VERTICAL_BREAKPOINTS = [(0, "-short"), (24, "-tall")]  # noqa: RUF012  # Textual declares it without ClassVar

    ENTER: ClassVar[str] = ""
    """What Enter does in a line that one types in, as the footer says it; "" where there is none."""
    HINT: ClassVar[str] = "Esc closes"
    """The hint in the lower edge of the frame."""
    SHARE: ClassVar[float] = 0.8
    """Width of the frame as a share of the screen, unless `content_width` sets it."""
    WIDEST: ClassVar[int] = 100
    """Cells that it is wide at most."""

    def __init__(self, title: str = "") -> None:
        """Set `title`: in the upper edge of the frame, or above the content if it does not fit."""
        super().__init__()
        self.title = title

    def compose(self) -> ComposeResult:
        frame = self.make_frame()
        frame.add_class("dialog")
        long_title = Static(Content(clean(self.title or "")), id="long-title", classes="strong")
        # Use the final width from the first paint on.
        self._fit(frame, long_title)
        with frame:
            yield long_title
            yield from self.compose_panel()
        yield self.key_line()

    def make_frame(self) -> Widget:
        """Make the container of the content."""
        return Vertical()

    @property
    def content_width(self) -> int:
        """Width that the content needs, in cells; 0 if it adapts to any frame."""
        return 0

    @property
    def frame_width(self) -> int:
        """Width of the frame, in cells."""
        whole = self.app.size.width
        if not self.content_width:
            return max(1, min(self.WIDEST, int(whole * self.SHARE)))
        texts = max(cell_len(clean(self.title or "")), cell_len(self.HINT))
        wanted = max(self.content_width + BESIDE_CONTENT, texts + BESIDE_TITLE, LEAST_WIDTH)
        return max(1, min(wanted, self.WIDEST, int(whole * MOST_SHARE)))

    @on(Resize)
    def fit_frame(self) -> None:
        """Fit the frame to its content, and write its edges."""
        for frame in self.query(".dialog"):
            for long_title in self.query("#long-title"):
                self._fit(frame, long_title)

    def _fit(self, frame: Widget, long_title: Widget) -> None:
        width, title = self.frame_width, clean(self.title or "")
        frame.styles.width = width
        fits = cell_len(title) + BESIDE_TITLE <= width
        frame.border_title = Content(title) if fits and title else ""
        frame.border_subtitle = Content(self.HINT) if cell_len(self.HINT) + BESIDE_TITLE <= width else ""
        long_title.display = not fits

    def compose_panel(self) -> ComposeResult:
        """Compose the content of the frame."""
        raise NotImplementedError

    def key_line(self) -> KeyLine:
        """Return the footer of a dialog."""
        return KeyLine(titles={"submit": self.ENTER} if self.ENTER else {}, first=(OPEN, CLOSE))

    def dismiss(self, result: DialogAnswer | None = None) -> AwaitComplete:
        """End with an answer. A key right behind the one that ended it would end the screen beneath as well."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    @property
    def line_width(self) -> int:
        """Cells of a line of a pane in its panel, as they will be: what is drawn before it is laid out is drawn right.

        Border, padding and the pane's scrollbar take some.
        """
        return max(1, self.frame_width - BESIDE_CONTENT)

    def action_keys(self) -> None:
        """List everything that can be done here, and do what is chosen."""
        commands = commands_bound(self.app, self.active_bindings.values(), self.focused, self)
        keys = {command.id: key for command, key in commands}
        menu = CommandMenu(self.title or "Keys", [("In this dialog", [command for command, _ in commands])], keys)
        self.app.push_screen(menu, self._run_chosen)

    async def _run_chosen(self, chosen: Command | None) -> None:
        if chosen is not None:
            await self.run_action(chosen.action)


# -- keys that arrive before a dialog's line has the focus are typed into it


class TypedAhead(Dialog[DialogAnswer]):
    """A dialog with one place to type in.

    Textual gives the focus to a line some messages after its screen came up. A key in between would be the screen's,
    that is nobody's, and the first letter of a word would be lost.
    """

    @on(Key)
    async def _typed_ahead(self, event: Key) -> None:
        line = next(iter(self.query("Input, TextArea")), None)
        if line is None or self.focused is line:
            return
        self.set_focus(line)
        if event.is_printable and event.character:
            event.stop()
            if isinstance(line, Input):
                line.insert_text_at_cursor(event.character)
            elif isinstance(line, TextArea):
                line.insert(event.character)
        elif event.key == "enter":
            event.stop()
            if isinstance(line, Input):
                await line.action_submit()
            elif isinstance(line, TextEditor):
                line.action_keep()


# -- picking one of a few things by its name


class Picking(Dialog[str | None]):
    """The key of what was picked; None where nothing is to change."""

    HINT = "Enter takes it   Esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", "Take it"),
        ("escape,q", "dismiss(None)", "Close"),
    ]

    def __init__(self, title: str, picks: Sequence[Pick], cursor: int = 0, hints: Sequence[str] = ()) -> None:
        """`cursor` is the line (0-based) where the cursor begins, each of `hints` a paragraph beneath the picks."""
        super().__init__(title)
        self._picks, self._cursor, self._hints = tuple(picks), cursor, tuple(hints)

    @property
    def content_width(self) -> int:
        return max(natural_width(self._picks), *(min(MOST_HINT, cell_len(hint)) for hint in (*self._hints, "")))

    def compose_panel(self) -> ComposeResult:
        yield PickList()
        for hint in self._hints:
            yield Static(Content(clean(hint)), classes="dim")

    def on_mount(self) -> None:
        picks = self.query_one(PickList)
        picks.show(self._picks, self._cursor)
        picks.focus()

    def action_take(self) -> None:
        self.dismiss(self.query_one(PickList).key)

    def on_pick_list_clicked(self) -> None:
        self.action_take()


class Leaving(Picking):
    """What becomes of a run when the app is to end; to quit once more means the first of it."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+c", "take_first", "The first")]

    def action_take_first(self) -> None:
        self.dismiss(self._picks[0].key)


# -- a list that is narrowed by typing, with something to do at its line under the cursor


class Narrowing(TypedAhead[DialogAnswer]):
    """Subclasses give the lines for what was typed, and the answer for the line that was chosen."""

    PLACEHOLDER: ClassVar[str] = "type letters to narrow"
    """What stands in the line before anything is typed."""
    NOTHING: ClassVar[str] = "Nothing has these letters."
    """What is said where what was typed leaves no line."""
    ENTER = "Take it"
    HINT = "Enter takes it   Esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        # Arrows move the list while one types.
        Binding("down", "move(1)", "Next", priority=True, show=False),
        Binding("up", "move(-1)", "Previous", priority=True, show=False),
        Binding("pagedown", "move(10)", "Next page", priority=True, show=False),
        Binding("pageup", "move(-10)", "Previous page", priority=True, show=False),
        Binding("home", "edge(-1)", "First", priority=True, show=False),
        Binding("end", "edge(1)", "Last", priority=True, show=False),
    ]

    def __init__(self, title: str, about: str = "") -> None:
        """`about` stands below the title, where it says something."""
        super().__init__(title)
        self._about = about
        self._narrowed_to = ""

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        """Return the lines that what was typed leaves, and the place (0-based) where the cursor begins."""
        raise NotImplementedError

    def whole(self, pick: Pick) -> str:
        """Return what is said of a line when the cursor is on it: its note, which may be cut in the list."""
        return pick.note

    def answer(self, key: str) -> DialogAnswer | None:
        """Return what choosing the line with this key gives; None = nothing."""
        raise NotImplementedError

    def compose_panel(self) -> ComposeResult:
        if self._about:
            yield Static(Content(clean(self._about)), id="said", classes="dim")
        yield TypingLine(placeholder=self.PLACEHOLDER, compact=True)
        picks = PickList()
        picks.can_focus = False
        yield picks
        yield Static(id="whole", classes="dim")

    def on_mount(self) -> None:
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, typed: str) -> None:
        self._narrowed_to = typed
        self.query_one(PickList).show(*self.lines(typed))
        self._show_whole()

    def _show_whole(self) -> None:
        """What is said of the line under the cursor, in as many lines as it takes."""
        pick = self.query_one(PickList).pick
        words = self.whole(pick) if pick else self.NOTHING
        self.query_one("#whole", Static).update(Content(clean(words)))

    def _catch_up(self) -> None:
        """Narrow the list to the text as it is now: a key may come before the message that the text has changed."""
        typed = self.query_one(Input).value
        if typed != self._narrowed_to:
            self._show(typed)

    def action_move(self, by: int) -> None:
        self._catch_up()
        self.query_one(PickList).action_move(by)
        self._show_whole()

    def action_edge(self, way: int) -> None:
        """Move to the first line, or the last; in what was typed they are the line's own keys."""
        if self.query_one(Input).value:
            raise SkipAction
        self.action_move(way * len(self.query_one(PickList).picks))

    def on_input_submitted(self) -> None:
        self._catch_up()
        self._choose()

    def on_pick_list_clicked(self) -> None:
        self._choose()

    def _choose(self) -> None:
        key = self.query_one(PickList).key
        answer = None if key is None else self.answer(key)
        if answer is not None:
            self.dismiss(answer)


# -- the menu of everything that can be done: on a dialog, which has it behind `?`, or on a screen


class CommandMenu(Narrowing[Command]):
    """The command that was chosen; None if it was only closed."""

    ENTER = "Do it"
    HINT = "Enter does it   Esc closes"

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


def commands_bound(
    app: App[object], bindings: Iterable[ActiveBinding], pane: Widget | None, screen: DOMNode | None = None
) -> list[tuple[Command, str]]:
    """Make commands of the bindings of the pane that has the focus, with their keys as they are written.

    Those of the screen itself, if it is given, come before them.
    """
    commands: dict[str, tuple[Command, str]] = {}
    for bound in bindings:
        binding, focused = bound.binding, bound.node is pane
        if binding.action in _MOVES_FOCUS or not (focused or bound.node is screen):
            continue
        if (focused and not binding.id) or (screen is None and not binding.tooltip):
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
        commands[name] = command, app.get_key_display(binding)
    if screen is None:
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
