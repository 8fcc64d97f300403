"""The steps: mark, number, what each scorer says and the text, or several steps folded into one line."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from rich.cells import cell_len

from inspector.case_view.columns import GUTTER, TAPE, Column, columns
from inspector.case_view.open_case import Manner, OpenCase, Stop
from inspector.case_view.page import StopLine, cut
from inspector.case_view.prose import FOUND, FoundText, body, in_raw
from inspector.texts.sentences import TRUNCATED, gold_word
from inspector.texts.text import Part, number
from inspector.texts.wrap import wrap
from inspector.widgets.line_view import Line

# -- what one scorer says of one step, as parts of exactly its column's width


REDUNDANCY = "r"
"""Stands behind a number of the second track."""


def cells(column: Column, step: int, manner: Manner) -> list[Part]:
    """Letter, bar, number and marks; the letter and the arrow at the predicted step only beside other scorers."""
    track = column.track
    parts: list[Part] = [(track.letter, track.style)] if track.letter else []
    if track.kind == "bars":
        parts += _rewarded(column, step, manner)
    elif track.kind == "ticks":
        parts += [(_tick(column, step, manner), judged_style(column, step, manner)), *_arrow(column, step, manner)]
    elif track.letter:
        parts += _arrow(column, step, manner)
    return _joined(_filled(parts, column.width))


def second_cells(column: Column, step: int, manner: Manner) -> list[Part]:
    """The second track beneath: a redundancy, as number or as label, marked as such; [] where there is none."""
    track, manner_of_marks = column.track, manner.brush
    lead = " " * len(track.letter)
    if step < len(track.redundancy):
        value = track.redundancy[step]
        share = track.share(value)
        if not column.bar:
            text = _level(column, share, manner) + (number(value, 2, column.digits).rjust(column.digits))
            parts: list[Part] = [(lead, ""), (text, "dim"), (REDUNDANCY, "dim")]
        else:
            bar, _ = manner_of_marks.bar(share, column.bar)
            text = f"{bar} {number(value, 2, column.digits).rjust(column.digits)}{REDUNDANCY}"
            parts = [(lead, ""), (text, "dim")]
        return _filled(parts, column.width)
    if step < len(track.redundant) and track.redundant[step]:
        return _filled([("redundant"[: max(1, column.width - 1)], "dim")], column.width)
    return []


def judged_style(column: Column, step: int, manner: Manner) -> str:
    """The style of a judgement; nothing is told by it where verdicts are hidden."""
    wrong = _wrong(column, step)
    if manner.blind:
        return ""
    return "dim" if wrong is None else "bad" if wrong else "good"


def _rewarded(column: Column, step: int, manner: Manner) -> list[Part]:
    track, ascii_only = column.track, manner.brush.ascii_only
    style = judged_style(column, step, manner)
    if step >= len(track.rewards):
        dash = "-" if ascii_only else "–"
        before = max(column.bar, 1) + (1 if column.bar else 0) + max(0, column.digits - 1)
        return [(" " * (before if column.digits else 0) + dash, "dim")]
    reward = track.rewards[step]
    mark = _cross(column, step, manner)
    picture = _picture(column, step, reward, manner)
    if not column.digits:
        return [*picture, *(_arrow(column, step, manner) if _named(column, step, manner) else [(mark, style)])]
    fall = track.drop(step)
    down = "v" if ascii_only else "▼"
    lead: list[Part] = [(down if fall and not column.fall else " ", "strong")] if column.bar else []
    value = number(reward, 2, column.digits).rjust(column.digits)
    parts = [*picture, *lead, (value, style), (mark, style), *(_arrow(column, step, manner) if track.letter else [])]
    if column.fall and fall:
        parts.append((f"{down}{number(fall, 2, TAPE - 1)}", "strong"))
    return parts


def _picture(column: Column, step: int, reward: float, manner: Manner) -> list[Part]:
    """A bar in the scorer's own range with the threshold through it, or one character of that height."""
    track, brush = column.track, manner.brush
    style = track.style or judged_style(column, step, manner)
    if not column.bar:
        return [(_level(column, track.share(reward), manner), style)]
    threshold = None if manner.blind else track.threshold(step)
    if threshold is None:
        parts: list[Part] = [(brush.bar(track.share(reward), column.bar)[0], style)]
    else:
        parts = brush.reward_bar(track.share(reward), column.bar, track.share(threshold), style)
    if brush.ascii_only and track.letter:
        # Without colours, bars differ by what they are made of.
        parts = [(text.replace("#", track.letter), names) for text, names in parts]
    return parts


def _level(column: Column, share: float, manner: Manner) -> str:
    """One character for a share; a blank where it would be a digit right before those of the number."""
    return " " if column.digits and manner.brush.ascii_only else manner.brush.level(share)


def _cross(column: Column, step: int, manner: Manner) -> str:
    """A cross where the step is judged wrong, another mark where the case was truncated."""
    if column.track.truncated:
        return TRUNCATED
    wrong = _wrong(column, step) and not manner.blind
    return ("x" if manner.brush.ascii_only else "✗") if wrong else " "


def _tick(column: Column, step: int, manner: Manner) -> str:
    wrong = _wrong(column, step)
    if wrong is None or manner.blind:
        return " "
    if manner.brush.ascii_only:
        return "x" if wrong else "+"
    return "✗" if wrong else "✓"


