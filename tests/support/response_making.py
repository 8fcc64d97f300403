"""Problems with several responses, for tests.

A problem is (subset, responses), a response is (rewards, whether it is right): None for not scored, for not known.
"""

import numpy as np
from hypothesis import strategies as st

import making
import reference
from scoring.evaluations.evaluation import evaluate
from scoring.evaluations.step_rewards import Gold
from scoring.metrics.best_of_n import responses_of

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
