"""GR-Ben: the earliest error in reasoning about science and logic.

Sun et al., "GR-Ben: A General Reasoning Benchmark for Evaluating Process Reward Models", arXiv 2605.01203. CC BY 4.0.
Rows: `id, domain, generator, problem, steps[], label, final_answer_correct, error_type, reason`; `label` is the
1-based number of the first wrong step, -1 where there is none. A label beyond the last step means the last one where a
PRM is compared (`run_prm_eval.py`), and is compared as it is with what a language model says (`run_llm_eval.py`).
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import polars as pl

from scoring.benchmarks.imported import Imported, cases_frame
from scoring.benchmarks.one_based import OneBased
from scoring.reading.fields import Fields, each_case
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows

NAME = "grben"
TITLE = "GR-Ben"
PAPER = "arXiv 2605.01203"
LICENCE = "CC-BY-4.0"
HUB_NAME = None

GROUPS: dict[str, tuple[str, ...]] = {
    "science": ("physics", "biology", "chemistry", "computer-science"),
    "logic": ("FOLIO", "MIRAGE", "Causelogics", "Analobench", "Logiqa"),
}
"""The domains, which are the subsets, by their group."""

REASONING: dict[str, str] = {
    "FOLIO": "deductive",
    "MIRAGE": "inductive",
    "Causelogics": "abductive",
    "Analobench": "analogical",
    "Logiqa": "mixed",
}
"""The kind of reasoning that a domain of logic asks for. It is the problem's, not that of the step which carries the
error, so it is no case's `pattern`."""

ERROR_TYPES = ("knowledge-based", "factual", "computational", "logical", "others")

OFFICIAL: dict[str, tuple[int, ...]] = {
    "physics": (392,),
    "biology": (399,),
    "chemistry": (391,),
    "computer-science": (400,),
    # The paper and the benchmark's repository disagree.
    "FOLIO": (410, 411),
    "MIRAGE": (400,),
    "Causelogics": (402,),
    "Analobench": (402,),
    "Logiqa": (399,),
}
"""Cases a domain (paper, Table 2; README of the benchmark's repository)."""

_GROUP = {domain: group for group, domains in GROUPS.items() for domain in domains}
_DOMAIN = {domain.casefold(): domain for domain in _GROUP}
_TYPE = {**{name: name for name in ERROR_TYPES}, "knowledge": "knowledge-based", "other": "others"}
_TYPE_SUFFIX = re.compile(r"\s+errors?\Z")
_BLANKS = re.compile(r"[\s_]+")


def recognises(row: Any) -> bool:
    """Whether a row looks like GR-Ben: what ProcessBench has, and a domain or a type of error beside it."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and bool({"domain", "error_type"} & row.keys())
        and not {"completions", "modified_process", "pred_error_idx"} & row.keys()
    )


def load(rows: Rows) -> Imported:
    """The cases of a GR-Ben source.

    A row without usable text is left out with a finding of severity error; one without a usable label is kept with a
    null earliest error and a warning. The first row with an id wins.
    """
    findings = list(rows.findings)
    labels = OneBased("label")
    frame = cases_frame(NAME, rows.source, each_case(rows, findings, partial(_case, labels)))
    findings += labels.suspicion(rows.source)
    findings += _against_official(frame, rows.source)
    return Imported(NAME, rows.source, rows.format, labels.said(), rows.read, frame, tuple(findings))


def _case(labels: OneBased, fields: Fields) -> dict[str, Any] | None:
    problem = fields.text("problem", required=True)
    steps = fields.solution()
    if problem is None or steps is None:
        return None
    label, as_given = _label(labels, fields, len(steps))
    domain = _domain(fields)
    return {
        "subset": domain,
        "subset_group": _GROUP.get(domain or ""),
        "generator": fields.text("generator"),
        "problem": problem,
        "steps": steps,
        "earliest_error": label,
        "earliest_error_as_given": as_given,
        "error_steps": [] if label == -1 else None,
        **_error_type(fields),
        "final_answer_correct": fields.boolean("final_answer_correct"),
        "reason": fields.text("reason"),
    }


def _label(labels: OneBased, fields: Fields, n_steps: int) -> tuple[int | None, int | None]:
    """The earliest error, and the one that the row names where that is beyond the last step; both 0-based."""
    given = fields.integer("label")
    if given is None:
        return None, None
    step = labels.step(fields, given, n_steps)
    if step is not None and step >= n_steps:
        message = f"label {given} is beyond the last of {n_steps} steps; it is read as the last one, for PRMs alone"
        fields.note("warning", "label-clamped", message)
        return n_steps - 1, step
    return step, None


def _domain(fields: Fields) -> str | None:
    given = fields.text("domain") or fields.text("subset")
    if given is None or not given.strip():
        fields.note("warning", "no-domain", "the row names no domain")
        return None
    known = _DOMAIN.get(_BLANKS.sub("-", given.strip()).casefold())
    if known is None:
        fields.note("warning", "unknown-domain", f"domain {given!r:.60} is none of the nine; it is kept as it is")
    return known or given


def _error_type(fields: Fields) -> dict[str, str | None]:
    """The columns of the error type: one of `ERROR_TYPES`, whether or not the row calls it an error as well.

    An unknown one is kept as it is. `error_type_as_given` is null where it is the same.
    """
    given = fields.text("error_type")
    if given is None or not given.strip():
        return {"error_type": None}
    known = _TYPE.get(_BLANKS.sub("-", _TYPE_SUFFIX.sub("", given.strip().casefold())))
    if known is None:
        fields.note(
            "warning", "unknown-error-type", f"error_type {given!r:.60} is none of the five; it is kept as it is"
        )
    return {"error_type": known or given, "error_type_as_given": None if known in {None, given} else given}


def _against_official(frame: pl.DataFrame, source: str) -> list[Finding]:
    """A note a domain that has as many cases as published."""
    counts = Counter(frame["subset"].to_list())
    return [
        Finding("note", "official-counts", f"{domain}: {counts[domain]} cases, as published", source)
        for domain, official in OFFICIAL.items()
        if counts[domain] in official
    ]
