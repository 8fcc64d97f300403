"""ToolPRMBench: two actions after the same history of an agent that uses tools, of which one is the better.

"ToolPRMBench", arXiv 2601.12294; fields as its data card has them. Its files,
`prmbench_{GTA,bfcl,tooltalk,ToolSandbox}.json`, are lists of `history[{role, content}], action_chosen, action_rejected,
functions` and more.

A row becomes two cases of one problem, each with one step: the rejected action, whose step is wrong, and the chosen
one. What a scorer prefers is then best-of-N of two (`best-of-n`, prm@2). The rejected one stands first, so that equal
scores count as no preference for the chosen one: what the benchmark itself makes of ties is not known here. The
history is the context of both, and what the user said last the problem.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

import polars as pl

from scoring.data.schema import STEP_INDEX, TEXTS
from scoring.formats.benchmarks.case_format import CaseFormat, ReadSource
from scoring.formats.benchmarks.trajectories import context_message, sound_text, turn_text
from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.fields import Fields, Layout, as_made, identifier, kind_of, solution, text
from scoring.formats.reading.findings import Finding

NAME = "toolprmbench"

ACTIONS = {"rejected": "action_rejected", "chosen": "action_chosen"}
"""What a case is called after -> its field, in the order of the cases."""
_WHICH, _PAIR = "(which)", "(pair)"
_OF_THE_BENCHMARK = re.compile(r"\Aprmbench_")


def recognises(row: Any) -> bool:
    """Return whether a row has a history and two actions after it."""
    return isinstance(row, Mapping) and {"history", *ACTIONS.values()} <= row.keys()


def _both(fields: Fields) -> Iterator[Mapping[str, Any]]:
    """A record of each action, which of the two it is, and the pair's name."""
    yield from ({**fields.value, _WHICH: which, _PAIR: fields.row_name()} for which in ACTIONS)


def _identify(fields: Fields) -> str:
    return f"{fields.value.get(_PAIR, fields.row_name())}/{fields.value.get(_WHICH, '')}"


def _flat(fields: Fields) -> Mapping[str, Any] | None:
    history, which = fields.value.get("history"), fields.value.get(_WHICH)
    if not isinstance(history, list):
        fields.note("error", "wrong-type", f"history is {kind_of(history)}, not a list")
        return None
    action = fields.value.get(ACTIONS[which]) if which in ACTIONS else None
    words = turn_text(action)
    context = [context_message(fields, message) for message in history]
    users = [message["text"] for message in context if message["role"] == "user"]
    return {
        **fields.value,
        "problem": users[-1] if users else context[-1]["text"] if context else None,
        "steps": [sound_text(fields, "action", words)] if words.strip() else [],
        "context": context,
        "places": [len(context)],
        "wrong": which == "rejected",
        "pair": fields.value.get(_PAIR),
        "subset": _OF_THE_BENCHMARK.sub("", PurePath(plain_name(fields.source)).stem),
        "kind": sound_text(fields, "error type", fields.value.get("error type")) if which == "rejected" else None,
    }


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    return "each row is two cases of one step: the rejected action is wrong, the chosen one is right", read.findings


_FIRST = pl.when(pl.col("wrong")).then(0).otherwise(-1)
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "problem": text(required=True),
            "steps": solution(),
            "context": as_made(TEXTS["context"]),
            "places": as_made(pl.List(STEP_INDEX)),
            "wrong": as_made(pl.Boolean()),
            **{name: as_made(pl.String()) for name in ("pair", "subset", "kind")},
        },
        content=("problem", "steps"),
        name=_identify,
        claimed=frozenset({"history", *ACTIONS.values(), "error type", _WHICH, _PAIR}),
        flat=_flat,
    ),
    columns={
        "subset": pl.col("subset"),
        "problem_id": pl.col("pair"),
        "earliest_error": _FIRST,
        "error_steps": pl.when(pl.col("wrong")).then(pl.lit([0])).otherwise(pl.lit([], dtype=pl.List(pl.Int64))),
        "step_messages": pl.col("places"),
        "context": pl.col("context"),
        "error_type": pl.col("kind"),
        # Which of the two is to be chosen: what best-of-N asks.
        "final_answer_correct": ~pl.col("wrong"),
    },
    conclude=_concluded,
    unfold=_both,
)
load = FORMAT.load
