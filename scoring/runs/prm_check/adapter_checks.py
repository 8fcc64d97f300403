"""All checks of one adapter, in order: what the weights and files at hand do not allow is skipped, with the reason."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InspectError
from scoring.data.readout import Batch, Encoded, EngineOutput, Refused
from scoring.data.schema import content_key
from scoring.engines.base import Engine
from scoring.models.prms.base import facts_of
from scoring.runs.opened import LoadedPrm
from scoring.runs.prm_check.encoding import PROBES, EncodingCheck, encode_case, encoding_checks, name, result
from scoring.runs.xray import Case, TokenTexts

# -- what must hold of a PRM's rewards: it needs the weights and an engine


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


# -- published rewards: what a model card prints for one case, against what comes out here.
#
# Expected values and hashes are in `goldens.json`; the texts are the user's, whose file of the benchmark is read.


TOKENS, REWARDS = "golden tokens", "golden rewards"
FILE = Path(__file__).with_name("goldens.json")


class Golden(Struct, frozen=True):
    """One case and the rewards that a model card prints for it.

    `key` is the `scoring.data.schema.content_key` of its problem and steps after every `replacements` pair was applied
    to the steps; `text_sha256` and `ids_sha256` are hex digests of the tokens' text and of their decimal ids with
    commas between them. `rewards` are compared within `tolerance`, which has a number a step and says `why` it is that,
    and on which side of `threshold` they are exactly.
    """

    adapter: str
    benchmark: str
    case: str
    key: str
    replacements: tuple[tuple[str, str], ...]
    text_sha256: str
    ids: int
    ids_sha256: str
    positions: tuple[int, ...]
    threshold: float
    rewards: tuple[float, ...]
    tolerance: tuple[float, ...]
    why: str
    source: str

    def find(self, cases: Sequence[Case]) -> Case | None:
        """Find the case among those of a file, its steps as the card has them."""
        for case in cases:
            if len(case.steps) == len(self.rewards):
                card = replace(case, steps=tuple(map(self._as_printed, case.steps)))
                if content_key(card.problem, card.steps) == self.key:
                    return card
        return None

    def _as_printed(self, step: str) -> str:
        for old, new in self.replacements:
            step = step.replace(old, new)
        return step


def golden_of(prm: LoadedPrm, adapter: str) -> Golden | None:
    """Return what is published for a checkpoint: it is known by the name of its folder, or of the hub's model."""
    names = {part.lower() for part in re.split(r"/|\\|--", f"{prm.checkpoint.name}/{prm.checkpoint.folder.resolve()}")}
    for entry in json.loads(FILE.read_bytes())["goldens"]:
        for checkpoint, of_checkpoint in entry["checkpoints"].items():
            if entry["adapter"] == adapter and checkpoint.lower() in names:
                return _golden(entry, of_checkpoint, prm.dtype)
    return None


def golden_tokens(prm: LoadedPrm, golden: Golden, case: Case) -> EncodingCheck:
    """Check whether the card's case has the ids that it had when its rewards were computed."""
    outcome = encode_case(prm.encoder, case)
    if isinstance(outcome, Refused):
        return EncodingCheck(TOKENS, "failed", f"the case is refused: {outcome.reason}")
    problem = next(_wrong_tokens(prm, golden, outcome), "")
    if problem:
        return EncodingCheck(TOKENS, "failed", problem)
    places = ", ".join(map(str, outcome.positions))
    return EncodingCheck(
        TOKENS, "ok", f"{golden.case}: {len(outcome.ids)} ids, read at {places}; text and ids as published"
    )


def golden_rewards(prm: LoadedPrm, golden: Golden, case: Case, engine: Engine) -> EncodingCheck:
    """Check whether the rewards are those of the card: their verdicts exactly, their values within the tolerance."""
    outcome = encode_case(prm.encoder, case)
    rewards = rewards_of(engine, [outcome])[0] if isinstance(outcome, Encoded) else ()
    if len(rewards) != len(golden.rewards):
        return EncodingCheck(REWARDS, "failed", "the case has no rewards")
    detail = f"{_listed(rewards)}, published {_listed(golden.rewards)} ({golden.source})"
    pairs = list(zip(rewards, golden.rewards, strict=True))
    if turned := [at for at, (left, other) in enumerate(pairs) if _wrong(left, golden) != _wrong(other, golden)]:
        return EncodingCheck(REWARDS, "failed", f"another verdict at {golden.threshold:g} on steps {turned}: {detail}")
    gaps = [abs(left - other) for left, other in pairs]
    allowed = f"{_listed(golden.tolerance, '.2f')} allowed in {prm.dtype}"
    # Written so that a reward that is no number is off as well.
    if off := [at for at, (gap, most) in enumerate(zip(gaps, golden.tolerance, strict=True)) if not gap <= most]:
        detail += f"; the tolerance: {golden.why}"
        return EncodingCheck(REWARDS, "failed", f"off by {_listed(gaps)}, {allowed}, too far on steps {off}: {detail}")
    return EncodingCheck(
        REWARDS, "ok", f"same verdicts at {golden.threshold:g}, off by {_listed(gaps)}, {allowed}: {detail}"
    )


