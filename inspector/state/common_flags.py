"""The flags that commands share, in groups that a command takes or does not. Little is imported: `--help` is quick."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

PROTOCOLS = (
    *("processbench", "prmbench", "socratic", "grben"),
    *("deltabench", "hard2verify", "visualprocessbench", "agentprocessbench"),
)
"""Names of `scoring.metrics.official_protocols`, which is not imported for `--help`."""
LABELS = ("original", "adjudicated", "both")


def plugins_in(words: Sequence[str]) -> list[str]:
    """Return the files that --plugin names in a command line, before it is read as one."""
    following = [file for word, file in pairwise(words) if word == "--plugin"]
    return following + [word.partition("=")[2] for word in words if word.startswith("--plugin=")]


def natural(text: str) -> int:
    """Read a whole number, 0 or more."""
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{number} is below 0")
    return number


class Collect(argparse.Action):
    """Collect the values of a repeatable flag into a tuple."""

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _flag: str | None = None
    ) -> None:
        """Add the value."""
        setattr(namespace, self.dest, (*getattr(namespace, self.dest, ()), values))


class CommonFlag(NamedTuple):
    """A flag that means the same wherever it is taken; without a metavar and choices it takes no value.

    `default` is what arguments hold where it is not given, and where a command does not take it.
    """

    name: str
    help: str
    short: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    type: Callable[[str], Any] | None = None
    many: bool = False
    default: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """How it may be written."""
        return (self.short, self.name) if self.short else (self.name,)

    @property
    def takes_a_value(self) -> bool:
        """Whether the next word is its value."""
        return bool(self.metavar or self.choices)

    @property
    def attribute(self) -> str:
        """What the arguments call its value; `in` is a word of Python's."""
        return "within" if self.name == "--in" else self.name.removeprefix("--").replace("-", "_")

    @property
    def usual(self) -> Any:
        """The value of whoever does not give it."""
        if self.many:
            return ()
        return self.default if self.takes_a_value else False

    def add_to(self, parser: "argparse._ActionsContainer", meaning: str = "") -> None:
        """Add it, with what it means to one command where that is something of its own."""
        settings: dict[str, Any] = {"dest": self.attribute, "help": meaning or self.help, "default": self.usual}
        if not self.takes_a_value:
            settings["action"] = "store_true"
        else:
            settings |= {"metavar": self.metavar or None, "choices": self.choices or None}
            settings |= {"action": Collect} if self.many else {"type": self.type}
        parser.add_argument(*self.names, **settings)


