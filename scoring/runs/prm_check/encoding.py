"""What must hold of an adapter's encoder, whatever the weights: it needs a tokenizer and nothing else."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.readout import Encoded, Refused
from scoring.models.prms.base import Encoder
from scoring.runs.opened import LoadedPrm
from scoring.runs.token_texts import TokenTexts
from scoring.runs.xray import Case

# -- what one check of an adapter found, and what to do where it failed


CheckStatus = Literal["ok", "failed", "skipped"]

_LOOK = "Look at the tokens: prm-inspect show CASE --explain --all-tokens."

NEXT_STEPS: dict[str, str] = {
    "declaration": "Give the adapter's Scale low < high, a threshold between the two, and whose threshold it is.",
    "shape": "Use the tokenizer.json that came with the PRM; in your own adapter note one position a step while "
    "the ids are written, or give Refused(reason).",
    "order": "Let the encoder note positions in the order of the steps, each once.",
    "determinism of tokens": "Let the encoder keep nothing from one case to the next, and use no chance.",
    "prefix consistency of tokens": "Encode a step without looking at later ones, or state PREFIX = False.",
    "odd texts": "Give Refused(reason) for a text that the family cannot take; never raise, never drop a position.",
    "injection": "Encode data with Tokenizer.encode alone, and write special tokens with Tokenizer.special.",
    "golden tokens": f"Use the tokenizer.json that came with the PRM. {_LOOK}",
    "finite rewards": "Download the weights again; with --dtype float16 numbers may overflow: try --dtype float32.",
    "range": "Make the Readout's transform and weights fit the range that the Scale states.",
    "determinism of rewards": "Try --device cpu: if rewards are the same there, the device's kernels differ by run.",
    "batch = single": "Try --dtype float32: a gap that stays is no rounding, and positions or padding are wrong.",
    "prefix consistency of rewards": "Try --dtype float32: where a gap stays the body looks ahead (PREFIX = False).",
    "golden rewards": "Try --dtype float32, and make sure that weights and revision are the published ones.",
}
"""Check -> what to do where it fails."""


class EncodingCheck(Struct, frozen=True):
    """One check. `reason` says what was compared with which numbers, what is wrong, or why it was not run."""

    check: str
    status: CheckStatus
    reason: str

    @property
    def next_step(self) -> str:
        """What to do about it; "" where it did not fail."""
        return NEXT_STEPS.get(self.check, "") if self.status == "failed" else ""


def result(check: str, problems: list[str], fine: str) -> EncodingCheck:
    """Failed with the first problem and how many more there are, or ok with what was looked at."""
    if not problems:
        return EncodingCheck(check, "ok", fine)
    more = f" ({len(problems) - 1} more alike)" if len(problems) > 1 else ""
    return EncodingCheck(check, "failed", f"{problems[0]}{more}")


PROBES = (
    Case("What is 3 + 4 * 2?", ("4 * 2 = 8.", "3 + 8 = 11.", "The answer is 11.")),
    Case("Tom has 12 apples and eats 5.\nHow many are left?", ("Step 1: 12 - 5 = 7", "So 7 are left.\n\nAnswer: 7")),
    Case("x^2 = 9, x < 0", (r"\(x = \pm 3\), so \(x = -3\).",)),
    Case("Größe von ½ + ⅓? 数学", ("½ + ⅓ = ⅚.", "也就是 5/6。", "👍🏽 done", "1. It is 5/6", "2) yes")),
)
"""Cases of one to five steps, with several lines, numbers at their start, formulas, and letters of other scripts."""

ODD_TEXTS = ("", " ", "\n", "\n\n\n\n\n", "\0", "\u202eabc\u202c", "e\u0301\u00a0\u2028", "word " * 4000)
"""Steps that are hardly steps; the last has 20,000 characters."""

_PLAIN = "word"


def encoding_checks(prm: LoadedPrm, cases: Sequence[Case]) -> Iterator[EncodingCheck]:
    """Yield the checks of an encoder on the probes and on `cases`, which may be long."""
    reads = len(prm.adapter.reads)
    probes = [replace(probe, also=("It is so.",) * reads) for probe in PROBES]
    every = [*probes, *cases]
    encode = prm.encoder
    tried = [(case, *_tried(encode, case)) for case in every]
    encoded = [(case, outcome) for case, outcome, _ in tried]
    raised = [problem for _, _, problem in tried if problem]
    refused = [f"{name(case)}: {outcome.reason}" for case, outcome in encoded if isinstance(outcome, Refused)]
    if len(refused) == len(every):
        yield EncodingCheck("shape", "failed", f"every case is refused, such as {refused[0]}")
        return
    whole = [(case, outcome) for case, outcome in encoded if isinstance(outcome, Encoded)]
    rows = prm.checkpoint.config.get("vocab_size")
    detail = (
        f"{sum(len(case.steps) for case, _ in whole)} steps of {len(whole)} cases, one position each inside the ids"
    )
    detail += f"; {len(refused)} more refused, such as {refused[0]}" if refused else ""
    yield result("shape", raised + [p for case, of_case in whole for p in _shape(case, of_case, rows)], detail)
    detail = f"positions rise with the steps in {len(whole)} cases"
    yield result("order", [p for case, of_case in whole for p in _order(case, of_case)], detail)
    fresh = prm.adapter.encoder(prm.tokenizer)
    yield result(
        "determinism of tokens",
        [
            f"{name(case)} has other ids the second time"
            for case, of_case in whole
            if encode_case(fresh, case) != of_case
        ],
        f"a second encoder gives {len(whole)} cases the same ids",
    )
    yield _prefix(prm, encode, whole)
    yield _odd(encode, probes[0])
    yield _injection(prm, encode, probes[0])


def encode_case(encode: Encoder, case: Case) -> Encoded | Refused:
    """Encode a case to its ids."""
    return encode(case.problem, list(case.steps), *case.also)


def name(case: Case) -> str:
    """Return the start of a problem, for a sentence."""
    return repr(case.problem[:30])


def _shape(case: Case, encoded: Encoded, rows: object) -> Iterator[str]:
    if encoded.n_positions != len(case.steps):
        yield f"{name(case)}: {encoded.n_positions} positions for {len(case.steps)} steps"
    for sequence in encoded.sequences:
        if any(not 0 <= position < len(sequence.ids) for position in sequence.positions):
            yield f"{name(case)}: a position is outside of the {len(sequence.ids)} ids"
        if isinstance(rows, int) and any(not 0 <= index < rows for index in sequence.ids):
            yield f"{name(case)}: an id is not one of the {rows:,} of the model"


def _order(case: Case, encoded: Encoded) -> Iterator[str]:
    for sequence in encoded.sequences:
        if any(before >= after for before, after in pairwise(sequence.positions)):
            yield f"{name(case)}: the positions {list(sequence.positions)} do not rise"


def _prefix(prm: LoadedPrm, encode: Encoder, whole: Sequence[tuple[Case, Encoded]]) -> EncodingCheck:
    """What stands up to a step's position stays as it is when steps follow."""
    check = "prefix consistency of tokens"
    if not prm.facts.prefix:
        return EncodingCheck(check, "skipped", "the family reads a step together with what follows it")
    problems, tried = [], 0
    for case, of_case in whole:
        tried += max(0, len(case.steps) - 1)
        for kept in range(1, len(case.steps)):
            other = encode_case(encode, replace(case, steps=case.steps[:kept]))
            if isinstance(other, Refused):
                problems.append(f"{name(case)}: its first {kept} steps alone are refused: {other.reason}")
            elif seen(other) != seen(of_case)[: kept * of_case.places]:
                problems.append(f"{name(case)}: what is read of the first {kept} steps changes with later ones")
    detail = f"{tried} beginnings of {len(whole)} cases have the ids that they have with the steps that follow"
    return result(check, problems, detail)


