"""How a result format is declared: the fields of its rows, expressions from them to columns of ours, and checks.

    FORMAT = ResultFormat(
        title="Rewards by id",
        layout=Layout({"id": case_id_field(), "probs": rewards(), "model": scorer_field()},
                      name=lambda fields: case_id(fields, "id")),
        columns={"rewards": pl.col("probs")},
        scorer=pl.col("model"),
        conclude=lambda results: {"benchmark": "grben"},
    )
    load = FORMAT.load

The same declaration reads a small file and one of a million rows. A format whose rows are nested declares a layout of
`whole_records`, which one function reads.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import msgspec
import polars as pl

from scoring.benchmarks.base import MADE, Check, checked, first_undecodable
from scoring.reading.chunks import Chunk, chunks
from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.rows import Row, Rows
from scoring.reading.typed import KEPT, LINE, NUMBER, SOME, Field, Layout, as_made, name_of, read_by
from scoring.results.foreign import FOREIGN, Foreign
from scoring.results.names import scorer_name
from scoring.results.numbers import numbers, reward_bounds

SCORER = "(scorer)"
"""The column of scorers' names beside the fields."""

Record = Mapping[str, Any]
Result = dict[str, Any]

_ID = str | Annotated[int, msgspec.Meta(gt=-(2**63), le=2**63 - 1)]


@dataclass(frozen=True, eq=False)
class Results:
    """One scorer's results out of one source, before it is concluded.

    Attributes:
        source: What findings call the source.
        name: What the scorer is called.
        apart: What else keeps the scorer's results apart, by name.
        rows: The columns of FOREIGN and those that the format has beside them; the first row of each id.
        findings: What was noticed so far, in the order of the lines; `conclude` may add to it.
        read: How many records there were, kept or not; what belongs to no scorer counts with the first one.
    """

    source: str
    name: str
    apart: Mapping[str, str]
    rows: pl.DataFrame
    findings: list[Finding]
    read: int


