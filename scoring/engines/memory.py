"""What memory there is, and how many tokens a batch may have in it."""

import os
import subprocess
from pathlib import Path

CPU_TOKENS = 2048
"""Tokens of a batch on a CPU: enough to fill a matrix product, few enough for its caches and for little padding."""
MOST_TOKENS = 16_384
"""Tokens of a batch on a card: an H100 runs a 7B model no faster with more, and padding only grows."""
_FEWEST = 256
"""Below, every longer case is a batch of its own anyway."""
_SHARE = 0.8
"""Of the free memory: allocators round up, and attention needs some of its own."""
_ROWS = 64
"""Positions whose logits over a whole vocabulary are in memory at a time."""


def tokens_that_fit(free: int, *, hidden: int, inner: int, bytes_each: int, vocabulary: int = 0) -> int:
    """Count the tokens that fit into a batch, padding included.

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
    return max(_FEWEST, min(MOST_TOKENS, int((free * _SHARE - logits) // each)))


def free_on_cpu(system: Path = Path("/")) -> int | None:
    """Return the bytes that this process can still have, swap included and a container's limit heeded; None where
    nobody says.

    `system` is where the files of the kernel are.
    """
    memory = _numbers(system / "proc/meminfo")
    if "MemAvailable" not in memory:
        return None
    free = [1024 * (memory["MemAvailable"] + memory.get("SwapFree", 0))]
    groups = system / "sys/fs/cgroup"
    own = Path(_group(system / "proc/self/cgroup"))
    # Any group around our own may have the limit: a batch system sets it for the job, and runs its steps within.
    for group in (groups / inner for inner in (own, *own.parents)):
        # What files of the disk hold there is given back when it is needed.
        limit = _text(group / "memory.max").strip()
        if limit.isdigit():
            free.append(int(limit) - _numbers(group / "memory.stat").get("anon", 0))
    return max(0, min(free))


def _group(path: Path) -> str:
    lines = [line.partition("::")[2] for line in _text(path).splitlines() if line.startswith("0::")]
    return lines[0].strip("/") if lines else ""


def _numbers(path: Path) -> dict[str, int]:
    """The lines `name number` or `name: number kB` of a file; nothing where it is not there."""
    rows = [line.replace(":", " ").split() for line in _text(path).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def free_on_cards() -> list[int]:
    """Free bytes of each CUDA device that a process here would see, in its order; [] where nobody says."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    command = ["nvidia-smi", "--query-gpu=name,memory.free", "--format=csv,noheader,nounits"]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.splitlines()
        cards = [(name, int(free) << 20) for name, _, free in (line.rpartition(", ") for line in lines)]
        # Named by their place they are known by it; by an identifier, or a part of a card, they are not.
        places = range(len(cards)) if visible is None else [int(place) for place in visible.split(",") if place.strip()]
        if any(place < 0 for place in places):
            return []
        # CUDA counts the fastest first, unless it is told to count as the driver does: of equal ones that is the same.
        if len({name for name, _ in cards}) > 1 and os.environ.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID":
            return []
        return [cards[place][1] for place in places]
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return []
