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
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import EntryPoint
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from scoring.data import own_code
from scoring.data.errors import PluginError, UsageError
from scoring.data.own_code import OwnCode
from scoring.data.schema import Floats, Ints
from scoring.data.scorer import Comparison, On

# -- what a threshold is compared with: named transformations of a case's step rewards into one value a step
#
# A function gets the values of all cases laid end to end (float64) and their offsets (n + 1, int64): those of case i
# are `values[offsets[i]:offsets[i + 1]]`, and no case is empty. It gives an array of the same shape. What it makes of
# a case depends on no other case, so that one case alone is decided as it is among all.


REWARDS = "rewards"
DIFFERENCES = "differences"
DEFAULT_DIFFERENCE = (-0.05, "PRMBench's toolkit")
"""`mr_eval/models/skywork_prm.py` of ssmisya/PRMBench judges Skywork's rewards so."""
_MAXIMUM = re.compile(r"max([1-9][0-9]?)\Z")
_LARGEST = np.finfo(np.float64).max


class RewardTransform(Struct, frozen=True, eq=False):
    """One transformation.

    Attributes:
        name: What it is called in code and, unless `spelling` says otherwise, in `--rule`.
        words: What is compared, as in "a step is judged wrong iff WORDS < threshold".
        noun: One of its values, in a word or two.
        plural: Several of them, as in "threshold on z-scores".
        function: Gives the values, see the module.
        default: The threshold where none is asked for, and its source; None = its values are in the units of rewards,
            so that the scorer's own threshold on rewards is the default.
        spelling: What it is called in `--rule`.
        code: Where it comes from, if it is the user's own.
    """

    name: str
    words: str
    noun: str
    plural: str
    function: Callable[[Floats, Ints], Floats]
    default: tuple[float, str] | None = None
    spelling: str = ""
    code: "OwnCode | None" = None

    @property
    def spelled(self) -> str:
        """What it is called in `--rule`."""
        return self.spelling or self.name

    def __call__(self, values: Floats, offsets: Ints) -> Floats:
        """Return one value a step, in the shape of `values`; cases may be empty here.

        Raises:
            PluginError: it is the user's own code, and raises or gives something else.
        """
        if not values.size:
            return values
        starts = offsets[:-1][np.diff(offsets) > 0]
        return self.function(values, np.append(starts, offsets[-1]))


def _as_it_is(values: Floats, _offsets: Ints) -> Floats:
    return values


def _differences(values: Floats, offsets: Ints) -> Floats:
    """Each reward less that of the step before; that of a case's first step as it is.

    `mr_eval/models/skywork_prm.py` of ssmisya/PRMBench labels steps by these.
    """
    differences = values.copy()
    differences[1:] -= values[:-1]
    starts = offsets[:-1]
    differences[starts] = values[starts]
    return differences


def _running_products(values: Floats, offsets: Ints) -> Floats:
    """The product of the rewards up to each step; one that no float holds is the largest float of its sign."""
    products, lengths = values.copy(), np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    starts, negated = offsets[:-1][longest_first], -lengths[longest_first]
    # Step by step and not case by case: cases are many, and their steps are few.
    for step in range(1, int(lengths.max())):
        here = starts[: np.searchsorted(negated, -step)] + step
        with np.errstate(over="ignore", under="ignore"):
            products[here] = np.clip(products[here] * products[here - 1], -_LARGEST, _LARGEST)
    return products


def _z_scores(values: Floats, offsets: Ints) -> Floats:
    """(reward - mean) / standard deviation (ddof 0) of the case's rewards; 0 where these are all equal."""
    starts, lengths = offsets[:-1], np.diff(offsets)

    def of_each(per_case: Floats) -> Floats:
        return np.repeat(per_case, lengths)

    # Laid between 0 and 1 first, which changes no z-score: rounding does not tell equal rewards apart, and no square is
    # beyond what a float holds.
    halves = values / 2
    low, high = np.minimum.reduceat(halves, starts), np.maximum.reduceat(halves, starts)
    unit = _divided(halves - of_each(low), of_each(high - low))
    centred = unit - of_each(np.add.reduceat(unit, starts) / lengths)
    deviation = np.sqrt(np.add.reduceat(np.square(centred), starts) / lengths)
    return _divided(centred, of_each(deviation))


