"""What happened to the case, in plain words: for the scorer in focus, and how far the others agree."""

import math
from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from inspector.case_view.open_case import OpenCase
from inspector.case_view.prose import paragraph
from inspector.case_view.tracks import Track
from inspector.paint import OUTCOME_STYLES
from inspector.sentences import GLYPHS, WORDS, outcome_sentence, votes_words
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap
from scoring.verdicts import OUTCOMES, UNPARSED

TAIL = 300
"""Characters of an answer's end that are shown where it could not be read."""
_HIDDEN = "gold labels, reasons and verdicts are hidden"


def sentence_lines(shown: OpenCase) -> Iterator[Line]:
    """Verdict, gold and how they differ, for the scorer in focus."""
    if shown.manner.blind:
        hidden = "gold labels and scorers are hidden until you rule" if shown.manner.unscored else _HIDDEN
        told = f"blind: {hidden}; {shown.manner.keys.of('blind')} shows them"
        for line in wrap(told, shown.manner.width):
            yield Line([(line, "strong")])
        return
    if not shown.tracks:
        return
    first = shown.tracks[0]
    # The legend has the name of a letter.
    who = first.letter or first.name
    text = f"{GLYPHS[first.outcome]} {outcome_sentence(first.evaluation, shown.row)}  [{who}]"
    for line in wrap(clean(text), shown.manner.width):
        yield Line([(line, f"{OUTCOME_STYLES.get(first.outcome, 'dim')} strong")])


def agreement_lines(shown: OpenCase) -> Iterator[Line]:
    """How far several scorers agree: `3 of 5 exact; A and D early`."""
    if shown.manner.blind or len(shown.tracks) < 2:
        return
    for line in wrap(agreement(shown.tracks, shown.case["earliest_error"]), shown.manner.width):
        yield Line([(line, "")])


def agreement(tracks: tuple[Track, ...], gold: int | None) -> str:
    """How many are right, and by their letters who is wrong in which way; without gold, how often which verdict."""
    if gold is None:
        verdicts = Counter(_verdict(track.verdict) for track in tracks)
        told = ", ".join(f"{count} x {words}" for words, count in verdicts.most_common())
        return f"no gold to agree with: {told}"
    right = "exact" if gold >= 0 else "clean"
    found = [track for track in tracks if track.outcome == right]
    outcomes = {track.outcome for track in tracks}
    if len(outcomes) == 1 and not found:
        return f"all {len(tracks)} {WORDS[tracks[0].outcome]}"
    others = [
        f"{_listed([track.letter for track in tracks if track.outcome == outcome])} {WORDS[outcome]}"
        for outcome in OUTCOMES
        if outcome != right and outcome in outcomes
    ]
    return "; ".join([f"{len(found) or 'none'} of {len(tracks)} {right}", *others])


def _verdict(verdict: int | None) -> str:
    if verdict is None:
        return "no verdict"
    return {-1: "no error", -2: "no step"}.get(verdict, f"step {verdict}")


def _listed(letters: list[str]) -> str:
    """`A`, `A and D`, `A, C and D`."""
    *first, last = sorted(letters)
    return f"{', '.join(first)} and {last}" if first else last


def answer_words(shown: OpenCase) -> Iterator[Line]:
    """What there is beside a verdict: how answers voted, how one that was not read ends, a number for the solution."""
    evaluation, row, manner = shown.focus, shown.row, shown.manner
    if evaluation is None or manner.blind:
        return
    if words := votes_words(evaluation, row):
        yield from paragraph("", "", f"votes: {words}", manner, style="dim")
    solution = float(evaluation.rewards.solutions[row])
    if evaluation.answered[row] and math.isfinite(solution):
        yield Line([(f"one number for the solution: {solution:.4g}", "dim")])
    if evaluation.codes[row] != UNPARSED:
        return
    answers = shown.inspection.selection.answers(evaluation.scorer.name, row)
    if answers:
        end = answers[0].rstrip()
        cut = "..." if len(end) > TAIL else ""
        yield from paragraph("", "", f"The answer ends: {cut}{end[-TAIL:]}", replace(manner, raw=True), style="dim")
