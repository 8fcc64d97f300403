"""Any table as cases and results: rows of JSON, CSV or Parquet whose columns a mapping names.

A table of cases is declared like a benchmark, by the fields that the mapping names; so is what it holds of scorers.
Cells may be lenient: a number or a list in a text, a rating in the place of a truth value.
"""

import math
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.benchmarks.base import CaseFormat, Check, Imported, ReadSource, none_wrong, warn_where
from scoring.benchmarks.registry import MODULES
from scoring.errors import CommandEdit, MissingColumn, UsageError
from scoring.reading.chunks import chunks
from scoring.reading.fields import WHOLE, Field, Fields, Layout, as_made, kind_of, name_of, read_by, solution
from scoring.reading.fields import text as text_field
from scoring.reading.fields import truth as truth_field
from scoring.reading.file_bytes import plain_name, printable
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.schema import STEP_INDEX
from scoring.tables.column_mapping import (
    COLUMNS,
    FLAGS,
    TEXTS,
    ColumnMapping,
    at,
    columns_of,
    has,
    listed,
    number,
    outermost,
    single_at,
    steps,
    text,
    truth,
    whole,
)

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_RIGHT = frozenset({"right", "correct", "true", "yes", "good", "positive", "+"})
_WRONG = frozenset({"wrong", "incorrect", "false", "no", "bad", "negative", "-"})
_HALF = 0.5
_LARGE = 2**31
_NEAR, _SHOWN, _LONG = 3, 12, 60
_BASE_FLAGS = {"label_base": "--label-base", "verdict_base": "--base"}
_ENOUGH = 10
"""Indices from which on it says something that none of them is 0."""

_SPLIT, _ZEROS, _NEGATIVE = "(split)", "(zeros)", "(negative)"
_MINUS_ONES, _CLEAN_ZEROS = "(minus ones)", "(clean zeros)"
_COUNTED = (_SPLIT, _ZEROS, _NEGATIVE, _MINUS_ONES, _CLEAN_ZEROS)
"""What is counted in rows that are read value by value: solutions that were one text, ratings of 0, ratings below 0,
earliest errors of -1, and those of 0 that are said to be none.
"""


def load(rows: Rows, mapping: ColumnMapping, folder: Path | None = None) -> Imported:
    """Read the cases of a table.

    A row without a usable problem or solution is left out with a finding of severity error; one without a usable gold
    label is kept with nulls. The first row with an id counts.

    Args:
        rows: the table's.
        mapping: which of its columns is what.
        folder: where the texts of a large file go; None = they stay in memory.

    Raises:
        UsageError: the mapping names no problem or no steps, or a column that is not there.
    """
    if mapping.problem is None or mapping.steps is None:
        missing = "problem" if mapping.problem is None else "steps"
        raise UsageError(f"the mapping names no column for {missing}.", "Cases need a problem and steps.")
    check_columns(rows, mapping)
    base = gold_base(rows, mapping)
    gold = GoldExpressions(mapping, base.base)
    declared = CaseFormat(
        name=mapping.benchmark or table_name(rows.source),
        layout=Layout(
            _case_fields(mapping),
            content=("problem", "steps"),
            name=partial(_identify, mapping),
            lenient=partial(flat_row, mapping),
        ),
        columns={
            **{name: pl.col(name) for name in ("final_answer_correct", *TEXTS) if getattr(mapping, name) is not None},
            **({} if mapping.agreement is None else {"agreement": pl.when(IS_SHARE).then("agreement")}),
            "earliest_error": gold.earliest,
            "error_steps": gold.error_steps,
        },
        conclude=partial(_concluded, mapping, base),
        checks=(
            *gold.checks(),
            *([] if mapping.agreement is None else [warn_where("wrong-type", ~IS_SHARE, NO_SHARE)]),
        ),
        tallies={name: pl.col(name).sum() for name in _COUNTED},
    )
    columns = [name for _, column in mapping.named for name in (column, outermost(column))]
    return replace(declared.load(rows, folder, columns), mapping=describe(mapping))


