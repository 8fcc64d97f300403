"""A vote laid out for the critique pane: lines, and the spots in them that do something when they are chosen."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct, field
from rich.cells import cell_len

from inspector.case_page.lines import DisplayOptions
from inspector.case_page.prose import FOUND, in_raw
from inspector.render.charts.glyphs import OUTCOME_STYLES, Glyphs, apportioned
from inspector.render.texts.sentences import GLYPHS, WORDS, counted, named_step, tally_words
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import Phrase, joined, name_forms, wrap
from inspector.state.answer_blocks import (
    ANSWER,
    AnswerBlock,
    AnswerPlace,
    Numbering,
    ReadableText,
    TextMark,
    WrappedLine,
    blocks_of,
    numbering,
    place_of,
    placed_lines,
    prompt_block,
    readable,
)
from inspector.state.kept_answers import kept_answers, measures, reading_words
from inspector.state.screen_state import ScreenState
from inspector.widgets.key_table.key_words import USUAL, KeyWords
from inspector.widgets.line_view import Line
from scoring.data.errors import InspectError
from scoring.data.schema import VOTES
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import NO_VERDICT, OUTCOMES, ProvidedVerdicts, Rule
from scoring.evaluation.votes import Votes, tally
from scoring.runs.prompts import sampling_words, sent
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_spans import occurs, spans

HIT = -2
"""The name of the mark of what a search found."""
CHOSEN = "chosen"
"""The style of the spot on which the cursor is."""
GUTTER = 2
"""Cells at the left in which the lines of what was read have a sign."""


class PageSpot(Struct, frozen=True):
    """What can be chosen on a page, in its order: a `step` (0-based) to go to, or a block to fold and unfold.

    `aside` says of a block that others unfold before it where none is chosen.

    `places` are (line, first cell, cell behind the last) on which it lies; a mention may be broken over two lines.
    """

    places: tuple[tuple[int, int, int], ...]
    step: int | None = None
    fold: int | None = None
    aside: bool = False


class CritiquePage(Struct, frozen=True):
    """The lines and spots; `answer_at` is the line of what was read."""

    lines: tuple[Line, ...]
    spots: tuple[PageSpot, ...]
    answer_at: int | None = None


class Reader(Struct, frozen=True):
    """Who reads a page: what the numbers of mentions mean (`numbering`; None = that is not known, and no mention can be
    chosen), the `rule` by which a rating says that its step is wrong, cells of width, formulas as written or not, the
    signs, what was searched for in answers, and the `verdict` (0-based step of the case; None = it names none) that was
    read, and the `keys` that hints name.
    """

    numbering: Numbering | None
    rule: Rule
    width: int
    glyphs: Glyphs
    raw: bool = False
    search: TextQuery | None = None
    verdict: int | None = None
    keys: KeyWords = USUAL


class _Layout(Struct):
    """A page that is being made; `chosen` is the place of the spot on which the cursor is."""

    reader: Reader
    chosen: int | None
    lines: list[Line] = field(default_factory=list)
    spots: list[PageSpot] = field(default_factory=list)
    answer_at: int | None = None

    @property
    def width(self) -> int:
        """Cells of the page."""
        return self.reader.width

    def say(self, text: str, style: str = "dim") -> None:
        """Words of our own."""
        for line in wrap(clean(text), self.width):
            self.lines.append(Line([(line, style)]))

    def piece(self, at: int, block: AnswerBlock, *, folded: bool) -> None:
        """A block of text, or what stands for it while it is folded."""
        if block.folds:
            self.fold(at, block, folded=folded)
        elif block.title:
            self.say(block.title)
        if not folded:
            self.text(block)

    def ratings(self, block: AnswerBlock) -> None:
        """Numbers beside the steps that they are of, as many in a line as fit."""
        self.say(block.title)
        numbering, cross = self.reader.numbering, "x" if self.reader.glyphs.ascii_only else "✗"
        parts: list[TextPart] = []
        used = 0
        for at, (rating, redundancy) in enumerate(block.ratings):
            step = at if numbering is None or at in numbering.steps else None
            name = f"step {at}"
            wrong = bool(self.reader.rule.wrong(np.array([rating]))[0])
            words = f" {_rating_words(rating, self.reader.rule.threshold)}{cross if wrong else ''}"
            words += "" if redundancy is None else f" redundancy {redundancy:+.4g}"
            size = len(name) + len(words) + GUTTER
            if used and used + size > self.width:
                self.lines.append(Line(parts))
                parts, used = [], 0
            place = (len(self.lines), used, used + len(name))
            style = "stranger" if step is None else self.spot(PageSpot((place,), step=step))
            parts += [(name, style), (words + " " * GUTTER, "bad" if wrong else "good")]
            used += size
        self.lines.append(Line(parts))

    def heading(self, block: AnswerBlock) -> None:
        """What stands above the calls about one step."""
        name = f"step {block.step}"
        self.lines.append(Line([]))
        spot = self.spot(PageSpot(((len(self.lines), 0, len(name)),), step=block.step))
        self.lines.append(Line([(name, f"{spot} strong"), (f"  {block.title}", "strong")]))

    def fold(self, at: int, block: AnswerBlock, *, folded: bool) -> None:
        """The line that a block folds into, or that stands above it."""
        sign = (("+" if folded else "-") if self.reader.glyphs.ascii_only else ("▸" if folded else "▾")) + " "
        words = f"{sign}{block.title}, {len(block.text):,} characters"
        words += " (what was read stands in it)" if folded and block.holds_answer else ""
        hit = folded and not block.prompt and self.reader.search and occurs(self.reader.search, block.text)
        words += " (what was searched for stands in it)" if hit else ""
        line = wrap(words, self.width)[0]
        spot = self.spot(PageSpot(((len(self.lines), 0, cell_len(line)),), fold=at, aside=block.prompt))
        self.lines.append(Line([(line, spot or "dim")]))

    def spot(self, spot: PageSpot) -> str:
        """Add a spot; the style that says so where it is the chosen one."""
        self.spots.append(spot)
        return CHOSEN if len(self.spots) - 1 == self.chosen else "" if spot.step is None else "link"

    def text(self, block: AnswerBlock) -> None:
        """A block's text, wrapped, with what is marked in it."""
        raw = self.reader.raw or block.prompt
        prepared = _readable(block.text.rstrip(), block.marks, raw)
        if prepared.raw and not raw:
            self.say("(as written: a formula around what was read cannot be shown otherwise)")
        lines = list(placed_lines(prepared.text, max(1, self.width - GUTTER)))
        styles = self._styles(prepared, lines, len(self.lines))
        sign = (">" if self.reader.glyphs.ascii_only else "»").ljust(GUTTER)
        every = [*zip(prepared.marks, styles, strict=True), *self._hits(block, prepared)]
        over = _over([mark for mark, _ in every], lines)
        for number, line in enumerate(lines):
            marks = [every[at] for at in over.get(number, ())]
            read = any(mark.name == ANSWER for mark, _ in marks)
            if read and self.answer_at is None:
                self.answer_at = len(self.lines)
            margin = (sign, "gold") if read else (" " * GUTTER, "")
            self.lines.append(Line([margin, *_parts(line, marks)]))

    def _hits(self, block: AnswerBlock, prepared: ReadableText) -> Iterator[tuple[TextMark, str]]:
        """Where a search found something in the text as it is shown; of hits in the raw text alone there are words."""
        if not self.reader.search or block.prompt:
            return
        places = spans(self.reader.search, prepared.text)
        if not places and occurs(self.reader.search, block.text):
            self.say(in_raw(self.reader.keys), f"dim {FOUND}")
        yield from ((TextMark(*place, HIT), FOUND) for place in places)

    def _styles(self, prepared: ReadableText, lines: Sequence[WrappedLine], first: int) -> list[str]:
        """The style of each mark, the spots of those that name a step of the case made."""
        styles = []
        for mark in prepared.marks:
            step, plain = self._meaning(mark)
            if step is None:
                styles.append(plain)
            else:
                here = self.spot(PageSpot(tuple(_places(mark, lines, first)), step=step))
                styles.append(here if here == CHOSEN or not plain else plain)
        return styles

    def _meaning(self, mark: TextMark) -> tuple[int | None, str]:
        """The step (0-based) that a mark leads to, None for none, and its style where it is not that of a link."""
        if mark.name == ANSWER:
            return self.reader.verdict, "match strong"
        if self.reader.numbering is None:
            return None, ""
        step = self.reader.numbering.step(mark.name)
        return step, "" if step is not None else "stranger"


