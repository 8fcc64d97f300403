"""Notes that speak of the same: suggestions for categories, which a person takes or leaves."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.similar import WORD
from scoring.triage.words import Note

MOST = 1_000
"""Notes that are compared at most, the latest ones."""
ALIKE = 0.25
"""The cosine from which two notes are taken to speak of the same."""
NAMED = 3
"""Words that are told of a cluster."""


class Cluster(Struct, frozen=True):
    """Notes that are alike, in the order in which they were given, and the words that make them so (at most NAMED)."""

    words: tuple[str, ...]
    notes: tuple[Note, ...]


def clusters(notes: Sequence[Note]) -> list[Cluster]:
    """Put notes together that share rare words, the largest cluster first; a note is in one at most.

    Words that two notes have are weighted by TF-IDF among these notes. The note with the most notes like it, by the
    cosine, makes a cluster with all of them that are in none yet; then the next one does, until none is like another.
    """
    told = [one for one in notes if one.text][-MOST:]
    words, weights = _weights([one.text for one in told])
    alike = weights @ weights.T >= ALIKE
    np.fill_diagonal(alike, val=True)
    left, found = np.ones(len(told), dtype=np.bool_), []
    while left.any():
        sizes = (alike & left).sum(axis=1) * left
        middle = int(sizes.argmax())
        if sizes[middle] < 2:
            break
        members = alike[middle] & left
        left &= ~members
        rows = np.flatnonzero(members)
        found.append(Cluster(_shared(words, weights[rows]), tuple(told[row] for row in rows)))
    return sorted(found, key=lambda one: -len(one.notes))


def _weights(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The words of all texts in alphabetical order, and the weights (texts, words) of each text, of length 1 or 0."""
    terms = pl.Series(texts, dtype=pl.String).str.to_lowercase().str.extract_all(WORD)
    counts = (
        pl.DataFrame({"row": np.arange(len(texts)), "word": terms})
        .explode("word")
        .drop_nulls("word")
        .group_by("row", "word")
        .len()
    )
    words = counts["word"].unique().sort()
    places = dict(zip(words.to_list(), range(words.len()), strict=True))
    weights = np.zeros((len(texts), words.len()))
    for row, word, often in counts.iter_rows():
        weights[row, places[word]] = 1.0 + np.log(often)
    held = (weights > 0).sum(axis=0)
    # A word of one note alone makes it like no other: notes are short, and it would outweigh what they share.
    weights *= np.where(held > 1, np.log(max(len(texts), 1) / np.maximum(held, 1)), 0.0)
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    return words.to_list(), weights / np.where(lengths == 0, 1.0, lengths)


def _shared(words: Sequence[str], weights: np.ndarray) -> tuple[str, ...]:
    """The words that half of these texts or more have, and two at least, those that weigh most first."""
    held = (weights > 0).sum(axis=0)
    among = np.flatnonzero((held >= 2) & (2 * held >= weights.shape[0]))
    order = among[np.argsort(-weights[:, among].sum(axis=0), kind="stable")]
    return tuple(words[at] for at in order[:NAMED])
