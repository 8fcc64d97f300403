"""What a named source holds: a benchmark's cases, scorers' results, or both in one table. Told by its content."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path

from scoring.benchmarks import catalogue as benchmarks
from scoring.benchmarks.imported import Imported
from scoring.benchmarks.large import is_large, load_large, sample
from scoring.errors import UnknownFormat, UsageError
from scoring.reading.csv_rows import FORMATS
from scoring.reading.file_bytes import printable
from scoring.reading.files_in import place
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows, read_rows
from scoring.results import catalogue as results
from scoring.results import inspect_log
from scoring.results.foreign import Foreign
from scoring.tables import cases as table
from scoring.tables.column_guess import guess, guess_step_rows, rewards_beside
from scoring.tables.column_mapping import ColumnMapping
from scoring.tables.results import results as table_results
from scoring.tables.step_rows import gathered_steps

HUB = "hf:"
_SAMPLE = 100
_KEYS = 12
_MAPPING = {"format", *(field.name for field in fields(ColumnMapping))}


@dataclass(frozen=True, eq=False)
class Source:
    """What one source holds; `mapping` is how it was read, where it is a table."""

    imported: tuple[Imported, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    mapping: ColumnMapping | None = None


def read_source(
    source: str,
    *,
    benchmark: str | None = None,
    mapping: ColumnMapping | None = None,
    table: str | None = None,
    spill: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Source:
    """Read one source: a file's path or `hf:NAME`.

    Args:
        source: what to read.
        benchmark: read it as this benchmark's rows, whatever its content looks like; a name, or the path of a Python
            file (see `scoring.benchmarks.own`).
        mapping: read it as a table with these columns.
        table: what the benchmark of a table is called, whatever its mapping or its file says.
        spill: where the texts of a source that is too large for memory go. None = they are thrown away.
        progress: hears how many bytes of a source that is too large for memory are read.

    Raises:
        InputError: it cannot be read, or nothing recognises it.
        UsageError: there is no such benchmark, the mapping does not fit, or a table would be called like a benchmark.
    """
    if table in benchmarks.MODULES:
        raise UsageError(f"{table!r} is the name of a benchmark that is known here.", "Give the table another name.")
    path = Path(source)
    mapping = mapping and replace(mapping, benchmark=table or mapping.benchmark)
    if source.startswith(HUB):
        from scoring.reading.hub import hub_rows

        return _of(hub_rows(source.removeprefix(HUB)), benchmark, mapping, table)
    if _is_log(path):
        return Source(foreign=tuple(inspect_log.load_file(path)))
    if mapping is None and is_large(path):
        first_rows = sample(path)
        kind, name = ("benchmark", benchmark) if benchmark else recognised(first_rows)
        known = kind == "benchmark" and name in benchmarks.MODULES
        module = benchmarks.benchmark_module(name) if known and name else None
        if module is not None and hasattr(module, "PLAIN") and rewards_beside(first_rows) is None:
            return _placed(Source((load_large(path, module, spill, progress=progress),)), path)
    return _placed(_of(read_rows(path), benchmark, mapping, table), path)


def recognised(rows: Rows) -> tuple[str, str | None]:
    """(`benchmark` or `results`, its name) of the format that recognises most of a hundred rows; or (`table`, None)."""
    values = [row.value for row in rows.rows[:: len(rows.rows) // _SAMPLE + 1]]
    # Results that repeat their benchmark's fields are recognised by both, so they are asked first.
    votes = {("results", name): count for name, count in results.recognised(values).items()}
    votes |= {("benchmark", name): count for name, count in benchmarks.recognised(values).items()}
    if not any(votes.values()):
        votes |= {("benchmark", name): count for name, count in benchmarks.recognised_by_installed(values).items()}
    best = max(votes, key=lambda name: votes[name])
    return best if votes[best] else ("table", None)


def _of(rows: Rows, benchmark: str | None, mapping: ColumnMapping | None, called: str | None) -> Source:
    if mapping is not None:
        return _table(rows, mapping)
    if benchmark is not None:
        return _benchmark(rows, benchmark)
    # The cells of CSV are all texts: only a table's reader knows how to take lists and numbers out of them.
    kind, name = ("table", None) if rows.format in FORMATS.values() else recognised(rows)
    if name is None and _is_mapping(rows):
        raise UnknownFormat(f"{rows.source} is a mapping and holds no rows.", "Give it with --mapping FILE.")
    if name is None:
        guessed = guess(rows)
        if guessed is None and (by_step := guess_step_rows(rows)):
            step, guessed = by_step
            rows = gathered_steps(rows, str(guessed.id), step, list(guessed.rewards.values()))
        if guessed is None:
            raise _unknown(rows)
        return _guessed(rows, replace(guessed, benchmark=called or guessed.benchmark))
    if kind == "benchmark":
        return _benchmark(rows, name)
    return Source(foreign=tuple(results.load_results(name, rows)))


def _benchmark(rows: Rows, name: str) -> Source:
    """The cases of a benchmark, and the step rewards that somebody put beside them."""
    imported = benchmarks.reader(name)(rows)
    mapping = rewards_beside(rows)
    if mapping is None:
        return Source((imported,))
    scorers = table_results(rows, replace(mapping, benchmark=imported.benchmark))
    return Source((imported,), tuple(_noted(mapping, scorer) for scorer in scorers))


def _is_mapping(rows: Rows) -> bool:
    """Whether a file is one that says which column of a table is what."""
    value = rows.rows[0].value if len(rows.rows) == 1 else None
    return isinstance(value, dict) and "format" in value and value.keys() <= _MAPPING


def _table(rows: Rows, mapping: ColumnMapping) -> Source:
    """The cases of a table, if the mapping says where they are, and the results that it names."""
    if mapping.benchmark is None:
        name = table.table_name(rows.source)
        # A file that happens to be called after a benchmark is not that benchmark.
        mapping = replace(mapping, benchmark=f"{name}-table" if name in benchmarks.MODULES else name)
    cases = (table.load(rows, mapping),) if mapping.problem is not None and mapping.steps is not None else ()
    told = bool(mapping.rewards or mapping.verdicts)
    return Source(cases, tuple(table_results(rows, mapping)) if told or not cases else (), mapping)


def _guessed(rows: Rows, mapping: ColumnMapping) -> Source:
    """The same with a mapping that nobody stated, which is said."""
    message = "which column is what was guessed by name and content; state it with --mapping FILE"
    noticed = Finding("note", "guessed-columns", message, rows.source)
    source = _table(rows, mapping)
    if not source.imported:
        return replace(source, foreign=tuple(_noted(mapping, scorer) for scorer in source.foreign))
    return replace(source, imported=tuple(replace(one, findings=(noticed, *one.findings)) for one in source.imported))


def _noted(mapping: ColumnMapping, foreign: Foreign) -> Foreign:
    """The same with the note which column was guessed."""
    column = printable(mapping.rewards.get(foreign.name, foreign.name))
    message = f"the column {column!r} was taken for step rewards by its name and content; state it with --mapping FILE"
    return replace(foreign, findings=(Finding("note", "guessed-columns", message, foreign.source), *foreign.findings))


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


def _placed(source: Source, path: Path) -> Source:
    """The source with the real path of its file, so that its rows can be looked up later."""
    return replace(source, imported=tuple(replace(one, path=place(path)) for one in source.imported))


def _unknown(rows: Rows) -> UnknownFormat:
    values: list[object] = [row.value for row in rows.rows[:_SAMPLE]]
    keys = list(dict.fromkeys(str(key) for value in values if isinstance(value, dict) for key in value))
    more = f" and {len(keys) - _KEYS} more" if len(keys) > _KEYS else ""
    named = ", ".join(key[:40] for key in keys[:_KEYS])
    nothing = "its rows are no objects" if values else "it holds no rows"
    seen = f"its rows have the keys {named}{more}" if keys else nothing
    known = ", ".join((*benchmarks.MODULES, *results.MODULES))
    return UnknownFormat(
        f"{rows.source} is none of the formats known here; {seen}.",
        f"Say which column is what with --mapping FILE. Known formats: {known}.",
    )
