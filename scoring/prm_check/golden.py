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

from scoring.engines.base import Engine
from scoring.opened import OpenedPrm
from scoring.prm_check.encoding import encode_case
from scoring.prm_check.result import Result
from scoring.prm_check.running import rewards_of
from scoring.readout import Encoded, Refused
from scoring.schema import content_key
from scoring.xray import Case, TokenTexts

TOKENS, REWARDS = "golden tokens", "golden rewards"
FILE = Path(__file__).with_name("goldens.json")


class Golden(Struct, frozen=True):
    """One case and the rewards that a model card prints for it.

    `key` is the `scoring.schema.content_key` of its problem and steps after every `replacements` pair was applied to
    the steps; `text_sha256` and `ids_sha256` are hex digests of the tokens' text and of their decimal ids with commas
    between them. `rewards` are compared within `tolerance`, which has a number a step and says `why` it is that, and on
    which side of `threshold` they are exactly.
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
        """The case among those of a file, its steps as the card has them."""
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


def golden_of(prm: OpenedPrm, adapter: str) -> Golden | None:
    """What is published for a checkpoint: it is known by the name of its folder, or of the hub's model."""
    names = {part.lower() for part in re.split(r"/|\\|--", f"{prm.checkpoint.name}/{prm.checkpoint.folder.resolve()}")}
    for one in json.loads(FILE.read_bytes())["goldens"]:
        for name, of_checkpoint in one["checkpoints"].items():
            if one["adapter"] == adapter and name.lower() in names:
                return _golden(one, of_checkpoint, prm.dtype)
    return None


def golden_tokens(prm: OpenedPrm, golden: Golden, case: Case) -> Result:
    """Whether the card's case has the ids that it had when its rewards were computed."""
    found = encode_case(prm.encoder, case)
    if isinstance(found, Refused):
        return Result(TOKENS, "failed", f"the case is refused: {found.reason}")
    problem = next(_wrong_tokens(prm, golden, found), "")
    if problem:
        return Result(TOKENS, "failed", problem)
    places = ", ".join(map(str, found.positions))
    return Result(TOKENS, "ok", f"{golden.case}: {len(found.ids)} ids, read at {places}; text and ids as published")


def golden_rewards(prm: OpenedPrm, golden: Golden, case: Case, engine: Engine) -> Result:
    """Whether the rewards are those of the card: their verdicts exactly, their values within the tolerance."""
    found = encode_case(prm.encoder, case)
    rewards = rewards_of(engine, [found])[0] if isinstance(found, Encoded) else ()
    if len(rewards) != len(golden.rewards):
        return Result(REWARDS, "failed", "the case has no rewards")
    told = f"{_listed(rewards)}, published {_listed(golden.rewards)} ({golden.source})"
    pairs = list(zip(rewards, golden.rewards, strict=True))
    if turned := [at for at, (one, other) in enumerate(pairs) if _wrong(one, golden) != _wrong(other, golden)]:
        return Result(REWARDS, "failed", f"another verdict at {golden.threshold:g} on steps {turned}: {told}")
    gaps = [abs(one - other) for one, other in pairs]
    allowed = f"{_listed(golden.tolerance, '.2f')} allowed in {prm.dtype}"
    # Written so that a reward that is no number is off as well.
    if off := [at for at, (gap, most) in enumerate(zip(gaps, golden.tolerance, strict=True)) if not gap <= most]:
        told += f"; the tolerance: {golden.why}"
        return Result(REWARDS, "failed", f"off by {_listed(gaps)}, {allowed}, too far on steps {off}: {told}")
    return Result(REWARDS, "ok", f"same verdicts at {golden.threshold:g}, off by {_listed(gaps)}, {allowed}: {told}")


def _wrong_tokens(prm: OpenedPrm, golden: Golden, found: Encoded) -> Iterator[str]:
    texts = TokenTexts(prm.tokenizer)
    if _digest("".join(map(texts, found.ids))) != golden.text_sha256:
        yield "the text that the tokens stand for is not the published one"
    if len(found.ids) != golden.ids:
        yield f"{len(found.ids)} ids, and {golden.ids} are published"
    if found.positions != golden.positions:
        yield f"read at {list(found.positions)}, published {list(golden.positions)}"
    if _digest(",".join(map(str, found.ids))) != golden.ids_sha256:
        yield "as many ids as published, but other ones"


def _wrong(reward: float, golden: Golden) -> bool:
    return not reward >= golden.threshold


def _golden(one: dict[str, Any], of_checkpoint: dict[str, Any], dtype: str) -> Golden:
    tolerance = of_checkpoint["tolerance"]
    return Golden(
        one["adapter"],
        one["benchmark"],
        one["case"],
        one["key"],
        tuple((old, new) for old, new in one["replace"]),
        one["text_sha256"],
        one["ids"],
        one["ids_sha256"],
        tuple(one["positions"]),
        one["threshold"],
        tuple(of_checkpoint["rewards"]),
        tuple(tolerance.get(dtype, tolerance["bfloat16"])),
        of_checkpoint["why"],
        one["source"],
    )


def _listed(numbers: Sequence[float], form: str = ".4f") -> str:
    return " ".join(f"{number:{form}}" for number in numbers)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