def table_name(source: str) -> str:
    """Name a table after its file: letters, digits, dots and hyphens, so that it can be a folder.

    A file that happens to be called after a benchmark that is known here is not that benchmark.
    """
    name = _NO_NAME.sub("-", PurePath(plain_name(source)).stem).strip("-._")[:64] or "table"
    return f"{name}-table" if name in MODULES else name


def describe(mapping: ColumnMapping) -> str:
    """Return which column is read as what, and every option that changes what is read, in one line."""
    parts = [f"{name} = {column}" for name, column in mapping.named]
    if mapping.steps is not None:
        parts.append(f"one text of steps is split at {_separator_words(mapping)}")
    if mapping.earliest_error is not None:
        parts.append(clean_words(mapping, mapping.label_base))
    if mapping.step_labels is not None:
        parts.append(f"a step is wrong below {_wrong_below(mapping):g}")
    bases = (("label_base", mapping.label_base), ("verdict_base", mapping.verdict_base))
    parts += [f"{option} {base}" for option, base in bases if base is not None]
    if mapping.rewards and mapping.higher_is == "worse":
        parts.append("each reward is 1 - value")
    return ", ".join(parts)


# -- rows under the mapping's names


def check_columns(rows: Rows, mapping: ColumnMapping) -> None:
    """Refuse a mapping that names a column which no row has.

    Raises:
        UsageError: it does; near names are told.
    """
    first = [value for value in rows.sample() if isinstance(value, Mapping)]
    missing = [(name, column) for name, column in mapping.named if not any(has(value, column) for value in first)]
    if missing and rows.streamed:
        # A column may begin anywhere.
        every = [row.value for row in rows.rows if isinstance(row.value, Mapping)]
        missing = [(name, column) for name, column in missing if not any(has(value, column) for value in every)]
    for name, column in missing:
        known = list(dict.fromkeys(other for value in first for other in columns_of(value)))
        near = get_close_matches(column, known, _NEAR) or known[:_SHOWN]
        named = ", ".join(printable(other[:_LONG]) for other in near) or "none"
        wrong = f"{rows.source} has no column {column[:_LONG]!r}, which is mapped as {name}."
        are_near = near != known[:_SHOWN]
        flag = FLAGS.get(name.partition(" of ")[0], "")
        others = [
            (CommandEdit(f"{flag} {shlex.quote(other)}".strip(), ((column, other),)), f"the column {other!r}")
            for other in (near if are_near else ())
            if flag
        ]
        next_step = f"Columns {'of nearly that name' if are_near else 'there'}: {named}."
        raise MissingColumn(wrong, next_step, instead=others)


def flat_row(mapping: ColumnMapping, fields: Fields) -> dict[str, Any]:
    """Put a row's cells under the mapping's fields; texts that say numbers, truth values or lists have become these."""
    row = fields.value
    named = {name: column for name in COLUMNS if (column := getattr(mapping, name)) is not None}
    cells = {name: (at if name in _LISTS else single_at)(row, column) for name, column in named.items()}
    flat = {name: _READ[name](cell) if name in _READ else cell for name, cell in cells.items()}
    if mapping.steps is not None and mapping.separator is not None:
        # A path through a list may lead to the one text of the whole solution, which is to be split as stated.
        cells["steps"] = single_at(row, mapping.steps)
    flat["steps"], flat[_SPLIT] = steps(cells.get("steps"), mapping.separator)
    return flat


_LISTS = frozenset({"steps", "error_steps", "step_labels"})
"""Fields whose cells are lists."""


def _wholes(cell: Any) -> Any:
    parts = listed(cell)
    return [whole(part) for part in parts] if isinstance(parts, list) else parts


_READ: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "scorer", *TEXTS), text),
    "error_steps": _wholes,
    "step_labels": listed,
    "final_answer_correct": truth,
    "agreement": number,
    "run": whole,
}


