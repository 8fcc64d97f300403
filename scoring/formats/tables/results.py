"""What a table holds of scorers: a mapping says which column holds whose step rewards, verdicts or answers."""

import math
import shlex
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InputError, UsageError
from scoring.data.schema import STEP_INDEX
from scoring.formats.benchmarks.case_format import CaseFormat, first_undecodable
from scoring.formats.reading.chunks import chunks
from scoring.formats.reading.fields import KEPT, LINE, SOME, Field, Fields, Layout, as_made, kind_of, name_of, read_by
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.reward_checks import nested_numbers
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import (
    HIGHER_IS_WORSE,
    RESULT_COLUMNS,
    REVERSED,
    TABLE,
    ExternalResults,
    first_of_an_id,
)
from scoring.formats.results.reward_lists import padding_as_nan, reward_bounds
from scoring.formats.tables.cell_values import at, listed, number, single_at, text, whole, without_padding
from scoring.formats.tables.column_mapping import SCORERS, ColumnMapping, flat_row, mapped
from scoring.formats.tables.gold_labels import (
    GoldExpressions,
    clean_mark,
    clean_words,
    ends_clean,
    gold_fields,
    index_natural,
    is_clean,
    read_gold,
)
from scoring.formats.tables.label_bases import Evidence, base_note, label_base
from scoring.formats.tables.step_rows import gathered_steps, repeats_ids, steps_in_order
from scoring.formats.tables.table import check_columns

_LARGEST_LABEL, _SAMPLE = 2**31, 200
_SHOWN = 40
_OF_REWARDS = ("reward", "score", "prob", "prm")
"""Parts of the names of columns that may hold rewards."""
_MOST_SCORERS = 200
"""A column with more names than these is one of something else."""


def results(rows: Rows, mapping: ColumnMapping, cases: CaseFormat | None = None) -> list[ExternalResults]:
    """Read what the table holds of each scorer that the mapping names.

    A cell of rewards is a list of numbers (or of truth values: labels as given), as such or as JSON in a text, or one
    number for the whole solution. A cell of verdicts is the index of the step that the scorer takes for the earliest
    wrong one; a cell of answers is a critic's answer in words, or a list of answers that vote, and whoever joins it
    reads it by its benchmark's parser. A row whose cell cannot be used is kept with the reason; the first row with an
    id and run counts.

    Args:
        rows: the table's.
        mapping: which of its columns is what.
        cases: how the same rows are read as cases, where they are a benchmark's: then it says which case a row is of.

    Raises:
        InputError: rewards are lists of lists.
        UsageError: the mapping names no results, runs of rewards, neither id nor problem and steps, a column that is
            not there, or one of scorers that holds too many.
    """
    if not mapping.scorers:
        raise UsageError("the mapping names no column of results.", "Name rewards, verdicts or answers by scorer.")
    if mapping.run is not None and mapping.rewards:
        raise UsageError("the mapping names runs of step rewards.", "Only verdicts have runs: drop run or rewards.")
    if cases is None and mapping.id is None and (mapping.problem is None or mapping.steps is None):
        raise UsageError("the mapping names no case.", "Results need an id, or a problem and steps.")
    check_columns(rows, mapping)
    for column in mapping.rewards.values():
        refuse_nested(rows, column)
    if mapping.step is not None:
        return _of_steps(rows, mapping)
    labels, gold = _gold(rows, mapping) if cases is None else (mapping, _NO_GOLD)
    layout = result_layout(mapping, labels) if cases is None else _beside(mapping, cases.layout)
    parts = list(chunks(rows, layout, lambda chunk: chunk))
    frame = pl.concat([pl.DataFrame(schema=layout.columns()), *(chunk.frame for chunk in parts)])
    noticed = first_undecodable([finding for chunk in parts for _, finding in chunk.findings])
    if cases is not None:
        # What is odd about the cases is said where they are read as cases.
        noticed = []
        frame = frame.with_columns(**cases.identity(frame.columns, rows.source))
    # What else is in a row that is left out was not read.
    frame = frame.filter(KEPT)
    texts = [name for name in ("problem", "steps") if name in frame.columns]
    nameless = pl.col("id").is_null() if "id" in frame.columns else pl.lit(value=True)
    if len(texts) == 2:
        nameless &= pl.any_horizontal(pl.col(*texts).is_null())
    message = "the row has no id that names its case"
    noticed += [Finding("error", "no-id", message, rows.source, line) for line in frame.filter(nameless)[LINE]]
    frame = frame.filter(~nameless)
    if mapping.scorer is None:
        read = sum(chunk.read for chunk in parts)
        table = _Table(rows.source, mapping, frame, gold, read)
        scorers = [table.results(scorer) for scorer in _scorers(mapping)]
    else:
        message = "the row does not say which scorer it is of"
        lines = frame.filter(pl.col("scorer").is_null())[LINE]
        noticed += [Finding("error", "no-scorer", message, rows.source, line) for line in lines]
        scorers = list(_by_scorer(rows.source, mapping, frame.filter(pl.col("scorer").is_not_null()), gold))
    return _with(noticed, scorers)


