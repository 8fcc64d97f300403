"""Many cases are joined with what a scorer gave a block at a time, and what comes of it goes straight into files.

What is decided of a case depends on no other, so that the blocks one after the other are what all cases at once would
be; in memory is one block, and of the rest nothing but a number a case and a number a row. The files are those of
`scoring.evaluation.derived`: they stay for the next time where they can, and are otherwise gone with whoever reads
them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.errors import FrameError, UnwritableWorkspace
from scoring.data.progress import tell
from scoring.data.reward_keys import reward_keys
from scoring.data.schema import Ints
from scoring.data.scorer import Scorer
from scoring.data.storage import stored_frame
from scoring.data.storage.parquet import read_parquet
from scoring.data.storage.stored_frame import frame_blocks
from scoring.data.texts import Texts
from scoring.evaluation.array_folder import Packing, unpack
from scoring.evaluation.derived import EvaluationCache, packed_evaluation, unpacked_evaluation
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.gold import Gold
from scoring.workspace.cache import LISTINGS, RewardParts, key_hashes

_OF_CASES = ("case", "key", "n_steps", "earliest_error")
"""All that is looked at of a case to decide it."""
_OF_ROWS = ("key", "case", "vote", "rewards", "redundancy", "labels", "redundancy_labels", "solution", "reason")


_FINDING = 0.2
"""The share of the time that finding rows takes, about."""


class CaseBlocks:
    """Cases in blocks, and which blocks the rows of a part may be of."""

    def __init__(self, cases: pl.DataFrame, texts: Texts) -> None:
        """Of these cases, whose texts stand row for row beside them."""
        self.cases, self._texts = cases, texts
        self.before, self.scorers = 0, 1
        """How many scorers were evaluated before the present one, and of how many, for who hears how far it is."""
        self._index: tuple[tuple[str, ...], npt.NDArray[np.uint64], npt.NDArray[np.int32]] | None = None

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return -(-self.cases.height // stored_frame.BLOCK)

    def keyed(self, reads: Sequence[str]) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Yield the cases of each block, and the same with the keys of a scorer that `reads` further texts."""
        first, places = 0, ["step_messages"] if "context" in reads else []
        for block in frame_blocks(self.cases, (*_OF_CASES, *places)):
            rows = np.arange(first, first + block.height)
            yield block, reward_keys(block, self._texts.gather(rows), reads) if reads else block
            first += block.height

    def places(self, keys: pl.Series, reads: Sequence[str]) -> tuple[Ints, Ints]:
        """Find the blocks that may hold cases of these keys: blocks, ascending, and places in `keys` within each.

        Keys are told apart by a hash, so that a block may be named in vain: whoever joins compares the keys themselves.
        """
        hashes, blocks = self._hashes(tuple(reads))
        own = key_hashes(keys)
        in_order = np.argsort(own)
        first = np.searchsorted(hashes, own[in_order], side="left")
        counts = np.searchsorted(hashes, own[in_order], side="right") - first
        # One case a key is usual, and no more than a handful are many.
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        in_blocks = blocks[np.repeat(first, counts) + within].astype(np.int64)
        pairs = np.unique(in_blocks * keys.len() + np.repeat(in_order, counts))
        return np.divmod(pairs, max(1, keys.len()))

    def tell(self, share: float, scorer: str) -> None:
        """Report to the listener that such a share of the present scorer is done."""
        height = self.cases.height
        tell(round((self.before + share) * height), self.scorers * height, scorer, "cases")

    def _hashes(self, reads: tuple[str, ...]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
        """The hashes of all keys, ascending, and the block of each."""
        if self._index is None or self._index[0] != reads:
            hashes = np.concatenate([key_hashes(keyed["key"]) for _, keyed in self.keyed(reads)])
            in_order = np.argsort(hashes)
            self._index = reads, hashes[in_order], (in_order // stored_frame.BLOCK).astype(np.int32)
        return self._index[1:]


class _Unusable(Exception):  # noqa: N818  # it never leaves this module
    """A part that cannot be read; why is a sentence, "" where it has gone."""

    def __init__(self, part: Path, why: str = "") -> None:
        super().__init__(why)
        self.part, self.why = part, why


class _PartRows(Struct, frozen=True, eq=False):
    """Which rows of a part may be of cases of which block: of block b `rows[bounds[b]:bounds[b + 1]]`, ascending."""

    part: Path
    rows: npt.NDArray[np.int32]
    bounds: Ints


def evaluated_in_blocks(
    gold: Gold, blocks: CaseBlocks, scorer: Scorer, folder: Path, place: EvaluationCache | None, key: str
) -> tuple[Evaluation, list[str]]:
    """Evaluate a scorer without votes as `scoring.evaluation.evaluation.evaluate` does, and tell what could not be
    read of it.

    Args:
        gold: of all cases.
        blocks: the same cases.
        scorer: under whose own rule they are decided.
        folder: where its parts are.
        place: where what is derived is kept; None = nowhere.
        key: of the parts as they were before anything was read (`EvaluationCache.key`).

    Raises:
        UnwritableWorkspace: neither there nor in the folder for temporary files is there room for it.
        DamagedWorkspace: the cases, or texts that the scorer reads, cannot be read.
    """
    kept = place.entry(folder, key) if place else None
    if place is not None and kept is not None:
        # A workspace that may only be read, or a full disk: perhaps there is another one.
        with suppress(UnwritableWorkspace):
            place.name_benchmarks()
            return _packed(gold, blocks, scorer, folder, kept, key, lambda: place.key(folder) == key)
    with TemporaryDirectory(prefix="prm-inspect-", ignore_cleanup_errors=True) as elsewhere:
        return _packed(gold, blocks, scorer, folder, Path(elsewhere) / "evaluation", key, lambda: False)


def _packed(
    gold: Gold,
    blocks: CaseBlocks,
    scorer: Scorer,
    folder: Path,
    target: Path,
    key: str,
    may_stay: Callable[[], bool],
) -> tuple[Evaluation, list[str]]:
    """Build the folder of arrays, and map it; it stays at `target` if nothing was wrong with it and it `may_stay`."""
    parts, problems = RewardParts(folder), dict[Path, str]()
    vanished = 0
    while True:
        listed = [part for part in parts.parts() if part not in problems]
        with Packing(target) as packing:
            try:
                packing.finish(key, _pack(packing, blocks, scorer, parts, listed))
            except _Unusable as error:
                if error.why:
                    problems[error.part] = f"{error.part} was left out: {error.why}"
                elif vanished < LISTINGS:
                    # It was merged into another one: the folder is listed again.
                    vanished += 1
                else:
                    problems[error.part] = f"parts of {folder} vanished while they were read; rows may be missing"
                continue
            stays = not problems and may_stay()
            evaluation = unpack(packing.making, key)
            if stays:
                packing.put()
            assert evaluation is not None  # noqa: S101  # it was written a moment ago
            return unpacked_evaluation(gold, scorer, *evaluation), list(dict.fromkeys(problems.values()))


def _pack(
    packing: Packing, blocks: CaseBlocks, scorer: Scorer, parts: RewardParts, listed: Sequence[Path]
) -> dict[str, Any]:
    """Add the arrays of all blocks, and give the facts."""
    rows = []
    for number, part in enumerate(listed):
        blocks.tell(_FINDING * number / len(listed), scorer.name)
        rows.append(_rows_by_block(blocks, parts, part, scorer.reads))
    joined = _Joined()
    for number, (block, keyed) in enumerate(blocks.keyed(scorer.reads)):
        blocks.tell(_FINDING + (1 - _FINDING) * number / blocks.number, scorer.name)
        rewards = parts.unique(_rewards(parts, rows, number))
        packing.add(joined.rebased(*packed_evaluation(evaluate(Gold(block), scorer, rewards, cases=keyed))))
    return joined.facts


def _rows_by_block(blocks: CaseBlocks, parts: RewardParts, part: Path, reads: Sequence[str]) -> _PartRows:
    # Of rows that are of no case nothing more is read: whether the part is one is seen without any.
    _part(parts, part, (0, 0))
    try:
        keys = read_parquet(part, ["key"])["key"]
    except FileNotFoundError:
        raise _Unusable(part) from None
    except OSError as error:
        raise _Unusable(part, str(error)) from None
    if keys.null_count():
        # Reading its rows says what is wrong with it.
        return _PartRows(part, np.arange(keys.len(), dtype=np.int32), np.array([0] + [keys.len()] * blocks.number))
    number, row = blocks.places(keys, reads)
    bounds = np.searchsorted(number, np.arange(blocks.number + 1))
    return _PartRows(part, row.astype(np.int32), bounds)


def _rewards(parts: RewardParts, rows: Sequence[_PartRows], block: int) -> pl.DataFrame:
    """What may be of the cases of a block, oldest part first."""
    frames = [pl.DataFrame(schema={name: parts.kind.schema[name] for name in _OF_ROWS})]
    for part_rows in rows:
        here = part_rows.rows[part_rows.bounds[block] : part_rows.bounds[block + 1]]
        if here.size:
            first, last = int(here[0]), int(here[-1]) + 1
            frame = _part(parts, part_rows.part, (first, last - first))
            frames.append(frame if here.size == frame.height else frame[here - first])
    return pl.concat(frames)


def _part(parts: RewardParts, part: Path, rows: tuple[int, int]) -> pl.DataFrame:
    try:
        return parts.part(part, _OF_ROWS, rows)
    except FileNotFoundError:
        raise _Unusable(part) from None
    except FrameError as error:
        raise _Unusable(part, error.sentence) from None
    except OSError as error:
        raise _Unusable(part, str(error)) from None


class _Joined:
    """What the arrays and facts of blocks are where the blocks stand one after the other."""

    def __init__(self) -> None:
        self._cases = 0
        self._ends: dict[str, int] = {}
        self.facts: dict[str, Any] = {"reasons": {}, "range": None}

    def rebased(self, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the pieces that a block adds to the arrays."""
        pieces = dict(arrays)
        for name, array in arrays.items():
            if name.rpartition(".")[2] == "offsets":
                start = self._ends.get(name)
                pieces[name] = array if start is None else array[1:] + start
                self._ends[name] = int(array[-1]) + (start or 0)
            elif name.endswith("beyond.cases"):
                pieces[name] = array + self._cases
        self.facts["reasons"] |= {str(int(row) + self._cases): why for row, why in facts["reasons"].items()}
        ends = [ends_of for ends_of in (self.facts["range"], facts["range"]) if ends_of is not None]
        if ends:
            self.facts["range"] = min(low for low, _ in ends), max(high for _, high in ends)
        self._cases += arrays["codes"].size
        return pieces
