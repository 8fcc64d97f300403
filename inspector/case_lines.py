"""One case as lines for a pane: problem, what happened, steps with reward bars and marks, gold labels."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from rich.cells import cell_len

from inspector.documents import gold_word
from inspector.inspection import Inspection
from inspector.mathtext import unicode_math
from inspector.paint import OUTCOME_STYLES, Brush
from inspector.sentences import GLYPHS, TRUNCATED, counted, outcome_sentence, votes_words
from inspector.text import clean
from inspector.widgets.line_scroll import Part
from inspector.widgets.line_view import Line
from inspector.wrap import wrap
from scoring.evaluation import Evaluation
from scoring.verdicts import OUTCOMES, UNPARSED

MARK = 5
TAIL = 300
"""Characters of an answer's end that are shown where it could not be read."""
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


@dataclass(frozen=True)
class Manner:
    """How a case is shown: width in cells, pictures, formulas raw or in Unicode, gold reason shown or hidden.

    `named` puts the case's name above, where it does not stand elsewhere.
    """

    width: int
    brush: Brush
    raw: bool = False
    reason: bool = True
    named: bool = True

    @property
    def bar(self) -> int:
        """Cells of a reward's bar: shorter where the text needs the room."""
        return 10 if self.width >= 76 else 5


@dataclass(frozen=True)
class CaseLines:
    """The lines, and on which of them each step starts (index = step, 0-based)."""

    lines: tuple[Line, ...]
    starts: tuple[int, ...]


def case_lines(inspection: Inspection, row: int, manner: Manner) -> CaseLines:
    """The case with this row id, seen through the scorer in focus."""
    case = inspection.cases.row(row, named=True)
    texts = inspection.selection.texts.row(row)
    evaluation = inspection.evaluation
    lines = list(_head(case, manner))
    lines += paragraph("", "", texts["problem"], manner, style="strong")
    if evaluation is not None:
        lines += [Line([]), *_sentence(evaluation, row, manner), *_answers(inspection, evaluation, row, manner)]
    lines.append(Line([]))
    starts = []
    for step, text in enumerate(texts["steps"]):
        starts.append(len(lines))
        lines += _step(case, step, text, evaluation, row, manner)
    lines += [Line([]), *_gold(case, texts, manner), *_other_texts(texts, manner)]
    return CaseLines(tuple(lines), tuple(starts))


def _prose(text: str, manner: Manner) -> str:
    """A text from data, ready for the screen: formulas readable unless raw, nothing left that could act."""
    return clean(text if manner.raw else _BLANK_LINES.sub("\n\n", unicode_math(text)), lines=True)


def _head(case: dict[str, Any], manner: Manner) -> Iterator[Line]:
    facts = [case["subset"], case["origin"], case["language"], case["generator"], counted(case["n_steps"], "step")]
    if case["final_answer_correct"] is not None:
        facts.append("final answer right" if case["final_answer_correct"] else "final answer wrong")
    described = "  ·  ".join(clean(fact) for fact in facts if fact)
    if manner.brush.ascii_only:
        described = described.replace("·", "|")
    name = f"{clean(case['case'])}  " if manner.named else ""
    for line in wrap(f"{name}{described}", manner.width):
        yield Line([(line, "dim")])


def _sentence(evaluation: Evaluation, row: int, manner: Manner) -> Iterator[Line]:
    outcome = OUTCOMES[evaluation.codes[row]]
    style = OUTCOME_STYLES.get(outcome, "dim")
    text = f"{GLYPHS[outcome]} {outcome_sentence(evaluation, row)}"
    for line in wrap(clean(f"{text}  [{evaluation.scorer.name}]"), manner.width):
        yield Line([(line, f"{style} strong")])


def _answers(inspection: Inspection, evaluation: Evaluation, row: int, manner: Manner) -> Iterator[Line]:
    """What there is beside a verdict: how answers voted, how one that was not read ends, a number for the solution."""
    if words := votes_words(evaluation, row):
        yield from paragraph("", "", f"votes: {words}", manner, style="dim")
    solution = float(evaluation.rewards.solutions[row])
    if evaluation.answered[row] and math.isfinite(solution):
        yield Line([(f"one number for the solution: {solution:.4g}", "dim")])
    if evaluation.codes[row] != UNPARSED:
        return
    answers = inspection.selection.answers(evaluation.scorer.name, row)
    if answers:
        end = answers[0].rstrip()
        cut = "..." if len(end) > TAIL else ""
        yield from paragraph("", "", f"The answer ends: {cut}{end[-TAIL:]}", replace(manner, raw=True), style="dim")


def _step(
    case: dict[str, Any], step: int, text: str, evaluation: Evaluation | None, row: int, manner: Manner
) -> Iterator[Line]:
    """Mark, number, bar and reward (or a tick) at the left, the text wrapped beside them."""
    verdict = int(evaluation.verdicts[row]) if evaluation and evaluation.answered[row] else None
    margin: list[Part] = [*_gutter(case, step, verdict), (f"{step:>3} ", "dim")]
    if evaluation is not None:
        margin += _judgement(evaluation, row, step, manner)
    indent = sum(cell_len(text) for text, _ in margin)
    style = {"error": "gold", "error step": "strong"}.get(gold_word(case, step) or "", "")
    body = wrap(_prose(text, manner), max(10, manner.width - indent))
    for index, line in enumerate(body):
        yield Line([*(margin if index == 0 else [(" " * indent, "")]), (line, style)])