def refuse_nested_columns(rows: Rows) -> None:
    """Refuse a table of unknown columns where one may hold several numbers per step.

    Raises:
        InputError: as for `refuse_nested`.
    """
    records = (value for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping))
    for column in dict.fromkeys(key for record in records for key in record):
        if any(word in column.lower() for word in _OF_REWARDS):
            refuse_nested(rows, column)


def refuse_nested(rows: Rows, column: str) -> None:
    """Refuse a column whose cells hold a list for each step where a number should be.

    Raises:
        InputError: it does; the error lists the paths that lead to numbers.
    """
    sample = (value for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping))
    if (nested := nested_numbers([listed(at(value, column)) for value in sample])) is None:
        return
    sentence, paths = nested
    raise InputError(
        f"{rows.source}: {sentence} (column {column!r}).",
        "Name the path to the reward.",
        instead=[(f"--rewards {shlex.quote(column + path)}", meaning) for path, meaning in paths],
    )


def _with(noticed: list[Finding], scorers: list[ExternalResults]) -> list[ExternalResults]:
    """The scorers, with what is said of no one in particular before what is said of the first."""
    noticed.sort(key=lambda finding: finding.line or 0)
    return [replace(scorers[0], findings=(*noticed, *scorers[0].findings)), *scorers[1:]]


def _by_scorer(source: str, mapping: ColumnMapping, frame: pl.DataFrame, gold: pl.Expr) -> Iterator[ExternalResults]:
    names = frame["scorer"].n_unique()
    if not 0 < names <= _MOST_SCORERS:
        held = f"{names:,} different texts" if names else "no text"
        raise UsageError(
            f"column {mapping.scorer!r} of {source} holds {held}, and is to name the scorers.",
            f"Name a column with {_MOST_SCORERS} names at most: --scorer-column COLUMN.",
        )
    for (name,), part in frame.group_by("scorer", maintain_order=True):
        table = _Table(source, mapping, part, gold, part.height)
        for scorer in _scorers(mapping):
            own = table.results(scorer)
            yield replace(own, name=str(name) if mapping.scorers == 1 else f"{name} {own.name}")


def _of_steps(rows: Rows, mapping: ColumnMapping) -> list[ExternalResults]:
    if mapping.scorer is not None:
        raise UsageError(
            f"{rows.source} is read with one row a step, and {mapping.scorer!r} names the scorer of a row.",
            "Give each scorer a file, or a column, of its own.",
        )
    gathered = gathered_steps(rows, mapping)
    scorers = _scorers(mapping)
    frame = gathered.frame.with_columns(pl.lit(None, dtype=pl.Float64).alias(scorer("solution")) for scorer in scorers)
    table = _Table(rows.source, replace(mapping, step=None), frame, _NO_GOLD, gathered.read)
    return _with(gathered.findings, [table.results(scorer) for scorer in scorers])


