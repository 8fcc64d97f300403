"""What stands above a vote: who answered and how it was read, how all of its run voted, and which vote this is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct
from rich.cells import cell_len

from inspector.critique.kept import measures, said
from inspector.critique.numbering import Numbering
from inspector.paint import OUTCOME_STYLES, Brush, apportioned
from inspector.phrases import Phrase, joined, name_forms
from inspector.sentences import GLYPHS, WORDS, counted, named_step, tally_words
from inspector.text import Part, clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap
from scoring.evaluation import Evaluation
from scoring.given import Votes, tally
from scoring.schema import VOTES
from scoring.verdicts import NO_VERDICT, OUTCOMES

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
        """The numbers of the runs, in order."""
        return sorted({one["run"] for one in self.answers})

    @property
    def mates(self) -> list[Mapping[str, Any]]:
        """The answers of the same run."""
        return [one for one in self.answers if one["run"] == self.answer["run"]]

    @property
    def decided(self) -> Evaluation | None:
        """The evaluation of the answer's run; None where that is not known."""
        runs = self.evaluation.runs
        at = self.runs.index(self.answer["run"])
        return runs[at] if len(self.runs) == len(runs) else self.evaluation if at == 0 else None

    @property
    def rates(self) -> bool:
        """Whether these answers are numbers a step, which do not vote."""
        return any(one["rewards"] is not None for one in self.mates)


def head_lines(vote: Vote, width: int, brush: Brush) -> list[Line]:
    """The lines, none wider than `width` cells."""
    told = _rated(vote, width) if vote.rates else _voted(vote, width, brush)
    return [_who(vote, width, brush), *told, *_this(vote, width, brush)]


def _who(vote: Vote, width: int, brush: Brush) -> Line:
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
    return Line([(joined(phrases, width, _dot(brush)), "strong")])


def _voted(vote: Vote, width: int, brush: Brush) -> Iterator[Line]:
    """The tally as a picture and in words, what the rule made of it, and how that stands to the gold label."""
    found = tally_of(vote.mates)
    groups = found.of(vote.answer["case"])
    bar = tally_bar(groups, min(BAR, width // 3), brush) if len(vote.mates) > 1 else []
    used = sum(len(text) for text, _ in bar) + 2
    for number, line in enumerate(wrap(clean(tally_words(groups)), max(8, width - used)) if bar else ()):
        yield Line([*bar, ("  ", ""), (line, "")] if number == 0 else [(" " * used, ""), (line, "")])
    told = [(winner_words(found, groups), "strong")]
    decided = vote.decided
    if decided is not None:
        outcome = OUTCOMES[decided.codes[vote.row]]
        told += [
            (f"{GLYPHS[outcome]} {WORDS[outcome]}", OUTCOME_STYLES.get(outcome, "dim")),
            (_gold(decided, vote.row), "gold"),
        ]
    yield from _side_by_side(told, width, brush)


def _rated(vote: Vote, width: int) -> Iterator[Line]:
    """How many of several answers rate the steps, which numbers do not vote on."""
    if len(vote.mates) == 1:
        return
    rating = sum(one["rewards"] is not None and one["reason"] is None for one in vote.mates)
    misfit = sum(one["rewards"] is not None and one["reason"] is not None for one in vote.mates)
    lost = len(vote.mates) - rating - misfit
    parts = [f"{rating} of {counted(len(vote.mates), 'answer')} with a number for every step"]
    parts += [f"{misfit} with numbers that do not fit the steps"] if misfit else []
    parts += [f"{lost} unparsed or refused"] if lost else []
    told = ", ".join(parts) + ("; a step's reward is their mean" if rating > 1 else "")
    yield from (Line([(line, "")]) for line in wrap(told, width))


def tally_of(answers: Sequence[Mapping[str, Any]]) -> Votes:
    """The votes of one run of one case, which all name it, counted as evaluations count them."""
    schema = {name: VOTES[name] for name in ("key", "case", "vote", "run", "ballot", "verdict", "reason")}
    frame = pl.DataFrame([{name: one[name] for name in schema} for one in answers], schema=schema)
    return tally(frame.select("key", "case").unique(), frame)


def tally_bar(groups: Sequence[tuple[str | None, int, int | None]], width: int, brush: Brush) -> list[Part]:
    """The groups as cells, the first one's darkest; answers that vote with nothing are question marks."""
    shades = _SHADES[brush.ascii_only]
    cells = apportioned([count for _, count, _ in groups], width)
    parts = []
    for place, ((ballot, _, _), size) in enumerate(zip(groups, cells, strict=True)):
        sign = "?" if ballot is None else shades[min(place, len(shades) - 2)]
        parts.append((sign * size, "bad" if ballot is None else "" if place else "predicted"))
    return parts


def winner_words(votes: Votes, groups: Sequence[tuple[str | None, int, int | None]]) -> str:
    """What the majority rule makes of one run's votes."""
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


def _this(vote: Vote, width: int, brush: Brush) -> Iterator[Line]:
    """Which vote of how many, what it says, and how long it is."""
    answer, several = vote.answer, len(vote.runs) > 1
    number = f"run {answer['run']} vote {answer['vote']}" if several else f"vote {answer['vote']}"
    number += f" ({vote.at + 1} of {len(vote.answers)})"
    bad = answer["reason"] is not None
    told = [(number, "header"), (said(answer), "bad" if bad else "strong"), (measures(answer, vote.answers), "dim")]
    yield from _side_by_side([(text, style) for text, style in told if text], width, brush)


def _side_by_side(told: Sequence[tuple[str, str]], width: int, brush: Brush) -> Iterator[Line]:
    """Phrases beside each other as far as they fit, the others beneath."""
    parts: list[Part] = []
    used = 0
    for text, style in told:
        lines = wrap(clean(text), width)
        dot = _dot(brush) if parts else ""
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


def _dot(brush: Brush) -> str:
    return " | " if brush.ascii_only else " · "
