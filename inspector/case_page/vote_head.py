"""The head of a vote: who answered and how it was read, how all of its run voted, and which vote this is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct
from rich.cells import cell_len

from inspector.render.charts.glyphs import OUTCOME_STYLES, Glyphs, apportioned
from inspector.render.texts.phrases import Phrase, joined, name_forms
from inspector.render.texts.sentences import GLYPHS, WORDS, counted, named_step, tally_words
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.state.kept_answers import measures, reading_words
from inspector.state.step_numbering import Numbering
from inspector.widgets.line_view import Line
from scoring.data.schema import VOTES
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import NO_VERDICT, OUTCOMES
from scoring.evaluation.votes import Votes, tally

BAR = 16
"""Cells of the picture of a tally at most."""
_SHADES = {True: "#=+:. ", False: "█▓▒░· "}
"""What the groups of a tally are drawn with, the winner's first; all further ones share the last but one."""


class Vote(Struct, frozen=True, eq=False):
    """One answer among those to its case.

    `answers` are all of them (rows of VOTES in order of run and vote), `at` is the place (0-based) of this one. `row`
    is the case's row id in `evaluation`.
    """

    evaluation: Evaluation
    row: int
    answers: Sequence[Mapping[str, Any]]
    at: int
    numbering: Numbering | None

    @property
    def answer(self) -> Mapping[str, Any]:
        """The answer itself."""
        return self.answers[self.at]

    @property
    def runs(self) -> list[int]:
        """Return the numbers of the runs, in order."""
        return sorted({answer["run"] for answer in self.answers})

    @property
    def mates(self) -> list[Mapping[str, Any]]:
        """Return the answers of the same run."""
        return [answer for answer in self.answers if answer["run"] == self.answer["run"]]

    @property
    def decided(self) -> Evaluation | None:
        """The evaluation of the answer's run; None where that is not known."""
        runs = self.evaluation.runs
        at = self.runs.index(self.answer["run"])
        return runs[at] if len(self.runs) == len(runs) else self.evaluation if at == 0 else None

    @property
    def rates(self) -> bool:
        """Return whether these answers are numbers a step, which do not vote."""
        return any(answer["rewards"] is not None for answer in self.mates)


def head_lines(vote: Vote, width: int, glyphs: Glyphs) -> list[Line]:
    """Return the lines, none wider than `width` cells."""
    tally_lines = _rated(vote, width) if vote.rates else _voted(vote, width, glyphs)
    return [_who(vote, width, glyphs), *tally_lines, *_this(vote, width, glyphs)]


def _who(vote: Vote, width: int, glyphs: Glyphs) -> Line:
    scorer = vote.evaluation.scorer
    protocol = scorer.settings.get("protocol") or scorer.settings.get("imported_from") or ""
    reader = vote.answer["reader"]
    counting = "numbering unknown" if vote.numbering is None else f"counts from {vote.numbering.base}"
    phrases = (
        Phrase(name_forms(scorer.name, 32, 20, 12), rank=1),
        Phrase((f"asked as {protocol}", str(protocol), "") if protocol else ("",), rank=3),
        Phrase((f"read by {reader}", str(reader), "") if reader else ("read where it was imported", ""), rank=4),
        Phrase((counting, ""), rank=2),
    )
    return Line([(joined(phrases, width, _dot(glyphs)), "strong")])


