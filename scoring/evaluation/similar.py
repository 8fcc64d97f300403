"""Cases that are like a case: nearest in their words and formulas, or in the course of their rewards.

No model is asked. Texts are compared by TF-IDF over hashed terms (Salton and Buckley, 1988: 1 + log tf, log(n / df) and
cosine), courses of rewards by their mean distance at as many points along the solution.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.data.texts import Texts
from scoring.evaluation.evaluation import Evaluation
from scoring.workspace.triage.case_notes import CaseNote

BUCKETS = 1 << 20
"""Terms are hashed into so many."""
PAGE = 4096
"""Cases whose texts are in memory at once while an index is made."""
POINTS = 16
"""Points along a solution at which courses of rewards are compared."""
SHARED = 5
"""Terms that are told of two texts."""
WORD = r"\\?[\p{L}][\p{L}']+|\d+(?:\.\d+)?"
"""A word, a command of LaTeX, or a number."""
FORMULA = r"\w+(?:\.\w+)*(?:\s*[-+*/^=<>×÷]\s*\w+(?:\.\w+)*)+"
"""What stands about signs of arithmetic, compared without its blanks."""

_READ = ("problem", "steps")
_Weights = npt.NDArray[np.float32]


class SimilarCase(Struct, frozen=True):
    """A case that is like another.

    Attributes:
        row: Its row id.
        likeness: In [0, 1]; 1 is the same. Of texts the cosine, of rewards 1 less the mean distance as a share of the
            scorer's range.
        shared: The terms of both texts that make them alike, at most SHARED of them, those that add most first.
    """

    row: int
    likeness: float
    shared: tuple[str, ...] = ()


class TextIndex(Struct, frozen=True, eq=False):
    """The terms of n cases, those of each weighted so that their squares add up to 1.

    Attributes:
        starts: (BUCKETS + 1,) where the entries of each bucket begin.
        cases: (m,) int32, row ids; the entries of one bucket stand together.
        weights: (m,) float32.
        rarity: (BUCKETS,) float32, log(n / df); 0 where a bucket is empty.
    """

    texts: Texts
    starts: Ints
    cases: npt.NDArray[np.int32]
    weights: _Weights
    rarity: _Weights

    @classmethod
    def of(cls, texts: Texts) -> "TextIndex":
        """Index problem and steps of all cases; a hundred thousand of them take some 200 MB while it is made."""
        pages = list(_pages(texts))
        rows = np.concatenate([np.empty(0, np.int32), *(page[0] for page in pages)])
        terms = np.concatenate([np.empty(0, np.int32), *(page[1] for page in pages)])
        weights = np.concatenate([np.empty(0, np.float32), *(page[2] for page in pages)])
        del pages
        n, held = texts.part.size, np.bincount(terms, minlength=BUCKETS)
        rarity = np.log(max(n, 1) / np.maximum(held, 1)).astype(np.float32)
        rarity[held == 0] = 0.0
        weights *= rarity[terms]
        lengths = np.sqrt(np.bincount(rows, weights.astype(np.float64) ** 2, minlength=n))
        weights /= np.where(lengths == 0, 1.0, lengths)[rows].astype(np.float32)
        order = np.argsort(terms, kind="stable")
        starts = np.concatenate([[0], np.cumsum(held)])
        return cls(texts, starts, rows[order], weights[order], rarity)

    def nearest(self, row: int, among: Bools, most: int) -> list[SimilarCase]:
        """Return the cases nearest in text to a case, the nearest first.

        Args:
            row: the case's row id; it is never among them.
            among: (n,) which cases may be.
            most: how many there are at most. One that shares no term is none.
        """
        terms = self._terms(row)
        own = self._weighted(terms)
        likeness = np.zeros(among.size)
        for bucket, weight in own.items():
            part = slice(self.starts[bucket], self.starts[bucket + 1])
            # A case has one entry a bucket.
            likeness[self.cases[part]] += weight * self.weights[part]
        nearest = _first(np.where(among, likeness, 0.0), row, most)
        return [SimilarCase(other, min(1.0, float(likeness[other])), self._shared(terms, other)) for other in nearest]

    def _terms(self, row: int) -> pl.DataFrame:
        return terms_of(self.texts.page(int(self.texts.part[row]), int(self.texts.row_in_part[row]), 1, _READ))

    def _weighted(self, terms: pl.DataFrame) -> dict[int, float]:
        buckets, weights = _tallied(terms)[1:]
        weights = weights * self.rarity[buckets]
        length = float(np.sqrt((weights.astype(np.float64) ** 2).sum())) or 1.0
        return dict(zip(buckets.tolist(), (weights / length).tolist(), strict=True))

    def _shared(self, terms: pl.DataFrame, row: int) -> tuple[str, ...]:
        """The terms that make the two texts alike: those that add most to the cosine."""
        mentions = pl.len().log() + 1.0
        own, others = (
            mentioned.group_by("term", "bucket", maintain_order=True).agg(often=mentions)
            for mentioned in (terms, self._terms(row))
        )
        both = own.join(others, on=["term", "bucket"], maintain_order="left")
        adds = (both["often"] * both["often_right"]).to_numpy() * self.rarity[both["bucket"].to_numpy()] ** 2
        # Of those that add as much, the longer says more.
        order = np.lexsort((-both["term"].str.len_chars().to_numpy().astype(np.int64), -adds))[:SHARED]
        return tuple(both["term"][int(at)] for at in order if adds[at] > 0)


def terms_of(frame: pl.DataFrame) -> pl.DataFrame:
    """List the terms of texts (problem, steps): `row`, `term` in lower case and its `bucket`, one a mention."""
    whole = pl.concat_str("problem", pl.col("steps").list.join("\n"), separator="\n").str.to_lowercase()
    formulas = whole.str.extract_all(FORMULA).list.eval(pl.element().str.replace_all(r"\s", ""))
    return (
        frame.select(whole.str.extract_all(WORD).list.concat(formulas).alias("term"))
        .with_row_index("row")
        .explode("term")
        .drop_nulls("term")
        .with_columns(bucket=(pl.col("term").hash(seed=0) % BUCKETS).cast(pl.Int32))
    )


def _pages(texts: Texts) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], _Weights]]:
    """Row ids, buckets and weights of a page of cases after the other, in the order in which the texts lie."""
    order = np.lexsort((texts.row_in_part, texts.part))
    for number in range(len(texts.sources)):
        rows = order[texts.part[order] == number]
        for start in range(0, int(texts.row_in_part[rows].max(initial=-1)) + 1, PAGE):
            lying = rows[(texts.row_in_part[rows] >= start) & (texts.row_in_part[rows] < start + PAGE)]
            if lying.size:
                page = texts.page(number, start, PAGE, _READ)
                places, buckets, weights = _tallied(terms_of(page[texts.row_in_part[lying] - start]))
                yield lying[places].astype(np.int32), buckets, weights


def _tallied(terms: pl.DataFrame) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], _Weights]:
    """Case, bucket and 1 + log of how often each is mentioned."""
    counts = terms.group_by("row", "bucket").len().sort("row", "bucket")
    often = 1.0 + np.log(counts["len"].to_numpy())
    return counts["row"].cast(pl.Int32).to_numpy(), counts["bucket"].to_numpy(), often.astype(np.float32)


def courses(evaluation: Evaluation) -> Floats:
    """Return the rewards of each case at POINTS points along its solution, (n, POINTS); NaN where there are none.

    Between two steps a point lies on the line between their rewards; of a solution of one step all are alike.
    """
    rewards = evaluation.rewards
    steps = np.diff(rewards.offsets)
    drawn = np.full((steps.size, POINTS), np.nan)
    rows = np.flatnonzero(rewards.scored & (steps > 0))
    places = np.linspace(0.0, 1.0, POINTS) * (steps[rows, None] - 1)
    before = np.floor(places).astype(np.int64)
    after = np.minimum(before + 1, steps[rows, None] - 1)
    start = rewards.offsets[rows, None]
    share = places - before
    drawn[rows] = rewards.values[start + before] * (1 - share) + rewards.values[start + after] * share
    return drawn


def nearest_courses(evaluation: Evaluation, row: int, among: Bools, most: int) -> list[SimilarCase]:
    """Return the cases whose rewards run most like those of a case, the nearest first.

    Args:
        evaluation: whose rewards.
        row: the case's row id; it is never among them.
        among: (n,) which cases may be.
        most: how many there are at most; none where the case has no rewards.
    """
    every = courses(evaluation)
    span = (evaluation.scorer.high - evaluation.scorer.low) or 1.0
    with np.errstate(invalid="ignore"):
        likeness = 1.0 - np.abs(every - every[row]).mean(axis=1) / span
    known = among & np.isfinite(likeness)
    # Rewards beyond the range may be further away than all of it.
    likeness = np.where(known, np.maximum(likeness, np.finfo(float).tiny), 0.0)
    return [SimilarCase(other, float(likeness[other])) for other in _first(likeness, row, most)]


def _first(likeness: Floats, row: int, most: int) -> list[int]:
    """The row ids of the likest, those before of equals first; nothing that is in no way like it."""
    likeness = likeness.copy()
    likeness[row] = 0.0
    most = min(most, likeness.size)
    few = np.argpartition(-likeness, most - 1)[:most] if most < likeness.size else np.arange(likeness.size)
    # Of equals at the end the first are taken, whatever the partition chose.
    rows = np.flatnonzero(likeness >= likeness[few].min(initial=np.inf))
    order = rows[np.argsort(-likeness[rows], kind="stable")]
    return [int(other) for other in order[:most] if likeness[other] > 0]


# -- notes that speak of the same: suggestions for categories, which a person takes or leaves


MOST = 1_000
"""Notes that are compared at most, the latest ones."""
ALIKE = 0.25
"""The cosine from which two notes are taken to speak of the same."""
NAMED = 3
"""Words that are told of a cluster."""


class NoteCluster(Struct, frozen=True):
    """Notes that are alike, in the order in which they were given, and the words that make them so (at most NAMED)."""

    words: tuple[str, ...]
    notes: tuple[CaseNote, ...]


def clusters(notes: Sequence[CaseNote]) -> list[NoteCluster]:
    """Put notes together that share rare words, the largest cluster first; a note is in one at most.

    Words that two notes have are weighted by TF-IDF among these notes. The note with the most notes like it, by the
    cosine, makes a cluster with all of them that are in none yet; then the next one does, until none is like another.
    """
    with_text = [note for note in notes if note.text][-MOST:]
    words, weights = _weights([note.text for note in with_text])
    alike = weights @ weights.T >= ALIKE
    np.fill_diagonal(alike, val=True)
    left, clusters_made = np.ones(len(with_text), dtype=np.bool_), []
    while left.any():
        sizes = (alike & left).sum(axis=1) * left
        middle = int(sizes.argmax())
        if sizes[middle] < 2:
            break
        members = alike[middle] & left
        left &= ~members
        rows = np.flatnonzero(members)
        clusters_made.append(NoteCluster(_shared(words, weights[rows]), tuple(with_text[row] for row in rows)))
    return sorted(clusters_made, key=lambda cluster: -len(cluster.notes))


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
