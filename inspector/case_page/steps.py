"""The steps: mark, number, what each scorer says and the text, or several steps folded into one line."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import polars as pl
from msgspec import Struct
from rich.cells import cell_len

from inspector.case_page.columns import GUTTER, TAPE, ScorerColumn, columns
from inspector.case_page.context_lines import LONGEST_MESSAGE, messages_between, tool_lines
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop
from inspector.case_page.page import StopLine, cut
from inspector.case_page.prose import FOUND, NARROWEST, FoundText, body, in_raw, is_hit
from inspector.render.texts.sentences import TRUNCATED, counted, gold_word
from inspector.render.texts.text import TextPart, clean, number
from inspector.render.texts.wrap import wrap
from inspector.state.kept_answers import kept_answers
from inspector.widgets.line_view import Line
from scoring.formats.reading.rated_answers import step_explanations
from scoring.metrics.label_votes import LABEL_VOTES, LABELS, NONE, label_votes
from scoring.runs.reparse import gives_labels

# -- what one scorer says of one step, as parts of exactly its column's width


REDUNDANCY = "r"
"""Stands behind a number of the second track."""


def cells(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return letter, bar, number and marks; the letter and the arrow at the predicted step only beside others."""
    track = column.track
    parts: list[TextPart] = [(track.letter, track.style)] if track.letter else []
    if track.kind == "bars":
        parts += _rewarded(column, step, display)
    elif track.kind == "ticks":
        parts += [(_tick(column, step, display), judged_style(column, step, display)), *_arrow(column, step, display)]
    elif track.letter:
        parts += _arrow(column, step, display)
    return _joined(_filled(parts, column.width))


def second_cells(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return the second track beneath: a redundancy, as number or label, marked as such; [] where there is none."""
    track, glyphs = column.track, display.glyphs
    lead = " " * len(track.letter)
    if step < len(track.redundancy):
        value = track.redundancy[step]
        share = track.share(value)
        if not column.bar:
            text = _level(column, share, display) + (number(value, 2, column.digits).rjust(column.digits))
            parts: list[TextPart] = [(lead, ""), (text, "dim"), (REDUNDANCY, "dim")]
        else:
            bar, _ = glyphs.bar(share, column.bar)
            text = f"{bar} {number(value, 2, column.digits).rjust(column.digits)}{REDUNDANCY}"
            parts = [(lead, ""), (text, "dim")]
        return _filled(parts, column.width)
    if step < len(track.redundant) and track.redundant[step]:
        return _filled([("redundant"[: max(1, column.width - 1)], "dim")], column.width)
    return []


def judged_style(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """Return the style of a judgement; nothing is told by it where verdicts are hidden."""
    wrong = _wrong(column, step)
    if display.blind:
        return ""
    return "dim" if wrong is None else "bad" if wrong else "good"


def _rewarded(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    track, ascii_only = column.track, display.glyphs.ascii_only
    style = judged_style(column, step, display)
    if step >= len(track.rewards):
        dash = "-" if ascii_only else "–"
        before = max(column.bar, 1) + (1 if column.bar else 0) + max(0, column.digits - 1)
        return [(" " * (before if column.digits else 0) + dash, "dim")]
    reward = track.rewards[step]
    mark = _cross(column, step, display)
    picture = _picture(column, step, reward, display)
    if not column.digits:
        return [*picture, *(_arrow(column, step, display) if _named(column, step, display) else [(mark, style)])]
    fall = track.drop(step)
    down = "v" if ascii_only else "▼"
    lead: list[TextPart] = [(down if fall and not column.fall else " ", "strong")] if column.bar else []
    value = _written(column, step, display).rjust(column.digits)
    parts = [*picture, *lead, (value, style), (mark, style), *(_arrow(column, step, display) if track.letter else [])]
    if column.fall and fall:
        parts.append((f"{down}{number(fall, 2, TAPE - 1)}", "strong"))
    return parts


def _written(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """The reward; where it is too long and would round to the threshold, on which side of that it lies."""
    track, reward = column.track, column.track.rewards[step]
    rounded = number(reward, 2, column.digits)
    threshold = None if display.blind else track.threshold(step)
    if threshold is None:
        return rounded
    text = track.written(step)
    if len(text) <= column.digits:
        return text
    if number(threshold, 2, column.digits) != rounded:
        return rounded
    return f"{'<' if reward < threshold else '>'}{number(threshold, 2, column.digits - 1)}"


def _picture(column: ScorerColumn, step: int, reward: float, display: DisplayOptions) -> list[TextPart]:
    """A bar in the scorer's own range with the threshold through it, or one character of that height."""
    track, glyphs = column.track, display.glyphs
    style = track.style or judged_style(column, step, display)
    if not column.bar:
        return [(_level(column, track.share(reward), display), style)]
    threshold = None if display.blind else track.threshold(step)
    if threshold is None:
        parts: list[TextPart] = [(glyphs.bar(track.share(reward), column.bar)[0], style)]
    else:
        parts = glyphs.reward_bar(track.share(reward), column.bar, track.share(threshold), style)
    if glyphs.ascii_only and track.letter:
        # Without colours, bars differ by what they are made of.
        parts = [(text.replace("#", track.letter), names) for text, names in parts]
    return parts


def _level(column: ScorerColumn, share: float, display: DisplayOptions) -> str:
    """One character for a share; a blank where it would be a digit right before those of the number."""
    return " " if column.digits and display.glyphs.ascii_only else display.glyphs.level(share)


def _cross(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """A cross where the step is judged wrong, another mark where the case was truncated."""
    if column.track.truncated:
        return TRUNCATED
    wrong = _wrong(column, step) and not display.blind
    return ("x" if display.glyphs.ascii_only else "✗") if wrong else " "


def _tick(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    wrong = _wrong(column, step)
    if wrong is None or display.blind:
        return " "
    if display.glyphs.ascii_only:
        return "x" if wrong else "+"
    return "✗" if wrong else "✓"


def _arrow(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """The mark of a predicted step."""
    if not _named(column, step, display):
        return [(" ", "")]
    return [("<" if display.glyphs.ascii_only else "◂", f"{column.track.style} strong")]


def _named(column: ScorerColumn, step: int, display: DisplayOptions) -> bool:
    return bool(column.track.letter) and column.track.verdict == step and not display.blind


def _wrong(column: ScorerColumn, step: int) -> bool | None:
    return column.track.wrong[step] if step < len(column.track.wrong) else None


def _joined(parts: list[TextPart]) -> list[TextPart]:
    """The same with blanks in the style before them: every change of style is written to the terminal."""
    joined: list[TextPart] = []
    for text, style in parts:
        plain = joined and not text.strip() and "predicted" not in joined[-1][1]
        joined.append((text, joined[-1][1] if plain else style))
    return joined


def _filled(parts: list[TextPart], width: int) -> list[TextPart]:
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


MARK = 5
"""Cells of the word before a step's number."""


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

    yield from tool_lines(case)
    for item in items(case, heights):
        if item.run:
            yield from _run(case, item, [line for step in item.steps for line in inside(step)])
            continue
        yield from between.get(item.steps.start, ())
        yield from _step(case, item, side, bodies[item.steps.start], indent)
        if item.lines != 1:
            yield from _why(case, reasons.get(item.steps.start, ""), indent)
            if votes := label_words(labels, item.steps.start):
                yield Line([(" " * indent, ""), (votes, "dim")])
    yield from between.get(len(bodies), ())


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
    return label_votes(results.keyed(name)[case.row : case.row + 1], answers) if answers.height > 1 else nothing


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
        text, style = "pred", "predicted"
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
