"""A small workspace in which every number and every place on screen can be told in advance.

Scorer `alpha` (threshold 0.5) has every outcome; at 0.5 its F1 is 0.4 on `sums` and 0.5 on `words`, 0.45 on average,
and its failures, most instructive first, are `FAILURES`. From 0.53 on `missed-two` is exact, which makes 0.8 on `words`
and 0.6 on average. Scorer `beta` ([-1, 1], threshold 0) is right on all that it scored; it was refused on `exact-one`
and never ran on `early-one`: 2/3 on `sums`, 1 on `words`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import making
import reference
from scoring.data.schema import REWARDS, content_key
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.triage.actions import NOTE, SORT
from scoring.workspace.triage.journal import Journal
from scoring.workspace.variants import Edit, Variant, Variants, apply_edits


@dataclass(frozen=True)
class Example:
    """One case with alpha's rewards."""

    id: str
    subset: str
    gold: int
    rewards: tuple[float, ...]
    type: str | None = None
    pattern: str | None = None
    generator: str | None = "bob-model"

    @property
    def n_steps(self) -> int:
        return len(self.rewards)


EXAMPLES = (
    Example("exact-one", "sums", 1, (0.9, 0.2, 0.8), "slip", "Deduction", "amy-model"),
    Example("early-one", "sums", 2, (0.4, 0.9, 0.9), "slip", "Regather"),
    Example("late-one", "sums", 0, (0.7, 0.9, 0.3), "gap", "Deduction", None),
    Example("missed-one", "words", 1, (0.9, 0.6), "gap", "Regather"),
    Example("missed-two", "words", 0, (0.52, 0.9, 0.9), "slip", "Deduction"),
    Example("clean-one", "words", -1, (0.9, 0.8)),
    Example("alarm-one", "sums", -1, (0.9, 0.1)),
    Example("clean-two", "sums", -1, (0.55, 0.95)),
    Example("long-one", "words", 12, (0.9,) * 12 + (0.3,) + (0.9,) * 17, "gap", "Deduction"),
)
FAILURES = [f"bench/{name}" for name in ("alarm-one", "late-one", "missed-one", "missed-two", "early-one")]
ALPHA = making.scorer("alpha", about="Alpha reads the text.")
BETA = making.scorer("beta", low=-1.0, threshold=0.0, about="Beta knows the labels.")


def write(root: Path, *, scored: bool = True) -> Query:
    """Make the workspace and ask for it through alpha; with `scored` false, without its scorers."""
    plain = [reference.Case(one.n_steps, one.gold, subset=one.subset) for one in EXAMPLES]
    alpha = [reference.Case(one.n_steps, one.gold, one.rewards) for one in EXAMPLES]
    scorers = [(ALPHA, alpha), (BETA, [_beta(one) for one in EXAMPLES])]
    making.workspace(root, plain, scorers if scored else [], **_columns())
    return Query(workspace=str(root), scorers=("alpha",) if scored else ())


def noted(root: Path) -> Query:
    """The same with five notes of whoever is at work, three of them in two categories."""
    query = write(root)
    journal = Journal(root / "triage", clock=lambda: "2026-01-02T03:04:05.000Z")
    for name, text, category in (
        ("alarm-one", "drops a minus", "signs"),
        ("late-one", "loses the sign of a sum", "signs"),
        ("missed-one", "metres and feet", "units"),
        ("missed-two", "reads the wrong column", ""),
        ("early-one", "feet again", ""),
    ):
        journal.do([(NOTE, [f"bench/{name}"], text), *([(SORT, [f"bench/{name}"], category)] if category else [])])
    return query


ALL_KINDS = (
    Edit("swap", 0, other=1),
    Edit("cut", 1, at=6),
    Edit("insert", 0, "Begin."),
    Edit("delete", 4),
    Edit("replace", 1, "Step 1 of exact-two."),
)
"""Edits of `exact-one` that leave: what was put in, step 1 in other words, the two parts of step 0; step 2 is gone."""
GIVEN = (0.5, 0.1, 0.8, 0.7)
"""Alpha's rewards of that."""


def keep_variant(root: Path, *edits: Edit, rewards: Sequence[float] = ()) -> Variant:
    """Keep a variant of `exact-one`, and what alpha gave to it."""
    there, (one, *_) = Variants(root / "variants"), EXAMPLES
    columns = _columns()
    problem, steps = columns["problem"][0], columns["steps"][0]
    variant = Variant(content_key(problem, steps), f"bench/{one.id}", edits)
    there.save(variant)
    if rewards:
        folder = there.folder / "rewards" / ALPHA.folder
        ALPHA.save(folder)
        key = content_key(problem, [step.text for step in apply_edits(steps, edits)])
        row = {"key": key, "vote": 0, "rewards": list(rewards)}
        RewardParts(folder).append(pl.DataFrame([row], schema={name: REWARDS[name] for name in row}))
    return variant


def _beta(one: Example) -> reference.Case:
    if one.id in {"exact-one", "early-one"}:
        return reference.Case(one.n_steps, one.gold, None, "over length" if one.id == "exact-one" else "")
    return reference.Case(
        one.n_steps, one.gold, tuple(-0.5 if step == one.gold else 0.5 for step in range(one.n_steps))
    )


def _columns() -> dict[str, list[Any]]:
    return {
        "id": [one.id for one in EXAMPLES],
        "problem": [f"Problem of {one.id}: what is $\\frac{{3}}{{4}}$ of it?" for one in EXAMPLES],
        "steps": [[f"Step {step} of {one.id}." for step in range(one.n_steps)] for one in EXAMPLES],
        "generator": [one.generator for one in EXAMPLES],
        "error_type": [one.type for one in EXAMPLES],
        "pattern": [one.pattern for one in EXAMPLES],
        "final_answer_correct": [one.gold < 0 for one in EXAMPLES],
        "reason": [f"Because of {one.id}." if one.gold >= 0 else None for one in EXAMPLES],
    }
