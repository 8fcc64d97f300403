"""What the scorer in focus gave to the solution that a case was made of, before errors were put in."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from scoring.data.reward_keys import OF_PROBLEMS, further_texts, reward_key
from scoring.data.schema import METADATA, content_key
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.gold import Gold
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import BALLOTS, RewardParts, VoteParts
from scoring.workspace.workspace import Workspace


def original_of(texts: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | None:
    """Return problem and steps of a case's original; None where its benchmark gives none.

    A problem that nobody changed may be told once.
    """
    steps = texts["original_steps"]
    return (texts["original_problem"] or texts["problem"], tuple(steps)) if steps else None


def original_evaluation(
    results: ResultSet, seen: Evaluation, row: int, original: tuple[str, Sequence[str]]
) -> Evaluation | None:
    """Return the scorer of `seen` on the original of this row's case, decided as that is; it is row 0 there.

    Whoever scored the same problem and steps has scored the original: the twin of this case, that of another one, or a
    clean case. A scorer that reads more than these has read the texts of the problem. What a file said of this case's
    own twin goes first. Its gold label is taken to be "no wrong step". `original` are its problem and steps. None where
    the scorer gave nothing to it.
    """
    folder = results.loaded.folders.get(seen.scorer.name)
    if folder is None:
        return None
    texts = results.loaded.texts.row(row)
    of_problem = {name: texts[name] for name in OF_PROBLEMS}
    key = reward_key(content_key(*original), further_texts(seen.scorer.reads, {}, of_problem))
    parts = tuple(path.name for kind in (RewardParts, VoteParts) for path in kind(folder).parts())
    benchmark, case = results.cases["benchmark"][row], results.cases["case"][row]
    evaluation = _evaluated(folder, key, len(original[1]), parts, results.loaded.workspace, benchmark, case)
    return None if evaluation is None else decided_alike(evaluation, seen, row)


def decided_alike(evaluation: Evaluation, seen: Evaluation, row: int) -> Evaluation:
    """Decide an evaluation of the same scorer as `seen` decides the case in this row."""
    if seen.rule.comparing is None or not evaluation.rule.by_threshold:
        return evaluation
    rule = seen.rule.comparing.of(row)
    return evaluation.compared(rule.comparison, rule.on, rule.step).at(rule.threshold, rule.source)


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
    row = {"case": (names or [None])[0] or "original", "key": key, "benchmark": "", "id": "", "n_steps": steps}
    original = pl.DataFrame([{**row, "earliest_error": -1, "error_steps": []}], schema=METADATA)
    evaluation = evaluate(Gold(original), Scorer.load(folder), rewards, votes=votes)
    return evaluation if evaluation.coverage.present[0] else None