def mapped(field: Field, column: str) -> Field:
    """Put a field under its column's name; one inside an object can only be found by reading value by value."""
    return replace(field, key=column, needed=field.needed or "." in column or "[" in column)


def _separator_words(mapping: ColumnMapping) -> str:
    return "blank lines" if mapping.separator is None else f"every {mapping.separator!r}"


def _identify(mapping: ColumnMapping, fields: Fields) -> str:
    if mapping.id is None:
        return fields.row_name()
    return fields.of({"id": text(single_at(fields.value, mapping.id))}).identifier()


def _case_fields(mapping: ColumnMapping) -> dict[str, Field]:
    known = {
        "id": Field(pl.String(), str | int, name_of, needed=True, filled=True),
        "problem": replace(text_field(required=True), filled=True),
        "steps": replace(solution(), read=_steps),
        **gold_fields(mapping),
        "final_answer_correct": truth_field(),
        "agreement": read_by(pl.Float64(), _agreement, float),
        **{name: replace(text_field(), filled=True) for name in TEXTS},
    }
    # Without a column of ids, cases are called after the row's number, which an expression knows.
    fields = {name: mapped(field, column) for name, field in known.items() if (column := getattr(mapping, name))}
    # Only rows that are read value by value have these.
    fields[_SPLIT] = as_made(pl.Boolean())
    fields[_ZEROS] = as_made(pl.Int64(), partial(_ratings, lambda rating: rating == 0))
    fields[_NEGATIVE] = as_made(pl.Int64(), partial(_ratings, lambda rating: rating < 0))
    zero = clean_mark(mapping, mapping.label_base) == "0"
    fields[_MINUS_ONES] = as_made(pl.Int64(), partial(_called, "-1"))
    fields[_CLEAN_ZEROS] = as_made(pl.Int64(), partial(_called, "0") if zero else lambda _fields, _name: 0)
    return fields


def _ratings(like: Callable[[float], bool], fields: Fields, _: str) -> int:
    labels = fields.value.get("step_labels")
    ratings = labels if isinstance(labels, list) else []
    return sum(isinstance(rating, int | float) and like(rating) for rating in ratings)


def _called(word: str, fields: Fields, _: str) -> int:
    return int(text(fields.value.get("earliest_error")) == word)


def _steps(fields: Fields, name: str) -> list[str] | None:
    if isinstance(fields.value.get(name), str):
        fields.note("error", "printed-list", "steps look like a list and are not JSON; write them with json.dumps")
        return None
    return fields.solution(name)


def _agreement(fields: Fields, name: str) -> float | None:
    value = fields.value.get(name)
    if value is None or isinstance(value, float):
        return None if value is None or math.isnan(value) else value
    fields.note("warning", "wrong-type", NO_SHARE)
    return None


IS_SHARE = pl.col("agreement").is_between(0, 1)
NO_SHARE = "agreement is not a number from 0 to 1"


# -- what the first step is called in labels


class LabelBase(Struct, frozen=True):
    """`base` is what the first step is called, `words` how that is known, `finding` a doubt about it."""

    base: int
    words: str
    finding: Finding | None = None


class Evidence(Struct, frozen=True):
    """Counts of labels that name a wrong step: all, those that are 0, those at and beyond the number of steps."""

    labels: int = 0
    zeros: int = 0
    ends: int = 0
    beyond: int = 0

    def __add__(self, other: "Evidence") -> "Evidence":
        return Evidence(
            self.labels + other.labels, self.zeros + other.zeros, self.ends + other.ends, self.beyond + other.beyond
        )

    @classmethod
    def of(cls, pairs: pl.DataFrame) -> "Evidence":
        """Count labels, one a row: columns `label` and `n`, the number of steps (null = not known)."""
        label, n = pl.col("label"), pl.col("n")
        named: dict[str, Any] = (
            pairs.filter(label >= 0)
            .select(labels=pl.len(), zeros=(label == 0).sum(), ends=(label == n).sum(), beyond=(label > n).sum())
            .row(0, named=True)
        )
        return cls(**named)