@dataclass(frozen=True, eq=False)
class ResultFormat:
    """A file's rows as results of scorers.

    Attributes:
        title: What the format is called.
        layout: The fields. What calls a row is the id of its case, null where it has none.
        conclude: The facts of the scorer, by the names of `Foreign`; `rows` among them if these change.
        columns: Column of FOREIGN, or one that `conclude` needs beside these -> expression over the fields. A field
            that is called as a column of FOREIGN is that column where nothing else is said.
        scorer: The scorer's name; None, and where it is null or blank = that of the source.
        apart: What else keeps results of one name apart, as expressions that give texts.
        checks: What is odd about single rows, in the order in which it is said.
        named: What a scorer of a source is called where its rows do not say it.
        unfold: The records in a row, which are read as rows are; None = the row is one.
        votes: A column of lists of structs: one row for each, with its fields as columns, numbered as votes.
    """

    title: str
    layout: Layout
    conclude: Callable[[Results], Mapping[str, Any]]
    columns: Mapping[str, pl.Expr] = field(default_factory=dict)
    scorer: pl.Expr | None = None
    apart: Mapping[str, pl.Expr] = field(default_factory=dict)
    checks: Sequence[Check] = ()
    named: Callable[[Rows], str] = lambda rows: scorer_name(rows.source)
    unfold: Callable[[Fields], Iterable[Record]] | None = None
    votes: str | None = None

    def load(self, rows: Rows) -> list[Foreign]:
        """The results of every scorer in the source, in order of appearance; at least one, if without results.

        The first result for an id counts, and rows that name no case though they must are left out.

        Raises:
            UnreadableFile: the file cannot be read, or a line of it is too long.
        """
        name = self.named(rows)
        if self.unfold is not None:
            rows = _unfolded(rows, self.unfold)
        source = rows.source
        parts = list(chunks(rows, self.layout, lambda chunk: self._part(chunk, source, name)))
        frame = pl.concat([part.frame for part in parts]) if parts else self._nothing()
        groups = frame.partition_by(SCORER, *self.apart, maintain_order=True) or [frame]
        noticed = [pair for part in parts for pair in part.findings]
        told = set(map(id, first_undecodable([finding for _, finding in noticed])))
        noticed = [pair for pair in noticed if id(pair[1]) in told]
        lost = sum(part.read for part in parts) - frame.height
        found: list[Foreign] = []
        for group, findings in zip(groups, _shared_out(noticed, groups), strict=True):
            found.append(self._scorer(group, findings, source, name, 0 if found else lost))
        return found

    def _scorer(self, group: pl.DataFrame, findings: list[Finding], source: str, otherwise: str, lost: int) -> Foreign:
        """One scorer's results; `lost` counts the rows that belong to nobody."""
        nobody = dict.fromkeys(self.apart, "") | {SCORER: otherwise}
        apart = next(group.select(SCORER, *self.apart).iter_rows(named=True), nobody)
        name = apart.pop(SCORER)
        # An id may stand for one problem in several subsets; without texts nothing but the id is joined.
        subset = pl.when(pl.col("problem").is_not_null()).then("subset")
        kept = group.filter(KEPT).drop(SCORER, *self.apart, KEPT, NUMBER)
        rows, repeated = first_of_an_id(kept, source, subset)
        if self.votes is not None:
            numbered = rows.with_columns(
                vote=pl.int_ranges(pl.col(self.votes).list.len()).cast(pl.List(FOREIGN["vote"]))
            )
            several = numbered.explode(self.votes, "vote")
            made = several.select(self.votes).unnest(self.votes)
            rows = several.drop(self.votes).with_columns(made.get_columns())
        findings = sorted([*findings, *repeated], key=lambda finding: finding.line or 0)
        low, high = reward_bounds(rows["rewards"])
        results = Results(source, name, apart, rows, findings, group.height + lost)
        facts = {"rows": rows, "low": low, "high": high, **self.conclude(results)}
        facts["rows"] = facts["rows"].select(list(FOREIGN))
        return Foreign(
            format=self.title, source=source, name=name, read=results.read, findings=tuple(findings), **facts
        )

    def _part(self, chunk: Chunk, source: str, name: str) -> "_Part":
        made = self._made(chunk.frame)
        whole = pl.concat([chunk.frame, made.rename(lambda column: f"{MADE}{column}")], how="horizontal")
        noticed, kept = checked(whole, self.checks, source)
        given = pl.lit(None, dtype=pl.String) if self.scorer is None else self.scorer
        beside = chunk.frame.select(
            pl.when(given.str.strip_chars() != "").then(given).otherwise(pl.lit(name)).alias(SCORER),
            pl.col(NUMBER),
            kept,
            **self.apart,
        )
        return _Part(pl.concat([made, beside], how="horizontal"), [*chunk.findings, *noticed], chunk.read)

    def _nothing(self) -> pl.DataFrame:
        frame = pl.DataFrame(schema=self.layout.columns())
        return self._part(Chunk(frame, [], 0, {}, {}, frame[NUMBER].to_numpy()), "", "").frame

    def _made(self, fields: pl.DataFrame) -> pl.DataFrame:
        """The columns of FOREIGN, and those beside them."""
        given = {name: pl.col(name) for name in fields.columns if name in FOREIGN} | dict(self.columns)
        given |= {"line": pl.col(LINE)}
        given |= {name: pl.coalesce(given.get(name, 0), 0) for name in ("vote", "run")}
        absent = {name: pl.lit(None) for name in FOREIGN if name not in given}
        typed = {name: (given | absent)[name].cast(dtype) for name, dtype in FOREIGN.items()}
        return fields.select(**typed, **{name: column for name, column in given.items() if name not in typed})


@dataclass(frozen=True, eq=False)
class _Part:
    """What one chunk gave: a row a record, with the columns that tell whose it is, and numbered findings."""

    frame: pl.DataFrame
    findings: list[tuple[int, Finding]]
    read: int


def first_of_an_id(rows: pl.DataFrame, source: str, apart: pl.Expr | None = None) -> tuple[pl.DataFrame, list[Finding]]:
    """The rows of which none of the same id and run came before; what is left out is said, as a note if it is equal.

    Args:
        rows: with the columns `line`, `id` and `run`.
        source: what findings call the source.
        apart: what else tells rows with an id apart.
    """
    key = ["id", "run", "_apart"]
    whole = rows.with_columns(_apart=pl.lit(None, dtype=pl.String) if apart is None else apart)
    repeated = whole.select(again=pl.col("id").is_not_null() & ~pl.struct(key).is_first_distinct())["again"]
    if not repeated.any():
        return rows, []
    first = whole.filter(~repeated & whole["id"].is_not_null())
    again = whole.filter(repeated)
    both = again.join(first, on=key, how="left", suffix=" first", maintain_order="left", nulls_equal=True)
    content = [name for name in rows.columns if name not in {"line", "id", "run"}]
    both = both.with_columns(
        same=pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name} first")) for name in content)
    )
    findings = []
    for line, case, before, same in both.select("line", "id", "line first", "same").iter_rows():
        words = "and the result is the same" if same else "and the result is another: the first one counts"
        message = f"the id is that of line {before}, {words}"
        findings.append(Finding("note" if same else "error", "repeated-id", message, source, line, case))
    return rows.filter(~repeated), findings


