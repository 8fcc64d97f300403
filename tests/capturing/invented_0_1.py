"""Benchmarks, results and answers, all invented, in the layouts that version 0.1 reads; for `workspace_0_1.py`."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

THINGS = ("pears", "tiles", "candles", "stamps", "buttons", "marbles", "ribbons", "spoons")
Row = dict[str, Any]


def draw(*words: object) -> float:
    """A number in [0, 1) that these words alone decide."""
    return int.from_bytes(blake2b(repr(words).encode(), digest_size=6).digest()) / 2**48


def problem(number: int, place: str) -> str:
    thing = THINGS[number % len(THINGS)]
    return (
        f"In the {place}, {number + 3} crates hold {number + 5} {thing} each, and {number + 2} {thing} are given away. "
        f"How many {thing} are left?"
    )


def steps(number: int, wrong: int = -1) -> list[str]:
    """Four steps; from step `wrong` on the number is one too high."""
    thing, crates, each, given = THINGS[number % len(THINGS)], number + 3, number + 5, number + 2
    total, left = crates * each + (wrong in {0, 1}), crates * each - given + (0 <= wrong < 3)
    return [
        f"There are {crates} crates with {each + (wrong == 0)} {thing} in each.",
        f"Together they hold ${crates} \\times {each} = {total}$ {thing}.",
        f"Giving {given} away leaves {left} {thing}.",
        f"The answer is \\boxed{{{left + (wrong == 3)}}}.",
    ]


def processbench(subset: str, *, later: bool = False) -> list[Row]:
    """Four cases; `later` says something else of the second and the third one."""
    labels = {"gsm8k": (-1, 1, 2, -1), "math": (0, -1, 3, 2)}[subset]
    rows = [
        {
            "id": f"{subset}-{number}",
            "generator": ("model-of-ann", "model-of-zoe")[number % 2],
            "problem": problem(number, f"{subset} shed"),
            "steps": steps(number, label),
            "final_answer_correct": label == -1 or (subset == "math" and number == 0),
            "label": label,
        }
        for number, label in enumerate(labels)
    ]
    if later:
        rows[1]["steps"] = [*rows[1]["steps"][:3], "Counted once more, the same is left."]
        rows[2]["label"] = 1
    return rows


def modified(kind: str, number: int, errors: list[int], **more: Any) -> Row:
    """A row with errors at these steps (1-based), in the layout of PRMBench and Socratic-PRMBench."""
    sound = steps(number)
    return {
        "idx": f"case_{number}",
        "classification": kind,
        "question": problem(number, "attic"),
        "original_question": problem(number, "attic"),
        "modified_question": problem(number, "attic") + " Explain.",
        "original_process": sound,
        "modified_process": [
            f"{text} This is {kind.replace('_', ' ')}." if place + 1 in errors else text
            for place, text in enumerate(sound)
        ],
        "modified_steps": errors,
        "error_steps": errors,
        "reason": f"Step {errors} was bent towards {kind}." if errors else "",
        **more,
    }


def prmbench() -> list[Row]:
    kinds = ("redundency", "circular", "counterfactual", "confidence", "deception")
    rows = [modified(kind, number, [2 + number % 2, 4]) for number, kind in enumerate(kinds)]
    return [*rows, modified("multi_solutions", 5, [], ground_truth="54"), modified("redundency", 6, [3])]


def socratic() -> list[Row]:
    kinds = ("repeat_inconsistency", "decomposition_redundancy", "premise_unsoundness", "correction_error")
    rows = [modified(kind, number, [1 + number], idx=f"attic#{number}") for number, kind in enumerate(kinds)]
    rows[1]["modified_process"][0] = "<Decomposition> " + rows[1]["modified_process"][0]
    rows[2]["modified_question"] = "阁楼里有五个箱子，每个箱子装七个烛台。一共有多少？"
    return rows


def grben() -> list[Row]:
    classes = (
        ("physics", "Factual error", 2),
        ("physics", "", -1),
        ("law", "Reasoning error", 3),
        ("law", "Factual error", 1),
    )
    return [
        {
            "id": f"{domain}-{number}",
            "domain": domain,
            "generator": "model-of-ann",
            "problem": problem(number, f"{domain} room"),
            "steps": steps(number, label - 1 if label > 0 else -1),
            "label": label,
            "final_answer_correct": label < 0,
            "error_type": kind or None,
            "reason": f"Step {label} says one too many." if kind else None,
        }
        for number, (domain, kind, label) in enumerate(classes)
    ]


def ledgers(other: float = 0.0) -> str:
    """A table of one's own: three responses to each of two problems, with rewards and verdicts of two scorers.

    As in the other results, `other` makes numbers that contradict those without.
    """
    rows = []
    for number in range(6):
        wrong = (-1, 2, 1, 3, 0, -1)[number]
        text = "\n\n".join(steps(number // 3, wrong))
        scores = [round(0.3 + 0.65 * draw("ledger", number, step) - other, 3) for step in range(4)]
        row = {"uid": f"entry-{number}", "task": f"book-{number // 3}", "asks": problem(number // 3, "ledger")}
        row |= {"says": text, "first_bad": "none" if wrong < 0 else wrong + 1, "fine": wrong < 0, "topic": "sums"}
        rows.append({**row, "scores": json.dumps(scores), "named": (wrong, 3, 0)[number % 3] if not other else 2})
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


LEDGERS = {
    "format": 1,
    "benchmark": "ledgers",
    "id": "uid",
    "problem": "asks",
    "steps": "says",
    "separator": "\n\n",
    "earliest_error": "first_bad",
    "label_base": 1,
    "clean": "none",
    "final_answer_correct": "fine",
    "problem_id": "task",
    "subset": "topic",
    "rewards": {"ledger-prm": "scores"},
    "verdicts": {"proof-reader": "named"},
    "verdict_base": 0,
}
REWARDS = {"format": 1, "id": "id", "rewards": {"steady": "steady", "hasty": "hasty"}}


def rewards(other: float = 0.0) -> list[Row]:
    """Rewards of two scorers for the cases of ProcessBench's layout."""
    scored = []
    for row in (*processbench("gsm8k", later=True), *processbench("math")):
        low = [row["label"] == step for step in range(4)]
        lowest = {"steady": 0.45, "hasty": 0.7}
        drawn = {
            name: [round((least if bad else 1) * (0.45 + 0.55 * draw(name, row["id"], step)) - other, 4)
                   for step, bad in enumerate(low)]
            for name, least in lowest.items()
        }  # fmt: skip
        scored.append({"id": row["id"], **drawn})
    return scored