class _Scorer(Struct, frozen=True):
    """A scorer that the mapping names; its columns are called after what they hold and its place among all."""

    place: int
    kind: str
    name: str
    column: str

    def __call__(self, what: str) -> str:
        return f"{what} {self.place}"

    def fields(self, mapping: ColumnMapping) -> dict[str, Field]:
        natural: Any = Annotated[list[float], SOME]
        fields = {
            "rewards": {
                "rewards": mapped(read_by(pl.List(pl.Float64()), _as_it_is, natural, needed=True), self.column),
                "labels": as_made(pl.List(pl.Boolean())),
                "solution": as_made(pl.Float64()),
            },
            "verdicts": {
                "verdict": mapped(read_by(pl.Int64(), _as_it_is, index_natural(mapping), needed=True), self.column),
                "answer": as_made(pl.String(), Fields.text),
            },
            "answers": {"answers": mapped(read_by(pl.List(pl.String()), _answers, needed=True), self.column)},
        }[self.kind]
        fields |= {"reason": as_made(pl.String()), "code": as_made(pl.String())}
        return {self(what): field for what, field in fields.items()}

    def cells(self, mapping: ColumnMapping, row: Mapping[str, Any]) -> dict[str, Any]:
        if self.kind == "rewards":
            cells = _rated(listed(at(row, self.column)))
        elif self.kind == "verdicts":
            cells = _verdict(mapping, single_at(row, self.column))
        else:
            cells = {"answers": at(row, self.column)}
        return {self(what): cell for what, cell in cells.items()}


def _scorers(mapping: ColumnMapping) -> list[_Scorer]:
    named = [(kind, name, column) for kind in SCORERS for name, column in getattr(mapping, kind).items()]
    return [_Scorer(place, *each) for place, each in enumerate(named)]


def result_layout(mapping: ColumnMapping, labels: ColumnMapping) -> Layout:
    """Lay out the fields of a row and of the scorers beside them; `labels` is the mapping of its gold labels."""
    known = {
        "id": Field(pl.String(), str | int, lambda fields, name: name_of(fields, name) or None, filled=True),
        "problem": replace(read_by(pl.String(), Fields.text, str), filled=True),
        "steps": replace(read_by(pl.List(pl.String()), Fields.texts, Annotated[list[str], SOME]), steps=True),
        "subset": replace(read_by(pl.String(), Fields.text, str), filled=True),
        "run": read_by(pl.Int64(), _as_it_is),
        "scorer": replace(read_by(pl.String(), Fields.text, str), filled=True),
    }
    gold = gold_fields(labels, quiet=True)
    fields = {name: mapped(field, column) for name, field in gold.items() if (column := getattr(labels, name))}
    fields |= {name: mapped(field, column) for name, field in known.items() if (column := getattr(mapping, name))}
    fields.setdefault("steps", as_made(pl.List(pl.String())))
    for scorer in _scorers(mapping):
        fields |= scorer.fields(mapping)
    return Layout(fields, name=partial(_identify, mapping), lenient=partial(_flat, mapping))


def _beside(mapping: ColumnMapping, cases: Layout) -> Layout:
    """The fields of a benchmark's rows and of the scorers beside them."""
    scorers = _scorers(mapping)

    def lenient(fields: Fields) -> dict[str, Any] | None:
        flatten = cases.flat or cases.lenient
        case = fields.value if flatten is None else flatten(fields)
        return None if case is None else {**case, **_cells(mapping, fields.value)}

    beside = {name: field for scorer in scorers for name, field in scorer.fields(mapping).items()}
    fields = {**cases.fields, **beside}
    if cases.flat is not None:
        return Layout(fields, name=cases.name, flat=lenient)
    return Layout(fields, name=cases.name, lenient=lambda row: lenient(row) or {})


