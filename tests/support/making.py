"""Small cases, rewards, scorers and workspaces for tests."""

import random
from functools import cache

import numpy as np
import polars as pl
from hypothesis import strategies as st
from msgspec.structs import replace

import reference
from scoring.data.schema import METADATA, REWARDS
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.benchmarks.own import cases_frame
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace

FLOAT32 = float(np.float32(0.7))
"""0.7 as a float32, which is a little less than 0.7."""

TIED = (-1.0, 0.0, 0.3, 0.5, float(np.nextafter(0.5, 1)), FLOAT32, 0.7, 1.0)
"""Rewards and thresholds that often meet, some only one float apart."""

COARSE = (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0)


def texts(index, case):
    """Problem and steps of the case with this index: no two alike."""
    return f"problem {index}", [f"step {step} of {index}" for step in range(case.n_steps)]


def full_frame(cases, benchmark="bench", **columns):
    """The cases frame with its texts; `columns` (lists, one value a case) replace or add labels."""
    rows = []
    for index, case in enumerate(cases):
        problem, steps = texts(index, case)
        row = {"id": f"c{index}", "problem": problem, "steps": steps, "subset": case.subset, "line": index + 1}
        row |= {
            "earliest_error": case.gold,
            "error_steps": None if case.error_steps is None else list(case.error_steps),
        }
        rows.append(row | {name: values[index] for name, values in columns.items()})
    return cases_frame(benchmark, "made.jsonl", rows)


def frame(cases, benchmark="bench", **columns):
    """The same without texts, as a result set holds it."""
    return full_frame(cases, benchmark, **columns).select(list(METADATA))


def rewards(cases, keys=None):
    """The rewards frame of what is cached for the cases; `keys` where they have other texts than `texts` gives."""
    keys = full_frame(cases)["key"] if keys is None else keys
    rows = [
        {"key": key, "vote": 0, "rewards": case.rewards, "reason": case.refused or None}
        for key, case in zip(keys, cases, strict=True)
        if reference.tried(case)
    ]
    return pl.DataFrame(rows, schema=REWARDS, orient="row")


def scorer(name="scorer", **settings):
    return Scorer(**{"name": name, "fingerprint": f"{name.encode().hex():0<16}", "low": 0.0, "high": 1.0, **settings})


def evaluation(cases, threshold=0.5, comparison="<", name="scorer", **columns):
    """The cases decided by one scorer at a threshold."""
    rule = Rule(threshold, comparison, "chosen")
    return evaluate(Gold(frame(cases, **columns)), scorer(name), rewards(cases), rule)


def workspace(root, cases, scorers, benchmark="bench", **columns):
    """A workspace with one benchmark; `scorers` pairs each scorer with the cases as it scored them."""
    made = Workspace.create(root)
    found = full_frame(cases, benchmark, **columns)
    made.add([Imported(benchmark, "made.jsonl", "made", "0-based", found.height, found, ())])
    for one, rows in scorers:
        one.save(root / "rewards" / one.folder)
        RewardParts(root / "rewards" / one.folder).append(rewards(rows, found["key"]))
    return made


_N_STEPS = st.sampled_from((0, 1, 1, 2, 3, 4, 5))
_SUBSETS = st.sampled_from(("one", "one", "two", None))
_KINDS = st.sampled_from(("scored",) * 6 + ("none", "refused", "length", "broken"))
_BROKEN = st.sampled_from((None, float("nan"), float("inf"), -float("inf")))


# Kept, since hypothesis looks over every strategy that is new to it.
@cache
def _gold(n_steps):
    return st.sampled_from((None, -1, -1, 0, *range(n_steps + 2)))


@cache
def _row(values, n_steps):
    return st.tuples(*[st.sampled_from(values)] * n_steps)


@cache
def _step(n_steps):
    return st.integers(0, n_steps - 1)


@cache
def _listed(n_steps):
    return st.none() | st.lists(st.integers(0, n_steps + 1), unique=True).map(sorted).map(tuple)


@st.composite
def case(draw, values=TIED):
    """One case with any kind of gold and of cached row, usable ones more often than not."""
    n_steps = draw(_N_STEPS)
    gold, subset, kind = draw(_gold(n_steps)), draw(_SUBSETS), draw(_KINDS)
    row = _row(tuple(values), n_steps)
    if kind == "none":
        return reference.Case(n_steps, gold, None, "", subset)
    if kind == "refused":
        return reference.Case(n_steps, gold, None, "over length", subset)
    if kind == "length":
        return reference.Case(n_steps, gold, (*draw(row), 0.5), "", subset)
    found = list(draw(row))
    if kind == "broken" and found:
        found[draw(_step(n_steps))] = draw(_BROKEN)
    listed = draw(_listed(n_steps))
    if listed is not None and gold is not None:
        gold = min((step for step in listed if step < n_steps), default=None if listed else -1)
    return reference.Case(n_steps, gold, tuple(found), "", subset, listed)


def benches(values=TIED, min_size=1, max_size=10):
    """Lists of cases."""
    return st.lists(case(values), min_size=min_size, max_size=max_size)


@st.composite
def balanced(draw, values=TIED, max_size=10):
    """The same, with an erroneous and a clean case that are scored in every subset, so that F1 is mostly defined."""
    cases = draw(benches(values, max_size=max_size))
    for subset in dict.fromkeys(case.subset for case in cases):
        for gold in (0, -1):
            cases.append(reference.Case(1, gold, (draw(st.sampled_from(values)),), "", subset))
    return draw(st.permutations(cases))


def rules(values=TIED):
    """Threshold and comparison; thresholds fall on rewards, between and beyond them."""
    return st.tuples(st.sampled_from((*values, -2.0, 0.4, 2.0)), st.sampled_from(("<", "<=")))


def study(seed=0, n=30):
    """n cases in two subsets, and three scorers each with the cases as it scored them: all, with gaps, refusals."""
    rng = random.Random(seed)
    cases = []
    for index in range(n):
        n_steps = rng.randint(1, 5)
        gold = rng.choice((-1, -1, *range(n_steps)))
        cases.append(reference.Case(n_steps, gold, subset="two words" if index % 3 else "it's"))
    complete = [scored(case, rng) for case in cases]
    gaps = [rng.choice((case, scored(case, rng), scored(case, rng))) for case in cases]
    refusals = [
        replace(case, refused="over length") if index % 4 == 0 else scored(case, rng)
        for index, case in enumerate(cases)
    ]
    return cases, [
        (scorer("gpt4"), complete),
        (scorer("rand-0", threshold=0.25), gaps),
        (scorer("x=y", low=-1.0), refusals),
    ]


def scored(case, rng):
    """The case with rewards that lean towards its gold label; many of them are equal."""
    low = [step == case.gold and rng.random() < 0.7 for step in range(case.n_steps)]
    return replace(case, rewards=tuple(rng.choice((0.1, 0.2, 1 / 3) if at else (0.4, 0.5, 0.7, 0.9)) for at in low))


def labels(cases):
    """Further label columns for a study: one of each kind that facets are made of, with gaps."""
    return {
        "generator": [f"m{index % 3}" if index % 5 else None for index in range(len(cases))],
        "final_answer_correct": [
            None if index % 7 == 0 else case.gold < 0 or index % 2 == 0 for index, case in enumerate(cases)
        ],
        "error_type": [
            ("slip\"o'", "gap\n2")[index % 2] if case.gold >= 0 else None for index, case in enumerate(cases)
        ],
    }
