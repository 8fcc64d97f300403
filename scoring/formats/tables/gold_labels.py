"""Gold labels of a table: an index, a list of indices, or a label a step; what they count from and which mean wrong.

All labels of a table are examined before one is used (`read_gold`). A column with many unreadable cells is not used at
all, because the readable ones would be a biased selection.
"""

import math
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InputError, UsageError
from scoring.data.schema import STEP_INDEX
from scoring.formats.benchmarks.case_format import Check, none_wrong, warn_where
from scoring.formats.reading.chunks import chunks
from scoring.formats.reading.fields import WHOLE, Field, Fields, Layout, kind_of, read_by
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding, Severity
from scoring.formats.reading.label_checks import (
    absent_wrong_finding,
    is_few,
    is_signed,
    may_mean_unlabelled,
    no_error_finding,
    no_error_words,
    rating_limit,
    read_end_labels,
    says_wrong,
    unread_labels_finding,
    wrong_name_finding,
)
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.cell_values import number, text, whole
from scoring.formats.tables.column_mapping import ColumnMapping, flat_row, mapped
from scoring.formats.tables.label_bases import Evidence, LabelBase, label_base

_RIGHT = frozenset(
    {"right", "correct", "true", "yes", "good", "positive", "neutral", "valid", "ok", "okay", "pass", "passed"}
    | {"accurate", "no error", "+", "\N{CHECK MARK}", "\N{HEAVY CHECK MARK}", "\N{WHITE HEAVY CHECK MARK}"}
    | {"\N{BALLOT BOX WITH CHECK}", "1"}
)
_WRONG = frozenset(
    {"wrong", "incorrect", "false", "no", "bad", "negative", "invalid", "fail", "failed", "inaccurate", "error"}
    | {"erroneous", "mistake", "-", "\N{BALLOT X}", "\N{HEAVY BALLOT X}", "\N{CROSS MARK}"}
    | {"\N{MULTIPLICATION X}", "\N{BALLOT BOX WITH X}", "0"}
)
"""Words of a step label; true and false are 1 and 0 here."""
_RELATIVE = frozenset({"1", "0", "yes", "no", "+", "-"})
"""Words that say wrong or right only together with the column's name."""
_HALF = 0.5
_LARGE = 2**31
_FLAGS, _BLANKS = 0.8, 9
"""The least share of lists that are one flag per step; the most empty cells per label that may mean no error."""
AFTER_LAST = "steps"
"""The word of `clean` for the index after the last step: the number of steps where the first one is called 0."""
_EMPTY = "null"
"""The word of `clean` for an empty cell."""
_INDEX = re.compile(r"(?:(step|paragraph)[\s_#:-]*|#)?([0-9]{1,9})(?:\.0*|[):])?\Z", re.IGNORECASE)


# -- cells: an index, a list of indices, or a label a step


def wrong_below(mapping: ColumnMapping) -> float:
    """Return the rating below which a step is wrong."""
    return _HALF if mapping.wrong_below is None else mapping.wrong_below


def clean_mark(mapping: ColumnMapping, base: int | None) -> str | None:
    """Return the words for no error besides -1 where the first step is called `base`; None = there are none.

    A word that names the first step is not one of them.
    """
    if mapping.clean is None or base != 0 or "0" not in _parts(mapping.clean):
        return mapping.clean
    return ",".join(sorted(_parts(mapping.clean) - {"0", mapping.clean})) or None


def clean_words(mapping: ColumnMapping, base: int | None) -> str:
    """Describe the labels that mean no error in such a column."""
    mark = clean_mark(mapping, base)
    if mark is None or mark == "-1":
        return "-1 = no error"
    words = ["the index after the last step" if part == AFTER_LAST else part for part in mark.split(",")]
    return f"-1 or {' or '.join(words)} = no error"


def is_clean(cell: Any, mark: str | None) -> bool:
    """Return whether a cell that should name a step says that no step is wrong, by -1 or by a word of its column."""
    word = text(cell)
    if word is None:
        return mark is not None and _EMPTY in _parts(mark)
    return word == "-1" or (mark is not None and isinstance(word, str) and word.strip().lower() in _parts(mark))


