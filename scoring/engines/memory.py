"""How many tokens a batch may have in the memory that there is."""

CPU_TOKENS = 2048
"""Tokens of a batch on a CPU: enough to fill a matrix product, few enough for its caches and for little padding."""
_FEWEST, _MOST = 256, 32_768
"""Below, every longer case is a batch of its own anyway; above, a device has long been busy and padding only grows."""
_SHARE = 0.8
"""Of the free memory: allocators round up, and attention needs some of its own."""
_ROWS = 64
"""Positions whose logits over a whole vocabulary are in memory at a time."""


def tokens_that_fit(free: int, *, hidden: int, inner: int, bytes_each: int, vocabulary: int = 0) -> int:
    """The tokens of a batch, padding included.

    Args:
        free: bytes of memory beside the weights.
        hidden: width of the body.
        inner: width of its feed-forward layers.
        bytes_each: of one number of the dtype that is computed in.
        vocabulary: tokens of the vocabulary, where all of their logits are needed at the positions read; else 0.

    Nothing is kept from layer to layer but the residual stream, so the number of layers does not count. At its widest
    a layer holds about eight vectors of `hidden` (residual, norm, queries, keys, values, output and copies), four of
    `inner` (gate, up, product, activation), and two of `hidden` in float32 for the norm.
    """
    logits = _ROWS * vocabulary * (bytes_each + 2 * 4)
    each = bytes_each * (8 * hidden + 4 * inner) + 2 * 4 * hidden
    return max(_FEWEST, min(_MOST, int((free * _SHARE - logits) // each)))
