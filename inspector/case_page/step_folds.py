"""Which steps are shown whole, cut, or folded into one line with others."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from inspector.case_page.open_case import OpenCase, Stop

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


def items(case: OpenCase, heights: Sequence[int]) -> list[Item]:
    """Return all steps in their order; `heights` are the lines that each takes when it is shown whole.

    Folded are the steps before the first that anybody names, where that was asked for; and what lies between the gold
    and the predicted step, where these would not be on the screen together.
    """
    turned = case.display.turned
    whole = [0] * len(heights)
    runs = [run for run in _runs(case, heights) if Stop("run", run.start) not in turned]
    limits = _limits(case, heights, runs, whole)
    listed: list[Item] = []
    step = 0
    while step < len(heights):
        run = next((run for run in runs if run.start == step), None)
        if run is not None:
            listed.append(Item(run))
            step = run.stop
            continue
        folded = limits[step]
        if Stop("step", step) in turned:
            folded = 0 if folded else 1
        listed.append(Item(range(step, step + 1), folded))
        step += 1
    return listed


def prefix(case: OpenCase) -> range:
    """Return the steps before the first that gold or a scorer names, less the one before it; maybe too few to fold."""
    named = [] if case.display.blind else case.named_steps
    return range(max(0, named[0] - 1)) if named else range(0)


def _runs(case: OpenCase, heights: Sequence[int]) -> list[range]:
    before = prefix(case) if case.display.prefix else range(0)
    runs = [before] if len(before) >= FEWEST else []
    first, last = _ends(case)
    if sum(heights[first:last]) + 1 > case.room > 0:
        stops = [step for step in case.named_steps if first <= step <= last]
        between = [range(a + 1, b) for a, b in pairwise(stops)]
        runs += [run for run in between if len(run) >= FEWEST]
    return runs


def telling(case: OpenCase) -> list[int]:
    """Return the gold step and that of the scorer in focus, ascending, as far as they are there and not hidden."""
    if case.display.blind:
        return []
    verdict = case.tracks[0].verdict if case.tracks else None
    return sorted({step for step in (case.gold, verdict) if step is not None and 0 <= step < case.case["n_steps"]})


def _ends(case: OpenCase) -> tuple[int, int]:
    """The earlier and the later of these steps; the same one twice where there is no other, 0 where there is none."""
    both = telling(case) or [0]
    return both[0], both[-1]


def _limits(case: OpenCase, heights: Sequence[int], runs: Sequence[range], whole: Sequence[int]) -> list[int]:
    """For each step the lines it is cut to, so that the gold and the predicted step are seen together; 0 = all."""
    limits = list(whole)
    first, last = _ends(case)
    hidden = {step for run in runs for step in run}
    seen = [step for step in range(first, last) if step not in hidden]
    # One line a run, and one for the later of the two.
    room = case.room - sum(first < run.start < last for run in runs) - 1
    if case.room <= 0 or not seen or sum(heights[step] for step in seen) <= room:
        return limits
    for step in seen:
        limits[step] = max(1, room // len(seen))
    return limits
