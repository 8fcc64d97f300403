"""Decision rules as they are asked for: what a threshold is compared with, and which side of it is wrong.

A rule of the user's own is a function that transforms step rewards, in a Python file or named by an installed package:

    import numpy as np
    from scoring.api import rule

    @rule("below-mean", words="its reward less the mean of its case", threshold=-0.1)
    def below_mean(values, offsets):
        lengths = np.diff(offsets)
        return values - np.repeat(np.add.reduceat(values, offsets[:-1]) / lengths, lengths)

`--rule 'below-mean<'` asks for it. It may not write into what it is given, and whatever it returns is checked before a
threshold is compared with it.
"""

import re
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from scoring.data import own_code
from scoring.data.errors import PluginError, UsageError
from scoring.data.own_code import OwnCode
from scoring.data.reward_transforms import (
    DEFAULT_DIFFERENCE,
    REWARDS,
    SPELLED,
    RewardTransform,
    find_transform,
    is_built_in,
    keep_own,
    own_transforms,
    transform,
)
from scoring.data.schema import Floats, Ints
from scoring.data.scorer import Comparison, On

Numbers = TypeVar("Numbers", bound=npt.NDArray[Any])

GROUP = "prm_inspect.rules"
"""The group of entry points: the rule's name -> "module:function"."""

_NAME = re.compile(r"[A-Za-z_][\w-]*\Z")
_NEXT = "See scoring/data/rules.py for what a rule is."
_SAME = 1e-6
"""By how much a value may differ where its case is transformed alone: sums are rounded in another order there."""


def rule(
    name: str, *, words: str, threshold: float | None = None
) -> Callable[[Callable[..., Floats]], RewardTransform]:
    """Make a function a rule.

    Args:
        name: what `--rule` calls it, before `<` or `<=`; a letter, then letters, digits, - and _.
        words: what is compared, as in "a step is judged wrong iff WORDS < threshold".
        threshold: where no other is asked for; None = the values are in the units of rewards, and the scorer's own is.

    Raises:
        ValueError: a name or words that cannot be used, or a threshold that is no finite number.
    """
    if not _NAME.match(str(name)):
        raise ValueError(f"{name!r} is not a name of a rule: a letter, then letters, digits, - and _")
    if is_built_in(name):
        raise ValueError(f"{name!r} is a rule of the program; give yours another name")
    sentence = " ".join(str(words).split())
    if not sentence:
        raise ValueError("words should say what is compared with the threshold")
    if threshold is not None and not np.isfinite(threshold):
        raise ValueError(f"the threshold {threshold!r} is not a finite number")
    default = None if threshold is None else (float(threshold), f"the rule {name}")
    return lambda function: RewardTransform(name, sentence, name, name, function, default)


def keep_own_rule(made: RewardTransform, code: OwnCode) -> None:
    """Let a rule be asked for by its name from now on.

    Raises:
        PluginError: another file has one of its name.
    """
    known = own_transforms().get(made.name)
    if known is not None and known.code is code:
        return
    if known is not None and known.code is not None and known.code.path != code.path:
        raise PluginError(
            f"two files hold a rule {made.name!r}: {known.code.path} and {code.path}.", "Give one another name."
        )
    keep_own(_guarded(made, code))


def installed_rules() -> dict[str, EntryPoint]:
    """Return the rules that installed packages name; none is imported, and none takes over a name of the program's."""
    return {name: entry for name, entry in own_code.installed(GROUP).items() if not is_built_in(name)}


def find_rule(name: str) -> RewardTransform | None:
    """Return the transformation of a name: the program's, one of a file that was loaded, or an installed one.

    Raises:
        PluginError: an installed one cannot be imported, or is no rule of this name.
    """
    known = find_transform(name)
    if known is not None or (entry := installed_rules().get(name)) is None:
        return known
    code, made = own_code.from_entry_point(entry)
    if not isinstance(made, RewardTransform):
        raise PluginError(f"{entry.value} of {code.package} is not a rule.", _NEXT)
    if made.name != name:
        raise PluginError(f"{entry.value} of {code.package} is the rule {made.name!r} and not {name!r}.", _NEXT)
    keep_own(_guarded(made, code))
    return find_transform(name)


