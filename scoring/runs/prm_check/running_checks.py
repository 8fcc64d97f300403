"""What must hold of a PRM's rewards: checks that need the weights and an engine."""

import math
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from scoring.data.readout import Batch, Encoded, EngineOutput, Refused
from scoring.engines.base import Engine
from scoring.runs.opened import LoadedPrm
from scoring.runs.prm_check.encoding import PROBES, EncodingCheck, encode_case, name, result
from scoring.runs.xray import Case

EXACT, ROUNDED = 1e-4, 0.1
"""How far two rewards of the same may be apart: in float32, and in what has fewer digits. Of a body of 7B with random
weights in other batches on an H100 they were up to 1.1e-5 apart in float32, and 0.054 in bfloat16."""

NAMES = ("finite rewards", "range", "determinism of rewards", "batch = single", "prefix consistency of rewards")


def running_checks(prm: LoadedPrm, engine: Engine, cases: Sequence[Case]) -> Iterator[EncodingCheck]:
    """Yield the checks of rewards on the probes and on `cases`; those that are refused are left out."""
    probes = [replace(probe, also=("It is so.",) * len(prm.adapter.reads)) for probe in PROBES]
    outcomes = [(case, encode_case(prm.encoder, case)) for case in (*probes, *cases)]
    whole = [(case, outcome) for case, outcome in outcomes if isinstance(outcome, Encoded)]
    if not whole:
        for check in NAMES:
            yield EncodingCheck(check, "skipped", "every case is refused")
        return
    encoded = [of_case for _, of_case in whole]
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
    alone = [rewards_of(engine, [of_case])[0] for of_case in encoded]
    backwards = rewards_of(engine, encoded[::-1])[::-1]
    detail = f"tolerance {limit:g} ({prm.dtype}), cases alone and in other batches"
    yield _near(NAMES[3], whole, [(first, alone), (first, backwards)], limit, detail)
    yield _prefix(prm, engine, whole, first, limit)


def rewards_of(engine: Engine, encoded: Sequence[Encoded]) -> list[tuple[float, ...]]:
    """Return rewards case by case; () for one that the engine refuses."""
    batches = [batch for batch in engine.read(encoded) if isinstance(batch, Batch)]
    answers: dict[int, EngineOutput] = {answer.index: answer for batch in batches for answer in batch.answers}
    by_case = [answers[index].rewards for index in range(len(encoded))]
    return [() if isinstance(rewards, Refused) else rewards for rewards in by_case]


def _values(
    prm: LoadedPrm, whole: Sequence[tuple[Case, Encoded]], rewards_by_case: Sequence[tuple[float, ...]]
) -> Iterator[EncodingCheck]:
    low, high = prm.adapter.scale.low, prm.adapter.scale.high
    rows = list(zip((name(case) for case, _ in whole), rewards_by_case, strict=True))
    total = sum(map(len, rewards_by_case))
    odd = [f"{case}: {list(rewards)}" for case, rewards in rows if not all(map(math.isfinite, rewards)) or not rewards]
    yield result(NAMES[0], odd, f"{total} rewards of {len(rows)} cases are finite numbers")
    if prm.adapter.readout.transform == "none":
        yield EncodingCheck(NAMES[1], "skipped", "the reward is not a probability and has no bounds")
        return
    over = [
        f"{case}: {list(rewards)}" for case, rewards in rows if any(not low <= reward <= high for reward in rewards)
    ]
    flat = [reward for rewards in rewards_by_case for reward in rewards]
    least, most = min(flat, default=0.0), max(flat, default=0.0)
    yield result(NAMES[1], over, f"{total} rewards from {least:.4f} to {most:.4f}, allowed are {low:g} to {high:g}")


def _near(
    check: str,
    whole: Sequence[tuple[Case, Encoded]],
    pairs: Sequence[tuple[Sequence[tuple[float, ...]], Sequence[tuple[float, ...]]]],
    limit: float,
    detail: str,
) -> EncodingCheck:
    """Whether rewards of the same cases are the same within the limit; `detail` says what both are."""
    problems, worst = [], 0.0
    for left, other in pairs:
        for (case, _), *two in zip(whole, left, other, strict=True):
            gap = _gap(*two)
            worst = max(worst, gap)
            if gap > limit:
                problems.append(f"{name(case)}: gap {gap:.1e}, {detail}")
    return result(check, problems, f"largest gap {worst:.1e}, {detail}")


def _gap(left: Sequence[float], other: Sequence[float]) -> float:
    if len(left) != len(other):
        return math.inf
    gaps = [abs(a - b) for a, b in zip(left, other, strict=True)]
    return max((math.inf if math.isnan(gap) else gap for gap in gaps), default=0.0)


def _prefix(
    prm: LoadedPrm,
    engine: Engine,
    whole: Sequence[tuple[Case, Encoded]],
    rewards_by_case: Sequence[tuple[float, ...]],
    limit: float,
) -> EncodingCheck:
    """Rewards of the first steps stay as they are when steps follow."""
    if not prm.facts.prefix:
        return EncodingCheck(NAMES[4], "skipped", "the family reads a step together with what follows it")
    kept, shorter, expected = [], [], []
    for (case, _), rewards in zip(whole, rewards_by_case, strict=True):
        for number in range(1, len(case.steps)):
            beginning = encode_case(prm.encoder, replace(case, steps=case.steps[:number]))
            if isinstance(beginning, Encoded):
                kept.append((case, beginning))
                shorter.append(beginning)
                expected.append(rewards[:number])
    detail = f"tolerance {limit:g} ({prm.dtype}), steps with and without later ones"
    return _near(NAMES[4], kept, [(expected, rewards_of(engine, shorter))], limit, detail)
