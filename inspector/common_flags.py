"""The flags that are known before and after every command. Only argparse is imported, so that `--help` is quick."""

import argparse
from collections.abc import Mapping, Sequence
from itertools import pairwise

PROTOCOLS = ("processbench", "prmbench", "socratic", "grben")
"""Names of `scoring.protocols`, which is not imported for `--help`."""
LABELS = ("original", "adjudicated", "both")
TAKE_A_VALUE = frozenset(
    {
        *("-w", "--workspace", "--where", "--slice", "--benchmark", "--subset", "--scorer", "--threshold", "--rule"),
        "--plugin",
        *("--search", "--in", "--redundancy", "--protocol", "--unparsed", "--labels", "--seed", "-o", "--output"),
    }
)
"""Flags whose next word is theirs."""
_REPEATABLE = ("benchmark", "subset", "scorer", "where", "slice", "within", "threshold", "rule", "redundancy", "plugin")


IMPORT_FLAGS = {
    "--workspace": "the workspace's folder (default: $PRM_INSPECT_WORKSPACE, or ./.prm-inspect)",
    "--benchmark": "whose cases the results are of, where their ids do not say it",
    "--threshold": "a number: a step is wrong if its reward is below it (default 0.5, or as the format says)",
    "--rule": "'<' or '<=': how a reward stands to the threshold where its step is wrong; 'diff<' or 'diff<=': how its "
    "reward less that of the step before does",
    "--quiet": "no words on stderr, no report",
    "--no-color": "no colours (also NO_COLOR=1)",
    "--ascii": "plain ASCII bars and lines",
}
"""The common flags that `import` uses -> what they mean there. The others choose what is shown."""


