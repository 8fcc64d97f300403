"""People's ratings of steps as PRM800K has them: -1 wrong, 0 right without progress, 1 right, null not rated.

Rows: `labeler, timestamp, is_quality_control_question, is_initial_screening_question, question, label`, with the keys
that the README of openai/prm800k explains (Lightman et al., arXiv 2305.20050). `generation` is left out: it says in
which round of theirs a solution was made. A step has one completion, the one that was chosen, so that the whole
solution comes back. `finish_reason` is `found_error` where a step is rated -1, `solution` where every step is rated
and none so and the final answer is not known to be wrong, else null.
"""

from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows.judged import Judged, ratings_of
from scoring.foreign_rows.line import Line


def line(case: Mapping[str, Any], of: Judged) -> Line:
    """The row of one case (a row of `scoring.schema.CASES`); of several people who agree, all are its labeler."""
    ratings = ratings_of(case, of)
    if isinstance(ratings, Line):
        return ratings
    rated = [one for one in of.words if one.ratings]
    row = {
        "labeler": ", ".join(one.who for one in rated),
        "timestamp": max(one.last for one in rated) or None,
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
            "steps": [_step(text, ratings.get(step)) for step, text in enumerate(case["steps"])],
            "total_time": None,
            "finish_reason": _finish(case, ratings),
        },
    }
    unrated = len(case["steps"]) - len(ratings)
    return Line(row, (("steps without a rating", unrated),) if unrated else ())


def _step(text: str, rating: int | None) -> dict[str, Any]:
    completion = {"text": text, "rating": rating, "flagged": False}
    return {"completions": [completion], "human_completion": None, "chosen_completion": 0}


def _finish(case: Mapping[str, Any], ratings: Mapping[int, int]) -> str | None:
    if -1 in ratings.values():
        return "found_error"
    whole = len(ratings) == len(case["steps"])
    return "solution" if whole and case["final_answer_correct"] is not False else None
