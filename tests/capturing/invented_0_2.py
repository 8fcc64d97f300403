"""Benchmarks, results, answers and code of a user's own, all invented, for `workspace_0_2.py`."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

from capturing.invented_0_1 import Row, draw, lines

GOODS = ("jars", "bells", "lanterns", "spools", "kites", "saucers", "whistles")


def problem(number: int, place: str) -> str:
    goods = GOODS[number % len(GOODS)]
    return (
        f"The {place} has {number + 4} shelves with {number + 6} {goods} on each. A storm breaks {number + 1} {goods}. "
        f"How many {goods} are whole?"
    )


def steps(number: int, wrong: int = -1) -> list[str]:
    """Four steps; from step `wrong` (0-based) on, the count is two too low."""
    goods, shelves, each = GOODS[number % len(GOODS)], number + 4, number + 6
    total, whole = shelves * each - 2 * (wrong in {0, 1}), shelves * each - number - 1 - 2 * (0 <= wrong < 3)
    return [
        f"Each of the {shelves} shelves carries {each - 2 * (wrong == 0)} {goods}.",
        f"All shelves carry ${shelves} \\cdot {each} = {total}$ {goods}.",
        f"Without the {number + 1} that broke, {whole} {goods} are whole.",
        f"The answer is \\boxed{{{whole - 2 * (wrong == 3)}}}.",
    ]


# -- benchmarks, in layouts that version 0.2 reads

LABELS = {"gsm8k": (-1, 2, 0, -1), "math": (3, -1, 1, 2)}


def processbench(subset: str, *, later: bool = False) -> list[Row]:
    """Four cases with metadata columns; `later` changes the text of one and the label of another."""
    rows = [
        {
            "id": f"{subset}-{number}",
            "generator": ("writer-one", "writer-two")[number % 2],
            "problem": problem(number, f"{subset} shop"),
            "steps": steps(number, label),
            "final_answer_correct": label == -1 or (subset, number) == ("math", 2),
            "label": label,
            "difficulty": ("easy", "hard")[number // 2],
            "meta": {"pages": 10 + number},
        }
        for number, label in enumerate(LABELS[subset])
    ]
    if later:
        rows[0]["steps"] = [*rows[0]["steps"][:3], "A second count gives the same number."]
        rows[1]["label"] = 1
    return rows


def modified(kind: str, number: int, errors: list[int], **more: Any) -> Row:
    """A row in the layout of PRMBench and Socratic-PRMBench with errors at these steps (from 1)."""
    sound = steps(number)
    return {
        "idx": f"shelf_{number}",
        "classification": kind,
        "question": problem(number, "cellar"),
        "original_question": problem(number, "cellar"),
        "modified_question": problem(number, "cellar") + " Count twice.",
        "original_process": sound,
        "modified_process": [
            f"{text} ({kind.replace('_', ' ')})" if place in errors else text for place, text in enumerate(sound, 1)
        ],
        "modified_steps": errors,
        "error_steps": errors,
        "reason": f"Step {errors} was changed to show {kind}." if errors else "",
        **more,
    }


def prmbench() -> list[Row]:
    kinds = ("redundency", "step_contradiction", "missing_condition", "domain_inconsistency", "redundency")
    rows = [modified(kind, number, [1 + number % 3, 4]) for number, kind in enumerate(kinds)]
    return [*rows, modified("multi_solutions", 5, [], ground_truth="113")]


def socratic() -> list[Row]:
    kinds = ("repeat_inconsistency", "decomposition_unsoundness", "premise_redundancy")
    rows = [modified(kind, number, [2 + number], idx=f"cellar#{number}") for number, kind in enumerate(kinds)]
    rows[1]["modified_process"][0] = "<Decomposition> " + rows[1]["modified_process"][0]
    return rows


def grben() -> list[Row]:
    """One label is beyond the last step, and one error type is written otherwise than the benchmark does."""
    kinds = (("biology", "Knowledge error", 2), ("biology", "", -1), ("physics", "Factual error", 7))
    return [
        {
            "id": f"{domain}-{number}",
            "domain": domain,
            "generator": "writer-one",
            "problem": problem(number, f"{domain} museum"),
            "steps": steps(number, min(label, 4) - 1 if label > 0 else -1),
            "label": label,
            "final_answer_correct": label < 0,
            "error_type": kind or None,
            "reason": f"Step {label} loses two." if kind else None,
        }
        for number, (domain, kind, label) in enumerate(kinds)
    ]


def deltabench() -> list[Row]:
    """Sections, of which the last of one case was not judged."""
    rows = []
    for number, wrong in enumerate((2, -1, 1)):
        judged = [
            {
                "section_number": place,
                "reasoning_correctness": str(int(place == wrong + 1)),
                "reasoning_usefulness": str(int(place != 4)),
                "explanation": "Two are lost here." if place == wrong + 1 else "",
                "error_step": place if place == wrong + 1 else "",
            }
            for place in range(1, 4 if number == 2 else 5)
        ]
        rows.append(
            {
                "id": f"delta-{number}",
                "origin": "shop-notes",
                "task_l1": ("math", "code")[number % 2],
                "question": problem(number, "depot"),
                "answer": "33",
                "sections": [
                    {"start": place, "end": place, "content": text}
                    for place, text in enumerate(steps(number, wrong), 1)
                ],
                "sections_labeled_info": judged,
                "final_correct": int(wrong < 0),
                "reason_error_section_numbers": [wrong + 1] if wrong >= 0 else [],
                "reason_unuseful_section_numbers": [4] if number < 2 else [],
                "error_type": "Premise Error" if wrong >= 0 else None,
            }
        )
    return rows


def prm800k() -> list[Row]:
    """Ratings that end with the first error, one that is neutral on the way, and one solution that is right."""
    rows = []
    for number, (ratings, finish) in enumerate(
        (((1, -1), "found_error"), ((1, 0, 1, 1), "solution"), ((0, 1, -1), "found_error"))
    ):
        texts = steps(number, len(ratings) - 1 if finish == "found_error" else -1)
        rated = [
            {
                "completions": [{"text": text, "rating": rating, "flagged": None}],
                "human_completion": None,
                "chosen_completion": None if rating < 0 else 0,
            }
            for text, rating in zip(texts, ratings, strict=False)
        ]
        rows.append(
            {
                "labeler": "labeler-a",
                "timestamp": f"2024-05-0{number + 1}T10:00:00",
                "generation": 3,
                "is_quality_control_question": False,
                "is_initial_screening_question": False,
                "question": {"problem": problem(number, "kiosk"), "ground_truth_answer": "23"},
                "label": {"steps": rated, "total_time": 7, "finish_reason": finish},
            }
        )
    return rows


def mr_math() -> list[Row]:
    """Steps that join sub-steps."""
    rows = []
    for number, wrong in enumerate((1, 3)):
        texts = steps(number, wrong)
        rows.append(
            {
                "id": number,
                "question": problem(number, "stall"),
                "ground_truth_answer": "23",
                "generator": "writer-two",
                "model_output": "\n".join(texts),
                "model_output_step_format": [texts[:2], [texts[2]], [texts[3]]],
                "model_output_answer_correctness": "wrong",
                "model_output_solution_correctness": "wrong",
                "model_output_solution_first_error_step": 1 if wrong == 1 else 3,
            }
        )
    return rows


def reasoneval() -> list[Row]:
    """A solution with an error and its right original, a twin."""
    return [
        {
            "id": number,
            "rid": 20 + number,
            "question": problem(number, "booth"),
            "ground_truth_answer": "23",
            "reference_steps": steps(number),
            "hypothesis_steps": steps(number, 1 + number),
            "error_type": "random number",
            "tags": 1 + number,
        }
        for number in range(2)
    ]


def hard2verify() -> list[Row]:
    return [
        {
            "unique_id": f"hard-{number}",
            "canary": "an invented canary",
            "question": problem(number, "mill"),
            "model_response_by_step": steps(number, wrong),
            "human_labels": [int(place != wrong) for place in range(4)],
            "human_labels_first_error_idx": wrong,
        }
        for number, wrong in enumerate((2, -1))
    ]


def pictures() -> list[Row]:
    """VisualProcessBench's layout: an image by name, and a neutral step."""
    return [
        {
            "image": [f"images/shelf-{number}.png"],
            "question": problem(number, "picture"),
            "answer": "23",
            "response": {"steps": steps(number, wrong), "process_correctness": list(labels)},
            "policy_model": "writer-one",
            "data_source": "shop-photos",
        }
        for number, (wrong, labels) in enumerate(((3, (1, 0, 1, -1)), (-1, (1, 1, 0, 1))))
    ]