# -- fields that several formats have


def case_id(fields: Fields, *names: str, required: bool = True) -> str | None:
    """The id in the first of these fields that is there, a whole number as its digits; it becomes `fields.case`.

    Where there is none and it is required, nothing could tell the case: an error.
    """
    name = next((name for name in names if fields.value.get(name) is not None), names[0])
    value = fields.value.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        fields.case = str(value) if abs(value) < 2**63 else None
    else:
        text = fields.text(name) if value is not None else None
        fields.case = text if text and text.strip() else None
    if fields.case is None and required:
        fields.note("error", "no-id", f"the row has no {name} that names its case")
    return fields.case


def case_id_field(*, needed: bool = True) -> Field:
    """The id of a case, which `Layout.name` has read of a row that is read value by value."""
    return Field(pl.String(), _ID, name_of, needed=needed, filled=True)


def rewards(*, needed: bool = True) -> Field:
    """A list of numbers, of which there must be one."""
    natural = Annotated[list[float], SOME]
    return read_by(
        pl.List(pl.Float64()), lambda fields, name: numbers(fields, name, required=needed), natural, needed=needed
    )


def scorer_field() -> Field:
    """A text that names a scorer, or keeps its results apart: of rows that are left out too."""
    return read_by(pl.String(), Fields.text, str, required=True)


def whole_records(read: Callable[[Fields], Result | None], **beside: pl.DataType) -> Layout:
    """A layout of records that one function reads: the columns of FOREIGN but for `line` and `id`.

    The id is what it leaves in `fields.case`; None, with an error, where the record is left out. `beside` are further
    columns, which the function gives or the record itself holds, and which are known of what is left out as well.
    """

    def flat(fields: Fields) -> Record:
        held = {name: fields.value.get(name) for name in beside}
        return held | (read(fields) or {})

    made = {name: as_made(dtype) for name, dtype in FOREIGN.items() if name not in {"line", "id"}}
    further = {name: replace(as_made(dtype), required=True) for name, dtype in beside.items()}
    return Layout({"id": case_id_field(), **made, **further}, name=lambda fields: fields.case, flat=flat)


def _unfolded(rows: Rows, unfold: Callable[[Fields], Iterable[Record]]) -> Rows:
    """The records of a source, on the lines of their rows."""
    findings = list(rows.findings)
    unread = rows.read - len(rows.rows)

    def records() -> Iterator[tuple[int, Any]]:
        for row in rows.rows:
            if not isinstance(row.value, Mapping):
                yield row.line, row.value
                continue
            for record in unfold(Fields(row.value, rows.source, row.number, row.line, findings)):
                yield row.line, record

    found = [Row(number, line, record) for number, (line, record) in enumerate(records(), 1)]
    return Rows(rows.source, rows.format, found, findings, unread + len(found))


def _shared_out(noticed: list[tuple[int, Finding]], groups: list[pl.DataFrame]) -> list[list[Finding]]:
    """The findings of each group's rows; what is of no row, or of one that is in no group, goes to the first."""
    # Of what was noticed before there were rows, only the line is known.
    said = pl.DataFrame(
        [(number or None, finding.line) for number, finding in noticed],
        schema={NUMBER: pl.Int64, "line": pl.Int64},
        orient="row",
    )
    by_line = pl.col(NUMBER).is_null()
    shared: list[list[Finding]] = [[] for _ in groups]
    theirs = []
    for group in groups[1:]:
        own = pl.col(NUMBER).is_in(group[NUMBER].implode()) | (by_line & pl.col("line").is_in(group["line"].implode()))
        theirs.append(said.select(own.fill_null(value=False)).to_series().to_list())
    for at, (_, finding) in enumerate(noticed):
        shared[next((place for place, own in enumerate(theirs, 1) if own[at]), 0)].append(finding)
    return shared
