"""What one check of an adapter found, and what to do where it failed."""

from typing import Literal

from msgspec import Struct

Status = Literal["ok", "failed", "skipped"]

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


class Result(Struct, frozen=True):
    """One check. `reason` says what was compared with which numbers, what is wrong, or why it was not run."""

    check: str
    status: Status
    reason: str

    @property
    def next_step(self) -> str:
        """What to do about it; "" where it did not fail."""
        return NEXT_STEPS.get(self.check, "") if self.status == "failed" else ""


def result(check: str, problems: list[str], fine: str) -> Result:
    """Failed with the first problem and how many more there are, or ok with what was looked at."""
    if not problems:
        return Result(check, "ok", fine)
    more = f" ({len(problems) - 1} more alike)" if len(problems) > 1 else ""
    return Result(check, "failed", f"{problems[0]}{more}")