def agents() -> list[Row]:
    """Trajectories: messages before, between and after the steps, and a tool with its definition."""
    tool = {
        "type": "function",
        "function": {"name": "count", "description": "Counts what is on a shelf.", "parameters": {"type": "object"}},
    }
    rows = []
    for number, labels in enumerate(([1, -1], [1, 1], [0, -1])):
        call = {"id": "c", "type": "function", "function": {"name": "count", "arguments": f'{{"shelf": {number}}}'}}
        talk = [
            {"role": "system", "content": "You keep the shop."},
            {"role": "user", "content": problem(number, "back room")},
            {"role": "assistant", "content": "I count the first shelf.", "tool_calls": [call]},
            {"role": "tool", "name": "count", "content": f"{number + 6} on shelf {number}"},
            {"role": "assistant", "content": steps(number, 1 if -1 in labels else -1)[3]},
        ]
        rows.append(
            {
                "id": f"visit-{number}",
                "messages": talk,
                "tools": [tool],
                "step_labels": labels,
                "success": -1 not in labels,
                "reference_answer": "23",
                "cost": 0.5 + number,
            }
        )
    return rows


def rollouts(step: int) -> list[Row]:
    """What a policy sampled at a training step, as verl dumps it."""
    return [
        {
            "input": f"user\n{problem(number, 'yard')}\nassistant\n",
            "output": "\n\n".join(steps(number, wrong)),
            "gts": "23",
            "score": float(wrong < 0),
            "step": step,
            "yard_scores": [round(draw("rollout", step, number, place), 3) for place in range(4)],
        }
        for number, wrong in enumerate((-1, 2))
    ]


