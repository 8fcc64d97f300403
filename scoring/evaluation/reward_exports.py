"""One scorer's rewards as the rows that other programs read: a function a format.

Sources are named at each function.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.reward_transforms import REWARDS, transform
from scoring.evaluation.case_exports import one_based, prmbench_id
from scoring.evaluation.exported_rows import CaseRow, ExportedRow, left_out
from scoring.evaluation.step_rewards import StepLabels, align, first_rows
from scoring.evaluation.verdicts import Decision


class ScorerOutput(Struct, frozen=True):
    """What a scorer gave one case, None where there is nothing of the kind.

    `rewards` and `redundancy` are numbers, one a step, `labels` and `redundancy_labels` the scorer's own decisions,
    which may be more or fewer than the steps and count more than a threshold. `refused` says why the case was tried in
    vain; without it and without the others it was not tried.
    """

    rewards: list[float] | None = None
    redundancy: list[float] | None = None
    labels: list[bool] | None = None
    redundancy_labels: list[bool] | None = None
    refused: str | None = None


class RewardSource(Struct, frozen=True):
    """Which scorer gave the rewards, a critic or a PRM, and how they are decided."""

    scorer: str
    rule: Decision
    critic: bool = False


def scorer_outputs(cases: pl.DataFrame, rewards: pl.DataFrame) -> Iterator[tuple[dict[str, Any], ScorerOutput]]:
    """Yield every case (a row of `scoring.data.schema.METADATA`, in order) with what a rewards frame holds for it.

    What is not whole (a number for every step, numbers finite) is not there.
    """
    aligned = align(cases, rewards)
    joined = cases.hstack(first_rows(cases, rewards).select("redundancy"))
    labels, redundant = _all_labels(aligned.labels), _all_labels(aligned.redundant)
    for index, row in enumerate(joined.iter_rows(named=True)):
        redundancy = row.pop("redundancy")
        if redundancy is not None and len(redundancy) == row["n_steps"]:
            whole = all(value is not None and math.isfinite(value) for value in redundancy)
            redundancy = redundancy if whole else None
        else:
            redundancy = None
        # Labels that give no verdict still judge steps.
        refused = None if index in labels else aligned.reasons[index]
        yield row, ScorerOutput(aligned.of(index), redundancy, labels.get(index), redundant.get(index), refused)


def _all_labels(labels: StepLabels) -> dict[int, list[bool]]:
    """The labels of every row that has some, those beyond the last step too."""
    by_row = {int(row): labels.of(int(row)) or [] for row in labels.has_labels.nonzero()[0]}
    for row, value in zip(labels.beyond.cases.tolist(), labels.beyond.values.tolist(), strict=True):
        by_row[row].append(value)
    return by_row


def _compared(rewards: list[float], rule: Decision) -> list[float]:
    """What the rule compares with its threshold: the rewards of a case, or what is made of them."""
    if not rule.by_threshold or rule.on == REWARDS:
        return rewards
    values: list[float] = transform(rule.on)(np.array(rewards), np.array([0, len(rewards)])).tolist()
    return values


def _on_the_edge(values: list[float], rule: Decision, comparison: str) -> int:
    """How many of what is compared stand exactly on the threshold, if the rule decides them otherwise than this one."""
    if not rule.is_movable or rule.comparison == comparison:
        return 0
    return sum(value == rule.threshold for value in values)


def _without_rewards(output: ScorerOutput) -> ExportedRow:
    return left_out("no step rewards" if output.refused is None else "refused by the scorer")


def grben_details_row(case: CaseRow, output: ScorerOutput, source: RewardSource) -> ExportedRow:
    """Write step rewards as the details of a PRM on GR-Ben, 1-based, -1 = no error; wrong iff below the threshold.

    Rows: `id, domain, generator, gt_label, pred_label, threshold, probs, is_correct_prediction`. Source:
    `evaluation/run_prm_eval.py` and `evaluation/metrics.py` of spirit-moon-fly/GR-Ben. `run_prm_eval.py eval` decides
    anew from `probs`, groups by `domain` where there is one, and takes whatever is no -1 for an error: a case without
    gold, or without rewards, would be counted wrongly and is left out. A label beyond the last step is written as it
    is; GR-Ben's code and this program agree that no verdict equals it.
    """
    if output.rewards is None:
        return _without_rewards(output)
    if case["earliest_error"] is None:
        return left_out("no earliest error is labelled")
    threshold = source.rule.threshold
    if output.labels is not None or threshold is None:
        return left_out("not decided by a threshold on its rewards")
    if source.rule.by_threshold and source.rule.on != REWARDS:
        return left_out(f"decided on {transform(source.rule.on).plural} of rewards, which GR-Ben does not do")
    if source.rule.by_threshold and source.rule.step != "first":
        return left_out("the verdict is the lowest step, which GR-Ben does not do")
    verdict = next((step for step, reward in enumerate(output.rewards) if reward < threshold), -1)
    row = {
        "id": case["id"],
        **({} if case["subset"] is None else {"domain": case["subset"]}),
        "generator": case["generator"],
        "gt_label": one_based(case["earliest_error"]),
        "pred_label": one_based(verdict),
        "threshold": threshold,
        "probs": output.rewards,
        "is_correct_prediction": verdict == case["earliest_error"],
    }
    ties = _on_the_edge(output.rewards, source.rule, "<")
    return ExportedRow(row, (("steps exactly on the threshold, right to GR-Ben", ties),) if ties else ())


def mr_eval_row(case: CaseRow, output: ScorerOutput, source: RewardSource) -> ExportedRow:
    """Write step rewards as a line of a checkpoint of mr_eval, PRMBench's toolkit; right iff above the threshold.

    That is so of a reward, or of what the rule compares in its place, such as its difference from the one before.
    Labels that the scorer gave itself stay as they are. Rows: `task_name, model_name,
    results{scores{step_level_validity_scores, step_level_validity_labels and the same for redundancy}, idx, validity}`;
    of a valid result only prompted judges say `validity`. Source: `mr_eval/models/`,
    `mr_eval/tasks/base_dataset/base_evaluation_dataset.py` and `mr_eval/tasks/prmtest_classified/task.py` of
    ssmisya/PRMBench. It reads a checkpoint whose `model_name` is its own `--model`, counts `validity` false as an
    answer that could not be read, and computes a case that has no line itself.
    """
    results: dict[str, Any] = {"scores": {}, "idx": prmbench_id(case)}
    row = {"task_name": "prmtest_classified", "model_name": source.scorer, "results": results}
    if output.refused is not None:
        results["validity"] = False
        return ExportedRow(row, (("cases marked invalid, refused by the scorer", 1),))
    threshold = source.rule.threshold
    notes = []
    scores = results["scores"]
    if output.rewards is not None:
        scores["step_level_validity_scores"] = output.rewards
    if output.labels is not None:
        scores["step_level_validity_labels"] = output.labels
    elif output.rewards is None:
        return _without_rewards(output)
    elif threshold is None:
        return left_out("not decided by a threshold on its rewards")
    else:
        values = _compared(output.rewards, source.rule)
        scores["step_level_validity_labels"] = [value > threshold for value in values]
        ties = _on_the_edge(values, source.rule, "<=")
        notes = [("steps exactly on the threshold, wrong to mr_eval", ties)] if ties else []
    if output.redundancy is not None:
        scores["step_level_redundancy_scores"] = output.redundancy
    if output.redundancy_labels is not None:
        scores["step_level_redundancy_labels"] = output.redundancy_labels
    elif output.redundancy is not None:
        notes.append(("cases with redundancy scores and no labels, which mr_eval does not decide", 1))
    if source.critic:
        results["validity"] = True
    return ExportedRow(row, tuple(notes))


REWARD_FORMATS: dict[str, Callable[[CaseRow, ScorerOutput, RewardSource], ExportedRow]] = {
    "grben": grben_details_row,
    "mr_eval": mr_eval_row,
}
"""Name -> what writes what a scorer gave one case (a row of METADATA)."""


def reward_lines(name: str, cases: pl.DataFrame, rewards: pl.DataFrame, source: RewardSource) -> Iterator[ExportedRow]:
    """Write every row of a cases frame (its metadata is enough) with a scorer's rewards frame."""
    write = REWARD_FORMATS[name]
    return (write(case, output, source) for case, output in scorer_outputs(cases, rewards))
