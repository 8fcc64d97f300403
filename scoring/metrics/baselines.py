"""Baselines: scorers that look at nothing, to hold the others against. They are computed, never stored."""

from hashlib import blake2b, shake_256

import numpy as np
import polars as pl

from scoring.data.schema import REWARDS, Bools, Ints
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.gold import Gold

BASELINES = {
    "coin": "a fair coin a step: heads, the step is right",
    "always-clean": "every step is right",
    "always-first-step": "the first step is wrong, every other is right",
}
"""Name -> what it says of a solution."""


def is_baseline(scorer: Scorer) -> bool:
    """Return whether a scorer is one of these; others of that kind, which were imported, do look at the solution."""
    return scorer.kind == "baseline" and BASELINES.get(scorer.name) == scorer.about


def baselines(gold: Gold, seed: int = 0) -> tuple[Evaluation, ...]:
    """Return the baselines on the cases of `gold`, in the order of BASELINES.

    They give labels a step and no rewards, so that no threshold decides. A coin is tossed for each step of each content
    `key` with the seed: solutions that are equal get equal labels, whichever cases are beside them.
    """
    distinct = gold.cases.select("key", "n_steps").unique("key", keep="first", maintain_order=True)
    return tuple(_evaluation(gold, name, distinct, seed) for name in BASELINES)


def _evaluation(gold: Gold, name: str, distinct: pl.DataFrame, seed: int) -> Evaluation:
    lengths = distinct["n_steps"].cast(pl.Int64).to_numpy()
    labels = _labels(name, distinct["key"].to_list(), lengths, seed)
    numbered = pl.DataFrame({"_row": np.repeat(np.arange(lengths.size), lengths), "labels": labels})
    lists = numbered.group_by("_row", maintain_order=True).all()
    frame = pl.DataFrame({"_row": np.arange(lengths.size), "key": distinct["key"]})
    frame = frame.join(lists, on="_row", how="left", maintain_order="left").with_columns(
        labels=pl.col("labels").fill_null(pl.lit([], dtype=REWARDS["labels"]))
    )
    missing = {column: pl.lit(None, dtype=dtype) for column, dtype in REWARDS.items() if column not in frame.columns}
    rows = frame.with_columns(**{**missing, "vote": pl.lit(0, dtype=REWARDS["vote"])}).select(list(REWARDS))
    settings = {"seed": seed} if name == "coin" else {}
    fingerprint = blake2b(f"baseline|{name}|{settings}".encode(), digest_size=16).hexdigest()
    about = BASELINES[name]
    return evaluate(gold, Scorer(name, fingerprint, "baseline", name, about, settings=settings), rows)


def _labels(name: str, keys: list[str], lengths: Ints, seed: int) -> Bools:
    """One label a step, of all solutions one after the other: true = right."""
    total = int(lengths.sum())
    if name == "coin":
        # As many bits as there are steps, from a hash that gives any number of them.
        drawn = [shake_256(f"{seed}|{key}".encode()).digest((n + 7) // 8) for key, n in zip(keys, lengths, strict=True)]
        bits = np.unpackbits(np.frombuffer(b"".join(drawn), dtype=np.uint8)).astype(np.bool_)
        padded = (lengths + 7) // 8 * 8
        starts = np.cumsum(padded) - padded
        step = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return bits[np.repeat(starts, lengths) + step]
    labels = np.ones(total, dtype=np.bool_)
    if name == "always-first-step":
        labels[(np.cumsum(lengths) - lengths)[lengths > 0]] = False
    return labels
