"""Columns of the user's own: what a function makes of the cases, beside the columns that they have.

    from scoring.api import column

    @column("digits")
    def digits(cases):
        return cases["problem"].str.count_matches(r"[0-9]")

It is a column wherever others are: in conditions, lists, orders, breakdowns and files. What it gives is one value a
case, of texts, numbers or truth values; the same cases must give the same values.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import PluginError
from scoring.data.own_code import OwnCode
from scoring.data.schema import METADATA
from scoring.data.storage.remembered import IdentityCache
from scoring.data.texts import Texts

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_MADE = IdentityCache(32)
_KEPT: dict[str, "OwnColumn"] = {}


class OwnColumn(Struct, frozen=True, eq=False):
    """A column of the user's own: its name, what makes it, and where that comes from."""

    name: str
    make: Callable[[pl.DataFrame], Any]
    code: OwnCode | None = None

    def of(self, cases: pl.DataFrame, texts: Texts) -> pl.Series:
        """Make it of n cases, given with their problems and steps.

        Raises:
            PluginError: the code raises, or gives something else than n values of one type.
        """
        made: pl.Series = _MADE.of(self.name, (self, cases), lambda: self._of(cases, texts))
        return made

    def _of(self, cases: pl.DataFrame, texts: Texts) -> pl.Series:
        frame = pl.concat([cases, texts.frame(["problem", "steps"])], how="horizontal")
        where = f"{self.code.path}, " if self.code else ""
        try:
            result = self._called(frame)
            made = result if isinstance(result, pl.Series) else pl.Series(list(result), strict=True)
        except (TypeError, pl.exceptions.PolarsError) as error:
            message = f"{where}the column {self.name!r} does not give values of one type: {error}."
            raise PluginError(message, "Correct it, or leave it out.") from error
        if made.len() != cases.height or made.dtype.is_nested():
            values = f"{made.len():,} values of {made.dtype}, for {cases.height:,} cases"
            message = f"{where}the column {self.name!r} gives {values}."
            raise PluginError(message, "Give one text, number or truth value a case.")
        return made.alias(self.name)

    def _called(self, frame: pl.DataFrame) -> Any:
        if self.code is None:
            return self.make(frame)
        with self.code.told(f"in the column {self.name!r}"):
            return self.make(frame)


def column(name: str) -> Callable[[Callable[[pl.DataFrame], Any]], OwnColumn]:
    """Make a function a column.

    Args:
        name: what conditions call it: a letter, then letters, digits and _; no column that cases have.

    Raises:
        ValueError: a name that cannot be used.
    """
    if not _NAME.match(str(name)) or name in METADATA:
        raise ValueError(f"{name!r} is not a name for a column of your own")
    return lambda function: OwnColumn(name, function)


def keep_own_column(made: OwnColumn, code: OwnCode) -> None:
    """Let a column stand beside the others from now on.

    Raises:
        PluginError: another file has one of its name.
    """
    known = _KEPT.get(made.name)
    if known is not None and known.code is not None and known.code.path != code.path:
        raise PluginError(
            f"two files hold a column {made.name!r}: {known.code.path} and {code.path}.", "Give one another name."
        )
    _KEPT[made.name] = replace(made, code=code)


def own_columns() -> Sequence[OwnColumn]:
    """Return the columns of the user's own that were loaded."""
    return tuple(_KEPT.values())
