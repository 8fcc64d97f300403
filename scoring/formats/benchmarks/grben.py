"""GR-Ben: the earliest error in reasoning about science and logic.

Sun et al., "GR-Ben: A General Reasoning Benchmark for Evaluating Process Reward Models", arXiv 2605.01203. CC BY 4.0.
Rows: `id, domain, generator, problem, steps[], label, final_answer_correct, error_type, reason`; `label` is the
1-based number of the first wrong step, -1 where there is none. A label beyond the last step means the last one where a
PRM is compared (`run_prm_eval.py`), and is compared as it is with what a language model says (`run_llm_eval.py`).
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl

from scoring.formats.benchmarks.case_format import CaseFormat, OneBased, ReadSource, none_wrong, quoted, warn_where
from scoring.formats.reading.fields import SOME, Fields, Layout, identifier, read_by, solution, text, truth, whole
from scoring.formats.reading.findings import Finding

NAME = "grben"

GROUPS: dict[str, tuple[str, ...]] = {
    "science": ("physics", "biology", "chemistry", "computer-science"),
    "logic": ("FOLIO", "MIRAGE", "Causelogics", "Analobench", "Logiqa"),
}
"""The domains, which are the subsets, by their group."""

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
_DOMAIN = {domain.lower(): domain for domain in _GROUP}
_TYPE = {**{name: name for name in ERROR_TYPES}, "knowledge": "knowledge-based", "other": "others"}
OF_OTHERS = frozenset({"completions", "modified_process", "pred_error_idx"})
"""Keys by which rows are those of another benchmark, or results."""


def recognises(row: Any) -> bool:
    """Return whether a row looks like GR-Ben: what ProcessBench has, and one of its domains or types of error beside
    it.

    Its labels count from 1, which nobody's own rows with some domain or other do.
    """
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and (_said(row.get("domain")) in _DOMAIN or _said(row.get("error_type")).removesuffix("-error") in _TYPE)
        and not row.keys() & OF_OTHERS
    )


def _said(value: Any) -> str:
    """A text as `_word` and `_TYPE` spell it; "" for anything else."""
    return re.sub(r"[\s_]+", "-", value.strip().lower()) if isinstance(value, str) else ""


def _domain(fields: Fields, name: str) -> str | None:
    return fields.text(name) or fields.text("subset")


def _word(text: pl.Expr) -> pl.Expr:
    """A text in small letters, with hyphens between its words."""
    return text.str.strip_chars().str.to_lowercase().str.replace_all(r"[\s_]+", "-")


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    label_base, suspicion = _LABEL.concluded(read)
    counts = Counter(read.cases["subset"].to_list())
    official = [
        Finding("note", "official-counts", f"{domain}: {counts[domain]} cases, as published", read.source)
        for domain, published in OFFICIAL.items()
        if counts[domain] in published
    ]
    return label_base, [*read.findings, *suspicion, *official]


_LABEL = OneBased("label")
_EARLIEST = pl.when(_LABEL.beyond).then(_LABEL.n_steps - 1).otherwise(_LABEL.step())
_GIVEN_DOMAIN = pl.col("domain")
_NO_DOMAIN = _GIVEN_DOMAIN.str.strip_chars().fill_null("") == ""
_KNOWN_DOMAIN = _word(_GIVEN_DOMAIN).replace_strict(_DOMAIN, default=None, return_dtype=pl.String)
_DOMAIN_READ = pl.when(~_NO_DOMAIN).then(pl.coalesce(_KNOWN_DOMAIN, _GIVEN_DOMAIN))
_HAS_TYPE = pl.col("error_type").str.strip_chars() != ""
# Whether or not the row calls it an error as well.
_TYPE_ALONE = pl.col("error_type").str.strip_chars().str.replace(r"(?i)\s+errors?$", "")
_KNOWN_TYPE = _word(_TYPE_ALONE).replace_strict(_TYPE, default=None, return_dtype=pl.String)
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "problem": text(required=True),
            "steps": solution(),
            "label": whole(),
            "domain": read_by(pl.String(), _domain, Annotated[str, SOME], needed=True),
            "generator": text(),
            "error_type": text(),
            "final_answer_correct": truth(),
            "reason": text(),
        },
        content=("problem", "steps"),
        first_of=(("domain", "subset"),),
    ),
    columns={
        "subset": _DOMAIN_READ,
        "subset_group": _DOMAIN_READ.replace_strict(_GROUP, default=None, return_dtype=pl.String),
        "generator": pl.col("generator"),
        "earliest_error": _EARLIEST,
        "earliest_error_as_given": pl.when(_LABEL.beyond).then(_LABEL.step()),
        "error_steps": none_wrong(_EARLIEST),
        "error_type": pl.when(_HAS_TYPE).then(pl.coalesce(_KNOWN_TYPE, "error_type")),
        "error_type_as_given": pl.when(pl.col("error_type") != _KNOWN_TYPE).then("error_type"),
        "final_answer_correct": pl.col("final_answer_correct"),
        "reason": pl.col("reason"),
    },
    checks=(
        _LABEL.check(),
        warn_where(
            "label-clamped",
            _LABEL.beyond,
            "label {} is beyond the last of {} steps; it is read as the last one, for PRMs alone",
            pl.col("label"),
            _LABEL.n_steps,
        ),
        warn_where("no-domain", _NO_DOMAIN, "the row names no domain"),
        warn_where(
            "unknown-domain",
            ~_NO_DOMAIN & _KNOWN_DOMAIN.is_null(),
            "domain {} is none of the nine; it is kept as it is",
            quoted(_GIVEN_DOMAIN),
        ),
        warn_where(
            "unknown-error-type",
            _HAS_TYPE & _KNOWN_TYPE.is_null(),
            "error_type {} is none of the five; it is kept as it is",
            quoted(pl.col("error_type")),
        ),
    ),
    tallies=_LABEL.tallies(),
    conclude=_concluded,
)
load = FORMAT.load
