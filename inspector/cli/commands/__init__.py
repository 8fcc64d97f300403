"""The commands that are no analyses, a file each: the first line of a file says what the command is for.

A file of an analysis's name adds to its command. Only argparse is imported here and there, and what it imports itself,
so that `--help` is quick: what a command's work needs is imported where `run` needs it, or `run` stands elsewhere.
"""

import argparse
import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import NamedTuple

from inspector.cli.command_parser import SCREEN
from inspector.state.common_flags import CASES, FIGURES, SCORERS


class Verb(NamedTuple):
    """A command: examples of it, what its parser is made of, and the module whose `run(args)` does it.

    `flags` adds the flags of its own. `takes` are the common flags that it takes besides those of all commands,
    `meanings` say what some of them mean to it alone, and `instead` what to do in place of one that it does not take.
    `document` says that its rows may be written in any of `command_flags.FORMS`; `most_lines` is what its help may
    take, `rank` its place among commands, where analyses have 50. Its `line` of help is that of its file, and so is its
    `module` where none is named.
    """

    examples: tuple[str, ...] = ()
    flags: Callable[[argparse.ArgumentParser], None] | None = None
    module: str = ""
    takes: tuple[str, ...] = FIGURES
    meanings: Mapping[str, str] = {}
    instead: Mapping[str, str] = {}
    document: bool = True
    most_lines: int = SCREEN
    rank: int = 90
    line: str = ""


OF_AN_IMPORT = {
    "--benchmark": "whose cases the results are of (where ids do not say it)",
    "--threshold": "a step is wrong if its reward is below X (default 0.5, or as the format says)",
    "--rule": "'<' or '<=': how a wrong step's reward stands to it; 'diff<' or 'diff<=': how its reward less that of "
    "the step before does",
    "--verbose": "list every file with all of its findings",
}
"""What common flags mean to those who read files."""
TAKEN_WHOLE = dict.fromkeys(
    (*CASES, *SCORERS), "Things are taken whole: a scorer from all its benchmarks, a benchmark with all its cases."
)
"""What those who take things whole say in the place of flags that choose."""


@cache
def verbs() -> dict[str, Verb]:
    """Return the commands of the files here by name; one of `import_.py` is called `import`."""
    by_name = {}
    for file in sorted(name for folder in __path__ for name in os.listdir(folder)):  # noqa: PTH208  # pathlib is slow
        if file.endswith(".py") and not file.startswith("_"):
            module = import_module(f"{__name__}.{file[:-3]}")
            line = (module.__doc__ or "").partition("\n")[0].rstrip(".")
            verb: Verb = module.VERB
            made = verb._replace(module=verb.module or module.__name__, line=f"{line[:1].lower()}{line[1:]}")
            by_name[file[:-3].rstrip("_").replace("_", "-")] = made
    return by_name