def _cells(mapping: ColumnMapping, row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: cell for scorer in _scorers(mapping) for name, cell in scorer.cells(mapping, row).items()}


_NO_GOLD = pl.lit(None, dtype=STEP_INDEX)


def _gold(rows: Rows, mapping: ColumnMapping) -> tuple[ColumnMapping, pl.Expr]:
    """The mapping of gold labels, and the earliest error as an expression over their fields."""
    # Oddities of gold labels are reported when the table is read as cases.
    if mapping.steps is None and mapping.label_base is None:
        return mapping, _NO_GOLD
    gold = read_gold(rows, mapping)
    labels = gold.mapping
    if (labels.earliest_error, labels.error_steps, labels.step_labels) == (None, None, None):
        return labels, _NO_GOLD
    earliest = GoldExpressions(labels, gold.base.base).earliest
    return labels, earliest if mapping.label_base is not None else pl.when(pl.col("steps").is_not_null()).then(earliest)


def _identify(mapping: ColumnMapping, fields: Fields) -> str:
    name = None if mapping.id is None else text(single_at(fields.value, mapping.id))
    # Whole numbers of any size are ids.
    return str(name) if type(name) in {str, int} else ""


def _answers(fields: Fields, name: str) -> list[str | None]:
    cell = listed(fields.value.get(name)) if isinstance(fields.value.get(name), list) else fields.value.get(name)
    several = cell if isinstance(cell, list) else [cell]
    return [fields.of({name: answer}).text(name) for answer in several] or [None]


def _as_it_is(fields: Fields, name: str) -> Any:
    return fields.value.get(name)


def _flat(mapping: ColumnMapping, fields: Fields) -> dict[str, Any]:
    row = flat_row(mapping, fields)
    if isinstance(row.get("steps"), str):
        # Said once, by whoever reads it as a list of texts.
        row["steps"] = fields.value.get(mapping.steps or "")
    run = 0 if mapping.run is None else row.get("run")
    if type(run) is int and 0 <= run < _LARGEST_LABEL:
        row["run"] = run
    else:
        row["run"] = None
        fields.note("error", "bad-run", "the run is not a whole number from 0 on")
    return row | _cells(mapping, fields.value)


def _rated(cell: Any) -> dict[str, Any]:
    if isinstance(cell, list) and cell:
        return _rated_list(cell)
    if cell is None or cell == []:
        return _unusable("no-rewards", "there are no rewards here" if cell is None else "the list of rewards is empty")
    solution = number(cell)
    if isinstance(solution, float) and math.isfinite(solution):
        return {"solution": solution}
    return _unusable("bad-reward", f"the rewards are {kind_of(cell)}, neither a list nor a finite number")


def _rated_list(cell: list[Any]) -> dict[str, Any]:
    # Only the number of steps of the case shows whether the end is padding: it stays with the reason.
    n_unpadded = len(without_padding(cell))
    if isinstance(cell[0], bool) and all(isinstance(part, bool) for part in cell[:n_unpadded]):
        if n_unpadded == len(cell):
            return {"labels": cell}
        labels = cell[:n_unpadded] + [None] * (len(cell) - n_unpadded)
        return {"labels": labels, **_unusable("bad-reward", f"label {n_unpadded} (0-based) is missing")}
    rewards = [number(part) for part in cell]
    sound = [type(reward) is float and math.isfinite(reward) for reward in rewards]
    if all(sound):
        return {"rewards": rewards}
    odd = sound.index(False)
    refused = _unusable("bad-reward", f"reward {odd} (0-based) is {_no_number(cell[odd])}")
    return {"rewards": rewards[:odd] + [math.nan] * (len(cell) - odd), **refused} if 0 < odd == n_unpadded else refused


