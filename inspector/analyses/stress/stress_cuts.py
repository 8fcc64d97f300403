"""The page of `stress` on which solutions are cut in five ways: what that does to verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from inspector.analyses import Params
from inspector.analyses.show.show import row_of
from inspector.analyses.stress.stressed import StressedScorer
from inspector.render.blocks import Block, Note
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, table, text
from scoring.data.errors import UsageError
from scoring.runs.stress.cutting import GIVEN, WAYS
from scoring.workspace.variants import VariantStep

CUTTING = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    # Null = all cases that were cut.
    "case": pl.String(),
    "way": pl.String(),
    "cases": pl.Int64(),
    # Of one case: its steps in this way, the step that the verdict names among them, and in which it begins as given.
    "steps": pl.Float64(),
    "verdict": pl.Int32(),
    "verdict_as_given": pl.Int32(),
    "text": pl.String(),
    # Verdicts that name another step than as given, that find an error where none was found, and the other way round.
    "flips": pl.Int64(),
    "errors_found": pl.Int64(),
    "errors_lost": pl.Int64(),
    "reason": pl.String(),
}
CUT_NOTE = (
    "steps are joined by blank lines and cut anew; a verdict is the same where its part holds the step named before"
)


def cuts_page(
    each: StressedScorer,
    params: Params,
    intervals: bool,  # noqa: ARG001  # nothing here is resampled
) -> tuple[list[dict[str, Any]], list[Block]]:
    """Return rows of CUTTING, a way each, and what people see of them: of all cases, or of the one that is named.

    Nothing where that is of another benchmark.

    Raises:
        UsageError: there is no such case, or it was not drawn.
    """
    if params.get("case") is None:
        rows = [_cut_row(each, way) for way in WAYS]
        return rows, [_cuts_table(each, rows), Note(f"{CUT_NOTE[:1].upper()}{CUT_NOTE[1:]}.", "quiet")]
    row = drawn_row(each, params)
    if row is None:
        return [], []
    rows = [_case_row(each, row, way) for way in WAYS]
    return rows, list(_case_cuts(each, row, rows))


def drawn_row(each: StressedScorer, params: Params) -> int | None:
    """Find the row id of the case that is named; None where that is of another benchmark.

    Raises:
        UsageError: there is no such case, or it was not drawn.
    """
    row = row_of(each.scope, params.get("case"))
    if each.scope.cases["benchmark"][row] != each.benchmark:
        return None
    if row not in each.contents.right:
        raise UsageError(
            f"{each.scope.cases['case'][row]} is not among the {each.cases} cases that were drawn.",
            "Draw it alone: --where \"case = '...'\", or more of them: --cases N.",
        )
    return row


def _verdicts(each: StressedScorer, way: str) -> Iterator[tuple[str, int, int]]:
    """Of each case that has both verdicts: its name, the verdict as given, and that on its parts as a step as given."""
    assert each.judged is not None  # noqa: S101  # asked for these alone
    for row in each.rows.tolist():
        whole, parts = (each.judged.of_case(row, name) for name in (GIVEN, way))
        if whole is None or parts is None or whole[1] is None or parts[1] is None:
            continue
        before, after = whole[1].verdict, parts[1].verdict
        if before is not None and after is not None:
            yield each.contents.cases["case"][row], before, _as_given(parts[0].made.steps, after, before)


def _as_given(parts: Sequence[VariantStep], verdict: int, before: int | None) -> int:
    """The step as given that a verdict on parts names: that of `before` if it lies in the part, else where that begins.

    A part reaches to where the next one begins; one of several steps names none of them more than the others.
    """
    if not 0 <= verdict < len(parts):
        return verdict
    first = parts[verdict].origin or 0
    following = parts[verdict + 1].origin if verdict + 1 < len(parts) else None
    inside = before is not None and first <= before and (following is None or before < max(following, first + 1))
    return before if inside and before is not None else first


def _cut_row(each: StressedScorer, way: str) -> dict[str, Any]:
    verdicts = list(_verdicts(each, way))
    parts = [len(each.contents.every[each.contents.place[row, way]].made.steps) for row in each.rows.tolist()]
    return {
        "scorer": each.name,
        "benchmark": each.benchmark,
        "way": way,
        "cases": len(verdicts),
        "steps": float(np.mean(parts)) if parts else None,
        "flips": sum(before != after for _, before, after in verdicts),
        "errors_found": sum(before == -1 != after for _, before, after in verdicts),
        "errors_lost": sum(after == -1 != before for _, before, after in verdicts),
        "reason": None if verdicts else "no case has verdicts on both",
    }


def _cuts_table(each: StressedScorer, rows: Sequence[Mapping[str, Any]]) -> Table:
    lines = []
    for row in rows:
        verdicts = list(_verdicts(each, row["way"]))
        flips = [name for name, before, after in verdicts if before != after]
        now_wrong = [name for name, before, after in verdicts if before == -1 != after]
        lost = [name for name, before, after in verdicts if after == -1 != before]
        lines.append(
            [
                text(row["way"]),
                count(row["cases"]),
                Cell(row["steps"], Kind.MEAN),
                count(row["flips"], each.link(flips, f"another verdict cut by {row['way']}")),
                count(row["errors_found"], each.link(now_wrong, f"an error found when cut by {row['way']}")),
                count(row["errors_lost"], each.link(lost, f"no error found when cut by {row['way']}")),
            ]
        )
    return table("Cut in five ways", ["", "cases", "steps", "other verdict", "error now", "none now"], lines)


def _case_row(each: StressedScorer, row: int, way: str) -> dict[str, Any]:
    assert each.judged is not None  # noqa: S101  # asked for these alone
    cut_way = each.judged.of_case(row, way)
    assert cut_way is not None  # noqa: S101  # every case is cut in every way
    content, judgement = cut_way
    verdict = None if judgement is None else judgement.verdict
    steps = content.made.steps
    named = verdict is not None and 0 <= verdict < len(steps)
    whole = each.judged.of_case(row, GIVEN)
    before = whole[1].verdict if whole and whole[1] else None
    as_given = None if verdict is None else _as_given(steps, verdict, before)
    return {
        "scorer": each.name,
        "benchmark": each.benchmark,
        "case": each.contents.cases["case"][row],
        "way": way,
        "cases": 1,
        "steps": float(len(steps)),
        "verdict": verdict,
        "verdict_as_given": as_given,
        "text": steps[verdict].text if named and verdict is not None else None,
        "flips": None if before is None or as_given is None else int(before != as_given),
        "reason": None if verdict is not None else "no verdict",
    }


def _case_cuts(each: StressedScorer, row: int, rows: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    case = each.contents.cases["case"][row]
    lines = [
        [
            text(made["way"]),
            Cell(int(made["steps"]), Kind.COUNT),
            text(_named(made["verdict"])),
            text(_named(made["verdict_as_given"])),
            text("another" if made["flips"] else "", "bad"),
            text(made["text"] or ""),
        ]
        for made in rows
    ]
    link = each.link([case], case)
    columns: list[str | Column] = [
        "", "parts", "verdict", "as given", Column("", right=False), Column("names", right=False, wraps=True),
    ]  # fmt: skip
    yield table(case, columns, lines)
    assert each.judged is not None  # noqa: S101  # asked for these alone
    for way in WAYS:
        content, judgement = each.judged.of_case(row, way) or (None, None)
        if content is None or (
            way != GIVEN and content.made.steps == each.contents.every[each.contents.place[row, GIVEN]].made.steps
        ):
            continue
        parts = [
            [
                Cell(at, Kind.COUNT, link=link),
                Cell(judgement.rewards[at], Kind.REWARD)
                if judgement and at < len(judgement.rewards)
                else Cell(None, Kind.REWARD, reason="no reward"),
                text(step.text),
            ]
            for at, step in enumerate(content.made.steps)
        ]
        yield table(way, ["part", "reward", Column("text", right=False, wraps=True)], parts)


def _named(verdict: int | None) -> str:
    if verdict is None:
        return "-"
    return "none" if verdict == -1 else "no step" if verdict < 0 else f"{verdict}"
