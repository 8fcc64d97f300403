"""One vote of a case as the pane shows it: found among the kept answers, read again and cut into blocks."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import polars as pl
from msgspec import Struct

from inspector.case_page.critique_page import CritiquePage, Reader, page_of
from inspector.case_page.open_case import DisplayOptions
from inspector.case_page.vote_head import Vote, head_lines
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.state.answer_blocks import AnswerBlock, blocks_of, prompt_block
from inspector.state.answer_places import AnswerPlace, place_of
from inspector.state.kept_answers import kept_answers, measures, reading_words
from inspector.state.screen_state import ScreenState
from inspector.state.step_numbering import numbering
from inspector.widgets.key_table.key_words import USUAL, KeyWords
from inspector.widgets.line_view import Line
from scoring.data.errors import InspectError
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import Rule
from scoring.runs.prompts import sampling_words, sent
from scoring.workspace.filtering.text_query import TextQuery


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
    if state.focus.scorer is None:
        return []
    return kept_answers(state.results, state.focus.scorer, row).to_dicts()


def without_answers(state: ScreenState, keys: KeyWords = USUAL) -> str:
    """Say why there is no answer to a case to read, and what there is instead; `keys` are those that it names."""
    evaluation = state.evaluation
    if evaluation is None:
        return "There is no scorer, so there are no answers to read."
    name = evaluation.scorer.name
    if evaluation.scorer.kind == "critic":
        return f"{name} gave no answer on this case."
    others = [other for other in state.results.evaluations if other.coverage.covers(state.focus.benchmark)]
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
    steps = state.results.loaded.texts.row(row)["steps"]
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
    about, texts = results.cases.row(row, named=True), results.loaded.texts.row(row)
    # Why there is none is told by `show --prompt`: here it is about the answer.
    with suppress(InspectError):
        request = sent(results.loaded.workspace.root, scorer, about, texts, answer)
        yield prompt_block(request, sampling_words(scorer, answer["seed"]))


def _rule_of_ratings(evaluation: Evaluation, row: int) -> Rule:
    """The rule by which rewards of a case are judged now; where they are not, that of the scorer's own threshold."""
    scorer, rule = evaluation.scorer, evaluation.rule.comparing
    if rule is not None and rule.on == "rewards":
        return rule.of(row)
    return Rule(scorer.threshold, scorer.comparison)


def _notes(answer: Mapping[str, Any], place: AnswerPlace) -> Iterator[str]:
    """What is to be known of the answer before its text is read."""
    if answer["answer"] is None:
        yield "No text was kept."
    elif not answer["answer"].strip() and not answer["reasoning"]:
        yield "The answer is empty."
    yield from (f"Note: {note}." for note in place.notes)
    if place.why:
        yield f"{place.why[0].upper()}{place.why[1:]}."


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