GROUPS: dict[str, tuple[CommonFlag, ...]] = {
    "which cases": (
        CommonFlag(
            "--where",
            'only cases that fulfil an SQL condition, e.g. "n_steps > 8" (repeatable)',
            metavar="SQL",
            many=True,
        ),
        CommonFlag(
            "--search",
            'only cases whose texts hold these words, this "phrase" or /regular expression/',
            metavar="TEXT",
        ),
        CommonFlag(
            "--in",
            "where --search looks: problem, steps, context, reason, answers or notes (repeatable; default: all)",
            metavar="SCOPE",
            many=True,
        ),
        CommonFlag(
            "--slice",
            "only cases of a slice that was saved on the list: its name or a unique part of it (repeatable)",
            metavar="NAME",
            many=True,
        ),
        CommonFlag(
            "--benchmark", "only this benchmark (repeatable); `demo` is known everywhere", metavar="NAME", many=True
        ),
        CommonFlag("--subset", "only this subset (repeatable)", metavar="NAME", many=True),
    ),
    "which scorers": (
        CommonFlag(
            "--scorer", "only this scorer: its name or a unique part of it (repeatable)", metavar="NAME", many=True
        ),
        CommonFlag(
            "--baselines",
            "also a coin, always-clean and always-first-step (which --scorer and conditions may name without it)",
        ),
    ),
    "what decides": (
        CommonFlag(
            "--threshold",
            "a number, default, best, dev or from:SUBSET, for all scorers or as SCORER=X (repeatable)",
            metavar="X",
            many=True,
        ),
        CommonFlag(
            "--rule",
            "'<' or '<=': how a reward stands to the threshold where its step is wrong; a name before it ('diff<') "
            "says what does so instead: diff (the reward less that of the step before; threshold -0.05 unless given), "
            "product (of the rewards so far), zscore (among its case's rewards; threshold -1 unless given), max2, max3 "
            "and so on (wrong where so many in a row are), reward (undoes these), or a rule of --plugin; with lowest: "
            "before all of it the verdict is the lowest step and not the first; or SCORER=RULE (repeatable)",
            metavar="RULE",
            many=True,
        ),
        CommonFlag(
            "--redundancy",
            "above which number a step is redundant, for scorers that judge it; or SCORER=X (repeatable)",
            metavar="X",
            many=True,
        ),
        CommonFlag(
            "--protocol",
            "decide as this benchmark's protocol does, boundary, tuned thresholds and undefined figures included",
            choices=PROTOCOLS,
        ),
        CommonFlag(
            "--unparsed",
            "how cases without a verdict count (default: as the benchmark's protocol does)",
            choices=("wrong", "drop"),
        ),
        CommonFlag(
            "--labels",
            "the gold labels: the benchmark's own (original, the default), or those after triage, where people who "
            "rule 'gold wrong' agree on the steps: the lowest rated -1, or every step rated and none so (files stay "
            "as they are); `metrics` also takes both, side by side",
            choices=LABELS,
            default="original",
        ),
        CommonFlag(
            "--plugin",
            "use what a file of your own or an installed plugin brings: rules for --rule, metrics, columns, analyses "
            "(repeatable)",
            metavar="FILE.py|NAME",
            many=True,
        ),
        CommonFlag("--seed", "seed of resampling and of dev sets (default 0)", metavar="N", type=natural, default=0),
    ),
    "which workspace": (
        CommonFlag(
            "--workspace",
            "the workspace's folder, or its address: s3://BUCKET/PATH, gs://, az:// or, to read, hf:// (default: "
            "$PRM_INSPECT_WORKSPACE, or ./.prm-inspect, or the user's own)",
            short="-w",
            metavar="DIR",
        ),
    ),
    "how it is shown": (
        CommonFlag("--quiet", "no words on stderr, and no pager", short="-q"),
        CommonFlag(
            "--verbose", "all that the figures of a table depend on, on stderr; else its command alone", short="-v"
        ),
        CommonFlag("--no-color", "no colours (also NO_COLOR=1)"),
        CommonFlag("--ascii", "plain ASCII bars and lines"),
    ),
    "the app": (
        CommonFlag("--no-mouse", "leave the mouse to the terminal"),
        # Accepted without effect through 0.3, because scripts written for 0.2 may use it.
        CommonFlag("--no-session-log", argparse.SUPPRESS),
    ),
}
"""Every common flag, in groups, with their titles."""
COMMON = {flag.name: flag for group in GROUPS.values() for flag in group}
CASES, SCORERS, DECIDES, _WORKSPACE, _MANNERS, APP = (tuple(flag.name for flag in group) for group in GROUPS.values())
FIGURES = (*CASES, *SCORERS, *DECIDES)
"""What a command takes that shows figures."""
ALWAYS = (*_WORKSPACE, *_MANNERS)
"""What every command takes."""
TAKE_A_VALUE = frozenset(
    {"-o", "--output", *(name for flag in COMMON.values() if flag.takes_a_value for name in flag.names)}
)
"""Flags whose next word is theirs, where they stand before a command."""


def command_position(words: Sequence[str]) -> int | None:
    """Return the position (0-based) of the first word that is neither a flag nor a flag's value, or None."""
    skip = False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = any(flag == word or (word[2:] and flag.startswith(word)) for flag in TAKE_A_VALUE)
        else:
            return position
    return None


def add_common_flags(
    parser: argparse.ArgumentParser, takes: Iterable[str], meanings: Mapping[str, str]
) -> tuple[str, ...]:
    """Add the common flags of one command, and what its arguments hold in place of the others.

    Args:
        parser: the command's own.
        takes: the flags that it takes besides those of ALWAYS.
        meanings: flags that mean something of their own to this command, with that.

    Returns:
        The flags that mean to it what they mean everywhere.
    """
    taken = {*takes, *ALWAYS, *meanings}
    for name, meaning in meanings.items():
        COMMON[name].add_to(parser, meaning)
    for title, flags in GROUPS.items():
        shared = [flag for flag in flags if flag.name in taken and flag.name not in meanings]
        group = parser.add_argument_group(title) if shared else parser
        for flag in shared:
            flag.add_to(group)
        parser.set_defaults(**{flag.attribute: flag.usual for flag in flags if flag.name not in taken})
    return tuple(name for name in COMMON if name in taken and name not in meanings)


def common_help() -> str:
    """Explain all common flags, group by group."""
    about = "Flags that commands share. Each command takes those that it uses, before its name or behind it."
    parser = argparse.ArgumentParser(add_help=False, usage=argparse.SUPPRESS, description=about)
    add_common_flags(parser, COMMON, {})
    return parser.format_help()
