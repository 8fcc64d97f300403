"""Cases, one scorer's rewards and people's rulings as the rows that other programs read: a function a format.

What a format cannot hold is left out and counted, never changed in silence. Sources are named at each function.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.rules import REWARDS, transform
from scoring.evaluation.step_rewards import StepLabels, align, first_rows
from scoring.evaluation.verdicts import Decision, ProvidedVerdicts, Rule
from scoring.formats.benchmarks import grben, processbench
from scoring.workspace.triage.adjudicated import (
    BEYOND,
    CHANGED,
    CONFIRMED,
    OUTDATED,
    UNFINISHED,
    UNRATED,
    WITHOUT_GOLD,
    adjudicate,
)
from scoring.workspace.triage.words import Annotation

CaseRow = Mapping[str, Any]
"""A row of `scoring.data.schema.CASES`; of METADATA where a function says so."""

# JSON may hold these as they are, yet some readers end a line at them, and a terminal obeys the others.
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029]")
_NUMBERED = re.compile(r"(.+)-\d+\Z")
_INFINITE = (math.inf, -math.inf)


class ExportedRow(Struct, frozen=True):
    """What became of one case: the row's `value`, None where the format cannot hold it.

    `notes` say what the format could not hold, each with how many of it there were: `("cases left out: no gold", 1)`.
    """

    value: Mapping[str, Any] | None
    notes: tuple[tuple[str, int], ...] = ()


def left_out(why: str) -> ExportedRow:
    """Leave out a case that the format cannot hold."""
    return ExportedRow(None, ((f"cases left out, {why}", 1),))


def json_line(value: Mapping[str, Any]) -> bytes:
    r"""Write the row as UTF-8 on one line, its end included.

    Texts are exact after parsing. What some reader takes for the end of a line (CR, LF, U+0085, U+2028, U+2029 and
    their like) and every other control character stands as its \u escape; all else stands as it is.

    Raises:
        ValueError: a number is not finite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    escaped = _BREAKS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return escaped.encode("utf-8", errors="replace") + b"\n"


def note_sentences(notes: Iterable[tuple[str, int]]) -> list[str]:
    """Put the notes of many rows into sentences, those of the largest number first."""
    count: Counter[str] = Counter()
    for words, number in notes:
        count[words] += number
    return [f"{words[:1].upper()}{words[1:]}: {number:,}" for words, number in count.most_common()]


# -- cases


def processbench_row(case: CaseRow) -> ExportedRow:
    """Write a case as ProcessBench has it: `id, generator, problem, steps, final_answer_correct, label`, 0-based.

    A label of -1 = no error. A reader takes the subset from what stands before the number in the id; where that says
    another one, the row has a key `subset` as well. Source: Zheng et al., arXiv 2412.06559, and `code/run_eval.py` of
    QwenLM/ProcessBench, which reads every key without asking whether it is there: a null stays as null.
    """
    if case["earliest_error"] is None:
        return left_out("no earliest error is labelled")
    row = {name: case[name] for name in ("id", "generator", "problem", "steps", "final_answer_correct")}
    row["label"] = case["earliest_error"]
    numbered = _NUMBERED.match(case["id"])
    if case["subset"] is not None and (numbered is None or numbered[1] != case["subset"]):
        row["subset"] = case["subset"]
    return ExportedRow(row)


def prmbench_row(case: CaseRow) -> ExportedRow:
    """Write a case as PRMBench has it, steps 1-based.

    Rows: `original_question, modified_question, original_process, modified_process, modified_steps, error_steps,
    reason, idx, question, classification`, of the class multi_solutions with a `ground_truth` as well. A reader takes
    the class for the subset; where it is another, the row has a key `domain`. Source: `docs/data_format.md` and
    `mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench, which makes a row's identity of its classification
    and idx.
    """
    if case["error_steps"] is None:
        return left_out("not every step is labelled")
    if case["error_type"] is None:
        return left_out("no error type, of which PRMBench makes ids")
    modified = case["modified_steps"]
    row = {
        "original_question": case["original_problem"],
        "modified_question": case["problem"],
        "original_process": case["original_steps"],
        "modified_process": case["steps"],
        "modified_steps": None if modified is None else [step + 1 for step in modified],
        "error_steps": [step + 1 for step in case["error_steps"]],
        "reason": case["reason"],
        "idx": _bare_id(case),
        "question": case["question"],
        "classification": case["error_type"],
    }
    if case["subset"] not in {None, case["error_type"]}:
        row["domain"] = case["subset"]
    if case["reference_answer"] is not None:
        row["ground_truth"] = case["reference_answer"]
    return ExportedRow(row)


