"""What a named source holds: a benchmark's cases, scorers' results, or both in one table. Told by its content."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from scoring.benchmarks import catalogue as benchmarks
from scoring.benchmarks.imported import Imported
from scoring.errors import UnknownFormat, UsageError
from scoring.importing.bringing import Brought, bring
from scoring.importing.metadata import OWN, with_metadata
from scoring.reading.csv_rows import FORMATS
from scoring.reading.file_bytes import printable
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows, read_rows
from scoring.results import catalogue as results
from scoring.results import inspect_log
from scoring.results.foreign import Foreign
from scoring.tables import table
from scoring.tables.column_guess import propose, rewards_beside
from scoring.tables.column_mapping import ColumnMapping
from scoring.tables.results import results as table_results

HUB = "hf:"
_SAMPLE = 100
_KEYS = 12
_A_ROW_A_CASE = """Write a row a case: {"id": "...", "rewards": [...]} on a line of JSON Lines each; with pandas, \
frame.to_json(FILE, orient="records", lines=True)."""
_MAPPING = {"format", *(field.name for field in fields(ColumnMapping))}


@dataclass(frozen=True, eq=False)
class Source:
    """What one source holds; `mapping` is how it was read, where it is a table."""

    imported: tuple[Imported, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    mapping: ColumnMapping | None = None


@dataclass(frozen=True)
class ReadOptions:
    """How sources are to be read.

    Attributes:
        benchmark: Whose rows they are, whatever their content looks like: a name, or the path of a Python file (see
            `scoring.benchmarks.own`).
        mapping: Which column of a table is what, where a person wrote that down.
        columns: What a person said of single columns; the others are found.
        table: What the benchmark of a table is called, whatever its mapping or its file says.
        folder: Where the texts of a source that is too large for memory go. None = they stay there.
        progress: Hears how many bytes of a file are read.
    """

    benchmark: str | None = None
    mapping: ColumnMapping | None = None
    columns: ColumnMapping | None = None
    table: str | None = None
    folder: Path | None = None
    progress: Callable[[int], None] = lambda _: None


def read_source(source: str | Brought, options: ReadOptions | None = None) -> Source:
    """Read one source: a file that was brought, `hf:NAME`, or a word that stands for one file.

    Raises:
        InputError: it cannot be read, or nothing recognises it.
        UsageError: there is no such benchmark, the mapping does not fit, or a table would be called like a benchmark.
    """
    options = options or ReadOptions()
    if options.table in benchmarks.MODULES:
        name = options.table
        raise UsageError(f"{name!r} is the name of a benchmark that is known here.", "Give the table another name.")
    if isinstance(source, Brought):
        return _read(source, options)
    if source.startswith(HUB):
        from scoring.reading.hub import hub_rows

        return _of(hub_rows(source.removeprefix(HUB)), options)
    with TemporaryDirectory(prefix="prm-inspect-") as folder:
        for brought in bring(source, Path(folder)):
            if not brought.alone:
                raise UsageError(f"{source} holds several files.", "Unpack it and name one of them.")
            return _read(brought, options)
    raise AssertionError(source)


def _read(brought: Brought, options: ReadOptions) -> Source:
    if brought.refusal is not None:
        raise brought.refusal
    if _is_log(brought.path):
        return _placed(Source(foreign=tuple(inspect_log.load_file(brought.path, brought.name))), brought)
    rows = read_rows(brought.path, brought.name)
    rows.progress = options.progress
    return _placed(_of(rows, options), brought)


def recognised(rows: Rows) -> tuple[str, str | None]:
    """(`benchmark` or `results`, its name) of the format that recognises most of a hundred rows; or (`table`, None)."""
    first = rows.sample()
    values = first[:: len(first) // _SAMPLE + 1]
    # Results that repeat their benchmark's fields are recognised by both, so they are asked first.
    votes = {("results", name): count for name, count in results.recognised(values).items()}
    votes |= {("benchmark", name): count for name, count in benchmarks.recognised(values).items()}
    if not any(votes.values()):
        votes |= {("benchmark", name): count for name, count in benchmarks.recognised_by_installed(values).items()}
    best = max(votes, key=lambda name: votes[name])
    return best if votes[best] else ("table", None)


def _of(rows: Rows, options: ReadOptions) -> Source:
    stated = options.columns
    if options.mapping is not None:
        mapping = options.mapping if stated is None else options.mapping.overridden(stated)
        return _table(rows, _called(mapping, options.table), options.folder)
    if options.benchmark is not None:
        return _benchmark(rows, options.benchmark, options)
    # The cells of CSV are all texts: only a table's reader knows how to take lists and numbers out of them.
    kind, name = ("table", None) if rows.format in FORMATS.values() else recognised(rows)
    if name is None and _is_mapping(rows):
        raise UnknownFormat(f"{rows.source} is a mapping and holds no rows.", "Give it with --mapping FILE.")
    if kind == "benchmark" and name is not None and not _names_a_table(stated):
        return _benchmark(rows, name, options)
    if kind == "results" and name is not None and stated is None:
        return Source(foreign=tuple(results.load_results(name, rows)))
    proposed = propose(rows, stated)
    if proposed is None:
        raise _unknown(rows)
    return _guessed(rows, _called(proposed, options.table), stated, options.folder)


def _called(mapping: ColumnMapping, name: str | None) -> ColumnMapping:
    """The mapping under the name that a person gave, which is the benchmark's where there are cases.

    Otherwise it is a scorer's, which need not be a folder's.
    """
    has_cases = mapping.problem is not None and mapping.steps is not None
    return replace(mapping, benchmark=name) if name is not None and has_cases else mapping


def _names_a_table(stated: ColumnMapping | None) -> bool:
    """Whether a person named columns that a benchmark's own fields cannot be."""
    return stated is not None and (stated.id is not None or stated.step is not None)


