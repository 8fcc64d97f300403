"""Over how many devices vLLM cuts one model."""

from collections.abc import Mapping
from typing import Any


def tensor_parallel(config: Mapping[str, Any], devices: int) -> int:
    """The most of the visible devices that a model can be cut over (vLLM's tensor_parallel_size), at least 1.

    Query heads and the feed-forward width are dealt out evenly. Heads of keys and values are dealt out too, or where
    there are fewer than devices each is copied to the same number of them. `config` is the model's config.json; what it
    does not say is taken to fit.
    """
    heads = _number(config, "num_attention_heads", devices)
    shared = _number(config, "num_key_value_heads", heads)
    inner = _number(config, "intermediate_size", 0)
    fits = (
        count
        for count in range(max(1, devices), 1, -1)
        if heads % count == 0 and inner % count == 0 and (shared % count == 0 or count % shared == 0)
    )
    return next(fits, 1)


def _number(config: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = config.get(name)
    return value if isinstance(value, int) and value > 0 else otherwise
