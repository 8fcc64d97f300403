"""What is known of a case beside its steps: where it is from, its other columns, and what its import noticed."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from rich.cells import cell_len

from inspector.case_page.open_case import OpenCase, Stop
from inspector.case_page.page import StopLine
from inspector.render.texts.text import cell, clean
from inspector.render.texts.wrap import wrap
from inspector.widgets.line_view import Line
from scoring.data.errors import DamagedWorkspace
from scoring.workspace.workspace import Workspace

ABOVE = frozenset({"n_steps", "earliest_error", "error_steps", "neutral_steps", "step_messages"})
"""Columns that are told by the steps and their marks."""
OF_GOLD = frozenset(
    {"error_type", "error_category", "error_kind", "pattern", "final_answer_correct", "agreement", "modified_steps"}
    | {"neutral_steps", "errors_so_far"}
)
"""Columns that say something of the labels and are told in the lines above."""
BLINDED = OF_GOLD | {"earliest_error_as_given", "error_type_as_given"}
"""Columns that whoever reads blind does not see: those, and labels as the file has them."""
TOLD = frozenset({"case", "key", "benchmark", "id", "subset", "generator", "origin", "language"}) | OF_GOLD
"""Columns that the lines above tell, and the key, which is for programs: left out of the one line."""
LABEL = 24


def facts_lines(case: OpenCase) -> Iterator[Line]:
    """Yield one line with the most of it, or a line a fact."""
    display, facts = case.display, known(case)
    key = display.keys.of("facts")
    if display.facts == (Stop("facts") in display.turned):
        words = display.dot.join(f"{name} {value}" for name, value in facts.items() if name not in _words_of(TOLD))
        rest = f"  ({key} shows all)"
        line = cell(f"Facts  {words}", max(20, display.width - cell_len(rest))).rstrip()
        yield StopLine([(line, "dim"), (rest, "dim")], stop=Stop("facts"))
        return
    yield StopLine([("Facts", "strong"), (f"  ({key} folds them)", "dim")], stop=Stop("facts"))
    noticed = {} if display.blind else {f"import {at}": finding for at, finding in enumerate(findings_of(case), 1)}
    for name, value in {**facts, **noticed}.items():
        for number, line in enumerate(wrap(clean(value), max(10, display.width - LABEL))):
            yield Line([(cell(f"  {name}", LABEL) if number == 0 else " " * LABEL, "dim"), (line, "")])


def known(case: OpenCase) -> dict[str, str]:
    """Return name and value of what is known; nothing of gold where it is hidden."""
    record, texts = case.case, case.texts
    labels = {name: value for name, value in record.items() if name not in ABOVE | {"source", "line"}}
    places = {
        "read from": f"{record['source']}:{record['line']}" if record["source"] else None,
        "step_patterns": _numbered(texts["step_patterns"]),
        "modified_steps": ", ".join(map(str, texts["modified_steps"] or [])) or None,
        "original_steps": f"{len(texts['original_steps'])}" if texts["original_steps"] else None,
    }
    # Nobody knows what a column of the user's own tells of the labels.
    own = {} if case.display.blind else {name: _words(value) for name, value in case.metadata.items()}
    first, last = _spelt(labels, blind=case.display.blind), _spelt(places, blind=case.display.blind)
    return {**first, **{name: value for name, value in own.items() if name not in first | last}, **last}


def _spelt(facts: Mapping[str, Any], *, blind: bool) -> dict[str, str]:
    hidden = BLINDED if blind else frozenset()
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
    words = [f"{first if first == last else f'{first}-{last}'} {pattern}" for first, last, pattern in runs]
    return ", ".join(words) or None


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


# -- what the import noticed

FactPlace = tuple[str | None, int | str | None]


def findings_of(case: OpenCase) -> tuple[str, ...]:
    """Return a sentence a finding, with its severity; or why they cannot be read."""
    record = case.case
    try:
        findings = _by_place(case.state.results.loaded.workspace, record["benchmark"])
    except DamagedWorkspace as error:
        return (str(error),)
    places = {(record["source"], record["line"]), (record["source"], record["id"])}
    return tuple(dict.fromkeys(sentence for place in places for sentence in findings.get(place, ())))


@lru_cache(maxsize=4)
def _by_place(workspace: Workspace, benchmark: str) -> dict[FactPlace, list[str]]:
    """The findings by source and line, and by source and id; those about a whole file are left out.

    Cases are read once, so what is kept here is of the same import as they are.
    """
    findings: dict[FactPlace, list[str]] = {}
    for imported in workspace.imports(benchmark):
        for finding in imported.get("findings", ()):
            sentence = f"{finding['severity']}: {finding['message']}"
            for where in (finding["line"], finding["case"]):
                if where is not None:
                    findings.setdefault((finding["source"], where), []).append(sentence)
    return findings