def ends_clean(mapping: ColumnMapping) -> bool:
    """Return whether the index after the last step means no error."""
    return mapping.clean is not None and AFTER_LAST in _parts(mapping.clean)


@lru_cache(maxsize=64)
def _parts(mark: str) -> frozenset[str]:
    """The words of an option in lower case, and all of it, which may be one word with commas."""
    return frozenset({mark.lower(), *(part.strip().lower() for part in mark.split(","))} - {""})


def index_natural(mapping: ColumnMapping) -> Any:
    """Return the type of indices that need no reading; None where a number may mean no error."""
    numeric = mapping.clean is not None and any(type(whole(part)) is int for part in _parts(mapping.clean))
    return None if numeric else WHOLE


def index_of(cell: Any) -> Any:
    """Read an index: a whole number, also in a text such as `3.`, `#3` or `Step 3`; any other cell as it is."""
    match = _INDEX.match(cell.strip()) if isinstance(cell, str) else None
    return whole(cell) if match is None else int(match[2])


def names_step(cell: Any) -> bool:
    """Return whether an index is written as the name of a step, such as `Step 3`."""
    match = _INDEX.match(cell.strip()) if isinstance(cell, str) else None
    return match is not None and match[1] is not None


def gold_fields(mapping: ColumnMapping, *, quiet: bool = False) -> dict[str, Field]:
    """Declare the fields of gold labels, whatever base they count from; -1 = no step is wrong.

    `quiet` = without findings.
    """

    def noted(read: Callable[[Fields, str], Any]) -> Callable[[Fields, str], Any]:
        return (lambda fields, name: read(replace(fields, findings=[]), name)) if quiet else read

    index = index_natural(mapping)
    truths = list[bool] if mapping.wrong is None else None
    return {
        "earliest_error": read_by(pl.Int64(), noted(partial(_earliest, mapping)), index, needed=True),
        "error_steps": read_by(pl.List(pl.Int64()), noted(_error_steps), list[WHOLE], needed=True),
        "step_labels": read_by(pl.List(pl.Boolean()), noted(partial(_step_labels, mapping)), truths, needed=True),
    }


def _earliest(mapping: ColumnMapping, fields: Fields, name: str) -> int | None:
    cell = fields.value.get(name)
    if is_clean(cell, clean_mark(mapping, mapping.label_base)):
        return -1
    if _is_unlabelled(cell, mapping):
        fields.note("note", "no-label", "the earliest error is not given; the case has no gold label")
        return None
    label = index_of(cell)
    if type(label) is not int or abs(label) >= _LARGE:
        fields.note("warning", "wrong-type", f"earliest_error is {_words(cell)}, not a whole number")
        return None
    return label


def _is_unlabelled(cell: Any, mapping: ColumnMapping) -> bool:
    """Whether an index is not given: words such as N/A say so where other words are stated to mean no error."""
    word = text(cell)
    stated = mapping.clean is not None and isinstance(word, str)
    return word is None or (stated and may_mean_unlabelled(word.strip().lower()))


def _error_steps(fields: Fields, name: str) -> list[int] | None:
    cell = fields.value.get(name)
    if text(cell) is None:
        fields.note("note", "no-label", "the wrong steps are not given; the case has no gold label")
        return None
    return replace(fields, value={name: _indices(cell)}).integers(name)


def _indices(cell: Any) -> Any:
    return [index_of(part) for part in cell] if isinstance(cell, list) else cell


def _step_labels(mapping: ColumnMapping, fields: Fields, name: str) -> list[bool] | None:
    labels = _without_last_nulls(fields.value.get(name))
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


def _without_last_nulls(labels: Any) -> Any:
    """Labels up to the last one: steps after the error are often null because nobody labelled them."""
    if not isinstance(labels, list) or not labels or labels[-1] is not None:
        return labels
    return labels[: max((count for count, label in enumerate(labels, 1) if label is not None), default=0)] or None


