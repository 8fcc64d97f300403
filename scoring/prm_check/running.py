"""What must hold of a PRM's rewards: it needs the weights and an engine."""

import math
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from scoring.engines.base import Engine
from scoring.opened import OpenedPrm
from scoring.prm_check.encoding import PROBES, encode_case, name
from scoring.prm_check.result import Result, result
from scoring.readout import Answer, Batch, Encoded, Refused
from scoring.xray import Case

EXACT, ROUNDED = 1e-4, 0.1
"""How far two rewards of the same may be apart: in float32, and in what has fewer digits. Of a body of 7B with random
weights in other batches on an H100 they were up to 1.1e-5 apart in float32, and 0.054 in bfloat16."""

NAMES = ("finite rewards", "range", "determinism of rewards", "batch = single", "prefix consistency of rewards")


def running_checks(prm: OpenedPrm, engine: Engine, cases: Sequence[Case]) -> Iterator[Result]:
    """The checks of rewards on the probes and on `cases`; those that are refused are left out."""
    probes = [replace(probe, also=("It is so.",) * len(prm.adapter.reads)) for probe in PROBES]
    found = [(case, encode_case(prm.encoder, case)) for case in (*probes, *cases)]
    whole = [(case, one) for case, one in found if isinstance(one, Encoded)]
    if not whole:
        for check in NAMES:
            yield Result(check, "skipped", "every case is refused")
        return
    encoded = [one for _, one in whole]
    first = rewards_of(engine, encoded)
    yield from _values(prm, whole, first)
    again = rewards_of(engine, encoded)
    yield result(
        NAMES[2],
        [f"{name(case)} has other rewards the second time" for (case, _), *two in zip(whole, first, again, strict=True)
         if two[0] != two[1]],
        f"{sum(map(len, first))} rewards are the same in a second run, digit by digit",
    )  # fmt: skip
    limit = EXACT if prm.dtype == "float32" else ROUNDED
    alone = [rewards_of(engine, [one])[0] for one in encoded]
    backwards = rewards_of(engine, encoded[::-1])[::-1]
    told = f"tolerance {limit:g} ({prm.dtype}), cases alone and in other batches"
    yield _near(NAMES[3], whole, [(first, alone), (first, backwards)], limit, told)
    yield _prefix(prm, engine, whole, first, limit)


def rewards_of(engine: Engine, encoded: Sequence[Encoded]) -> list[tuple[float, ...]]:
    """Rewards case by case; () for one that the engine refuses."""
    batches = [batch for batch in engine.read(encoded) if isinstance(batch, Batch)]
    answers: dict[int, Answer] = {one.index: one for batch in batches for one in batch.answers}
    found = [answers[index].rewards for index in range(len(encoded))]
    return [() if isinstance(rewards, Refused) else rewards for rewards in found]


def _values(
    prm: OpenedPrm, whole: Sequence[tuple[Case, Encoded]], found: Sequence[tuple[float, ...]]
) -> Iterator[Result]:
    low, high = prm.adapter.scale.low, prm.adapter.scale.high
    rows = list(zip((name(case) for case, _ in whole), found, strict=True))
    total = sum(map(len, found))
    odd = [f"{case}: {list(rewards)}" for case, rewards in rows if not all(map(math.isfinite, rewards)) or not rewards]
    yield result(NAMES[0], odd, f"{total} rewards of {len(rows)} cases are finite numbers")
    if prm.adapter.readout.transform == "none":
        yield Result(NAMES[1], "skipped", "the reward is no probability and has no bounds")
        return
    over = [
        f"{case}: {list(rewards)}" for case, rewards in rows if any(not low <= reward <= high for reward in rewards)
    ]
    flat = [reward for rewards in found for reward in rewards]
    least, most = min(flat, default=0.0), max(flat, default=0.0)
    yield result(NAMES[1], over, f"{total} rewards from {least:.4f} to {most:.4f}, allowed are {low:g} to {high:g}")


def _near(
    check: str,
    whole: Sequence[tuple[Case, Encoded]],
    pairs: Sequence[tuple[Sequence[tuple[float, ...]], Sequence[tuple[float, ...]]]],
    limit: float,
    told: str,
) -> Result:
    """Whether rewards of the same cases are the same within the limit; `told` says what both are."""
    problems, worst = [], 0.0
    for one, other in pairs:
        for (case, _), *two in zip(whole, one, other, strict=True):
            gap = _gap(*two)
            worst = max(worst, gap)
            if gap > limit:
                problems.append(f"{name(case)}: gap {gap:.1e}, {told}")
    return result(check, problems, f"largest gap {worst:.1e}, {told}")


def _gap(one: Sequence[float], other: Sequence[float]) -> float:
    if len(one) != len(other):
        return math.inf
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return max((math.inf if math.isnan(gap) else gap for gap in gaps), default=0.0)


def _prefix(
    prm: OpenedPrm,
    engine: Engine,
    whole: Sequence[tuple[Case, Encoded]],
    found: Sequence[tuple[float, ...]],
    limit: float,
) -> Result:
    """Rewards of the first steps stay as they are when steps follow."""
    if not prm.facts.prefix:
        return Result(NAMES[4], "skipped", "the family reads a step together with what follows it")
    kept, shorter, expected = [], [], []
    for (case, _), rewards in zip(whole, found, strict=True):
        for number in range(1, len(case.steps)):
            one = encode_case(prm.encoder, replace(case, steps=case.steps[:number]))
            if isinstance(one, Encoded):
                kept.append((case, one))
                shorter.append(one)
                expected.append(rewards[:number])
    told = f"tolerance {limit:g} ({prm.dtype}), steps with and without later ones"
    return _near(NAMES[4], kept, [(expected, rewards_of(engine, shorter))], limit, told)
