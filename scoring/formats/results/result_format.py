"""How a result format is declared, and the fields that several formats have.

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
`whole_records`, which one function reads. Indices of steps are 0-based in all that a format gives: it converts them,
and nothing after it does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.schema import STEP_INDEX
from scoring.data.scorer import Comparison, On, ScorerKind
from scoring.data.training_point import NOWHERE, TrainingPoint
from scoring.formats.benchmarks.case_format import MADE, Check, checked, first_undecodable, unfolded
from scoring.formats.reading.chunks import Chunk, chunks
from scoring.formats.reading.fields import KEPT, LINE, NUMBER, SOME, Field, Fields, Layout, as_made, name_of, read_by
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.reward_lists import numbers, padding_as_nan, reward_bounds
from scoring.formats.results.scorer_names import scorer_name

Judges = Literal["", "errors", "redundancy"]
"""What judgements are of; empty = the file does not say."""

TABLE = "table"
"""The format of results that a mapping of columns reads."""
NO_INDICES = "no indices"
"""What is said of the index base of results that name no step."""

RESULT_COLUMNS: dict[str, pl.DataType] = {
    # 1-based line (or row) of the file.
    "line": pl.Int64(),
    # The case as the file names it. Null = it names none.
    "id": pl.String(),
    "subset": pl.String(),
    # What was judged, where the file repeats it. Null = it does not.
    "problem": pl.String(),
    "steps": pl.List(pl.String()),
    # The earliest error that the file says is gold, 0-based, -1 = none: only compared, never taken over. Null = unsaid.
    "gold": STEP_INDEX,
    # One of several sampled answers that are combined, and one of several repetitions.
    "vote": pl.Int32(),
    "run": pl.Int32(),
    # One number a step, or a sub-step; a second one for redundancy; whether each is judged right, or redundant.
    "rewards": pl.List(pl.Float64()),
    "redundancy": pl.List(pl.Float64()),
    "labels": pl.List(pl.Boolean()),
    "redundancy_labels": pl.List(pl.Boolean()),
    # Where `rewards` are of messages of a trajectory: the place of each among them, 0-based. Null = they are of steps.
    "messages": pl.List(STEP_INDEX),
    # One number for the whole solution.
    "solution": pl.Float64(),
    # A critic's answer: as it came, the reasoning before it, the words it votes with, the earliest error these name
    # (0-based, -1 = none, -2 = a number that names no step).
    "answer": pl.String(),
    "reasoning": pl.String(),
    "finish_reason": pl.String(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    "ballot": pl.String(),
    "verdict": STEP_INDEX,
    # Every step that the answer names as wrong (or redundant), 0-based; it takes all others for right. [] = none is.
    # Null = it does not speak of all steps.
    "named_steps": pl.List(STEP_INDEX),
    # Why there is nothing of these, or nothing readable. Null = there is.
    "reason": pl.String(),
}
"""Columns of results. A row has rewards, labels, a solution's number, an answer or verdict, or a reason."""

REVERSED = {
    "rewards": pl.col("rewards").list.eval(1 - pl.element()),
    "labels": pl.col("labels").list.eval(~pl.element()),
    "solution": 1 - pl.col("solution"),
}
"""Columns of RESULT_COLUMNS in which a higher value meant worse, as they are read."""
HIGHER_IS_WORSE = MappingProxyType({"higher_is": "worse"})
"""The settings of a scorer whose rewards are REVERSED."""

SCORER = "(scorer)"
"""The column of scorers' names beside the fields."""

ResultRecord = Mapping[str, Any]
ResultRow = dict[str, Any]

_ID = str | Annotated[int, msgspec.Meta(gt=-(2**63), le=2**63 - 1)]


