"""The variants of a case: what a person changed in it, and what scorers gave to both."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from inspector.analyses import Params
from inspector.case_view.original import pairs_of
from inspector.provenance import program_version
from inspector.render.readable import readable
from inspector.render.view import Block, Cell, Column, Facts, Note, Section, View, table, text
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.variant_track import Tried, tried_by_all
from scoring.errors import UsageError

ROWS = {
    # The record, and which step of the case became which of the variant: same, changed, removed or added.
    "variant": pl.String(),
    "change": pl.String(),
    "case_step": pl.Int32(),
    "step": pl.Int32(),
    "case_text": pl.String(),
    "text": pl.String(),
}
SIGNS = {"same": "", "changed": "~", "removed": "-", "added": "+"}
LEGEND = "-: taken out. +: put in. ~: changed. A number is the reward in the case → in the variant (the difference)."


def variants_view(results: Selection, row: int, params: Params) -> View:
    """Put every variant of the case in this row beside the case, as the scorers chosen see both.

    Raises:
        UsageError: the case has no variant.
    """
    case, key = results.cases["case"][row], results.cases["key"][row]
    there = results.workspace.variants
    found = there.of(key) if there else ()
    if not found:
        raise UsageError(f"{case} has no variants.", "Make one: W on the case in the app.")
    seen = tried_by_all(results, row, found)
    told = [any(of_variant[at].rewards[1] for of_variant in seen) for at in range(len(seen[0]))]
    facts: dict[str, Any] = {"case": case, "key": key, "problem": results.texts.row(row)["problem"]}
    facts |= {"edits": {one.id: [edit.document() for edit in one.edits] for one in found}}
    facts |= {"version": program_version()}
    facts["command"] = results.request.command("show", case, "--variants", form=params.form)
    rows = pl.concat([_rows(of_variant, told) for of_variant in seen])

    def lay_out() -> tuple[Section, ...]:
        blocks: list[Block] = [Facts((("question", readable(facts["problem"])),))]
        for number, of_variant in enumerate(seen, 1):
            blocks += _blocks(number, of_variant, told)
        return (Section(case, "variants", (*blocks, Note(LEGEND, "quiet"))),)

    return View(rows, facts, title="Variants", lay_out=lay_out, in_sections=frozenset({"problem", "edits"}))


def _rows(seen: Sequence[Tried], told: Sequence[bool]) -> pl.DataFrame:
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
        schema=ROWS,
    )
    for one, is_told in zip(seen, told, strict=True):
        if is_told and one.scorer is not None:
            before, after = one.rewards
            columns = {
                "case_reward": [_at(before, pair.before) for pair in pairs],
                "reward": [_at(after, pair.after) for pair in pairs],
                "difference": [_at(one.differences, pair.after) for pair in pairs],
            }
            name = one.scorer.name
            rows = rows.with_columns(
                pl.Series(f"{name}.{what}", values, dtype=pl.Float64) for what, values in columns.items()
            )
    return rows


def _at(values: Sequence[float | None], place: int | None) -> float | None:
    return values[place] if place is not None and place < len(values) else None


def _blocks(number: int, seen: Sequence[Tried], told: Sequence[bool]) -> Iterator[Block]:
    """A table of a variant's steps, beneath what was done."""
    first = seen[0]
    scored = [one for one, is_told in zip(seen, told, strict=True) if is_told and one.scorer is not None]
    yield Note(f"Variant {number}, {counted(len(first.variant.edits), 'edit')}: {first.variant.words}", "lead")
    for one in scored:
        if words := "; ".join(one.words()):
            yield Note(words)
    lines = []
    for pair in pairs_of(first.before, first.steps):
        words = first.before[pair.before or 0] if pair.after is None else first.steps[pair.after].text
        cells = (text(SIGNS[pair.kind]), *(text(None if at is None else str(at)) for at in (pair.before, pair.after)))
        lines.append((*cells, *(_reward(one, pair.before, pair.after) for one in scored), text(readable(words))))
    names = [one.scorer.name for one in scored if one.scorer]
    heads = (Column("", right=False), Column("case", right=True), Column("variant", right=True))
    yield table("", (*heads, *names, Column("text", right=False, wraps=True)), lines, labels=3)


def _reward(one: Tried, before: int | None, after: int | None) -> Cell:
    given = [_at(rewards, place) for rewards, place in zip(one.rewards, (before, after), strict=True)]
    words = " → ".join(f"{reward:.2f}" for reward in given if reward is not None)
    difference = _at(one.differences, after)
    return text((words if difference is None else f"{words} ({difference:+.2f})") or None)
