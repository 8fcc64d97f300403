"""Statistics of a benchmark, without any scorer."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import polars as pl

LONG = (5, 10, 15)
"""Shares of solutions with at least this many steps."""
PROBLEM_CHARACTERS = "problem_characters"
"""The length of each problem's text, in code points: a column that may stand beside the cases' metadata."""


def statistics_rows(cases: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Statistics of every subset of every benchmark and of `all` its cases, in long form.

    Where every subset lies in one pattern, as Socratic-PRMBench's do, the patterns stand between them. Yields
    dictionaries with `benchmark, subset, group, statistic, value, n, reason`: counts, means of 0-based step indices and
    fractions; `group` is `erroneous` or `clean`, "" for all cases of the subset; `n` is what the value was computed
    over; a value is null with a reason where there is nothing to compute. `cases:NAME` counts the solutions of a
    generator, `share_error_type:NAME` is of the erroneous cases that have a type.

    Args:
        cases: the columns of METADATA and, for `mean_question_characters`, PROBLEM_CHARACTERS.
    """
    for (benchmark,), part in cases.group_by("benchmark", maintain_order=True):
        names = _Names(_names(part["generator"]), _names(part["error_type"]) if _has_types(part) else [])
        for subset, group in _parts(part):
            for row in _rows(group, names):
                yield {"benchmark": str(benchmark), "subset": subset, **row}


class _Names(NamedTuple):
    """The generators and the error types of a benchmark, which every subset is asked for."""

    generators: list[str]
    types: list[str]


def _names(values: pl.Series) -> list[str]:
    return values.drop_nulls().unique().sort().to_list()


def _has_types(part: pl.DataFrame) -> bool:
    """Whether error types are another partition than the subsets."""
    most = part.drop_nulls("error_type").group_by("subset").agg(pl.col("error_type").n_unique())["error_type"].max()
    return isinstance(most, int) and most > 1


def _parts(part: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    columns = ["subset", *(["pattern"] if _is_grouped(part) else [])]
    for column in columns:
        for (name,), group in part.group_by(column, maintain_order=True):
            yield "" if name is None else str(name), group
    yield "all", part


def _is_grouped(part: pl.DataFrame) -> bool:
    """Whether every subset lies in exactly one pattern, and a pattern has several."""
    pairs = part.select("subset", "pattern").unique()
    known = pairs["pattern"].null_count() == 0 and pairs["subset"].null_count() == 0
    return known and pairs["subset"].is_unique().all() and pairs["pattern"].n_unique() < pairs.height


def _rows(cases: pl.DataFrame, names: _Names) -> Iterator[dict[str, Any]]:
    erroneous = cases.filter(pl.col("earliest_error") >= 0)
    clean = cases.filter(pl.col("earliest_error") == -1)
    right = cases.filter(pl.col("final_answer_correct") & pl.col("earliest_error").is_not_null())
    values: list[tuple[str, str, float | int | None, int]] = [
        ("", "cases", cases.height, cases.height),
        ("", "erroneous", erroneous.height, cases.height),
        ("", "clean", clean.height, cases.height),
        ("", "no_gold", cases["earliest_error"].null_count(), cases.height),
        ("", "steps", int(cases["n_steps"].sum()), cases.height),
        *_lengths("", cases),
        ("", "max_steps", _whole(cases["n_steps"].max()), cases.height),
        ("", "mean_earliest_error", _mean(erroneous["earliest_error"]), erroneous.height),
        ("", "mean_error_steps", _mean(erroneous["error_steps"].drop_nulls().list.len()), _listed(erroneous)),
        ("", "generators", cases["generator"].drop_nulls().n_unique(), cases.height),
        ("", "distinct_solutions", cases["key"].n_unique(), cases.height),
        # Share of wrong processes among right answers (ProcessBench, Table 2): a property of the data.
        ("", "process_error_rate", _mean(right["earliest_error"] >= 0), right.height),
        *_types(erroneous, names.types),
        *_characters(cases),
    ]
    for group, side in (("erroneous", erroneous), ("clean", clean)):
        values += [*_lengths(group, side), *_generators(group, side, names.generators)]
    for group, statistic, value, n in values:
        reason = None if value is not None else "no case says"
        yield {"group": group, "statistic": statistic, "value": value, "n": n, "reason": reason}


def _lengths(group: str, cases: pl.DataFrame) -> Iterator[tuple[str, str, float | None, int]]:
    yield group, "mean_steps", _mean(cases["n_steps"]), cases.height
    for n in LONG:
        yield group, f"share_steps_ge_{n}", _mean(cases["n_steps"] >= n), cases.height


def _types(erroneous: pl.DataFrame, types: list[str]) -> Iterator[tuple[str, str, float | None, int]]:
    counts = dict(erroneous.drop_nulls("error_type").group_by("error_type").len().iter_rows())
    total = sum(counts.values())
    for name in types:
        yield "", f"share_error_type:{name}", counts.get(name, 0) / total if total else None, total


def _characters(cases: pl.DataFrame) -> Iterator[tuple[str, str, float | None, int]]:
    if PROBLEM_CHARACTERS in cases.columns:
        yield "", "mean_question_characters", _mean(cases[PROBLEM_CHARACTERS]), cases.height


def _generators(group: str, cases: pl.DataFrame, generators: list[str]) -> Iterator[tuple[str, str, int, int]]:
    counts = dict(cases.group_by("generator").len().iter_rows())
    for name in generators:
        yield group, f"cases:{name}", counts.get(name, 0), cases.height


def _mean(values: pl.Series) -> float | None:
    mean = values.cast(pl.Float64).mean()
    return float(mean) if isinstance(mean, (int, float)) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _listed(erroneous: pl.DataFrame) -> int:
    return erroneous.height - erroneous["error_steps"].null_count()
