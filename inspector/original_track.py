"""What the scorer in focus gave to the solution that a case was made of, before errors were put in."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from inspector.selection import Selection
from scoring.cache import BALLOTS, RewardParts, VoteParts
from scoring.evaluation import Evaluation, evaluate
from scoring.gold import Gold
from scoring.schema import METADATA, content_key
from scoring.scorer import Scorer
from scoring.verdicts import AsGiven
from scoring.workspace import Workspace


def original_of(texts: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | None:
    """Problem and steps of a case's original; None where its benchmark gives none.

    A problem that nobody changed may be told once.
    """
    steps = texts["original_steps"]
    return (texts["original_problem"] or texts["problem"], tuple(steps)) if steps else None


def original_evaluation(
    selection: Selection, seen: Evaluation, row: int, original: tuple[str, Sequence[str]]
) -> Evaluation | None:
    """The scorer of `seen` on the original of the case in this row, decided as this case is; it is row 0 there.

    Whoever scored the same problem and steps has scored the original: the twin of this case, that of another one, or a
    clean case. What a file said of this case's own twin goes first. Its gold label is taken to be "no wrong step".
    `original` are its problem and steps. None where the scorer gave nothing to it.
    """
    folder = selection.folders.get(seen.scorer.name)
    if folder is None:
        return None
    key = content_key(*original)
    parts = tuple(path.name for kind in (RewardParts, VoteParts) for path in kind(folder).parts())
    benchmark, case = selection.cases["benchmark"][row], selection.cases["case"][row]
    found = _evaluated(folder, key, len(original[1]), parts, selection.workspace, benchmark, case)
    return None if found is None else decided_alike(found, seen, row)


def decided_alike(found: Evaluation, seen: Evaluation, row: int) -> Evaluation:
    """Decide an evaluation of the same scorer as `seen` decides the case in this row."""
    if isinstance(seen.rule, AsGiven) or isinstance(found.rule, AsGiven):
        return found
    rule = seen.rule.of(row)
    return found.compared(rule.comparison, rule.on, rule.step).at(rule.threshold, rule.source)


@lru_cache(maxsize=32)
def _evaluated(
    folder: Path, key: str, steps: int, _parts: tuple[str, ...], workspace: Workspace, benchmark: str, case: str
) -> Evaluation | None:
    """At the scorer's own threshold; read once while the parts are the same."""
    rewards, votes = RewardParts(folder).of(key), VoteParts(folder).of(key).select(BALLOTS)
    names = pl.concat([rewards["case"], votes["case"]]).unique(maintain_order=True).to_list()
    twins: list[str] = []
    if len(names) > 1:
        every, _ = workspace.cases((benchmark,), twins=True)
        twins = every.filter(pl.col("twin_of") == case)["case"].to_list()
    # Its own twin's results, else those of the content, else those of the first other case of it.
    names.sort(key=lambda name: 0 if name in twins else 1 if name is None else 2)
    told = {"case": (names or [None])[0] or "original", "key": key, "benchmark": "", "id": "", "n_steps": steps}
    original = pl.DataFrame([{**told, "earliest_error": -1, "error_steps": []}], schema=METADATA)
    found = evaluate(Gold(original), Scorer.load(folder), rewards, votes=votes)
    return found if found.present[0] else None
