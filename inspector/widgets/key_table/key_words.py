"""The keys of commands as sentences name them."""

from collections.abc import Iterator, Mapping
from unicodedata import lookup

from msgspec import Struct, field

from inspector.widgets.guide import KEYS_TITLE
from inspector.widgets.key_table import COMMANDS, RAIL, Command
from inspector.widgets.key_table.command import GO, NO_KEY, VERBS, VIEW, place_words
from inspector.widgets.themes import plain_key

_NAMES = {
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "space": "Space",
    "tab": "Tab",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    # What Textual calls otherwise than Unicode does.
    "minus": "-",
    "plus": "+",
    "slash": "/",
    "backslash": "\\",
    "at": "@",
    NO_KEY: "",
}
_TITLES = {one.id: one.title for one in (*COMMANDS, *RAIL)}


def written(key: str) -> str:
    """Write a key, or two that are pressed one after the other, as people do; a letter is itself."""
    return " ".join("+".join(map(_part, stroke.split("+"))) for stroke in key.split(" "))


def _part(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    if len(name) == 1:
        return name
    try:
        return lookup(name.replace("_", " "))
    except KeyError:
        return name.capitalize()


_USUAL = {one.id: written(one.keys.partition(",")[0]) for one in (*COMMANDS, *RAIL)}


class KeyWords(Struct, frozen=True):
    """How a sentence names the key of a command: by the usual one, unless a person chose others.

    `own` has the first key of every command that they changed, by its id, written as in the footer; "" where it has
    none. `plain` says that there is ASCII alone: arrows are words.
    """

    own: Mapping[str, str] = field(default_factory=dict)
    plain: bool = False

    def of(self, command: str) -> str:
        """Return the key of the command with this id; the palette where it has none. Raises KeyError for no command."""
        return self.written(command) or f"the palette ({_TITLES[command]})"

    def written(self, command: str) -> str:
        """Return the same; "" where it has no key."""
        keys = self.own.get(command, _USUAL[command])
        for first, waits in ((GO, "go"), (VIEW, "view")):
            if keys.startswith(f"{first} "):
                keys = f"{self.own.get(waits, first)}{keys.removeprefix(first)}"
        return plain_key(keys) if self.plain else keys


USUAL = KeyWords()
"""Where nobody chose others."""


# -- the page of the guide about keys, made from the tables of commands


def key_page() -> str:
    """Write it as Markdown."""
    return "\n".join((f"# {KEYS_TITLE}", "", *_lines(), ""))


def _lines() -> Iterator[str]:
    yield "A key does the same on every screen. `prm-inspect keys` lists each command with its keys, and says where"
    yield "other ones go."
    yield ""
    yield from _table("key", ((keys, f"{words}.") for keys, words in VERBS))
    yield ""
    yield "## Go to another screen"
    yield ""
    yield from _table("keys", ((command.keys, f"{command.title}: {command.help}") for command in _once(_behind(GO))))
    yield ""
    yield "## Choose what is shown"
    yield ""
    yield from _table(
        "keys",
        (
            (command.keys, f"{command.title} ({place_words(command.screens)}): {command.help}")
            for command in _behind(VIEW)
        ),
    )
    yield ""
    yield "## While the threshold moves"
    yield ""
    yield from _table("key", ((command.keys, command.help) for command in RAIL))
    yield ""
    yield "## Without a key"
    yield ""
    yield "The palette (`Ctrl+P`) and `?` have all of these and more, and `keymap.toml` can give each a key."
    yield ""
    for command in COMMANDS:
        if command.keys == NO_KEY:
            yield f"- {command.title}: {command.help}"


def _behind(first: str) -> list[Command]:
    """The commands that want a second key behind this one, in the order of these."""
    return sorted(
        (command for command in COMMANDS if command.keys.startswith(f"{first} ")), key=lambda command: command.keys
    )


def _once(commands: list[Command]) -> list[Command]:
    """Those that go to the same place in one line."""
    return list({command.keys: command for command in commands}.values())


def _table(head: str, rows: "Iterator[tuple[str, str]]") -> Iterator[str]:
    yield f"| {head} | |"
    yield "|---|---|"
    for keys, words in rows:
        cell = " ".join(f"`{written(key)}`" for key in keys.split(","))
        yield f"| {cell} | {words} |"
