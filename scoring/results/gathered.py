"""Results gathered scorer by scorer while a source is read; the first result for a case counts."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from scoring.reading.fields import Fields, kind_of
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.base import Record, Result, case_id
from scoring.results.names import scorer_name

__all__ = ["Gathered", "Result", "case_id", "gather", "one_scorer"]

Group = tuple[str, ...]


@dataclass(eq=False)
class Gathered:
    """One scorer's results: columns of `scoring.results.foreign.FOREIGN` by name, `line` and `id` among them.

    `group` is the scorer's name, and whatever else keeps its results apart. `read` counts its records, kept or not;
    what could be told to belong to no scorer counts with the first one.
    """

    group: Group
    results: list[Result] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    read: int = 0
    _first: dict[tuple[str, int, str | None], tuple[int, Result]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the scorer is called."""
        return self.group[0]

    def add(self, fields: Fields, result: Result) -> None:
        """Keep a result unless its id was there before in the same run, and of rows with texts in the same subset.

        What is left out is a finding, harmless if it says the same.
        """
        if fields.case is not None:
            # An id may stand for one problem in several subsets; without texts nothing but the id is joined.
            subset = None if result.get("problem") is None else result.get("subset")
            line, first = self._first.setdefault((fields.case, result.get("run", 0), subset), (fields.line, result))
            if first is not result:
                same = repr(first) == repr(result)
                said = "and the result is the same" if same else "and the result is another: the first one counts"
                fields.note("note" if same else "error", "repeated-id", f"the id is that of line {line}, {said}")
                return
        self.results.append({"line": fields.line, "id": fields.case, **result})


def gather(
    rows: Rows, records: Callable[[Fields], Iterable[tuple[Group, Record]]], read: Callable[[Fields], Result | None]
) -> list[Gathered]:
    """The results of every scorer in the source, in order of appearance; at least one, if without results.

    Args:
        rows: the source.
        records: of a row, which records are in it, each with its group.
        read: of a record, the columns of FOREIGN but for `line` and `id`; the id is what it leaves in `fields.case`.
            None, or a finding of severity error, leaves the record out.

    A row that is no object becomes a finding.
    """
    found: dict[Group, Gathered] = {}
    stray, unread = list(rows.findings), rows.read - len(rows.rows)
    for row in rows.rows:
        if not isinstance(row.value, Mapping):
            message = f"the row is {kind_of(row.value)}, not an object"
            stray.append(Finding("error", "broken-row", message, rows.source, row.line))
            unread += 1
            continue
        whole = Fields(row.value, rows.source, row.number, row.line, stray)
        for group, record in records(whole):
            scorer = found.setdefault(group, Gathered(group))
            scorer.read += 1
            fields = Fields(record, rows.source, row.number, row.line, scorer.findings)
            result = read(fields)
            if result is not None and not fields.fatal:
                scorer.add(fields, result)
    scorers = list(found.values()) or [Gathered((scorer_name(rows.source),))]
    scorers[0].findings[:0] = stray
    scorers[0].read += unread
    return scorers


def one_scorer(rows: Rows, read: Callable[[Fields], Result | None]) -> Gathered:
    """The results of a source whose rows are one scorer's, which is called after the source."""
    group = (scorer_name(rows.source),)
    return gather(rows, lambda whole: [(group, whole.value)], read)[0]
