"""Workspaces of any size for measuring, made of authored nonsense: no two texts are alike.

Straight to the product's own files, since importing a million cases is measured elsewhere. A workspace that was made
before is used again: `python tests/bench/large_workspace.py FOLDER CASES [SCORERS]` makes one.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402  # after the path is set
import polars as pl  # noqa: E402

from scoring.data.schema import METADATA, TEXTS, conform, content_key  # noqa: E402
from scoring.data.scorer import Scorer  # noqa: E402
from scoring.data.storage.files import uuid7  # noqa: E402
from scoring.data.storage.parquet import write_parquet  # noqa: E402
from scoring.data.texts import ROW_GROUP, Texts  # noqa: E402
from scoring.importing.batch import spill_folder  # noqa: E402
from scoring.workspace.cache import RewardParts  # noqa: E402
from scoring.workspace.generation import Generation  # noqa: E402
from scoring.workspace.workspace import Workspace  # noqa: E402

BATCH = 50_000
"""Cases made at a time."""
BENCHMARK = "large"
SUBSETS = ("north", "east", "south", "west")
GENERATORS = tuple(f"writer-{size}b-{kind}" for size in (1, 3, 7, 70) for kind in ("base", "chat", "think"))
ERRORS = ("wrong sum", "wrong product", "lost sign", "unit dropped", "premise forgotten", "said twice", "no reason")
PATTERNS = ("calculation", "case by case", "backwards", "by analogy")
MAKER = (
    "we add the first number to a second one and then divide by three which gives x again because each of them "
    "counts twice so that half of the sum must be even while the rest stays odd"
)
WORDS = MAKER.split()


def make_workspace(root: Path, cases: int, scorers: int = 8, steps: tuple[int, int] = (5, 15)) -> Path:
    """The workspace at `root` with so many cases, and rewards of every scorer for all of them.

    `steps` are the fewest and the most steps of a case.
    """
    done = root / "made.txt"
    wanted = f"{cases} cases, {scorers} scorers, {steps[0]} to {steps[1]} steps\n"
    if done.is_file() and done.read_text() == wanted:
        return root
    workspace = Workspace.create(root)
    rng = np.random.default_rng(cases)
    home = root / "benchmarks" / BENCHMARK
    home.mkdir(parents=True, exist_ok=True)
    with spill_folder(root) as spill:
        spill.mkdir()
        metadata, files, heights = [], [], []
        for first in range(0, cases, BATCH):
            labels, texts = _batch(first, min(BATCH, cases - first), steps, rng)
            files.append(spill / f"texts-{uuid7()}.parquet")
            write_parquet(files[-1], texts, "uncompressed", row_group_size=ROW_GROUP)
            metadata.append(labels)
            heights.append(texts.height)
        index = pl.concat(metadata).with_columns(_rest=pl.lit(None, dtype=pl.String))
        Generation(index, Texts.whole(files, heights)).write(home)
    found, _ = workspace.cases((BENCHMARK,))
    for number in range(scorers):
        _give_rewards(root, found, number)
    done.write_text(wanted)
    return root


def _batch(
    first: int, count: int, steps_of: tuple[int, int], rng: np.random.Generator
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Metadata and texts of some cases, the first of them with this number."""
    lengths = rng.integers(steps_of[0], steps_of[1] + 1, count)
    owners = np.repeat(np.arange(count), lengths)
    sentences = _sentences(int(lengths.sum()), rng)
    steps = (
        pl.DataFrame({"owner": owners, "text": sentences})
        .with_columns(step=pl.int_range(pl.len()).over("owner"), case=pl.col("owner") + first)
        .select("owner", steps=pl.format("{} in {}: $x_{} = \\frac{}{}$.", "text", "case", "step", "case", "step"))
        .group_by("owner", maintain_order=True)
        .agg("steps")["steps"]
    )
    ids = np.arange(first, first + count)
    problems = pl.DataFrame({"id": ids, "text": _sentences(count, rng)}).select(
        pl.format("Problem {}: {}?", "id", "text").alias("problem")
    )["problem"]
    texts = conform(pl.DataFrame({"problem": problems, "steps": steps}), TEXTS, "texts")
    clean = rng.random(count) < 0.4
    error = np.where(clean, -1, (rng.random(count) * lengths).astype(np.int64))
    wrong = pl.Series(~clean)
    subset = ids % len(SUBSETS)
    labels = pl.DataFrame(
        {
            "case": [f"{BENCHMARK}/{SUBSETS[one % len(SUBSETS)]}-{one}" for one in ids.tolist()],
            "key": [content_key(*texts) for texts in zip(problems.to_list(), steps.to_list(), strict=True)],
            "benchmark": BENCHMARK,
            "id": [f"{SUBSETS[one % len(SUBSETS)]}-{one}" for one in ids.tolist()],
            "subset": np.array(SUBSETS, dtype=object)[subset].tolist(),
            "generator": np.array(GENERATORS, dtype=object)[rng.integers(0, len(GENERATORS), count)].tolist(),
            "n_steps": lengths.astype(np.int32),
            "earliest_error": error.astype(np.int32),
            "error_type": np.array(ERRORS, dtype=object)[rng.integers(0, len(ERRORS), count)].tolist(),
            "pattern": np.array(PATTERNS, dtype=object)[rng.integers(0, len(PATTERNS), count)].tolist(),
            "final_answer_correct": clean | (rng.random(count) < 0.1),
            "source": "made",
            "line": ids + 1,
        }
    ).with_columns(error_type=pl.when(wrong).then("error_type"))
    return conform(labels, METADATA, "cases"), texts


def _sentences(count: int, rng: np.random.Generator, words: int = 16) -> pl.Series:
    vocabulary = pl.Series(WORDS)
    drawn = [vocabulary.gather(rng.integers(0, len(WORDS), count)).alias(str(place)) for place in range(words)]
    return pl.DataFrame(drawn).select(pl.concat_str(pl.all(), separator=" "))[:, 0]


def _give_rewards(root: Path, cases: pl.DataFrame, number: int) -> None:
    """A scorer that sees the wrong step the more often the higher its number is."""
    rng = np.random.default_rng(1000 + number)
    scorer = Scorer(f"scorer-{number}", f"{number + 1:032x}"[::-1])
    parts = RewardParts(root / "rewards" / scorer.folder)
    for first in range(0, cases.height, 5 * BATCH):
        some = cases[first : first + 5 * BATCH]
        lengths = some["n_steps"].cast(pl.Int64).to_numpy()
        rewards = rng.beta(5, 1.5, int(lengths.sum()))
        starts = np.cumsum(lengths) - lengths
        error = some["earliest_error"].cast(pl.Int64).to_numpy()
        seen = (error >= 0) & (rng.random(lengths.size) < 0.35 + 0.05 * number)
        rewards[starts[seen] + error[seen]] = rng.beta(2, 4, int(seen.sum()))
        values = pl.Series("rewards", rewards.astype(np.float32).astype(np.float64))
        owners = np.repeat(np.arange(lengths.size), lengths)
        lists = pl.DataFrame({"owner": owners, "rewards": values}).group_by("owner", maintain_order=True).agg("rewards")
        parts.append(
            pl.DataFrame({"key": some["key"], "rewards": lists["rewards"]}).with_columns(vote=pl.lit(0, pl.Int32))
        )
    scorer.save(parts.folder)


if __name__ == "__main__":
    make_workspace(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 8)