def common_flags(default: object, helps: Mapping[str, str] | None = None) -> argparse.ArgumentParser:
    """Flags known before and after every command. `default` SUPPRESS keeps the later parser from undoing the first.

    `helps` are the flags that a command's help lists, with what they mean there; None = all, with what they mean
    everywhere.
    """

    def told(flag: str, text: str) -> str:
        return text if helps is None else helps.get(flag, argparse.SUPPRESS)

    def value(given: object) -> object:
        return argparse.SUPPRESS if default is argparse.SUPPRESS else given

    def dest(flag: str) -> str:
        # A command's parser starts from nothing and would undo what was collected before it.
        return flag.strip("-") if default is argparse.SUPPRESS else f"early_{flag.strip('-')}"

    common = argparse.ArgumentParser(add_help=False)
    which = common.add_argument_group("which cases and scorers" if helps is None else "where it goes and what decides")
    which.add_argument(
        "-w", "--workspace", metavar="DIR", default=value(None), help=told("--workspace", "the workspace's folder")
    )
    for flag, text in {
        "--benchmark": "only this benchmark (repeatable); `demo` is known everywhere",
        "--subset": "only this subset (repeatable)",
        "--scorer": "only this scorer: its name or a unique part of it (repeatable)",
        "--where": 'only cases that fulfil an SQL condition, e.g. "n_steps > 8" (repeatable)',
        "--slice": "only cases of a slice that was saved on the list: its name or a unique part of it (repeatable)",
    }.items():
        metavar = "SQL" if flag == "--where" else "NAME"
        which.add_argument(
            flag, action=Collect, metavar=metavar, default=value(()), help=told(flag, text), dest=dest(flag)
        )
    searched = 'only cases whose texts hold these words, this "phrase" or /regular expression/'
    which.add_argument("--search", metavar="TEXT", default=value(None), help=told("--search", searched))
    which.add_argument(
        "--in",
        action=Collect,
        metavar="SCOPE",
        dest=dest("--within"),
        default=value(()),
        help=told(
            "--in", "where --search looks: problem, steps, reason, answers or notes (repeatable; default: all of them)"
        ),
    )
    which.add_argument(
        "--threshold",
        action=Collect,
        metavar="X",
        dest=dest("--threshold"),
        default=value(()),
        help=told(
            "--threshold", "a number, default, best, dev or from:SUBSET, for all scorers or as SCORER=X (repeatable)"
        ),
    )
    which.add_argument(
        "--rule",
        action=Collect,
        metavar="RULE",
        dest=dest("--rule"),
        default=value(()),
        help=told(
            "--rule",
            "'<' or '<=': how a reward stands to the threshold where its step is wrong; a name before it ('diff<') "
            "says what does so instead: diff (the reward less that of the step before; threshold -0.05 unless given), "
            "product (of the rewards so far), zscore (among its case's rewards; threshold -1 unless given), max2, max3 "
            "and so on (wrong where so many in a row are), reward (undoes these), or a rule of --plugin; with lowest: "
            "before all of it the verdict is the lowest step and not the first; or SCORER=RULE (repeatable)",
        ),
    )
    own = "use what this file of your own brings: rules for --rule, metrics, columns, an analysis (repeatable)"
    which.add_argument(
        "--plugin",
        action=Collect,
        metavar="FILE.py",
        dest=dest("--plugin"),
        default=value(()),
        help=told("--plugin", own),
    )
    which.add_argument(
        "--redundancy",
        action=Collect,
        metavar="X",
        dest=dest("--redundancy"),
        default=value(()),
        help=told(
            "--redundancy",
            "above which number a step is redundant, for scorers that judge it; or SCORER=X (repeatable)",
        ),
    )
    decides = "decide as this benchmark's protocol does, boundary, tuned thresholds and undefined figures included"
    which.add_argument("--protocol", choices=PROTOCOLS, default=value(None), help=told("--protocol", decides))
    uncounted = "how cases without a verdict count (default: as the benchmark's protocol does)"
    which.add_argument("--unparsed", choices=("wrong", "drop"), default=value(None), help=told("--unparsed", uncounted))
    gold = (
        "the gold labels: the benchmark's own (original, the default), or those after triage, where people who rule "
        "'gold wrong' agree on the steps: the lowest rated -1, or every step rated and none so (files stay as they "
        "are); `metrics` also takes both, side by side"
    )
    which.add_argument("--labels", choices=LABELS, default=value("original"), help=told("--labels", gold))
    seeded = "seed of resampling and of dev sets (default 0)"
    which.add_argument("--seed", type=natural, default=value(0), metavar="N", help=told("--seed", seeded))
    which.add_argument(
        "--baselines",
        action="store_true",
        default=value(False),
        help=told("--baselines", "also a coin, always-clean and always-first-step"),
    )
    how = common.add_argument_group("how it looks")
    how.add_argument(
        "-q", "--quiet", action="store_true", default=value(False), help=told("--quiet", "no words on stderr")
    )
    how.add_argument(
        "--no-color", action="store_true", default=value(False), help=told("--no-color", "no colours (also NO_COLOR=1)")
    )
    how.add_argument(
        "--ascii", action="store_true", default=value(False), help=told("--ascii", "plain ASCII bars and lines")
    )
    how.add_argument(
        "--no-mouse",
        action="store_true",
        default=value(False),
        help=told("--no-mouse", "leave the mouse to the terminal"),
    )
    unlogged = "write no log of what is done in the app, which `replay` would play again"
    how.add_argument(
        "--no-session-log", action="store_true", default=value(False), help=told("--no-session-log", unlogged)
    )
    return common


class Collect(argparse.Action):
    """Collect a repeatable flag, before and after the command alike, into one tuple."""

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _flag: str | None = None
    ) -> None:
        """Add what was given."""
        setattr(namespace, self.dest, (*getattr(namespace, self.dest, ()), values))


def together(args: argparse.Namespace) -> argparse.Namespace:
    """Repeatable flags before the command and after it make one tuple, in this order."""
    for name in _REPEATABLE:
        setattr(args, name, (*vars(args).pop(f"early_{name}"), *getattr(args, name, ())))
    return args


def plugins_in(words: Sequence[str]) -> list[str]:
    """The files that --plugin names in a command line, before it is read as one."""
    following = [file for word, file in pairwise(words) if word == "--plugin"]
    return following + [word.partition("=")[2] for word in words if word.startswith("--plugin=")]


def natural(text: str) -> int:
    """A whole number, 0 or more."""
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{number} is below 0")
    return number
