"""Rules of the user's own: functions that transform step rewards, in a Python file or named by an installed package.

    import numpy as np
    from scoring.api import rule

    @rule("below-mean", words="its reward less the mean of its case", threshold=-0.1)
    def below_mean(values, offsets):
        lengths = np.diff(offsets)
        return values - np.repeat(np.add.reduceat(values, offsets[:-1]) / lengths, lengths)

`--rule 'below-mean<'` asks for it. What the function is given and gives is said in `scoring.transforms`; it may not
write into what it is given. Whatever it gives is looked at before a threshold is compared with it.
"""

import re
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from scoring import own_code
from scoring.errors import PluginError
from scoring.own_code import OwnCode
from scoring.transforms import Floats, Ints, Transform, find_transform, is_built_in, keep_own, own_transforms

Numbers = TypeVar("Numbers", bound=npt.NDArray[Any])

GROUP = "prm_inspect.rules"
"""The group of entry points: the rule's name -> "module:function"."""

_NAME = re.compile(r"[A-Za-z_][\w-]*\Z")
_NEXT = "See scoring/own_rules.py for what a rule is."
_SAME = 1e-6
"""By how much a value may differ where its case is transformed alone: sums are rounded in another order there."""


def rule(name: str, *, words: str, threshold: float | None = None) -> Callable[[Callable[..., Floats]], Transform]:
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
    said = " ".join(str(words).split())
    if not said:
        raise ValueError("words should say what is compared with the threshold")
    if threshold is not None and not np.isfinite(threshold):
        raise ValueError(f"the threshold {threshold!r} is not a finite number")
    default = None if threshold is None else (float(threshold), f"the rule {name}")
    return lambda function: Transform(name, said, name, name, function, default)


def keep_own_rule(made: Transform, code: OwnCode) -> None:
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
    """Give the rules that installed packages name; none is imported, and none takes over a name of the program's."""
    return {name: entry for name, entry in own_code.installed(GROUP).items() if not is_built_in(name)}


def find_rule(name: str) -> Transform | None:
    """Give the transformation of a name: the program's, one of a file that was loaded, or an installed one.

    Raises:
        PluginError: an installed one cannot be imported, or is no rule of this name.
    """
    found = find_transform(name)
    if found is not None or (entry := installed_rules().get(name)) is None:
        return found
    code, made = own_code.from_entry_point(entry)
    if not isinstance(made, Transform):
        raise PluginError(f"{entry.value} of {code.package} is no rule.", _NEXT)
    if made.name != name:
        raise PluginError(f"{entry.value} of {code.package} is the rule {made.name!r} and not {name!r}.", _NEXT)
    keep_own(_guarded(made, code))
    return find_transform(name)


def _guarded(made: Transform, code: OwnCode) -> Transform:
    """The same, what it gives looked at."""
    line = getattr(getattr(made.function, "__code__", None), "co_firstlineno", 0)

    def wrong(what: str) -> PluginError:
        return PluginError(f"{code.path}, line {line}, the rule {made.name!r}: {what}.", "Correct it, or leave it out.")

    def called(values: Floats, offsets: Ints) -> Floats:
        # What is no number is told below.
        with code.told(f"in the rule {made.name!r}"), np.errstate(divide="ignore", invalid="ignore"):
            returned = made.function(values, offsets)
        try:
            given = np.asarray(returned)
        except ValueError:
            raise wrong("it gives lists of several lengths and should give one array") from None
        if given.dtype.kind not in "biuf":
            raise wrong(f"it gives {given.dtype} and should give numbers")
        if given.shape != values.shape:
            raise wrong(f"it gives an array of shape {given.shape} and should give one of {values.shape}")
        numbers = given.astype(np.float64)
        bad = np.isfinite(values) & ~np.isfinite(numbers)
        if bad.any():
            raise wrong(f"it gives {numbers[bad][0]} where the reward is {values[bad][0]:g}")
        return numbers

    def checked(values: Floats, offsets: Ints) -> Floats:
        values, offsets = _read_only(values), _read_only(offsets)
        found = called(values, offsets)
        last = slice(int(offsets[-2]), int(offsets[-1]))
        if offsets.size > 2:
            alone = called(values[last], _read_only(offsets[-2:] - offsets[-2]))
            if not np.allclose(alone, found[last], rtol=_SAME, atol=_SAME, equal_nan=True):
                raise wrong("what it makes of a case depends on other cases")
        return found

    return replace(made, function=checked, code=code)


def _read_only(numbers: Numbers) -> Numbers:
    view = numbers.view()
    view.flags.writeable = False
    return view
