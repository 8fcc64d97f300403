"""Content of the panes around the steps of a case: the problem, the verdicts, and the reason for the gold label."""

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from inspector.case_page.case_lines import (
    CaseLines,
    head_lines,
    image_lines,
    kind_words,
    numbered,
    origin_facts,
    other_texts,
    problem_lines,
)
from inspector.case_page.facts import facts_lines
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop
from inspector.case_page.outcome_lines import agreement, answer_words, sentence_lines
from inspector.case_page.page import StopLine
from inspector.case_page.prose import paragraph
from inspector.case_page.statement_lines import kept_variants_lines, statements
from inspector.case_page.tracks import Track, track
from inspector.render.cells import dash
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.texts.gold_words import counts_from_one, gold_words
from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart
from inspector.render.texts.wrap import wrap
from inspector.widgets.line_view import Line

# -- the problem


EDGE = 5
"""Cells of a frame's upper edge besides title and status; its lines are two cells narrower than the frame."""


def _fits(title: str, status: str, case: OpenCase) -> bool:
    """Return whether the frame fits both."""
    return cell_len(title) + cell_len(status) + EDGE <= case.display.width


def problem_page(case: OpenCase) -> CaseLines:
    """Return the problem and its images, followed by its source if the frame is too narrow for it."""
    head = () if problem_status(case) else head_lines(case)
    return numbered([*problem_lines(case), *image_lines(case), *head])


PROBLEM = "Problem"


def problem_status(case: OpenCase) -> str:
    """Return the source of the case and its ending; "" if the frame is too narrow."""
    status = _dot(case.display).join(origin_facts(case))
    return status if "head" in case.display.apart and _fits(PROBLEM, status, case) else ""


# -- gold label and human annotations


def why_title(case: OpenCase) -> tuple[str, str]:
    """Return the gold label and the error types for the frame; omit the types if it is too narrow."""
    if case.display.blind:
        return "Gold", "hidden"
    earliest = case.case["earliest_error"]
    if earliest is None:
        return "Gold", "no label names a step"
    title = "Gold says no error" if earliest < 0 else f"Why gold says step {earliest}"
    kinds = _dot(case.display).join(kind_words(case))
    return title, kinds if _fits(title, kinds, case) else ""


def why_page(case: OpenCase) -> CaseLines:
    """Return the reason for the gold label, human annotations, and other facts about the case."""
    return numbered([*_reason_lines(case), *other_texts(case), *_statement_lines(case), *facts_lines(case)])


def _reason_lines(case: OpenCase) -> Iterator[Line]:
    display, record, reason = case.display, case.case, case.texts["reason"]
    if display.blind:
        return
    if reason and display.reason:
        lines = list(paragraph("", "", reason, display, scope="reason"))
        if counts_from_one(record["benchmark"], reason):
            lines.append(Line([("(this text counts steps from 1, the screen from 0)", "dim")]))
    else:
        key = display.keys.of("reason")
        words = f"The reason is hidden; {key} shows it." if reason else "The benchmark gives no reason."
        lines = [Line([(words, "dim")])]
    words = gold_words(record)
    # The title shows only the first wrong step.
    kinds = [] if why_title(case)[1] else kind_words(case)
    if "(" in words or kinds:
        lines += paragraph("Gold  ", "gold", _dot(display).join([words, *kinds]), display)
    yield StopLine(lines[0].parts, stop=Stop("gold"))
    yield from lines[1:]


LABEL = 10
"""Width of the name of a statement, in cells."""


def _statement_lines(case: OpenCase) -> Iterator[Line]:
    """Yield ruling, tags and note, with a key hint for each missing one; then other statements."""
    if case.state.results.labels.journal is None:
        return
    statement, keys = dict(statements(case)), case.display.keys
    for name, hint in (("Ruling", ""), ("Tags", f"{keys.of('tag')} adds"), ("Note", f"{keys.of('note')} writes")):
        if name in statement:
            yield from paragraph(
                f"{name:<{LABEL}}", "dim", statement.pop(name), case.display, style="strong", scope="notes"
            )
        elif hint:
            nothing = dash(ascii_only=case.display.glyphs.ascii_only)
            yield Line([(f"{name:<{LABEL}}{nothing}   {hint}", "dim")])
    for name, words in statement.items():
        yield from paragraph(f"{name:<{LABEL}}", "dim", words, case.display, style="strong")
    yield from kept_variants_lines(case)