def _guarded(made: RewardTransform, code: OwnCode) -> RewardTransform:
    """The same, what it gives looked at."""
    line = getattr(getattr(made.function, "__code__", None), "co_firstlineno", 0)

    def wrong(what: str) -> PluginError:
        return PluginError(f"{code.path}, line {line}, the rule {made.name!r}: {what}.", "Correct it, or leave it out.")

    def called(values: Floats, offsets: Ints) -> Floats:
        # What is no number is told below.
        with code.told(f"in the rule {made.name!r}"), np.errstate(divide="ignore", invalid="ignore"):
            returned = made.function(values, offsets)
        try:
            result = np.asarray(returned)
        except ValueError:
            raise wrong("it gives lists of several lengths and should give one array") from None
        if result.dtype.kind not in "biuf":
            raise wrong(f"it gives {result.dtype} and should give numbers")
        if result.shape != values.shape:
            raise wrong(f"it gives an array of shape {result.shape} and should give one of {values.shape}")
        numbers = result.astype(np.float64)
        bad = np.isfinite(values) & ~np.isfinite(numbers)
        if bad.any():
            raise wrong(f"it gives {numbers[bad][0]} where the reward is {values[bad][0]:g}")
        return numbers

    def checked(values: Floats, offsets: Ints) -> Floats:
        values, offsets = _read_only(values), _read_only(offsets)
        transformed = called(values, offsets)
        last = slice(int(offsets[-2]), int(offsets[-1]))
        if offsets.size > 2:
            alone = called(values[last], _read_only(offsets[-2:] - offsets[-2]))
            if not np.allclose(alone, transformed[last], rtol=_SAME, atol=_SAME, equal_nan=True):
                raise wrong("what it makes of a case depends on other cases")
        return transformed

    return replace(made, function=checked, code=code)


def _read_only(numbers: Numbers) -> Numbers:
    view = numbers.view()
    view.flags.writeable = False
    return view


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
    """Describe when a step is judged wrong."""
    return f"a step is judged wrong iff {transform(on).words} {comparison} {threshold}"


def which_step(step: NamedStep) -> str:
    """Return which step the verdict names."""
    return _NAMES[step]


def spelled_rule(comparison: Comparison, on: str, step: NamedStep) -> str:
    """Return a rule in the words of `--rule`; rewards are not named, as they are compared unless it says otherwise."""
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


def check_rule(text: str) -> AskedRule:
    """Read what `--rule` says: `<` or `<=`, before it what is compared, and `lowest:` before that.

    Raises:
        UsageError: it is none.
        PluginError: it names a rule of the user's own that cannot be used.
    """
    parts = _RULE.fullmatch(text)
    compared = find_rule(parts[2]) if parts and parts[2] else None
    if parts is None or (parts[2] and compared is None):
        names = ", ".join(dict.fromkeys((*SPELLED, "max2", "max3", "...", *own_transforms(), *installed_rules())))
        raise UsageError(
            f"{text!r} is not a rule.",
            f"A rule is '<' or '<='; before it what is compared, if not the usual ({names}); before that lowest:, if"
            " the verdict is to be the lowest step. In quotes, or SCORER='<' and so on.",
        )
    comparison: Comparison = "<" if parts[3] == "<" else "<="
    step = next((name for name in get_args(NamedStep) if name == parts[1]), None)
    return AskedRule(comparison, compared.name if compared else None, step)


def check_own_rule(text: str) -> tuple[Comparison, On | None]:
    """Read the same for a scorer whose own rule it becomes: the file that says so knows rewards and differences alone.

    Raises:
        UsageError: it is none, or more than a file of a scorer can say.
    """
    read = check_rule(text)
    on = next((known for known in get_args(On) if known == read.on), None)
    if read.step is not None or (read.on is not None and on is None):
        raise UsageError(
            f"{text!r} cannot be a scorer's own rule.",
            "Import with '<', '<=', 'diff<' or 'diff<=', and ask for the other one with --rule where you look.",
            instead=[("--rule '<'", "wrong below the threshold"), ("--rule '<='", "wrong at the threshold, too")],
        )
    return read.comparison, on
