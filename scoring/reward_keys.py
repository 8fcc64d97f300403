"""What rewards are joined on where a scorer reads more of a case than its problem and steps."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import polars as pl

from scoring.texts import Texts


def reward_keys(cases: pl.DataFrame, texts: Texts, reads: Sequence[str]) -> pl.DataFrame:
    """The cases with the keys of a scorer's rewards in place of their contents' keys.

    Args:
        cases: n rows with a column `key`.
        texts: theirs, row for row.
        reads: columns of `scoring.schema.TEXTS` (String) that the scorer reads beside problem and steps; with none the
            frame comes back as it is.

    A case that has none of these texts keeps its key. So cases of equal problem and steps share their rewards where
    the further texts are equal too, and only there.

    Raises:
        DamagedWorkspace: a file of texts has gone or cannot be read.
    """
    if not reads:
        return cases
    further = texts.frame(reads).iter_rows(named=True)
    keys = [reward_key(key, row.items()) for key, row in zip(cases["key"], further, strict=True)]
    return cases.with_columns(key=pl.Series(keys, dtype=pl.String))


def reward_key(key: str, further: Iterable[tuple[str, str | None]]) -> str:
    """Hex blake2b (16 bytes) over a content's key and the further texts, each name and text with its length.

    It is the key itself where no text is there.
    """
    told = [(name, text) for name, text in further if text is not None]
    if not told:
        return key
    digest = blake2b(digest_size=16)
    for part in (key, *(part for pair in told for part in pair)):
        raw = part.encode()
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()
