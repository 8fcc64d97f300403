"""Published rewards: what a model card prints for one case, against what comes out here.

Expected values and hashes are in `goldens.json`; the texts are the user's, whose file of the benchmark is read.
"""

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.readout import Encoded, Refused
from scoring.data.schema import content_key
from scoring.engines.base import Engine
from scoring.runs.opened import LoadedPrm
from scoring.runs.prm_check.encoding import EncodingCheck, encode_case
from scoring.runs.prm_check.running_checks import rewards_of
from scoring.runs.token_texts import TokenTexts
from scoring.runs.xray import Case

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