def page_of(
    blocks: Sequence[AnswerBlock], notes: Sequence[str], reader: Reader, *, unfolded: frozenset[int], chosen: int | None
) -> CritiquePage:
    """Lay out the blocks.

    Args:
        blocks: of one answer.
        notes: sentences of our own, to stand above.
        reader: who reads it.
        unfolded: the places (0-based) of blocks that are not folded.
        chosen: the place of the spot on which the cursor is.
    """
    layout = _Layout(reader, chosen)
    for note in (*notes, *_strangers(blocks, reader.numbering)):
        layout.say(note)
    for at, block in enumerate(blocks):
        if block.ratings:
            layout.ratings(block)
        elif not block.text and block.step is not None:
            layout.heading(block)
        else:
            layout.piece(at, block, folded=block.folds and at not in unfolded)
    return CritiquePage(tuple(layout.lines), tuple(layout.spots), layout.answer_at)


def _strangers(blocks: Sequence[AnswerBlock], numbering: Numbering | None) -> Iterator[str]:
    """What is to be said of mentions that cannot be followed."""
    named = sorted({mark.name for block in blocks for mark in block.marks if mark.name != ANSWER})
    if numbering is None:
        if named:
            yield "From which number this scorer counts steps is not known: no mention of a step can be followed."
        return
    if strange := [number for number in named if numbering.step(number) is None]:
        listed = ", ".join(map(str, strange))
        yield f"Struck through: there is no step {listed} here, as this scorer counts (from {numbering.base})."


