"""The benchmarks this program reads, as a table of names; a module is imported when its name is used."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from scoring.benchmarks.imported import Imported
from scoring.benchmarks.rows import Rows, read_rows
from scoring.errors import UnknownFormat, UsageError

MODULES: dict[str, str] = {
    "processbench": "scoring.benchmarks.processbench",
    "prmbench": "scoring.benchmarks.prmbench",
    "socratic": "scoring.benchmarks.socratic",
    "grben": "scoring.benchmarks.grben",
    "mrmath": "scoring.benchmarks.mrmath",
    "prm800k": "scoring.benchmarks.prm800k",
    "stepwise": "scoring.benchmarks.stepwise",
    "math_shepherd": "scoring.benchmarks.math_shepherd",
    "demo": "scoring.benchmarks.demo",
}
"""Name -> module with NAME, TITLE, PAPER, LICENCE, recognises(row) and load(rows). Order is the order of detection."""
_SAMPLE = 100
_KEYS = 12


def benchmark_module(name: str) -> ModuleType:
    """The module of a benchmark.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in MODULES:
        raise UsageError(f"there is no benchmark {name!r}.", f"Known are {', '.join(MODULES)}.")
    return import_module(MODULES[name])


def detect(rows: Rows) -> str:
    """The benchmark of the rows, from their content: the one that recognises most of a hundred of them.

    Raises:
        UnknownFormat: none recognises any; the keys seen are named.
    """
    sample = [row.value for row in rows.rows[:: len(rows.rows) // _SAMPLE + 1]]
    votes = {name: sum(map(benchmark_module(name).recognises, sample)) for name in MODULES}
    best = max(votes, key=lambda name: votes[name])
    if votes[best]:
        return best
    keys = list(dict.fromkeys(str(key) for value in sample if isinstance(value, dict) for key in value))
    more = f" and {len(keys) - _KEYS} more" if len(keys) > _KEYS else ""
    named = ", ".join(key[:40] for key in keys[:_KEYS])
    nothing = "its rows are no objects" if sample else "it holds no rows"
    seen = f"its rows have the keys {named}{more}" if keys else nothing
    raise UnknownFormat(f"{rows.source} is none of the benchmarks known here; {seen}.", f"Known: {', '.join(MODULES)}.")


def import_source(source: str, benchmark: str | None = None) -> Imported:
    """Read one source, a file's path or `hf:NAME`, as the given benchmark or the one its content shows.

    Raises:
        InputError: it cannot be read, or nothing recognises it.
    """
    if source.startswith("hf:"):
        from scoring.benchmarks.hub import hub_rows

        rows = hub_rows(source.removeprefix("hf:"))
    else:
        rows = read_rows(Path(source))
    loaded: Imported = benchmark_module(benchmark or detect(rows)).load(rows)
    return loaded
