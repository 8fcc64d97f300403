"""What is minimised: judging steps, judging every token of a step, and guessing the next token of a right solution.

The last two are what makes so small a network learn arithmetic at all: they say where a step goes wrong, and what
should have stood there. Sums are divided by what a row holds on average, not by what this batch holds: a batch has
rows of similar length, and an error in a short row is no more important than one in a long row.
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from tiny_prm.batches import UNJUDGED, Batch
from tiny_prm.network import Network

WRONG_WEIGHT = 2.0
TOKEN_WEIGHT = 0.3
GUESS_WEIGHT = 0.5

STEPS_A_ROW, TOKENS_A_ROW, GUESSES_A_ROW = 5.0, 85.0, 15.0
"""About how many labelled steps, their tokens, and how much weight of guesses a row has."""


def loss(network: Network, batch: Batch) -> Tensor:
    """The loss of a batch, a float32 scalar."""
    rows = len(batch.ids)
    states = network.states(batch.ids)
    tokens = (batch.judgements != UNJUDGED) & ~batch.separators
    steps_judged = _judging(network, states, batch.judgements, batch.separators) / (rows * STEPS_A_ROW)
    tokens_judged = _judging(network, states, batch.judgements, tokens) / (rows * TOKENS_A_ROW)
    guessed = _guessing(network, states, batch) / (rows * GUESSES_A_ROW)
    return steps_judged + TOKEN_WEIGHT * tokens_judged + GUESS_WEIGHT * guessed


def _judging(network: Network, states: Tensor, judgements: Tensor, at: Tensor) -> Tensor:
    weights = torch.tensor([WRONG_WEIGHT, 1.0])
    return cross_entropy(network.score(states[at]), judgements[at], weights, reduction="sum")


def _guessing(network: Network, states: Tensor, batch: Batch) -> Tensor:
    at = batch.guesses[:, 1:] > 0
    surprise = cross_entropy(network.next_tokens(states[:, :-1][at]), batch.ids[:, 1:][at], reduction="none")
    return (surprise * batch.guesses[:, 1:][at]).sum()
