"""Cases as the rows that other programs read: a function a format.

Sources are named at each function.
"""

import math
import re
from collections.abc import Callable, Iterator

import polars as pl
from msgspec.structs import replace

from scoring.evaluation.exported_rows import CaseRow, ExportedRow, left_out
from scoring.formats.benchmarks import grben, processbench

_NUMBERED = re.compile(r"(.+)-\d+\Z")
_INFINITE = (math.inf, -math.inf)


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
        "label": one_based(case["earliest_error"] if beyond is None else beyond),
        "final_answer_correct": case["final_answer_correct"],
        "error_type": case["error_type_as_given"] or case["error_type"],
        "reason": case["reason"],
    }
    return ExportedRow(row)


def one_based(step: int) -> int:
    """Count a step from 1; -1 stays."""
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