class ExternalResults(Struct, frozen=True, eq=False):
    """One scorer's results out of one source.

    `rows` has the columns of RESULT_COLUMNS. `name` is what the scorer is called unless the user says otherwise; the
    fields after it are those of `scoring.data.scorer.Scorer`. `benchmark` is set where the format itself says which
    benchmark's ids these are. `label_base` says in words how indices were read, `read` counts the source's rows, usable
    or not.
    Where it `reads_answers`, its answers were not read yet: whoever joins them does, by the benchmark's own parser.
    Where the base of verdicts is `open_base`, it was only assumed, and the cases may tell it.
    Where `labels_explained`, labels beside rewards are just what the threshold says of these: joining drops them where
    the rewards are as many as the steps, and the rewards where they are not. `judges` is set where the file says what
    its judgements are of: those of errors do not join a benchmark of redundant steps by ids, nor the other way round.
    `in_order` has the same rows read as one row a step in the order of the file, where they look like that: whether
    these are as many as the steps, whoever joins them finds out. `training` says which checkpoint of a run it is.
    """

    format: str
    source: str
    name: str
    rows: pl.DataFrame
    read: int
    label_base: str = NO_INDICES
    benchmark: str | None = None
    judges: Judges = ""
    kind: ScorerKind = "prm"
    family: str = ""
    about: str = ""
    threshold: float = 0.5
    threshold_source: str = "default"
    comparison: Comparison = "<"
    on: On = "rewards"
    labels_explained: bool = False
    reads_answers: bool = False
    open_base: bool = False
    in_order: pl.DataFrame | None = None
    low: float = 0.0
    high: float = 1.0
    redundancy_threshold: float | None = None
    redundancy_threshold_source: str = ""
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    findings: tuple[Finding, ...] = ()
    # Where the source is, as it is known from one import to the next. Empty = the path that `source` is.
    place: str = ""
    training: TrainingPoint = NOWHERE


