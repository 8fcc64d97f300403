"""What a table holds of scorers: a mapping says which column holds whose step rewards, or whose verdicts."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import polars as pl

from scoring.benchmarks.base import CaseFormat, first_undecodable
from scoring.errors import UsageError
from scoring.reading.chunks import chunks
from scoring.reading.fields import Fields, kind_of
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.reading.typed import KEPT, LINE, SOME, Field, Layout, as_made, name_of, read_by
from scoring.results.base import RESULT_COLUMNS, ExternalResults, first_of_an_id, reward_bounds
from scoring.schema import STEP_INDEX
from scoring.tables.cells import at, listed, number, single_at, text, whole
from scoring.tables.column_mapping import ColumnMapping
from scoring.tables.step_rows import gathered_steps, repeats_ids, steps_in_order
from scoring.tables.table import (
    Evidence,
    Gold,
    LabelBase,
    base_note,
    check_columns,
    flat_row,
    gold_base,
    gold_fields,
    index_natural,
    is_clean,
    label_base,
    mapped,
)

_LARGE = 2**31
_SHOWN = 40
_MOST_SCORERS = 200
"""A column with more names than these is one of something else."""
_CODE = "(code)"
"""Columns of a scorer are called after what they hold and the scorer's place among all: `rewards 0`."""


def results(rows: Rows, mapping: ColumnMapping, cases: CaseFormat | None = None) -> list[ExternalResults]:
    """What the table holds of each scorer that the mapping names.

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
    if mapping.step is not None:
        return _of_steps(rows, mapping)
    fields, flat = _fields(mapping)
    layout = Layout(fields, name=partial(_identify, mapping), lenient=flat)
    if cases is not None:
        layout = _beside(layout, cases.layout)
    read = list(chunks(rows, layout, lambda chunk: chunk))
    frame = pl.concat([pl.DataFrame(schema=layout.columns()), *(chunk.frame for chunk in read)])
    noticed = first_undecodable([finding for chunk in read for _, finding in chunk.findings])
    if cases is not None:
        # What is odd about the cases is said where they are read as cases.
        noticed = []
        frame = frame.with_columns(**cases.identity(frame.columns, rows.source))
    # What else is in a row that is left out was not read.
    frame = frame.filter(KEPT)
    named = [name for name in ("problem", "steps") if name in frame.columns]
    nameless = pl.col("id").is_null() if "id" in frame.columns else pl.lit(value=True)
    if named:
        nameless &= pl.any_horizontal(pl.col(*named).is_null()) if len(named) == 2 else pl.lit(value=True)
    message = "the row has no id that names its case"
    noticed += [Finding("error", "no-id", message, rows.source, line) for line in frame.filter(nameless)[LINE]]
    frame = frame.filter(~nameless)
    gold = _gold(rows, mapping)
    if mapping.scorer is None:
        found = list(_Table(rows.source, mapping, frame, gold, sum(chunk.read for chunk in read)).every())
    else:
        noticed += [
            Finding("error", "no-scorer", "the row does not say which scorer it is of", rows.source, line)
            for line in frame.filter(pl.col("scorer").is_null())[LINE]
        ]
        found = _by_scorer(rows.source, mapping, frame.filter(pl.col("scorer").is_not_null()), gold)
    if noticed:
        noticed.sort(key=lambda finding: finding.line or 0)
        found[0] = replace(found[0], findings=(*noticed, *found[0].findings))
    return found


def _by_scorer(source: str, mapping: ColumnMapping, frame: pl.DataFrame, gold: pl.Expr) -> list[ExternalResults]:
    names = frame["scorer"].n_unique()
    if not 0 < names <= _MOST_SCORERS:
        held = f"{names:,} different texts" if names else "no text"
        raise UsageError(
            f"column {mapping.scorer!r} of {source} holds {held}, and is to name the scorers.",
            f"Name a column with {_MOST_SCORERS} names at most: --scorer-column COLUMN.",
        )
    found = []
    for (name,), part in frame.group_by("scorer", maintain_order=True):
        for foreign in _Table(source, mapping, part, gold, part.height).every():
            called = str(name) if mapping.scorers == 1 else f"{name} {foreign.name}"
            found.append(replace(foreign, name=called))
    return found


def _of_steps(rows: Rows, mapping: ColumnMapping) -> list[ExternalResults]:
    if mapping.scorer is not None:
        raise UsageError(
            f"{rows.source} is read with one row a step, and {mapping.scorer!r} names the scorer of a row.",
            "Give each scorer a file, or a column, of its own.",
        )
    gathered = gathered_steps(rows, mapping)
    names = {"reason": "reason of rewards", "code": f"{_CODE} of rewards"}
    made = {f"{name} {place}": f"{new} {place}" for name, new in names.items() for place in range(len(mapping.rewards))}
    solutions = [pl.lit(None, dtype=pl.Float64).alias(f"solution {place}") for place in range(len(mapping.rewards))]
    frame = gathered.frame.rename(made).with_columns(solutions)
    gold = pl.lit(None, dtype=STEP_INDEX)
    whole_source = _Table(rows.source, replace(mapping, step=None), frame, gold, gathered.read)
    found = [whole_source.rewards(place, scorer) for place, scorer in enumerate(mapping.rewards)]
    noticed = sorted(gathered.findings, key=lambda finding: finding.line or 0)
    return [replace(found[0], findings=(*noticed, *found[0].findings)), *found[1:]]


def _beside(own: Layout, cases: Layout) -> Layout:
    """The fields of a benchmark's rows and of the scorers beside them."""
    scorers = {name: field for name, field in own.fields.items() if " " in name}

    def cells(fields: Fields) -> dict[str, Any]:
        found = {} if own.lenient is None else own.lenient(fields)
        return {name: found[name] for name in scorers if name in found}

    def lenient(fields: Fields) -> dict[str, Any]:
        return {**(fields.value if cases.lenient is None else cases.lenient(fields)), **cells(fields)}

    def flat(fields: Fields) -> dict[str, Any] | None:
        case = None if cases.flat is None else cases.flat(fields)
        return None if case is None else {**case, **cells(fields)}

    fields = {**cases.fields, **scorers}
    if cases.flat is not None:
        return Layout(fields, name=cases.name, flat=flat)
    return Layout(fields, name=cases.name, lenient=lenient)