def beams() -> list[Row]:
    """Problems with all their responses and rewards, as search-and-learn saves them."""
    rows = []
    for number in range(2):
        completions = ["\n\n".join(steps(number, wrong)) for wrong in (-1, 1, 3)]
        scores = [[round(draw("beam", number, place, step), 3) for step in range(4)] for place in range(3)]
        last = [rewards[-1] for rewards in scores]
        rows.append(
            {
                "problem": problem(number, "harbour"),
                "answer": str((number + 4) * (number + 6) - number - 1),
                "unique_id": f"harbour-{number}",
                "completions": completions,
                "scores": scores,
                "pred": completions[last.index(max(last))],
                "completion_tokens": [30, 31, 32],
                "agg_scores": last,
            }
        )
    return rows


def ledgers(other: float = 0.0) -> str:
    """A table of one's own with every column that a mapping may name; `other` makes contradicting numbers."""
    rows = []
    for number in range(5):
        wrong = (-1, 1, 3, 0, -1)[number]
        scores = [round(0.25 + 0.7 * draw("ledger-2", number, step) - other, 3) for step in range(4)]
        rows.append(
            {
                "uid": f"page-{number}",
                "book": f"volume-{number // 3}",
                "asks": problem(number // 3, "archive"),
                "says": "\n\n".join(steps(number // 3, wrong)),
                "first_bad": "none" if wrong < 0 else wrong + 1,
                "fine": wrong < 0,
                "topic": ("stock", "loss")[number % 2],
                "author": "writer-two",
                "slip": "" if wrong < 0 else "miscount",
                "group": "" if wrong < 0 else "arithmetic",
                "nature": "" if wrong < 0 else "slip of the pen",
                "way": "forward",
                "why": "" if wrong < 0 else f"Step {wrong + 1} loses two.",
                "truth": "23",
                "share": round(0.6 + number / 20, 2),
                "tongue": "en",
                "from": "storm book",
                "shade": ("red", "blue")[number % 2],
                "scores": json.dumps(scores),
                "named": (wrong, 2, -1)[number % 3] if not other else 0,
            }
        )
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
    "problem_id": "book",
    "subset": "topic",
    "generator": "author",
    "error_type": "slip",
    "error_category": "group",
    "error_kind": "nature",
    "pattern": "way",
    "reason": "why",
    "reference_answer": "truth",
    "agreement": "share",
    "language": "tongue",
    "origin": "from",
    "rewards": {"clerk": "scores"},
    "verdicts": {"auditor": "named"},
    "verdict_base": 0,
}


def receipts() -> list[Row]:
    """Rows of the benchmark that `receipts.py` reads; the last has more steps than the small PRM takes."""
    rows = [
        {"id": f"receipt-{number}", "question": problem(number, "till"), "lines": steps(number, wrong), "bad": wrong}
        for number, wrong in enumerate((1, -1, 3))
    ]
    long = [" ".join([text] * 60) for text in steps(1)]
    return [*rows, {**rows[1], "id": "receipt-long", "lines": [*steps(1), *long]}]


# -- what scorers gave


def rewards(other: float = 0.0) -> list[Row]:
    """Rewards of two scorers for the cases of ProcessBench's layout."""
    lowest = {"careful": 0.4, "quick": 0.75}
    return [
        {
            "id": row["id"],
            **{
                name: [
                    round((least if row["label"] == step else 1) * (0.5 + 0.5 * draw(name, row["id"], step)) - other, 4)
                    for step in range(4)
                ]
                for name, least in lowest.items()
            },
        }
        for row in (*processbench("gsm8k", later=True), *processbench("math"))
    ]


def checkpoint(step: int) -> list[Row]:
    """Rewards of a checkpoint of a training run, better the later it is."""
    return [
        {
            "id": row["id"],
            "rewards": [
                round((1 - step / 400 if row["label"] == place else 1) * (0.6 + 0.4 * draw(step, row["id"], place)), 4)
                for place in range(4)
            ],
        }
        for row in (*processbench("gsm8k", later=True), *processbench("math"))
    ]


def verdicts() -> list[Row]:
    return [
        {"id": row["id"], "prediction": (row["label"], -1, 1)[number % 3]}
        for number, row in enumerate((*processbench("gsm8k", later=True), *processbench("math")))
    ]


def said_of_shops(other: str = "") -> list[Row]:
    """Answers of a critic that ran elsewhere, two per case, which vote; one cannot be read."""
    return [
        {
            "id": row["id"],
            "answer": [
                f"{other}Look at paragraph {named}. \\boxed{{{named}}}" if named != 9 else "Who can tell?"
                for named in ((row["label"], row["label"]) if number % 3 else (1, 9))
            ],
        }
        for number, row in enumerate(processbench("math"))
    ]


def mr_eval(other: float = 0.0) -> list[Row]:
    """Two numbers per step in the layout of PRMBench's toolkit, one invalid record, and one number per solution."""
    names = [f"{row['classification']}_{row['idx']}" for row in prmbench()]
    rows = []
    for name in (*names, "correct_shelf_0", "correct_shelf_4"):
        valid, more = ([round(draw(what, name, step, other), 4) for step in range(4)] for what in ("sound", "surplus"))
        scores = {
            "step_level_validity_scores": valid,
            "step_level_validity_labels": [value > 0.5 for value in valid],
            "step_level_redundancy_scores": more,
            "step_level_redundancy_labels": [value > 0.7 for value in more],
        }
        record = {"idx": name, "validity": False} if name == names[2] else {"idx": name, "scores": scores}
        whole = {"idx": name, "scores": {"solution_level_validity_scores": round(draw("whole", name, other), 4)}}
        rows += [{"model_name": "two-sided", "task_name": "prmtest_classified", "results": record}]
        rows += [{"model_name": "one-number", "task_name": "prmtest_classified", "results": whole}]
    return rows


def grben_answers(run: int, other: int = 0) -> list[Row]:
    """A language model's answers in GR-Ben's layout; one could not be read."""
    rows = []
    for number, row in enumerate(grben()):
        named = -999 if (run, number) == (1, 1) else (row["label"], -1, 2)[(number + run + other) % 3]
        response = "Hard to say." if named == -999 else f"In run {run} I find \\boxed{{{named}}}."
        more = {"raw_response": response, "thinking_mode": "fast", "model_key": "talker", "api_failed": False}
        rows.append({**row, "pred_error_idx": named, **more})
    return rows


def answer(asked: str, seed: object, index: int) -> str:
    """What the critic says: ratings as JSON, a verdict of one step, or the index of the first error in a box."""
    if "Yes/No" in asked:
        return (
            f"It counts the shelves.\nVerification: Is the step correct (Yes/No)? {'Yes' if len(asked) % 3 else 'No'}"
        )
    if "JSON" in asked or "Solutions:" in asked:
        number = len(re.findall(r"\bStep \d+:", asked)) or 2
        if "neutral" in asked.lower():
            return json.dumps({"labels": {str(step): (1, 0, -1)[(len(asked) + step) % 3] for step in range(number)}})
        ratings = {
            what: [round(2 * draw(what, asked, step) - 1, 2) for step in range(number)]
            for what in ("validity", "redundancy")
        }
        return json.dumps(ratings)
    point = draw(asked, seed, index)
    named = -1 if point < 0.4 else int(point * 10) % 4
    return "I give up." if point > 0.92 else f"Vote {seed}, paragraph {named} it is. \\boxed{{{named}}}"


PROMPT = """A shopkeeper asks you to find the first paragraph (numbered from 0) that is wrong.

{problem}

{steps}

Answer with its number in \\boxed{{}}, or with -1 if all are right.
"""
PRICES = 'currency = "EUR"\n[[price]]\nmodel = "tiny*"\nin = 1.5\nout = 6\n'

# -- code of a user's own

SHELVES = '''"""A rule, a metric, a column and an analysis in one file."""

import numpy as np
import polars as pl

from inspector.api import Section, View, count, define_analysis, provenance, table, text
from scoring.api import column, metric, rule


@rule("half-of-first", words="its reward less half of the first reward of its case", threshold=0.1)
def half_of_first(values, offsets):
    return values - 0.5 * np.repeat(values[offsets[:-1]], np.diff(offsets))


def share(sums):
    return sums["named"] / sums["all"]


@metric("named", title="names a step", counts=("named", "all"), score=share)
def named(decided):
    return np.column_stack([decided.members & (decided.verdicts >= 0), decided.members])


@column("storms")
def storms(cases):
    return cases["problem"].str.count_matches("storm")


@define_analysis("Shelves", help="How many words the steps of the shown cases have.")
def shelves(results, params, intervals):
    shown = results.cases.filter(pl.Series(results.mask))
    rows = shown.group_by("benchmark").agg(pl.col("n_steps").sum().alias("steps")).sort("benchmark")
    lines = [[text(row["benchmark"]), count(row["steps"])] for row in rows.iter_rows(named=True)]
    facts = provenance(results, results.query.command("shelves", *params.words, form=params.form))
    section = Section("", "shelves", (table("", ["benchmark", "steps"], lines),))
    return View(rows, facts, title="Shelves", lay_out=lambda: (section,))
'''

ADAPTER = '''"""An adapter: the small PRM's head, read at the last token of every step, without a chat's turns."""

from dataclasses import dataclass

from scoring.models.checkpoint import positive
from scoring.models.prms.base import NO_STEPS, Scale, too_long
from scoring.data.readout import Encoded, Readout, two_layers


@dataclass(frozen=True)
class BarePrm:
    hidden: int
    max_length: int

    scale = Scale("bare PRM", 0.0, 1.0, 0.5, "the shopkeeper")

    @classmethod
    def of(cls, checkpoint):
        return cls(*(positive(checkpoint.config, name) for name in ("hidden_size", "max_position_embeddings")))

    @property
    def readout(self):
        return Readout(two_layers(self.hidden), "softmax", reward=(0.0, 1.0))

    @property
    def settings(self):
        return {"max_length": self.max_length}

    def encoder(self, tokenizer):
        def encode(problem, steps):
            if not steps:
                return NO_STEPS
            ids, positions = list(tokenizer.encode(problem)), []
            for step in steps:
                ids += tokenizer.encode(f" {step}")
                positions.append(len(ids) - 1)
            if len(ids) > self.max_length:
                return too_long(len(ids), self.max_length)
            return Encoded(tuple(ids), tuple(positions))

        return encode
'''

BENCHMARK = '''"""A benchmark: rows with `id`, `question`, `lines` and `bad` (0-based, -1 = no error)."""

from scoring.formats.benchmarks.case_format import CaseFormat, first_step, first_step_checks, none_wrong
from scoring.formats.reading.fields import Layout, identifier, solution, text, whole

NAME = "receipts"
TITLE = "Receipts with a wrong line"


def recognises(row):
    return isinstance(row, dict) and {"id", "question", "lines", "bad"} <= row.keys()


FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {"id": identifier(), "question": text(required=True), "lines": solution(), "bad": whole()},
        content=("question", "lines"),
    ),
    columns={"earliest_error": first_step("bad"), "error_steps": none_wrong(first_step("bad"))},
    checks=first_step_checks("bad", "lines"),
    conclude=lambda read: ("0-based, -1 = no error", read.findings),
)
'''

TREES = [
    {
        "id": f"storm-{number}",
        "problem": problem(number, "tower"),
        "reference_answer": "23",
        "chosen": "3",
        "nodes": [
            {"id": "0", "parent": None, "text": ""},
            {"id": "1", "parent": "0", "text": steps(number)[0], "value": 0.8, "visits": 5, "pruned": 1},
            {"id": "2", "parent": "1", "text": steps(number)[3], "value": 0.9, "correct": True},
            {"id": "3", "parent": "0", "text": steps(number, 1)[3], "value": 0.4, "correct": False},
        ],
    }
    for number in range(2)
]


FILES: dict[str, Callable[[], str]] = {
    "gsm8k.json": lambda: json.dumps(processbench("gsm8k")),
    "math.json": lambda: json.dumps(processbench("math")),
    "later/gsm8k.json": lambda: json.dumps(processbench("gsm8k", later=True)),
    "prmbench.jsonl": lambda: lines(prmbench()),
    "socratic.jsonl": lambda: lines(socratic()),
    "grben.jsonl": lambda: lines(grben()),
    "deltabench.jsonl": lambda: lines(deltabench()),
    "prm800k.jsonl": lambda: lines(prm800k()),
    "mr-math.jsonl": lambda: lines(mr_math()),
    "reasoneval.jsonl": lambda: lines(reasoneval()),
    "hard2verify.jsonl": lambda: lines(hard2verify()),
    "pictures.jsonl": lambda: lines(pictures()),
    "agents.jsonl": lambda: lines(agents()),
    **{f"yard/{step}.jsonl": (lambda step=step: lines(rollouts(step))) for step in (10, 20)},
    "beams.jsonl": lambda: lines(beams()),
    "ledgers.csv": ledgers,
    "ledgers-mapping.json": lambda: json.dumps(LEDGERS),
    "receipts.jsonl": lambda: lines(receipts()),
    "rewards.jsonl": lambda: lines(rewards()),
    **{f"shop/checkpoint-{step}.jsonl": (lambda step=step: lines(checkpoint(step))) for step in (100, 200)},
    "verdicts.jsonl": lambda: lines(verdicts()),
    "shop-critic.jsonl": lambda: lines(said_of_shops()),
    "mr-eval.jsonl": lambda: lines(mr_eval()),
    "answers-0.jsonl": lambda: lines(grben_answers(0)),
    "answers-1.jsonl": lambda: lines(grben_answers(1)),
    "other/ledgers.csv": lambda: ledgers(0.2),
    "other/rewards.jsonl": lambda: lines(rewards(0.2)),
    "other/mr-eval.jsonl": lambda: lines(mr_eval(0.2)),
    "other/answers-0.jsonl": lambda: lines(grben_answers(0, 1)),
    "trees.jsonl": lambda: lines(TREES),
    "prompt.txt": lambda: PROMPT,
    "prices.toml": lambda: PRICES,
    "own/shelves.py": lambda: SHELVES,
    "own/adapter.py": lambda: ADAPTER,
    "own/receipts.py": lambda: BENCHMARK,
}
"""Everything that version 0.2 is given, by the names of files; `other` contradicts what was imported before."""