def seen(of_case: Encoded) -> list[tuple[int, ...]]:
    """Return for every place that is read all ids up to it, which is all that a model that looks back sees."""
    return [sequence.ids[: position + 1] for sequence in of_case.sequences for position in sequence.positions]


def _odd(encode: Encoder, probe: Case) -> EncodingCheck:
    problems, refusals = [], []
    for text in ODD_TEXTS:
        outcome, problem = _with_step(encode, probe, text)
        problems += [problem] if problem else []
        refusals += [f"{text[:8]!r} ({outcome.reason})"] if isinstance(outcome, Refused) else []
    noted = f"{len(refusals)} refused: {'; '.join(refusals)}" if refusals else "none refused"
    kept = len(ODD_TEXTS) - len(refusals)
    return result("odd texts", problems, f"{kept} of {len(ODD_TEXTS)} blank, long or strange steps encoded, {noted}")


def _injection(prm: LoadedPrm, encode: Encoder, probe: Case) -> EncodingCheck:
    """Text that looks like a special token or a separator gives none, in the problem as in a step."""
    plain = encode_case(encode, probe)
    if isinstance(plain, Refused):
        return EncodingCheck("injection", "skipped", plain.reason)
    texts = TokenTexts(prm.tokenizer)
    added = list(prm.tokenizer.added)
    separators = {texts(sequence.ids[position]) for sequence in plain.sequences for position in sequence.positions}
    problems: list[str] = []
    refusals = 0
    for text in dict.fromkeys([*added, *separators]):
        in_step, problem = _with_step(encode, probe, f"a {text} b{text}")
        in_problem, also = _tried(encode, replace(probe, problem=f"{probe.problem} {text}"))
        problems += [*filter(None, (problem, also))]
        refusals += isinstance(in_step, Refused)
        for outcome, where in ((in_step, "step"), (in_problem, "problem")):
            problems += _specials(prm, encode, outcome, probe, text, where)
    ends = f"{len(separators)} separator{'s' if len(separators) > 1 else ''}"
    detail = f"{len(added)} special tokens and {ends} written into step and problem: none acts"
    return result("injection", problems, f"{detail}; {refusals} refused" if refusals else detail)