def _gold(rows: Rows, mapping: ColumnMapping) -> pl.Expr:
    named = [name for name in ("earliest_error", "error_steps", "step_labels") if getattr(mapping, name) is not None]
    if not named or (mapping.steps is None and mapping.label_base is None):
        return pl.lit(None, dtype=STEP_INDEX)
    earliest = Gold(mapping, gold_base(rows, mapping).base).earliest
    return earliest if mapping.label_base is not None else pl.when(pl.col("steps").is_not_null()).then(earliest)


def _identify(mapping: ColumnMapping, fields: Fields) -> str:
    name = None if mapping.id is None else text(single_at(fields.value, mapping.id))
    # Whole numbers of any size are ids.
    return str(name) if type(name) in {str, int} else ""


def _fields(mapping: ColumnMapping) -> tuple[dict[str, Field], Callable[[Fields], dict[str, Any]]]:
    common = {
        "id": Field(pl.String(), str | int, lambda fields, name: name_of(fields, name) or None, filled=True),
        "problem": replace(read_by(pl.String(), Fields.text, str), filled=True),
        "steps": replace(read_by(pl.List(pl.String()), Fields.texts, Annotated[list[str], SOME]), steps=True),
        "subset": replace(read_by(pl.String(), Fields.text, str), filled=True),
        "run": read_by(pl.Int64(), lambda fields, name: fields.value.get(name)),
        "scorer": replace(read_by(pl.String(), Fields.text, str), filled=True),
        **gold_fields(mapping, quiet=True),
    }
    fields = {name: mapped(one, column) for name, one in common.items() if (column := getattr(mapping, name))}
    fields.setdefault("steps", as_made(pl.List(pl.String())))
    for place, column in enumerate(mapping.rewards.values()):
        natural = read_by(pl.List(pl.Float64()), _given, Annotated[list[float], SOME], needed=True)
        fields[f"rewards {place}"] = mapped(natural, column)
        for name, dtype in (("labels", pl.List(pl.Boolean())), ("solution", pl.Float64())):
            fields[f"{name} {place}"] = as_made(dtype)
        fields |= _reasons(f"of rewards {place}")
    for place, column in enumerate(mapping.verdicts.values()):
        fields[f"verdict {place}"] = mapped(read_by(pl.Int64(), _given, index_natural(mapping), needed=True), column)
        fields[f"answer {place}"] = as_made(pl.String(), Fields.text)
        fields |= _reasons(f"of verdict {place}")
    for place, column in enumerate(mapping.answers.values()):
        fields[f"answers {place}"] = mapped(read_by(pl.List(pl.String()), _answers, needed=True), column)
    return fields, partial(_flat, mapping)


