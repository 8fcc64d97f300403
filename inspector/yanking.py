"""The facts of a row that people paste elsewhere: one line of JSON, with the command that shows the rest."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from inspector.board_cells import NOBODY, PUBLISHED
from inspector.inspection import Inspection
from scoring.verdicts import OUTCOMES

PLACES = 6
"""Digits after the point of a reward."""


def case_facts(inspection: Inspection, row: int, *, blind: bool = False) -> str:
    """A case through the scorer in focus, as one line of JSON; steps are 0-based, -1 is "no error".

    Nothing of gold labels and verdicts where these are hidden.
    """
    name = inspection.cases["case"][row]
    facts: dict[str, Any] = {"case": name}
    for column in ("subset", "generator", "n_steps", *(() if blind else ("earliest_error",))):
        facts[column] = inspection.cases[column][row]
    evaluation = inspection.evaluation
    if evaluation is not None:
        rewards = evaluation.rewards.of(row)
        facts["scorer"] = evaluation.scorer.name
        if not blind:
            facts["outcome"] = OUTCOMES[evaluation.codes[row]]
            facts["verdict"] = evaluation.verdict_of(row)
        facts["threshold"] = evaluation.threshold_at(row)
        facts["rewards"] = None if rewards is None else [round(float(reward), PLACES) for reward in rewards]
    facts["command"] = inspection.selection.request.command("show", name)
    return _line(facts)


def score_facts(inspection: Inspection, row: Mapping[str, Any]) -> str:
    """A row of the board as one line of JSON; scores are fractions. Of a printed figure nothing here gives it again."""
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
        return _line({**facts, "scorer": None, "command": inspection.cleared().for_metrics().request.command("cases")})
    request = replace(inspection.cleared().for_metrics().request, scorers=(row["scorer"],))
    return _line({**facts, "command": request.command("metrics")})


def _line(facts: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in facts.items() if value is not None}, ensure_ascii=False)