def mr_eval(other: float = 0.0) -> list[Row]:
    """PRMBench's toolkit: numbers for validity and redundancy, one record that is invalid, and a number a solution."""
    names = [f"{row['classification']}_{row['idx']}" for row in prmbench()]
    rows = []
    for name in (*names, "correct_case_0", "correct_case_6"):
        valid, more = (
            [round(draw(what, name, step, other), 4) for step in range(4)] for what in ("valid", "redundant")
        )
        scores = {
            "step_level_validity_scores": valid,
            "step_level_validity_labels": [value > 0.5 for value in valid],
            "step_level_redundancy_scores": more,
            "step_level_redundancy_labels": [value > 0.8 for value in more],
        }
        record = {"idx": name, "validity": False} if name == names[4] else {"idx": name, "scores": scores}
        whole = {"idx": name, "scores": {"solution_level_validity_scores": round(draw("whole", name, other), 4)}}
        rows += [{"model_name": "two-headed", "task_name": "prmtest_classified", "results": record}]
        rows += [{"model_name": "whole-solution", "task_name": "prmtest_classified", "results": whole}]
    return rows


def grben_answers(run: int, other: int = 0) -> list[Row]:
    """A language model's answers in GR-Ben's layout; one could not be read."""
    rows = []
    for number, row in enumerate(grben()):
        named = -999 if (run, number) == (1, 2) else (row["label"], -1, 2, row["label"])[(number + run + other) % 4]
        response = "I cannot say." if named == -999 else f"Run {run} finds \\boxed{{{named}}}."
        more = {"raw_response": response, "thinking_mode": "fast", "model_key": "chatty", "api_failed": False}
        rows.append({**row, "pred_error_idx": named, **more})
    return rows


def lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FILES: dict[str, Callable[[], str]] = {
    "gsm8k.json": lambda: json.dumps(processbench("gsm8k")),
    "math.json": lambda: json.dumps(processbench("math")),
    "later/gsm8k.json": lambda: json.dumps(processbench("gsm8k", later=True)),
    "prmbench.jsonl": lambda: lines(prmbench()),
    "socratic.jsonl": lambda: lines(socratic()),
    "grben.jsonl": lambda: lines(grben()),
    "ledgers.csv": ledgers,
    "ledgers-mapping.json": lambda: json.dumps(LEDGERS),
    "rewards.jsonl": lambda: lines(rewards()),
    "rewards-mapping.json": lambda: json.dumps(REWARDS),
    "mr-eval.jsonl": lambda: lines(mr_eval()),
    "answers-0.jsonl": lambda: lines(grben_answers(0)),
    "answers-1.jsonl": lambda: lines(grben_answers(1)),
    "other/ledgers.csv": lambda: ledgers(0.25),
    "other/rewards.jsonl": lambda: lines(rewards(0.25)),
    "other/mr-eval.jsonl": lambda: lines(mr_eval(0.25)),
    "other/answers-0.jsonl": lambda: lines(grben_answers(0, 1)),
}
"""What is imported, by the names of files; those in `other` contradict what was imported of the same scorers."""


def answer(asked: str, seed: object, index: int) -> str:
    """What the critic says: a verdict in a box, ratings as JSON, and now and then nothing that can be read."""
    if "JSON" in asked or "Solutions:" in asked:
        number = len(re.findall(r"\bStep \d+:", asked))
        ratings = {
            what: [round(2 * draw(what, asked, step) - 1, 2) for step in range(number)]
            for what in ("validity", "redundancy")
        }
        return json.dumps(ratings)
    point = draw(asked, seed, index)
    named = -1 if point < 0.4 else int(point * 10) % 4
    return "Hard to say." if point > 0.92 else f"Vote {seed}: paragraph {named}. \\boxed{{{named}}}"
