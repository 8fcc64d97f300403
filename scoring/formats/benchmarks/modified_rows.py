"""Rows that hold a solution before and after errors were put into it, as PRMBench and Socratic-PRMBench have them.

Rows: `original_question, modified_question, original_process[], modified_process[], modified_steps[], error_steps[],
reason, idx, question, classification`; what is scored is `modified_question` with `modified_process`; both lists of
steps count from 1 (PRMBench's `docs/data_format.md` and `mr_eval/tasks/prmtest_classified/task.py`).

The rows show themselves which base the lists count from: the first error is where the text first leaves the original.
In every published file this is the first listed step in more than half of the cases, and the one before or after it in
less than a sixth.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import STEP_INDEX
from scoring.formats.benchmarks.case_format import (
    MADE,
    CaseFormat,
    Check,
    ReadSource,
    StepLabelled,
    not_empty,
    note_where,
    warn_where,
)
from scoring.formats.reading.fields import Field, Fields, Layout, identifier, read_by, solution, text, texts, wholes
from scoring.formats.reading.findings import Finding

_KEYS = frozenset({"modified_question", "modified_process", "error_steps"})
_BREAK = r"\n|\\n(?:[^a-z]|$)"
"""A line break, also one that was escaped twice; not the start of a LaTeX command."""
_FEW = 3
"""Fewer rows than this show nothing about the base."""
_BEYOND = 10
"""One listed step in so many may lie beyond the end; in no published file is it as much as one in twenty."""


class Totals(Struct, frozen=True):
    """What all published files of a benchmark hold: rows, steps, and listed error steps with those within the end."""

    rows: int
    steps: int
    listed: int
    in_range: int


def looks_modified(row: Any) -> bool:
    """Return whether a row has the layout."""
    return isinstance(row, Mapping) and row.keys() >= _KEYS


def classification(row: Mapping[str, Any]) -> str | None:
    """Read a row's class as it stands there; None where it is no text, or empty."""
    named = row.get("classification")
    # Half a character cannot be stored.
    return named.encode(errors="replace").decode() if isinstance(named, str) and named else None


def identify(fields: Fields) -> str:
    """Make the official id, `{classification}_{idx}`: one idx stands for a problem and repeats over the classes.

    In some publications of the same rows idx has the class in front already; their ids are the same here.
    """
    named = classification(fields.value)
    plain = fields.identifier("idx")
    return plain if named is None else f"{named}_{plain.removeprefix(f'{named}_')}"


CLASS = not_empty("classification")
"""The row's class; null where it has none."""
PLAIN_ID = pl.col("idx").str.strip_prefix(pl.coalesce(pl.concat_str(CLASS, pl.lit("_")), pl.lit("")))
"""The row's idx without its class. A row that was read value by value has the official id in `idx`."""

_STEPS, _ORIGINAL = pl.col("modified_process"), pl.col("original_process")
_LAST = _STEPS.list.len().cast(pl.Int64)
_LISTED, _CHANGED = pl.col("error_steps"), pl.col("modified_steps")


def modified_format(
    name: str,
    title: str,
    classes: Mapping[str, Any],
    facts: StepLabelled,
    columns: Mapping[str, pl.Expr],
    published: tuple[pl.Expr, Mapping[str, int]],
    *,
    known: Mapping[str, int],
    repeated: frozenset[str] = frozenset(),
    fields: Mapping[str, Field] | None = None,
    first_of: tuple[tuple[str, ...], ...] = (),
    checks: Sequence[Check] = (),
    twins: Mapping[str, pl.Expr] | None = None,
) -> CaseFormat:
    """Declare a benchmark with rows of this layout.

    A case whose listed error steps all lie beyond the end has a null earliest error.

    Args:
        name: the benchmark's.
        title: the same in words.
        classes: the words that `classification` may be.
        facts: which of the classes have no wrong step.
        columns: those of CASES that the other benchmark fills otherwise.
        published: what published rows are counted by, and how many there are of each.
        known: how often each oddity occurs in the published files.
        repeated: ids that several published rows have.
        fields: further fields of the rows.
        first_of: keys of which only the first that a row has is read.
        checks: further checks.
        twins: as for CaseFormat.
    """
    is_known = CLASS.is_in(list(classes)).fill_null(value=False)
    erroneous = pl.when(is_known).then(~CLASS.is_in(list(facts.without_errors)))
    by, counts = published
    return CaseFormat(
        name=name,
        layout=Layout(
            {**_FIELDS, **(fields or {})}, ("modified_question", "modified_process"), identify, first_of=first_of
        ),
        columns={**_COLUMNS, **columns},
        checks=(*_CHECKS, *_class_checks(title, is_known, erroneous), *checks),
        tallies={**_EVIDENCE, "rows": pl.len(), **{of: (by == of).sum() for of in counts}},
        twins=twins,
        conclude=partial(_concluded, published=counts, known=known, repeated=repeated),
    )


