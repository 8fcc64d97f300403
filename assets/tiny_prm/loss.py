"""What is minimised: judging steps, judging every token of a step, and guessing the next token of a right solution.

The last two are what makes so small a network learn arithmetic at all: they say where a step goes wrong, and what
should have stood there.
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from tiny_prm.batches import UNJUDGED, Batch
from tiny_prm.network import Network

WRONG_WEIGHT = 2.0
TOKEN_WEIGHT = 0.3
GUESS_WEIGHT = 0.5


def loss(network: Network, batch: Batch) -> Tensor:
    """The loss of a batch, a float32 scalar."""
    states = network.states(batch.ids)
    tokens = (batch.judgements != UNJUDGED) & ~batch.separators
    return (
        _judging(network, states, batch.judgements, batch.separators)
        + TOKEN_WEIGHT * _judging(network, states, batch.judgements, tokens)
        + GUESS_WEIGHT * _guessing(network, states, batch)
    )


def _judging(network: Network, states: Tensor, judgements: Tensor, at: Tensor) -> Tensor:
    weights = torch.tensor([WRONG_WEIGHT, 1.0])
    return cross_entropy(network.score(states[at]), judgements[at], weights)


def _guessing(network: Network, states: Tensor, batch: Batch) -> Tensor:
    at = batch.guesses[:, 1:] > 0
    weights = batch.guesses[:, 1:][at]
    surprise = cross_entropy(network.next_tokens(states[:, :-1][at]), batch.ids[:, 1:][at], reduction="none")
    return (surprise * weights).sum() / weights.sum()
