"""Invented tables with one misreading planted in each, and tables that are as they say; figures in plain Python.

A table with a fault holds evidence of it: a text, a count, an id outside, or labels that speak against the rewards. The
sizes of the faults were written down before the checks that find them were tuned.
"""

import csv
import io
import json
import math
import random
from dataclasses import dataclass, field
from statistics import NormalDist

REVERSED_AUROC = {"barely": 0.42, "clear": 0.3, "gross": 0.1}
"""AUROC of rewards that say how likely a step is wrong, read as if they said how likely it is right."""
CASES = {"barely": 25, "clear": 80, "gross": 400}
"""Cases of a table, by how easy the fault is to see."""
SHARES = {"barely": 0.02, "clear": 0.2, "gross": 0.9}
"""The share of the rows that show a fault of which each row is evidence."""
SIZES = (*CASES,)
SURE = 4.0
"""Standard errors from 0.5 at which an AUROC counts as evidence; the check itself has its bound at 3.09."""


@dataclass(frozen=True)
class PlantedTable:
    """Files as they would be imported in one command, and what is right: (F1, accuracy on erroneous, on clean cases).

    `fault` is "" where nothing is planted, and `evidence` says whether the files show the fault.
    """

    fault: str
    size: str
    files: dict[str, str]
    right: tuple[float, float, float]
    evidence: bool = True


@dataclass
class Sample:
    """Cases with gold errors (0-based, -1 = none) and rewards; `auroc` is of the labelled steps, about."""

    chance: random.Random
    cases: int
    auroc: float
    digits: int = 4
    same_length: bool = False
    rows: list[dict] = field(default_factory=list)

    def __post_init__(self):
        apart = math.sqrt(2) * NormalDist().inv_cdf(self.auroc)
        share = self.chance.uniform(0.35, 0.65)
        for number in range(self.cases):
            n = 4 if self.same_length else self.chance.randrange(2, 9)
            first = self.chance.randrange(n) if self.chance.random() < share else -1
            # Steps of a case are alike: each case has a level of its own.
            level = self.chance.gauss(0, 0.5)
            wrong = [first >= 0 and step >= first for step in range(n)]
            scores = [level + self.chance.gauss(0, math.sqrt(0.75)) + apart * (0.5 - bad) + 0.7 for bad in wrong]
            rewards = [round(1 / (1 + math.exp(-score)), self.digits) for score in scores]
            self.rows.append(
                {
                    "id": f"case-{number}",
                    "problem": f"A mill grinds {number} sacks a day. How many does it grind in {n} days?",
                    "steps": [f"After day {day + 1} it is {number * (day + 1)} sacks." for day in range(n)],
                    "first": first,
                    "rewards": rewards,
                }
            )

    def figures(self):
        """F1 and its two accuracies where a step is wrong iff its reward is below 0.5."""
        hits = {True: [], False: []}
        for row in self.rows:
            judged = next((step for step, reward in enumerate(row["rewards"]) if reward < 0.5), -1)
            hits[row["first"] >= 0].append(judged == row["first"])
        error, clean = (sum(found) / len(found) if found else math.nan for found in (hits[True], hits[False]))
        return (2 * error * clean / (error + clean) if error + clean else math.nan, error, clean)

    def evidence_of_direction(self, every_step=False):
        """How many standard errors the AUROC of right over wrong steps is from 0.5; cases are drawn as wholes.

        Steps after the first error have no label, unless the table has one for every step.
        """
        labelled = [
            [
                (reward, 0 <= row["first"] <= step)
                for step, reward in enumerate(row["rewards"])
                if every_step or row["first"] < 0 or step <= row["first"]
            ]
            for row in self.rows
        ]
        right = [reward for case in labelled for reward, bad in case if not bad]
        wrong = [reward for case in labelled for reward, bad in case if bad]
        if not right or not wrong or len(right) + len(wrong) < 50:
            return 0.0

        def above(one, others):
            return sum((one > other) + 0.5 * (one == other) for other in others) / len(others)

        auroc = sum(above(reward, wrong) for reward in right) / len(right)
        influence = [
            sum(
                (1 - above(reward, right) - auroc) / len(wrong) if bad else (above(reward, wrong) - auroc) / len(right)
                for reward, bad in case
            )
            for case in labelled
        ]
        return (auroc - 0.5) / math.sqrt(sum(part**2 for part in influence) or 1)


# -- ways to write a sample


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(rows):
    out = io.StringIO()
    written = csv.DictWriter(out, list(rows[0]))
    written.writeheader()
    written.writerows(rows)
    return out.getvalue()


