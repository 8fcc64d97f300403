"""What a shell needs to complete commands, flags and their values."""

import argparse
from collections.abc import Mapping
from typing import Any

from inspector.cli.commands import Verb

SHELLS = ("bash", "zsh", "fish")
_WHERE = (
    'the shell; bash: eval "$(prm-inspect completion bash)" in ~/.bashrc, zsh: into a file _prm-inspect of a folder in '
    "$fpath, fish: into ~/.config/fish/completions/prm-inspect.fish"
)


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help=_WHERE)


VERB = Verb(("prm-inspect completion bash", "prm-inspect completion fish"), _flags, takes=(), document=False)


def run(args: argparse.Namespace) -> int:
    """Print it: all that `--help` knows, as that shell reads it."""
    import shtab

    print(shtab.complete(_everything(shtab.FILE, shtab.DIRECTORY), args.shell))
    return 0


def _everything(file: Mapping[str, Any], directory: Mapping[str, Any]) -> argparse.ArgumentParser:
    """All commands as one parser; `file` and `directory` are how values are marked that are paths."""
    from inspector.cli.command_flags import commands, parser_of
    from inspector.state.common_flags import APP, FIGURES, add_common_flags

    whole = argparse.ArgumentParser("prm-inspect")
    add_common_flags(whole, (*FIGURES, *APP), {})
    named = whole.add_subparsers()
    for name, verb in commands().items():
        # A percent sign would be read as a format.
        line = verb.line.replace("%", "%%")
        named.add_parser(name, help=line, parents=[parser_of(name)], add_help=False, conflict_handler="resolve")
    for parser in (whole, *named.choices.values()):
        for action in parser._actions:  # noqa: SLF001  # no other way to all of them
            metavar = str(action.metavar or "")
            if "FILE" in metavar or "PATH" in metavar:
                action.complete = file  # type: ignore[attr-defined]  # where shtab looks
            elif "DIR" in metavar:
                action.complete = directory  # type: ignore[attr-defined]
    return whole
