"""Authored cases, no two texts alike, with rewards of one scorer, imported as files; thorough: ProcessBench's 3,400."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from at_the_terminal import import_rewards, shell
from thoroughness import THOROUGH

MANY = 3_400 if THOROUGH else 1_000
SUBSETS = ("north", "east", "south", "west")
WORDS = [
    "add",
    "take",
    "half",
    "twice",
    "carry",
    "over",
    "left",
    "right",
    "sum",
    "root",
    "odd",
    "even",
    "prime",
    "cube",
    "line",
    "circle",
    "north",
    "south",
    "term",
]


@dataclass(frozen=True)
class Made:
    """A case as it was written to the files; `gold` is 0-based, -1 for none."""

    name: str
    subset: str
    problem: str
    steps: tuple[str, ...]
    gold: int
    answer_right: bool
    rewards: tuple[float, ...]


def made_cases(count: int = MANY, seed: int = 8) -> list[Made]:
    """The cases. Rewards have two digits, so that thresholds of two digits meet them."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        n_steps = rng.randint(3, 14)
        gold = rng.choice((-1, rng.randrange(n_steps)))
        rewards = [round(rng.betavariate(5, 1.6), 2) for _ in range(n_steps)]
        if gold >= 0 and rng.random() < 0.6:
            rewards[gold] = round(rng.betavariate(2, 4), 2)
        subset = SUBSETS[number % len(SUBSETS)]
        steps = tuple(f"{_sentence(rng)} so x_{step} = {number * step}." for step in range(n_steps))
        right = gold < 0 or rng.random() < 0.2
        made = Made(f"{subset}-{number}", subset, f"{_sentence(rng)}?", steps, gold, right, tuple(rewards))
        found.append(made)
    return found


def import_cases(folder: Path, space: str, cases: list[Made], scorer: str = "many") -> None:
    """Write the files and import them."""
    for subset in SUBSETS:
        rows = [
            {
                "id": case.name,
                "generator": f"writer-{len(case.steps) % 3}",
                "problem": case.problem,
                "steps": list(case.steps),
                "final_answer_correct": case.answer_right,
                "label": case.gold,
            }
            for case in cases
            if case.subset == subset
        ]
        (folder / f"{subset}.json").write_text(json.dumps(rows))
    shell("import", *(f"{subset}.json" for subset in SUBSETS), "-w", space, cwd=folder)
    import_rewards(folder, space, [{"id": case.name, scorer: list(case.rewards)} for case in cases], scorer)


def verdict(case: Made, threshold: float) -> int:
    """The first step with a reward below the threshold, -1 for none."""
    return next((step for step, reward in enumerate(case.rewards) if reward < threshold), -1)


def f1(cases: list[Made], threshold: float) -> float:
    """ProcessBench's figure as its paper defines it, the plain mean over subsets."""
    scores = []
    for subset in SUBSETS:
        right = {True: [], False: []}
        for case in cases:
            if case.subset == subset:
                right[case.gold >= 0].append(verdict(case, threshold) == case.gold)
        on_wrong, on_clean = (sum(right[kind]) / len(right[kind]) for kind in (True, False))
        scores.append(2 * on_wrong * on_clean / (on_wrong + on_clean) if on_wrong + on_clean else 0.0)
    return sum(scores) / len(scores)


def _sentence(rng: random.Random, words: int = 12) -> str:
    return " ".join(rng.choices(WORDS, k=words))
