"""The footer: the keys that work now, as many as there is room for."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.events import Leave, MouseDown, MouseMove, Resize
from textual.keys import KEY_NAME_REPLACEMENTS, key_to_character
from textual.reactive import reactive
from textual.widget import Widget

from inspector.render.texts.text import cell

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.screen import Screen


ALL_KEYS = "keys"
"""The action that lists everything: its key is never left out."""
_UNICODE_NAMES = {name: of_unicode for of_unicode, name in KEY_NAME_REPLACEMENTS.items()}
"""Of keys that Textual calls otherwise (`at`, `slash`): without them it takes none of these for a character."""


class ShownKey(NamedTuple):
    """A key of the line: `name` presses it, `display` and `description` are what stands there, `start` its cell."""

    name: str
    display: str
    description: str
    enabled: bool
    tooltip: str
    start: int

    @property
    def end(self) -> int:
        """The cell behind it."""
        return self.start + cell_len(self.display) + 1 + cell_len(self.description)


class KeyLine(Widget, can_focus=False):
    """What Textual's footer shows, without keys that would be cut in half, in one widget instead of one a key.

    A widget costs styles, layout and messages whenever it comes; a footer of fifteen was a quarter of the work of every
    key that changes the bindings.
    """

    ALLOW_SELECT: ClassVar = False
    COMPONENT_CLASSES: ClassVar = {"key-line--key", "key-line--description", "key-line--hover"}
    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        color: $footer-foreground;
        background: $footer-background;
    }
    KeyLine > .key-line--key {
        color: $footer-key-foreground;
        background: $footer-key-background;
        text-style: bold;
    }
    KeyLine > .key-line--description {
        color: $footer-description-foreground;
        background: $footer-description-background;
    }
    KeyLine > .key-line--hover {
        color: $footer-key-foreground;
        background: $block-hover-background;
    }
    """

    keys: reactive[tuple[ShownKey, ...]] = reactive[tuple[ShownKey, ...]](())
    hovered: reactive[ShownKey | None] = reactive[ShownKey | None](None)

    def __init__(
        self, others: Sequence[str] = (), titles: Mapping[str, str] | None = None, first: Sequence[str] = ()
    ) -> None:
        """Show the keys that work now.

        Args:
            others: ids of bindings that stand behind those that are to be shown, in order, where there is room.
            titles: actions of a widget's own that are to be shown as well, and what they are called here.
            first: keys that stand before all others, in this order.
        """
        super().__init__()
        self._others, self._titles, self._first = others, titles or {}, tuple(first)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_updated(self, screen: "Screen[object]") -> None:
        if screen.app.app_focus and self.is_attached and screen is self.screen:
            self.call_after_refresh(self._read)

    def on_resize(self, _: Resize) -> None:
        self._read()

    def _read(self) -> None:
        # The screen may have gone away before it was drawn again.
        if self.is_attached:
            self.keys = self._working()

    def _working(self) -> tuple[ShownKey, ...]:
        """The bindings of now, one key an action: those of what has the focus first, the key of all keys last.

        Where there is room behind the most important ones stand others that only this screen has. Actions of a screen
        and of a widget on it may have one name: of those the one that is to be shown counts.
        """
        active: dict[str, ActiveBinding] = {}
        focused = self.screen.focused
        for bound in self.screen.active_bindings.values():
            stroke = bound.binding.key
            # What is a letter of the line that has the focus is no key.
            character = key_to_character(_UNICODE_NAMES.get(stroke, stroke))
            if focused is not None and focused.check_consume_key(stroke, character):
                continue
            known = active.get(bound.binding.action)
            if known is None or (bound.binding.show and not known.binding.show):
                active[bound.binding.action] = bound
        last = active.pop(ALL_KEYS, None)
        first = [bound for bound in active.values() if bound.binding.show or bound.binding.action in self._titles]
        order = {key: place for place, key in enumerate(self._first)}
        first.sort(key=lambda bound: order.get(bound.binding.key, len(order)))
        hidden = {bound.binding.id: bound for bound in active.values() if not bound.binding.show}
        others = [hidden[name] for name in self._others if name in hidden]
        keys, start = [], 0
        room = self.size.width - (self._shown(last, 1).end if last else 0)
        for bound in (*first, *others):
            key = self._shown(bound, start)
            if key.end > room:
                break
            keys.append(key)
            start = key.end + 1
        return (*keys, *([self._shown(last, start)] if last else []))

    def _shown(self, bound: "ActiveBinding", start: int) -> ShownKey:
        display = self.app.get_key_display(bound.binding)
        title = self._titles.get(bound.binding.action, bound.binding.description)
        return ShownKey(bound.binding.key, display, title, bound.enabled, bound.tooltip, start)

    def render(self) -> Text:
        if not self.keys and self.is_attached:
            # It stands there from the first frame on.
            self.set_reactive(KeyLine.keys, self._working())
        key_style = self.get_component_rich_style("key-line--key")
        words = self.get_component_rich_style("key-line--description")
        hovering = self.get_component_rich_style("key-line--hover")
        text = Text(no_wrap=True)
        for key in self.keys:
            dim = "" if key.enabled else "dim"
            part = Text.assemble((key.display, key_style), (f" {key.description}", words))
            part.stylize(hovering if key is self.hovered else dim)
            text.append_text(part).append(" ")
        return text

    def on_mouse_move(self, event: MouseMove) -> None:
        self.hovered = self._at(event.x)
        self.tooltip = self.hovered.tooltip if self.hovered else None

    def on_leave(self, _: Leave) -> None:
        self.hovered = None

    def on_mouse_down(self, event: MouseDown) -> None:
        key = self._at(event.x)
        if key and key.enabled:
            for stroke in key.name.split(" "):
                self.app.simulate_key(stroke)
        elif key:
            self.app.bell()

    def _at(self, cell: int) -> ShownKey | None:
        return next((key for key in self.keys if key.start <= cell < key.end), None)


