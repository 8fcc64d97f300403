"""Which steps are shown whole, cut, or folded into one line with others."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from inspector.case_view.manner import Stop
from inspector.case_view.open_case import OpenCase

FEWEST = 2
"""Steps that are worth folding into one line."""


class Item(Struct, frozen=True):
    """Steps (0-based) that are shown together: one step in at most `lines` lines (0 = all), or several as one line."""

    steps: range
    lines: int = 0

    @property
    def run(self) -> bool:
        """Whether it stands for several."""
        return len(self.steps) > 1


def items(shown: OpenCase, heights: Sequence[int]) -> list[Item]:
    """All steps in their order; `heights` are the lines that each takes when it is shown whole.

    Folded are the steps before the first that anybody names, where that was asked for; and what lies between the gold
    and the predicted step, where these would not be on the screen together.
    """
    turned = shown.manner.turned
    whole = [0] * len(heights)
    runs = [run for run in _runs(shown, heights) if Stop("run", run.start) not in turned]
    limits = _limits(shown, heights, runs, whole)
    found: list[Item] = []
    step = 0
    while step < len(heights):
        run = next((run for run in runs if run.start == step), None)
        if run is not None:
            found.append(Item(run))
            step = run.stop
            continue
        folded = limits[step]
        if Stop("step", step) in turned:
            folded = 0 if folded else 1
        found.append(Item(range(step, step + 1), folded))
        step += 1
    return found


def prefix(shown: OpenCase) -> range:
    """The steps before the first that gold or any scorer here names, less the one before it; maybe too few to fold."""
    named = [] if shown.manner.blind else shown.named_steps
    return range(max(0, named[0] - 1)) if named else range(0)


def _runs(shown: OpenCase, heights: Sequence[int]) -> list[range]:
    before = prefix(shown) if shown.manner.prefix else range(0)
    runs = [before] if len(before) >= FEWEST else []
    first, last = _ends(shown)
    if sum(heights[first:last]) + 1 > shown.room > 0:
        stops = [step for step in shown.named_steps if first <= step <= last]
        between = [range(a + 1, b) for a, b in pairwise(stops)]
        runs += [run for run in between if len(run) >= FEWEST]
    return runs


def telling(shown: OpenCase) -> list[int]:
    """The gold step and the one that the scorer in focus names, ascending; what of it there is, and is not hidden."""
    if shown.manner.blind:
        return []
    verdict = shown.tracks[0].verdict if shown.tracks else None
    return sorted({step for step in (shown.gold, verdict) if step is not None and 0 <= step < shown.case["n_steps"]})


def _ends(shown: OpenCase) -> tuple[int, int]:
    """The earlier and the later of these steps; the same one twice where there is no other, 0 where there is none."""
    both = telling(shown) or [0]
    return both[0], both[-1]


def _limits(shown: OpenCase, heights: Sequence[int], runs: Sequence[range], whole: Sequence[int]) -> list[int]:
    """For each step the lines it is cut to, so that the gold and the predicted step are seen together; 0 = all."""
    limits = list(whole)
    first, last = _ends(shown)
    hidden = {step for run in runs for step in run}
    seen = [step for step in range(first, last) if step not in hidden]
    # One line a run, and one for the later of the two.
    room = shown.room - sum(first < run.start < last for run in runs) - 1
    if shown.room <= 0 or not seen or sum(heights[step] for step in seen) <= room:
        return limits
    for step in seen:
        limits[step] = max(1, room // len(seen))
    return limits