def _divided(values: Floats, divisors: Floats) -> Floats:
    """The quotients; 0 where a divisor is 0, and NaN where it is NaN."""
    quotients: Floats = np.divide(values, divisors, out=np.zeros_like(values), where=divisors != 0)
    return quotients


def _maxima(values: Floats, offsets: Ints, in_a_row: int) -> Floats:
    """The largest of the rewards of each step and the next ones, `in_a_row` in all, fewer at the end of the case."""
    maxima, places = values.copy(), np.arange(values.size)
    room = np.repeat(offsets[1:], np.diff(offsets)) - places
    for after in range(1, min(in_a_row, int(room.max()))):
        here = places[room > after]
        maxima[here] = np.maximum(maxima[here], values[here + after])
    return maxima


BUILT_IN: Mapping[str, RewardTransform] = {
    made.name: made
    for made in (
        RewardTransform(REWARDS, "its reward", "reward", "rewards", _as_it_is, spelling="reward"),
        RewardTransform(
            DIFFERENCES,
            "its reward less that of the step before (of the first, its reward)",
            "difference from the step before",
            "differences",
            _differences,
            DEFAULT_DIFFERENCE,
            "diff",
        ),
        RewardTransform(
            "product", "the product of the rewards up to it", "running product", "running products", _running_products
        ),
        # Nobody has published a threshold: this one is a standard deviation below the mean.
        RewardTransform(
            "zscore", "its z-score among the rewards of its case", "z-score", "z-scores", _z_scores, (-1.0, "default")
        ),
    )
}
"""By name; `max2`, `max3` and so on are made when they are asked for."""
SPELLED: Mapping[str, str] = {made.spelled: name for name, made in BUILT_IN.items()}
"""What `--rule` calls them -> their names."""


@cache
def maximum_of(in_a_row: int) -> RewardTransform:
    """Make `maxK`: a step's value is the largest reward of the step and the K - 1 after it, fewer at the end.

    So a step is under the threshold where K in a row are, and the first step under it is the first of these: the
    earliest error is where a bad stretch begins. Fewer count at the end of a case, because an error in one of its last
    steps could not be found otherwise, nor any in a case of fewer than K steps.
    """
    following = "the step after it" if in_a_row == 2 else f"the {in_a_row - 1} steps after it"
    return RewardTransform(
        f"max{in_a_row}",
        f"the largest reward of it and {following} (fewer at the end of its case)",
        f"{in_a_row}-step maximum",
        f"{in_a_row}-step maxima",
        partial(_maxima, in_a_row=in_a_row),
    )


_OWN: dict[str, RewardTransform] = {}
"""The user's own that were asked for, by name."""


def keep_own(made: RewardTransform) -> None:
    """Let one of the user's own be found by its name; a later one of the same name takes its place."""
    _OWN[made.name] = made


def own_transforms() -> Mapping[str, RewardTransform]:
    """Return those of the user's own that were asked for, by name."""
    return dict(_OWN)


def is_built_in(name: str) -> bool:
    """Return whether a name, or what `--rule` calls something, belongs to the program."""
    return name in BUILT_IN or name in SPELLED or _MAXIMUM.match(name) is not None


def find_transform(name: str) -> RewardTransform | None:
    """Return the one of a name, or of what `--rule` calls it; None if there is none."""
    if built_in := BUILT_IN.get(SPELLED.get(name, name)):
        return built_in
    if (row := _MAXIMUM.match(name)) and int(row[1]) > 1:
        return maximum_of(int(row[1]))
    return _OWN.get(name)


def transform(name: str) -> RewardTransform:
    """Return the one of a name.

    Raises:
        KeyError: there is none. Whoever reads names from people asks `scoring.data.rules.check_rule`.
    """
    known = find_transform(name)
    if known is None:
        raise KeyError(name)
    return known


# -- rules of the user's own


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


# -- how rewards become a verdict, as it is asked for and in words, and the threshold of a scorer that has none


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
