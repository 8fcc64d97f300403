"""A critic's answers to one case as they were kept, and what each was read as, in words."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import asdict

from inspector.critique.talk import is_talk, judged_places, told_talk
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.cache import VoteParts
from scoring.schema import VOTES
from scoring.scorer import Scorer

LISTED = ("run", "vote", "ballot", "verdict", "rewards", "redundancy", "reason", "finish_reason",
          "tokens_in", "tokens_out", "seed", "reader")  # fmt: skip
"""What is told of an answer beside its texts, by column of VOTES."""
TEXTS = ("answer", "reasoning")


def kept_answers(selection: Selection, scorer: str, row: int) -> pl.DataFrame:
    """The answers of a scorer to the case in this row, all runs, as VOTES; no row of one that answers nothing.

    Critics answer, and PRMs that generate.
    """
    folder = selection.folders.get(scorer)
    parts = () if folder is None else tuple(path.name for path in VoteParts(folder).parts())
    if folder is None or not parts:
        return pl.DataFrame(schema=VOTES)
    return _read(folder, selection.cases["key"][row], selection.cases["case"][row], parts)


@lru_cache(maxsize=16)
def _read(folder: Path, key: str, case: str, _parts: tuple[str, ...]) -> pl.DataFrame:
    """Read once while the parts are the same: a screen asks again with every key."""
    return VoteParts(folder).answers(key, case)


def said(answer: Mapping[str, Any]) -> str:
    """What one answer was read as, or why it was not."""
    reason, verdict = answer["reason"], answer["verdict"]
    if answer["answer"] is None:
        return str(reason or "no answer is kept")
    if answer["rewards"] is not None:
        rated = f"rates {counted(len(answer['rewards']), 'step')}"
        return f"{rated}: {reason}" if reason else rated
    if verdict is None:
        return f"unparsed: {reason}" if reason else "unparsed"
    return {-1: "no error", -2: "names no step"}.get(verdict, f"step {verdict}")


def measures(answer: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> str:
    """How long an answer is and how it ended, in words; "" where that is not known.

    A server that answers several times at once tells the tokens of all together, on the first: those are of none.
    """
    mates = [one for one in answers if one["run"] == answer["run"] and one["finish_reason"] is not None]
    alone = all(one["tokens_out"] is not None for one in mates)
    told = [counted(answer["tokens_out"], "token")] if answer["tokens_out"] and alone else []
    end = answer["finish_reason"]
    return ", ".join([*told, *([f"ended: {end}"] if end and end != "stop" else [])])


def described(answers: pl.DataFrame, scorer: Scorer, *, texts: bool) -> list[dict[str, Any]]:
    """The answers as objects for a document, with their texts where asked for; those of a talk also call for call."""
    names = (*LISTED, *(TEXTS if texts else ()))
    talks = texts and is_talk(scorer)
    found = []
    for one in answers.iter_rows(named=True):
        told = {"said": said(one), **{name: one[name] for name in names}}
        talk = told_talk(scorer, one["answer"] or "", judged_places(one["logprobs"])) if talks else None
        found.append(told if talk is None else {**told, "talk": [asdict(call) for call in talk]})
    return found
