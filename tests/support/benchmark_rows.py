"""Rows of the formats that have no list of modified steps, authored for tests: three steps, the second one wrong."""

import json
from base64 import b64encode
from hashlib import sha256

from scoring.reading.rows import Rows

PROBLEM = "Tom has 3 boxes of 4 pens. How many pens?"
STEPS = ["There are 3 boxes.", "Each holds 5 pens.", "So there are 15 pens."]


def rows_of(values, source="folder/made.jsonl"):
    """The values as the rows of a source, each on its own line."""
    rows = Rows(source, "made")
    for value in values:
        rows.add(value)
    return rows


def changed(sound, changes):
    """The row with some fields changed; a change to `...` leaves the key out."""
    return {key: value for key, value in {**sound, **changes}.items() if value is not ...}


def grben(number=0, **changes):
    sound = {
        "id": f"physics-{number}",
        "domain": "physics",
        "generator": "a-model",
        "problem": PROBLEM,
        "steps": STEPS,
        "label": 2,
        "final_answer_correct": False,
        "error_type": "Factual error",
        "reason": "A box holds four.",
    }
    return changed(sound, changes)


def mrmath(number=0, **changes):
    sound = {
        "id": number,
        "question": PROBLEM,
        "ground_truth_answer": "12",
        "generator": "a-model",
        "model_output": "\n".join(STEPS),
        "model_output_step_format": [[step] for step in STEPS],
        "model_output_answer_correctness": "wrong",
        "model_output_solution_correctness": "wrong",
        "model_output_solution_first_error_step": 2,
    }
    return changed(sound, changes)


def mrmath_redundant(number=0, **changes):
    sound = {
        "id": number,
        "question": PROBLEM,
        "ground_truth_answer": "12",
        "generator": "a-model",
        "model_output_step_format": [[step] for step in STEPS],
        "rating": [1, 0, 1],
    }
    return changed(sound, changes)


def reasoneval_pair(number=0, **changes):
    sound = {
        "id": number,
        "rid": 7,
        "question": PROBLEM,
        "ground_truth_answer": "12",
        "reference_steps": [STEPS[0], "Each holds 4 pens.", STEPS[2]],
        "hypothesis_steps": STEPS,
        "error_type": "random number",
        "tags": 1,
    }
    return changed(sound, changes)


def rated(text, rating=1):
    """A step with one completion, which was chosen."""
    completions = [{"text": text, "rating": rating, "flagged": None}]
    return {"completions": completions, "human_completion": None, "chosen_completion": 0}


def prm800k(number=0, steps=None, finish="found_error", **changes):
    found = {"completions": [{"text": STEPS[1], "rating": -1}], "human_completion": None, "chosen_completion": None}
    sound = {
        "labeler": "someone",
        "timestamp": f"2023-01-22T04:34:{number:02}",
        "generation": 9,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": {"problem": PROBLEM, "ground_truth_solution": "4 + 4 + 4", "ground_truth_answer": "12"},
        "label": {
            "steps": [rated(STEPS[0]), found] if steps is None else steps,
            "total_time": 5,
            "finish_reason": finish,
        },
    }
    return changed(sound, changes)


def stepwise(**changes):
    return changed({"prompt": PROBLEM, "completions": STEPS, "labels": [True, False, False]}, changes)


def math_shepherd(signs="+--", steps=STEPS, problem=PROBLEM, **changes):
    def written(marks):
        marked = zip(steps, marks, strict=True)
        return f"{problem} " + "\n".join(f"Step {number}: {' '.join(pair)}" for number, pair in enumerate(marked, 1))

    return changed({"input": written(["ки"] * len(steps)), "label": written(signs), "task": "GSM8K"}, changes)


RIGHT = {"reasoning_correctness": "0", "reasoning_usefulness": "1", "explanation": "", "error_step": ""}
WRONG = {"reasoning_correctness": "1", "reasoning_usefulness": "1", "explanation": "A box holds four.", "error_step": 3}


def notes(*said):
    """What DeltaBench says of sections, numbered from 1; an error begins in the second line of its section."""
    return [
        {**one, "section_number": number, **({"error_step": 2 * number} if one is WRONG else {})}
        for number, one in enumerate(said, 1)
    ]


def deltabench(number=0, **changes):
    sound = {
        "id": f"a{number}",
        "origin": "a-collection",
        "task_l1": "math",
        "question": PROBLEM,
        "answer": "12",
        "sections": [{"start": 2 * at + 1, "end": 2 * at + 2, "content": step} for at, step in enumerate(STEPS)],
        "sections_labeled_info": notes(RIGHT, WRONG, RIGHT),
        "final_correct": 0,
        "reason_error_section_numbers": [2],
        "reason_unuseful_section_numbers": [],
        "error_type": "Premise Error",
    }
    return changed(sound, changes)


def hard2verify(number=0, **changes):
    """A row of Hard2Verify that somebody has decrypted."""
    sound = {
        "unique_id": f"u{number}",
        "canary": "a canary that was made up",
        "question": PROBLEM,
        "model_response_by_step": STEPS,
        "human_labels": [1, 0, 0],
        "human_labels_first_error_idx": 1,
    }
    return changed(sound, changes)


def encrypted(row, canary=None):
    """The row as it is published, byte by byte: what is JSON of four fields is hidden by its canary."""
    digest = sha256((canary or row["canary"]).encode()).digest()

    def hidden(value):
        plain = json.dumps(value, ensure_ascii=False).encode()
        return b64encode(bytes(byte ^ digest[at % 32] for at, byte in enumerate(plain))).decode()

    secret = ("question", "model_response_by_step", "human_labels", "human_labels_first_error_idx")
    return {key: hidden(value) if key in secret else value for key, value in row.items()}


def visualprocessbench(labels=(1, 0, -1), steps=STEPS, **changes):
    sound = {
        "image": ["images/pens.png"],
        "question": PROBLEM,
        "answer": "12",
        "response": {"steps": steps, "process_correctness": list(labels)},
        "policy_model": "a-model",
        "data_source": "a-collection",
    }
    return changed(sound, changes)