def _arrow(column: Column, step: int, manner: Manner) -> list[Part]:
    """The mark of a predicted step."""
    if not _named(column, step, manner):
        return [(" ", "")]
    return [("<" if manner.brush.ascii_only else "◂", f"{column.track.style} strong")]


def _named(column: Column, step: int, manner: Manner) -> bool:
    return bool(column.track.letter) and column.track.verdict == step and not manner.blind


def _wrong(column: Column, step: int) -> bool | None:
    return column.track.wrong[step] if step < len(column.track.wrong) else None


def _joined(parts: list[Part]) -> list[Part]:
    """The same with blanks in the style before them: every change of style is written to the terminal."""
    found: list[Part] = []
    for text, style in parts:
        plain = found and not text.strip() and "predicted" not in found[-1][1]
        found.append((text, found[-1][1] if plain else style))
    return found


def _filled(parts: list[Part], width: int) -> list[Part]:
    """The same with blanks up to the width."""
    rest = width - sum(cell_len(text) for text, _ in parts)
    return [*parts, (" " * rest, "")] if rest > 0 else parts


# -- which steps are shown whole, cut, or folded into one line with others


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


MARK = 5
"""Cells of the word before a step's number."""


def step_lines(shown: OpenCase) -> Iterator[Line]:
    """All steps."""
    manner = shown.manner
    side = columns(shown.tracks, manner.width)
    indent = GUTTER + sum(column.width for column in side)
    bodies = [
        body(text, manner.width - indent, manner, _text_style(shown, step), "steps", before if manner.news else "")
        for step, (before, text) in enumerate(pairwise(["", *shown.texts["steps"]]))
    ]
    second = any(column.track.redundancy or column.track.redundant for column in side)
    heights = [max(len(found.lines) + found.only_raw, 2 if second else 1) for found in bodies]
    for item in items(shown, heights):
        if item.run:
            yield from _run(shown, item)
        else:
            yield from _step(shown, item, side, bodies[item.steps.start], indent)


def _step(shown: OpenCase, item: Item, side: tuple[Column, ...], text: FoundText, indent: int) -> Iterator[Line]:
    step, manner = item.steps.start, shown.manner
    # Where only the raw text has what was searched for, the step's number stands out in its place.
    first: list[Part] = [*gutter(shown, step), (f"{step:>3} ", FOUND if text.only_raw else "dim")]
    second: list[Part] = [(" " * GUTTER, "")]
    for column in side:
        first += cells(column, step, manner)
        second += second_cells(column, step, manner) or [(" " * column.width, "")]
    beneath = any(text.strip() for text, _ in second)
    told = [*text.lines, *([((in_raw(manner.keys), "dim"),)] if text.only_raw else [])]
    lines = [Line([*first, *told[0]])]
    for row, line in enumerate(told[1:] or ([()] if beneath else [])):
        margin = second if row == 0 and beneath else [(" " * indent, "")]
        lines.append(Line([*margin, *line]))
    head, *others = cut(lines, item.lines, manner.keys.of("turn-over"), indent) if item.lines else lines
    yield StopLine(head.parts, stop=Stop("step", step), steps=item.steps)
    yield from others


def _word(shown: OpenCase, step: int) -> str | None:
    """What the gold labels say of a step, unless they are hidden."""
    return None if shown.manner.blind else gold_word(shown.case, step)


def _text_style(shown: OpenCase, step: int) -> str:
    return {"error": "gold", "error step": "strong"}.get(_word(shown, step) or "", "")


def gutter(shown: OpenCase, step: int) -> list[Part]:
    """The word that says what this step is: the gold error, the predicted one, both, or a further error step."""
    word = _word(shown, step)
    predicted = bool(shown.tracks) and shown.tracks[0].verdict == step and not shown.manner.blind
    if word == "error":
        text, style = ("exact", "good strong") if predicted else ("gold", "gold")
    elif predicted:
        text, style = "pred", "predicted"
    elif word == "error step":
        text, style = "err", "gold dim"
    else:
        text, style = "", ""
    return [(text, style), (" " * (MARK - len(text)), "")]


def _run(shown: OpenCase, item: Item) -> Iterator[Line]:
    """`steps 0-3: right, rewards 0.91 to 0.98`; the rewards are those of the scorer in focus."""
    steps = item.steps
    told = [] if shown.manner.blind else [_gold_of(shown, steps)]
    if shown.tracks:
        rewards = [shown.tracks[0].rewards[step] for step in steps if step < len(shown.tracks[0].rewards)]
        if rewards:
            told.append(f"rewards {min(rewards):.2f} to {max(rewards):.2f}")
    facts = ", ".join(fact for fact in told if fact) or f"{len(steps)} steps"
    words = f"steps {steps[0]}-{steps[-1]}: {facts} ({shown.manner.keys.of('turn-over')} unfolds)"
    indent = " " * GUTTER
    first, *rest = wrap(words, max(10, shown.manner.width - GUTTER))
    yield StopLine([(indent, ""), (first, "dim")], stop=Stop("run", steps.start), steps=steps)
    for line in rest:
        yield Line([(indent, ""), (line, "dim")])


def _gold_of(shown: OpenCase, steps: range) -> str:
    words = {gold_word(shown.case, step) for step in steps}
    return "right" if words == {"right"} else "error steps" if words == {"error step"} else ""
