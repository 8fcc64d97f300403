"""The rows that a frame table shows: where a row stands in a view, and the values of those on screen."""

from typing import TYPE_CHECKING, Any, Self

from inspector.widgets.columns import RowSource, TableRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

BLOCK = 64
BLOCKS_KEPT = 2


class FrameSource:
    """A polars DataFrame as a source of rows."""

    def __init__(self, frame: "pl.DataFrame") -> None:
        self._frame = frame

    @property
    def schema(self) -> "Mapping[str, pl.DataType]":
        return self._frame.schema

    def get_column(self, name: str) -> "pl.Series":
        return self._frame.get_column(name)

    def rows(self, names: "Sequence[str]", ids: "NDArray[np.int32]") -> list[TableRow]:
        return self._frame.select(names)[ids].rows()


def row_source(frame: "pl.DataFrame | RowSource") -> RowSource:
    """Return a frame or a source as a source."""
    import polars as pl

    return FrameSource(frame) if isinstance(frame, pl.DataFrame) else frame


class FrameRows:
    """The rows of a source whose ids are in `view` (int32, 1-D, each id at most once), in its order.

    `key` names the column that says which row is which across sources. Positions and ids are 0-based. Raises polars'
    ColumnNotFoundError for a column that the source lacks.
    """

    def __init__(
        self, source: "pl.DataFrame | RowSource", view: "NDArray[np.int32]", key: str, names: "Iterable[str]"
    ) -> None:
        self._source = row_source(source)
        self._view = view
        self._keys = self._source.get_column(key)
        self._names = tuple(names)
        self._blocks: dict[int, list[TableRow]] = {}

    def __len__(self) -> int:
        return len(self._view)

    def row_id(self, position: int) -> int:
        """Return the id in the frame of the row at a position of the view."""
        return int(self._view[position])

    def key(self, position: int) -> Any:
        """Return the value in the key column of the row at a position of the view."""
        return self._keys[self.row_id(position)]

    def values(self, position: int) -> TableRow:
        """Return the row's values in the order of `names`, fetched with the rows around it."""
        block, offset = divmod(position, BLOCK)
        rows = self._blocks.get(block)
        if rows is None:
            if len(self._blocks) == BLOCKS_KEPT:
                del self._blocks[next(iter(self._blocks))]
            rows = self._blocks[block] = self._fetched(block)
        return rows[offset]

    def _fetched(self, block: int) -> list[TableRow]:
        return self._source.rows(self._names, self._view[block * BLOCK : (block + 1) * BLOCK])

    def find(self, key: Any) -> int | None:
        """Return the first position of a key, or None."""
        ids = self._keys.eq_missing(key).arg_true()
        if not len(ids):
            return None
        if len(ids) == 1:
            return self._position(ids[0])
        positions = self._where(self._among(len(self._keys), ids.to_numpy())[self._view])
        return int(positions[0]) if len(positions) else None

    def follow(self, position: int, before: Self) -> int:
        """Return where the row at a position of the rows shown before stands now.

        If it is gone: where the next row after it that is still there stands, else the last one before it. If the two
        frames do not hold the same rows, the same position as far as there is one.
        """
        last = max(0, len(self) - 1)
        if not len(before) or not len(self):
            return 0
        if self._keys.name != before._keys.name:
            return min(position, last)
        row_id, key = before.row_id(position), before.key(position)
        if not self._same_rows(before, row_id, key):
            place = self.find(key)
            return min(position, last) if place is None else place
        if self._view is before._view:
            return position
        place = self._position(row_id)
        return self._position_of_neighbour(position, before) if place is None else place

    def _same_rows(self, before: Self, row_id: int, key: Any) -> bool:
        return len(self._keys) == len(before._keys) and bool(self._keys[row_id] == key)

    def _position(self, row_id: int) -> int | None:
        positions = self._where(self._view == row_id)
        return int(positions[0]) if len(positions) else None

    def _position_of_neighbour(self, position: int, before: Self) -> int:
        kept = self._among(len(self._keys), self._view)[before._view]
        after = self._where(kept[position:])
        if len(after):
            neighbour = before.row_id(position + int(after[0]))
        else:
            earlier = self._where(kept[:position])
            if not len(earlier):
                return min(position, len(self) - 1)
            neighbour = before.row_id(int(earlier[-1]))
        return self._position(neighbour) or 0

    @staticmethod
    def _where(mask: "NDArray[np.bool_]") -> "NDArray[np.intp]":
        return mask.nonzero()[0]

    @staticmethod
    def _among(height: int, ids: "NDArray[Any]") -> "NDArray[np.bool_]":
        """For every row id below `height` whether it is in `ids`."""
        import numpy as np

        mask = np.zeros(height, dtype=np.bool_)
        mask[ids] = True
        return mask
