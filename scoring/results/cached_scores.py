r"""Step scores of many solutions a problem, kept without the benchmark: StrictPRMBench's cache and Skywork's inference.

StrictPRMBench's rows have no texts: `benchmark, prm_name, problem_id, candidate_index, step_scores[], is_correct,
n_steps`. Skywork's have no ids: `problem, response, step_rewards[]`, where each line of the response is a step.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.gathered import Gathered, Group, Record, Result, called, case_id, gather
from scoring.results.numbers import numbers, reward_range

TITLE = "Cached step scores"


def recognises(row: Any) -> bool:
    """Whether a row holds step scores of a candidate, by ids or by texts."""
    if not isinstance(row, Mapping):
        return False
    return {"problem_id", "step_scores"} <= row.keys() or {"problem", "response", "step_rewards"} <= row.keys()


def load(rows: Rows) -> list[Foreign]:
    """One Foreign a PRM and collection of problems.

    A candidate's id is `{problem_id}/{candidate_index}`; where no problem of a PRM has any candidate but the first, it
    is the problem's id alone.
    """

    def records(whole: Fields) -> Iterator[tuple[Group, Record]]:
        name = called(whole, "prm_name")
        yield (name, whole.text("benchmark") or ""), whole.value

    return [_foreign(rows.source, found) for found in gather(rows, records, _read)]


def _read(fields: Fields) -> Result | None:
    return _by_ids(fields) if "step_scores" in fields.value else _by_texts(fields)


def _by_ids(fields: Fields) -> Result | None:
    problem = case_id(fields, "problem_id")
    if problem is None:
        return None
    candidate = fields.integer("candidate_index") if fields.value.get("candidate_index") is not None else 0
    if candidate is None:
        fields.note("error", "no-id", "the row's candidate_index is no number that tells it from the others")
        return None
    fields.case = f"{problem}/{candidate}"
    rewards = numbers(fields, "step_scores", required=True)
    n_steps = fields.integer("n_steps") if fields.value.get("n_steps") is not None else None
    if rewards is not None and n_steps is not None and n_steps != len(rewards):
        fields.note("warning", "length-mismatch", f"{len(rewards)} scores, and n_steps is {n_steps}")
    return {
        "subset": fields.text("benchmark"),
        "rewards": rewards,
        "reason": None if rewards else "step_scores is no list of numbers",
        "_problem": problem if candidate == 0 else None,
    }


def _by_texts(fields: Fields) -> Result | None:
    case_id(fields, "id", required=False)
    problem, response = fields.text("problem", required=True), fields.text("response", required=True)
    rewards = numbers(fields, "step_rewards", required=True)
    if problem is None or response is None:
        return None
    steps = response.split("\n")
    reason = None if rewards else "step_rewards is no list of numbers"
    if rewards and len(rewards) != len(steps):
        reason = f"{len(rewards)} rewards for {len(steps)} lines"
        fields.note("warning", "length-mismatch", reason)
        rewards = None
    return {"problem": problem, "steps": steps, "rewards": rewards, "reason": reason}


def _foreign(source: str, found: Gathered) -> Foreign:
    _make_ids(source, found)
    frame = foreign_frame(found.results)
    low, high = reward_range(frame["rewards"].to_list())
    collection = found.group[-1] if len(found.group) > 1 else ""
    return Foreign(
        format=TITLE,
        source=source,
        name=found.name,
        rows=frame,
        read=found.read,
        low=low,
        high=high,
        settings={"benchmark": collection} if collection else {},
        findings=tuple(found.findings),
    )


def _make_ids(source: str, found: Gathered) -> None:
    """Give every candidate the id of its problem alone, where all are the first of theirs; and say which form it is."""
    named = [result for result in found.results if "_problem" in result]
    problems = [result.pop("_problem") for result in named]
    if not named:
        return
    form, why = "{problem_id}/{candidate_index}", "there are candidates beyond the first of a problem"
    if None not in problems:
        form, why = "{problem_id}", "every candidate is the first of its problem"
        for result, problem in zip(named, problems, strict=True):
            result["id"] = problem
    found.findings.append(Finding("note", "made-id", f"the cases' ids are {form}: {why}", source))