def label_base(
    stated: int | None,
    evidence: Evidence,
    *,
    marked: bool,
    source: str,
    option: str = "label_base",
    clean: str | None = None,
) -> LabelBase:
    """Decide the base of labels.

    Clear evidence is, for 0: a label 0 where clean cases are marked in another way (`marked`); for 1: no label 0, some
    that equal the number of steps, none above it. Without either 0 is assumed, with a warning that names the `option`
    by which to state it. `clean` is the word of a label that no step is wrong: such labels are not counted.
    """
    zeros, ends, beyond = evidence.zeros, evidence.ends, evidence.beyond
    seen = f"{ends:,} labels equal the number of steps"
    if zeros or clean != "0":
        seen = f"{zeros:,} labels are 0, {ends:,} equal the number of steps"
    if stated is not None:
        return LabelBase(stated, f"{stated}-based, as stated ({seen})", _against(stated, zeros, ends, source, option))
    if not evidence.labels:
        return LabelBase(0, "0-based (no label names a step)")
    if zeros and marked:
        return LabelBase(0, f"0-based, inferred ({seen})")
    if not zeros and ends and not beyond and evidence.labels >= _ENOUGH:
        return LabelBase(1, f"1-based, inferred ({seen})")
    why = "0 may also stand for no error" if zeros else "nothing shows whether they count from 0 or from 1"
    flag = _BASE_FLAGS.get(option.partition(" ")[0], "")
    flag += " 1 --clean 0, if 0 is no error" if flag and zeros else " 0 or 1" if flag else ""
    named = f"{option} in the mapping ({flag})" if flag else f"{option} in the mapping"
    message = f"labels were assumed to count from 0: {why} ({seen}); state {named}"
    return LabelBase(0, f"0-based, assumed ({seen})", Finding("warning", "label-base", message, source))


def base_note(base: LabelBase, source: str) -> Finding:
    """Return which base of verdicts was inferred, and that another can be stated."""
    message = f"verdicts were read {base.words}; --base states another"
    return Finding("note", "label-base", message, source)


def _against(stated: int, zeros: int, ends: int, source: str, option: str) -> Finding | None:
    # Gold labels that name no step are said one by one; a verdict that names none is a wrong answer.
    if stated and zeros and (not ends or option == "verdict_base"):
        flag = _BASE_FLAGS[option]
        message = (
            f"{option} is stated as 1, but {zeros:,} labels are 0, which is not a step then: if 0 is the first step, "
            f"it is 0 ({flag} 0), and if 0 means no error, `clean` in the mapping says so ({flag} 1 --clean 0)"
        )
    elif not stated and ends and not zeros:
        message = f"{option} is stated as 0, but no label is 0 and {ends:,} equal the number of steps: it may be 1"
    else:
        return None
    return Finding("warning", "label-base", message, source)


# -- gold labels: an index, a list of indices, or a label a step


def _wrong_below(mapping: ColumnMapping) -> float:
    return _HALF if mapping.wrong_below is None else mapping.wrong_below


def clean_mark(mapping: ColumnMapping, base: int | None) -> str | None:
    """Return what stands for no error beside -1 in a column whose first step is said to be called `base`; None =
    nothing does. What names the first step is no mark.
    """
    return None if mapping.clean == "0" and base == 0 else mapping.clean


def clean_words(mapping: ColumnMapping, base: int | None) -> str:
    """Return in words what stands for no error in such a column."""
    mark = clean_mark(mapping, base)
    return "-1 = no error" if mark is None else f"-1 or {mark} = no error"


def is_clean(cell: Any, mark: str | None) -> bool:
    """Return whether a cell that should name a step says that no step is wrong, by -1 or by a mark of its column."""
    word = text(cell)
    if mark == "null" and word is None:
        return True
    return word == "-1" or (isinstance(word, str) and word.strip().lower() == (mark or "-1").lower())


