"""Checkpoints on disk: weights in half precision, config, tokenizer, and nothing that has to be executed."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from tiny_prm.network import Network
from tiny_prm.recipes import POSITIONS
from tiny_prm.tokenizer import CHAT_TEMPLATE, PADDING, SPECIALS, TURN_END, Encoder

WEIGHTS, CONFIG, TOKENIZER, TOKENIZER_CONFIG = (
    "model.safetensors",
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
)
FILES = (CONFIG, WEIGHTS, TOKENIZER, TOKENIZER_CONFIG)


def save(folder: Path, network: Network, config: dict[str, Any], tokenizer: Tokenizer) -> None:
    """Write the four files; equal arguments give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().half().contiguous() for name, value in network.state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    tokenizer.save(str(folder / TOKENIZER), pretty=False)
    _write(folder / CONFIG, config)
    _write(
        folder / TOKENIZER_CONFIG,
        {
            "tokenizer_class": "Qwen2Tokenizer",
            "model_max_length": POSITIONS,
            "add_prefix_space": False,
            "bos_token": None,
            "eos_token": TURN_END,
            "pad_token": PADDING,
            "unk_token": None,
            "additional_special_tokens": [token for token in SPECIALS if token not in {PADDING, TURN_END}],
            "clean_up_tokenization_spaces": False,
            "chat_template": CHAT_TEMPLATE,
        },
    )


def load(folder: Path) -> tuple[Network, Encoder]:
    """The network, its half-precision weights computed with in float32, and the encoder of a checkpoint.

    Raises:
        RuntimeError: a weight is missing, unexpected, or of another shape.
    """
    network = Network(json.loads((folder / CONFIG).read_bytes()))
    network.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS).items()})
    return network.eval(), Encoder(Tokenizer.from_file(str(folder / TOKENIZER)))


def rounded(network: Network) -> None:
    """Round the weights to what a checkpoint can hold, in place."""
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_(weight.half().float())


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file."""
    return {name: sha256((folder / name).read_bytes()).hexdigest() for name in FILES}


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8", newline="\n")