def _is_wrong(label: Any, mapping: ColumnMapping) -> bool | None:
    word = _label_word(label)
    if mapping.wrong is not None:
        return None if word is None else word in _wrong_words(mapping.wrong)
    if isinstance(label, bool):
        return not label
    rating = number(label)
    if isinstance(rating, float):
        return rating < wrong_below(mapping) if math.isfinite(rating) else None
    return True if word in _WRONG else False if word in _RIGHT else None


@lru_cache(maxsize=64)
def _wrong_words(wrong: str) -> frozenset[str | None]:
    return frozenset(_label_word(part) for part in wrong.split(","))


def _label_word(label: Any) -> str | None:
    """A label as it is compared, with true as 1 and false as 0 however they are written; None where it says nothing."""
    if isinstance(label, bool):
        return str(int(label))
    rating = number(label)
    if isinstance(rating, float):
        return f"{rating:g}" if math.isfinite(rating) else None
    if not isinstance(rating, str):
        return None
    word = rating.strip().lower().removesuffix("\N{VARIATION SELECTOR-16}")
    return {"true": "1", "false": "0"}.get(word, word)


def _words(cell: Any) -> str:
    return repr(cell[:40]) if isinstance(cell, str) else kind_of(cell)


def _shown(cell: Any) -> str:
    """An unknown cell as it is counted."""
    if isinstance(cell, str):
        return printable(cell.strip().lower()[:40])
    return str(cell).lower() if isinstance(cell, bool | int | float) else kind_of(cell)


# -- all labels of a table


class GoldReading(Struct, frozen=True):
    """How the gold labels of a table are read, after all of them were examined.

    Attributes:
        mapping: The mapping, with the words for no error and the limit of ratings that the labels show, and without
            the columns whose labels are not used.
        base: What the first step is called.
        findings: Doubts about whole columns.
        words: How the labels are read, in words.
        is_unclear: Whether indices are not used because 0 may mean no error as well as the number of steps.
    """

    mapping: ColumnMapping
    base: LabelBase
    findings: tuple[Finding, ...]
    words: str
    is_unclear: bool = False


def read_gold(rows: Rows, mapping: ColumnMapping) -> GoldReading:
    """Examine all gold labels of a table and decide how they are read; the rows are read for it.

    Raises:
        InputError: the labels contradict what the mapping says of them.
        UsageError: the mapping says which labels mean wrong, and names no column of step labels.
    """
    if mapping.wrong is not None and mapping.step_labels is None:
        raise UsageError(
            "--wrong says which step labels mean wrong, and no column of step labels is named.",
            "Name it with --step-labels COLUMN.",
        )
    if mapping.error_steps == mapping.step_labels:
        # The flags that a refusal of lists of flags names, added to the command that was refused.
        mapping = replace(mapping, error_steps=None)
    named = [name for name in ("earliest_error", "error_steps", "step_labels") if getattr(mapping, name) is not None]
    base = label_base(mapping.label_base, Evidence(), marked=True, source=rows.source)
    if not named:
        return GoldReading(mapping, base, (), "no column holds gold labels")
    labels = _Labels(rows, mapping, named)
    if mapping.error_steps is not None:
        labels.read_error_steps()
    if mapping.earliest_error is not None:
        base = labels.read_indices()
    elif labels.mapping.error_steps is not None:
        base = label_base(mapping.label_base, labels.evidence(), marked=True, source=rows.source)
    if mapping.step_labels is not None:
        labels.read_step_labels()
    findings = (*labels.findings, *([] if base.finding is None else [base.finding]))
    return GoldReading(labels.mapping, base, findings, labels.words(base), labels.is_unclear)


