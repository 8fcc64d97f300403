"""Tiny LoRA adapters over the tiny checkpoints, in the layout that the library peft saves."""

import json

import numpy as np

import checkpoints

RANK, ALPHA = 4, 8
LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def config(**changes):
    """What peft 0.13 writes, with its defaults."""
    return {
        "alpha_pattern": {},
        "auto_mapping": None,
        "base_model_name_or_path": "",
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "init_lora_weights": True,
        "layer_replication": None,
        "layers_pattern": None,
        "layers_to_transform": None,
        "loftq_config": {},
        "lora_alpha": ALPHA,
        "lora_dropout": 0.1,
        "megatron_config": None,
        "megatron_core": "megatron.core",
        "modules_to_save": None,
        "peft_type": "LORA",
        "r": RANK,
        "rank_pattern": {},
        "revision": None,
        "target_modules": list(LINEAR),
        "task_type": "CAUSAL_LM",
        "use_dora": False,
        "use_rslora": False,
        **changes,
    }


def factors(seed=5, base=None, size=0.1):
    """Peft's name -> float32 array: A [rank, inputs] and B [outputs, rank] of every linear layer of the body."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, array in (base or checkpoints.tensors()).items():
        module = name.removesuffix(".weight")
        if name.endswith(".weight") and module.rpartition(".")[2] in LINEAR:
            outputs, inputs = array.shape
            key = f"base_model.model.{module}"
            found[f"{key}.lora_A.weight"] = rng.normal(0, size, (RANK, inputs)).astype(np.float32)
            found[f"{key}.lora_B.weight"] = rng.normal(0, size, (outputs, RANK)).astype(np.float32)
    return found


def write(folder, arrays=None, **changes):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(config(**changes)))
    checkpoints.write_weights(folder / "adapter_model.safetensors", factors() if arrays is None else arrays)
    return folder
