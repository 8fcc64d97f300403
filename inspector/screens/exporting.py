"""What the app exports, and where it goes."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses.board.cells import NOBODY, PUBLISHED
from inspector.analyses.cases import cases
from inspector.analyses.metrics.metrics import metrics
from inspector.analyses.show.show import show
from inspector.render.documents.row_documents import ROWS_ALONE, Document, provenance_beside
from inspector.screens.messages import ENDINGS, Export
from inspector.state.case_list.listed import cleared, searched
from inspector.state.screen_state import ScreenState
from inspector.state.subject import every_benchmark
from scoring.data.storage.files import expand_home, unwritable
from scoring.evaluation.single_case import verdict_of
from scoring.evaluation.verdicts import OUTCOMES
from scoring.selection.result_set import ResultSet

LONGEST_NAME = 80
"""Characters of a file's name: far fewer than any file system takes, in any encoding."""


def export_document(state: ScreenState, export: Export) -> Document:
    """Return the table on screen as a document: board, cases or one case; or the metrics behind the board or list."""
    if export.make is not None:
        return export.make(export.form)
    if export.what == "cases":
        return cases_of(state, export.form)
    if export.what == "case":
        case = state.cases["case"][export.row]
        # Its command does not search, and counts what is left out without that.
        return show.view(_of_list(searched(state, None)), Params("", {"case": case}, export.form))
    # The filter of the list of cases does not touch the board.
    behind = cleared(state) if export.what == "all-metrics" else state
    return metrics.view(every_benchmark(behind), Params(form=export.form))


def cases_of(state: ScreenState, form: str) -> Document:
    """Return the cases that are listed."""
    return cases.view(_of_list(state), Params(form=form))


def _of_list(state: ScreenState) -> ResultSet:
    """What is listed, as the command that makes it again selects it."""
    results = state.results
    return replace(results, query=results.query.of(results.query.scorers))


def report_of(state: ScreenState, form: str) -> Document:
    """Return a report of the cases that the headline speaks of, by all scorers, in `html` or `markdown`."""
    from inspector.analyses.report.document import report_document

    return report_document(every_benchmark(state), form=form)


def file_name(state: ScreenState, export: Export) -> str:
    """Name a file: after the benchmark and the table, or after its one case."""
    what = "metrics" if export.what == "all-metrics" else export.what
    stem = f"{state.focus.benchmark or 'cases'}-{what}"
    if export.what in {"case", "variants"}:
        stem = state.cases["case"][export.row] + ("-variants" if export.what == "variants" else "")
    plain = re.sub(r"[^\w.-]+", "-", stem).strip("-.")[:LONGEST_NAME] or "case"
    return f"{plain}.{ENDINGS[export.form]}"


def export_path(folder: Path, name: str, into: str = "") -> Path:
    """Return where a file called `name` goes: `into` this file or folder, else into `folder`.

    Nothing is written over: where there is a `bench.csv`, or the provenance of one, it is `bench-2.csv`, and so on.

    Raises:
        UnwritableWorkspace: nobody may look there, or there can be no such name.
    """
    path = folder / (expand_home(into) if into else name)
    try:
        if into and (into.endswith("/") or path.is_dir()):
            path /= name
        number, free, rows_alone = 1, path, name.rpartition(".")[2] in ROWS_ALONE
        while free.exists() or (rows_alone and provenance_beside(free).exists()):
            number += 1
            free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    except OSError as error:
        raise unwritable(path, error) from error
    return free


# -- the facts of a row that people paste elsewhere: one line of JSON, with the command that shows the rest


PLACES = 6
"""Digits after the point of a reward."""


def case_facts(state: ScreenState, row: int, *, blind: bool = False) -> str:
    """Write a case through the scorer in focus, as one line of JSON; steps are 0-based, -1 is "no error".

    Nothing of gold labels and verdicts where these are hidden.
    """
    name = state.cases["case"][row]
    facts: dict[str, Any] = {"case": name}
    for column in ("subset", "generator", "n_steps", *(() if blind else ("earliest_error",))):
        facts[column] = state.cases[column][row]
    evaluation = state.evaluation
    if evaluation is not None:
        rewards = evaluation.rewards.of(row)
        facts["scorer"] = evaluation.scorer.name
        if not blind:
            facts["outcome"] = OUTCOMES[evaluation.codes[row]]
            facts["verdict"] = verdict_of(evaluation, row)
        facts["threshold"] = evaluation.rule.threshold_of(row)
        facts["rewards"] = None if rewards is None else [round(float(reward), PLACES) for reward in rewards]
    facts["command"] = _of_list(state).query.command("show", name)
    return _line(facts)


def score_facts(state: ScreenState, row: Mapping[str, Any]) -> str:
    """Write a row of the board as one line of JSON; scores are fractions, and a printed figure names its paper."""
    names = (
        "scorer",
        "benchmark",
        "subset",
        "metric",
        "score",
        "low",
        "high",
        "over",
        "reason",
        "threshold",
        "threshold_source",
    )
    facts = {name: row[name] for name in (*names, "scored", "cases", *OUTCOMES) if row[name] is not None}
    if row["kind"] == PUBLISHED:
        return _line({**facts, "about": row["about"], "command": f"prm-inspect paper {row['benchmark']}"})
    if row["kind"] == NOBODY:
        return _line({**facts, "scorer": None, "command": every_benchmark(cleared(state)).query.command("cases")})
    query = every_benchmark(cleared(state)).query.of((row["scorer"],))
    return _line({**facts, "command": query.command("metrics")})


def _line(facts: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in facts.items() if value is not None}, ensure_ascii=False)
