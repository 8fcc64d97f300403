"""The page of `stress` on which one case stands beside its rewritings, part by part, with both rewards."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from inspector.analyses import Params
from inspector.analyses.stress.stress_cuts import drawn_row
from inspector.analyses.stress.stressed import StressedScorer
from inspector.case_page.original import StepPair, pairs_of
from inspector.render.blocks import Block, Note
from inspector.render.table_blocks import Cell, Column, Kind, table, text
from inspector.render.texts.sentences import verdict_words
from scoring.runs.stress.measuring import Trial, moved_steps
from scoring.runs.stress.rewriting import Rewriting
from scoring.runs.stress.trials import REWRITINGS
from scoring.workspace.variants import reward_differences

WHOSE = {"scorer": pl.String(), "benchmark": pl.String(), "rewriting": pl.String(), "case": pl.String()}
OF_STEP = {
    # Of the case, and of its rewriting; 0-based. Null = there is none.
    "step": pl.Int32(),
    "rewritten_step": pl.Int32(),
    # Whether the gold label of the case's step is right or wrong, null = not known; or that it was broken.
    "gold": pl.String(),
    "before": pl.Float64(),
    "after": pl.Float64(),
    "shift": pl.Float64(),
    "text": pl.String(),
    "rewritten_text": pl.String(),
}
PARTS = {
    **WHOSE,
    # same, changed, removed or added; and whether the step violates the law by more than the tolerance (null = the law
    # does not speak of it).
    "change": pl.String(),
    "violates": pl.Boolean(),
    **OF_STEP,
}
_SIGNS = {"same": "", "changed": "~", "removed": "-", "added": "+"}


def case_parts(each: StressedScorer, params: Params) -> tuple[list[dict[str, Any]], list[Block]]:
    """Return rows of PARTS of the case that is named, and what people see of them, a rewriting after the other.

    Of those that make it violate their law; with a rewriting chosen, of that one in any case. Nothing where the case is
    of another benchmark.

    Raises:
        UsageError: there is no such case, or it was not drawn.
    """
    assert each.judged is not None  # noqa: S101  # asked for these alone
    row, chosen = drawn_row(each, params), params.get("rewriting")
    if row is None:
        return [], []
    case = each.contents.cases["case"][row]
    rows: list[dict[str, Any]] = []
    blocks: list[Block] = []
    for rewriting in REWRITINGS:
        trial = next((trial for trial in each.judged.trials(rewriting) if trial.case == case), None)
        if chosen not in (None, rewriting.name) or trial is None:
            continue
        pairs = pairs_of(_steps(each, row), trial.rewritten.steps)
        own = [_part(each, rewriting, trial, row, pair) for pair in pairs]
        if chosen is None and not any(part["violates"] for part in own):
            continue
        rows += own
        blocks += _blocks(each, rewriting, trial, own)
    if not rows:
        blocks.append(Note(_nothing(each, case, row, chosen)))
    return rows, blocks


def _steps(each: StressedScorer, row: int) -> Sequence[str]:
    steps: Sequence[str] = each.contents.texts.row(row)["steps"]
    return steps


def _nothing(each: StressedScorer, case: str, row: int, chosen: str | None) -> str:
    if chosen is None:
        return f"No step of {case} violates a law: --rewriting NAME shows one all the same."
    made = (row, chosen) in each.contents.place
    return f"{chosen} of {case} was not scored." if made else f"{chosen} does not rewrite {case}."


def _part(each: StressedScorer, rewriting: Rewriting, trial: Trial, row: int, pair: StepPair) -> dict[str, Any]:
    before, after = trial.before.rewards, trial.after.rewards
    differences = reward_differences(before, after, trial.rewritten.steps)
    moved = {step.step: step for step in moved_steps(trial)}
    spoken_of = None if pair.after is None else moved.get(pair.after)
    right = None if pair.before is None else trial.right[pair.before]
    broken = trial.rewritten.broken is not None and pair.after == trial.rewritten.broken
    gold = "broken" if broken else {True: "right", False: "wrong"}.get(right) if right is not None else None
    return {
        "scorer": each.name,
        "benchmark": each.benchmark,
        "rewriting": rewriting.name,
        "case": trial.case,
        "change": pair.kind,
        "violates": None if spoken_of is None else spoken_of.harm > each.tolerance,
        "step": pair.before,
        "rewritten_step": pair.after,
        "gold": gold,
        "before": _at(before, pair.before),
        "after": _at(after, pair.after),
        "shift": _at(differences, pair.after),
        "text": None if pair.before is None else _steps(each, row)[pair.before],
        "rewritten_text": None if pair.after is None else trial.rewritten.steps[pair.after].text,
    }


def _at(values: Sequence[float | None], place: int | None) -> float | None:
    return values[place] if place is not None and place < len(values) else None


def _blocks(
    each: StressedScorer, rewriting: Rewriting, trial: Trial, parts: Sequence[dict[str, Any]]
) -> Iterator[Block]:
    yield Note(f"{trial.case}, {rewriting.name}: {rewriting.about}.", "lead")
    link = each.link([trial.case], trial.case, rewriting.name)
    lines = [line for part in parts for line in _lines(part, link)]
    yield table(
        "",
        [
            Column("", right=False),
            "step",
            "rewritten",
            Column("gold", right=False),
            "before",
            "after",
            "shift",
            Column("", right=False),
            Column("text", right=False, wraps=True),
        ],
        lines,
    )
    verdicts = ", ".join(
        f"{verdict_words(judgement.verdict)} {where}"
        for judgement, where in ((trial.before, "before"), (trial.after, "after"))
        if judgement.verdict is not None
    )
    yield Note(f"The law: {rewriting.law}. The tolerance is {each.tolerance:g}.", "quiet")
    if verdicts:
        yield Note(f"{each.name} predicts {verdicts}.", "quiet")


def _lines(part: dict[str, Any], link: Any) -> Iterator[list[Cell]]:
    """A line of what is the same; of what was changed one of each text, as a diff has them."""
    number = Cell(part["step"], Kind.COUNT, link=link if part["step"] is not None else None)
    rewritten = Cell(part["rewritten_step"], Kind.COUNT)
    before, after = _reward(part["before"]), _reward(part["after"])
    shift = _reward(part["shift"], "bad" if part["violates"] else "")
    word, gold = text("violates" if part["violates"] else "", "bad"), text(part["gold"] or "")
    nothing = text("")
    if part["change"] == "changed":
        yield [text("-"), number, nothing, gold, before, nothing, nothing, nothing, text(part["text"], "dim")]
        yield [text("+"), nothing, rewritten, nothing, nothing, after, shift, word, text(part["rewritten_text"])]
        return
    words = part["rewritten_text"] if part["change"] != "removed" else part["text"]
    style = "dim" if part["change"] in {"same", "removed"} else ""
    yield [text(_SIGNS[part["change"]]), number, rewritten, gold, before, after, shift, word, text(words, style)]


def _reward(value: float | None, style: str = "") -> Cell:
    """A reward or a difference of two; no sign stands before nothing."""
    if value is None:
        return text("")
    return Cell(0.0 if abs(value) < 0.0005 else value, Kind.REWARD, style=style)
