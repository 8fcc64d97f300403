"""The sizes that ship, and everything that decides what comes out of their training."""

from collections.abc import Mapping
from dataclasses import dataclass

VOCABULARY = 768
POSITIONS = 4096
TOKENIZER_EXAMPLES = 20_000

TRAINING_SEED = 1
VALIDATION_SEED = 99
"""Cases on which the threshold is chosen; in the training wordings."""
TEST_SEED = 7
"""Cases in the training wordings, new in everything else."""
HELD_OUT_SEED = 8
"""Cases in the held-out wordings."""


@dataclass(frozen=True)
class Recipe:
    """One size. `steps` are updates of `batch` examples each; nothing depends on the clock."""

    name: str
    hidden: int
    layers: int
    heads: int
    intermediate: int
    batch: int
    steps: int
    rate: float = 3e-3
    seed: int = 0
    """Of the initial weights and the order of batches; the examples are those of `TRAINING_SEED`."""


RECIPES: Mapping[str, Recipe] = {
    "s": Recipe("tiny-prm-s", hidden=96, layers=4, heads=3, intermediate=256, batch=8, steps=4600),
    "m": Recipe("tiny-prm-m", hidden=128, layers=5, heads=4, intermediate=320, batch=8, steps=7000),
}


def drills(recipe: Recipe, index: int) -> float:
    """The share of drills at example number `index`: most of the first quarter, few after."""
    return 0.7 if index < recipe.batch * recipe.steps // 4 else 0.15
