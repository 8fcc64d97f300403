"""Checks on texts that an import is about to believe: problems without their question, solutions in one piece."""

import re
from collections.abc import Iterator
from itertools import pairwise

import polars as pl

from scoring.formats.reading.findings import Finding

_SAME, _DIFFERENT, _HALF = 5, 3, 0.5
_LEAST_ROWS = 10


_SHORT_PROBLEM = 120
_UNSPLIT_SHARE = 0.1
_NEXT_STEP = r"(?i)[\n.!?][\s#*_>-]*step\s+[0-9]{1,3}[*_\s]*[:.)]"
_STEP_MARK = re.compile(r"(?:\A|[\n.!?])[\s#*_>-]*step\s+([0-9]{1,3})[*_\s]*[:.)]", re.IGNORECASE)


def problem_evidence(problem: pl.Expr) -> dict[str, pl.Expr]:
    """Return what the checks of problems need of each text: `digest`, and whether it is `empty` or `vague`.

    A vague problem is short and has neither a number nor a question, as an instruction of a prompt.
    """
    short = problem.str.len_chars() <= _SHORT_PROBLEM
    return {
        "digest": problem.hash(),
        "empty": problem.str.strip_chars() == "",
        "vague": short & ~problem.str.contains(r"[0-9?]|\p{Han}|[\\$]"),
    }


def problem_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn of empty problems and of several problems that became one.

    Args:
        source: the file.
        rows: columns of `problem_evidence`, and `reference_answer` and `problem_id` of each case.
    """
    if count := int(rows["empty"].sum()):
        yield Finding("warning", "empty-problem", f"the problem of {count:,} cases is empty", source)
    known = rows.filter(~pl.col("empty"))
    ids, answers = pl.col("problem_id").drop_nulls().n_unique(), pl.col("reference_answer").drop_nulls().n_unique()
    same = (
        known.group_by("digest")
        .agg(n=pl.len(), vague=pl.col("vague").first(), ids=ids, answers=answers)
        .filter(pl.col("n") >= _SAME)
    )
    differing = same.filter((pl.col("ids") >= _DIFFERENT) | (pl.col("answers") >= _DIFFERENT))
    instructions = same.filter(pl.col("vague") & (pl.col("n") >= max(_LEAST_ROWS, _HALF * rows.height)))
    merged = pl.concat([differing, instructions]).unique("digest")
    if merged.is_empty():
        return
    why = "and differ in their reference answers or problem ids" if differing.height else "which states no problem"
    message = (
        f"{merged['n'].sum():,} cases share {merged.height:,} problem texts {why}: several problems may have become "
        "one; --problem COLUMN names the column of the problem"
    )
    yield Finding("warning", "merged-problems", message, source)


def unsplit_findings(source: str, cases: pl.DataFrame) -> Iterator[Finding]:
    """Warn where a step contains the marker of the next one, so that a solution was not split.

    Args:
        source: the file.
        cases: columns `steps` and `line`; steps are numbered as `Step 2:`.
    """
    long = cases.select("line", "steps", place=pl.int_ranges(pl.col("steps").list.len())).with_row_index("row")
    marked = long.explode("steps", "place").filter(pl.col("steps").str.contains(_NEXT_STEP))
    rows = {row for row, place, step in marked.select("row", "place", "steps").iter_rows() if _holds_next(place, step)}
    if len(rows) <= 1 or len(rows) < _UNSPLIT_SHARE * cases.height:
        return
    message = (
        f"in {len(rows):,} of {cases.height:,} cases a step contains the next one, as in 'Step 1: ... Step 2: ...': "
        "the solution was not split; --separator TEXT states what stands between two steps of one text"
    )
    yield Finding("warning", "unsplit-steps", message, source, cases["line"][min(rows)])


def _holds_next(place: int, step: str) -> bool:
    """Return whether a step, the `place`-th from 0, contains two consecutive markers or that of the next step."""
    marks = [(match.start() > 0, int(match[1])) for match in _STEP_MARK.finditer(step)]
    numbers = [number for _, number in marks]
    return any(b == a + 1 for a, b in pairwise(numbers)) or any(inside and mark == place + 2 for inside, mark in marks)
