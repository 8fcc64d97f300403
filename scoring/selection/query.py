"""A query: which cases, which scorers, which thresholds. The app, every command and the API load one.

A query can be written as a command line, so that whatever is on screen or in a file can be made once more.
"""

import csv
import re
import shlex
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace


class Query(Struct, frozen=True):
    """The choices common to all commands.

    `workspace` is the folder as the user gave it, None for the usual one. `thresholds` pairs a scorer's name (None =
    every scorer) with what was asked: a number, `default`, `best`, `best:NUMBER` (one that was found to be the best),
    `dev`, `dev:kept` or `from:SUBSET`; `rules` does so with `<`, `<=`, `diff<=` and the others that
    `scoring.data.rules.check_rule` reads, `redundancy` with the number above which a step is redundant; later
    pairs win. `plugins` are files of the user's own with further rules. `protocol` names the protocol that decides,
    None = each benchmark's own way of counting; `unparsed` says how cases without a verdict count, None = as the
    protocol does. `labels` are the gold labels: the benchmarks' own, or those after triage
    (`scoring.workspace.triage.adjudicated`); `metrics` alone takes both. `sort` is `COLUMN`, `COLUMN:desc` or
    `instructive`, `columns` are those of a list of cases (none = the usual ones). `baselines` adds the scorers that
    look at nothing to those that are shown; one that `scorers` or a condition names is there without it. `slices` are
    names of saved slices, until they are spelled out in the other fields. `search` is looked for in the texts of the
    cases, in the scopes `within` (none: in all of them); see `scoring.workspace.filtering.text_query`.
    """

    workspace: str | None = None
    benchmarks: tuple[str, ...] = ()
    subsets: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    search: str = ""
    within: tuple[str, ...] = ()
    thresholds: tuple[tuple[str | None, str], ...] = ()
    rules: tuple[tuple[str | None, str], ...] = ()
    plugins: tuple[str, ...] = ()
    protocol: str | None = None
    redundancy: tuple[tuple[str | None, str], ...] = ()
    unparsed: Literal["wrong", "drop"] | None = None
    labels: Literal["original", "adjudicated", "both"] = "original"
    seed: int = 0
    baselines: bool = False
    by: tuple[str, ...] = ()
    sort: str = ""
    columns: tuple[str, ...] = ()

    def command(self, verb: str, *words: str, form: str = "") -> str:
        """Write the command line that makes the same document again; order and groups only where the verb has them."""
        flags = {
            "--workspace": () if self.workspace is None else (self.workspace,),
            "--benchmark": self.benchmarks,
            "--subset": self.subsets,
            "--scorer": self.scorers,
            "--where": self.where,
            # One case is shown whatever its texts hold.
            "--slice": self.slices if verb != "show" else (),
            "--search": (self.search,) if self.search and verb != "show" else (),
            "--in": self.within if self.search and verb != "show" else (),
            "--threshold": tuple(f"{name}={word}" if name else word for name, word in self.thresholds),
            "--rule": tuple(f"{name}={word}" if name else word for name, word in self.rules),
            "--plugin": self.plugins,
            "--redundancy": tuple(f"{name}={word}" if name else word for name, word in self.redundancy),
            "--protocol": (self.protocol,) if self.protocol else (),
            "--unparsed": (self.unparsed,) if self.unparsed else (),
            "--labels": (self.labels,) if self.labels != "original" else (),
            "--seed": (str(self.seed),) if self.seed else (),
            "--by": self.by if verb in {"metrics", "taxonomy"} else (),
            "--sort": (self.sort,) if self.sort and verb in {"cases", "report"} else (),
            "--columns": (joined(self.columns),) if self.columns and verb == "cases" else (),
        }
        # Behind `--` a word may look like a flag, and no flag follows.
        end = words.index("--") if "--" in words else len(words)
        line = ["prm-inspect", verb, *words[:end]]
        for flag, values in flags.items():
            for value in values:
                line += [f"{flag}={value}"] if value.startswith("-") else [flag, value]
        if self.baselines:
            line.append("--baselines")
        if form:
            line.append(f"--{form}")
        line += words[end:]
        return " ".join(map(shell_word, line))

    @property
    def decides(self) -> bool:
        """Whether anything is asked of verdicts that scorers do not decide by themselves."""
        return bool(self.thresholds or self.rules or self.redundancy or self.protocol)

    def of(self, scorers: Sequence[str]) -> "Query":
        """Return the query of these scorers (full names) without baselines; () = of all scorers."""
        return replace(self, scorers=tuple(scorers), baselines=self.baselines and not scorers)

    def with_threshold(self, scorer: str, word: str) -> "Query":
        """Return the query with another threshold for one scorer."""
        others = tuple(pair for pair in self.thresholds if pair[0] != scorer)
        return replace(self, thresholds=(*others, (scorer, word)))


def as_words(names: Sequence[str]) -> tuple[str, ...]:
    """Return names as words of a command, behind `--` where one of them looks like a flag."""
    return ("--", *names) if any(name.startswith("-") for name in names) else tuple(names)


def joined(names: Sequence[str]) -> str:
    """Join names with commas into one word; double quotes surround a name with a comma, a quote or a line break."""
    return ",".join('"' + name.replace('"', '""') + '"' if set(',"\r\n') & set(name) else name for name in names)


def split(text: str) -> tuple[str, ...]:
    """Split such a word into its names, without blanks around them."""
    names = next(csv.reader([text], skipinitialspace=True), [])
    return tuple(name.strip() for name in names if name.strip())


def shell_word(text: str) -> str:
    """Quote one word for a POSIX shell. A condition with both kinds of quotes stays readable where it safely can."""
    readable = "'" in text and not re.search(r"[$`\\!\x00-\x1f]", text)
    return '"' + text.replace('"', '\\"') + '"' if readable else shlex.quote(text)