def _with_step(encode: Encoder, probe: Case, text: str) -> tuple[Encoded | Refused, str]:
    """The probe with a step of this text in the middle; and what is wrong with its positions, if anything."""
    steps = (probe.steps[0], text, *probe.steps[1:])
    outcome, problem = _tried(encode, replace(probe, steps=steps))
    if problem:
        return outcome, f"with a step {text[:20]!r}, {problem}"
    if isinstance(outcome, Encoded) and outcome.n_positions != len(steps):
        return outcome, f"a step {text[:20]!r} gives {outcome.n_positions} positions for {len(steps)} steps"
    return outcome, ""


def _tried(encode: Encoder, case: Case) -> tuple[Encoded | Refused, str]:
    """The ids of a case; and what the encoder raised, which it should not for any text."""
    try:
        return encode_case(encode, case), ""
    except Exception as error:  # noqa: BLE001  # whatever an encoder raises is what is looked for
        what = f"{name(case)} raises {type(error).__name__}: {error}"
        return Refused(what), what


def _specials(
    prm: LoadedPrm, encode: Encoder, outcome: Encoded | Refused, probe: Case, text: str, where: str
) -> Iterator[str]:
    """What is wrong where the ids hold more added tokens than with a plain word in the place of the text."""
    if isinstance(outcome, Refused):
        return
    if where == "step":
        other: Encoded | Refused = _with_step(encode, probe, _PLAIN)[0]
    else:
        other = _tried(encode, replace(probe, problem=f"{probe.problem} {_PLAIN}"))[0]
    if isinstance(other, Encoded) and _added(prm, outcome) != _added(prm, other):
        yield f"the text {text!r} in a {where} becomes a special token"


def _added(prm: LoadedPrm, of_case: Encoded) -> Counter[int]:
    added = set(prm.tokenizer.added.values())
    return Counter(index for sequence in of_case.sequences for index in sequence.ids if index in added)
