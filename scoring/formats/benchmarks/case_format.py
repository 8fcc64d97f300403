"""How a benchmark is declared: the fields of its rows, expressions from them to columns of ours, and checks.

    FORMAT = CaseFormat(
        name="sums",
        layout=Layout({"id": identifier(), "problem": text(required=True), "steps": solution(), "label": whole()},
                      content=("problem", "steps")),
        columns={"earliest_error": first_step("label")},
        checks=first_step_checks("label"),
        conclude=lambda read: ("0-based, -1 = no error", read.findings),
    )
    load = FORMAT.load

The same declaration reads a small file and one of a million rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import UnwritableWorkspace
from scoring.data.metadata_columns import ColumnFates
from scoring.data.reward_keys import OF_PROBLEMS
from scoring.data.schema import CASES, METADATA, READABLE, STEP_INDEX, TEXTS, WHOLE, content_key
from scoring.data.storage.files import unwritable, uuid7
from scoring.data.texts import ROW_GROUP, Texts, in_groups, rest_digests
from scoring.formats.reading.chunks import Chunk, chunks
from scoring.formats.reading.fields import KEPT, KEY, LINE, NUMBER, Field, Fields, Layout, kind_of, row_name
from scoring.formats.reading.findings import Finding, Severity
from scoring.formats.reading.metadata import MetadataCollector, half_characters
from scoring.formats.reading.rows import Rows, SourceRow
from scoring.formats.reading.text_checks import problem_evidence, problem_findings
from scoring.formats.reading.text_rows import CSV_FORMATS

MADE = "case."
"""What stands before the name of a column of ours in a check, beside the fields of the row."""
DECRYPTED = "decrypted"
"""The finding that rows were published encrypted: their texts are written only where a person says so."""
LARGE = 64 * 1024 * 1024
"""Bytes of a file from which on its texts are kept on the disk while it is imported."""

_UNDECODABLE = "undecodable"
_MANY = 30
"""Erroneous cases from which on it is odd that none has its first error in the first step."""


class Imported(Struct, frozen=True, eq=False):
    """One source as cases.

    `cases` has the columns of `scoring.data.schema.CASES`; of a source too large for memory, whose texts were
    `spilled`, those of METADATA. `label_base` says in words which index base the labels had and how that was seen.
    `read` is the number of rows in the source, kept ones or not.
    """

    benchmark: str
    source: str
    format: str
    label_base: str
    read: int
    cases: pl.DataFrame
    findings: tuple[Finding, ...]
    # Unharmed originals of some of the cases, with the same columns and `twin_of`: scored, never listed or counted.
    twins: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=CASES))
    # Where the texts of `cases` are instead.
    spilled: "Spilled | None" = None
    # The file's absolute path, so that a row can be looked up again from anywhere. Empty = no file.
    path: str = ""
    # Which column was read as what, where a person said so. Empty = the format says it.
    mapping: str = ""
    # The metadata columns of `cases`, row for row (`scoring.data.metadata_columns`); without rows where there is none.
    metadata: pl.DataFrame = field(default_factory=pl.DataFrame)
    # What became of every column of the file; None where nobody looked.
    fates: ColumnFates | None = None

    def subsets_told_apart(self) -> "Imported":
        """Return it with other names for subsets called as figures of several subsets are, and a note of each."""
        there = [name for name in WHOLE if (self.cases["subset"] == name).any()]
        if not there:
            return self
        names = {name: f"{name} (subset)" for name in there}
        notes = [
            f"the subset {name!r} is called {new!r}: figures of several subsets are called {name!r}"
            for name, new in names.items()
        ]
        findings = [Finding("note", "renamed-subset", note, self.source) for note in notes]
        cases = self.cases.with_columns(pl.col("subset").replace(names))
        return replace(self, cases=cases, findings=(*self.findings, *findings))

    @property
    def erroneous(self) -> int:
        """Cases whose earliest error is a step."""
        return int((self.cases["earliest_error"] >= 0).sum())

    @property
    def clean(self) -> int:
        """Cases labelled as having no wrong step."""
        return int((self.cases["earliest_error"] == -1).sum())


class Spilled(Struct, frozen=True, eq=False):
    """Texts of n cases in files, and the digests of those that `key` does not cover (null = there are none)."""

    texts: Texts
    rest: Sequence[str | None]


class Check(Struct, frozen=True, eq=False):
    """What is said of each row for which `when` is true; null counts as false.

    Both expressions see the fields of the row and, under `MADE` and their names, the columns of the case. An error
    leaves the row out.
    """

    when: pl.Expr
    severity: Severity
    code: str
    message: pl.Expr | str


def warn_where(code: str, when: pl.Expr, message: str | pl.Expr, *parts: pl.Expr | str) -> Check:
    """Declare a check that warns; the `parts`, or columns of these names, stand at the `{}` of the message."""
    return Check(when, "warning", code, pl.format(message, *parts) if isinstance(message, str) and parts else message)


def note_where(code: str, when: pl.Expr, message: str | pl.Expr, *parts: pl.Expr | str) -> Check:
    """Declare a check that notes; see `warn_where`."""
    return replace(warn_where(code, when, message, *parts), severity="note")


class ReadSource(Struct, frozen=True, eq=False):
    """What all chunks of a source gave, before it is concluded.

    Attributes:
        source: What findings call the source.
        cases: Columns of METADATA, the first row of each id.
        findings: What was noticed so far, in the order of the rows.
        tallies: The sums of `CaseFormat.tallies` over all rows, repeated ids among them.
    """

    source: str
    cases: pl.DataFrame
    findings: list[Finding]
    tallies: Mapping[str, int]


class StepLabelled(Struct, frozen=True):
    """How a benchmark makes PRMScore and the figures beside it, where single steps are scored and not first errors.

    Attributes:
        group: The column of cases by which classes (`error_type`) are grouped: a group's figure is the plain mean of
            its classes'.
        without_errors: Classes that hold no wrong step, so that their cell is the F1 of right steps alone.
        by_redundancy: Classes in which "not redundant" stands for "right", of scorers that judge redundancy.
        twins: Whether there are unharmed originals to compare with.
    """

    group: str
    without_errors: frozenset[str] = frozenset()
    by_redundancy: frozenset[str] = frozenset()
    twins: bool = False


class CaseFormat(Struct, frozen=True, eq=False):
    """A benchmark's rows as cases.

    Attributes:
        name: The benchmark's.
        layout: The fields, with the content's; the row's `id` is the column of that name.
        columns: Column of CASES -> expression over the fields. `problem`, `steps` and `id` are the fields of these
            names, or of the layout's content, where nothing else is said. Texts that a scorer may read
            (`scoring.data.schema.READABLE`) are read from keys of their own names, unless the format reads these keys.
        conclude: How the labels were read, in words, and all findings.
        checks: What is odd about single rows, in the order in which it is said.
        withhold: Why the gold labels cannot be used, as a finding; None = they can. The cases then have none.
        tallies: Sums over rows, by name, that `conclude` needs: expressions that give one number a chunk.
        metadata: Metadata columns that the file does not hold as single values, as expressions over the fields; no key
            of theirs is claimed.
        unfold: The records in a row, which are read as rows are and keep its line; None = the row is one.
        one_of_many: Whether a file is one of many of its kind, as those of a training run are: what scorers gave beside
            its cases is then called after its column, and never after the file.
        twins: `id`, `problem`, `steps` and `twin_of` of the unharmed original of a case, as expressions over what
            checks see; null `twin_of` = the case has none. Of cases that share an original it is the first one's. It
            has the texts of the problem (`scoring.data.reward_keys.OF_PROBLEMS`) that the case has.
    """

    name: str
    layout: Layout
    columns: Mapping[str, pl.Expr]
    conclude: Callable[[ReadSource], tuple[str, list[Finding]]]
    checks: Sequence[Check] = ()
    withhold: Callable[[ReadSource], Finding | None] | None = None
    tallies: Mapping[str, pl.Expr] = field(default_factory=dict)
    metadata: Mapping[str, pl.Expr] = field(default_factory=dict)
    twins: Mapping[str, pl.Expr] | None = None
    unfold: Callable[[Fields], Iterable[Mapping[str, Any]]] | None = None
    one_of_many: bool = False

    def __post_init__(self) -> None:
        """Refuse names that neither the layout nor the cases have: each would be a mistake that nobody sees.

        Raises:
            ValueError: one is.
        """
        fields = self.layout.fields
        for name in self.layout.content:
            if name not in fields:
                raise ValueError(f"content names {name!r}, which is not a field of the layout ({', '.join(fields)})")
        for name in self.columns:
            if name not in CASES:
                close = get_close_matches(name, CASES, 1)
                meant = f" (is it {close[0]!r}?)" if close else f" ({', '.join(CASES)})"
                raise ValueError(f"columns has {name!r}, which is not a column of cases{meant}")

    def load(self, rows: Rows, folder: Path | None = None, beside: Sequence[str] = ()) -> Imported:
        """Read the cases of a source; the first row with an id counts, rows without usable text are left out.

        Args:
            rows: the source's.
            folder: where the texts of a large file go; None = they stay in memory.
            beside: keys of rows that somebody else reads. What nobody does becomes metadata columns.

        Raises:
            UnreadableFile: the file cannot be read, or a line of it is too long.
            UnwritableWorkspace: the texts cannot be written.
        """
        rows = self.unfolded(rows)
        large = folder is not None and rows.size >= LARGE
        further = MetadataCollector([*self._claimed(rows), *beside], cells=rows.format in CSV_FORMATS.values())
        further.see([] if rows.table is None else rows.table.columns)
        texts_to = folder if large else None
        parts = list(chunks(rows, self._layout, lambda chunk: self._part(chunk, rows.source, texts_to, further)))
        columns, fates = further.finish()
        metadata = pl.concat([_NO_METADATA, *(part.metadata for part in parts)])
        findings = first_undecodable([finding for part in parts for finding in part.findings])
        twins = pl.concat([_NO_CASES, *(part.twins for part in parts)])
        if parts:
            findings += problem_findings(rows.source, pl.concat(part.problems for part in parts))
        texts = Texts.whole([part.texts for part in parts], [part.metadata.height for part in parts])
        rest = pl.concat([pl.Series(dtype=pl.String), *(part.rest for part in parts)])
        first = metadata["id"].is_first_distinct()
        if not first.all():
            findings += _repeated(metadata, first, rows.source)
            texts = texts.gather(first.arg_true().cast(pl.Int64).to_numpy())
            metadata, rest, columns = metadata.filter(first), rest.filter(first), columns.filter(first)
            # Rows of a later chunk are on lines of their own.
            twins = twins.join(metadata, left_on=["twin_of", "line"], right_on=["case", "line"], how="semi")
        # One original may be that of several cases.
        twins = twins.unique("case", keep="first", maintain_order=True)
        tallies = {name: sum(part.tallies[name] for part in parts) for name in self.tallies}
        # Those of the source first, then those of rows in the order of their lines.
        findings.sort(key=lambda finding: finding.line or 0)
        read_source = ReadSource(rows.source, metadata, findings, tallies)
        if self.withhold is not None and (finding := self.withhold(read_source)):
            nothing = [pl.lit(None, dtype=CASES[name]).alias(name) for name in ("earliest_error", "error_steps")]
            metadata, labels, findings = metadata.with_columns(nothing), "not used", [*findings, finding]
        else:
            labels, findings = self.conclude(read_source)
        read = rows.rows_read if self.unfold is not None else sum(part.read for part in parts)
        cases = metadata if large else pl.concat([metadata, texts.frame()], how="horizontal").select(list(CASES))
        spilled = Spilled(texts, rest.to_list()) if large else None
        findings += half_characters(further.mended, rows.source)
        return Imported(
            self.name,
            rows.source,
            rows.format,
            labels,
            read,
            cases,
            tuple(findings),
            twins,
            spilled=spilled,
            metadata=columns,
            fates=fates,
        ).subsets_told_apart()

    def unfolded(self, rows: Rows) -> Rows:
        """Return the records in the rows; the rows themselves where each is one, or where they are records already."""
        if self.unfold is None or rows.records_of == self.name:
            return rows
        records = unfolded(rows, self.unfold)
        records.records_of, records.rows_read = self.name, rows.read
        return records

    @property
    def _readable(self) -> dict[str, Field]:
        """Texts that a scorer may read and that the format says nothing of. They stay metadata too."""
        if self.layout.flat is not None:
            return {}
        alternatives = {key for keys in self.layout.first_of for key in keys}
        known = {*self.columns, *self.layout.fields, *self.layout.row_keys().values(), *self.layout.claimed}
        return dict.fromkeys(sorted(READABLE - {"context"} - known - alternatives), _TEXT)

    @property
    def _layout(self) -> Layout:
        return replace(self.layout, fields={**self.layout.fields, **self._readable})

    def _claimed(self, rows: Rows) -> Iterator[str]:
        alternatives = {key for keys in self.layout.first_of for key in keys}
        if self.layout.flat is None:
            yield from (key for key in self.layout.row_keys().values() if key not in alternatives)
        yield from self.layout.claimed
        first = [value for value in rows.sample() if isinstance(value, Mapping)]
        for keys in self.layout.first_of:
            yield from [key for key in keys if any(value.get(key) is not None for value in first)][:1]

    def _part(self, chunk: Chunk, source: str, folder: Path | None, further: MetadataCollector) -> "_Part":
        fields = chunk.frame
        columns = {"key": pl.col(KEY), **{name: pl.col(name) for name in self._readable}}
        columns |= {**self.columns, **self.identity(fields.columns, source)}
        made = fields.select(self._complete(columns, source))
        whole = pl.concat([fields, made.rename(lambda name: f"{MADE}{name}")], how="horizontal")
        findings, kept = checked(whole, self.checks, source)
        noticed = [*chunk.findings, *findings]
        tallies = fields.filter(kept).select(
            [expression.alias(name) for name, expression in self.tallies.items()] or [pl.lit(0).alias("nothing")]
        )
        self._gather(chunk, fields.filter(kept), further)
        cases = made.filter(kept)
        noticed.sort(key=lambda pair: pair[0])
        texts = cases.select(list(TEXTS))
        return _Part(
            cases.select(list(METADATA)),
            rest_digests(texts) if folder else pl.Series([None] * texts.height, dtype=pl.String),
            texts if folder is None else _written(texts, folder),
            cases.select("problem_id", "reference_answer", **problem_evidence(pl.col("problem"))),
            self._twins(whole.filter(kept), source),
            [finding for _, finding in noticed],
            {name: int(value or 0) for name, value in tallies.row(0, named=True).items()} if self.tallies else {},
            chunk.read,
        )

    def _gather(self, chunk: Chunk, cases: pl.DataFrame, further: MetadataCollector) -> None:
        """Gather what rows of cases hold that nobody reads; `cases` are their fields."""
        if chunk.sound.size and not chunk.tabular:
            # Rows that were read value by value show their keys themselves; those of tables were seen before.
            keys = self.layout.row_keys()
            further.see(key for name, key in keys.items() if cases[name].null_count() < cases.height)
        rows = chunk.rows(cases[NUMBER], further.wants)
        alternatives = [key for keys in self.layout.first_of for key in keys if key in cases.columns]
        if alternatives and chunk.sound.size:
            values = [
                {key: value for key, value in row.items() if value is not None}
                for row in cases.select(alternatives).iter_rows(named=True)
            ]
            rows = [{**fields, **row} for fields, row in zip(values, rows, strict=True)]
        for name in self._readable:
            if cases[name].null_count() < cases.height:
                rows = [
                    row if text is None or name in row else {**row, name: text}
                    for row, text in zip(rows, cases[name].to_list(), strict=True)
                ]
        if self.metadata:
            made = cases.select(**self.metadata).iter_rows(named=True)
            rows = [{**row, **values} for row, values in zip(rows, made, strict=True)]
        further.add(rows)

    def identity(self, fields: Sequence[str], source: str) -> dict[str, pl.Expr]:
        """Return the columns `id`, `problem` and `steps` over the fields of a chunk."""
        problem, steps = self.layout.content or ("problem", "steps")
        # A row without an id is called after its file and number.
        called = pl.col("id") if "id" in fields else pl.lit(row_name(source, "")) + pl.col(NUMBER).cast(pl.String)
        expressions = {"problem": pl.col(problem), "steps": pl.col(steps), "id": called}
        return {name: self.columns.get(name, expression).alias(name) for name, expression in expressions.items()}

    def _twins(self, whole: pl.DataFrame, source: str) -> pl.DataFrame:
        """The twins of the cases of a chunk, the first row of each id; fields and cases are side by side."""
        if self.twins is None:
            return _NO_CASES
        twins = whole.filter(pl.col(f"{MADE}id").is_first_distinct()).select(
            LINE,
            **{name: pl.col(f"{MADE}{name}") for name in OF_PROBLEMS},
            **self.twins,
            earliest_error=pl.lit(-1),
            error_steps=pl.lit([], dtype=pl.List(STEP_INDEX)),
        )
        twins = twins.filter(pl.col("twin_of").is_not_null())
        keys = [content_key(*content) for content in twins.select("problem", "steps").iter_rows()]
        twins = twins.with_columns(pl.Series("key", keys, dtype=pl.String))
        return twins.select(self._complete({name: pl.col(name) for name in twins.columns}, source))

    def _complete(self, expressions: dict[str, pl.Expr], source: str) -> list[pl.Expr]:
        expressions = {
            **expressions,
            "case": pl.concat_str(pl.lit(f"{self.name}/"), expressions["id"]),
            "benchmark": pl.lit(self.name),
            "n_steps": expressions["steps"].list.len(),
            "source": pl.lit(source),
            "line": pl.col(LINE),
        }
        nothing = pl.lit(None)
        return [expressions.get(name, nothing).cast(dtype).alias(name) for name, dtype in CASES.items()]


def text_or_number(fields: Fields, name: str) -> str | None:
    """Read a text, or a number as its digits; of anything else, there is a note and no text."""
    value = fields.value.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if value is None or isinstance(value, str):
        return fields.text(name)
    fields.note("note", "wrong-type", f"{name} is {kind_of(value)}, not text; no scorer reads it")
    return None


_TEXT = Field(pl.String(), str, text_or_number)
# Building a frame of so many columns takes as long as reading a small file.
_NO_METADATA = pl.DataFrame(schema=METADATA)
_NO_CASES = pl.DataFrame(schema=CASES)


class _Part(Struct, frozen=True, eq=False):
    """What one chunk gave; `rest` holds the digests of texts beside the content where these go to the disk.

    `problems` has the columns that `problem_findings` reads.
    """

    metadata: pl.DataFrame
    rest: pl.Series
    texts: Path | pl.DataFrame
    problems: pl.DataFrame
    twins: pl.DataFrame
    findings: list[Finding]
    tallies: dict[str, int]
    read: int


def checked(whole: pl.DataFrame, checks: Sequence[Check], source: str) -> tuple[list[tuple[int, Finding]], pl.Series]:
    """Give (number of the row, finding) of what the checks say of rows, and `KEPT` without those that one leaves out.

    Args:
        whole: fields, and beside them the columns of ours under `MADE` and their names.
        checks: each looks at the rows that those before it keep.
        source: what findings call the source.
    """
    kept = whole[KEPT]
    noticed = []
    # Together they take little longer than one, and mostly no row fails any.
    failures = whole.select(check.when.fill_null(value=False).alias(str(place)) for place, check in enumerate(checks))
    for place, check in enumerate(checks):
        failing = kept & failures[str(place)]
        if not failing.any():
            continue
        rows = whole.filter(failing)
        message = check.message if isinstance(check.message, pl.Expr) else pl.lit(check.message)
        odd = rows.select(NUMBER, LINE, pl.col(f"{MADE}id"), message.alias("message"))
        for number, line, case, words in odd.iter_rows():
            noticed.append((number, Finding(check.severity, check.code, words, source, line, case)))
        if check.severity == "error":
            kept &= ~whole[NUMBER].is_in(rows[NUMBER].implode())
    return noticed, kept


def first_step(name: str) -> pl.Expr:
    """Read a 0-based label: the step, -1 = no error, null where it names none; one beyond the end is kept."""
    label = pl.col(name)
    return pl.when(label >= -1).then(label).cast(STEP_INDEX)


def first_step_checks(name: str, steps: str = "steps") -> tuple[Check, ...]:
    """Check a 0-based label against the number of steps."""
    label, last = pl.col(name), pl.col(steps).list.len().cast(pl.Int64) - 1
    return (
        warn_where("bad-label", label < -1, f"{name} {{}} names no step; the case has no gold label", label),
        warn_where(
            "label-beyond-end", label > last, f"{name} {{}} is beyond the last step ({{}}, 0-based)", label, last
        ),
    )


class OneBased(Struct, frozen=True, eq=False):
    """A field that names the first wrong step: 1 = the first step, -1 = no error.

    Attributes:
        name: The field, a whole number.
        steps: The field with the steps.
        none: How the format writes "no error", for what is said of the labels; the field itself holds -1 then.
    """

    name: str
    steps: str = "steps"
    none: str = "-1"

    @property
    def n_steps(self) -> pl.Expr:
        """The number of steps, as Int64."""
        return pl.col(self.steps).list.len().cast(pl.Int64)

    @property
    def beyond(self) -> pl.Expr:
        """Whether the label is beyond the last step."""
        return pl.col(self.name) > self.n_steps

    def step(self) -> pl.Expr:
        """Read the label as a 0-based step, maybe beyond the last, or -1; null for 0 and below -1."""
        label = pl.col(self.name)
        return pl.when(label >= 1).then(label - 1).when(label == -1).then(-1).cast(STEP_INDEX)

    def check(self) -> Check:
        """Check that the label names a step or none."""
        label = pl.col(self.name)
        message = f"{self.name} {{}} names no step; the case has no gold label"
        return warn_where("bad-label", (label < -1) | (label == 0), message, label)

    def tallies(self) -> dict[str, pl.Expr]:
        """Count what shows the base, over all rows with a label."""
        label = pl.col(self.name)
        return {
            "ones": (label == 1).sum(),
            "zeros": (label == 0).sum(),
            "erroneous": (label >= 1).sum(),
            "beyond": self.beyond.sum(),
            "just beyond": (label == self.n_steps + 1).sum(),
        }

    def concluded(self, read: ReadSource) -> tuple[str, list[Finding]]:
        """Describe how the labels were read, with the evidence, and what speaks for another base than 1.

        They may look 0-based, one too high, or as if they counted from 2.
        """
        ones, zeros, erroneous, beyond, just_beyond = (read.tallies[name] for name in self.tallies())
        label_base = (
            f"1-based, {self.none} = no error ({ones:,} labels are 1, {zeros:,} are 0, "
            f"{beyond:,} are beyond the last step)"
        )
        if not ones and just_beyond:
            message = f"no label is 1 and {just_beyond:,} are one beyond the last step: the labels look one too high"
            return label_base, [Finding("warning", "label-base", message, read.source)]
        if zeros:
            message = f"{zeros:,} labels are 0, which names no step: the labels look 0-based"
            return label_base, [Finding("warning", "label-base", message, read.source)]
        if not ones and erroneous >= _MANY:
            message = f"no label is 1 in {erroneous:,} erroneous cases: the labels may count from 2"
            return label_base, [Finding("note", "label-base", message, read.source)]
        return label_base, []


def none_wrong(earliest_error: pl.Expr) -> pl.Expr:
    """Return the error steps where only the earliest one is labelled: [] of a clean case, else null."""
    return pl.when(earliest_error == -1).then(pl.lit([], dtype=pl.List(STEP_INDEX)))


def labelled(labels: pl.Expr, n_steps: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Read labels of single steps (true = right, null = not said) as the earliest error and all error steps.

    The earliest error is the first step labelled wrong, 0-based; -1 if every step is labelled right; null if none is
    labelled wrong and one is not labelled. The error steps are known only where every step is labelled.
    """
    of_steps = labels.list.head(n_steps)
    wrong = of_steps.list.eval(pl.element().not_().fill_null(value=False).arg_true()).cast(pl.List(STEP_INDEX))
    complete = (of_steps.list.len() == n_steps) & ~of_steps.list.eval(pl.element().is_null()).list.any()
    first = wrong.list.first()
    earliest = pl.when(first.is_not_null()).then(first).when(complete).then(-1).cast(STEP_INDEX)
    return earliest, pl.when(complete).then(wrong)