def _benchmark(rows: Rows, name: str, options: ReadOptions) -> Source:
    """The cases of a benchmark, and what somebody put beside them: the named columns, else step rewards."""
    stated = options.columns
    form = benchmarks.case_format(name)
    keys = {} if form is None else form.layout.row_keys()
    steps = keys[form.layout.content[1]] if form is not None and form.layout.content else "steps"
    mapping = stated if stated is not None and stated.scorers else rewards_beside(rows, steps, set(keys.values()))
    beside = () if mapping is None else tuple(column for _, column in mapping.named)
    imported = benchmarks.reader(name)(rows, options.folder, beside)
    if imported.fates is None:
        imported = with_metadata(imported, rows, [*OWN, *beside])
    if mapping is None:
        return Source((imported,))
    mapping = replace(mapping, benchmark=imported.benchmark)
    if form is None:
        # One of the user's own: its cases are told by their texts.
        mapping = replace(mapping, problem="problem", steps="steps")
    scorers = table_results(rows, mapping, form)
    if mapping is not stated:
        scorers = [_noted(mapping, scorer, stated) for scorer in scorers]
    return Source((imported,), tuple(scorers))


def _is_mapping(rows: Rows) -> bool:
    """Whether a file is one that says which column of a table is what."""
    value = rows.rows[0].value if len(rows.sample()) == 1 else None
    return isinstance(value, dict) and "format" in value and value.keys() <= _MAPPING


def _table(rows: Rows, mapping: ColumnMapping, folder: Path | None) -> Source:
    """The cases of a table, if the mapping says where they are, and the results that it names."""
    if mapping.benchmark is None:
        name = table.table_name(rows.source)
        # A file that happens to be called after a benchmark is not that benchmark.
        mapping = replace(mapping, benchmark=f"{name}-table" if name in benchmarks.MODULES else name)
    has_cases = mapping.problem is not None and mapping.steps is not None and mapping.step is None
    cases = (table.load(rows, mapping, folder),) if has_cases else ()
    scorers = tuple(table_results(rows, mapping)) if mapping.scorers or not cases else ()
    return Source(cases, scorers, mapping)


