"""A case against the solution that errors were put into, with what scorers gave to both."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import polars as pl

from inspector.analyses import Params
from inspector.case_view.original import Pair, against_list, aligned, summary
from inspector.gold_words import gold_word
from inspector.original_track import original_evaluation, original_of
from inspector.provenance import program_version
from inspector.render.cells import GOLD
from inspector.render.readable import readable
from inspector.render.view import BESIDE, Block, Cell, Column, Facts, Note, Section, View, table, text
from inspector.selection import Selection
from inspector.sentences import outcome_sentence, reward_words
from scoring.errors import UsageError
from scoring.evaluation import Evaluation

ROWS = {
    # same, changed, removed (of the original) or added (to it).
    "change": pl.String(),
    "original_step": pl.Int32(),
    "step": pl.Int32(),
    "original_text": pl.String(),
    "text": pl.String(),
}
STYLES = {"same": "dim", "removed": "bad", "added": "good"}
LEGEND = "-: only in the original. +: only in the modified solution. ~: in both, and changed. ✗: judged wrong."
_Value = TypeVar("_Value")


def original_view(results: Selection, row: int, params: Params) -> View:
    """Align the steps of the case with this row id with those of its original.

    Raises:
        UsageError: the case has no original.
    """
    texts, case = results.texts.row(row), results.cases["case"][row]
    original = original_of(texts)
    if original is None:
        raise UsageError(f"{case} has no original: its benchmark gives the one solution only.", "Name another case.")
    pairs = aligned(original[1], tuple(texts["steps"]))
    before = [original_evaluation(results, one, row, original) for one in results.chosen_evaluations]
    facts = {"case": case, "original_problem": original[0], "problem": texts["problem"]}
    facts |= {"modified_steps": texts["modified_steps"], "version": program_version()}
    facts["command"] = results.request.command("show", case, "--original", form=params.form)
    rows = _rows(results, row, pairs, original[1], before)

    def lay_out() -> tuple[Section, ...]:
        return (Section(case, "original", tuple(_blocks(results, row, pairs, original, before))),)

    told = frozenset({"original_problem", "problem"})
    return View(rows, facts, title="Original", lay_out=lay_out, in_sections=told)


def _rows(
    results: Selection,
    row: int,
    pairs: Sequence[Pair],
    original: Sequence[str],
    originals: Sequence[Evaluation | None],
) -> pl.DataFrame:
    """A row a step of either, in order, with the rewards of every scorer chosen."""
    steps = results.texts.row(row)["steps"]
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
        schema=ROWS,
    )
    for evaluation, before in zip(results.chosen_evaluations, originals, strict=True):
        for name, given, at, places in (
            ("original_", before, 0, [pair.before for pair in pairs]),
            ("", evaluation, row, [pair.after for pair in pairs]),
        ):
            rewards, wrong = _given(given, at)
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
    return rewards.of(row) or rewards.first_of(row) or [], evaluation.judged_wrong(row) or []


def _at(values: Sequence[_Value], place: int | None) -> _Value | None:
    return values[place] if place is not None and place < len(values) else None


# -- for people


def _blocks(
    results: Selection,
    row: int,
    pairs: Sequence[Pair],
    original: tuple[str, Sequence[str]],
    originals: Sequence[Evaluation | None],
) -> Iterator[Block]:
    texts, scorers = results.texts.row(row), results.chosen_evaluations
    yield Note(summary(pairs, asked_anew=original[0] != texts["problem"]), "lead")
    if disagreement := against_list(pairs, texts["modified_steps"]):
        yield Note(disagreement, "quiet")
    if original[0] != texts["problem"]:
        yield Facts((("- question", readable(original[0])), ("+ question", readable(texts["problem"]))))
    else:
        yield Facts((("question", readable(original[0])),))
    names = [one.scorer.name for one in scorers]
    numbered = len(names) > BESIDE
    heads = [f"({number})" for number in range(1, len(names) + 1)] if numbered else names
    lines = list(_lines(results.cases.row(row, named=True), pairs, original[1], texts["steps"]))
    given = [
        [_rewards(one, row, before, line.steps) for one, before in zip(scorers, originals, strict=True)]
        for line in lines
    ]
    labels = (Column("", right=False), Column("orig", right=True), Column("mod", right=True))
    written = (*labels, Column("gold"), Column("text", right=False, wraps=True))
    if numbered:
        yield table("", written, [(*line.label, *line.words) for line in lines], labels=3)
        rewards = [(*line.label, *cells) for line, cells in zip(lines, given, strict=True)]
        yield table("", (*labels, *heads), rewards, labels=3)
    else:
        rows = [(*line.label, *line.words, *cells) for line, cells in zip(lines, given, strict=True)]
        yield table("", (*written, *heads), rows, labels=3)
    yield Note(LEGEND, "quiet")
    outcomes = ["no rewards for it" if one is None else outcome_sentence(one, 0) for one in originals]
    said = [
        ([text(head)] if numbered else []) + [text(name), text(words)]
        for head, name, words in zip(heads, names, outcomes, strict=True)
    ]
    columns: list[str | Column] = [
        *([""] if numbered else []),
        "scorer",
        Column("on the original", right=False, wraps=True),
    ]
    if said:
        yield table("", columns, said, labels=len(columns) - 1)


class _Line(NamedTuple):
    """A line of the changes: what it is about, its words, and the steps of the original and of the case on it."""

    label: tuple[Cell, ...]
    words: tuple[Cell, ...]
    steps: tuple[int | None, int | None]


def _lines(
    case: Mapping[str, Any], pairs: Sequence[Pair], original: Sequence[str], steps: Sequence[str]
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


def _rewards(one: Evaluation, row: int, before: Evaluation | None, steps: tuple[int | None, int | None]) -> Cell:
    """What a scorer gave to the step of the original and to that of the modified solution."""
    shown = [_reward(before, 0, steps[0]), _reward(one, row, steps[1])]
    return text(" → ".join(filter(None, shown)) or None)


def _reward(evaluation: Evaluation | None, row: int, step: int | None) -> str:
    rewards, wrong = _given(evaluation, row)
    reward = _at(rewards, step)
    words = "" if evaluation is None or reward is None else reward_words(reward, evaluation, row)
    return f"{words}{'✗' if _at(wrong, step) else ''}"
