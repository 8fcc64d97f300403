"""How rewards become a verdict, as it is asked for and in words, and the threshold of a scorer that has none."""

import re
from typing import Literal, NamedTuple, get_args

from scoring.errors import UsageError
from scoring.own_rules import find_rule, installed_rules
from scoring.scorer import Comparison, On
from scoring.transforms import DEFAULT_DIFFERENCE, REWARDS, SPELLED, own_transforms, transform

NamedStep = Literal["first", "lowest"]
"""Which step a verdict names: the first one under the threshold, or the lowest one if it is under it."""

DEFAULTS: dict[On, tuple[float, str]] = {
    "rewards": (0.5, "default"),
    "differences": DEFAULT_DIFFERENCE,
}
"""Threshold and its source where a scorer has none of its own on what is compared."""

_NAMES: dict[NamedStep, str] = {
    "first": "the verdict is the first such step",
    "lowest": "the verdict is the step where this is lowest (of several the first), if it is judged wrong",
}
_RULE = re.compile(r"(?:(lowest):)?([A-Za-z_][\w-]*)?(<=?)")


def when_wrong(on: str, comparison: Comparison, threshold: str = "threshold") -> str:
    """Say when a step is judged wrong."""
    return f"a step is judged wrong iff {transform(on).words} {comparison} {threshold}"


def which_step(step: NamedStep) -> str:
    """Say which step the verdict names."""
    return _NAMES[step]


def spelled_rule(comparison: Comparison, on: str, step: NamedStep) -> str:
    """Give a rule in the words of `--rule`; rewards are not named, for they are what is compared unless it is said."""
    compared = "" if on == REWARDS else transform(on).spelled
    return f"{'' if step == 'first' else f'{step}:'}{compared}{comparison}"


class AskedRule(NamedTuple):
    """What is asked of a rule.

    Attributes:
        comparison: How what is compared stands to the threshold where a step is wrong.
        on: What is compared, by the name of its transformation; None = what is compared already.
        step: Which step the verdict names; None = as it is already.
    """

    comparison: Comparison
    on: str | None = None
    step: NamedStep | None = None


def check_rule(wish: str) -> AskedRule:
    """Read what `--rule` says: `<` or `<=`, before it what is compared, and `lowest:` before that.

    Raises:
        UsageError: it is none.
        PluginError: it names a rule of the user's own that cannot be used.
    """
    parts = _RULE.fullmatch(wish)
    compared = find_rule(parts[2]) if parts and parts[2] else None
    if parts is None or (parts[2] and compared is None):
        names = ", ".join(dict.fromkeys((*SPELLED, "max2", "max3", "...", *own_transforms(), *installed_rules())))
        raise UsageError(
            f"{wish!r} is no rule.",
            f"A rule is '<' or '<='; before it what is compared, if not the usual ({names}); before that lowest:, if"
            " the verdict is to be the lowest step. In quotes, or SCORER='<' and so on.",
        )
    comparison: Comparison = "<" if parts[3] == "<" else "<="
    step = next((name for name in get_args(NamedStep) if name == parts[1]), None)
    return AskedRule(comparison, compared.name if compared else None, step)


def check_own_rule(wish: str) -> tuple[Comparison, On | None]:
    """Read the same for a scorer whose own rule it becomes: the file that says so knows rewards and differences alone.

    Raises:
        UsageError: it is none, or more than a file of a scorer can say.
    """
    asked = check_rule(wish)
    on = next((known for known in get_args(On) if known == asked.on), None)
    if asked.step is not None or (asked.on is not None and on is None):
        raise UsageError(
            f"{wish!r} cannot be a scorer's own rule.",
            "Import with '<', '<=', 'diff<' or 'diff<=', and ask for the other one with --rule where you look.",
        )
    return asked.comparison, on