def prmbench_id(case: CaseRow) -> str:
    """Name the case as PRMBench's own loader does: `{classification}_{idx}`, of a twin `correct_{idx}`."""
    plain: str = case["id"]
    unnamed = case["twin_of"] is not None or case["error_type"] is None
    return plain if unnamed else f"{case['error_type']}_{_bare_id(case)}"


def _bare_id(case: CaseRow) -> str:
    plain: str = case["id"]
    return plain.removeprefix(f"{case['error_type']}_")


def trl_row(case: CaseRow) -> ExportedRow:
    """Write a case as stepwise supervision for TRL: `prompt, completions, labels`, a label true where a step is right.

    Where only the earliest error is labelled, the row ends with it, as TRL's own conversion of PRM800K does. Source:
    the dataset formats of huggingface/trl and `trl/experimental/prm/prm_trainer.py`, which needs one label a completion
    and has none for "unknown". A neutral step is called right, and counted.
    """
    steps, earliest, wrong = case["steps"], case["earliest_error"], case["error_steps"]
    if earliest is None:
        return left_out("no earliest error is labelled")
    if earliest >= len(steps):
        return left_out("the earliest error is beyond the last step")
    counts: dict[str, int] = {}
    if wrong is None:
        wrong = [earliest] if earliest >= 0 else []
        kept = steps[: earliest + 1] if earliest >= 0 else steps
        if cut := len(steps) - len(kept):
            counts["cases cut after their earliest error, for what follows is not labelled"] = 1
            counts["steps left out by those cuts"] = cut
        steps = kept
    elif beyond := sum(step >= len(steps) for step in wrong):
        counts["labels left out, for they name a step beyond the last"] = beyond
    if neutral := sum(step < len(steps) for step in case.get("neutral_steps") or ()):
        counts["neutral steps, called right (TRL's own conversion of PRM800K calls them wrong)"] = neutral
    labels = [step not in wrong for step in range(len(steps))]
    return ExportedRow({"prompt": case["problem"], "completions": steps, "labels": labels}, tuple(counts.items()))


def grben_row(case: CaseRow) -> ExportedRow:
    """Write a case as GR-Ben has it, 1-based, -1 = no error; its domain is the subset.

    Rows: `id, domain, generator, problem, steps, label, final_answer_correct, error_type, reason`. Source: README and
    `evaluation/run_prm_eval.py` of spirit-moon-fly/GR-Ben, which sorts the domains and makes folders of them: a row
    without one stops it. Its own file holds null for an error type or reason that is not there. An error type is spelt,
    and a label beyond the last step given, as in the file that it was read from.
    """
    if case["earliest_error"] is None:
        return left_out("no earliest error is labelled")
    if case["subset"] is None:
        return left_out("no subset, which is GR-Ben's domain")
    beyond = case["earliest_error_as_given"]
    row = {
        "id": case["id"],
        "domain": case["subset"],
        "generator": case["generator"],
        "problem": case["problem"],
        "steps": case["steps"],
        "label": _one_based(case["earliest_error"] if beyond is None else beyond),
        "final_answer_correct": case["final_answer_correct"],
        "error_type": case["error_type_as_given"] or case["error_type"],
        "reason": case["reason"],
    }
    return ExportedRow(row)


def _one_based(step: int) -> int:
    return step if step < 0 else step + 1


CASE_FORMATS: dict[str, Callable[[CaseRow], ExportedRow]] = {
    "processbench": processbench_row,
    "prmbench": prmbench_row,
    "trl": trl_row,
    "grben": grben_row,
}
"""Name -> what writes one case."""
_OF_OTHERS = {"processbench": processbench.OF_OTHERS, "grben": grben.OF_OTHERS}
"""Name -> keys that would make its rows those of another format, whose labels may count from another base."""


def case_lines(name: str, cases: pl.DataFrame, metadata: pl.DataFrame | None = None) -> Iterator[ExportedRow]:
    """Write every row of a cases frame (`scoring.data.schema.CASES`).

    `metadata` has the metadata columns of the same rows: each stands as a key of its own, unless the format has a key
    of that name or the value is missing, or infinite, which JSON does not know. One by which a reader would take the
    row for another format's has "meta." before its name.
    """
    of_others = _OF_OTHERS.get(name, frozenset())
    rows = map(CASE_FORMATS[name], cases.iter_rows(named=True))
    if metadata is None or not metadata.width:
        yield from rows
        return
    for row, beside in zip(rows, metadata.iter_rows(named=True), strict=True):
        if row.value is None:
            yield row
            continue
        value, notes = dict(row.value), list(row.notes)
        for key, held in beside.items():
            if held is None or held in _INFINITE:
                continue
            if key in of_others and key not in value:
                renamed = f"values of {key} called meta.{key}, since {key} is a key of another format's rows"
                notes.append((renamed, 1))
                value.setdefault(f"meta.{key}", held)
            else:
                value.setdefault(key, held)
        yield replace(row, value=value, notes=tuple(notes))


