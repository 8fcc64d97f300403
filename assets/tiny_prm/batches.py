"""Training examples to tensors: what is judged, what is guessed, and with which weight."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

import torch
from torch import Tensor

from generator.stream import Example
from tiny_prm.tokenizer import Encoder

DIGIT, WORD = 1.0, 0.2
"""Weights of guessing a digit and any other token of a step: the words of a step are mostly a matter of taste."""
UNJUDGED = -100
POOL = 16
"""Batches that are sorted by length together, so that little of a batch is padding."""


@dataclass(frozen=True)
class Row:
    """One example; every tuple has an entry a token. See `Batch`."""

    ids: tuple[int, ...]
    judgements: tuple[int, ...]
    guesses: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows padded on the right, each tensor [rows, tokens].

    `ids`: int64. `judgements`: int64, 1 where all of the step so far is right, 0 where something in it is wrong,
    `UNJUDGED` where nothing is said. `separators`: bool, the judgements that count most. `guesses`: float32, the
    weight with which the token is to be guessed from those before it.
    """

    ids: Tensor
    judgements: Tensor
    separators: Tensor
    guesses: Tensor


def row(encoder: Encoder, example: Example) -> Row:
    """An example with its targets.

    A wrong step is right up to the first token that holds its first wrong character, and is guessed up to there. Of a
    drill only the results are guessed, as nothing foretells the rest. The row ends with the last step that has a label:
    attention looks back only, so what follows would change nothing.
    """
    labels = [label for label in example.labels if label is not None]
    encoded = encoder(example.problem, example.steps[: len(labels)])
    judgements, guesses = [UNJUDGED] * len(encoded.ids), [0.0] * len(encoded.ids)
    for step, label in enumerate(labels):
        wrong_from = len(example.steps[step]) if label else example.bad_from[step]
        guessed_from = example.result_from[step] if example.drill else 0
        for token, end in enumerate(encoded.ends[step], start=encoded.starts[step]):
            right = end <= wrong_from
            judgements[token] = int(right)
            if right and end > guessed_from:
                guesses[token] = DIGIT if encoded.ids[token] in encoder.digits else WORD
        judgements[encoded.separators[step]] = int(label)
    return Row(encoded.ids, tuple(judgements), tuple(guesses))


def batch(rows: Sequence[Row], encoder: Encoder) -> Batch:
    """The rows as tensors."""
    longest = max(len(each.ids) for each in rows)

    def padded(values: Sequence[Sequence[float]], filler: float, dtype: torch.dtype) -> Tensor:
        return torch.tensor([[*line, *[filler] * (longest - len(line))] for line in values], dtype=dtype)

    ids = padded([each.ids for each in rows], encoder.padding, torch.int64)
    judgements = padded([each.judgements for each in rows], UNJUDGED, torch.int64)
    guesses = padded([each.guesses for each in rows], 0.0, torch.float32)
    return Batch(ids, judgements, (ids == encoder.separator) & (judgements != UNJUDGED), guesses)


def batches(examples: Iterable[Example], encoder: Encoder, size: int, rng: Random) -> Iterator[Batch]:
    """Batches of `size` examples of similar length, without end if the examples are; `rng` settles their order."""
    stream = iter(examples)
    while pool := list(islice(stream, POOL * size)):
        rows = sorted((row(encoder, example) for example in pool), key=lambda each: len(each.ids))
        groups = [rows[at : at + size] for at in range(0, len(rows), size)]
        rng.shuffle(groups)
        for group in groups:
            yield batch(group, encoder)
