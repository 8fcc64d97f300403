"""Problems with several responses, for tests.

A problem is (subset, responses), a response is (rewards, whether it is right): None for not scored, for not known.
"""

import numpy as np
from hypothesis import strategies as st

import making
import reference
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.metrics.responses import responses_of

REWARDS = (0.0, 0.1, 0.2, 0.25, 0.5, float(np.nextafter(0.5, 1)), 1.0, 1e-300, -0.5, -1e-300, 3.0)


def flat(problems):
    """The cases of problems, and the columns that say whose responses they are; problems take turns in the file."""
    order = [
        (number, place)
        for place in range(max(len(responses) for _, responses in problems))
        for number, (_, responses) in enumerate(problems)
        if place < len(responses)
    ]
    cases, ids, right = [], [], []
    for number, place in order:
        subset, responses = problems[number]
        rewards, correct = responses[place]
        cases.append(reference.Case(len(rewards) if rewards else 2, -1, rewards, subset=subset))
        ids.append(f"p{number}")
        right.append(correct)
    return cases, {"problem_id": ids, "final_answer_correct": right}


def evaluation(problems, rewards=None):
    """The evaluation of a scorer on the problems' responses, and these."""
    cases, columns = flat(problems)
    frame = making.full_frame(cases, **columns)
    given = making.rewards(cases) if rewards is None else rewards(frame["key"])
    found = evaluate(Gold(making.frame(cases, **columns)), making.scorer(), given)
    return found, responses_of(frame, frame["problem"], np.ones(len(cases), dtype=bool))


def responses(right=(True, False), least=2, most=5, values=REWARDS):
    rewards = st.lists(st.sampled_from(values), min_size=1, max_size=4).map(tuple)
    return st.lists(st.tuples(rewards, st.sampled_from(right)), min_size=least, max_size=most)


def problems(subsets=("one", "two"), **how):
    """Lists of problems, all of whose responses are scored and known."""
    return st.lists(st.tuples(st.sampled_from(subsets), responses(**how)), min_size=1, max_size=5)


# -- rows of files in which a problem stands with all its responses; every text is invented


def search_and_learn_row(number=0, answers=("12", "13"), scores=((0.9, 0.8), (0.3, 0.4)), **more):
    """A row as search-and-learn saves it; a None answer is a completion that states none."""
    completions = [
        f"## Step 1: take {place}\nWe take {place} pears.\n\n"
        + (f"Therefore, the final answer is: $\\boxed{{{answer}}}$. I hope it is correct." if answer else "And so on.")
        for place, answer in enumerate(answers)
    ]
    last = [rewards[-1] for rewards in scores]
    row = {
        "problem": f"How many pears are in basket {number}?",
        "solution": "There are twelve: $\\boxed{12}$.",
        "answer": "12",
        "subject": "Counting",
        "unique_id": f"test/pears/{number}.json",
        "completions": completions,
        "scores": [list(rewards) for rewards in scores],
        "pred": completions[last.index(max(last))],
        "completion_tokens": [20 + place for place in range(len(answers))],
        "agg_scores": last,
        "pred_naive@1": f"\\boxed{{{answers[0]}}}",
    }
    return {**row, **more}


def versa_row(number=0, answers=("A", "B"), truth="A", category="botany", **more):
    """A row of VersaPRM's evaluation data with rewards; the last chain was not inspected and has none."""
    chains = [
        {
            "steps": [f"Look at leaf {place}.", f"The answer is ({answer})."],
            "cot_id": str(place),
            "parsed_answer": answer,
            "parsed_answer_correctness": answer == truth,
            "prm_reward": [0.5, 0.25 * (place + 1)],
        }
        for place, answer in enumerate(answers)
    ]
    chains.append({**chains[0], "cot_id": "last", "steps": ["A leaf.", "So (A)."], "manually_inspected": False})
    del chains[-1]["prm_reward"]
    row = {"question": f"Which leaf is number {number}?", "options": ["a", "b"], "answer": truth}
    return {**row, "metadata": {"category": category, "src": "made"}, "chain_of_thoughts": chains, **more}


def rewardbench_rows_of_prompts(subset="Math", prompts=2, right=1):
    """Rows of RewardBench 2 with scores, a row a prompt."""
    names = ("good", "bad", "worse")
    return [
        {
            "text": [f"<|user|>\nName fruit {number}.\n<|assistant|>\nA {name} fruit." for name in names],
            "scores": [[0.5], 0.25, 0.5],
            "results": 0.5,
            "subset": subset,
            "id": str(number),
            "num_correct": right,
            "model": "org/judge",
            "model_type": "Seq. Classifier",
            "chat_template": "plain",
        }
        for number in range(prompts)
    ]


def math_aps_row(number=0):
    """A row of MATH-APS: three prefixes, of which the first is continued by the two others."""
    prefixes = {"Take two. ": 0.5, "Take two. So \\boxed{7}.": 1.0, "Take two. So \\boxed{8}.": 0.0}
    return {
        "question_id": f"q{number}",
        "question": f"What is sum {number}?",
        "final_answer": "7",
        "reasoning_steps": [{"solution_prefix": prefix, "mc_value": value} for prefix, value in prefixes.items()],
    }
