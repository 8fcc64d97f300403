r"""The final answers of responses, read from their last `\boxed{...}`, and the vote of a problem's responses.

Two answers are the same iff their texts are, less blanks: `1/2` and `\frac{1}{2}` are two, so that the vote is never
more united than the responses are.
"""

import re
from collections.abc import Sequence

import numpy as np

from scoring.critics.boxed import vote
from scoring.metrics.responses import Responses
from scoring.step_rewards import Floats

_BOX = re.compile(r"\\boxed\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BLANK = re.compile(r"\s+")


def boxed_answer(steps: Sequence[str]) -> str | None:
    r"""The text in the last `\boxed{...}` of a response up to the brace that closes it, less blanks.

    None where there is no box, the last one is not closed, or nothing is in it.
    """
    for text in reversed(steps):
        boxes = list(_BOX.finditer(text))
        if boxes:
            return _closed(text, boxes[-1].end())
    return None


def _closed(text: str, start: int) -> str | None:
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return _BLANK.sub("", text[start : brace.start()]) or None
    return None


def majority_right(responses: Responses, answers: Sequence[str | None]) -> Floats:
    """Whether the most frequent final answer of each problem is right, 1.0 or 0.0; NaN where no response has one.

    Of equally frequent answers the one seen first wins, a response without one does not vote, and the answer counts as
    right iff the first response that has it is labelled so. Shape (p,).

    Args:
        responses: of p problems.
        answers: (m,) the final answer of each response.
    """
    found = np.full(responses.subsets.size, np.nan)
    for problem, (start, end) in enumerate(zip(responses.bounds[:-1], responses.bounds[1:], strict=True)):
        ballots = list(answers[start:end])
        winner = vote(ballots)
        if winner is not None:
            found[problem] = responses.right[start + ballots.index(winner)]
    return found


def contradicted(responses: Responses, answers: Sequence[str | None]) -> int:
    """In how many problems one and the same answer is labelled right in one response and wrong in another."""
    labels: dict[tuple[int, str], set[bool]] = {}
    for problem, right, answer in zip(responses.problems.tolist(), responses.right.tolist(), answers, strict=True):
        if answer is not None:
            labels.setdefault((problem, answer), set()).add(right)
    return len({problem for (problem, _), said in labels.items() if len(said) > 1})