def processbench(sample):
    """The cases as ProcessBench writes them."""
    return lines(
        {
            "id": row["id"],
            "generator": "a",
            "problem": row["problem"],
            "steps": row["steps"],
            "final_answer_correct": row["first"] < 0,
            "label": row["first"],
        }
        for row in sample.rows
    )


def own(sample, label, name="label_of_mine", rewards="rewards"):
    """Cases and rewards in one table, the gold label written by a function of the row."""
    return lines(
        {
            "uid": row["id"],
            "question": row["problem"],
            "solution_steps": row["steps"],
            name: label(row),
            rewards: row["rewards"],
        }
        for row in sample.rows
    )


def flags(row, wrong=1, right=0):
    """A flag for each step; after the first error all are wrong."""
    return [wrong if 0 <= row["first"] <= step else right for step in range(len(row["steps"]))]


# -- tables that are as they say


def _beside_processbench(sample):
    return {
        "gold.jsonl": processbench(sample),
        "mine.jsonl": lines({"id": row["id"], "rewards": row["rewards"]} for row in sample.rows),
    }


def _long(sample):
    rows = [
        {"id": row["id"], "step": step, "score": reward}
        for row in sample.rows
        for step, reward in enumerate(row["rewards"])
    ]
    return {"gold.jsonl": processbench(sample), "mine.csv": table(rows)}


def _listed(sample):
    rows = [{"id": row["id"], "scores": json.dumps(row["rewards"])} for row in sample.rows]
    return {"gold.jsonl": processbench(sample), "mine.csv": table(rows)}


def _first_error(sample):
    return {"own.jsonl": own(sample, lambda row: row["first"], "first_error")}


def _from_one(sample):
    return {"own.jsonl": own(sample, lambda row: row["first"] + 1 if row["first"] >= 0 else -1, "first_error")}


def _null_where_clean(sample):
    return {"own.jsonl": own(sample, lambda row: [row["first"]] if row["first"] >= 0 else [], "error_steps")}


def _labels_a_step(sample):
    return {"own.jsonl": own(sample, lambda row: flags(row, wrong=False, right=True), "step_labels")}


def _ones_and_zeros(sample):
    return {"own.jsonl": own(sample, lambda row: flags(row, wrong=0, right=1), "step_labels")}


RIGHT_TABLES = (
    _beside_processbench,
    _long,
    _listed,
    _first_error,
    _from_one,
    _null_where_clean,
    _labels_a_step,
    _ones_and_zeros,
)


def right_table(seed):
    """A table in which nothing is planted, of a scorer with an AUROC of 0.5 to 0.95."""
    chance = random.Random(seed)
    cases = chance.choice([60, 150, 400])
    sample = Sample(chance, cases, chance.uniform(0.5, 0.95), digits=chance.choice([2, 4, 9]))
    written = RIGHT_TABLES[seed % len(RIGHT_TABLES)]
    return PlantedTable("", written.__name__.strip("_"), written(sample), sample.figures())


# -- tables with a planted fault


def _reversed_rewards(sample, _):
    turned = [{"id": row["id"], "score": [round(1 - reward, 9) for reward in row["rewards"]]} for row in sample.rows]
    return {"gold.jsonl": processbench(sample), "mine.jsonl": lines(turned)}


def _reversed_beside_cases(sample, _):
    turned = [{**row, "rewards": [round(1 - reward, 9) for reward in row["rewards"]]} for row in sample.rows]
    held = Sample(sample.chance, 0, 0.5, rows=turned)
    return {"own.jsonl": own(held, lambda row: row["first"], "first_error")}


def _reversed_name(sample, _):
    names = "error_prob p_wrong step_loss nll risk uncertainty hallucination_score surprisal probIncorrect mistake-rate"
    name = sample.chance.choice(names.split())
    turned = [{"id": row["id"], name: [round(1 - reward, 9) for reward in row["rewards"]]} for row in sample.rows]
    return {"gold.jsonl": processbench(sample), "mine.jsonl": lines(turned)}


def _reversed_name_long(sample, _):
    rows = [
        {"id": row["id"], "step": step, "error_probability": round(1 - reward, 9)}
        for row in sample.rows
        for step, reward in enumerate(row["rewards"])
    ]
    return {"gold.jsonl": processbench(sample), "mine.csv": table(rows)}


def _labels_named_wrong(sample, _):
    name = sample.chance.choice(["is_error", "is_wrong", "has_mistake", "incorrect", "step_errors"])
    return {"own.jsonl": own(sample, lambda row: flags(row, wrong=True, right=False), name)}


def _labels_the_other_way(sample, _):
    return {"own.jsonl": own(sample, flags, "step_labels")}


