"""Cases judged by a network: the margin of every step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from tiny_prm.network import Network
from tiny_prm.tokenizer import Encoder

Floats = npt.NDArray[np.float64]

AT_ONCE = 32
"""Cases in a batch."""


@dataclass(frozen=True)
class Labelled:
    """A case to be judged.

    `earliest_error` is 0-based, -1 for none; `error` is its type, "" for none; `part` is what the case belongs to.
    """

    problem: str
    steps: tuple[str, ...]
    earliest_error: int
    error: str
    part: str


@dataclass(frozen=True, eq=False)
class Judged:
    """A case and, for each step, by how much "right" outweighs "wrong" in logits: the reward is its sigmoid."""

    case: Labelled
    margins: Floats

    @property
    def right(self) -> Floats:
        """The margins of the steps before the error; of all steps of a clean case."""
        return self.margins if self.case.earliest_error < 0 else self.margins[: self.case.earliest_error]

    @property
    def wrong(self) -> float:
        """The margin of the wrong step; infinite in a clean case."""
        return np.inf if self.case.earliest_error < 0 else float(self.margins[self.case.earliest_error])

    @property
    def outcome(self) -> str:
        """What comes of calling wrong the first step whose reward is under 0.5."""
        under = np.flatnonzero(self.margins < 0)
        verdict, error = int(under[0]) if under.size else -1, self.case.earliest_error
        if error < 0:
            return "clean" if verdict < 0 else "false alarm"
        if verdict < 0:
            return "missed"
        return "exact" if verdict == error else "early" if verdict < error else "late"


def judge(network: Network, encoder: Encoder, cases: Sequence[Labelled]) -> list[Judged]:
    """Judge the cases, in their order; cases of similar length go through the network together."""
    encoded = [encoder(case.problem, case.steps) for case in cases]
    order = sorted(range(len(cases)), key=lambda number: len(encoded[number].ids))
    found: dict[int, Floats] = {}
    for start in range(0, len(order), AT_ONCE):
        numbers = order[start : start + AT_ONCE]
        longest = max(len(encoded[n].ids) for n in numbers)
        ids = [[*encoded[n].ids, *[encoder.padding] * (longest - len(encoded[n].ids))] for n in numbers]
        rows = [line for line, n in enumerate(numbers) for _ in encoded[n].separators]
        columns = [at for n in numbers for at in encoded[n].separators]
        margins = network.margins(torch.tensor(ids), (torch.tensor(rows), torch.tensor(columns))).double().numpy()
        found.update(zip(numbers, _split(margins, [len(encoded[n].separators) for n in numbers]), strict=True))
    return [Judged(case, found[number]) for number, case in enumerate(cases)]


def _split(values: Floats, lengths: Sequence[int]) -> Iterator[Floats]:
    yield from np.split(values, np.cumsum(lengths)[:-1])
