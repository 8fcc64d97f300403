"""Searching what critics answered and reasoned, and what PRMs that generate wrote."""

import json

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.cache import VoteParts
from scoring.errors import FrameError
from scoring.text_query import SCOPES, TextQuery

_TEXTS = ("answer", "reasoning")
_PAGE = 2048
"""Answers read at once: each may be many pages long."""
_BIT = np.uint8(1 << SCOPES.index("answers"))


def answer_hits(query: TextQuery, parts: VoteParts, keys: pl.Series, *, talk: bool) -> npt.NDArray[np.uint8]:
    """For every pattern and case (by key) the bit of answers where one of a scorer's counts and holds the pattern.

    Only answers that count are looked at: one that was asked for again stays in its part. Unreadable parts are left
    out, as they are wherever votes are read. Of a `talk` what was written is searched, not the JSON that keeps it.
    """
    kept = ["key", "vote", "run", "ballot", "verdict", "rewards"]
    names = [f"hit {number}" for number in range(len(query.patterns))]
    made = [
        pl.any_horizontal(pl.col(_TEXTS).str.contains(one).fill_null(value=False)).alias(name)
        for one, name in zip(query.patterns, names, strict=True)
    ]
    frames = []
    for part in parts.parts():
        try:
            pages = parts.pages(part, _PAGE, (*kept, *_TEXTS))
            frames += [(_written(page) if talk else page).select(*kept, *made) for page in pages]
        except (OSError, FrameError):
            continue
    if not frames:
        return np.zeros((len(names), len(keys)), dtype=np.uint8)
    counted = parts.unique(pl.concat(frames))
    by_key = counted.group_by("key").agg(pl.col(names).any())
    joined = keys.alias("key").to_frame().join(by_key, on="key", how="left", maintain_order="left")
    hits = [joined[name].fill_null(value=False).to_numpy() for name in names]
    return np.where(np.stack(hits), _BIT, np.uint8(0))


def _written(page: pl.DataFrame) -> pl.DataFrame:
    """Answers with what was written in a talk in the place of its JSON; those that are no such JSON stay."""
    texts = [None if answer is None else _calls(answer) for answer in page["answer"]]
    return page.with_columns(answer=pl.Series(texts, dtype=pl.String))


def _calls(answer: str) -> str:
    """What was written in a talk, call after call, none of them on the line of another."""
    try:
        return "\n".join(text for talk in json.loads(answer) for text in talk)
    except (ValueError, TypeError, RecursionError):
        return answer
