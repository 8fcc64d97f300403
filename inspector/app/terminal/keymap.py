"""A person's own keys: `keymap.toml` in their settings folder, command ids on the left, keys on the right.

    next-case = "ctrl+n"
    threshold = ["t", "f6"]
    "table.down" = ["down", "j", "ctrl+j"]

A chosen key is taken from whatever had it on the same screen; that command stays in the palette. What cannot be
followed is told in a sentence and leaves the command as it was.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from textual.binding import Binding
from textual.keys import Keys, _character_to_key
from textual.widget import Widget

from inspector.widgets.critique_pane import CritiquePane
from inspector.widgets.facet_list import FacetList
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import GO, SCREENS, VIEW
from inspector.widgets.key_table.rail import RAIL
from scoring.data.storage.files import read_plain

FILE = "keymap.toml"
_LISTS: dict[type[Widget], tuple[str, ...]] = {
    FrameTable: ("board", "cases"),
    FacetList: ("facets",),
    CritiquePane: ("critique",),
}
_NAMES = frozenset(key.value for key in Keys if "<" not in key.value) | {f"f{number}" for number in range(1, 25)}
_MODIFIERS = ("ctrl", "shift", "alt", "super", "hyper", "meta")


class BoundCommand(Struct, frozen=True):
    """A command and its keys. Of two in the same layer and place a key can start only one."""

    id: str
    title: str
    help: str
    keys: tuple[str, ...]
    places: tuple[str, ...]
    layer: str = "screen"


class Keymap(Struct, frozen=True):
    """Every command with the keys that it has now, in the order of the tables.

    `textual` is what Textual is given: of every node whose keys change, all that share a key with what changed, since
    Textual 8.2 drops the others of a key when one of them goes elsewhere.
    """

    bound: tuple[BoundCommand, ...]
    problems: tuple[str, ...] = ()
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def textual(self) -> dict[str, str]:
        """Ids with their keys, joined by commas."""
        if not self.changed:
            return {}
        touched = {key for command in usual() if command.id in self.changed for key in command.keys}
        touched |= {key for keys in self.changed.values() for key in keys}
        return {
            command.id: ",".join(command.keys or (NO_KEY,))
            for command in self.bound
            if command.id in self.changed or touched.intersection(command.keys)
        }


def usual() -> tuple[BoundCommand, ...]:
    """Return every command that can have other keys, with its usual ones."""
    rail = (
        BoundCommand(command.id, command.title, command.help, _split(command.keys), SCREENS, "rail") for command in RAIL
    )
    screens = (
        BoundCommand(command.id, command.title, command.help, _split(command.keys), command.screens)
        for command in COMMANDS
        if command.screens
    )
    answers = (
        BoundCommand(command.id, command.title, command.help, _split(command.keys), ("critique",), "list")
        for command in COMMANDS
        if not command.screens
    )
    return (*screens, *rail, *_of_lists(), *answers)


def _of_lists() -> Iterator[BoundCommand]:
    for widget, places in _LISTS.items():
        for binding in widget.BINDINGS:
            if isinstance(binding, Binding) and binding.id:
                words = binding.tooltip or binding.description
                yield BoundCommand(binding.id, binding.description, words, _split(binding.key), places, "list")


RENAMED = {
    "statistics": "stats",
    **dict.fromkeys(("other", "compare-with", "curves"), "scorers"),
    **dict.fromkeys(("subtract", "choose-table", "everyone"), "options"),
    "tag-shown": "mark-all",
    "next-hit": "next-case",
    "previous-hit": "previous-case",
    "pane": "next-pane",
}
"""Ids of commands in keymaps that older versions wrote -> what they are called now."""


def read(path: Path) -> Keymap:
    """Read the keys in the file, laid over the usual ones; the usual ones where there is no file."""
    try:
        document = tomllib.loads(read_plain(path).decode())
    except FileNotFoundError:
        return Keymap(usual())
    except OSError as error:
        return Keymap(usual(), (f"{path} cannot be read: {error.strerror or error}. The usual keys hold.",))
    except ValueError as error:
        # tomllib's own errors and those of the encoding.
        return Keymap(usual(), (f"{path} is not TOML: {error}. The usual keys hold.",))
    return laid_over(_flat(document))


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Tables by dotted names: `table.down` without quotes is one for TOML."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        flat |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": value}
    return flat


def laid_over(chosen: Mapping[str, Any]) -> Keymap:
    """Return the usual keys with these in the place of some."""
    known = {command.id: command for command in usual()}
    problems: list[str] = []
    wanted: dict[str, tuple[str, ...]] = {}
    for chosen_name, value in chosen.items():
        name, keys = RENAMED.get(chosen_name, chosen_name), _keys(value)
        if name not in known:
            problems.append(_unknown(name, known))
        elif keys is None:
            problems.append(f"{name} = {value!r}: keys are a text or a list of texts, such as 'ctrl+n' or ['n', 'f5'].")
        elif bad := [key for key in keys if not _is_key(key)]:
            problems.append(f"{name}: there is no key {', '.join(map(repr, bad))}.")
        elif taken := _taken(known[name], keys, wanted, known):
            problems.append(f"{name}: {taken}")
        else:
            wanted[name] = keys
    changed = dict(wanted)
    for name, keys in wanted.items():
        for other in known.values():
            lost = set(keys).intersection(other.keys)
            if other.id not in wanted and lost and _meet(known[name], other):
                changed[other.id] = tuple(key for key in changed.get(other.id, other.keys) if key not in lost)
    bound = tuple(
        BoundCommand(
            command.id,
            command.title,
            command.help,
            changed.get(command.id, command.keys),
            command.places,
            command.layer,
        )
        for command in known.values()
    )
    return Keymap(bound, tuple(problems), changed)


def _unknown(name: str, known: Mapping[str, BoundCommand]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"There is no command {name!r}{f', did you mean {near[0]}?' if near else '; prm-inspect keys lists them.'}"


def _taken(
    command: BoundCommand, keys: Sequence[str], wanted: Mapping[str, tuple[str, ...]], known: Mapping[str, BoundCommand]
) -> str:
    """Why it cannot have these keys; "" where it can."""
    for first in ("go", "view"):
        kept = set(keys).intersection(wanted.get(first, known[first].keys))
        if kept and command.id != first:
            return f"{', '.join(sorted(kept))} waits for a second key; give {first} another key above it first."
    for name, theirs in wanted.items():
        if (both := set(keys).intersection(theirs)) and _meet(command, known[name]):
            return f"{', '.join(sorted(both))} is {name} already."
    for other in known.values():
        held = set(keys).intersection(wanted.get(other.id, other.keys))
        beneath = other.layer == "list" and command.layer == "screen" and set(command.places).intersection(other.places)
        if held and beneath and not held <= set(command.keys):
            return f"{', '.join(sorted(held))} is {other.id} in lists, which comes first."
    return ""


def _meet(first: BoundCommand, second: BoundCommand) -> bool:
    return first.layer == second.layer and bool(set(first.places).intersection(second.places))


def _keys(value: object) -> tuple[str, ...] | None:
    """The keys that a value names, as Textual calls them; None for what is no text or list of texts."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        return None
    return tuple(dict.fromkeys(" ".join(map(_named, text.split())) if text.strip() else "space" for text in texts))


def _named(text: str) -> str:
    """A key as Textual calls it; a letter is itself, a capital one another key."""
    return _character_to_key(text) if len(text) == 1 else _WRITTEN.get(text.lower(), text.lower())


def _is_key(key: str) -> bool:
    """Whether there is such a key, or such two of which the first waits for the second."""
    first, _, second = key.rpartition(" ")
    return _is_one_key(second) and first in {"", GO, VIEW}


def _is_one_key(key: str) -> bool:
    *modifiers, last = key.split("+")
    named = last in _NAMES or len(last) == 1 or last in _PUNCTUATION
    return named and all(modifier in _MODIFIERS for modifier in modifiers)


def _split(keys: str) -> tuple[str, ...]:
    return tuple(key.strip() for key in keys.split(",") if key != NO_KEY)


_WRITTEN = {"esc": "escape", "pgup": "pageup", "pgdn": "pagedown"}
"""Keys as they are written on screen -> as Textual calls them."""


_PUNCTUATION = frozenset(_character_to_key(chr(code)) for code in range(33, 127) if not chr(code).isalnum())