def results_frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return the frame of rows that hold at least `line`; absent columns are null, absent votes and runs are 0."""
    filled = [{"vote": 0, "run": 0, **row} for row in rows]
    return pl.DataFrame(filled, schema=RESULT_COLUMNS, orient="row") if filled else pl.DataFrame(schema=RESULT_COLUMNS)


class Results(Struct, frozen=True, eq=False):
    """One scorer's results out of one source, before it is concluded.

    Attributes:
        source: What findings call the source.
        name: What the scorer is called.
        apart: What else keeps the scorer's results apart, by name.
        rows: The columns of RESULT_COLUMNS and those that the format has beside them; the first row of each id.
        findings: What was noticed so far, in the order of the lines; `conclude` may add to it.
        read: How many records there were, kept or not; what belongs to no scorer counts with the first one.
    """

    source: str
    name: str
    apart: Mapping[str, str]
    rows: pl.DataFrame
    findings: list[Finding]
    read: int


class ResultFormat(Struct, frozen=True, eq=False):
    """A file's rows as results of scorers.

    Attributes:
        title: What the format is called.
        layout: The fields. What calls a row is the id of its case, null where it has none.
        conclude: The facts of the scorer, by the names of `ExternalResults`; `rows` among them if these change.
        columns: Column of RESULT_COLUMNS, or one that `conclude` needs beside these -> expression over the fields. A
            field that is called as one of RESULT_COLUMNS is that column where nothing else is said.
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
    unfold: Callable[[Fields], Iterable[ResultRecord]] | None = None
    votes: str | None = None

    def load(self, rows: Rows) -> list[ExternalResults]:
        """Read the results of every scorer in the source, in order of appearance; at least one, if without results.

        The first result for an id counts, and rows that name no case though they must are left out.

        Raises:
            UnreadableFile: the file cannot be read, or a line of it is too long.
        """
        name = self.named(rows)
        if self.unfold is not None:
            rows = unfolded(rows, self.unfold)
        source = rows.source
        parts = list(chunks(rows, self.layout, lambda chunk: self._part(chunk, source, name)))
        if not parts:
            nothing = pl.DataFrame(schema=self.layout.columns())
            parts = [self._part(Chunk(nothing, [], 0, {}, {}, nothing[NUMBER].to_numpy()), "", "")]
        frame = pl.concat([part.frame for part in parts])
        groups = frame.partition_by(SCORER, *self.apart, maintain_order=True) or [frame]
        noticed = [pair for part in parts for pair in part.findings]
        kept = set(map(id, first_undecodable([finding for _, finding in noticed])))
        noticed = [pair for pair in noticed if id(pair[1]) in kept]
        # Rows that belong to nobody count with the first scorer.
        lost = [sum(part.read for part in parts) - frame.height, *[0] * (len(groups) - 1)]
        shares = zip(groups, _shared_out(noticed, groups), lost, strict=True)
        return [self._scorer(group, findings, source, name, strays) for group, findings, strays in shares]

    def _scorer(
        self, group: pl.DataFrame, findings: list[Finding], source: str, otherwise: str, lost: int
    ) -> ExternalResults:
        nobody = dict.fromkeys(self.apart, "") | {SCORER: otherwise}
        apart = next(group.select(SCORER, *self.apart).iter_rows(named=True), nobody)
        name = apart.pop(SCORER)
        # An id may stand for one problem in several subsets; without texts nothing but the id is joined.
        subset = pl.when(pl.col("problem").is_not_null()).then("subset")
        kept = group.filter(KEPT).drop(SCORER, *self.apart, KEPT, NUMBER)
        rows, repeated = first_of_an_id(kept, source, subset)
        if self.votes is not None:
            numbered = rows.with_columns(
                vote=pl.int_ranges(pl.col(self.votes).list.len()).cast(pl.List(RESULT_COLUMNS["vote"]))
            )
            several = numbered.explode(self.votes, "vote")
            made = several.select(self.votes).unnest(self.votes)
            rows = several.drop(self.votes).with_columns(made.get_columns())
        findings = sorted([*findings, *repeated], key=lambda finding: finding.line or 0)
        low, high = reward_bounds(rows["rewards"])
        results = Results(source, name, apart, rows, findings, group.height + lost)
        facts = {"rows": rows, "low": low, "high": high, **self.conclude(results)}
        facts["rows"] = facts["rows"].select(list(RESULT_COLUMNS))
        return ExternalResults(
            format=self.title, source=source, name=name, read=results.read, findings=tuple(findings), **facts
        )

    def _part(self, chunk: Chunk, source: str, name: str) -> "_Part":
        made = self._made(chunk.frame)
        whole = pl.concat([chunk.frame, made.rename(lambda column: f"{MADE}{column}")], how="horizontal")
        noticed, kept = checked(whole, self.checks, source)
        scorer = pl.lit(None, dtype=pl.String) if self.scorer is None else self.scorer
        beside = chunk.frame.select(
            pl.when(scorer.str.strip_chars() != "").then(scorer).otherwise(pl.lit(name)).alias(SCORER),
            pl.col(NUMBER),
            kept,
            **self.apart,
        )
        return _Part(pl.concat([made, beside], how="horizontal"), [*chunk.findings, *noticed], chunk.read)

    def _made(self, fields: pl.DataFrame) -> pl.DataFrame:
        expressions = {name: pl.col(name) for name in fields.columns if name in RESULT_COLUMNS} | dict(self.columns)
        expressions |= {"line": pl.col(LINE)}
        expressions |= {name: pl.coalesce(expressions.get(name, 0), 0) for name in ("vote", "run")}
        absent = {name: pl.lit(None) for name in RESULT_COLUMNS if name not in expressions}
        typed = {name: (expressions | absent)[name].cast(dtype) for name, dtype in RESULT_COLUMNS.items()}
        return fields.select(**typed, **{name: column for name, column in expressions.items() if name not in typed})


