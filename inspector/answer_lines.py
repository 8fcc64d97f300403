"""A critic's answers to a case as lines beneath it: a line a vote, and folded under it what was said."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from inspector.case_lines import Manner, paragraph
from inspector.kept_answers import measures, said
from inspector.sentences import counted
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap

FOLDED, TEXTS, REASONING = 0, 1, 2
"""How much is shown of each answer: one line, also its text, also the reasoning before it."""
HINTS = ("v shows their texts", "v shows the reasoning too", "v folds them")


def answer_lines(answers: pl.DataFrame, unfolded: int, manner: Manner) -> Iterator[Line]:
    """The answers (as VOTES, in order of run and vote); nothing where there is none."""
    if not answers.height:
        return
    # Without reasoning there is nothing between the texts and folding them.
    hint = HINTS[2] if unfolded == TEXTS and not has_reasoning(answers) else HINTS[unfolded]
    yield Line([])
    yield Line([("Answers  ", "gold"), (f"{counted(answers.height, 'answer')}; {hint}", "dim")])
    several = answers["run"].n_unique() > 1
    every = answers.to_dicts()
    for answer in every:
        yield from _one(answer, measures(answer, every), several, manner)
        if unfolded:
            yield from _said(answer, unfolded, manner)


def has_reasoning(answers: pl.DataFrame) -> bool:
    """Whether a server gave any reasoning apart."""
    return answers["reasoning"].null_count() < answers.height


def _one(answer: dict[str, Any], measured: str, several: bool, manner: Manner) -> Iterator[Line]:
    run = f"run {answer['run']} " if several else ""
    head = f"  {run}vote {answer['vote']}  "
    told = "  ".join(word for word in (said(answer), measured) if word)
    style = "" if answer["reason"] is None else "bad"
    for number, line in enumerate(wrap(clean(told), max(10, manner.width - len(head)))):
        yield Line([(head if number == 0 else " " * len(head), "dim"), (line, style)])


def _said(answer: dict[str, Any], unfolded: int, manner: Manner) -> Iterator[Line]:
    narrow = replace(manner, width=max(20, manner.width - 4))
    for name, style in (("reasoning", "dim"), ("answer", "")):
        text = answer[name]
        if text is None:
            continue
        if name == "reasoning" and unfolded < REASONING:
            lines = iter([Line([(f"(reasoning of {len(text):,} characters)", "dim")])])
        else:
            lines = paragraph("", "", text, narrow, style=style)
        yield from (Line([("    ", ""), *line.parts]) for line in lines)
