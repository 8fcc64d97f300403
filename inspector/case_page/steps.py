"""The steps: mark, number, what each scorer says and the text, or several steps folded into one line."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import polars as pl

from inspector.case_page.columns import GUTTER, ScorerColumn, columns
from inspector.case_page.context_lines import LONGEST_MESSAGE, messages_between, tool_lines
from inspector.case_page.open_case import OpenCase, Stop
from inspector.case_page.page import StopLine, cut
from inspector.case_page.prose import FOUND, NARROWEST, FoundText, body, in_raw, is_hit
from inspector.case_page.reward_cells import cells, heads, second_cells
from inspector.case_page.step_folds import Item, items
from inspector.render.texts.gold_words import gold_word
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.state.kept_answers import kept_answers
from inspector.widgets.line_view import Line
from scoring.formats.reading.rated_answers import step_explanations
from scoring.metrics.label_votes import LABEL_VOTES, LABELS, NONE, label_votes
from scoring.runs.reparse import gives_labels

MARK = 5
"""Cells of the word before a step's number."""


LEGEND = 3
"""Lines of the legend below the steps, including the blank line above it."""


def step_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the tools of the agent whose steps they are, if any are given, and all steps."""
    display = case.display
    side = columns(case.tracks, display.width)
    indent = GUTTER + sum(column.width for column in side)
    bodies = [
        body(text, display.width - indent, display, _text_style(case, step), "steps", before if display.news else "")
        for step, (before, text) in enumerate(pairwise(["", *case.texts["steps"]]))
    ]
    second = any(column.track.redundancy or column.track.redundant for column in side)
    heights = [max(len(wrapped.lines) + wrapped.only_raw, 2 if second else 1) for wrapped in bodies]
    between, reasons, labels = messages_between(case), _reasons(case), _labels(case)

    def inside(step: int) -> Iterator[Sequence[TextPart]]:
        yield from (line.parts for line in between.get(step, ()))
        yield from bodies[step].lines
        if bodies[step].only_raw:
            yield [("", FOUND)]

    if "problem" not in display.apart or display.mode:
        yield from letter_lines(case)
    yield from tool_lines(case)
    groups = []
    for item in items(case, heights):
        if item.run:
            groups.append(list(_run(case, item, [line for step in item.steps for line in inside(step)])))
            continue
        lines = [*between.get(item.steps.start, ())]
        lines += _step(case, item, side, bodies[item.steps.start], indent)
        if item.lines != 1:
            lines += _why(case, reasons.get(item.steps.start, ""), indent)
            if votes := label_words(labels, item.steps.start):
                lines.append(Line([(" " * indent, ""), (votes, "dim")]))
        groups.append(lines)
    yield from _spaced(groups, case)
    yield from between.get(len(bodies), ())


def _spaced(groups: Sequence[Sequence[Line]], case: OpenCase) -> Iterator[Line]:
    """Yield the lines of all steps, with blank lines between steps if they fit into the pane of the steps."""
    total = sum(map(len, groups)) + len(groups) + LEGEND
    spaced = "why" in case.display.apart and not case.display.mode and total <= case.room
    for place, group in enumerate(groups):
        if place and spaced:
            yield Line([])
        yield from group


def letter_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the letters of several scorers, aligned with their columns."""
    if letters := heads(columns(case.tracks, case.display.width)):
        yield Line([(" " * GUTTER, ""), *letters])


def _step(case: OpenCase, item: Item, side: tuple[ScorerColumn, ...], text: FoundText, indent: int) -> Iterator[Line]:
    step, display = item.steps.start, case.display
    # Where only the raw text has what was searched for, the step's number stands out in its place.
    first: list[TextPart] = [*gutter(case, step), (f"{step:>3} ", FOUND if text.only_raw else "dim")]
    second: list[TextPart] = [(" " * GUTTER, "")]
    for column in side:
        first += cells(column, step, display)
        second += second_cells(column, step, display) or [(" " * column.width, "")]
    beneath = any(text.strip() for text, _ in second)
    text_lines = [*text.lines, *([((in_raw(display.keys), "dim"),)] if text.only_raw else [])]
    lines = [Line([*first, *text_lines[0]])]
    for row, line in enumerate(text_lines[1:] or ([()] if beneath else [])):
        margin = second if row == 0 and beneath else [(" " * indent, "")]
        lines.append(Line([*margin, *line]))
    head, *others = cut(lines, item.lines, display.keys.of("turn-over"), indent) if item.lines else lines
    yield StopLine(head.parts, stop=Stop("step", step), steps=item.steps)
    yield from others


REASON_LINES = 2
"""Lines of a scorer's reason that are shown beneath a step."""