def index_natural(mapping: ColumnMapping) -> Any:
    """Return the type of indices that need no reading: none where a number may mean that no step is wrong."""
    return None if mapping.clean is not None and type(whole(mapping.clean)) is int else WHOLE


def gold_fields(mapping: ColumnMapping, *, quiet: bool = False) -> dict[str, Field]:
    """Declare the fields of gold labels as they stand, whatever base they count from; -1 = no step is wrong.

    `quiet` where nothing is to be said of them.
    """

    def noted(read: Callable[[Fields, str], Any]) -> Callable[[Fields, str], Any]:
        return (lambda fields, name: read(replace(fields, findings=[]), name)) if quiet else read

    index = index_natural(mapping)
    return {
        "earliest_error": read_by(pl.Int64(), noted(partial(_earliest, mapping)), index, needed=True),
        "error_steps": read_by(pl.List(pl.Int64()), noted(_error_steps), list[WHOLE], needed=True),
        "step_labels": read_by(pl.List(pl.Boolean()), noted(partial(_step_labels, mapping)), list[bool], needed=True),
    }


def _earliest(mapping: ColumnMapping, fields: Fields, name: str) -> int | None:
    cell = fields.value.get(name)
    if is_clean(cell, clean_mark(mapping, mapping.label_base)):
        return -1
    if text(cell) is None:
        fields.note("note", "no-label", "the earliest error is not given; the case has no gold label")
        return None
    label = whole(cell)
    if type(label) is not int or abs(label) >= _LARGE:
        fields.note("warning", "wrong-type", f"earliest_error is {_words(cell)}, not a whole number")
        return None
    return label


def _error_steps(fields: Fields, name: str) -> list[int] | None:
    if text(fields.value.get(name)) is None:
        fields.note("note", "no-label", "the wrong steps are not given; the case has no gold label")
        return None
    return fields.integers(name)


def _step_labels(mapping: ColumnMapping, fields: Fields, name: str) -> list[bool] | None:
    labels = fields.value.get(name)
    if labels is None:
        fields.note("note", "no-label", "the steps have no labels; the case has no gold label")
        return None
    if not isinstance(labels, list):
        fields.note("warning", "wrong-type", f"step_labels is {_words(labels)}, not a list")
        return None
    wrong = [_is_wrong(label, mapping) for label in labels]
    if None in wrong:
        place = wrong.index(None)
        message = f"step_labels[{place}] is {_words(labels[place])}: no truth value or rating; no label is used"
        fields.note("warning", "bad-label", message)
        return None
    return [not label for label in wrong]


def _is_wrong(label: Any, mapping: ColumnMapping) -> bool | None:
    if isinstance(label, bool):
        return not label
    rating = number(label)
    if isinstance(rating, float):
        return rating < _wrong_below(mapping) if math.isfinite(rating) else None
    word = rating.strip().lower() if isinstance(rating, str) else None
    return True if word in _WRONG else False if word in _RIGHT else None


def _words(cell: Any) -> str:
    return repr(cell[:40]) if isinstance(cell, str) else kind_of(cell)


def gold_base(rows: Rows, mapping: ColumnMapping) -> LabelBase:
    """Find what the first step is called in the gold labels, as stated or as they show; the rows are read for it."""
    named = [name for name in ("earliest_error", "error_steps") if getattr(mapping, name) is not None]
    if not named:
        return label_base(mapping.label_base, Evidence(), marked=True, source=rows.source)
    read = gold_fields(mapping, quiet=True)
    fields = {name: mapped(read[name], getattr(mapping, name)) for name in named}
    if mapping.steps is not None:
        fields["steps"] = mapped(read_by(pl.List(pl.String()), _quiet_steps, list[str], needed=True), mapping.steps)
    layout = Layout(fields, name=lambda _: "", lenient=partial(flat_row, mapping))
    n_steps = pl.col("steps").list.len().cast(pl.Int64) if "steps" in fields else pl.lit(None, dtype=pl.Int64)
    parts = list(chunks(rows, layout, lambda chunk: _evidence(chunk.frame, named, n_steps)))
    mark = clean_mark(mapping, mapping.label_base)
    marked = mark is not None or mapping.earliest_error is None or any(clean for _, clean in parts)
    evidence = sum((evidence for evidence, _ in parts), Evidence())
    return label_base(mapping.label_base, evidence, marked=marked, source=rows.source, clean=mark)


