"""A case against the solution that errors were put into, with what scorers gave to both."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import polars as pl

from inspector.analyses import Params
from inspector.case_page.original import StepPair, against_list, aligned, summary
from inspector.case_page.original_track import original_evaluation, original_of
from inspector.render.blocks import BESIDE, Block, Facts, Note, Section
from inspector.render.cells import GOLD
from inspector.render.readable import readable
from inspector.render.table_blocks import Cell, Column, table, text
from inspector.render.texts.gold_words import gold_word
from inspector.render.texts.sentences import outcome_sentence, reward_words
from inspector.render.view import View
from scoring import __version__
from scoring.data.errors import UsageError
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.single_case import judged_wrong
from scoring.selection.result_set import ResultSet

ORIGINAL_ROWS = {
    # same, changed, removed (of the original) or added (to it).
    "change": pl.String(),
    "original_step": pl.Int32(),
    "step": pl.Int32(),
    "original_text": pl.String(),
    "text": pl.String(),
}
STYLES = {"same": "dim", "removed": "bad", "added": "good"}
ORIGINAL_LEGEND = "-: only in the original. +: only in the modified solution. ~: in both, and changed. ✗: judged wrong."
_Value = TypeVar("_Value")


def original_view(results: ResultSet, row: int, params: Params) -> View:
    """Align the steps of the case with this row id with those of its original.

    Raises:
        UsageError: the case has no original.
    """
    texts, case = results.loaded.texts.row(row), results.cases["case"][row]
    original = original_of(texts)
    if original is None:
        raise UsageError(f"{case} has no original: its benchmark gives the one solution only.", "Name another case.")
    pairs = aligned(original[1], tuple(texts["steps"]))
    before = [original_evaluation(results, evaluation, row, original) for evaluation in results.chosen_evaluations]
    facts = {"case": case, "original_problem": original[0], "problem": texts["problem"]}
    facts |= {"modified_steps": texts["modified_steps"], "version": __version__}
    facts["command"] = results.query.command("show", case, "--original", form=params.form)
    rows = _rows(results, row, pairs, original[1], before)

    def lay_out() -> tuple[Section, ...]:
        return (Section(case, "original", tuple(_blocks(results, row, pairs, original, before))),)

    section_facts = frozenset({"original_problem", "problem"})
    return View(rows, facts, title="Original", lay_out=lay_out, in_sections=section_facts)


def _rows(
    results: ResultSet,
    row: int,
    pairs: Sequence[StepPair],
    original: Sequence[str],
    originals: Sequence[Evaluation | None],
) -> pl.DataFrame:
    """A row a step of either, in order, with the rewards of every scorer chosen."""
    steps = results.loaded.texts.row(row)["steps"]
    rows = pl.DataFrame(
        [
            {
                "change": pair.kind,
                "original_step": pair.before,
                "step": pair.after,
                "original_text": _at(original, pair.before),
                "text": _at(steps, pair.after),
            }
            for pair in pairs
        ],
        schema=ORIGINAL_ROWS,
    )
    for evaluation, before in zip(results.chosen_evaluations, originals, strict=True):
        for name, rewards_of, at, places in (
            ("original_", before, 0, [pair.before for pair in pairs]),
            ("", evaluation, row, [pair.after for pair in pairs]),
        ):
            rewards, wrong = _given(rewards_of, at)
            lead = f"{evaluation.scorer.name}.{name}"
            rows = rows.with_columns(
                pl.Series(f"{lead}reward", [_at(rewards, place) for place in places], dtype=pl.Float64),
                pl.Series(f"{lead}wrong", [_at(wrong, place) for place in places], dtype=pl.Boolean),
            )
    return rows


def _given(evaluation: Evaluation | None, row: int) -> tuple[Sequence[float], Sequence[bool | None]]:
    """Rewards and judgements of the steps of one case; of none where there is nothing."""
    if evaluation is None:
        return [], []
    rewards = evaluation.rewards
    return rewards.of(row) or rewards.first_of(row) or [], judged_wrong(evaluation, row) or []


def _at(values: Sequence[_Value], place: int | None) -> _Value | None:
    return values[place] if place is not None and place < len(values) else None


def _blocks(
    results: ResultSet,
    row: int,
    pairs: Sequence[StepPair],
    original: tuple[str, Sequence[str]],
    originals: Sequence[Evaluation | None],
) -> Iterator[Block]:
    texts, scorers = results.loaded.texts.row(row), results.chosen_evaluations
    yield Note(summary(pairs, asked_anew=original[0] != texts["problem"]), "lead")
    if disagreement := against_list(pairs, texts["modified_steps"]):
        yield Note(disagreement, "quiet")
    if original[0] != texts["problem"]:
        yield Facts((("- question", readable(original[0])), ("+ question", readable(texts["problem"]))))
    else:
        yield Facts((("question", readable(original[0])),))
    names = [evaluation.scorer.name for evaluation in scorers]
    numbered = len(names) > BESIDE
    heads = [f"({number})" for number in range(1, len(names) + 1)] if numbered else names
    lines = list(_lines(results.cases.row(row, named=True), pairs, original[1], texts["steps"]))
    reward_cells = [
        [_rewards(evaluation, row, before, line.steps) for evaluation, before in zip(scorers, originals, strict=True)]
        for line in lines
    ]
    labels = (Column("", right=False), Column("orig", right=True), Column("mod", right=True))
    written = (*labels, Column("gold"), Column("text", right=False, wraps=True))
    if numbered:
        yield table("", written, [(*line.label, *line.words) for line in lines], labels=3)
        rewards = [(*line.label, *cells) for line, cells in zip(lines, reward_cells, strict=True)]
        yield table("", (*labels, *heads), rewards, labels=3)
    else:
        rows = [(*line.label, *line.words, *cells) for line, cells in zip(lines, reward_cells, strict=True)]
        yield table("", (*written, *heads), rows, labels=3)
    yield Note(ORIGINAL_LEGEND, "quiet")
    outcomes = [
        "no rewards for it" if evaluation is None else outcome_sentence(evaluation, 0) for evaluation in originals
    ]
    outcome_cells = [
        ([text(head)] if numbered else []) + [text(name), text(words)]
        for head, name, words in zip(heads, names, outcomes, strict=True)
    ]
    columns: list[str | Column] = [
        *([""] if numbered else []),
        "scorer",
        Column("on the original", right=False, wraps=True),
    ]
    if outcome_cells:
        yield table("", columns, outcome_cells, labels=len(columns) - 1)


class _Line(NamedTuple):
    """A line of the changes: what it is about, its words, and the steps of the original and of the case on it."""

    label: tuple[Cell, ...]
    words: tuple[Cell, ...]
    steps: tuple[int | None, int | None]


def _lines(
    case: Mapping[str, Any], pairs: Sequence[StepPair], original: Sequence[str], steps: Sequence[str]
) -> Iterator[_Line]:
    """A line for what is in one of the two or the same in both, and two for what was changed."""
    for pair in pairs:
        both = (pair.before, pair.after)
        for before, after in ((pair.before, None), (None, pair.after)) if pair.kind == "changed" else (both,):
            sign = "" if pair.kind == "same" else "-" if after is None else "+"
            sign = f"~{sign}" if pair.kind == "changed" else sign
            words = _at(original, before) if after is None else steps[after]
            gold = None if after is None else gold_word(case, after)
            yield _Line(
                (text(sign), *(text(None if step is None else str(step)) for step in (before, after))),
                (text(GOLD.get(gold or "", gold)), text(readable(words or ""), STYLES.get(pair.kind, ""))),
                (before, after),
            )


def _rewards(evaluation: Evaluation, row: int, before: Evaluation | None, steps: tuple[int | None, int | None]) -> Cell:
    """What a scorer gave to the step of the original and to that of the modified solution."""
    rewards = [_reward(before, 0, steps[0]), _reward(evaluation, row, steps[1])]
    return text(" → ".join(filter(None, rewards)) or None)


def _reward(evaluation: Evaluation | None, row: int, step: int | None) -> str:
    rewards, wrong = _given(evaluation, row)
    reward = _at(rewards, step)
    words = "" if evaluation is None or reward is None else reward_words(reward, evaluation, row)
    return f"{words}{'✗' if _at(wrong, step) else ''}"
