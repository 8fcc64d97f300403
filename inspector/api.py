"""What a notebook or a script imports of the inspector: the answers of its analyses.

    from inspector.api import analysis

    view = analysis(".prm-inspect", "compare", scorers=["prm-a", "prm-b"], benchmark="processbench")
    view.rows                    # a polars frame: the rows of `prm-inspect compare --json`, unrounded
    view.provenance              # how they came to be, and the command that gives them
    view                         # in a notebook: the tables that people see
    view.render("latex")         # or markdown, html, csv, json, jsonl

A file of one's own that holds an analysis imports from here what it is made of: `define_analysis`, `View`, `table`,
`text` and so on; `--plugin FILE.py` makes it a command.

Values are fractions, steps are 0-based, -1 means that no step is wrong. What is expected to go wrong raises one of
`scoring.data.errors.InspectError`, whose text says what to do next.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from inspector.analyses import Option, Page, Params, load
from inspector.analyses import analysis as define_analysis
from inspector.analyses._own import load_own
from inspector.render.analysis_list import summaries
from inspector.render.blocks import Note, Section
from inspector.render.table_blocks import Cell, Column, Kind, count, figure, points, table, text
from inspector.render.view import View
from inspector.state.provenance import provenance
from scoring.api import Names
from scoring.data.errors import UsageError
from scoring.selection.query import Query

__all__ = [
    "Cell",
    "Column",
    "Kind",
    "Note",
    "Option",
    "Page",
    "Params",
    "Section",
    "View",
    "analyses",
    "analysis",
    "count",
    "define_analysis",
    "figure",
    "points",
    "provenance",
    "table",
    "text",
]


def __dir__() -> list[str]:
    """List what this module is imported for, not what it imports."""
    return __all__


_ARGUMENTS = frozenset({"workspace", "benchmarks", "subsets", "thresholds", "plugins"})
"""Fields of a query that are arguments under another name, or the first one."""


def analyses() -> dict[str, str]:
    """Return the names of all analyses, each with what it tells in a line."""
    return summaries()


def analysis(
    workspace: str | Path,
    name: str,
    *,
    page: str = "",
    scorers: Names = (),
    benchmark: Names = (),
    subset: Names = (),
    where: Names = (),
    by: Names = (),
    threshold: float | str | Mapping[str, float | str] | None = None,
    intervals: bool = True,
    options: Mapping[str, Any] | None = None,
    plugin: Names = (),
    **fields: Any,
) -> View:
    """Answer a question about a workspace.

    Args:
        workspace: its folder.
        name: of the analysis, as its command is called: one of `analyses()`.
        page: one of its pages, such as `cascade` of `compare`; "" = the first.
        scorers: who is asked about; () = all.
        benchmark: on which benchmarks; () = all.
        subset: on which subsets.
        where: SQL conditions on the cases.
        by: columns to group `metrics` by.
        threshold: a number, `default`, `best`, `dev` or `from:SUBSET`, for every scorer or by scorer.
        intervals: with what takes resamples; without, `low` and `high` are null.
        options: what it can be told, by the names of the flags of its command: `baseline` of `check`, `flips` of
            `thresholds` page `flips`.
        plugin: Python files of your own: analyses, rules, metrics, columns.
        fields: further fields of `scoring.selection.query.Query`, such as `seed`, `protocol` and `unparsed`.

    Raises:
        UsageError: there is no such analysis, page, option, scorer or column, or nothing to answer.
        NoWorkspace: there is no workspace in the folder.
        FilterError: a condition cannot be read.
        PluginError: a file of your own cannot be used.
    """
    load_own(_several(plugin))
    if name not in summaries():
        near = get_close_matches(name, summaries(), n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"there is no analysis {name!r}.", f"{meant}There are: {', '.join(summaries())}.")
    unknown = sorted(fields.keys() - set(Query.__struct_fields__) | fields.keys() & _ARGUMENTS)
    if unknown:
        raise UsageError(f"an analysis cannot be told {unknown[0]!r}.", "See help(inspector.api.analysis).")
    each = threshold if isinstance(threshold, Mapping) else {} if threshold is None else {None: threshold}
    query = Query(
        workspace=str(workspace),
        scorers=_several(scorers),
        benchmarks=_several(benchmark),
        subsets=_several(subset),
        where=_several(where),
        by=_several(by),
        plugins=_several(plugin),
        thresholds=tuple((scorer, str(value)) for scorer, value in each.items()),
        **fields,
    )
    question, params = load(name), Params(page, options or {})
    return question.view(question.load(query, params), params, intervals=intervals)


def _several(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
