"""A workspace with the taxonomy of Socratic-PRMBench and another benchmark beside it: gaps, refusals, nulls."""

import random
from pathlib import Path

from msgspec.structs import replace

import making
import reference
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace

PATTERNS = ("Deduction", "Integration", 'it\'s "Regather"')
KINDS = ("redundancy", "incompleteness", None)
TYPES = ("early premise", "gap\n2", "all")
"""One is called as the total is, and is none."""


def write(root: Path, n: int = 90, seed: int = 5) -> Query:
    """Two benchmarks, `socratic` and `bench`, with three scorers that have both; of one some cases were refused."""
    rng = random.Random(seed)
    workspace, rewards = Workspace.create(root), {"one": [], "two": [], "three": []}
    keys = []
    for benchmark in ("socratic", "bench"):
        cases = [_case(rng) for _ in range(n)]
        columns = {
            "pattern": [rng.choice(PATTERNS) if case.gold is not None and case.gold >= 0 else None for case in cases],
            "error_kind": [rng.choice(KINDS) if case.gold is not None and case.gold >= 0 else None for case in cases],
            "error_type": [rng.choice(TYPES) for _ in cases],
            "generator": [f"writer-{rng.randrange(3)}" for _ in cases],
            "final_answer_correct": [rng.choice((True, True, False, None)) for _ in cases],
            "problem": [f"{benchmark} problem {index // 2}" for index in range(n)],
        }
        found = making.full_frame(cases, benchmark, **columns)
        workspace.add([Imported(benchmark, "made.jsonl", "made", "0-based", found.height, found, ())])
        keys += found["key"].to_list()
        for name, rows in rewards.items():
            rows += [_scored(case, rng, name) for case in cases]
    for name, rows in rewards.items():
        scorer = making.scorer(name)
        scorer.save(root / "rewards" / scorer.folder)
        frame = making.rewards(rows, keys)
        RewardParts(root / "rewards" / scorer.folder).append(frame.unique("key", maintain_order=True))
    return Query(workspace=str(root))


def _case(rng: random.Random) -> reference.Case:
    """One of some steps; its gold may be unknown, or name a step that is not there."""
    steps = rng.randint(1, 9)
    gold = rng.choice((-1, -1, None if rng.random() < 0.2 else 0, *range(steps), steps if rng.random() < 0.2 else 0))
    return reference.Case(steps, gold, subset=rng.choice(("one", "two words", None)))


def _scored(case: reference.Case, rng: random.Random, name: str) -> reference.Case:
    drawn = rng.random()
    if name == "three" and drawn < 0.15:
        return replace(case, rewards=None, refused="over length")
    if name != "one" and drawn > 0.9:
        return replace(case, rewards=None)
    if name == "two" and drawn < 0.1:
        # A number that is none: the case has no verdict.
        return replace(case, rewards=(float("nan"), *[0.5] * (case.n_steps - 1)))
    rewards = [rng.choice((0.2, 0.4, 0.5, 0.8, 0.9)) for _ in range(case.n_steps)]
    if case.gold is not None and 0 <= case.gold < case.n_steps and rng.random() < 0.6:
        rewards[case.gold] = 0.1
    return replace(case, rewards=tuple(rewards))
