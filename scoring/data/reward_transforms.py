"""What a threshold is compared with: named transformations of a case's step rewards into one value a step.

A function gets the values of all cases laid end to end (float64) and their offsets (n + 1, int64): those of case i
are `values[offsets[i]:offsets[i + 1]]`, and no case is empty. It gives an array of the same shape. What it makes of
a case depends on no other case, so that one case alone is decided as it is among all.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, partial

import numpy as np
from msgspec import Struct

from scoring.data.own_code import OwnCode
from scoring.data.schema import Floats, Ints

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
    code: OwnCode | None = None

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
