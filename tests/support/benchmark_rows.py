"""Rows of the formats that have no list of modified steps, authored for tests: three steps, the second one wrong."""

import json
from base64 import b64encode
from hashlib import sha256

from scoring.formats.reading.rows import Rows

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


def messages(*roles):
    """Messages of a trajectory, one of each role; those of the assistant with a word, those of a tool with a name."""
    made = []
    for place, role in enumerate(roles):
        message = {"role": role, "content": f"{role} says {place}"}
        made.append({**message, "name": "till"} if role == "tool" else message)
    return made


def tool(name="till", about="What was sold.", **parameters):
    """A function that an agent could call, as OpenAI's interface has it."""
    function = {"name": name, "description": about, "parameters": {"type": "object", "properties": parameters}}
    return {"type": "function", "function": function}


def trajectory(number=0, **changes):
    """A row of AgentProcessBench: three steps at places 2, 4 and 5, labelled right, neutral and wrong."""
    call = {"id": "c", "type": "function", "function": {"name": "till", "arguments": '{"of": "pens"}'}}
    talk = messages("system", "user", "assistant", "tool", "assistant", "assistant")
    talk[2] = {"role": "assistant", "content": "", "tool_calls": [call]}
    sound = {
        "total_index": number,
        "query_index": number // 5,
        "sample_index": number % 5,
        "question": PROBLEM,
        "data_source": "a-shop",
        "ground_truth": {"target": ["12"]},
        "answer_text": "15",
        "messages": talk,
        "tools": [],
        "step_labels": {"2": 1, "4": 0, "5": -1},
        "final_label": -1,
    }
    return changed(sound, changes)


def agent_run(number=0, **changes):
    """A trajectory of one's own: steps at places 1 and 3, the second of them wrong."""
    sound = {
        "id": f"run-{number}",
        "messages": messages("user", "assistant", "tool", "assistant"),
        "step_labels": [1, -1],
        "success": False,
        "reference_answer": "12",
        "cost": 0.5,
    }
    return changed(sound, changes)


def judged_trajectory(number=0, annotator="a-judge", **changes):
    """A row of a judge's file about `trajectory(number)`: all three labels as the gold ones are."""
    query, sample = number // 5, number % 5
    sound = {
        "annotator": annotator,
        "comment": "",
        "data_source": "a-shop",
        "dataset": "shop",
        "explanations": {"steps": {"2": "It asks the till.", "5": "A box holds four."}, "final": "Miscounted."},
        "final_label": -1,
        "query_index": query,
        "record_id": f"a-shop:{query}:{sample}",
        "sample_index": sample,
        "status": "done",
        "step_labels": {"2": 1, "4": 0, "5": -1},
        "updated_at": "2026-02-01T10:00:00",
    }
    return changed(sound, changes)


def verl(number=0, **changes):
    """A rollout as verl dumps it, with step rewards that the reward function returned."""
    sound = {
        "input": f"user\n{PROBLEM}\nassistant\n",
        "output": "\n\n".join(STEPS),
        "gts": "12",
        "score": 0.0,
        "step": 40,
        "prm_scores": [0.9, 0.2, 0.25],
        "pred": str(number),
    }
    return changed(sound, changes)


def trl_grpo(**changes):
    sound = {
        "step": 5,
        "prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROBLEM}],
        "completion": [{"role": "assistant", "content": "\n\n".join(STEPS)}],
        "accuracy_reward": 1.0,
        "format_reward": 0.5,
        "advantage": 0.25,
    }
    return changed(sound, changes)


def node(role, text, parent=None, *, sampled=False, **more):
    """One message of a graph of verifiers'."""
    return {
        "parent": parent,
        "message": {"role": role, "content": text, **more},
        "sampled": sampled,
        "token_ids": [1, 2],
    }


def verifiers(number=0, nodes=None, **changes):
    """An episode of one trace: a call of a tool, its answer, and what follows from it."""
    call = [{"id": "c", "function": {"name": "look", "arguments": '{"what": "pens"}'}}]
    usual = [
        node("system", "Be brief."),
        node("user", PROBLEM, 0),
        node("assistant", STEPS[0], 1, sampled=True, tool_calls=call),
        node("tool", "4 in a box", 2, name="look"),
        node("assistant", STEPS[2], 3, sampled=True),
    ]
    trace = {
        "nodes": usual if nodes is None else nodes,
        "rewards": {"exact": {"score": 1.0, "weight": 0.5}, "brief": None},
        "metrics": {"turns": 2},
        "is_completed": True,
        "stop_condition": "done",
    }
    sound = {"id": f"e{number}", "env": "pens", "task": {}, "group": "g", "errors": [], "traces": [trace]}
    return changed(sound, changes)


def action_pair(**changes):
    """A row of ToolPRMBench: two messages, and two actions after them."""
    sound = {
        "history": messages("system", "user"),
        "action_chosen": "till(of='pens')",
        "action_rejected": "till(of='boxes')",
        "functions": None,
        "error type": "wrong argument",
    }
    return changed(sound, changes)