def _answers(fields: Fields, name: str) -> list[str | None]:
    cell = listed(fields.value.get(name)) if isinstance(fields.value.get(name), list) else fields.value.get(name)
    several = cell if isinstance(cell, list) else [cell]
    return [fields.of({name: answer}).text(name) for answer in several] or [None]


def _reasons(what: str) -> dict[str, Field]:
    return {f"{name} {what}": as_made(pl.String()) for name in ("reason", _CODE)}


def _given(fields: Fields, name: str) -> Any:
    return fields.value.get(name)


def _flat(mapping: ColumnMapping, fields: Fields) -> dict[str, Any]:
    row = fields.value
    found = flat_row(mapping, fields)
    if isinstance(found.get("steps"), str):
        # Said once, by whoever reads it as a list of texts.
        found["steps"] = row.get(mapping.steps or "")
    found["run"] = _run(mapping, fields, found.get("run"))
    for place, column in enumerate(mapping.rewards.values()):
        named = {name: f"{name} {place}" for name in ("rewards", "labels", "solution")}
        named |= {name: f"{name} of rewards {place}" for name in ("reason", _CODE)}
        found |= {named[name]: value for name, value in _rated(at(row, column)).items()}
    for place, column in enumerate(mapping.verdicts.values()):
        named = {name: f"{name} {place}" for name in ("verdict", "answer")}
        named |= {name: f"{name} of verdict {place}" for name in ("reason", _CODE)}
        found |= {named[name]: value for name, value in _verdict(mapping, single_at(row, column)).items()}
    for place, column in enumerate(mapping.answers.values()):
        found[f"answers {place}"] = at(row, column)
    return found


def _run(mapping: ColumnMapping, fields: Fields, cell: Any) -> int | None:
    run = 0 if mapping.run is None else cell
    if type(run) is int and 0 <= run < _LARGE:
        return run
    fields.note("error", "bad-run", "the run is no whole number from 0 on")
    return None


def _rated(cell: Any) -> dict[str, Any]:
    cell = listed(cell)
    if cell is None:
        return _unusable("no-rewards", "there are no rewards here")
    if isinstance(cell, list):
        return _rewards(cell)
    solution = number(cell)
    if isinstance(solution, float) and math.isfinite(solution):
        return {"solution": solution}
    return _unusable("bad-reward", f"the rewards are {kind_of(cell)}, neither a list nor a finite number")


def _rewards(cell: list[Any]) -> dict[str, Any]:
    if not cell:
        return _unusable("no-rewards", "the list of rewards is empty")
    if all(isinstance(part, bool) for part in cell):
        return {"labels": cell}
    rewards = [number(part) for part in cell]
    odd = next((place for place, one in enumerate(rewards) if type(one) is not float or not math.isfinite(one)), None)
    if odd is not None:
        return _unusable("bad-reward", f"reward {odd} (0-based) is no finite number")
    return {"rewards": rewards}