def _reasons(case: OpenCase) -> dict[int, str]:
    """Why the scorer in focus judges steps as it does, where its first answer says that of each."""
    results, focus = case.state.results, case.focus
    if focus is None or case.display.blind or case.case.get("step_messages") is None:
        return {}
    texts = kept_answers(results, focus.scorer.name, case.row)["answer"].drop_nulls()
    return step_explanations(texts[0], case.case["step_messages"]) if texts.len() else {}


def _labels(case: OpenCase) -> pl.DataFrame:
    """How the answers of the scorer in focus label the steps, where it labels steps and has several; else no row."""
    focus, nothing = case.focus, pl.DataFrame(schema=LABEL_VOTES)
    if focus is None or case.display.blind or not gives_labels(focus.scorer):
        return nothing
    name, results = focus.scorer.name, case.state.results
    answers = kept_answers(results, name, case.row)
    return (
        label_votes(results.loaded.keyed(focus.scorer)[case.row : case.row + 1], answers)
        if answers.height > 1
        else nothing
    )


def label_words(labels: pl.DataFrame, step: int) -> str:
    """Write how several answers label a step (0-based), of LABEL_VOTES of its case: `votes: 3 right, 1 wrong`."""
    row = next(labels.filter(pl.col("step") == step).iter_rows(named=True), None)
    names = (*LABELS, NONE)
    counts = [] if row is None else [f"{row[name]} {name}" for name in names if row[name]]
    return f"votes: {', '.join(counts)}" if counts else ""


def _why(case: OpenCase, reason: str, indent: int) -> Iterator[Line]:
    """The beginning of a reason, in two lines at most: the answer has all of it."""
    words, more = clean(" ".join(f"why: {reason[:LONGEST_MESSAGE]}".split())), " ..."
    lines = wrap(words, max(NARROWEST, case.display.width - indent - len(more))) if reason else []
    for number_of_line, line in enumerate(lines[:REASON_LINES], 1):
        cut_here = number_of_line == REASON_LINES < len(lines)
        yield Line([(" " * indent, ""), (line + more * cut_here, "dim")])


def _word(case: OpenCase, step: int) -> str | None:
    """What the gold labels say of a step, unless they are hidden."""
    return None if case.display.blind else gold_word(case.case, step)


def _text_style(case: OpenCase, step: int) -> str:
    return {"error": "gold", "error step": "strong"}.get(_word(case, step) or "", "")


def gutter(case: OpenCase, step: int) -> list[TextPart]:
    """Return the word that says what this step is: the gold error, the predicted one, both, or a further error step."""
    word = _word(case, step)
    predicted = bool(case.tracks) and case.tracks[0].verdict == step and not case.display.blind
    if word == "error":
        text, style = ("exact", "good strong") if predicted else ("gold", "gold")
    elif predicted:
        text, style = "pred", "bad predicted"
    elif word == "error step":
        text, style = "err", "gold dim"
    elif word == "neutral":
        text, style = "neut", "dim"
    else:
        text, style = "", ""
    return [(text, style), (" " * (MARK - len(text)), "")]


def _run(case: OpenCase, item: Item, folded: Sequence[Sequence[TextPart]]) -> Iterator[Line]:
    """`steps 0-3: right, rewards 0.91 to 0.98`; the rewards are those of the scorer in focus.

    Where any of the lines that are folded has what was searched for, it is said how many do.
    """
    steps = item.steps
    parts = [] if case.display.blind else [_gold_of(case, steps)]
    if case.tracks:
        track = case.tracks[0]
        rewarded = [step for step in steps if step < len(track.rewards)]
        if rewarded:
            lowest, highest = (end(rewarded, key=track.rewards.__getitem__) for end in (min, max))
            parts.append(f"rewards {track.written(lowest)} to {track.written(highest)}")
    facts = ", ".join(fact for fact in parts if fact) or f"{len(steps)} steps"
    hits = sum(map(is_hit, folded))
    inside = f", {counted(hits, 'line')} with hits" if hits else ""
    words = f"steps {steps[0]}-{steps[-1]}: {facts}{inside} ({case.display.keys.of('turn-over')} unfolds)"
    indent, style = " " * GUTTER, f"dim {FOUND}" if hits else "dim"
    first, *rest = wrap(words, max(10, case.display.width - GUTTER))
    yield StopLine([(indent, ""), (first, style)], stop=Stop("run", steps.start), steps=steps)
    for line in rest:
        yield Line([(indent, ""), (line, "dim")])


def _gold_of(case: OpenCase, steps: range) -> str:
    words = {gold_word(case.case, step) for step in steps}
    return "right" if words == {"right"} else "error steps" if words == {"error step"} else ""
