"""The page of the guide about keys, made from the tables of commands."""

from collections.abc import Iterator

from inspector.commands import COMMANDS, RAIL, Command
from inspector.commands.command import place_words
from inspector.commands.grammar import GO, NO_KEY, VERBS, VIEW
from inspector.commands.key_words import written
from inspector.guide import KEYS_TITLE


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
    yield from _table("keys", ((one.keys, f"{one.title}: {one.help}") for one in _once(_behind(GO))))
    yield ""
    yield "## Choose what is shown"
    yield ""
    yield from _table(
        "keys", ((one.keys, f"{one.title} ({place_words(one.screens)}): {one.help}") for one in _behind(VIEW))
    )
    yield ""
    yield "## While the threshold moves"
    yield ""
    yield from _table("key", ((one.keys, one.help) for one in RAIL))
    yield ""
    yield "## Without a key"
    yield ""
    yield "The palette (`Ctrl+P`) and `?` have all of these and more, and `keymap.toml` can give each a key."
    yield ""
    for one in COMMANDS:
        if one.keys == NO_KEY:
            yield f"- {one.title}: {one.help}"


def _behind(first: str) -> list[Command]:
    """The commands that want a second key behind this one, in the order of these."""
    return sorted((one for one in COMMANDS if one.keys.startswith(f"{first} ")), key=lambda one: one.keys)


def _once(commands: list[Command]) -> list[Command]:
    """Those that go to the same place in one line."""
    return list({one.keys: one for one in commands}.values())


def _table(head: str, rows: "Iterator[tuple[str, str]]") -> Iterator[str]:
    yield f"| {head} | |"
    yield "|---|---|"
    for keys, words in rows:
        shown = " ".join(f"`{written(key)}`" for key in keys.split(","))
        yield f"| {shown} | {words} |"
