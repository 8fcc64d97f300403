"""A critic's answers to a case as lines beneath it, a line a vote; their texts are in the critique pane."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from inspector.case_view.lines import Manner
from inspector.critique.kept import measures, said
from inspector.sentences import counted
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap


def answer_lines(answers: pl.DataFrame, manner: Manner) -> Iterator[Line]:
    """The answers (as VOTES, in order of run and vote); nothing where there is none."""
    if not answers.height:
        return
    yield Line([])
    yield Line(
        [("Answers  ", "gold"), (f"{counted(answers.height, 'answer')}; {manner.keys.of('answers')} opens them", "dim")]
    )
    several = answers["run"].n_unique() > 1
    every = answers.to_dicts()
    for answer in every:
        yield from _one(answer, measures(answer, every), several, manner)


def _one(answer: dict[str, Any], measured: str, several: bool, manner: Manner) -> Iterator[Line]:
    run = f"run {answer['run']} " if several else ""
    head = f"  {run}vote {answer['vote']}  "
    told = "  ".join(word for word in (said(answer), measured) if word)
    style = "" if answer["reason"] is None else "bad"
    for number, line in enumerate(wrap(clean(told), max(10, manner.width - len(head)))):
        yield Line([(head if number == 0 else " " * len(head), "dim"), (line, style)])
