"""What a command says of itself: help of one screen, all of it in full, and wrong usage in one sentence.

Only argparse is imported, and what it imports itself, so that `--help` is quick.
"""

import argparse
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from inspector.state.common_flags import COMMON

SCREEN = 24
"""Lines of help that a terminal shows at once."""
_LEFT = 22
"""Cells of the names of flags; longer ones take what they need."""
_WIDEST = 100
_SHORT = 24
"""Cells that the choices of a flag may take beside its name; longer ones are in its words."""
_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
_FIRST = ("--where", "--benchmark", "--scorer", "--threshold", "--labels", "--workspace")
"""Common flags that a line of help names before the others."""


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, or of the app where the command is "".

    Attributes:
        purpose: what the command is for, as a sentence.
        examples: command lines that help shows.
        shared: the common flags that it takes and that mean to it what they mean to others.
        instead: what to do in place of a common flag that it does not take.
        commands: those that there are, with what each is for, where the app is asked for help.
        most_lines: as many lines as its help has.
        print_corrected: prints the command line with a word replaced, as (what is wrong, (old word, new word)) says.
    """

    def __init__(self, command: str, purpose: str, takers: Callable[[str], Sequence[str]]) -> None:
        """Begin without flags; `takers` gives the commands that take a flag, of which "" is the app."""
        super().__init__(f"prm-inspect {command}".strip(), formatter_class=argparse.RawDescriptionHelpFormatter)
        self.purpose = f"{purpose[:1].upper()}{purpose[1:]}{'' if purpose[-1:] in '.?!' else '.'}"
        self.examples: Sequence[str] = ()
        self.shared: Sequence[str] = ()
        self.instead: Mapping[str, str] = {}
        self.commands: Mapping[str, str] = {}
        self.most_lines = SCREEN
        self.print_corrected: Callable[[str, tuple[str, str]], object] = lambda *_: None
        self._command, self._takers = command, takers

    @property
    def own_flags(self) -> list[str]:
        """Its flags that are not common ones."""
        shared = {"-h", "--help", *(name for flag in COMMON.values() for name in flag.names)}
        return [name for name in self._option_string_actions if name not in shared]

    # -- help

    def format_help(self) -> str:
        """Format the help of one screen: purpose, usage, examples, own flags, and where the others are explained.

        The group with most flags gives their names alone where there is no room for a line each.
        """
        folded: list[str] = []
        lines = self._help_lines(folded)
        while len(lines) > self.most_lines and (title := self._longest_group(folded)):
            folded.append(title)
            lines = self._help_lines(folded)
        epilog = _wrapped(self.epilog or "", _columns())
        if epilog and (self.commands or len(lines) + 1 + len(epilog) <= self.most_lines):
            lines += ["", *epilog]
        return "\n".join([*lines, ""])

    def _help_lines(self, folded: Sequence[str]) -> list[str]:
        """The lines of help but for what it ends with; of groups that are folded, the names of their flags alone."""
        width = _columns()
        own = [action for action in self._actions if self._is_own(action)]
        hidden = [action for title in folded for action in self._groups[title]]
        flags, shortened = _flag_lines([action for action in own if action not in hidden], width)
        for title in folded:
            names = ", ".join(action.option_strings[-1] for action in self._groups[title])
            flags += textwrap.wrap(
                f"{title}: {names}", width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
            )
        listed = [f"  {name:<11} {first_clause(line, width - 14)}" for name, line in self.commands.items()]
        examples = [f"  {example}" for example in self.examples]
        if listed:
            listed = ["commands, each with its own --help:", *listed]
        parts = [[*self.format_usage().splitlines(), *_wrapped(self.purpose, width)], listed, examples, flags]
        lines = [line for part in parts if part for line in (*part, "")]
        lines.append(_also(self.shared, width))
        if self._command and (shortened or folded):
            lines.append(f"In full: prm-inspect help {self._command}")
        return lines

    def _longest_group(self, folded: Sequence[str]) -> str:
        """The group with most flags of its own among those that are not folded yet."""
        left = [title for title in self._groups if title not in folded and len(self._groups[title]) > 2]
        return max(left, key=lambda title: len(self._groups[title]), default="")

    @property
    def _groups(self) -> dict[str, list[argparse.Action]]:
        """The flags of this command alone that stand under a title in all of its help."""
        groups = {}
        # The first two are argparse's own: words, and flags without a title of ours.
        for group in self._action_groups[2:]:
            actions = [action for action in group._group_actions if self._is_own(action)]  # noqa: SLF001  # no other way
            if group.title and actions:
                groups[group.title] = actions
        return groups

    def _is_own(self, action: argparse.Action) -> bool:
        """Whether a flag or word has a line in the help of this command."""
        return action.dest != "help" and not {*self.shared} & {*action.option_strings}

    def format_usage(self) -> str:
        """Format how it is called, without its flags but for those that it needs."""
        if self.usage:
            return f"usage: {self.usage}\n"
        words = [self.prog]
        for action in self._actions:
            if not action.option_strings:
                words.append(f"{_value(action)} [{_value(action)} ...]" if action.nargs == "+" else _value(action))
            elif action.required:
                words.append(f"{action.option_strings[0]} {_value(action)}")
        return f"usage: {' '.join(words)} [options]\n"

    def format_full_help(self) -> str:
        """Format all that there is to say: every flag in whole sentences, the common ones as well."""
        self.description = "\n".join([self.purpose, "", *(f"  {example}" for example in self.examples)]).rstrip()
        self.epilog = "\n".join(_wrapped(self.epilog or "", _columns()))
        self.usage = self.format_usage().removeprefix("usage: ").rstrip("\n")
        return super().format_help()

    # -- wrong usage

    def parse_words(self, words: Sequence[str]) -> argparse.Namespace:
        """Read the words of a command line, but for the command itself.

        Raises:
            SystemExit: they are wrong, which has been said, or ask for help, which has been given.
        """
        if flag := self._not_taken(words):
            if not self._command and (meant := self._mistyped_command(words[0])):
                self.leave(meant, self._near_command(words[0]))
            self.leave(self._refusal(flag), self._near_flag(flag))
        return self.parse_args(words)

    def _not_taken(self, words: Sequence[str]) -> str:
        """The first flag among the words that this command does not take; "" where there is none."""
        known = self._option_string_actions
        for word in words:
            flag = word.partition("=")[0]
            if word == "--":
                break
            if flag[:1] != "-" or flag == "-" or " " in flag or _NUMBER.fullmatch(flag):
                continue
            if not flag.startswith("--"):
                # As argparse has it, a word with a blank in it is a value, such as a condition with a minus in front.
                if flag[:2] not in known and " " not in word:
                    return flag[:2]
            # A common flag that is not taken is not short for one of the command's own.
            elif flag not in known and (flag in COMMON or not any(name.startswith(flag) for name in known)):
                return flag
        return ""

    def _refusal(self, flag: str) -> str:
        """A sentence that says that a flag is not taken, who takes it or what was perhaps meant, and what to do."""
        who = self.prog if self._command else f"{self.prog} without a command"
        takers = [name or "the app" for name in self._takers(flag)]
        if not takers and (meant := _common_flag(flag)):
            return self._refusal(meant)
        if len(takers) > 2:
            more = f": {takers[0]} and others do."
        elif takers:
            more = f": {' and '.join(takers)} {'do' if len(takers) > 1 else 'does'}."
        else:
            near = self._near_flag(flag)
            more = f"; did you mean {near[1]}?" if near else "."
        return f"{who} takes no {flag}{more} {self.instead.get(flag) or self._where_to_look()}"

    def _near_flag(self, flag: str) -> tuple[str, str] | None:
        """A flag that nobody takes, and one of this command that is much like it."""
        if self._takers(flag) or _common_flag(flag):
            return None
        names = [name[2:] for name in self._option_string_actions if len(name) > 2]
        near = get_close_matches(flag[2:], names, n=1, cutoff=0.7)
        return (flag, f"--{near[0]}") if near else None

    def _near_command(self, word: str) -> tuple[str, str] | None:
        """A word that is no file, and a command that is much like it."""
        near = get_close_matches(word, self.commands, n=1)
        if not near or word.startswith("-") or os.path.exists(word):  # noqa: PTH110  # pathlib costs more than --help
            return None
        return word, near[0]

    def _mistyped_command(self, word: str) -> str:
        """A sentence about the first word where it is no file and much like a command."""
        near = self._near_command(word)
        if near is None:
            return ""
        return f"{word!r} is neither a file nor a command; did you mean {near[1]}? {self._where_to_look()}"

    def _where_to_look(self) -> str:
        return f"{self.prog} --help lists {'its flags' if self._command else 'the commands'}."

    def error(self, message: str) -> NoReturn:
        """Say in one sentence what argparse found wrong, and leave with code 2."""
        lacking = message.partition("arguments are required: ")[2]
        unplaced = message.partition("unrecognized arguments: ")[2]
        if lacking:
            words = {action.dest: _value(action) for action in self._actions if not action.option_strings}
            needed = [words.get(name, name) for name in lacking.split(", ")]
            sentence = f"{self.prog} needs {' and '.join(needed)}."
            choices = [action.choices for action in self._actions if action.dest in lacking.split(", ")]
            if len(choices) == 1 and choices[0]:
                sentence += f" {needed[0]} is one of: {', '.join(map(str, choices[0]))}."
        elif " ignored explicit argument " in message:
            flag, _, value = message.removeprefix("argument ").partition(": ignored explicit argument ")
            sentence = f"{flag} takes no value: leave {value} out."
        elif unplaced:
            sentence = f"{self.prog} has no place for {unplaced.split()[0]!r}."
        else:
            sentence = f"{message.replace('argument ', '')}."
        self.leave(f"{sentence} {self._where_to_look()}")

    def leave(self, sentence: str, replaced: tuple[str, str] | None = None) -> NoReturn:
        """Say a sentence on standard error, and leave with code 2.

        Args:
            sentence: what is wrong.
            replaced: a word of the command line, and the one that was probably meant: the corrected command is printed.
        """
        # Imported only for who is wrong: help is quick.
        from inspector.render.texts.text import for_stderr

        print(for_stderr(sentence), file=sys.stderr)
        if replaced is not None:
            self.print_corrected(sentence, replaced)
        self.exit(2)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name the choices where a value is none of them, and the one that was perhaps meant."""
        if action.choices is None or value in action.choices:
            return
        names = [str(name) for name in action.choices]
        near = get_close_matches(str(value), names, n=1)
        meant = f"; did you mean {near[0]}?" if near else "."
        if action.option_strings:
            sentence = f"{str(value)!r} is not a value of {_named(action)}"
        else:
            sentence = f"{self.prog} takes no {str(value)!r}"
        self.leave(f"{sentence}{meant} There are: {', '.join(names)}.", (str(value), near[0]) if near else None)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Say what a value should have been, without the name of a function of ours."""
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            if isinstance(error.__context__, argparse.ArgumentTypeError):
                raise
            wanted = "a whole number" if _NUMBER.fullmatch(f"-{arg_string}") else "a number"
            self.leave(f"{arg_string!r} is not a value of {_named(action)}: give {wanted}.")


def _columns() -> int:
    return max(40, min(_WIDEST, shutil.get_terminal_size().columns))


def _wrapped(text: str, width: int) -> list[str]:
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return [line for paragraph in paragraphs for line in textwrap.wrap(paragraph, width, break_on_hyphens=False)]


def _value(action: argparse.Action) -> str:
    """What stands for the value of a flag: its metavar, or its choices where these are short."""
    metavar = action.metavar
    if metavar is None and action.choices is not None:
        choices = "|".join(map(str, action.choices))
        metavar = choices if len(choices) <= _SHORT else _plain(action)
    word = " ".join(metavar) if isinstance(metavar, tuple) else metavar or _plain(action)
    if isinstance(metavar, tuple) or not isinstance(action.nargs, int):
        return {"?": f"[{word}]", "*": f"[{word} ...]"}.get(str(action.nargs), word)
    return " ".join([word] * action.nargs)


def _plain(action: argparse.Action) -> str:
    return action.dest.removeprefix("told_").upper()


def _named(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else _value(action).strip("[] .")


def _written(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    if not names:
        return _named(action)
    return names if action.nargs == 0 else f"{names} {_value(action)}"


def _flag_lines(actions: Sequence[argparse.Action], width: int) -> tuple[list[str], bool]:
    """A line a flag, and whether one says less than there is to say; flags without words join the one before them."""
    rows: list[tuple[str, str]] = []
    for action in actions:
        if action.help == argparse.SUPPRESS:
            continue
        if not action.help and rows:
            rows[-1] = (f"{rows[-1][0]}, {_written(action)}", rows[-1][1])
        else:
            rows.append((_written(action), (action.help or "").replace("%%", "%")))
    left = max((len(names) for names, _ in rows if len(names) <= _LEFT), default=0)
    lines, shortened = [], False
    for names, text in rows:
        lead = f"  {names:<{left}}  "
        short = first_clause(text, width - len(lead))
        shortened = shortened or short != text
        lines.append(f"{lead}{short}".rstrip())
    return lines, shortened


def first_clause(text: str, room: int) -> str:
    """Return as much of a text as `room` cells hold, cut where something ends: before a semicolon or a parenthesis."""
    if len(text) <= room:
        return text
    ends = [match.start() for match in re.finditer(r"; | \(", text)]
    whole = [text[:end] for end in ends if end <= room and text[:end].count("(") == text[:end].count(")")]
    return whole[-1] if whole else textwrap.shorten(text, max(room, 4), placeholder=" ...")


def _also(names: Sequence[str], width: int) -> str:
    """The line that names the common flags that are taken, as many as there is room for."""
    end = " (prm-inspect help flags)"
    written = [name for name in _FIRST if name in names]
    written += [name for name in names if name not in written]
    written = [COMMON[name].short or name for name in written]
    line = f"Also: {', '.join(written)}{end}"
    while len(line) > width and written:
        written.pop()
        line = f"Also: {', '.join(written)}, ...{end}"
    return line


def _common_flag(beginning: str) -> str:
    """The one common flag that begins so; "" where none or several do."""
    names = [name for name in COMMON if name.startswith(beginning)]
    return names[0] if len(names) == 1 else ""