def _gutter(case: dict[str, Any], step: int, verdict: int | None) -> list[Part]:
    """The word that says what this step is: the gold error, the predicted one, both, or a further error step."""
    word = gold_word(case, step)
    if word == "error":
        text, style = ("exact", "good strong") if step == verdict else ("gold", "gold")
    elif step == verdict:
        text, style = "pred", "predicted"
    elif word == "error step":
        text, style = "err", "gold dim"
    else:
        text, style = "", ""
    return [(text, style), (" " * (MARK - len(text)), "")]


def _judgement(evaluation: Evaluation, row: int, step: int, manner: Manner) -> list[Part]:
    """Bar and value where there is a reward, and a cross where the step is judged wrong.

    A scorer that gave labels alone has a tick or a cross, one that gave verdicts alone has nothing here. The rewards of
    a truncated case are marked, its later steps have none.
    """
    ascii_only = manner.brush.ascii_only
    judged = evaluation.judged_wrong(row)
    wrong = None if judged is None else judged[step]
    style = "dim" if wrong is None else "bad" if wrong else "good"
    cross = "x" if ascii_only else "✗"
    rewards = evaluation.rewards.of(row)
    first = evaluation.rewards.first_of(row)
    if first is not None and step < len(first):
        bar = _bar(evaluation, row, step, first, style, manner)
        return [*bar, (f" {_five_cells(first[step])}", style), (f"{TRUNCATED} ", style)]
    if rewards is not None:
        mark = cross if wrong else " "
        return [
            *_bar(evaluation, row, step, rewards, style, manner),
            (f" {_five_cells(rewards[step])}", style),
            (f"{mark} ", style),
        ]
    if evaluation.rewards.labels.given.any():
        tick = "+" if ascii_only else "✓"
        return [("  " if wrong is None else f"{cross if wrong else tick} ", style)]
    if evaluation.movable:
        return [(" " * manner.bar + ("     -  " if ascii_only else "     –  "), "dim")]
    return []


def _bar(evaluation: Evaluation, row: int, step: int, rewards: list[float], style: str, manner: Manner) -> list[Part]:
    """A reward's bar in the scorer's own range, with the threshold through it where there is one.

    A threshold on differences lies that far from the reward of the step before.
    """
    scorer, threshold = evaluation.scorer, evaluation.threshold_at(row)
    span = (scorer.high - scorer.low) or 1.0
    share = (rewards[step] - scorer.low) / span
    if threshold is not None and step and evaluation.compared_values is not evaluation.rewards:
        threshold += rewards[step - 1]
    if threshold is None:
        return [(manner.brush.bar(share, manner.bar)[0], style)]
    return manner.brush.reward_bar(share, manner.bar, (threshold - scorer.low) / span, style)


def _five_cells(reward: float) -> str:
    """The reward with two digits after the point, or as many as five cells hold."""
    texts = (f"{reward:5.{digits}f}" for digits in (2, 1, 0))
    return next((text for text in texts if len(text) <= 5), f"{reward:.0e}")


def _gold(case: dict[str, Any], texts: dict[str, Any], manner: Manner) -> Iterator[Line]:
    """The gold labels and, unless hidden, why."""
    earliest = case["earliest_error"]
    if earliest is None:
        said = "the labels name no step of this solution"
    elif earliest == -1:
        said = "no wrong step"
    else:
        others = [str(step) for step in case["error_steps"] or [] if step != earliest]
        said = f"step {earliest}" + (f" (also wrong: {', '.join(others)})" if others else "")
    kinds = [case["error_category"], case["error_type"], case["error_kind"], case["pattern"]]
    dot = " | " if manner.brush.ascii_only else " · "
    yield from paragraph("Gold  ", "gold", dot.join([said, *(kind for kind in kinds if kind)]), manner)
    if texts["reason"] and manner.reason:
        yield from paragraph("Why   ", "gold", texts["reason"], manner)
    elif texts["reason"]:
        yield Line([("Why   ", "gold"), ("hidden; r shows it", "dim")])


def _other_texts(texts: dict[str, Any], manner: Manner) -> Iterator[Line]:
    """Other wordings of the problem, where they are another, and the reference answer."""
    for label, name in (("Question  ", "question"), ("Original  ", "original_problem")):
        if texts[name] not in {None, texts["problem"]}:
            yield from paragraph(label, "dim", texts[name], manner)
    if texts["reference_answer"] is not None:
        yield from paragraph("Answer    ", "dim", texts["reference_answer"], manner)


def paragraph(label: str, label_style: str, text: str, manner: Manner, style: str = "") -> Iterator[Line]:
    """A text from data, wrapped beside its label."""
    body = wrap(_prose(text, manner), max(10, manner.width - len(label)))
    for index, line in enumerate(body):
        yield Line([(label if index == 0 else " " * len(label), label_style), (line, style)])
