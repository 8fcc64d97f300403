"""What happened to a case, in plain words: for the scorer in focus, and how far the others agree."""

import math
from collections import Counter
from collections.abc import Iterator

import polars as pl
from msgspec.structs import replace

from inspector.case_page.open_case import OpenCase
from inspector.case_page.prose import paragraph
from inspector.case_page.tracks import Track
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.texts.sentences import GLYPHS, WORDS, outcome_sentence, verdict_words, votes_words
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.state.kept_answers import kept_answers
from inspector.widgets.line_view import Line
from scoring.evaluation.verdicts import OUTCOMES, UNPARSED

TAIL = 300
"""Characters of an answer's end that are shown where it could not be read."""
_HIDDEN = "gold labels, reasons and verdicts are hidden"


def sentence_lines(case: OpenCase) -> Iterator[Line]:
    """Yield verdict, gold and how they differ, for the scorer in focus."""
    display = case.display
    if display.blind:
        hidden = "gold labels and scorers are hidden until you rule" if display.unscored else _HIDDEN
        sentence = f"blind: {hidden}; {display.keys.of('blind')} shows them"
        for line in wrap(sentence, display.width):
            yield Line([(line, "strong")])
        return
    if not case.tracks:
        return
    first = case.tracks[0]
    # Other lines show letters; the title shows the name of a single scorer.
    who = f"  [{first.letter}]" if first.letter else f"  [{first.name}]" if display.named else ""
    text = f"{GLYPHS[first.outcome]} {outcome_sentence(first.evaluation, case.row)}{who}"
    for line in wrap(clean(text), display.width):
        yield Line([(line, f"{OUTCOME_STYLES.get(first.outcome, 'dim')} strong")])


def agreement_lines(case: OpenCase) -> Iterator[Line]:
    """Yield how far several scorers agree: `3 of 5 exact; A and D early`."""
    if case.display.blind or len(case.tracks) < 2:
        return
    for line in wrap(agreement(case.tracks, case.case["earliest_error"]), case.display.width):
        yield Line([(line, "")])


def agreement(tracks: tuple[Track, ...], gold: int | None) -> str:
    """Say how many are right, and by their letters who is wrong in which way; without gold, how often which verdict."""
    if gold is None:
        verdicts = Counter(verdict_words(track.verdict) for track in tracks)
        counts = ", ".join(f"{count} x {words}" for words, count in verdicts.most_common())
        return f"no gold to agree with: {counts}"
    right = "exact" if gold >= 0 else "clean"
    agreeing = [track for track in tracks if track.outcome == right]
    outcomes = {track.outcome for track in tracks}
    if len(outcomes) == 1 and not agreeing:
        return f"all {len(tracks)} {WORDS[tracks[0].outcome]}"
    others = [
        f"{_listed([track.letter for track in tracks if track.outcome == outcome])} {WORDS[outcome]}"
        for outcome in OUTCOMES
        if outcome != right and outcome in outcomes
    ]
    return "; ".join([f"{len(agreeing) or 'none'} of {len(tracks)} {right}", *others])


def _listed(letters: list[str]) -> str:
    """`A`, `A and D`, `A, C and D`."""
    *first, last = sorted(letters)
    return f"{', '.join(first)} and {last}" if first else last


def answer_words(case: OpenCase) -> Iterator[Line]:
    """Yield what there is beside a verdict: the votes, how an unread answer ends, a number for the solution."""
    evaluation, row, display = case.focus, case.row, case.display
    if evaluation is None or display.blind:
        return
    if words := votes_words(evaluation, row):
        yield from paragraph("", "", f"votes: {words}", display, style="dim")
    solution = float(evaluation.rewards.solutions[row])
    if evaluation.coverage.answered[row] and math.isfinite(solution):
        yield Line([(f"one number for the solution: {solution:.4g}", "dim")])
    if evaluation.codes[row] != UNPARSED:
        return
    votes = kept_answers(case.state.results, evaluation.scorer.name, row)
    answers = votes.filter(pl.col("run") == pl.col("run").min())["answer"].drop_nulls()
    if answers.len():
        end = answers[0].rstrip()
        cut = "..." if len(end) > TAIL else ""
        yield from paragraph("", "", f"The answer ends: {cut}{end[-TAIL:]}", replace(display, raw=True), style="dim")