def _quiet_steps(fields: Fields, name: str) -> list[str] | None:
    steps = fields.value.get(name)
    return ["" for _ in steps] if isinstance(steps, list) else None


def _evidence(frame: pl.DataFrame, named: list[str], n_steps: pl.Expr) -> tuple[Evidence, int]:
    """What the labels of a chunk show of their base, and how many say that no step is wrong."""
    lists = pl.col("error_steps") if "error_steps" in named else pl.lit([], dtype=pl.List(pl.Int64))
    earliest = pl.col("earliest_error") if "earliest_error" in named else pl.lit(None, dtype=pl.Int64)
    labels = frame.select(n=n_steps, lists=lists, earliest=earliest)
    pairs = pl.concat(
        [labels.select("n", label="earliest"), labels.select("n", label="lists").explode("label", empty_as_null=False)]
    )
    return Evidence.of(pairs), int((labels["earliest"] == -1).sum())


class GoldExpressions:
    """Gold labels as expressions over the fields, once their base is known; null where a row has no usable one.

    `earliest` and `error_steps` are the columns `earliest_error` and `error_steps`.
    """

    def __init__(self, mapping: ColumnMapping, base: int) -> None:
        """Say what the first step is called: `base`."""
        self._mapping, self._base = mapping, base
        self._label, labels, listed_steps = (pl.col(name) for name in ("earliest_error", "step_labels", "error_steps"))
        # All wrong steps, 0-based and ascending, as a list or the labels of steps say.
        self._several: pl.Expr | None = None
        if mapping.error_steps is not None:
            steps = listed_steps.list.eval(pl.element() - base).list.unique().list.sort()
            negative = steps.list.eval(pl.element().filter(pl.element() < 0))
            self._several = pl.when(negative.list.len() == 0).then(steps).cast(pl.List(STEP_INDEX))
        elif mapping.step_labels is not None:
            wrong = labels.list.eval(pl.element().not_().arg_true()).cast(pl.List(STEP_INDEX))
            usable = (labels.list.len() == _STEPS) | ((labels.list.len() < _STEPS) & (wrong.list.len() > 0))
            self._several = pl.when(usable).then(wrong)
        # The lowest wrong step that is there, -1 for none at all; null where only steps beyond the last are listed.
        self._lowest: pl.Expr = pl.lit(None, dtype=STEP_INDEX)
        if self._several is not None:
            first, count = self._several.list.first(), self._several.list.len()
            self._lowest = pl.when(count == 0).then(-1).when(first < _STEPS).then(first).cast(STEP_INDEX)
        named = pl.when(self._label == -1).then(-1).when(self._label >= base).then(self._label - base)
        self._named = named.cast(STEP_INDEX)
        self.earliest: pl.Expr = self._lowest if mapping.earliest_error is None else self._named
        self.error_steps: pl.Expr = none_wrong(self.earliest)
        if self._several is not None and mapping.error_steps is not None:
            self.error_steps = self._several
        elif self._several is not None:
            complete = labels.list.len() == _STEPS
            self.error_steps = pl.when(complete).then(self._several).otherwise(self.error_steps)

    def checks(self) -> Iterator[Check]:
        """Check what is odd about the labels of single rows."""
        base, last = self._base, _STEPS.cast(pl.Int64) - 1 + self._base
        if self._mapping.error_steps is not None:
            labels = pl.col("error_steps")
            bad = labels.list.eval(pl.element().filter(pl.element() < base))
            message = "error_steps {} name no step; the case has no gold label"
            yield warn_where("bad-label", bad.list.len() > 0, message, _listed(bad))
            far = pl.struct(labels, last.alias("last")).map_elements(
                lambda row: [label for label in row["error_steps"] if label > row["last"]],
                return_dtype=pl.List(pl.Int64()),
            )
            beyond = (bad.list.len() == 0) & (labels.list.max() > last)
            message = f"error_steps {{}} are beyond the last step ({{}}, {base}-based)"
            yield warn_where("label-beyond-end", beyond, message, _listed(far), last)
        elif self._mapping.step_labels is not None:
            labels = pl.col("step_labels")
            count = labels.list.len()
            message = "there are {} labels for {} steps: none is used"
            yield warn_where("label-count", count > _STEPS, message, count, _STEPS)
            some_wrong = labels.list.all().not_()
            unlabelled, unused = pl.lit("the steps after them are unlabelled"), pl.lit("none is used")
            used = pl.when(some_wrong).then(unlabelled).otherwise(unused)
            message = "there are {} labels for {} steps: {}"
            yield warn_where("label-count", count < _STEPS, message, count, _STEPS, used)
        if self._several is not None:
            none_there = (self._several.list.len() > 0) & self._lowest.is_null()
            message = "none of the wrong steps is there; the case has no earliest error"
            yield warn_where("no-error-in-range", none_there, message)
        if self._mapping.earliest_error is None:
            return
        no_step = (self._label != -1) & (self._label < base)
        message = "earliest_error {} names no step; the case has no gold label"
        yield warn_where("bad-label", no_step, message, self._label)
        message = f"earliest_error {{}} is beyond the last step ({{}}, {base}-based)"
        yield warn_where("label-beyond-end", self._label > last, message, self._label, last)
        differ = self._named != self._lowest
        message = "earliest_error is step {}, the lowest wrong step {} (0-based, -1 = none)"
        yield warn_where("labels-disagree", differ, message, self._named, self._lowest)