def _no_number(part: Any) -> str:
    if isinstance(part, Mapping):
        return f"{kind_of(part)} and no number; a path leads into it: --rewards 'COL[].KEY'"
    return f"{kind_of(part)} and no number" if isinstance(part, list) else "not a finite number"


def _verdict_base(mapping: ColumnMapping) -> int | None:
    """What verdicts are said to call the first step: 1 where 0 is said to be no error, else what labels call it."""
    if mapping.verdict_base is not None:
        return mapping.verdict_base
    return 1 if mapping.clean == "0" else mapping.label_base


def _verdict(mapping: ColumnMapping, cell: Any) -> dict[str, Any]:
    answer = text(cell)
    answer = answer if isinstance(answer, str) else None
    if is_clean(cell, clean_mark(mapping, _verdict_base(mapping))):
        return {"answer": answer or "", "verdict": -1}
    if text(cell) is None:
        return _unusable("no-verdict", "there is no verdict here")
    label = whole(cell)
    if type(label) is int and abs(label) < _LARGEST_LABEL:
        return {"answer": answer, "verdict": label}
    sound = answer.encode(errors="replace").decode() if answer else ""
    words = repr(sound[:_SHOWN]) if sound else kind_of(cell)
    return {"answer": answer, **_unusable("unparsed", f"the verdict {words} is not an index of a step")}


def _unusable(code: str, why: str) -> dict[str, Any]:
    return {"reason": why, "code": code}


