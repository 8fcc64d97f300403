"""Everything else that is known of a case: where it is from, how it is classed, what its import found."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from rich.cells import cell_len

from inspector.case_view.manner import Stop
from inspector.case_view.open_case import OpenCase
from inspector.case_view.page import StopLine
from inspector.text import cell, clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap
from scoring.errors import DamagedWorkspace
from scoring.workspace import Workspace

ABOVE = frozenset({"n_steps", "earliest_error", "error_steps"})
"""Columns that are told by the steps and their marks."""
OF_GOLD = frozenset(
    {"error_type", "error_category", "error_kind", "pattern", "final_answer_correct", "agreement", "modified_steps"}
)
"""Columns that say something of the labels: hidden with them."""
TOLD = frozenset({"case", "key", "benchmark", "id", "subset", "generator", "origin", "language"}) | OF_GOLD
"""Columns that the lines above tell, and the key, which is for programs: left out of the one line."""
LABEL = 24


def facts_lines(shown: OpenCase) -> Iterator[Line]:
    """One line with the most of it, or a line a fact."""
    manner, facts = shown.manner, known(shown)
    key = manner.keys.of("facts")
    if manner.facts == (Stop("facts") in manner.turned):
        told = manner.dot.join(f"{name} {value}" for name, value in facts.items() if name not in _words_of(TOLD))
        rest = f"  ({key} shows all)"
        line = cell(f"Facts  {told}", max(20, manner.width - cell_len(rest))).rstrip()
        yield StopLine([(line, "dim"), (rest, "dim")], stop=Stop("facts"))
        return
    yield StopLine([("Facts", "strong"), (f"  ({key} folds them)", "dim")], stop=Stop("facts"))
    noticed = {} if manner.blind else {f"import {at}": said for at, said in enumerate(findings_of(shown), 1)}
    for name, value in {**facts, **noticed}.items():
        for number, line in enumerate(wrap(clean(value), max(10, manner.width - LABEL))):
            yield Line([(cell(f"  {name}", LABEL) if number == 0 else " " * LABEL, "dim"), (line, "")])


def known(shown: OpenCase) -> dict[str, str]:
    """Name and value of what is known; nothing of gold where it is hidden."""
    case, texts = shown.case, shown.texts
    labels = {name: value for name, value in case.items() if name not in ABOVE | {"source", "line"}}
    places = {
        "read from": f"{case['source']}:{case['line']}" if case["source"] else None,
        "step_patterns": _numbered(texts["step_patterns"]),
        "modified_steps": ", ".join(map(str, texts["modified_steps"] or [])) or None,
        "original_steps": f"{len(texts['original_steps'])}" if texts["original_steps"] else None,
    }
    # Nobody knows what a column of the user's own tells of the labels.
    own = {} if shown.manner.blind else {name: _words(value) for name, value in shown.metadata.items()}
    first, last = _spelt(labels, blind=shown.manner.blind), _spelt(places, blind=shown.manner.blind)
    return {**first, **{name: value for name, value in own.items() if name not in first | last}, **last}


def _spelt(facts: Mapping[str, Any], *, blind: bool) -> dict[str, str]:
    hidden = OF_GOLD if blind else frozenset()
    return {
        name.replace("_", " "): _words(value)
        for name, value in facts.items()
        if value is not None and name not in hidden
    }


def _words_of(names: frozenset[str]) -> set[str]:
    return {name.replace("_", " ") for name in names}


def _numbered(patterns: list[str] | None) -> str | None:
    """Runs of steps with the same kind of reasoning: `0-2 deduction, 3 analogy`."""
    runs: list[tuple[int, int, str]] = []
    for step, pattern in enumerate(patterns or []):
        if runs and runs[-1][2] == pattern:
            runs[-1] = (runs[-1][0], step, pattern)
        else:
            runs.append((step, step, pattern))
    said = [f"{first if first == last else f'{first}-{last}'} {pattern}" for first, last, pattern in runs]
    return ", ".join(said) or None


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


# -- what the import noticed

Place = tuple[str | None, int | str | None]


def findings_of(shown: OpenCase) -> tuple[str, ...]:
    """A sentence a finding, with its severity; or why they cannot be read."""
    case = shown.case
    try:
        found = _by_place(shown.inspection.selection.workspace, case["benchmark"])
    except DamagedWorkspace as error:
        return (str(error),)
    places = {(case["source"], case["line"]), (case["source"], case["id"])}
    return tuple(dict.fromkeys(sentence for place in places for sentence in found.get(place, ())))


@lru_cache(maxsize=4)
def _by_place(workspace: Workspace, benchmark: str) -> dict[Place, list[str]]:
    """The findings by source and line, and by source and id; those about a whole file are left out.

    Cases are read once, so what is kept here is of the same import as they are.
    """
    found: dict[Place, list[str]] = {}
    for one in workspace.imports(benchmark):
        for finding in one.get("findings", ()):
            sentence = f"{finding['severity']}: {finding['message']}"
            for where in (finding["line"], finding["case"]):
                if where is not None:
                    found.setdefault((finding["source"], where), []).append(sentence)
    return found
