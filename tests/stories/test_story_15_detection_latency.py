"""Detection latency: early left, late right, missed at the end; they add up to the erroneous cases with a verdict."""

import re
from functools import partial

from at_the_terminal import eventually, pressed, printed, shown, unframed
from under_pilot import app


def lists(screen: str, n: int) -> str:
    """The screen, where it lists so many of the demo's cases."""
    assert f" {n} of 240 cases" in screen.splitlines()[0], screen
    return screen


def test_bars_and_missed_add_up_and_open_their_cases(tmp_path):
    rows = printed("breakdown", "--benchmark", "demo", "--scorer", "tiny-prm-m", "--of", "offset", cwd=tmp_path)
    counts = {(row["outcome"], row["offset"]): row["value"] for row in rows if row["metric"] == "count"}
    with app("--benchmark", "demo", cwd=tmp_path, size=(150, 40)) as terminal:
        shown(terminal, "240 cases", "? help")
        pressed(terminal, "g d", "]", "]", "]")
        screen = shown(terminal, "lie from the earliest error", "erroneous with a verdict")
        lines = unframed(screen).splitlines()
        at = next(at for at, line in enumerate(lines) if re.search(r"-1 +0 +\+1", line))
        names, bars = lines[at].split(), [int(word) for word in lines[at + 1].split()]
        assert names[-1] == "missed"
        assert len(names) == len(bars)
        offsets = [int(name.lstrip("<>=")) for name in names[:-1]]
        assert offsets == sorted(offsets)
        assert sum(bars) == sum(counts.values()) == 144
        assert bars[-1] == counts["missed", None]
        assert bars[offsets.index(0)] == counts["exact", 0]
        pressed(terminal, *["l"] * sum(1 for one in bars[: offsets.index(0)] if one))
        shown(terminal, f"Enter: {bars[offsets.index(0)]} cases: exact")
        pressed(terminal, "enter")
        eventually(terminal, partial(lists, n=bars[offsets.index(0)]))