def _voted(vote: Vote, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """The tally as a picture and in words, what the rule made of it, and how that stands to the gold label."""
    votes = tally_of(vote.mates)
    groups = votes.of(vote.answer["case"])
    bar = tally_bar(groups, min(BAR, width // 3), glyphs) if len(vote.mates) > 1 else []
    used = sum(len(text) for text, _ in bar) + 2
    for number, line in enumerate(wrap(clean(tally_words(groups)), max(8, width - used)) if bar else ()):
        yield Line([*bar, ("  ", ""), (line, "")] if number == 0 else [(" " * used, ""), (line, "")])
    phrases = [(winner_words(votes, groups), "strong")]
    decided = vote.decided
    if decided is not None:
        outcome = OUTCOMES[decided.codes[vote.row]]
        phrases += [
            (f"{GLYPHS[outcome]} {WORDS[outcome]}", OUTCOME_STYLES.get(outcome, "dim")),
            (_gold(decided, vote.row), "gold"),
        ]
    yield from _side_by_side(phrases, width, glyphs)


def _rated(vote: Vote, width: int) -> Iterator[Line]:
    """How many of several answers rate the steps, which numbers do not vote on."""
    if len(vote.mates) == 1:
        return
    rating = sum(answer["rewards"] is not None and answer["reason"] is None for answer in vote.mates)
    misfit = sum(answer["rewards"] is not None and answer["reason"] is not None for answer in vote.mates)
    lost = len(vote.mates) - rating - misfit
    parts = [f"{rating} of {counted(len(vote.mates), 'answer')} with a number for every step"]
    parts += [f"{misfit} with numbers that do not fit the steps"] if misfit else []
    parts += [f"{lost} unparsed or refused"] if lost else []
    sentence = ", ".join(parts) + ("; a step's reward is their mean" if rating > 1 else "")
    yield from (Line([(line, "")]) for line in wrap(sentence, width))


def tally_of(answers: Sequence[Mapping[str, Any]]) -> Votes:
    """Count the votes of one run of one case, which all name it, as evaluations count them."""
    schema = {name: VOTES[name] for name in ("key", "case", "vote", "run", "ballot", "verdict", "reason")}
    frame = pl.DataFrame([{name: answer[name] for name in schema} for answer in answers], schema=schema)
    return tally(frame.select("key", "case").unique(), frame)


def tally_bar(groups: Sequence[tuple[str | None, int, int | None]], width: int, glyphs: Glyphs) -> list[TextPart]:
    """Return the groups as cells, the first one's darkest; answers that vote with nothing are question marks."""
    shades = _SHADES[glyphs.ascii_only]
    cells = apportioned([count for _, count, _ in groups], width)
    parts = []
    for place, ((ballot, _, _), size) in enumerate(zip(groups, cells, strict=True)):
        sign = "?" if ballot is None else shades[min(place, len(shades) - 2)]
        parts.append((sign * size, "bad" if ballot is None else "" if place else "predicted"))
    return parts


def winner_words(votes: Votes, groups: Sequence[tuple[str | None, int, int | None]]) -> str:
    """Say what the majority rule makes of one run's votes."""
    verdict = int(votes.verdicts[0])
    if verdict == NO_VERDICT:
        return f"no verdict: {votes.reasons[0] or 'no answer could be read'}"
    (_, most, _), *others = groups
    tied = [ballot for ballot, count, _ in others if ballot is not None and count == most]
    cast = sum(count for _, count, _ in groups)
    if cast == 1:
        return f"says {named_step(verdict)}"
    why = f"first of {1 + len(tied)} with {most} each" if tied else f"{most} of {cast}"
    return f"{named_step(verdict)} wins, {why}"


def _gold(evaluation: Evaluation, row: int) -> str:
    earliest = evaluation.gold.cases["earliest_error"][row]
    return "no gold label" if earliest is None else f"gold {named_step(earliest)}"


def _this(vote: Vote, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """Which vote of how many, what it says, and how long it is."""
    answer, several = vote.answer, len(vote.runs) > 1
    number = f"run {answer['run']} vote {answer['vote']}" if several else f"vote {answer['vote']}"
    number += f" ({vote.at + 1} of {len(vote.answers)})"
    bad = answer["reason"] is not None
    phrases = [
        (number, "header"),
        (reading_words(answer), "bad" if bad else "strong"),
        (measures(answer, vote.answers), "dim"),
    ]
    yield from _side_by_side([(text, style) for text, style in phrases if text], width, glyphs)


def _side_by_side(phrases: Sequence[tuple[str, str]], width: int, glyphs: Glyphs) -> Iterator[Line]:
    """Phrases beside each other as far as they fit, the others beneath."""
    parts: list[TextPart] = []
    used = 0
    for text, style in phrases:
        lines = wrap(clean(text), width)
        dot = _dot(glyphs) if parts else ""
        if parts and used + len(dot) + cell_len(lines[0]) > width:
            yield Line(parts)
            parts, used, dot = [], 0, ""
        for line in lines[:-1]:
            yield Line([*parts, (dot, "dim"), (line, style)])
            parts, used, dot = [], 0, ""
        parts += [(dot, "dim"), (lines[-1], style)]
        used += len(dot) + cell_len(lines[-1])
    if parts:
        yield Line(parts)


def _dot(glyphs: Glyphs) -> str:
    return " | " if glyphs.ascii_only else " · "
