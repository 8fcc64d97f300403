"""One vote of a case as the pane shows it: found among the kept answers, read again and cut into blocks."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct

from inspector.commands.key_words import USUAL, KeyWords
from inspector.critique.blocks import Block, blocks_of, prompt_block
from inspector.critique.head import Vote, head_lines
from inspector.critique.kept import kept_answers
from inspector.critique.numbering import numbering
from inspector.critique.page import Page, Reader, page_of
from inspector.critique.reading_again import Place, place_of
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.widgets.line_view import Line
from scoring.errors import InspectError
from scoring.evaluation import Evaluation
from scoring.prompts import sampling_words, sent
from scoring.scorer import Scorer
from scoring.text_query import TextQuery
from scoring.verdicts import AsGiven, Rule


class Manner(Struct, frozen=True):
    """How a vote is shown: cells of width, signs, formulas raw or readable, what was searched for in answers, and the
    keys that hints name.
    """

    width: int
    brush: Brush
    raw: bool = False
    search: TextQuery | None = None
    keys: KeyWords = USUAL


class VotePage(Struct, frozen=True, eq=False):
    """A vote that was read: `head` are the lines that stay in place; the rest is laid out beneath them."""

    head: list[Line]
    notes: tuple[str, ...]
    blocks: tuple[Block, ...]
    reader: Reader

    def page(self, *, unfolded: frozenset[int] = frozenset(), chosen: int | None = None) -> Page:
        """With these blocks (0-based) unfolded and the cursor on this spot."""
        return page_of(self.blocks, self.notes, self.reader, unfolded=unfolded, chosen=chosen)


def answers_to(inspection: Inspection, row: int) -> list[dict[str, Any]]:
    """The answers of the scorer in focus to a case, in order of run and vote; [] where there are none."""
    if inspection.scorer is None:
        return []
    return kept_answers(inspection.selection, inspection.scorer, row).to_dicts()


def without_answers(inspection: Inspection, keys: KeyWords = USUAL) -> str:
    """Why there is no answer to a case to read, and what there is instead; `keys` are those that it names."""
    evaluation = inspection.evaluation
    if evaluation is None:
        return "There is no scorer, so there are no answers to read."
    name = evaluation.scorer.name
    if evaluation.scorer.kind == "critic":
        return f"{name} gave no answer on this case."
    others = [one for one in inspection.selection.evaluations if one.covers(inspection.benchmark)]
    critics = [one.scorer.name for one in others if one.scorer.kind == "critic"]
    following = f"{keys.of('next-scorer')} looks through the next scorer"
    where = f"{critics[0]} does; {following}." if critics else "No scorer of this benchmark does."
    return f"{name} gives no answers in words. {where}"


def vote_page(
    inspection: Inspection, row: int, answers: Sequence[Mapping[str, Any]], at: int, manner: Manner
) -> VotePage:
    """The answer at this place (0-based) of `answers_to`. There must be one, and a scorer in focus."""
    evaluation = inspection.evaluation
    assert evaluation is not None  # noqa: S101  # without a scorer there are no answers
    scorer, answer = evaluation.scorer, answers[at]
    steps = inspection.selection.texts.row(row)["steps"]
    counting = numbering(scorer, steps)
    vote = Vote(evaluation, row, answers, at, counting)
    place = place_of(scorer, answer, len(steps))
    wrong = partial(_wrong, evaluation, row)
    named = answer["verdict"] is not None and 0 <= answer["verdict"] < len(steps)
    verdict = answer["verdict"] if named else None
    reader = Reader(counting, wrong, manner.width, manner.brush, manner.raw, manner.search, verdict, manner.keys)
    head = head_lines(vote, manner.width, manner.brush)
    blocks = (*_prompt(inspection, row, scorer, answer), *blocks_of(scorer, answer, place))
    return VotePage(head, tuple(_notes(answer, place)), blocks, reader)


def _prompt(inspection: Inspection, row: int, scorer: Scorer, answer: Mapping[str, Any]) -> Iterator[Block]:
    """What the answer was given to, folded, where the answer says what it was."""
    if answer["prompt"] is None:
        return
    texts = inspection.selection.texts.row(row)
    # Why there is none is told by `show --prompt`: here it is about the answer.
    with suppress(InspectError):
        asked = sent(inspection.selection.workspace.root, scorer, texts["problem"], texts["steps"], answer)
        yield prompt_block(asked, sampling_words(scorer, answer["seed"]))


def _wrong(evaluation: Evaluation, row: int, rating: float) -> bool:
    """Whether a rating says that its step is wrong, as rewards are judged now; where these are not, by the scorer's own
    threshold.
    """
    scorer, rule = evaluation.scorer, evaluation.rule
    judging = Rule(scorer.threshold, scorer.comparison)
    if not isinstance(rule, AsGiven) and rule.on == "rewards":
        judging = rule.of(row)
    return bool(judging.wrong(np.array([rating]))[0])


def _notes(answer: Mapping[str, Any], place: Place) -> Iterator[str]:
    """What is to be known of the answer before its text is read."""
    if answer["answer"] is None:
        yield "No text was kept."
    elif not answer["answer"].strip() and not answer["reasoning"]:
        yield "The answer is empty."
    yield from (f"Note: {note}." for note in place.notes)
    if place.why:
        yield f"{place.why[0].upper()}{place.why[1:]}."
