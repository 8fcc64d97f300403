"""The page of the guide about keys, made from the table of commands."""

from collections.abc import Iterator

from inspector.widgets.guide import KEYS_TITLE
from inspector.widgets.key_spelling import NO_KEY, written
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import GO, VERBS, VIEW, Command, place_words
from inspector.widgets.key_table.rail import RAIL


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