def _error_steps(fields: Fields, name: str) -> list[int] | None:
    if fields.value.get(name) is None:
        fields.note("warning", "no-label", "the row has no error_steps; the case has no gold label")
    return fields.integers(name)


_FIELDS: Mapping[str, Field] = {
    "classification": read_by(pl.String(), lambda fields, _: classification(fields.value), str),
    "idx": identifier(),
    "modified_question": text(required=True),
    "modified_process": solution(),
    "original_question": text(),
    "original_process": texts(),
    "error_steps": replace(wholes(), read=_error_steps, needed=True),
    "modified_steps": wholes(),
    "reason": text(),
    "question": text(),
}


def _from_0(listed: pl.Expr) -> pl.Expr:
    """Steps that count from 1 as 0-based ones, ascending, each once; those below 1 are left out."""
    return listed.list.filter(pl.element() >= 1).list.eval(pl.element() - 1).list.unique().list.sort()


_POSSIBLE = _from_0(_LISTED)
# Nothing is known where nothing of what is listed can be a step.
_ERRORS = pl.when((_POSSIBLE.list.len() > 0) | (_LISTED.list.len() == 0)).then(_POSSIBLE)
_FIRST = _ERRORS.list.first()
_COLUMNS: Mapping[str, pl.Expr] = {
    "id": pl.coalesce(pl.concat_str(CLASS, pl.lit("_"), PLAIN_ID), PLAIN_ID),
    "subset": CLASS,
    "error_type": CLASS,
    "error_steps": _ERRORS,
    "earliest_error": pl.when(_ERRORS.list.len() == 0).then(-1).when(_FIRST < _LAST).then(_FIRST).cast(STEP_INDEX),
    "reason": not_empty("reason"),
    "original_problem": pl.col("original_question"),
    "original_steps": _ORIGINAL,
    # Those beyond the end too: they serve to show a diff.
    "modified_steps": _from_0(_CHANGED),
    "question": pl.col("question"),
}


def _in_words(steps: pl.Expr) -> pl.Expr:
    return pl.format("[{}]", steps.cast(pl.List(pl.String)).list.join(", "))


def _outside(listed: pl.Expr) -> pl.Expr:
    """Those of the listed steps that are not from 1 to the last, ascending, each once."""
    return listed.list.set_difference(pl.int_ranges(1, _LAST + 1)).list.sort()


_IN_ORDER = _LISTED.list.unique().list.sort()
_CASE_ERRORS = pl.col(f"{MADE}error_steps")
_CHECKS = (
    note_where(
        "unordered-steps",
        _LISTED != _IN_ORDER,
        "error_steps is out of order or repeats a step; each counts once, in order",
    ),
    warn_where(
        "bad-label",
        _LISTED.list.min() < 1,
        "error_steps {} name no step, for they count from 1; left out",
        _in_words(_IN_ORDER.list.filter(pl.element() < 1)),
    ),
    warn_where(
        "label-beyond-end",
        _LISTED.list.max() > _LAST,
        "error_steps {} are beyond the last step ({}, 1-based)",
        _in_words(_outside(_LISTED.list.filter(pl.element() >= 1))),
        _LAST,
    ),
    warn_where(
        "unchanged-process",
        (_LISTED.list.len() > 0) & (_STEPS == _ORIGINAL),
        "steps are labelled wrong, yet all are as in the original",
    ),
    warn_where(
        "one-step",
        (_LAST == 1) & ((_ORIGINAL.list.len() > 1).fill_null(value=False) | _STEPS.list.first().str.contains(_BREAK)),
        "the solution is one text; it was not divided into steps",
    ),
    warn_where(
        "no-error-in-range",
        (_CASE_ERRORS.list.len() > 0) & pl.col(f"{MADE}earliest_error").is_null(),
        "none of error_steps is there; the case has no earliest error",
    ),
    note_where(
        "modified-beyond-end",
        (_CHANGED.list.min() < 1) | (_CHANGED.list.max() > _LAST),
        "modified_steps {} are not among the steps (1 to {})",
        _in_words(_outside(_CHANGED)),
        _LAST,
    ),
)


