"""The cases a checkpoint is measured on, and how many of them its training has seen."""

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from generator.stream import Case, cases, examples
from tiny_prm.batches import POOL
from tiny_prm.judging import Labelled
from tiny_prm.recipes import TRAINING_SEED, Recipe, drills

BY_HAND = "by-hand"


def from_stream(seed: int, count: int, *, held_out: bool = False) -> list[Labelled]:
    """The first cases of a stream, as they come; the part is the family."""
    return [_labelled(case) for case in islice(cases(seed, held_out=held_out), count)]


def _labelled(case: Case) -> Labelled:
    return Labelled(case.problem, case.steps, case.earliest_error, case.error, case.family)


def from_demo(path: Path) -> list[Labelled]:
    """The demo's cases; the part says how a case was made."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Labelled(
            record["problem"],
            tuple(record["steps"]),
            record["earliest_error"],
            record["error_type"] or "",
            BY_HAND if record["generator"] == BY_HAND else "generated",
        )
        for record in records
    ]


def seen(recipe: Recipe, sets: Sequence[Iterable[Labelled]]) -> list[tuple[int, int]]:
    """For each set, how many of its cases have a problem that occurs in the training, and how many occur there whole.

    Goes through all of the training stream, to the end of the last pool that batches are taken from.
    """
    problems, wholes = set[str](), set[tuple[str, tuple[str, ...]]]()
    stream = examples(TRAINING_SEED, drills=lambda index: drills(recipe, index))
    pools = -(-recipe.steps // POOL)
    for example in islice(stream, pools * POOL * recipe.batch):
        problems.add(example.problem)
        wholes.add((example.problem, example.steps))
    return [
        (
            sum(case.problem in problems for case in chosen),
            sum((case.problem, case.steps) in wholes for case in chosen),
        )
        for chosen in sets
    ]
