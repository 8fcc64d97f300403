"""What was asked for: which cases, which scorers, which thresholds. The app and every command speak in these.

A request can be written as a command line, so that whatever is on screen or in a file can be made again.
"""

import re
import shlex
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True)
class Request:
    """The choices common to all commands.

    `workspace` is the folder as the user gave it, None for the usual one. `thresholds` pairs a scorer's name (None =
    every scorer) with what was asked: a number, `default`, `best`, `best:NUMBER` (one that was found to be the best),
    `dev`, `dev:kept` or `from:SUBSET`; `rules` does so with `<`, `<=`, `diff<=` and the others of
    `inspector.wishes.RULES`, `redundancy` with the number above which a step is redundant; later pairs win. `protocol`
    names the protocol that decides, None = each benchmark's own way of counting; `unparsed` says how cases without a
    verdict count, None = as the protocol does. `sort` is `COLUMN`, `COLUMN:desc` or `instructive`. `baselines` adds the
    scorers that look at nothing.
    """

    workspace: str | None = None
    benchmarks: tuple[str, ...] = ()
    subsets: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    thresholds: tuple[tuple[str | None, str], ...] = ()
    rules: tuple[tuple[str | None, str], ...] = ()
    protocol: str | None = None
    redundancy: tuple[tuple[str | None, str], ...] = ()
    unparsed: Literal["wrong", "drop"] | None = None
    seed: int = 0
    baselines: bool = False
    by: tuple[str, ...] = ()
    sort: str = ""

    def command(self, verb: str, *words: str, form: str = "") -> str:
        """The command line that makes the same document again; an order and groups only where the verb knows them."""
        flags = {
            "--workspace": () if self.workspace is None else (self.workspace,),
            "--benchmark": self.benchmarks,
            "--subset": self.subsets,
            "--scorer": self.scorers,
            "--where": self.where,
            "--threshold": tuple(f"{name}={asked}" if name else asked for name, asked in self.thresholds),
            "--rule": tuple(f"{name}={asked}" if name else asked for name, asked in self.rules),
            "--redundancy": tuple(f"{name}={asked}" if name else asked for name, asked in self.redundancy),
            "--protocol": (self.protocol,) if self.protocol else (),
            "--unparsed": (self.unparsed,) if self.unparsed else (),
            "--seed": (str(self.seed),) if self.seed else (),
            "--by": self.by if verb == "metrics" else (),
            "--sort": (self.sort,) if self.sort and verb == "cases" else (),
        }
        line = ["prm-inspect", verb, *words]
        for flag, values in flags.items():
            for value in values:
                line += [f"{flag}={value}"] if value.startswith("-") else [flag, value]
        if self.baselines:
            line.append("--baselines")
        if form:
            line.append(f"--{form}")
        return " ".join(map(shell_word, line))

    def with_threshold(self, scorer: str, asked: str) -> "Request":
        """The request with another threshold for one scorer."""
        others = tuple(pair for pair in self.thresholds if pair[0] != scorer)
        return replace(self, thresholds=(*others, (scorer, asked)))


def shell_word(text: str) -> str:
    """One word for a POSIX shell. A condition with both kinds of quotes stays readable where it safely can."""
    readable = "'" in text and not re.search(r"[$`\\!\x00-\x1f]", text)
    return '"' + text.replace('"', '\\"') + '"' if readable else shlex.quote(text)