@lru_cache(maxsize=64)
def _readable(text: str, marks: tuple[TextMark, ...], raw: bool) -> ReadableText:
    """Converting takes the time: a page is laid out anew with every move of its cursor."""
    return readable(text, marks, raw=raw, precious=ANSWER)


def _over(marks: Sequence[TextMark], lines: Sequence[WrappedLine]) -> dict[int, list[int]]:
    """By the place of a line, the places of the marks that lie on it."""
    by_line: dict[int, list[int]] = {}
    for at, mark in enumerate(marks):
        for number in _lines_of(mark, lines):
            by_line.setdefault(number, []).append(at)
    return by_line


def _lines_of(mark: TextMark, lines: Sequence[WrappedLine]) -> Iterator[int]:
    """The places of the lines on which a mark lies."""
    number = max(0, bisect_right(lines, mark.start, key=lambda line: line.start) - 1)
    while number < len(lines) and lines[number].start < mark.end:
        if lines[number].end > mark.start:
            yield number
        number += 1


def _places(mark: TextMark, lines: Sequence[WrappedLine], first: int) -> Iterator[tuple[int, int, int]]:
    for number in _lines_of(mark, lines):
        line = lines[number]
        start, end = max(mark.start, line.start) - line.start, min(mark.end, line.end) - line.start
        before = GUTTER + cell_len(line.text[:start])
        yield first + number, before, before + cell_len(line.text[start:end])


def _parts(line: WrappedLine, marks: Sequence[tuple[TextMark, str]]) -> Iterator[TextPart]:
    """A line in pieces of one style each; `marks` lie on it, each with its style."""
    edges = {line.start, line.end}
    for mark, _ in marks:
        edges |= {max(mark.start, line.start), min(mark.end, line.end)}
    for start, end in pairwise(sorted(edges)):
        names = [style for mark, style in marks if style and mark.start <= start and end <= mark.end]
        yield line.text[start - line.start : end - line.start], " ".join(names)


# -- what stands above a vote: who answered and how it was read, how all of its run voted, and which vote this is


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


# -- one vote of a case as the pane shows it: found among the kept answers, read again and cut into blocks


class VoteDisplay(Struct, frozen=True):
    """How a vote is shown: cells of width, signs, formulas raw or readable, what was searched for in answers, and the
    keys that hints name.
    """

    width: int
    glyphs: Glyphs
    raw: bool = False
    search: TextQuery | None = None
    keys: KeyWords = USUAL


class VotePage(Struct, frozen=True, eq=False):
    """A vote that was read: `head` are the lines that stay in place; the rest is laid out beneath them."""

    head: list[Line]
    notes: tuple[str, ...]
    blocks: tuple[AnswerBlock, ...]
    reader: Reader

    def page(self, *, unfolded: frozenset[int] = frozenset(), chosen: int | None = None) -> CritiquePage:
        """Lay out the page with these blocks (0-based) unfolded and the cursor on this spot."""
        return page_of(self.blocks, self.notes, self.reader, unfolded=unfolded, chosen=chosen)


def answers_to(state: ScreenState, row: int) -> list[dict[str, Any]]:
    """Return the answers of the scorer in focus to a case, in order of run and vote; [] where there are none."""
    if state.scorer is None:
        return []
    return kept_answers(state.results, state.scorer, row).to_dicts()


