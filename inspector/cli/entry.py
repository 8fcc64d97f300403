"""Find the command of a command line and run it; each command imports what it needs."""

import argparse
import errno
import gc
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType

from inspector.cli.command_flags import REMOVED, RENAMED, commands, parser_of
from inspector.state.common_flags import command_position, plugins_in


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _close_stdout()
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _close_stdout()
        print("Cannot write the output: No space left where it goes.", file=sys.stderr)
        return 2


def _run(words: list[str]) -> int:
    """The same without what may go wrong with stdout: what is buffered is written here, where it can be told."""
    from scoring.data.errors import InspectError

    try:
        files = plugins_in(words)
        if files and _may_name_own(words):
            import_module("inspector.analyses._own").load_own(files)
        args = parse(words)
        args.command_line = words
        if args.no_color:
            os.environ["NO_COLOR"] = "1"
        module = commands()[args.command].module if args.command else "inspector.cli.actions.opening"
        run = _imported(module).run
        code: int = _run_with_plugins(run, args, files) if files and args.command else run(args)
    except SystemExit:
        sys.stdout.flush()
        raise
    except InspectError as error:
        _say(error.message)
        if error.instead:
            import_module("inspector.cli.corrected_commands").print_corrections(words, error)
        code = 2
    sys.stdout.flush()
    return _sent(code)


def _sent(code: int) -> int:
    """Send what was written of workspaces on object storage, if one was opened; the exit code after that."""
    if "scoring.workspace.remote" not in sys.modules:
        return code
    return int(import_module("scoring.workspace.workspace_place").sent(code, _say))


def _imported(name: str) -> ModuleType:
    """Import a module for the first time, without looking for garbage: what is made meanwhile stays to the end."""
    if name in sys.modules or not gc.isenabled():
        return import_module(name)
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()


def _run_with_plugins(run: Callable[[argparse.Namespace], int], args: argparse.Namespace, files: Sequence[str]) -> int:
    """Load the user's own files and run a command; say what of their code takes long."""
    from scoring.data import own_code

    own_code.listen(_say)
    try:
        import_module("inspector.analyses._own").load_own(files)
        return run(args)
    finally:
        own_code.stop_listening(_say)


def _say(sentence: str) -> None:
    from inspector.render.texts.text import for_stderr

    print(for_stderr(sentence), file=sys.stderr, flush=True)


def _print_corrected(words: Sequence[str], sentence: str, replaced: tuple[str, str]) -> None:
    """Print the command with one of its words replaced, after a sentence that says what is wrong with it."""
    from scoring.data.errors import CommandEdit, UsageError

    error = UsageError(sentence, instead=[(CommandEdit(replaces=(replaced,)), f"with {replaced[1]}")])
    import_module("inspector.cli.corrected_commands").print_corrections(words, error)


def _may_name_own(words: Sequence[str]) -> bool:
    """Tell whether words may be about an analysis of the user's own, whose file is then needed to read them."""
    at = command_position(words)
    if at is None or words[at] in commands():
        return "-h" in words or "--help" in words
    return not os.path.exists(words[at])  # noqa: PTH110  # quicker to import


def _close_stdout() -> None:
    """Nobody reads on, or nothing fits: what is left goes nowhere, so that Python does not complain while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the arguments of a command, or of the app where the first word is no command; flags may stand before it."""
    at = command_position(words)
    command = "" if at is None or words[at] not in commands() else words[at]
    former = at is not None and words[at] in {*RENAMED, *REMOVED}
    if at is not None and former and not os.path.exists(words[at]):  # noqa: PTH110  # quicker to import
        if words[at] in REMOVED:
            parser_of("").leave(f"{words[at]} was removed in version 0.3. {REMOVED[words[at]]}")
        line = shlex.join(["prm-inspect", *words[:at], *RENAMED[words[at]].split(), *words[at + 1 :]])
        parser_of("").leave(f"{words[at]} has another name now: {line}")
    parser = parser_of(command)
    parser.print_corrected = partial(_print_corrected, words)
    return parser.parse_words([word for place, word in enumerate(words) if place != at or not command])
