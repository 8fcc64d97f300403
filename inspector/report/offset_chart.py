"""How late verdicts come: a bar for every distance between verdict and earliest error, and one for what was missed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.render.svg import WIDTH, box, line, picture, words
from inspector.render.view import Cell, Kind, Picture, count, table
from inspector.sentences import GLYPHS, WORDS

HEIGHT, TOP, BOTTOM = 170, 22, 46
WIDEST = 64
"""Units of a bar with its gap at most."""
FAR = 10
"""Distances beyond this many steps share a bar."""
PLACELESS = {"missed": "missed", "early": "no step", "late": "beyond"}
"""What a bar without a distance is called: no error predicted, an answer that names no step, one beyond the last."""


@dataclass(frozen=True)
class Bar:
    """Cases of one outcome at one distance, or at several beyond FAR."""

    label: str
    outcome: str
    count: int


def bars_of(rows: Sequence[dict[str, Any]]) -> list[Bar]:
    """The bars of rows `outcome, offset, metric, value` of one scorer, in the order they stand."""
    counts = [row for row in rows if row["metric"] == "count"]
    placed: dict[int, int] = {}
    for row in counts:
        if row["offset"] is not None:
            at = max(-FAR, min(FAR, row["offset"]))
            placed[at] = placed.get(at, 0) + int(row["value"])
    bars = []
    for at in range(min(placed, default=0), max(placed, default=0) + 1):
        outcome = "early" if at < 0 else "late" if at else "exact"
        beyond = "…" if abs(at) == FAR else ""
        bars.append(Bar(f"{at:+d}{beyond}" if at else "0", outcome, placed.get(at, 0)))
    apart = [row for row in counts if row["offset"] is None]
    return [*bars, *(Bar(PLACELESS[row["outcome"]], row["outcome"], int(row["value"])) for row in apart)]


def offset_chart(title: str, rows: Sequence[dict[str, Any]]) -> Picture:
    """The bars of one scorer, with their counts above and their distances beneath."""
    bars = bars_of(rows)
    most = max([bar.count for bar in bars], default=0) or 1
    slot = min(WIDEST, (WIDTH - 20) / max(1, len(bars)))
    base = TOP + HEIGHT
    shapes = [line(0, base, 20 + slot * len(bars), base, "axis")]
    for number, bar in enumerate(bars):
        middle = 10 + slot * (number + 0.5)
        tall = HEIGHT * bar.count / most
        told = f"{bar.label}: {bar.count} cases, {WORDS[bar.outcome]}"
        shapes.append(box(middle - slot * 0.4, base - tall, slot * 0.8, tall, f"o-{bar.outcome}", told))
        shapes.append(words(str(bar.count), middle, base - tall - 6, "", "middle"))
        shapes.append(words(bar.label, middle, base + 16, "", "middle"))
        shapes.append(words(GLYPHS[bar.outcome], middle, base + 32, "quiet", "middle"))
    legend = "steps between verdict and earliest error:  < early   = exact   > late   o missed"
    shapes.append(words(legend, 10, base + 50, "quiet"))
    total = sum(bar.count for bar in bars)
    told = ", ".join(f"{bar.label}: {bar.count}" for bar in bars)
    described = f"Verdict minus earliest error, in steps, of {total} erroneous cases with a verdict. {told}."
    heads = ("verdict minus gold", "outcome", "cases", "share")
    cells = [
        [
            Cell(bar.label),
            Cell(f"{GLYPHS[bar.outcome]} {WORDS[bar.outcome]}"),
            count(bar.count),
            Cell(bar.count / total if total else None, Kind.SHARE),
        ]
        for bar in bars
    ]
    numbers = table(described.partition(".")[0], heads, cells)
    return Picture(title, described, picture(base + BOTTOM + 12, title, described, *shapes), numbers)
