"""One row of a comparison, and the two sides that its counts are told for."""

from collections.abc import Iterator
from typing import Any

from scoring.metrics.figure import Figure
from scoring.metrics.lineup import Lineup
from scoring.metrics.paired import SIDES
from scoring.step_rewards import Bools


def sides(lineup: Lineup) -> Iterator[tuple[str, Bools]]:
    """Each side's name and its cases, shape (n,)."""
    yield SIDES[0], lineup.erroneous
    yield SIDES[1], ~lineup.erroneous


def none_of(side: str) -> str:
    """Why there is no count of a side."""
    return f"no {side} case in common"


def nothing_of(lineup: Lineup, columns: tuple[int, ...]) -> str | None:
    """Why there can be no verdict of one of these scorers; None where there can."""
    said = [f"{lineup.names[column]}: {lineup.nothing[column]}" for column in columns if lineup.nothing[column]]
    return "; ".join(said) or None


def plain_row(about: dict[str, Any], metric: str, value: float | None, n: int, reason: str) -> dict[str, Any]:
    """A row over all subsets. `about` holds `left_out` and, where there are any, `scorer` and `other`."""
    return {
        "scorer": None,
        "other": None,
        **about,
        "subset": "all",
        "metric": metric,
        "value": None if value is None else float(value),
        "low": None,
        "high": None,
        "n": n,
        "p": None,
        "p_holm": None,
        "reason": reason if value is None else None,
        "note": None,
    }


def figure_row(
    about: dict[str, Any], metric: str, figure: Figure, nothing: str | None = None, subset: str = "average"
) -> dict[str, Any]:
    """A row of a figure with its interval; `nothing` says why it could not even be asked for.

    `subset` is `average` for a mean over subsets, `all` where their cases or steps are counted together.
    """
    made = plain_row(about, metric, figure.value, figure.n, nothing or figure.reason or "")
    return {**made, "subset": subset, "low": figure.low, "high": figure.high, "note": figure.note}
