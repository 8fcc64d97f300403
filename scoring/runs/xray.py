"""The token X-ray of a case: every token that a PRM is shown, whose text it is, which are read, and what came of them.

Which text a token belongs to is found without knowing the family: the case is encoded again with another text in the
place of one, and what changes is where that text went. Tokens and positions need a tokenizer alone.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct, field
from msgspec.structs import asdict

from scoring.data.readout import Encoded, Refused
from scoring.models.prms.base import Encoder
from scoring.runs.token_texts import Pieces, TokenTexts

TokenPart = Literal["problem", "step", "layout"]

_STAND_INS = "@#~^|¤§¬"
_NOTHING: tuple[int, int] = (0, 0)


class PositionNumbers(Protocol):
    """What an engine gives for one position that is read; see `scoring.runs.prm_reports`."""

    @property
    def logits(self) -> tuple[float, ...]:
        """What the head gave."""
        ...

    @property
    def values(self) -> tuple[float, ...]:
        """The same transformed."""
        ...

    @property
    def reward(self) -> float:
        """What comes of them."""
        ...

    @property
    def redundancy(self) -> float | None:
        """None where the family gives none."""
        ...


class Case(Struct, frozen=True):
    """The texts of a case that an encoder takes; `also` is what it reads beside problem and steps."""

    problem: str
    steps: tuple[str, ...]
    also: tuple[str | None, ...] = ()


class XrayToken(Struct):
    """One token: `index` in its sequence, `sequence` and `step` are 0-based.

    `part` says whose text it is; `step` is the step's, or that whose reward is read here. `text` may be a part of a
    letter, written as bytes. Logits, values, reward and redundancy are None where nothing is read or nothing was run.
    """

    sequence: int
    index: int
    id: int
    text: str
    part: TokenPart
    step: int | None
    read: bool
    logits: list[float | None] | None = None
    values: list[float | None] | None = None
    reward: float | None = None
    redundancy: float | None = None
    warning: str = ""


class Xray(Struct, frozen=True):
    """All tokens of the first `steps` steps of a case, all of them unless it is `refused` for the reason given."""

    tokens: list[XrayToken]
    steps: int
    refused: str = ""
    warnings: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Return the X-ray as a JSON object."""
        return {**asdict(self), "tokens": [asdict(token) for token in self.tokens]}


def longest(encode: Encoder, case: Case) -> tuple[Encoded | None, int, str]:
    """Encode a case, or as many of its first steps as are not refused; how many; and why not all."""
    reason = ""
    for number in range(len(case.steps), 0, -1):
        encoded = encode(case.problem, list(case.steps[:number]), *case.also)
        if isinstance(encoded, Encoded):
            return encoded, number, reason
        reason = reason or encoded.reason
    return None, 0, reason or "the case has no steps"


def xray(encode: Encoder, pieces: Pieces, case: Case, *, separated: bool = True) -> Xray:
    """Return the tokens of a case.

    Args:
        encode: of the adapter, with the tokenizer.
        pieces: the tokenizer's vocabulary.
        case: its texts.
        separated: whether the family reads a step at a token that is none of its text.
    """
    encoded, number, refused = longest(encode, case)
    kept_case = Case(case.problem, case.steps[:number], case.also)
    texts = {"the problem": case.problem, **{f"step {at}": text for at, text in enumerate(case.steps)}}
    warnings = list(_specials(pieces, texts))
    if encoded is None:
        return Xray([], 0, refused, warnings)
    tokens = _tokens(encoded, TokenTexts(pieces))
    _own(tokens, encoded, encode, kept_case)
    if separated:
        warnings += _merged(tokens)
        warnings += _repeated(tokens, kept_case, range(number))
    return Xray(tokens, number, refused, warnings)


def held_separators(
    encode: Encoder, pieces: Pieces, case: Case, steps: Sequence[int], *, separated: bool = True
) -> list[str]:
    """Describe how the text of these steps (0-based) is read where it holds a special token, or what ends a step.

    The arguments are those of `xray`. A case that is refused has its own reason.
    """
    encoded = encode(case.problem, list(case.steps), *case.also)
    tokens = _tokens(encoded, TokenTexts(pieces)) if separated and isinstance(encoded, Encoded) else []
    warnings: list[str] = []
    for step in steps:
        ends = list(_repeated(tokens, case, [step]))
        warnings += ends or _specials(pieces, {f"step {step}": case.steps[step]})
    return warnings


