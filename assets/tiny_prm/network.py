"""The network: the stock Qwen2 body with the two-layer head of Qwen's PRMs over every position."""

from typing import Any

import torch
from torch import Tensor, nn
from transformers import Qwen2Config, Qwen2Model

from tiny_prm.recipes import POSITIONS, VOCABULARY, Recipe
from tiny_prm.tokenizer import PADDING, SPECIALS, TURN_END

GOOD = 1
"""The class of a right step; 0 is a wrong one."""


def config_of(recipe: Recipe) -> dict[str, Any]:
    """What `config.json` says."""
    first_special = VOCABULARY - len(SPECIALS)
    return {
        "architectures": ["Qwen2ForProcessRewardModel"],
        "model_type": "qwen2",
        "num_labels": 2,
        "vocab_size": VOCABULARY,
        "hidden_size": recipe.hidden,
        "num_hidden_layers": recipe.layers,
        "num_attention_heads": recipe.heads,
        "num_key_value_heads": recipe.heads,
        "intermediate_size": recipe.intermediate,
        "hidden_act": "silu",
        "max_position_embeddings": POSITIONS,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "use_sliding_window": False,
        "attention_dropout": 0.0,
        "tie_word_embeddings": True,
        "use_cache": False,
        "bos_token_id": first_special + SPECIALS.index(PADDING),
        "pad_token_id": first_special + SPECIALS.index(PADDING),
        "eos_token_id": first_special + SPECIALS.index(TURN_END),
        "torch_dtype": "float16",
        # Trained without a system turn; the Qwen adapter would write the published models' own.
        "system_prompt": "",
    }


class Network(nn.Module):
    """Body and head; the names of its parameters are the names in the checkpoint."""

    def __init__(self, config: dict[str, Any]) -> None:
        """Take the content of a `config.json`; the weights are random."""
        super().__init__()
        settings = Qwen2Config(**{name: value for name, value in config.items() if name != "torch_dtype"})
        hidden = config["hidden_size"]
        self.model = Qwen2Model(settings)
        self.score = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, config["num_labels"]))

    def states(self, ids: Tensor) -> Tensor:
        """The last hidden states, float32 [cases, tokens, hidden], of ids padded on the right, int64 [cases, tokens].

        No mask is needed: attention looks back only, so padding on the right reaches nothing that is read.
        """
        states: Tensor = self.model(input_ids=ids, use_cache=False).last_hidden_state
        return states

    def next_tokens(self, states: Tensor) -> Tensor:
        """Logits for the token after each state, over the vocabulary, by the input embedding; used in training only."""
        return states @ self.get_parameter("model.embed_tokens.weight").T

    @torch.inference_mode()
    def margins(self, ids: Tensor, at: tuple[Tensor, Tensor]) -> Tensor:
        """By how much "right" outweighs "wrong" at the positions `at` (rows, columns), in logits, float32."""
        logits: Tensor = self.score(self.states(ids)[at])
        return logits[:, GOOD] - logits[:, 1 - GOOD]

    @torch.no_grad()
    def shift(self, margin: float) -> None:
        """Take this much from every margin."""
        self.get_parameter("score.2.bias")[GOOD] -= margin