class _Labels:
    """The gold labels of a table, and the words in them that are not known; `mapping` is changed to what they show."""

    def __init__(self, rows: Rows, mapping: ColumnMapping, named: list[str]) -> None:
        self.source, self.mapping, self.stated = rows.source, mapping, mapping
        self.findings: list[Finding] = []
        self.is_unclear = False
        self.unread: dict[str, Counter[str]] = {name: Counter() for name in named}
        self.unread_rows: Counter[str] = Counter()
        self.words_found: Counter[str] = Counter()
        self.ratings: Counter[float] = Counter()
        self.blank = self.step_names = self.truth_lists = self.minus_ones = self.clean_zeros = 0
        read = {
            "earliest_error": read_by(pl.Int64(), self._index, index_natural(mapping), needed=True),
            "error_steps": read_by(pl.List(pl.Int64()), self._list, list[WHOLE], needed=True),
            "step_labels": read_by(pl.List(pl.Boolean()), self._step_labels, list[bool], needed=True),
        }
        fields = {name: mapped(read[name], getattr(mapping, name)) for name in named}
        if mapping.steps is not None:
            fields["steps"] = mapped(read_by(pl.List(pl.String()), _quiet_steps, list[str], needed=True), mapping.steps)
        layout = Layout(fields, name=lambda _: "", lenient=partial(flat_row, mapping))
        n_steps = pl.col("steps").list.len().cast(pl.Int64) if "steps" in fields else pl.lit(None, dtype=pl.Int64)
        wanted = [pl.col(name) for name in named]
        self.frame = pl.concat(chunks(rows, layout, lambda chunk: chunk.frame.select(*wanted, n=n_steps)))

    # -- cells

    def _index(self, fields: Fields, name: str) -> int | None:
        cell = fields.value.get(name)
        self.step_names += names_step(cell)
        if is_clean(cell, clean_mark(self.stated, self.stated.label_base)):
            self.minus_ones += text(cell) == "-1"
            self.clean_zeros += text(cell) == "0"
            return -1
        if _is_unlabelled(cell, self.stated):
            self.blank += 1
            return None
        label = index_of(cell)
        if type(label) is int and abs(label) < _LARGE:
            return label
        self.unread[name][_shown(cell)] += 1
        return None

    def _list(self, fields: Fields, name: str) -> list[int] | None:
        cell = fields.value.get(name)
        if text(cell) is None:
            return None
        parts = _indices(cell)
        if isinstance(parts, list) and parts and all(isinstance(part, bool) for part in parts):
            self.truth_lists += 1
            return [int(part) for part in parts]
        steps = replace(fields, value={name: parts}, findings=[]).integers(name)
        if steps is None:
            self.unread[name][_shown(cell)] += 1
        return steps

    def _step_labels(self, fields: Fields, name: str) -> list[bool] | None:
        """Count the words and ratings of a row; [] stands for its labels."""
        labels = _without_last_nulls(fields.value.get(name))
        if labels is None:
            return None
        unread: set[str] = set() if isinstance(labels, list) else {_shown(labels)}
        for label in labels if isinstance(labels, list) else ():
            word, rating = _label_word(label), None if isinstance(label, bool) else number(label)
            if word is None or (self.stated.wrong is None and _is_wrong(label, self.stated) is None):
                unread.add(_shown(label))
            else:
                self.words_found[word] += 1
                if isinstance(rating, float):
                    self.ratings[rating] += 1
        self.unread[name].update(unread)
        self.unread_rows[name] += bool(unread)
        return []

    # -- columns

    def evidence(self) -> Evidence:
        """Count what the indices show of their base."""
        pairs = [pl.DataFrame(schema={"n": pl.Int64, "label": pl.Int64})]
        if self.mapping.earliest_error is not None:
            pairs.append(self.frame.select("n", label="earliest_error"))
        if self.mapping.error_steps is not None:
            pairs.append(self.frame.select("n", label="error_steps").explode("label", empty_as_null=False))
        return Evidence.of(pl.concat(pairs))

    def read_error_steps(self) -> None:
        """Refuse lists of one flag a step.

        Raises:
            InputError: they are.
        """
        column, lists = printable(self.mapping.error_steps or ""), pl.col("error_steps")
        held = self.frame.filter(lists.list.len() > 0)
        is_flags = (lists.list.len() == pl.col("n")) & lists.list.eval(pl.element().is_in([-1, 0, 1])).list.all()
        flags = held.filter(is_flags)
        repeated = flags.filter(lists.list.n_unique() < lists.list.len())
        if (self.truth_lists or repeated.height) and flags.height >= _FLAGS * held.height:
            stated = f"--step-labels {shlex.quote(column)}"
            raise InputError(
                f"{flags.height:,} of {held.height:,} lists in {column!r} hold one value per step, and no indices.",
                f"Say which value means wrong with {stated} --wrong VALUE.",
                instead=[
                    (f"{stated} --wrong 1", "1 (or true) means wrong"),
                    (f"{stated} --wrong 0", "0 (or false) means wrong"),
                ],
            )
        self.unread["error_steps"]["a list of truth values"] += self.truth_lists
        self._drop_unread("error_steps", self.frame["error_steps"].count() - self.truth_lists, "--error-steps")

    def read_indices(self) -> LabelBase:
        """Read a column of one index a row: the words for no error, and the base."""
        self._read_no_error()
        self._drop_unread("earliest_error", self.frame["earliest_error"].count(), "--earliest-error", "--clean WORD")
        base, evidence = self.stated.label_base, self.evidence()
        if ends_clean(self.mapping):
            base = int(not evidence.zeros and evidence.after > 0) if base is None else base
            how = "inferred" if self.stated.label_base is None else "as stated"
            return LabelBase(base, f"{base}-based, {how}")
        if self.step_names and base is None:
            base = int(not evidence.zeros)
            named = "step 0 is named" if evidence.zeros else "steps are named and none is step 0"
            return LabelBase(base, f"{base}-based, inferred ({named})")
        mark = clean_mark(self.mapping, base)
        marked = mark is not None or bool((self.frame["earliest_error"] == -1).any())
        if not marked and self._alone and (end := self._read_ends(evidence)):
            return end
        if self.minus_ones and self.clean_zeros and base is None:
            message = (
                f"{self.minus_ones:,} labels are -1 and {self.clean_zeros:,} are 0, and both were read as no error; "
                "state label_base in the mapping (--label-base 0, if 0 is the first step)"
            )
            self._warn(message)
        return label_base(base, evidence, marked=marked, source=self.source, clean=mark)

    def _read_no_error(self) -> None:
        """Find the words for no error where nobody stated them."""
        unread, labels = self.unread["earliest_error"], self.frame["earliest_error"]
        n_clean, n_labels = int((labels == -1).sum()), labels.count()
        if self.stated.clean is not None or n_labels == n_clean:
            return
        words = no_error_words(unread, n_clean)
        count = sum(unread.pop(word) for word in words)
        if not words and not n_clean and self._alone and 0 < self.blank <= _BLANKS * n_labels:
            words, count = [_EMPTY], self.blank
        if words:
            column = printable(self.stated.earliest_error or "")
            self.findings.append(no_error_finding(self.source, column, words, count))
            self.mapping = replace(self.mapping, clean=",".join(words))

    def _read_ends(self, evidence: Evidence) -> LabelBase | None:
        """Read labels of the index after the last step where nothing else says no error."""
        counts = {name: getattr(evidence, name) for name in ("labels", "zeros", "ends", "after", "beyond")}
        end = read_end_labels(**counts, stated=self.stated.label_base)
        if end.seen:
            self._warn(end.doubt(printable(self.stated.earliest_error or "")))
        if not end.usable:
            self.is_unclear = True
            self.mapping = replace(self.mapping, earliest_error=None)
            return LabelBase(0, "not used")
        if end.clean:
            self.mapping = replace(self.mapping, clean=end.clean)
            return LabelBase(end.base, f"{end.base}-based, inferred")
        return None

    def _warn(self, message: str) -> None:
        self.findings.append(Finding("warning", "label-base", message, self.source))

    @property
    def _alone(self) -> bool:
        """Whether no other column holds gold labels, and this one is used."""
        return len(self.unread) == 1 and self.mapping.earliest_error is not None

    def read_step_labels(self) -> None:
        """Read a column of one label a step: which of its values mean wrong."""
        column, labels = printable(self.stated.step_labels or ""), self.frame["step_labels"]
        for truth, word in ((True, "1"), (False, "0")):
            self.words_found[word] += int(labels.list.count_matches(truth).sum())
        label_counts = Counter({word: count for word, count in self.words_found.items() if count})
        if self.stated.wrong is not None:
            if label_counts and _wrong_words(self.stated.wrong).isdisjoint(label_counts):
                self.findings.append(absent_wrong_finding(self.source, column, self.stated.wrong, label_counts))
        elif self.stated.wrong_below is None:
            limit, usable, doubt = rating_limit(self.ratings)
            if doubt:
                severity: Severity = "note" if is_signed(self.ratings) else "warning"
                self.findings.append(Finding(severity, "label-ratings", f"{column}: {doubt}", self.source))
            self.mapping = replace(self.mapping, wrong_below=limit, step_labels=column if usable else None)
            if usable and says_wrong(column) and not _RELATIVE.isdisjoint(label_counts):
                self.findings.append(wrong_name_finding(self.source, column))
        self._drop_unread("step_labels", labels.count(), "--step-labels", "--wrong WORDS")

    def _drop_unread(self, name: str, n_labels: int, *flags: str) -> None:
        """Use no label of a column with many unknown words."""
        column, unread = printable(getattr(self.stated, name)), self.unread[name]
        lost = self.unread_rows[name] if name == "step_labels" else sum(unread.values())
        total = n_labels if name == "step_labels" else n_labels + lost
        if getattr(self.mapping, name) is not None and not is_few(lost, total):
            self.findings.append(
                unread_labels_finding(self.source, column, unread, " ".join([flags[0], column, *flags[1:]]))
            )
            self.mapping = replace(self.mapping, **{name: None})

    def words(self, base: LabelBase) -> str:
        """Describe how the labels are read."""
        mapping = self.mapping
        if mapping.earliest_error is not None or mapping.error_steps is not None:
            none = clean_words(mapping, mapping.label_base) if mapping.earliest_error else "an empty list = no error"
            return f"{base.words}, {none}"
        if mapping.step_labels is None:
            columns = [printable(getattr(self.stated, name)) for name in self.unread]
            return f"not used ({', '.join(columns)})"
        if mapping.wrong is not None:
            return f"a label a step, wrong if {' or '.join(mapping.wrong.split(','))} (stated)"
        stated = "assumed" if self.stated.wrong_below is None else "stated"
        known = sorted(word for word in self.words_found if word in _WRONG - {"0"} and self.words_found[word])
        listed = "".join(f"{word!r}, " for word in known)
        return f"a label a step, wrong if {listed}false, or a rating below {wrong_below(mapping):g} ({stated})"


def _quiet_steps(fields: Fields, name: str) -> list[str] | None:
    steps = fields.value.get(name)
    return ["" for _ in steps] if isinstance(steps, list) else None


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
        self._clean = self._label == -1
        if ends_clean(mapping):
            self._clean |= self._label == _STEPS + base
        named = pl.when(self._clean).then(-1).when(self._label >= base).then(self._label - base)
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
        no_step = ~self._clean & (self._label < base)
        message = "earliest_error {} names no step; the case has no gold label"
        yield warn_where("bad-label", no_step, message, self._label)
        message = f"earliest_error {{}} is beyond the last step ({{}}, {base}-based)"
        yield warn_where("label-beyond-end", ~self._clean & (self._label > last), message, self._label, last)
        differ = self._named != self._lowest
        message = "earliest_error is step {}, the lowest wrong step {} (0-based, -1 = none)"
        yield warn_where("labels-disagree", differ, message, self._named, self._lowest)


_STEPS = pl.col("steps").list.len().cast(pl.Int64)


def _listed(labels: pl.Expr) -> pl.Expr:
    return pl.format("[{}]", labels.list.eval(pl.element().cast(pl.String)).list.join(", "))
