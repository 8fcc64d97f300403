r"""Step scores of many solutions a problem, kept without the benchmark: StrictPRMBench's cache and Skywork's inference.

StrictPRMBench's rows have no texts: `benchmark, prm_name, problem_id, candidate_index, step_scores[], is_correct,
n_steps`. Skywork's have no ids: `problem, response, step_rewards[]`, where each line of the response is a step.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl
from msgspec.structs import replace

from scoring.formats.benchmarks.case_format import warn_where
from scoring.formats.reading.fields import Field, Fields, Layout, read_by, text, whole
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import (
    ExternalResults,
    ResultFormat,
    ResultReader,
    Results,
    case_id,
    case_id_field,
    rewards,
    scorer_field,
)

TITLE = "Cached step scores"


def recognises(row: Any) -> bool:
    """Return whether a row holds step scores of a candidate, by ids or by texts."""
    if not isinstance(row, Mapping):
        return False
    return {"problem_id", "step_scores"} <= row.keys() or {"problem", "response", "step_rewards"} <= row.keys()


def load(rows: Rows) -> list[ExternalResults]:
    """Read the results of each PRM and collection of problems.

    A candidate's id is `{problem_id}/{candidate_index}`; where no problem of a PRM has any candidate but the first, it
    is the problem's id alone.
    """
    sample = [row for row in rows.sample() if isinstance(row, Mapping)]
    by_texts = sum("step_scores" not in row for row in sample)
    return (BY_TEXTS if 2 * by_texts > len(sample) else BY_IDS).load(rows)


def _by_ids(fields: Fields) -> bool:
    return "step_scores" in fields.value


def _identify(fields: Fields) -> str | None:
    if not _by_ids(fields):
        return case_id(fields, "id", required=False)
    problem = case_id(fields, "problem_id")
    if problem is None:
        return None
    candidate = fields.integer("candidate_index") if fields.value.get("candidate_index") is not None else 0
    if candidate is None:
        fields.note("error", "no-id", "the row's candidate_index is not a number that tells it from the others")
        return problem
    return f"{problem}/{candidate}"


def _only(field: Field, *, by_ids: bool) -> Field:
    return replace(
        field, read=lambda fields, name: field.read(fields, name) if _by_ids(fields) is by_ids else None, needed=False
    )


def _concluded(results: Results) -> dict[str, Any]:
    """Candidates get the ids of their problems alone where all are the first of theirs; it is said which form it is."""
    collection = results.apart["benchmark"]
    facts = {"settings": {"benchmark": collection} if collection else {}}
    of_candidates, name = pl.col("by_ids"), pl.col("id")
    named = results.rows.filter(of_candidates)
    if named.is_empty():
        return facts
    form, why = "{problem_id}/{candidate_index}", "there are candidates beyond the first of a problem"
    rows = results.rows
    if named["id"].str.ends_with("/0").all():
        form, why = "{problem_id}", "every candidate is the first of its problem"
        rows = rows.with_columns(id=pl.when(of_candidates).then(name.str.strip_suffix("/0")).otherwise(name))
    results.findings.append(Finding("note", "made-id", f"the cases' ids are {form}: {why}", results.source))
    return {**facts, "rows": rows}


_BY_IDS = pl.coalesce("(by ids)", pl.col("step_scores").is_not_null())
_SCORES, _REWARDS = pl.col("step_scores"), pl.col("step_rewards")
_LINES = pl.col("response").str.split("\n")
_LENGTHS = pl.format("{} rewards for {} lines", _REWARDS.list.len(), _LINES.list.len())
_UNEQUAL = _REWARDS.list.len() != _LINES.list.len()
_FIELDS = {
    "prm_name": scorer_field(),
    "benchmark": scorer_field(),
    "id": case_id_field(needed=False),
    "(by ids)": read_by(pl.Boolean(), lambda fields, _: _by_ids(fields), bool),
    # Of rows that are read value by value both are in the id.
    "problem_id": replace(case_id_field(), read=lambda *_: None, needed=False),
    "candidate_index": replace(whole(), read=lambda *_: None, needed=False),
    "step_scores": _only(rewards(), by_ids=True),
    "n_steps": _only(whole(needed=False), by_ids=True),
    "problem": _only(text(required=True), by_ids=False),
    "response": _only(text(required=True), by_ids=False),
    "step_rewards": replace(_only(rewards(), by_ids=False), required=True),
}


def _where(*needed: str) -> ResultFormat:
    """The format of a source most of whose rows have these fields: any other row is read value by value."""
    fields = {name: replace(field, needed=name in needed) for name, field in _FIELDS.items()}
    return replace(FORMAT, layout=replace(FORMAT.layout, fields=fields))


FORMAT = ResultFormat(
    title=TITLE,
    layout=Layout(_FIELDS, name=_identify),
    scorer=pl.col("prm_name"),
    apart={"benchmark": pl.col("benchmark").fill_null("")},
    columns={
        "id": pl.when(_BY_IDS & pl.col("problem_id").is_not_null())
        .then(pl.format("{}/{}", "problem_id", pl.col("candidate_index").fill_null(0)))
        .otherwise("id"),
        "subset": pl.when(_BY_IDS).then("benchmark"),
        "problem": pl.when(~_BY_IDS).then("problem"),
        "steps": pl.when(~_BY_IDS).then(_LINES),
        "rewards": pl.when(_BY_IDS).then(_SCORES).when(~_UNEQUAL).then(_REWARDS),
        "reason": pl.when(_BY_IDS & _SCORES.is_null())
        .then(pl.lit("step_scores is not a list of numbers"))
        .when(~_BY_IDS & _REWARDS.is_null())
        .then(pl.lit("step_rewards is not a list of numbers"))
        .when(~_BY_IDS & _UNEQUAL)
        .then(_LENGTHS),
        "by_ids": _BY_IDS,
    },
    checks=(
        warn_where(
            "length-mismatch",
            _BY_IDS & (pl.col("n_steps") != _SCORES.list.len()),
            "{} scores, and n_steps is {}",
            _SCORES.list.len(),
            "n_steps",
        ),
        warn_where("length-mismatch", ~_BY_IDS & _UNEQUAL, _LENGTHS),
    ),
    conclude=_concluded,
)
BY_IDS, BY_TEXTS = _where("problem_id", "step_scores"), _where("problem", "response", "step_rewards")
READERS = {"cached_scores": ResultReader(TITLE, recognises, load)}
