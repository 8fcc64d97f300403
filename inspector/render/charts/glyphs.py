"""Small pictures in text: bars, sparklines and outcome cells, in Unicode or plain ASCII."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct

from inspector.render.charts.sparkline_runs import shown_runs
from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.render.texts.text import TextPart

OUTCOME_STYLES = {
    "exact": "exact",
    "clean": "clean",
    "early": "early",
    "late": "late",
    "missed": "missed",
    "false_alarm": "false-alarm",
}
"""Style names an outcome; what is not here is dim. Every outcome has its glyph and word as well."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"


class Glyphs(Struct, frozen=True):
    """How pictures are drawn. With `ascii_only` nothing beyond ASCII is used."""

    ascii_only: bool = False

    def level(self, share: float) -> str:
        """Draw one character for a share in [0, 1]: a block of that height, or a digit 0 to 9."""
        share = min(1.0, max(0.0, share))
        return str(min(9, int(share * 10))) if self.ascii_only else _LEVELS[min(7, int(share * 8))]

    def bar(self, share: float, width: int, mark: float | None = None) -> tuple[str, int | None]:
        """Draw a bar of `width` cells for a share in [0, 1], and return the cell where a mark in [0, 1] falls."""
        share = min(1.0, max(0.0, share))
        if self.ascii_only:
            text = ("#" * round(share * width)).ljust(width, "-")
        else:
            eighths = round(share * width * 8)
            text = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
            text = text.ljust(width)
        at = None if mark is None or not 0 <= mark <= 1 else min(width - 1, int(mark * width))
        return text, at

    def reward_bar(self, share: float, width: int, threshold: float, style: str) -> list[TextPart]:
        """Draw a reward's bar with the threshold as a line through it."""
        text, at = self.bar(share, width, threshold)
        if at is None:
            return [(text, style)]
        line = "|" if self.ascii_only else "┊"
        return [(text[:at], style), (line, "dim"), (text[at + 1 :], style)]

    def outcome(self, name: str | None) -> list[TextPart]:
        """Write glyph and word of an outcome."""
        if name is None:
            return [("", "")]
        return [(f"{GLYPHS[name]} {WORDS[name]}", OUTCOME_STYLES.get(name, "dim"))]

    def outcome_bar(self, counts: Mapping[str, int], width: int) -> list[TextPart]:
        """Draw a bar of `width` cells in which each outcome has its share, drawn with its glyph.

        Shares are whole cells by largest remainders: to less than one cell each, and more cases never get fewer cells.
        """
        cells = apportioned(tuple(counts.values()), width)
        parts = [
            (GLYPHS[name] * size, OUTCOME_STYLES.get(name, "dim"))
            for name, size in zip(counts, cells, strict=True)
            if size
        ]
        return parts or [(" " * width, "")]

    def sparkline(
        self,
        rewards: Sequence[float],
        low: float,
        high: float,
        gold: int | None,
        verdict: int | None,
        width: int | None = None,
        levels: str = "",
    ) -> list[TextPart]:
        """Draw one character a step: an arrow stands before the gold step, the predicted step is underlined.

        Colours show the side of the threshold and the distance from it: `levels` has a digit for each step
        (see `reward_levels`), or is empty.
        Where `width` cells are too few for all steps, those around these two stand for them; see
        `inspector.render.charts.sparkline_runs`.
        """
        span, n_steps = (high - low) or 1.0, len(rewards)
        runs = [(0, n_steps)] if width is None else shown_runs(n_steps, max(4, width), gold, verdict)
        gap = ("~" if self.ascii_only else "…", "dim")
        parts: list[TextPart] = [gap] if runs and runs[0][0] else []
        for place, (start, end) in enumerate(runs):
            parts += [gap] if place else []
            for step in range(start, end):
                if step == gold:
                    parts.append((">" if self.ascii_only else "▸", "gold"))
                style = f"reward-{levels[step]}" if levels else ""
                style = f"{style} predicted".strip() if step == verdict else style
                level = self.level((rewards[step] - low) / span)
                if parts and parts[-1][1] == style:
                    # Few parts are drawn faster than many.
                    parts[-1] = (parts[-1][0] + level, style)
                else:
                    parts.append((level, style))
        return [*parts, gap] if runs and runs[-1][1] < n_steps else parts

    def curve(self, values: Sequence[float | None], top: float) -> str:
        """Draw one character a value in [0, top]; a blank where there is none."""
        return "".join(" " if value is None else self.level(value / top if top else 0.0) for value in values)


CLOSE, FAR = 0.05, 0.25
"""Distances from the threshold, as shares of a scorer's range: close up to the first, far from the second on."""


def reward_levels(rewards: Sequence[float], threshold: float, span: float) -> str:
    """Return how far each reward is from the threshold, a digit each: 1 far below it, 3 close to it, 5 far above it.

    `span` is the width of the scorer's range. Each level has its own style, such as `reward-1`. Distances are from
    the nearest multiple of CLOSE, so that moving the threshold changes few colours; a level other than 3 is on the
    true side of the threshold.
    """
    span = span or 1.0
    centre, close, far = round(threshold / (CLOSE * span)) * CLOSE * span, CLOSE * span, FAR * span
    below, above = (centre - far, centre - close), (centre + close, centre + far)
    return "".join(str(1 + bisect_left(below, reward) + bisect_right(above, reward)) for reward in rewards)


def apportioned(counts: Sequence[int], width: int) -> list[int]:
    """Share out `width` cells among counts, by largest remainders; none where there is nothing to share.

    Of equal remainders the larger count comes first, then the earlier one.
    """
    total = sum(counts)
    if not total:
        return [0] * len(counts)
    shares = [divmod(count * width, total) for count in counts]
    cells = [whole for whole, _ in shares]
    order = sorted(range(len(counts)), key=lambda place: (-shares[place][1], -counts[place]))
    for place in order[: width - sum(cells)]:
        cells[place] += 1
    return cells
