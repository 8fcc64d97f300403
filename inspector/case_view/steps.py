"""The steps: mark, number, what each scorer says and the text, or several steps folded into one line."""

from collections.abc import Iterator
from itertools import pairwise

from inspector.case_view.bars import cells, second_cells
from inspector.case_view.columns import GUTTER, Column, columns
from inspector.case_view.folding import Item, items
from inspector.case_view.found_text import FOUND, FoundText, in_raw
from inspector.case_view.manner import Stop
from inspector.case_view.open_case import OpenCase
from inspector.case_view.page import StopLine, cut
from inspector.case_view.prose import body
from inspector.gold_words import gold_word
from inspector.text import Part
from inspector.widgets.line_view import Line
from inspector.wrap import wrap

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
    for number, line in enumerate(told[1:] or ([()] if beneath else [])):
        margin = second if number == 0 and beneath else [(" " * indent, "")]
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
