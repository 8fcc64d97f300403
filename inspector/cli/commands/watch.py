"""Follow files and folders that grow, and import what comes."""

import argparse

from inspector.cli.commands import OF_AN_IMPORT, Verb
from inspector.cli.commands.import_ import add_reading_flags
from inspector.state.common_flags import CASES, SCORERS, natural

_WHOLE_SOURCE = "All that a source holds is taken; give it to whatever shows the cases afterwards."


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.usage = "prm-inspect watch [BENCHMARK|FILE.py] PATH [PATH ...] [options]"
    parser.epilog = """What is there is imported, and then what changes, as `import` would import it: files that grow
    (up to the last whole row), that are replaced, that are new in a folder or of a pattern. What vanishes stays in the
    workspace. An app that is open on it shows what comes. Of rollouts it says where step rewards drift from outcomes,
    as `timeline --drift` does.

    Exit codes: 130 (Ctrl+C) and 143 interrupted, with what was taken; with --until-idle 0 all taken, 1 with a warning
    or without one of the sources, 2 nothing was taken, or wrong usage."""
    paths = "files, folders or quoted patterns (benchmarks, results or tables; there or yet to come)"
    parser.add_argument("paths", nargs="+", metavar="PATH", help=paths)
    idle = "end by itself when nothing has changed for so long (default: never)"
    parser.add_argument("--until-idle", type=natural, metavar="SECONDS", help=idle)
    parser.add_argument("--jsonl", action="store_true", help="an object a change on stdout, and no words")
    add_reading_flags(parser)


VERB = Verb(
    ("prm-inspect watch runs/my-prm", "prm-inspect watch 'runs/*/details.jsonl' --until-idle 600"),
    _flags,
    module="inspector.cli.actions.watching",
    takes=(),
    meanings=OF_AN_IMPORT | {"--verbose": "tell each change with all of its findings"},
    most_lines=45,
    instead=dict.fromkeys((*CASES, *SCORERS), _WHOLE_SOURCE)
    | {"--scorer": "--name says what a scorer is called, --scorer-column which column does."},
    document=False,
    rank=2,
)
