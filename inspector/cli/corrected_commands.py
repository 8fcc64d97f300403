"""The command that a person typed, corrected as a refusal says, in full and ready to paste."""

import argparse
import re
import shlex
import sys
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.cli.command_flags import commands, parser_of
from inspector.render.texts.text import clean
from inspector.state.common_flags import command_position
from scoring.data.errors import CommandEdit, InspectError
from scoring.selection.query import shell_word

_PROGRAM = "prm-inspect"
_NAMED_VALUE = re.compile(r"[\w./-]+=")
_CONDITIONS = ("--where", "--fail-if")


class CommandWord(Struct, frozen=True):
    """A flag with its values, or a positional word, which has neither flag nor action."""

    values: tuple[str, ...]
    flag: str = ""
    action: argparse.Action | None = None
    joined: bool = False

    @property
    def words(self) -> list[str]:
        """How it was typed."""
        if self.joined:
            return [f"{self.flag}={self.values[0]}"]
        return [*([self.flag] if self.flag else []), *self.values]

    def is_same_flag(self, other: "CommandWord") -> bool:
        """Return whether both are the same flag, under whatever name."""
        return self.action is not None and other.action is not None and self.action.dest == other.action.dest


def corrections(words: Sequence[str], error: InspectError) -> list[tuple[str, str]]:
    """Correct a command in each way that an error knows.

    Args:
        words: the command line without the program's name.
        error: what refused it.

    Returns:
        (command, meaning) of each. A correction that would change nothing, or that needs a flag which the command does
        not take, is left out.
    """
    corrected = [(_corrected(words, edit), meaning) for edit, meaning in error.instead]
    return list(dict.fromkeys((command, meaning) for command, meaning in corrected if command))


def print_corrections(words: Sequence[str], error: InspectError) -> None:
    """Print the corrected commands on standard error, each on a line of its own below its meaning."""
    for command, meaning in corrections(words, error):
        # The terminal breaks a long command: a break of ours would be pasted with it.
        print(f"  {clean(meaning)}:\n    {command}", file=sys.stderr)


def _corrected(words: Sequence[str], edit: str | CommandEdit) -> str:
    if isinstance(edit, str):
        edit = CommandEdit(edit)
    added = shlex.split(edit.flags)
    position = command_position(words)
    command = words[position] if position is not None and words[position] in commands() else ""
    parsed = _parsed(words, command)
    if not command and any(not _takes("", word) for word in added if word.startswith("--")):
        # The app imports what is named as it does without flags about columns: these are the command's.
        command = "import"
        parsed = [part for part in _parsed(words, "") if part.action is None or _takes(command, part.flag)]
        parsed.insert(0, CommandWord((command,)))
    if any(not _takes(command, word) for word in added if word.startswith("--")):
        return ""
    before = [part.words for part in parsed]
    parsed = [part for part in parsed if not _is_left_out(part, edit.without)]
    parsed = [_replaced(part, dict(edit.replaces)) for part in parsed]
    for addition in _parsed(added, command):
        parsed = _with_flag(parsed, addition)
    words_alone = [part.values for part in parsed if part.action is None]
    if [part.words for part in parsed] == before or (edit.replaces and len(set(words_alone)) < len(words_alone)):
        return ""
    return " ".join(map(_quoted, [_PROGRAM, *(word for part in parsed for word in part.words)]))


def _takes(command: str, word: str) -> bool:
    return word.partition("=")[0] in parser_of(command)._option_string_actions  # noqa: SLF001  # no other way


def _parsed(words: Sequence[str], command: str) -> list[CommandWord]:
    """The words of a command line, flags with their values."""
    return list(_parts(list(words), parser_of(command)))


def _parts(words: list[str], parser: argparse.ArgumentParser) -> Iterator[CommandWord]:
    known = parser._option_string_actions  # noqa: SLF001  # no other way
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        action = known.get(name)
        if action is None and name.startswith("--"):
            meant = {known[flag].dest: known[flag] for flag in known if flag.startswith(name)}
            action = next(iter(meant.values())) if len(meant) == 1 else None
        if word == "--":
            yield from (CommandWord((rest,)) for rest in [word, *words])
            return
        if action is None:
            yield CommandWord((word,))
        elif equals:
            yield CommandWord((value,), name, action, joined=True)
        else:
            count = _count(action, words)
            yield CommandWord(tuple(words[:count]), name, action)
            del words[:count]


def _count(action: argparse.Action, following: Sequence[str]) -> int:
    """How many of the following words are the flag's."""
    if isinstance(action.nargs, int):
        return action.nargs
    if action.nargs is None:
        return 1
    values = next((at for at, word in enumerate(following) if word.startswith("-")), len(following))
    return min(values, 1) if action.nargs == "?" else values


def _is_left_out(part: CommandWord, without: Sequence[str]) -> bool:
    if part.action is None:
        return part.values[0] in without
    return any(name in without for name in part.action.option_strings)


def _replaced(part: CommandWord, changes: dict[str, str]) -> CommandWord:
    """The part with words replaced, of `COL=SCORER` and `SCORER=X` the part before or after the `=` as well."""
    values = list(part.values)
    for old, new in changes.items():
        # A condition names columns anywhere.
        within = part.flag in _CONDITIONS
        name = rf"(?<![\w.]){re.escape(old)}(?![\w.])" if within else rf"\A{re.escape(old)}(?=\Z|=)"
        if part.action is None and not old.startswith("-"):
            name = rf"\A{re.escape(old)}\Z"
        values = [re.sub(name, new.replace("\\", r"\\"), value) for value in values]
    return replace(part, values=tuple(values))


def _with_flag(parts: Sequence[CommandWord], addition: CommandWord) -> list[CommandWord]:
    """The parts with a flag in place of what was given of it before; a condition joins those that are there."""
    same = [part for part in parts if part.is_same_flag(addition)]
    value = addition.values[0] if addition.values else ""
    if any(part.values == addition.values or (value and part.values[0].startswith(f"{value}=")) for part in same):
        return list(parts)
    name = _NAMED_VALUE.match(value)
    if addition.flag in _CONDITIONS:
        same = []
    elif name and addition.action is not None and isinstance(addition.action.default, list | tuple):
        same = [part for part in same if part.values[0].startswith(name[0])]
    elif len(same) == 1 and "[=" in str(addition.action and addition.action.metavar):
        # The scorer keeps its name.
        _, equals, scorer = same[0].values[0].partition("=")
        addition = replace(addition, values=(f"{value}{equals}{scorer}",))
    result: list[CommandWord] = []
    for part in parts:
        if part not in same:
            result.append(part)
        elif addition not in result:
            result.append(addition)
    if addition in result:
        return result
    end = next((at for at, part in enumerate(result) if part.values == ("--",)), len(result))
    if addition.action is None:
        # argparse takes words apart by flags only where as many as possible stand together.
        end = max(at for at, part in enumerate(result) if part.action is None) + 1
    return [*result[:end], addition, *result[end:]]


def _quoted(word: str) -> str:
    """A word as a shell reads it; characters that could act on a terminal are escaped."""
    if clean(word) == word:
        return shell_word(word)
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if clean(character) == character:
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