def add_numbers(case_xray: Xray, numbers: Sequence[PositionNumbers]) -> None:
    """Put what an engine gave at the positions, in the order of the steps; a number that is not finite becomes None."""
    for token, at_position in zip((token for token in case_xray.tokens if token.read), numbers, strict=True):
        token.logits = [_finite(number) for number in at_position.logits]
        token.values = [_finite(number) for number in at_position.values]
        token.reward = _finite(at_position.reward)
        token.redundancy = None if at_position.redundancy is None else _finite(at_position.redundancy)
        if token.reward is None:
            token.warning = "; ".join(filter(None, (token.warning, "the reward is not a finite number")))


def _tokens(encoded: Encoded, texts: TokenTexts) -> list[XrayToken]:
    """Every token, those that are read with the number of their step."""
    tokens, read = [], 0
    for sequence, part in enumerate(encoded.sequences):
        steps = {position: (read + at) // encoded.places for at, position in enumerate(part.positions)}
        read += len(part.positions)
        tokens += [
            XrayToken(sequence, index, token, texts(token), "layout", steps.get(index), index in steps)
            for index, token in enumerate(part.ids)
        ]
    return tokens


def _own(tokens: list[XrayToken], encoded: Encoded, encode: Encoder, case: Case) -> None:
    """Mark whose text each token is."""
    starts = [0]
    for encoded_sequence in encoded.sequences:
        starts.append(starts[-1] + len(encoded_sequence.ids))
    for step in (None, *range(len(case.steps))):
        for sequence, (start, end) in enumerate(_changed(encoded, encode, case, step)):
            for token in tokens[starts[sequence] + start : starts[sequence] + end]:
                token.part = "problem" if step is None else "step"
                token.step = step if token.step is None else token.step


def _changed(encoded: Encoded, encode: Encoder, case: Case, step: int | None) -> list[tuple[int, int]]:
    """For every sequence from where to where its ids change with the text of a step (None: of the problem)."""
    text = case.problem if step is None else case.steps[step]
    stand_in = next((letter for letter in _STAND_INS if letter not in text), "\ue000")
    steps = list(case.steps)
    if step is not None:
        steps[step] = stand_in
    other = encode(stand_in if step is None else case.problem, steps, *case.also)
    if isinstance(other, Refused) or len(other.sequences) != len(encoded.sequences):
        return [_NOTHING] * len(encoded.sequences)
    return [
        _difference(before.ids, after.ids) for before, after in zip(encoded.sequences, other.sequences, strict=True)
    ]


def _difference(ids: Sequence[int], others: Sequence[int]) -> tuple[int, int]:
    """Start and end in `ids` of what `others` does not share at its own start and end; (0, 0) if they are equal."""
    if ids == others:
        return _NOTHING
    short = min(len(ids), len(others))
    start = next((at for at in range(short) if ids[at] != others[at]), short)
    tail = next((at for at in range(short - start) if ids[-1 - at] != others[-1 - at]), short - start)
    return start, len(ids) - tail


def _specials(pieces: Pieces, texts: Mapping[str, str]) -> Iterator[str]:
    """A sentence for every text, by its name, that holds what looks like a special token."""
    for where, text in texts.items():
        for special in pieces.added:
            if special and special in text:
                yield f"{where} holds the text {special}: it is read as plain text, not as the token"


def _merged(tokens: Sequence[XrayToken]) -> Iterator[str]:
    """Mark the tokens that are read and hold text of a step, and say how many they are."""
    merged = [token for token in tokens if token.read and token.part == "step"]
    for token in merged:
        token.warning = "the separator is one token with text of the step"
    if merged:
        steps = ", ".join(str(token.step) for token in merged)
        yield f"the separator is one token with the text beside it at the end of steps {steps}"


def _repeated(tokens: Sequence[XrayToken], case: Case, steps: Sequence[int]) -> Iterator[str]:
    """A sentence for each of these steps whose text holds the separator, where all steps end in the same one."""
    ends = Counter(token.text for token in tokens if token.read)
    separator, number = ends.most_common(1)[0] if ends else ("", 0)
    if not separator.strip(" ") or number < len(case.steps):
        return
    for step in steps:
        if count := case.steps[step].count(separator):
            times = "once" if count == 1 else f"{count} times"
            yield f"step {step} holds {separator!r}, at which steps are read, {times}; only its own end is read"


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
