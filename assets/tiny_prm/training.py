"""The training loop: Muon for the matrices of the body, AdamW for the rest, one thread, a fixed number of steps."""

from collections.abc import Callable
from random import Random

import torch
from torch import nn
from torch.optim import AdamW, Muon, Optimizer

from generator.stream import examples
from tiny_prm.batches import batches
from tiny_prm.loss import loss
from tiny_prm.network import Network, config_of
from tiny_prm.recipes import TRAINING_SEED, Recipe, drills
from tiny_prm.tokenizer import Encoder

WARM_UP = 100
LEAST = 0.02
"""The last step's learning rate, as a share of the recipe's."""


def rate(recipe: Recipe, step: int) -> float:
    """The learning rate at a 0-based step: warm-up, constant to half of the training, then straight down to `LEAST`."""
    left = (recipe.steps - step) / (recipe.steps / 2)
    return recipe.rate * min(1.0, (step + 1) / WARM_UP, LEAST + (1 - LEAST) * left)


def train(recipe: Recipe, encoder: Encoder, report: Callable[[int, float], None]) -> Network:
    """A network trained from nothing. `report` gets each step's 0-based number and its loss.

    Sets the process to one thread: sums depend on how many threads share them.
    """
    torch.set_num_threads(1)
    torch.manual_seed(recipe.seed)
    network = Network(config_of(recipe)).train()
    optimizers = optimizers_of(network, recipe)
    stream = examples(TRAINING_SEED, drills=lambda index: drills(recipe, index))
    rounds = batches(stream, encoder, recipe.batch, Random(recipe.seed))
    for step, batch in zip(range(recipe.steps), rounds, strict=False):
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate(recipe, step)
        network.zero_grad(set_to_none=True)
        value = loss(network, batch)
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        report(step, value.item())
    return network.eval()


def optimizers_of(network: Network, recipe: Recipe) -> tuple[Optimizer, Optimizer]:
    """Muon for the layers' matrices; AdamW for embedding, head, norms and biases."""
    matrices = [weight for weight in network.model.layers.parameters() if weight.ndim == 2]
    chosen = {id(weight) for weight in matrices}
    rest = [weight for weight in network.parameters() if id(weight) not in chosen]
    return (
        Muon(matrices, lr=recipe.rate, weight_decay=0.01, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
        AdamW(rest, lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.01),
    )