def _class_checks(title: str, is_known: pl.Expr, erroneous: pl.Expr) -> tuple[Check, ...]:
    def unknown(names: pl.Series) -> pl.Series:
        facts = [
            "the row has no classification" if name is None else f"classification {name[:60]!r} is not one of {title}'s"
            for name in names
        ]
        return pl.Series([f"{what}; the case is kept and has no error category" for what in facts], dtype=pl.String)

    labelled_wrong = _CASE_ERRORS.list.len() > 0
    return (
        warn_where(
            "unexpected-errors",
            labelled_wrong != erroneous,
            pl.concat_str(
                pl.when(labelled_wrong).then(pl.lit("steps are")).otherwise(pl.lit("no step is")),
                pl.lit(" labelled wrong, which is not so in any published case of its class"),
            ),
        ),
        warn_where("unknown-class", ~is_known, CLASS.map_batches(unknown, return_dtype=pl.String)),
    )


def _leaves_at(step: pl.Expr) -> pl.Expr:
    """Whether a 0-based step is the first that is not as in the original, or the end of the shorter of the two."""

    def same(count: pl.Expr) -> pl.Expr:
        return _STEPS.list.head(count.clip(0)) == _ORIGINAL.list.head(count.clip(0))

    return (step >= 0) & same(step) & ~same(step + 1)


_PLACE = _LISTED.list.explode()
_LAST_OF_PLACE = _LAST.repeat_by(_LISTED.list.len()).list.explode()
_EVIDENCE: Mapping[str, pl.Expr] = {
    "listed": _LISTED.list.len().sum(),
    "listed 0": _LISTED.list.count_matches(0).sum(),
    "listed 1": _LISTED.list.count_matches(1).sum(),
    "listed last": (_PLACE == _LAST_OF_PLACE).sum(),
    "listed beyond": (_PLACE > _LAST_OF_PLACE).sum(),
    "compared": ((_LISTED.list.len() > 0) & (_STEPS != _ORIGINAL)).sum(),
    # How many steps the first listed one stands after that at which the text leaves the original.
    **{f"shift {by}": _leaves_at(_LISTED.list.min() - 1 - by).sum() for by in (-1, 0, 1)},
}


def _concluded(
    read: ReadSource, *, published: Mapping[str, int], known: Mapping[str, int], repeated: frozenset[str]
) -> tuple[str, list[Finding]]:
    # Where there are more of a kind than in the published files, the file is another one, and they keep their severity.
    count = Counter(finding.code for finding in read.findings)
    expected = {code for code, times in known.items() if count[code] <= times}
    findings = [
        replace(finding, severity="note")
        if finding.code in expected or (finding.code == "repeated-id" and finding.case in repeated)
        else finding
        for finding in read.findings
    ]
    others = [*_suspicion(read.tallies, read.source), *against_published(read.tallies, published, read.source)]
    return _base_with_evidence(read.tallies), [*findings, *others]


def _base_with_evidence(tallies: Mapping[str, int]) -> str:
    places = "{listed 0:,} are 0, {listed 1:,} are 1, {listed last:,} the last, {listed beyond:,} beyond it"
    sentence = f"1-based, [] = no error (of {{listed:,}} listed steps {places}"
    if tallies["compared"]:
        sentence += "; the text leaves the original at the first one in {shift 0:,} of {compared:,} cases"
    return f"{sentence})".format_map(tallies)


def _suspicion(tallies: Mapping[str, int], source: str) -> list[Finding]:
    compared, beyond = tallies["compared"], tallies["listed beyond"]
    low, high = (tallies[name] >= _FEW and 2 * tallies[name] > compared for name in ("shift -1", "shift 1"))
    if zeros := tallies["listed 0"]:
        message = f"{zeros:,} of the listed steps are 0: they look counted from 0"
    elif low or high:
        shifted, way = (tallies["shift -1"], "before") if low else (tallies["shift 1"], "after")
        where = f"the first listed step is the one {way} that at which the text leaves the original"
        message = f"in {shifted:,} of {compared:,} cases {where}: they look one too {'low' if low else 'high'}"
    elif beyond >= _FEW and beyond * _BEYOND > tallies["listed"]:
        message = f"{beyond:,} of {tallies['listed']:,} listed steps lie beyond the last step: they look one too high"
    else:
        return []
    return [Finding("warning", "label-base", message, source)]


def against_published(tallies: Mapping[str, int], published: Mapping[str, int], source: str) -> list[Finding]:
    """Compare the source with the whole benchmark: a note if its rows are divided as published, else a warning.

    Nothing is said of a source with another number of `rows`.
    """
    if tallies["rows"] != sum(published.values()):
        return []
    differ = [(name, tallies[name], count) for name, count in published.items() if tallies[name] != count]
    if not differ:
        return [Finding("note", "official-counts", f"{tallies['rows']:,} rows, divided as published", source)]
    if others := tallies["rows"] - sum(tallies[name] for name in published):
        differ.append(("others", others, 0))
    parts = ", ".join(f"{name} {count:,} (published {official:,})" for name, count, official in differ)
    return [Finding("warning", "not-official-counts", f"as many rows as published, but: {parts}", source)]
