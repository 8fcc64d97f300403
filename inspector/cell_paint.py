"""How a value of a case becomes the cell of a list."""

from collections.abc import Sequence

from msgspec import Struct

from inspector.paint import Brush
from inspector.short_names import short_name
from inspector.text import Part, number

Picture = tuple[list[float] | None, int | None, int | None]
"""Rewards, gold step and predicted step of a case."""


class CellPaint(Struct, frozen=True):
    """Painters of cells. A reward of `low` is the lowest on a picture, one of `high` the highest."""

    brush: Brush
    low: float
    high: float

    def index(self, value: int | None, _width: int) -> list[Part]:
        """A step (0-based), `none` for no error, a dash where it is not known."""
        if value is None:
            return [self._missing]
        return [("none" if value == -1 else str(value), "dim" if value == -1 else "")]

    def name(self, value: str | None, width: int) -> list[Part]:
        """A name, which loses its middle where it is too long."""
        return [self._missing if value is None else (short_name(value, width), "")]

    def label(self, value: str | None, width: int, among: Sequence[str]) -> list[Part]:
        """A value of a column of few, shortened beside all of them."""
        return [self._missing if value is None else (short_name(value, width, among), "")]

    def outcome(self, value: str | None, _width: int) -> list[Part]:
        """Glyph, word and colour."""
        return self.brush.outcome(value)

    def margin(self, value: float | None, width: int) -> list[Part]:
        """A signed distance, `never` where no threshold makes the case right."""
        if value is None:
            return [self._missing]
        return [("never" if abs(value) == float("inf") else number(value, 2, width, "+"), "")]

    def distance(self, value: float | None, width: int) -> list[Part]:
        """The same without a sign."""
        if value is None:
            return [self._missing]
        return [("never" if value == float("inf") else number(value, 2, width), "")]

    def spark(self, value: Picture, width: int) -> list[Part]:
        """A picture of the rewards."""
        rewards, gold, verdict = value
        return self.brush.sparkline(rewards, self.low, self.high, gold, verdict, width) if rewards else [("", "")]

    def bare_spark(self, rewards: list[float] | None, width: int) -> list[Part]:
        """The same without marks."""
        return self.spark((rewards, None, None), width)

    def listing(self, value: Sequence[object] | None, _width: int) -> list[Part]:
        """A list with commas."""
        return [self._missing] if value is None else [(", ".join(map(str, value)), "")]

    def places(self, value: str | None, width: int) -> list[Part]:
        """Where a search found something; where there is no room, the first place and how many others there are."""
        first, *others = (value or "").split(", ")
        return [(value or "" if not others or len(value or "") <= width else f"{first} +{len(others)}", "")]

    @property
    def _missing(self) -> Part:
        return ("-" if self.brush.ascii_only else "–", "dim")