def _wrong_tokens(prm: LoadedPrm, golden: Golden, encoded: Encoded) -> Iterator[str]:
    texts = TokenTexts(prm.tokenizer)
    if _digest("".join(map(texts, encoded.ids))) != golden.text_sha256:
        yield "the text that the tokens stand for is not the published one"
    if len(encoded.ids) != golden.ids:
        yield f"{len(encoded.ids)} ids, and {golden.ids} are published"
    if encoded.positions != golden.positions:
        yield f"read at {list(encoded.positions)}, published {list(golden.positions)}"
    if _digest(",".join(map(str, encoded.ids))) != golden.ids_sha256:
        yield "as many ids as published, but other ones"


def _wrong(reward: float, golden: Golden) -> bool:
    return not reward >= golden.threshold


def _golden(entry: dict[str, Any], of_checkpoint: dict[str, Any], dtype: str) -> Golden:
    tolerance = of_checkpoint["tolerance"]
    return Golden(
        entry["adapter"],
        entry["benchmark"],
        entry["case"],
        entry["key"],
        tuple((old, new) for old, new in entry["replace"]),
        entry["text_sha256"],
        entry["ids"],
        entry["ids_sha256"],
        tuple(entry["positions"]),
        entry["threshold"],
        tuple(of_checkpoint["rewards"]),
        tuple(tolerance.get(dtype, tolerance["bfloat16"])),
        of_checkpoint["why"],
        entry["source"],
    )


def _listed(numbers: Sequence[float], form: str = ".4f") -> str:
    return " ".join(f"{number:{form}}" for number in numbers)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


ENCODING = (
    "shape", "order", "determinism of tokens", "prefix consistency of tokens", "odd texts", "injection",
)  # fmt: skip
_MUST = frozenset({"shape", "order"})
"""What must hold before ids are handed to an engine."""
RUN_CASES = 4
"""Cases of the user's file that are run; more tell nothing new and a large model takes its time for each."""


def declaration(family: object) -> EncodingCheck:
    """Check whether what a family states without a checkpoint is in order."""
    facts = facts_of(family)
    scale, problems = facts.scale, []
    if scale is None:
        return EncodingCheck("declaration", "skipped", "the scale depends on the checkpoint")
    if not scale.low < scale.high:
        problems.append(f"the range {facts.range} is empty")
    if not scale.low <= scale.threshold <= scale.high:
        problems.append(f"the threshold {scale.threshold:g} is outside of {facts.range}")
    if not scale.threshold_source:
        problems.append("the threshold has no source")
    return result("declaration", problems, f"{scale.family}: {facts.range}, {facts.rule}")


def unopened(reason: str, declared: EncodingCheck) -> list[EncodingCheck]:
    """Return the results where there are no weights to look at."""
    return [declared, *(EncodingCheck(check, "skipped", reason) for check in (*ENCODING, *NAMES, TOKENS, REWARDS))]


def checks(prm: LoadedPrm, adapter: str, cases: Sequence[Case], *, limit: int, chosen: bool) -> Iterator[EncodingCheck]:
    """Yield every check of an opened PRM.

    Args:
        prm: with its weights.
        adapter: its name.
        cases: the user's; none = only the authored ones.
        limit: of how many of them the tokens are looked at.
        chosen: whether options were chosen: what is published is so without any.
    """
    yield declaration(prm.adapter)
    results = list(encoding_checks(prm, cases[:limit]))
    yield from results
    golden = golden_of(prm, adapter)
    card, why = _card(golden, cases, chosen=chosen)
    yield EncodingCheck(TOKENS, "skipped", why) if golden is None or card is None else golden_tokens(prm, golden, card)
    if unsound := [outcome.check for outcome in results if outcome.status == "failed" and outcome.check in _MUST]:
        for check in (*NAMES, REWARDS):
            yield EncodingCheck(check, "skipped", f"the check {unsound[0]!r} failed")
        return
    try:
        engine: Engine = prm.engine()
    except InspectError as error:
        for check in (*NAMES, REWARDS):
            yield EncodingCheck(check, "skipped", str(error))
        return
    yield from running_checks(prm, engine, cases[:RUN_CASES])
    if golden is None or card is None:
        yield EncodingCheck(REWARDS, "skipped", why)
    else:
        yield golden_rewards(prm, golden, card, engine)


def _card(golden: Golden | None, cases: Sequence[Case], *, chosen: bool) -> tuple[Case | None, str]:
    """The case whose rewards are published, or why it is not looked at."""
    if golden is None:
        return None, "no rewards are published for a checkpoint of this name"
    if chosen:
        return None, "rewards are published for the family's own options, and others were chosen"
    named = f"{golden.case} of {golden.benchmark}"
    if not cases:
        return None, f"its text is needed: --cases FILE that holds {named}"
    case = golden.find(cases)
    return case, "" if case else f"--cases holds no case with the text of {named}"