def _guessed(rows: Rows, mapping: ColumnMapping, stated: ColumnMapping | None, folder: Path | None) -> Source:
    """The same with a mapping that nobody stated, or not all of it, which is said."""
    source = _table(rows, mapping, folder)
    if not source.imported:
        return replace(source, foreign=tuple(_noted(mapping, scorer, stated) for scorer in source.foreign))
    message = "which column is what was guessed by name and content; state it with --mapping FILE"
    noticed = Finding("note", "guessed-columns", message, rows.source)
    return replace(source, imported=tuple(replace(one, findings=(noticed, *one.findings)) for one in source.imported))


_FLAGS = {
    "rewards": ("step rewards", "--rewards"),
    "verdicts": ("verdicts", "--verdict"),
    "answers": ("answers", "--answers"),
}


def _noted(mapping: ColumnMapping, foreign: Foreign, stated: ColumnMapping | None) -> Foreign:
    """The same with the note which column was guessed, if one was."""
    for kind, (what, flag) in _FLAGS.items():
        column = getattr(mapping, kind).get(foreign.name)
        if column is None or (stated is not None and foreign.name in getattr(stated, kind)):
            continue
        words = f"the column {printable(column)!r} was taken for {what} by its name and content"
        finding = Finding("note", "guessed-columns", f"{words}; {flag} COLUMN names another", foreign.source)
        return replace(foreign, findings=(finding, *foreign.findings))
    return foreign


def _is_log(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(8)
    except OSError:
        # Reading it in earnest says what is wrong.
        return False
    return inspect_log.recognises_file(head, path)


def _placed(source: Source, brought: Brought) -> Source:
    """The source with the place of its file, so that its rows can be looked up later, and what was noticed before."""
    place = brought.place
    imported = [replace(cases, path=place) for cases in source.imported]
    foreign = [replace(scorer, place=printable(place)) for scorer in source.foreign]
    if imported:
        imported[0] = replace(imported[0], findings=(*brought.findings, *imported[0].findings))
    elif foreign:
        foreign[0] = replace(foreign[0], findings=(*brought.findings, *foreign[0].findings))
    return replace(source, imported=tuple(imported), foreign=tuple(foreign))


def _unknown(rows: Rows) -> UnknownFormat:
    values: list[object] = rows.sample()[:_SAMPLE]
    if shape := _other_shape(values):
        return UnknownFormat(f"{rows.source} is {shape}.", _A_ROW_A_CASE)
    keys = list(dict.fromkeys(str(key) for value in values if isinstance(value, dict) for key in value))
    more = f" and {len(keys) - _KEYS} more" if len(keys) > _KEYS else ""
    named = ", ".join(key[:40] for key in keys[:_KEYS])
    nothing = "its rows are no objects" if values else "it holds no rows"
    seen = f"its rows have the keys {named}{more}" if keys else nothing
    if keys and not any(
        isinstance(part, str | int | dict) for row in values if isinstance(row, dict) for part in row.values()
    ):
        seen += ", and nothing in them says which case a row is of: an id, or problem and steps"
    return UnknownFormat(
        f"{rows.source} is none of the formats known here; {seen}.",
        "Say which column is what with --id, --rewards, --verdict, --answers (results) or --mapping FILE (cases too); "
        "prm-inspect import --help has examples.",
    )


def _other_shape(values: Sequence[object]) -> str:
    """What one object is that holds all rows; "" where rows are rows."""
    if len(values) != 1 or not isinstance(values[0], dict) or not values[0]:
        return ""
    parts = list(values[0].values())
    if all(isinstance(part, dict) for part in parts) and all(set(part) == set(parts[0]) for part in parts):
        return "one object with a column a key, as pandas' to_json writes it unless told otherwise"
    if len(parts) > 1 and all(isinstance(part, list) and part and not isinstance(part[0], dict) for part in parts):
        same = len({len(part) for part in parts}) == 1
        return "one object with a column a key" if same and len(parts) < _KEYS else "one object with an id a key"
    return ""