class _Table(Struct, frozen=True, eq=False):
    """All rows of a table, from which each scorer takes its own columns."""

    source: str
    mapping: ColumnMapping
    frame: pl.DataFrame
    gold: pl.Expr
    read: int

    def results(self, scorer: _Scorer) -> ExternalResults:
        return {"rewards": self._rewards, "verdicts": self._verdicts, "answers": self._answers}[scorer.kind](scorer)

    def _rewards(self, scorer: _Scorer) -> ExternalResults:
        table_rows, findings = self._given(
            scorer, {what: pl.col(scorer(what)) for what in ("rewards", "labels", "solution")}
        )
        facts: dict[str, Any] = {}
        table_rows = table_rows.with_columns(rewards=padding_as_nan(table_rows["rewards"]))
        if self.mapping.higher_is == "worse":
            table_rows, facts = table_rows.with_columns(**REVERSED), {"settings": HIGHER_IS_WORSE}
        in_order = None
        if repeats_ids(table_rows):
            # A sentence for all in the place of one for each.
            rows, in_order = (
                table_rows.unique(["id", "run"], keep="first", maintain_order=True),
                steps_in_order(table_rows),
            )
            message = (
                f"{table_rows.height:,} rows share {table_rows['id'].n_unique():,} ids: this looks like one row a step"
                ", without a column of step numbers; the first row of each id counts. --step COLUMN names such a column"
            )
            findings.append(Finding("error", "repeated-id", message, self.source))
        else:
            rows, findings = self._first(table_rows, findings)
        low, high = reward_bounds((rows if in_order is None else in_order)["rewards"])
        if (low, high) != (0.0, 1.0):
            message = (
                f"rewards of {scorer.name} lie between {low:g} and {high:g}; the threshold 0.5 is only a default: "
            )
            message += "--threshold X states theirs"
            findings.append(Finding("warning", "reward-range", message, self.source))
        return self._results(scorer, rows, findings, low=low, high=high, in_order=in_order, **facts)

    def _verdicts(self, scorer: _Scorer) -> ExternalResults:
        label, mapping = pl.col(scorer("verdict")), self.mapping
        # With an unknown number of steps, no label is beyond it.
        evidence = Evidence.of(self.frame.select(label=label, n=pl.col("steps").list.len().cast(pl.Int64)))
        stated = _verdict_base(mapping)
        mark = clean_mark(mapping, stated)
        marked = mark is not None or bool(self.frame.select((label == -1).any()).item())
        base = label_base(stated, evidence, marked=marked, source=self.source, option="verdict_base", clean=mark)
        moved = pl.when(label >= 1).then(label - 1).when(label == -1).then(-1).otherwise(-2)
        verdict = moved if base.base else label.clip(lower_bound=-2)
        if ends_clean(mapping):
            verdict = pl.when(label == pl.col("steps").list.len() + base.base).then(-1).otherwise(verdict)
        own = {
            "answer": pl.coalesce(scorer("answer"), label.cast(pl.String)),
            "ballot": label.cast(pl.String),
            "verdict": pl.when(label.is_not_null()).then(verdict),
        }
        rows, findings = self._first(*self._given(scorer, own))
        unsaid = stated is None and mapping.clean is None
        if base.finding is not None:
            findings.append(base.finding)
        elif unsaid:
            # What all rows show stands, whichever of them join.
            findings.append(base_note(base, self.source))
        words = f"verdicts are {base.words}, {clean_words(mapping, stated)}"
        open_base = unsaid and base.finding is not None
        return self._results(scorer, rows, findings, label_base=words, kind="critic", open_base=open_base)

    def _answers(self, scorer: _Scorer) -> ExternalResults:
        """One critic's answers, a row an answer, not read yet."""
        rows, findings = self._first(*self._given(scorer, {}, answers=pl.col(scorer("answers"))))
        answered = rows.drop("answer").explode("answers", empty_as_null=True).rename({"answers": "answer"})
        counted = answered.with_columns(
            vote=pl.int_range(pl.len()).over("line", "id").cast(RESULT_COLUMNS["vote"]),
            reason=pl.when(pl.col("answer").is_null()).then(pl.lit("there is no answer here")),
        )
        most = int(counted["vote"].max() or 0) + 1  # type: ignore[arg-type]  # a number
        return self._results(
            scorer,
            counted,
            findings,
            label_base="as the benchmark's parser reads them",
            kind="critic",
            reads_answers=True,
            settings={"votes": most},
        )

    def _results(self, scorer: _Scorer, rows: pl.DataFrame, findings: list[Finding], **facts: Any) -> ExternalResults:
        rows = rows.select(list(RESULT_COLUMNS))
        facts |= {"benchmark": self.mapping.benchmark, "findings": tuple(findings)}
        return ExternalResults(TABLE, self.source, scorer.name, rows, self.read, **facts)

    def _first(self, rows: pl.DataFrame, findings: list[Finding]) -> tuple[pl.DataFrame, list[Finding]]:
        """The first row of each id and run, and what is said of single rows, of those left out as well."""
        kept, repeated = first_of_an_id(rows, self.source, pl.col("subset"))
        return kept, sorted([*findings, *repeated], key=lambda finding: finding.line or 0)

    def _given(
        self, scorer: _Scorer, own: Mapping[str, pl.Expr], **beside: pl.Expr
    ) -> tuple[pl.DataFrame, list[Finding]]:
        """The columns of RESULT_COLUMNS and those beside them, and what is said of single rows."""
        there = ("id", "problem", "steps", "subset", "run")
        columns: dict[str, pl.Expr] = {
            "run": pl.lit(0),
            **{name: pl.col(name) for name in there if name in self.frame.columns},
            "line": pl.col(LINE),
            "gold": self.gold,
            "vote": pl.lit(0),
            "reason": pl.col(scorer("reason")),
            **own,
        }
        nothing = pl.lit(None)
        typed = {name: columns.get(name, nothing).cast(dtype) for name, dtype in RESULT_COLUMNS.items()}
        rows = self.frame.select(**typed, **beside, code=pl.col(scorer("code")))
        odd = rows.filter(pl.col("code").is_not_null()).select("line", "id", "reason", "code")
        findings = [Finding("warning", code, why, self.source, line, case) for line, case, why, code in odd.iter_rows()]
        return rows.drop("code"), findings
