"""The footer: the keys that work now, as many as there is room for."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.events import Leave, MouseDown, MouseMove, Resize
from textual.keys import KEY_NAME_REPLACEMENTS, key_to_character
from textual.reactive import reactive
from textual.widget import Widget

from inspector.render.texts.text import cell
from inspector.widgets.key_table.command import OPEN
from inspector.widgets.key_table.footers import EVERY, HELP, MOVES, PAIRS, RAIL, RAIL_OPEN

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.screen import Screen


ALL_KEYS = "keys"
"""The action that lists all keys: its hint is never left out, and is at the right edge."""
NARROW, FEW, MANY = 80, 7, 10
"""Greatest width of a narrow footer in columns, and the most hints on narrow and on wide footers."""
BETWEEN = 3
"""Blanks between two hints."""
SURE = 2
"""Number of screen hints that precede the hints of every screen."""
_SIGNS = {"Enter": "⏎", "Tab": "⇥"}
"""Keys shown as symbols, unless the app uses ASCII."""
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
        self,
        footer: Mapping[str, str] | None = None,
        titles: Mapping[str, str] | None = None,
        first: Sequence[str] = (),
    ) -> None:
        """Show the keys that work now.

        Args:
            footer: hints of a screen, the most important first: ids of bindings, or actions of bindings without an id,
                with their titles.
            titles: the same for bindings of widgets, which are shown only while their widget has the focus.
            first: keys that precede all others, in this order.
        """
        super().__init__()
        self._footer, self._titles, self._first = footer or {}, titles or {}, tuple(first)

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
        """Choose and place the hints for the active bindings.

        Hints of the widget or dialog come first, then those of `footer`; the hints of every footer precede the third
        hint of a screen. If the line is too short, the last hints are left out; none is cut.
        """
        active = self._active()
        names = [name for name, bound in active.items() if bound.binding.show or name in self._titles]
        names += [name for name in self._footer if name in active and name not in names]
        if RAIL_OPEN in names:
            names = [name for name in RAIL if name in names]
        every = [name for name in EVERY if name in names]
        own = [name for name in names if name not in {*every, *PAIRS.values(), ALL_KEYS, HELP}]
        last = next((name for name in (HELP, ALL_KEYS) if name in active), None)
        wanted = [*own[:SURE], *every, *own[SURE:]][: (FEW if self.size.width <= NARROW else MANY) - (last is not None)]
        end = self._shown(active, last, 0) if last else None
        room = self.size.width - (end.end + 1 if end else 0)
        while wanted:
            placed = self._placed(active, wanted)
            if placed[-1].end + (BETWEEN if end else 0) <= room:
                break
            wanted.pop()
        keys = self._placed(active, wanted)
        if end is None:
            return tuple(keys)
        # If nothing else fits, it starts the line.
        start = max(1, self.size.width - end.end - 1) if keys or self.size.width > end.end else 0
        return (*keys, end._replace(start=start))

    def _active(self) -> "dict[str, ActiveBinding]":
        """Return the active bindings, one key for each, by id or else by action.

        Bindings of the focused widget come first. Of two bindings with one name, the visible one counts.
        """
        active: dict[str, ActiveBinding] = {}
        focused = self.screen.focused
        for bound in self.screen.active_bindings.values():
            stroke = bound.binding.key.partition(" ")[0]
            # What is a letter of the line that has the focus is no key.
            character = key_to_character(_UNICODE_NAMES.get(stroke, stroke))
            if focused is not None and focused.check_consume_key(stroke, character):
                continue
            name = bound.binding.id or bound.binding.action
            known = active.get(name)
            if known is None or (bound.binding.show and not known.binding.show):
                active.pop(name, None)
                active[name] = bound
        order = {key: place for place, key in enumerate(self._first)}
        return dict(sorted(active.items(), key=lambda pair: order.get(pair[1].binding.key, len(order))))

    def _placed(self, active: "Mapping[str, ActiveBinding]", names: Sequence[str]) -> list[ShownKey]:
        """Return hints in order: opening, moving, acting, then the hints of every footer."""
        ordered = sorted(names, key=lambda name: self._place(active, name)) if self._footer else names
        keys: list[ShownKey] = []
        for name in ordered:
            keys.append(self._shown(active, name, keys[-1].end + BETWEEN if keys else 1))
        return keys

    def _place(self, active: "Mapping[str, ActiveBinding]", name: str) -> int:
        if name in EVERY:
            return 3 + EVERY.index(name)
        return 0 if active[name].binding.key == OPEN else 1 if name in MOVES else 2

    def _shown(self, active: "Mapping[str, ActiveBinding]", name: str, start: int) -> ShownKey:
        bound = active[name]
        display = self._sign(bound.binding)
        if (pair := active.get(PAIRS.get(name, ""))) is not None:
            before = self._sign(pair.binding)
            display = f"{before}{'' if len(before) == len(display) == 1 else '/'}{display}"
        title = self._titles.get(name) or self._footer.get(name) or bound.binding.description
        return ShownKey(
            bound.binding.key, display, f"{title[:1].lower()}{title[1:]}", bound.enabled, bound.tooltip, start
        )

    def _sign(self, binding: Binding) -> str:
        """Return the short form of a key, as a symbol unless the app uses ASCII."""
        display = self.app.get_key_display(binding)
        if display.lower().startswith("ctrl+"):
            display = f"^{display[5:].upper()}"
        return display if self.app.has_class("-ascii") else _SIGNS.get(display, display)

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
            text.append(" " * (key.start - text.cell_len)).append_text(part)
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
