"""A benchmark of the user's own: a Python file, or a module that an installed package names.

The module has what the modules of this package have: `NAME`, what the benchmark is called, and `FORMAT`, how its rows
are declared (`scoring.formats.benchmarks.case_format`). Or, in its place, `load(rows)`, which makes the rows of one
source an `Imported` (`scoring.formats.benchmarks.own` does most of it) and is given all rows at once. With
`recognises(row)` an installed one is found by content as well.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data import own_code
from scoring.data.errors import PluginError
from scoring.data.own_code import OwnCode
from scoring.data.schema import CASES, METADATA, conform, content_key
from scoring.formats.benchmarks.case_format import CaseFormat, Imported
from scoring.formats.reading.fields import Fields, fields_of
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows

GROUP = "prm_inspect.benchmarks"
"""The group of entry points: name -> "module"."""

_NAME = re.compile(r"\w[\w.-]*\Z")
_NEXT = "See scoring/formats/benchmarks/own.py for what a benchmark's module has."


class OwnBenchmark(Struct, frozen=True, eq=False):
    """A module in the place of one of this package."""

    name: str
    code: OwnCode
    module: Any

    def recognises(self, row: Any) -> bool:
        """Return whether a row looks like one of its own; never, where the module cannot tell.

        Raises:
            PluginError: the code raises.
        """
        test = getattr(self.module, "recognises", None)
        with self.code.told("in recognises()"):
            return bool(test is not None and test(row))

    @property
    def form(self) -> CaseFormat | None:
        """How its rows are declared; None where it loads them itself."""
        declared: CaseFormat | None = getattr(self.module, "FORMAT", None)
        return declared

    def load(self, rows: Rows, folder: Path | None = None, beside: Sequence[str] = ()) -> Imported:
        """Read the cases of a source, with a note of who read them; see `CaseFormat.load` for the arguments.

        Raises:
            PluginError: the code raises, or gives something else than cases of this benchmark.
            FrameError: a column is not what it should be.
        """
        with self.code.told("in load()" if self.form is None else "in FORMAT"):
            imported = self.module.load(rows) if self.form is None else self.form.load(rows, folder, beside)
        if not isinstance(imported, Imported):
            raise self._wrong(f"load() gives {type(imported).__name__} and should give Imported")
        if imported.benchmark != self.name:
            raise self._wrong(f"load() gives cases of {imported.benchmark!r} and not of {self.name!r}")
        source = self.code.package or f"sha256 {self.code.digest[:16]}"
        note = Finding("note", "own-benchmark", f"read by {self.code.path.name} ({source})", rows.source)
        columns = CASES if imported.spilled is None else METADATA
        cases = conform(imported.cases, columns, f"cases of {self.name}")
        twins = conform(imported.twins, CASES, f"cases of {self.name}")
        whole = replace(imported, cases=cases, twins=twins, findings=(note, *imported.findings))
        return whole.subsets_told_apart()

    def _wrong(self, what: str) -> PluginError:
        return PluginError(f"{self.code.path}: {what}.", _NEXT)


def own_benchmark(name: str, taken: Sequence[str]) -> OwnBenchmark | None:
    """Return the benchmark in the file of this path, or the one installed under this name; None if nothing is.

    Raises:
        PluginError: it cannot be imported or lacks something, or its name is one of those `taken`.
    """
    if own_code.is_file(name):
        code = own_code.from_file(Path(name))
        return _benchmark(code, code.module, taken)
    entry = own_code.installed(GROUP).get(name)
    if entry is None:
        return None
    code, module = own_code.from_entry_point(entry)
    return _benchmark(code, module, taken)


def _benchmark(code: OwnCode, module: Any, taken: Sequence[str]) -> OwnBenchmark:
    missing = [] if hasattr(module, "NAME") else ["NAME"]
    missing += [] if hasattr(module, "FORMAT") or hasattr(module, "load") else ["FORMAT, no load"]
    if missing:
        raise PluginError(f"{code.path} has no {', no '.join(missing)}.", _NEXT)
    form = getattr(module, "FORMAT", None)
    if form is not None and not isinstance(form, CaseFormat):
        raise PluginError(f"{code.path}: FORMAT is {type(form).__name__} and should be CaseFormat.", _NEXT)
    if form is not None and form.name != module.NAME:
        raise PluginError(f"{code.path}: FORMAT is of {form.name!r} and NAME is {module.NAME!r}.", _NEXT)
    name = module.NAME
    # It becomes the name of a folder.
    if not isinstance(name, str) or not _NAME.match(name):
        raise PluginError(f"{code.path}: NAME is {name!r}; letters, digits, - and . make a name.", _NEXT)
    if name in taken:
        raise PluginError(f"{code.path}: {name!r} is a benchmark that is known here.", "Give NAME another value.")
    return OwnBenchmark(name, code, module)


# -- rows that code of the user's own reads field by field, and what it says about all of them in the end


class ByField(Struct, frozen=True, eq=False):
    """Reads one source; a format makes a new one for each, so that it may count what it sees.

    `case_of` makes a row's fields a case or None; `concluded` is asked last, with all cases' metadata and the source,
    how the labels were read and what only all cases together show; `identify` gives a row's id.
    """

    case_of: Callable[[Fields], dict[str, Any] | None]
    concluded: Callable[[pl.DataFrame, str], tuple[str, list[Finding]]]
    identify: Callable[[Fields], str] = Fields.identifier

    def load(self, name: str, rows: Rows) -> Imported:
        """Read all rows of a source as the cases of the benchmark of this name."""
        findings = list(rows.findings)
        frame = cases_frame(name, rows.source, each_case(rows, findings, self.case_of, self.identify))
        label_base, noticed = self.concluded(frame, rows.source)
        return Imported(name, rows.source, rows.format, label_base, rows.read, frame, tuple(findings + noticed))


def each_case(
    rows: Rows,
    findings: list[Finding],
    read: Callable[[Fields], dict[str, Any] | None],
    identify: Callable[[Fields], str] = Fields.identifier,
) -> Iterator[dict[str, Any]]:
    """Yield what `read` makes of every row that is an object, with `id` and `line`; None and fatal rows are left out.

    `rows.cases` names the rows that are given. Ids, which `identify` gives where they are more than the field `id`, are
    unique: the first row with an id counts, any other becomes a finding.
    """
    seen: dict[str, Fields] = {}
    rows.cases.clear()
    for row in rows.rows:
        fields = fields_of(row, rows.source, findings, identify)
        case = None if fields is None else read(fields)
        if fields is None or case is None or fields.fatal:
            continue
        case = {**case, "id": fields.case, "line": fields.line}
        first = seen.setdefault(case["id"], fields)
        if first is fields:
            rows.cases.append(row.number)
            yield case
        else:
            place = f"row {first.number} on line {first.line}"
            fields.note("error", "repeated-id", f"the id is that of {place}; the first one counts")


def cases_frame(benchmark: str, source: str, cases: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Make the cases frame of rows that hold at least id, problem, steps, earliest_error and line.

    Fills in `case`, `key`, `benchmark`, `n_steps` and `source`; absent columns are null.
    """
    rows = [
        {
            **case,
            "case": f"{benchmark}/{case['id']}",
            "key": content_key(case["problem"], case["steps"]),
            "benchmark": benchmark,
            "n_steps": len(case["steps"]),
            "source": source,
        }
        for case in cases
    ]
    return pl.DataFrame(rows, schema=CASES, orient="row") if rows else pl.DataFrame(schema=CASES)