_STEPS = pl.col("steps").list.len().cast(pl.Int64)


def _listed(labels: pl.Expr) -> pl.Expr:
    return pl.format("[{}]", labels.list.eval(pl.element().cast(pl.String)).list.join(", "))


def _concluded(mapping: ColumnMapping, base: LabelBase, read: ReadSource) -> tuple[str, list[Finding]]:
    source, findings = read.source, list(read.findings)
    if split := read.tallies[_SPLIT]:
        message = f"{split:,} solutions were one text and were split at {_separator_words(mapping)}"
        findings.append(Finding("note", "split-steps", message, source))
    findings += [base.finding] if base.finding else []
    if read.tallies[_MINUS_ONES] and read.tallies[_CLEAN_ZEROS] and mapping.label_base is None:
        message = (
            f"{read.tallies[_MINUS_ONES]:,} labels are -1 and {read.tallies[_CLEAN_ZEROS]:,} are 0, and both were read "
            "as no error; state label_base in the mapping (--label-base 0, if 0 is the first step)"
        )
        findings.append(Finding("warning", "label-base", message, source))
    doubtful = mapping.step_labels is not None and mapping.wrong_below is None
    if doubtful and read.tallies[_ZEROS] and read.tallies[_NEGATIVE]:
        message = (
            "some ratings are below 0 and others 0: 0 was read as wrong; "
            "state wrong_below in the mapping (--wrong-below 0: as right)"
        )
        findings.append(Finding("warning", "label-base", message, source))
    if mapping.id is None:
        message = "no column holds ids; cases are called after the file and the row's number"
        findings.append(Finding("note", "no-id", message, source))
    return _label_words(mapping, base), findings


def _label_words(mapping: ColumnMapping, base: LabelBase) -> str:
    if mapping.earliest_error is not None or mapping.error_steps is not None:
        none = clean_words(mapping, mapping.label_base) if mapping.earliest_error else "an empty list = no error"
        return f"{base.words}, {none}"
    if mapping.step_labels is not None:
        stated = "assumed" if mapping.wrong_below is None else "stated"
        return f"a label a step: false, or a rating below {_wrong_below(mapping):g} ({stated}), is wrong"
    return "no column holds gold labels"