def not_empty(name: str) -> pl.Expr:
    """Return the text of a field, null where it is empty."""
    return pl.when(pl.col(name) != "").then(pl.col(name))


def quoted(text: pl.Expr) -> pl.Expr:
    """Quote a text in a message: escaped, cut at 60 characters, None where it is null."""
    return _each(text, lambda text: f"{text!r:.60}")


def problem_id(problem: str) -> str:
    """Name a problem by twelve hex digits of its text, so that its solutions are grouped where it has no id.

    Any text will do, one with half a character too.
    """
    return blake2b(problem.encode(errors="replace"), digest_size=6).hexdigest()


def problem_ids(name: str) -> pl.Expr:
    """Return the `problem_id` of the texts of a field, null where there is none."""
    return _each(pl.col(name), lambda text: None if text is None else problem_id(text))


def _each(column: pl.Expr, made: Callable[[str | None], str | None]) -> pl.Expr:
    return column.map_batches(
        lambda texts: pl.Series([made(text) for text in texts], dtype=pl.String), return_dtype=pl.String
    )


def unfolded(rows: Rows, unfold: Callable[[Fields], Iterable[Mapping[str, Any]]]) -> Rows:
    """Return the records in the rows of a source, numbered anew; each has its row's line, and so do findings.

    What is no object stays as it is, and is told of where rows are read.
    """
    findings = list(rows.findings)
    unread = rows.read - len(rows.rows)

    def records() -> Iterator[tuple[int, Any]]:
        for row in rows.rows:
            if not isinstance(row.value, Mapping):
                yield row.line, row.value
                continue
            for record in unfold(Fields(row.value, rows.source, row.number, row.line, findings)):
                yield row.line, record

    numbered = [SourceRow(number, line, record) for number, (line, record) in enumerate(records(), 1)]
    return Rows(rows.source, rows.format, numbered, findings, unread + len(numbered))