# -- what one scorer gave cases


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
    if isinstance(rule, ProvidedVerdicts) or rule.on == REWARDS:
        return rewards
    values: list[float] = transform(rule.on)(np.array(rewards), np.array([0, len(rewards)])).tolist()
    return values


def _on_the_edge(values: list[float], rule: Decision, comparison: str) -> int:
    """How many of what is compared stand exactly on the threshold, if the rule decides them otherwise than this one."""
    if not isinstance(rule, Rule) or rule.comparison == comparison:
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
    if not isinstance(source.rule, ProvidedVerdicts) and source.rule.on != REWARDS:
        return left_out(f"decided on {transform(source.rule.on).plural} of rewards, which GR-Ben does not do")
    if not isinstance(source.rule, ProvidedVerdicts) and source.rule.step != "first":
        return left_out("the verdict is the lowest step, which GR-Ben does not do")
    verdict = next((step for step, reward in enumerate(output.rewards) if reward < threshold), -1)
    row = {
        "id": case["id"],
        **({} if case["subset"] is None else {"domain": case["subset"]}),
        "generator": case["generator"],
        "gt_label": _one_based(case["earliest_error"]),
        "pred_label": _one_based(verdict),
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


# -- what people say of cases

_WHY_LEFT_OUT = {
    WITHOUT_GOLD: "ruled an import problem",
    UNRATED: "ruled gold wrong and no step is rated",
    UNFINISHED: "ruled gold wrong and not every step is rated",
}
_OPEN = ("both defensible", "unsure")
"""Rulings that leave a case its label and yet do not uphold it."""


class CaseAnnotations(Struct, frozen=True):
    """What those say of a case who are listened to; each rules on it or rates a step of it, or did so of another text
    of it, which does not count.

    `adjudication` is one of `scoring.workspace.triage.adjudicated`, and `earliest_error` (0-based, -1 = none) the label
    that people give; None where nobody rules "gold wrong" or "import problem".
    """

    words: tuple[Annotation, ...]
    adjudication: str | None = None
    earliest_error: int | None = None

    @property
    def outdated(self) -> bool:
        """Whether anything was said of another text of the case."""
        return any(person.outdated for person in self.words)

    @property
    def rulings(self) -> frozenset[str]:
        """All rulings on the case."""
        return frozenset(person.ruling for person in self.words if person.ruling is not None)

    def ratings(self, case: CaseRow) -> dict[int, int] | ExportedRow:
        """Return the ratings of the case's steps (0-based, ascending), or say why it is left out.

        What one person rates and another does not counts; where two rate a step differently the case is left out, and
        so is one that anybody rules an import problem.
        """
        if "import problem" in self.rulings:
            return left_out("ruled an import problem")
        pairs = sorted({pair for person in self.words for pair in person.ratings.items()})
        if not pairs:
            return left_out(OUTDATED if self.outdated else "no step is rated")
        ratings = dict(pairs)
        if len(ratings) < len(pairs):
            return left_out("people rate a step differently")
        return left_out(BEYOND) if max(ratings) >= len(case["steps"]) else ratings


def annotations_by_case(words: Iterable[Annotation], cases: pl.DataFrame) -> dict[str, CaseAnnotations]:
    """Gather the cases on which somebody rules or of which somebody rates a step.

    Args:
        words: those of the people who are listened to, those on one case together.
        cases: columns of METADATA.
    """
    of_case = groupby((person for person in words if person.ruling or person.ratings), key=lambda person: person.case)
    spoken = {case: tuple(people) for case, people in of_case}
    adjudicated = adjudicate(spoken, cases).rows
    labels = {case: rest for case, *rest in adjudicated.select("case", "adjudication", "earliest_error").iter_rows()}
    keys = dict(cases.select("case", "key").filter(pl.col("case").is_in(list(spoken))).iter_rows())
    return {
        case: CaseAnnotations(tuple(person.of(keys[case]) for person in people), *labels.get(case, ()))
        for case, people in spoken.items()
        if case in keys
    }


def processbench_after_triage(case: CaseRow, annotations: CaseAnnotations) -> ExportedRow:
    """Write a case as ProcessBench has it, with the label that it has after triage: 0-based, -1 = no error.

    A case that nobody rules wrong keeps its own label; one of "gold wrong" has the label that the ratings of those who
    rule so give it (`scoring.workspace.triage.adjudicated`), and is left out where they give none, differ, or another
    rules otherwise, and where they ruled on another text of the case.
    """
    note = ""
    if not annotations.rulings:
        return left_out(OUTDATED if annotations.outdated else "nobody rules on them")
    if annotations.adjudication in {CHANGED, CONFIRMED}:
        note = "labels that people changed" if case["earliest_error"] != annotations.earliest_error else ""
        case = {**case, "earliest_error": annotations.earliest_error}
    elif annotations.adjudication is not None:
        return left_out(_WHY_LEFT_OUT.get(annotations.adjudication, annotations.adjudication))
    elif annotations.rulings.issubset(_OPEN):
        note = f"cases with their own label, ruled {' or '.join(_OPEN)}"
    row = processbench_row(case)
    return row if row.value is None or not note else replace(row, notes=(*row.notes, (note, 1)))


def prm800k_ratings(case: CaseRow, annotations: CaseAnnotations) -> ExportedRow:
    """Write people's ratings of steps as PRM800K has them: -1 wrong, 0 right without progress, 1 right, null not rated.

    Rows: `labeler, timestamp, is_quality_control_question, is_initial_screening_question, question, label`, with the
    keys that the README of openai/prm800k explains (Lightman et al., arXiv 2305.20050). `generation` is left out: it
    says in which round of theirs a solution was made. Of several people who agree, all are its labeler. A step has one
    completion, the one that was chosen, so that the whole solution comes back. `finish_reason` is `found_error` where a
    step is rated -1, `solution` where every step is rated and none so and the final answer is not known to be wrong,
    else null.
    """
    ratings = annotations.ratings(case)
    if isinstance(ratings, ExportedRow):
        return ratings
    raters = [person for person in annotations.words if person.ratings]
    unrated = len(case["steps"]) - len(ratings)
    solved = not unrated and case["final_answer_correct"] is not False
    steps = [
        {
            "completions": [{"text": text, "rating": ratings.get(step), "flagged": False}],
            "human_completion": None,
            "chosen_completion": 0,
        }
        for step, text in enumerate(case["steps"])
    ]
    row = {
        "labeler": ", ".join(person.who for person in raters),
        "timestamp": max(person.last for person in raters) or None,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": {
            "problem": case["problem"],
            "ground_truth_solution": None,
            "ground_truth_answer": case["reference_answer"],
            "pre_generated_steps": case["steps"],
            "pre_generated_answer": None,
            "pre_generated_verifier_score": None,
        },
        "label": {
            "steps": steps,
            "total_time": None,
            "finish_reason": "found_error" if -1 in ratings.values() else "solution" if solved else None,
        },
    }
    return ExportedRow(row, (("steps without a rating", unrated),) if unrated else ())