# -- the verdicts

NARROW = 34
"""Width below which a scorer's name has its own line, in cells."""
STEP = 3
"""Width of a step number, in cells."""


def verdict_lines(case: OpenCase) -> list[Line]:
    """Return gold, all verdicts and the number of right ones, with small reward charts of the visible scorers."""
    display = case.display
    if display.blind:
        return list(sentence_lines(case))
    earliest = case.case["earliest_error"]
    gold = "no label" if earliest is None else "no error" if earliest < 0 else f"step {earliest}"
    lines = [Line([(f"{'gold':<6}", "gold"), (gold, "gold strong")]), Line([])]
    lettered = sorted(case.tracks, key=lambda entry: entry.letter)
    for entry in lettered:
        lines += _verdict(entry, case)
    others = _others(case)
    lines += [Line([])] if lettered and others else []
    for entry in others:
        lines += _verdict(entry, case)
    every = (*lettered, *others)
    if len(every) > 1:
        lines += [Line([]), *_wrapped(_right_words(every, earliest), display, "strong")]
    if case.tracks:
        lines += [Line([]), *sentence_lines(case)]
    lines += answer_words(case)
    pictures = [_picture(entry, case) for entry in lettered if entry.rewards]
    return [*lines, *([Line([]), Line([("rewards", "dim")]), *pictures] if pictures else [])]


def _others(case: OpenCase) -> list[Track]:
    """Return the scorers of the benchmark that are not on screen, in workspace order."""
    if case.display.unscored:
        return []
    on_screen, benchmark = {entry.name for entry in case.tracks}, case.state.focus.benchmark
    return [
        track(evaluation, case.row, "")
        for evaluation in case.state.results.evaluations
        if evaluation.scorer.name not in on_screen and evaluation.coverage.covers(benchmark)
    ]


def _verdict(entry: Track, case: OpenCase) -> Iterator[Line]:
    """Yield a scorer's letter, name, outcome and step, in one line if it fits."""
    width, several = case.display.width, len(case.tracks) > 1
    no_error = dash(ascii_only=case.display.glyphs.ascii_only)
    step = "" if entry.verdict is None or entry.verdict < -1 else no_error if entry.verdict < 0 else str(entry.verdict)
    style = OUTCOME_STYLES.get(entry.outcome, "dim")
    outcome: list[TextPart] = [
        (f"{GLYPHS[entry.outcome]} {WORDS[entry.outcome]:<12}", style),
        (f"{step:>{STEP}}", ""),
    ]
    style = "strong" if case.tracks and entry is case.tracks[0] else entry.style or "dim"
    lead = f"{entry.letter or ' '} " if several else ""
    if width < NARROW:
        yield Line([(lead, style), *outcome])
        yield Line([(" " * cell_len(lead), ""), (short_name(entry.name, max(4, width - cell_len(lead))), style)])
        return
    room = width - cell_len(lead) - 15 - STEP
    yield Line([(lead, style), (f"{short_name(entry.name, room - 1):<{room}}", style), *outcome])


def _right_words(every: Sequence[Track], gold: int | None) -> str:
    if gold is None:
        return agreement(tuple(every), gold)
    right = sum(entry.outcome == ("exact" if gold >= 0 else "clean") for entry in every)
    return f"{right or 'none'} of {len(every)} {'is' if right == 1 else 'are'} right"


def _picture(entry: Track, case: OpenCase) -> Line:
    """Draw a scorer's rewards, one character per step."""
    scorer, room = entry.evaluation.scorer, case.display.width - 2
    styles = map(entry.reward_style, range(len(entry.rewards)))
    levels = "".join("3" if style == "dim" else style[-1] for style in styles)
    gold, verdict = case.gold, entry.verdict
    parts = case.display.glyphs.sparkline(entry.rewards, scorer.low, scorer.high, gold, verdict, room, levels)
    return Line([(f"{entry.letter or ' '} ", entry.style or "dim"), *parts])


def _wrapped(words: str, display: DisplayOptions, style: str) -> Iterable[Line]:
    return [Line([(line, style)]) for line in wrap(words, display.width)]


def _dot(display: DisplayOptions) -> str:
    return " | " if display.glyphs.ascii_only else " · "