def _written(texts: pl.DataFrame, folder: Path) -> Path:
    path = folder / f"texts-{uuid7()}.parquet"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Uncompressed: compressing takes longer than all the rest. Whoever takes the files over flushes them.
        pieces = in_groups(texts)
        pieces.write_parquet(path, compression="uncompressed", statistics=False, row_group_size=ROW_GROUP)
    except OSError as error:
        raise unwritable(path, error) from error
    except pl.exceptions.PolarsError as error:
        what = str(error).splitlines()[0]
        raise UnwritableWorkspace(f"{path}: {what}.", "Free space, or choose another folder.") from None
    return path


def _repeated(metadata: pl.DataFrame, first: pl.Series, source: str) -> list[Finding]:
    firsts = metadata.filter(first).select("id", at="line")
    again = metadata.filter(~first).join(firsts, on="id", how="left", maintain_order="left")
    message = "the id is that of line {}; the first one counts"
    return [
        Finding("error", "repeated-id", message.format(row["at"]), source, row["line"], row["id"])
        for row in again.select("id", "line", "at").iter_rows(named=True)
    ]


def first_undecodable(findings: list[Finding]) -> list[Finding]:
    """Keep the findings of all blocks, but that bytes are no UTF-8 only where it is so for the first time."""
    first = next((finding for finding in findings if finding.code == _UNDECODABLE), None)
    return [finding for finding in findings if finding.code != _UNDECODABLE or finding is first]