def trl_ratings(case: CaseRow, annotations: CaseAnnotations) -> ExportedRow:
    """Write people's ratings of steps as stepwise supervision for TRL, true where a step is right; see `trl_row`.

    A row ends with the last step that is rated, and a case with a gap before that is left out. A neutral step is no
    wrong one, as in PRM800K and as in labels after triage; TRL's own conversion of PRM800K makes it false.
    """
    ratings = annotations.ratings(case)
    if isinstance(ratings, ExportedRow):
        return ratings
    kept = max(ratings) + 1
    if len(ratings) < kept:
        return left_out("a step before the last rated one has no rating")
    row = {
        "prompt": case["problem"],
        "completions": case["steps"][:kept],
        "labels": [ratings[step] != -1 for step in range(kept)],
    }
    counts = {
        "steps left out, after the last that is rated": len(case["steps"]) - kept,
        "neutral steps, called right (TRL's own conversion of PRM800K calls them wrong)": [*ratings.values()].count(0),
    }
    return ExportedRow(row, tuple((words, count) for words, count in counts.items() if count))


TRIAGE_FORMATS: dict[str, Callable[[CaseRow, CaseAnnotations], ExportedRow]] = {
    "processbench": processbench_after_triage,
    "prm800k": prm800k_ratings,
    "trl": trl_ratings,
}
"""Name -> what writes what people say of one case."""


def triage_lines(name: str, cases: pl.DataFrame, words: Iterable[Annotation]) -> Iterator[ExportedRow]:
    """Write every row of a cases frame (`scoring.data.schema.CASES`) that people rule on or rate a step of."""
    annotations = annotations_by_case(words, cases)
    write = TRIAGE_FORMATS[name]
    for row in cases.filter(pl.col("case").is_in(list(annotations))).iter_rows(named=True):
        yield write(row, annotations[row["case"]])
