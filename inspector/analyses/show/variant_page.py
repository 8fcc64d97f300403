"""The variants of a case: what a person changed in it, and what scorers gave to both."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from inspector.analyses import Params
from inspector.case_page.original import pairs_of
from inspector.case_page.variant_track import ScoredVariant, tried_by_all
from inspector.render.blocks import Block, Facts, Note, Section
from inspector.render.readable import readable
from inspector.render.table_blocks import Cell, Column, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from scoring import __version__
from scoring.data.errors import UsageError
from scoring.selection.result_set import ResultSet

VARIANT_ROWS = {
    # The record, and which step of the case became which of the variant: same, changed, removed or added.
    "variant": pl.String(),
    "change": pl.String(),
    "case_step": pl.Int32(),
    "step": pl.Int32(),
    "case_text": pl.String(),
    "text": pl.String(),
}
SIGNS = {"same": "", "changed": "~", "removed": "-", "added": "+"}
VARIANTS_LEGEND = (
    "-: taken out. +: put in. ~: changed. A number is the reward in the case → in the variant (the difference)."
)


def variants_view(results: ResultSet, row: int, params: Params) -> View:
    """Put every variant of the case in this row beside the case, as the scorers chosen see both.

    Raises:
        UsageError: the case has no variant.
    """
    case, key = results.cases["case"][row], results.cases["key"][row]
    there = results.loaded.workspace.variants
    variants = there.of(key) if there else ()
    if not variants:
        raise UsageError(f"{case} has no variants.", "Make one: W on the case in the app.")
    seen = tried_by_all(results, row, variants)
    has_rewards = [any(of_variant[at].rewards[1] for of_variant in seen) for at in range(len(seen[0]))]
    facts: dict[str, Any] = {"case": case, "key": key, "problem": results.loaded.texts.row(row)["problem"]}
    facts |= {"edits": {variant.id: [edit.document() for edit in variant.edits] for variant in variants}}
    facts |= {"version": __version__}
    facts["command"] = results.query.command("show", case, "--variants", form=params.form)
    rows = pl.concat([_variant_rows(of_variant, has_rewards) for of_variant in seen])

    def lay_out() -> tuple[Section, ...]:
        blocks: list[Block] = [Facts((("question", readable(facts["problem"])),))]
        for number, of_variant in enumerate(seen, 1):
            blocks += _variant_blocks(number, of_variant, has_rewards)
        return (Section(case, "variants", (*blocks, Note(VARIANTS_LEGEND, "quiet"))),)

    return View(rows, facts, title="Variants", lay_out=lay_out, in_sections=frozenset({"problem", "edits"}))


def _variant_rows(seen: Sequence[ScoredVariant], has_rewards: Sequence[bool]) -> pl.DataFrame:
    """A row a step of either, in order; of each scorer that has seen a variant both rewards and their difference."""
    first = seen[0]
    pairs = pairs_of(first.before, first.steps)
    rows = pl.DataFrame(
        [
            {
                "variant": first.variant.id,
                "change": pair.kind,
                "case_step": pair.before,
                "step": pair.after,
                "case_text": None if pair.before is None else first.before[pair.before],
                "text": None if pair.after is None else first.steps[pair.after].text,
            }
            for pair in pairs
        ],
        schema=VARIANT_ROWS,
    )
    for tried, rewarded in zip(seen, has_rewards, strict=True):
        if rewarded and tried.scorer is not None:
            before, after = tried.rewards
            columns = {
                "case_reward": [_variant_at(before, pair.before) for pair in pairs],
                "reward": [_variant_at(after, pair.after) for pair in pairs],
                "difference": [_variant_at(tried.differences, pair.after) for pair in pairs],
            }
            name = tried.scorer.name
            rows = rows.with_columns(
                pl.Series(f"{name}.{what}", values, dtype=pl.Float64) for what, values in columns.items()
            )
    return rows


def _variant_at(values: Sequence[float | None], place: int | None) -> float | None:
    return values[place] if place is not None and place < len(values) else None


def _variant_blocks(number: int, seen: Sequence[ScoredVariant], has_rewards: Sequence[bool]) -> Iterator[Block]:
    """A table of a variant's steps, beneath what was done."""
    first = seen[0]
    scored = [tried for tried, rewarded in zip(seen, has_rewards, strict=True) if rewarded and tried.scorer is not None]
    yield Note(f"Variant {number}, {counted(len(first.variant.edits), 'edit')}: {first.variant.words}", "lead")
    yield from (Note(words, "quiet") for words in (*first.moved, first.unplaced) if words)
    for tried in scored:
        if words := "; ".join(tried.words()):
            yield Note(words)
    lines = []
    for pair in pairs_of(first.before, first.steps):
        words = first.before[pair.before or 0] if pair.after is None else first.steps[pair.after].text
        cells = (text(SIGNS[pair.kind]), *(text(None if at is None else str(at)) for at in (pair.before, pair.after)))
        lines.append(
            (*cells, *(_variant_reward(tried, pair.before, pair.after) for tried in scored), text(readable(words)))
        )
    names = [tried.scorer.name for tried in scored if tried.scorer]
    heads = (Column("", right=False), Column("case", right=True), Column("variant", right=True))
    yield table("", (*heads, *names, Column("text", right=False, wraps=True)), lines, labels=3)


def _variant_reward(tried: ScoredVariant, before: int | None, after: int | None) -> Cell:
    pair = [_variant_at(rewards, place) for rewards, place in zip(tried.rewards, (before, after), strict=True)]
    words = " → ".join(f"{reward:.2f}" for reward in pair if reward is not None)
    difference = _variant_at(tried.differences, after)
    return text((words if difference is None else f"{words} ({difference:+.2f})") or None)