class ResultReader(Struct, frozen=True, eq=False):
    """A result format as the registry knows it.

    Attributes:
        title: What it is called.
        recognises: Whether a row is one of the format.
        load: The results of every scorer in the rows.
        added: What the format adds to the rows of a benchmark, whose texts and labels it repeats; () = it repeats none.
    """

    title: str
    recognises: Callable[[Any], bool]
    load: Callable[[Rows], list[ExternalResults]]
    added: Sequence[str] = ()


class _Part(Struct, frozen=True, eq=False):
    """What one chunk gave: a row a record, with the columns that tell whose it is, and numbered findings."""

    frame: pl.DataFrame
    findings: list[tuple[int, Finding]]
    read: int


def first_of_an_id(rows: pl.DataFrame, source: str, apart: pl.Expr | None = None) -> tuple[pl.DataFrame, list[Finding]]:
    """Keep the first row of each id and run; what is left out is said, as a note if it is equal.

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


def case_id(fields: Fields, *names: str, required: bool = True) -> str | None:
    """Read the id in the first of these fields that is there, a whole number as its digits; it becomes `fields.case`.

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
    """Declare the id of a case, which `Layout.name` has read of a row that is read value by value."""
    return Field(pl.String(), _ID, name_of, needed=needed, filled=True)


def rewards(*, needed: bool = True) -> Field:
    """Declare a list of numbers, of which there must be one."""
    natural = Annotated[list[float], SOME]
    return read_by(
        pl.List(pl.Float64()), lambda fields, name: numbers(fields, name, required=needed), natural, needed=needed
    )


def scorer_field() -> Field:
    """Declare a text that names a scorer, or keeps its results apart: of rows that are left out too."""
    return read_by(pl.String(), Fields.text, str, required=True)


def whole_records(read: Callable[[Fields], ResultRow | None], **beside: pl.DataType) -> Layout:
    """Declare a layout of records that one function reads: the columns of RESULT_COLUMNS but for `line` and `id`.

    The id is what it leaves in `fields.case`; None, with an error, where the record is left out. `beside` are further
    columns, which the function gives or the record itself holds, and which are known of what is left out as well.
    """

    def flat(fields: Fields) -> ResultRecord:
        held = {name: fields.value.get(name) for name in beside}
        return held | (read(fields) or {})

    made = {name: as_made(dtype) for name, dtype in RESULT_COLUMNS.items() if name not in {"line", "id"}}
    further = {name: replace(as_made(dtype), required=True) for name, dtype in beside.items()}
    return Layout({"id": case_id_field(), **made, **further}, name=lambda fields: fields.case, flat=flat)


def _shared_out(noticed: list[tuple[int, Finding]], groups: list[pl.DataFrame]) -> list[list[Finding]]:
    """The findings of each group's rows; what is of no row, or of one that is in no group, goes to the first."""
    # Of what was noticed before there were rows, only the line is known.
    places = pl.DataFrame(
        [(number or None, finding.line) for number, finding in noticed],
        schema={NUMBER: pl.Int64, "line": pl.Int64},
        orient="row",
    )
    by_line = pl.col(NUMBER).is_null()
    shared: list[list[Finding]] = [[] for _ in groups]
    theirs = []
    for group in groups[1:]:
        own = pl.col(NUMBER).is_in(group[NUMBER].implode()) | (by_line & pl.col("line").is_in(group["line"].implode()))
        theirs.append(places.select(own.fill_null(value=False)).to_series().to_list())
    for at, (_, finding) in enumerate(noticed):
        shared[next((place for place, own in enumerate(theirs, 1) if own[at]), 0)].append(finding)
    return shared


def reversed_results(results: ExternalResults) -> ExternalResults:
    """Read each reward of a format as 1 - value, because a higher value means worse."""
    rows = results.rows.with_columns(rewards=padding_as_nan(results.rows["rewards"])).with_columns(**REVERSED)
    low, high = reward_bounds(rows["rewards"])
    settings = {**results.settings, **HIGHER_IS_WORSE}
    return replace(results, rows=rows, low=low, high=high, settings=settings)