# -- what may follow a first key


GAP = 3
"""Cells between columns."""


class WhichKey(Widget, can_focus=False):
    """Keys and what they do, in as many columns as there is room for. It lies over what is above the footer."""

    COMPONENT_CLASSES = {"key-panel--key", "key-panel--title"}  # noqa: RUF012  # Textual declares it
    DEFAULT_CSS = """
    WhichKey {
        layer: above;
        dock: bottom;
        height: auto;
        margin-bottom: 1;
        padding: 0 1;
        background: $panel;
        border-top: tall $frame;
        & > .key-panel--key { text-style: bold; color: $footer-key-foreground; }
        & > .key-panel--title { color: $dim; }
    }
    """

    def __init__(self, title: str, keys: Sequence[tuple[str, str]]) -> None:
        """`keys` are the keys that may follow, as people write them, each with what it does."""
        super().__init__()
        self._title, self._keys = title, keys

    def render(self) -> Text:
        key_style = self.get_component_rich_style("key-panel--key")
        title_style = self.get_component_rich_style("key-panel--title")
        return panel(self._title, self._keys, self.size.width or self.app.size.width, key_style, title_style)


def panel(
    title: str, keys: Sequence[tuple[str, str]], width: int, key_style: Style | str = "", title_style: Style | str = ""
) -> Text:
    """Lay the keys out in columns, read downwards."""
    widest = max((cell_len(f"{key} {does}") for key, does in keys), default=0) + GAP
    columns = max(1, (width - 2 + GAP) // widest) if widest else 1
    rows = -(-len(keys) // columns)
    text = Text(no_wrap=True)
    text.append(title, title_style)
    for row in range(rows):
        text.append("\n")
        for key, does in keys[row::rows]:
            text.append(key, key_style)
            text.append(cell(f" {does}", widest - cell_len(key)))
    return text