def without_answers(state: ScreenState, keys: KeyWords = USUAL) -> str:
    """Say why there is no answer to a case to read, and what there is instead; `keys` are those that it names."""
    evaluation = state.evaluation
    if evaluation is None:
        return "There is no scorer, so there are no answers to read."
    name = evaluation.scorer.name
    if evaluation.scorer.kind == "critic":
        return f"{name} gave no answer on this case."
    others = [other for other in state.results.evaluations if other.coverage.covers(state.benchmark)]
    critics = [other.scorer.name for other in others if other.scorer.kind == "critic"]
    following = f"{keys.of('next-scorer')} looks through the next scorer"
    where = f"{critics[0]} does; {following}." if critics else "No scorer of this benchmark does."
    return f"{name} gives no answers in words. {where}"


def vote_page(
    state: ScreenState, row: int, answers: Sequence[Mapping[str, Any]], at: int, display: VoteDisplay
) -> VotePage:
    """Return the answer at this place (0-based) of `answers_to`. There must be one, and a scorer in focus."""
    evaluation = state.evaluation
    assert evaluation is not None  # noqa: S101  # without a scorer there are no answers
    scorer, answer = evaluation.scorer, answers[at]
    steps = state.results.texts.row(row)["steps"]
    counting = numbering(scorer, steps)
    vote = Vote(evaluation, row, answers, at, counting)
    place = place_of(scorer, answer, len(steps))
    rule = _rule_of_ratings(evaluation, row)
    named = answer["verdict"] is not None and 0 <= answer["verdict"] < len(steps)
    verdict = answer["verdict"] if named else None
    reader = Reader(counting, rule, display.width, display.glyphs, display.raw, display.search, verdict, display.keys)
    head = head_lines(vote, display.width, display.glyphs)
    blocks = (*_prompt(state, row, scorer, answer), *blocks_of(scorer, answer, place))
    return VotePage(head, tuple(_notes(answer, place)), blocks, reader)


def _prompt(state: ScreenState, row: int, scorer: Scorer, answer: Mapping[str, Any]) -> Iterator[AnswerBlock]:
    """What the answer was given to, folded, where the answer says what it was."""
    if answer["prompt"] is None:
        return
    results = state.results
    about, texts = results.cases.row(row, named=True), results.texts.row(row)
    # Why there is none is told by `show --prompt`: here it is about the answer.
    with suppress(InspectError):
        request = sent(results.workspace.root, scorer, about, texts, answer)
        yield prompt_block(request, sampling_words(scorer, answer["seed"]))


def _rule_of_ratings(evaluation: Evaluation, row: int) -> Rule:
    """The rule by which rewards of a case are judged now; where they are not, that of the scorer's own threshold."""
    scorer, rule = evaluation.scorer, evaluation.rule
    if not isinstance(rule, ProvidedVerdicts) and rule.on == "rewards":
        return rule.of(row)
    return Rule(scorer.threshold, scorer.comparison)


def _rating_words(rating: float, threshold: float) -> str:
    """A rating with four digits, or in full where these are those of the threshold."""
    words = f"{rating:+.4g}"
    return f"{rating:+}" if rating != threshold and words == f"{threshold:+.4g}" else words


def _notes(answer: Mapping[str, Any], place: AnswerPlace) -> Iterator[str]:
    """What is to be known of the answer before its text is read."""
    if answer["answer"] is None:
        yield "No text was kept."
    elif not answer["answer"].strip() and not answer["reasoning"]:
        yield "The answer is empty."
    yield from (f"Note: {note}." for note in place.notes)
    if place.why:
        yield f"{place.why[0].upper()}{place.why[1:]}."


# -- a critic's answers to a case as lines beneath it, a line a vote; their texts are in the critique pane


def answer_lines(answers: pl.DataFrame, display: DisplayOptions) -> Iterator[Line]:
    """Yield the answers (as VOTES, in order of run and vote); nothing where there is none."""
    if not answers.height:
        return
    yield Line([])
    yield Line(
        [
            ("Answers  ", "gold"),
            (f"{counted(answers.height, 'answer')}; {display.keys.of('answers')} opens them", "dim"),
        ]
    )
    several = answers["run"].n_unique() > 1
    every = answers.to_dicts()
    for answer in every:
        yield from _answer_line(answer, measures(answer, every), several, display)


def _answer_line(answer: dict[str, Any], measured: str, several: bool, display: DisplayOptions) -> Iterator[Line]:
    run = f"run {answer['run']} " if several else ""
    head = f"  {run}vote {answer['vote']}  "
    words = "  ".join(word for word in (reading_words(answer), measured) if word)
    style = "" if answer["reason"] is None else "bad"
    for number, line in enumerate(wrap(clean(words), max(10, display.width - len(head)))):
        yield Line([(head if number == 0 else " " * len(head), "dim"), (line, style)])
