"""Searching what critics answered and reasoned, and what PRMs that generate wrote."""

import json

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.cache import VoteParts
from scoring.case_rows import rows_of_cases
from scoring.errors import FrameError
from scoring.text_query import SCOPES, TextQuery

_TEXTS = ("answer", "reasoning")
_PAGE = 2048
"""Answers read at once: each may be many pages long."""
_BIT = np.uint8(1 << SCOPES.index("answers"))


def answer_hits(query: TextQuery, parts: VoteParts, cases: pl.DataFrame, *, talk: bool) -> npt.NDArray[np.uint8]:
    """For every pattern and case the bit of answers where one of a scorer's counts and holds the pattern.

    `cases` has the columns `key` and `case`. Only answers that count are looked at: one that was asked for again stays
    in its part. Unreadable parts are left out, as they are wherever votes are read. Of a `talk` what was written is
    searched, not the JSON that keeps it.
    """
    kept = [*parts.kind.identity, "ballot", "verdict", "rewards"]
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
        return np.zeros((len(names), cases.height), dtype=np.uint8)
    counted = rows_of_cases(cases, parts.unique(pl.concat(frames)))
    hits = np.zeros((len(names), cases.height), dtype=np.bool_)
    for number, name in enumerate(names):
        hits[number, counted.filter(name)["case_row"].to_numpy()] = True
    return np.where(hits, _BIT, np.uint8(0))


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