def _from_one_in_processbench(sample, _):
    rows = [json.loads(line) for line in processbench(sample).splitlines()]
    for row in rows:
        row["label"] += row["label"] >= 0
    return {"gold.jsonl": lines(rows), "mine.jsonl": _rewards(sample)}


def _outcome_as_label(sample, _):
    rows = [json.loads(line) for line in processbench(sample).splitlines()]
    for row in rows:
        row["label"] = int(row["label"] < 0)
        del row["final_answer_correct"]
    return {"gold.jsonl": lines(rows), "mine.jsonl": _rewards(sample)}


def _flags_as_indices(sample, _):
    return {"own.jsonl": own(sample, flags, "error_steps")}


def _number_of_steps(sample, _):
    return {
        "own.jsonl": own(sample, lambda row: row["first"] if row["first"] >= 0 else len(row["steps"]), "first_error")
    }


def _a_word_where_clean(sample, _):
    word = sample.chance.choice(["N/A", "none", "no error", "None", "all correct", "clean", "-"])
    return {"own.jsonl": own(sample, lambda row: row["first"] if row["first"] >= 0 else word, "first_error")}


def _an_unknown_word(sample, share):
    """A word in labels of steps that stands for right, in a share of the erroneous cases."""

    def words(row):
        said = flags(row, wrong="bad", right="good")
        if row["first"] > 0 and sample.chance.random() < share:
            said[0] = "so-so"
        return said

    return {"own.jsonl": own(sample, words, "step_labels")}


def _shifted_ids(sample, _):
    first = sample.chance.choice([0, 1])
    gold = [json.loads(line) for line in processbench(sample).splitlines()]
    for number, row in enumerate(gold):
        row["id"] = number + first
    mine = [{"id": number + 1 - first, "rewards": row["rewards"]} for number, row in enumerate(sample.rows)]
    return {"gold.jsonl": lines(gold), "mine.jsonl": lines(mine)}


def _padded(sample, share):
    """Rewards as long as the longest of their batch; a small share = few lists are padded."""
    filler = sample.chance.choice([math.nan, None, -100, 0])
    size = max(len(row["rewards"]) for row in sample.rows)
    padded = []
    for row in sample.rows:
        longer = size if share > 0.5 or sample.chance.random() < share else len(row["rewards"])
        padded.append({"id": row["id"], "rewards": row["rewards"] + [filler] * (longer - len(row["rewards"]))})
    return {"gold.jsonl": processbench(sample), "mine.jsonl": lines(padded)}


def _pairs(sample, _):
    pairs = [
        {"id": row["id"], "rewards": [[round(1 - reward, 9), reward] for reward in row["rewards"]]}
        for row in sample.rows
    ]
    return {"gold.jsonl": processbench(sample), "mine.jsonl": lines(pairs)}


def _a_number_per_token(sample, _):
    tokens = [
        {
            "id": row["id"],
            "rewards": [reward for reward in row["rewards"] for _ in range(sample.chance.randrange(3, 9))],
        }
        for row in sample.rows
    ]
    return {"gold.jsonl": processbench(sample), "mine.jsonl": lines(tokens)}


def _rewards(sample):
    return lines({"id": row["id"], "rewards": row["rewards"]} for row in sample.rows)


SHOWN_BY_LABELS = (_reversed_rewards, _reversed_beside_cases, _labels_the_other_way)
"""Faults that only the labels show, against the rewards."""
FAULTS = (
    *SHOWN_BY_LABELS,
    _reversed_name,
    _reversed_name_long,
    _labels_named_wrong,
    _from_one_in_processbench,
    _outcome_as_label,
    _flags_as_indices,
    _number_of_steps,
    _a_word_where_clean,
    _an_unknown_word,
    _shifted_ids,
    _padded,
    _pairs,
    _a_number_per_token,
)


def planted_table(seed):
    """A table with a fault, the faults and their sizes in turn."""
    chance = random.Random(seed)
    fault, size = FAULTS[seed % len(FAULTS)], SIZES[seed // len(FAULTS) % len(SIZES)]
    auroc = 1 - REVERSED_AUROC[size] if fault in SHOWN_BY_LABELS else chance.uniform(0.6, 0.95)
    sample = Sample(chance, CASES[size], auroc, same_length=fault is _shifted_ids and chance.random() < 0.5)
    evidence = fault not in SHOWN_BY_LABELS or sample.evidence_of_direction(fault is _labels_the_other_way) >= SURE
    return PlantedTable(fault.__name__.strip("_"), size, fault(sample, SHARES[size]), sample.figures(), evidence)