def _verdict(mapping: ColumnMapping, cell: Any) -> dict[str, Any]:
    answer = text(cell)
    answer = answer if isinstance(answer, str) else None
    if is_clean(cell, mapping):
        return {"answer": answer or "", "verdict": -1}
    if text(cell) is None:
        return _unusable("no-verdict", "there is no verdict here")
    label = whole(cell)
    if type(label) is int and abs(label) < _LARGE:
        return {"answer": answer, "verdict": label}
    sound = answer.encode(errors="replace").decode() if answer else ""
    said = repr(sound[:_SHOWN]) if sound else kind_of(cell)
    return {"answer": answer, **_unusable("unparsed", f"the verdict {said} is no index of a step")}


def _unusable(code: str, why: str) -> dict[str, Any]:
    return {"reason": why, _CODE: code}


class _Table:
    """All rows of a table under the names of `_fields`, from which each scorer takes its own."""

    def __init__(self, source: str, mapping: ColumnMapping, frame: pl.DataFrame, gold: pl.Expr, read: int) -> None:
        self._source = source
        self._mapping = mapping
        self._frame = frame
        self._gold = gold
        self._read = read

    def every(self) -> Iterator[ExternalResults]:
        """What there is of each scorer that the mapping names."""
        for read, kind in ((self.rewards, "rewards"), (self.verdicts, "verdicts"), (self.answers, "answers")):
            for place, scorer in enumerate(getattr(self._mapping, kind)):
                yield read(place, scorer)

    def rewards(self, place: int, scorer: str) -> ExternalResults:
        """One scorer's step rewards."""
        own = {name: pl.col(f"{name} {place}") for name in ("rewards", "labels", "solution")}
        given, findings = self._given({**own, "reason": pl.col(f"reason of rewards {place}")}, f"of rewards {place}")
        in_order = None
        if repeats_ids(given):
            # A sentence for all in the place of one for each.
            rows, in_order = given.unique(["id", "run"], keep="first", maintain_order=True), steps_in_order(given)
            message = (
                f"{given.height:,} rows share {given['id'].n_unique():,} ids: this looks like one row a step, without "
                "a column of step numbers; the first row of each id counts. --step COLUMN names such a column"
            )
            findings.append(Finding("error", "repeated-id", message, self._source))
        else:
            rows, findings = self._first(given, findings)
        low, high = reward_bounds((rows if in_order is None else in_order)["rewards"])
        if (low, high) != (0.0, 1.0):
            message = f"rewards of {scorer} lie between {low:g} and {high:g}; the threshold 0.5 is only a default: "
            message += "--threshold X states theirs"
            findings.append(Finding("warning", "reward-range", message, self._source))
        return self._foreign(scorer, rows.select(list(RESULT_COLUMNS)), findings, low=low, high=high, in_order=in_order)

    def verdicts(self, place: int, scorer: str) -> ExternalResults:
        """One scorer's verdicts."""
        base = self._verdict_base(place)
        label = pl.col(f"verdict {place}")
        moved = pl.when(label >= 1).then(label - 1).when(label == -1).then(-1).otherwise(-2)
        verdict = moved if base.base else label.clip(lower_bound=-2)
        own = {
            "answer": pl.coalesce(f"answer {place}", label.cast(pl.String)),
            "ballot": label.cast(pl.String),
            "verdict": pl.when(label.is_not_null()).then(verdict),
            "reason": pl.col(f"reason of verdict {place}"),
        }
        rows, findings = self._first(*self._given(own, f"of verdict {place}"))
        stated = self._mapping.verdict_base is not None or self._mapping.label_base is not None
        unsaid = not stated and self._mapping.clean is None
        if base.finding is not None:
            findings.append(base.finding)
        elif unsaid:
            # What all rows show stands, whichever of them join.
            findings.append(base_note(base, self._source))
        return self._foreign(
            scorer,
            rows.select(list(RESULT_COLUMNS)),
            findings,
            label_base=f"verdicts are {base.words}, -1 = no error",
            kind="critic",
            open_base=unsaid and base.finding is not None,
        )

    def answers(self, place: int, scorer: str) -> ExternalResults:
        """One critic's answers, a row an answer, not read yet."""
        rows, findings = self._first(*self._given({"answer": pl.lit(None)}, "", pl.col(f"answers {place}")))
        answered = rows.drop("answer").explode("answers", empty_as_null=True).rename({"answers": "answer"})
        counted = answered.with_columns(
            vote=pl.int_range(pl.len()).over("line", "id").cast(RESULT_COLUMNS["vote"]),
            reason=pl.when(pl.col("answer").is_null()).then(pl.lit("there is no answer here")),
        )
        most = int(counted["vote"].max() or 0) + 1  # type: ignore[arg-type]  # a number
        return self._foreign(
            scorer,
            counted.select(list(RESULT_COLUMNS)),
            findings,
            label_base="as the benchmark's parser reads them",
            kind="critic",
            reads_answers=True,
            settings={"votes": most},
        )

    def _foreign(self, scorer: str, rows: pl.DataFrame, findings: list[Finding], **facts: Any) -> ExternalResults:
        benchmark = self._mapping.benchmark
        return ExternalResults(
            "table", self._source, scorer, rows, self._read, benchmark=benchmark, findings=tuple(findings), **facts
        )

    def _first(self, rows: pl.DataFrame, findings: list[Finding]) -> tuple[pl.DataFrame, list[Finding]]:
        """The first row of each id and run, and what is said of single rows, of those left out as well."""
        kept, repeated = first_of_an_id(rows, self._source)
        return kept, sorted([*findings, *repeated], key=lambda finding: finding.line or 0)

    def _given(
        self, own: Mapping[str, pl.Expr], what: str, answers: pl.Expr | None = None
    ) -> tuple[pl.DataFrame, list[Finding]]:
        """The columns of RESULT_COLUMNS, and what is said of single rows."""
        named = ("id", "problem", "steps", "subset")
        given: dict[str, pl.Expr] = {name: pl.col(name) for name in named if name in self._frame.columns}
        columns: dict[str, pl.Expr] = {
            **given,
            "line": pl.col(LINE),
            "gold": self._gold,
            "vote": pl.lit(0),
            "run": pl.col("run") if "run" in self._frame.columns else pl.lit(0),
            **own,
        }
        nothing = [
            pl.lit(None, dtype=dtype).alias(name) for name, dtype in RESULT_COLUMNS.items() if name not in columns
        ]
        there = [columns[name].cast(dtype).alias(name) for name, dtype in RESULT_COLUMNS.items() if name in columns]
        code = pl.col(f"{_CODE} {what}") if what else pl.lit(None, dtype=pl.String)
        beside = [] if answers is None else [answers.alias("answers")]
        rows = self._frame.select(*there, *nothing, *beside, code.alias(_CODE))
        odd = rows.filter(pl.col(_CODE).is_not_null()).select("line", "id", "reason", _CODE)
        findings = [
            Finding("warning", code, why, self._source, line, case) for line, case, why, code in odd.iter_rows()
        ]
        return rows.drop(_CODE), findings

    def _verdict_base(self, place: int) -> LabelBase:
        """What the first step is called in a scorer's verdicts; with an unknown number of steps, none is beyond it."""
        label, mapping = pl.col(f"verdict {place}"), self._mapping
        n_steps = pl.col("steps").list.len().cast(pl.Int64)
        evidence = Evidence.of(self._frame.select(label=label, n=n_steps))
        known = mapping.clean is not None or bool(self._frame.select((label == -1).any()).item())
        stated = mapping.label_base if mapping.verdict_base is None else mapping.verdict_base
        return label_base(stated, evidence, marked=known, source=self._source, option="verdict_base")
