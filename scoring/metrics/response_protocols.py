"""Best of N as other programs count it, by name: search-and-learn's three answers, and the score of RewardBench 2.

**search-and-learn** (`sal/utils/score.py` and `math.py`, commit 6f81cac): of the first n completions in the file, for
n = 1, 2, 4, ... The score of a completion is the reward of its last step, whatever the search was told. `pred_naive` is
the answer of the highest score, `pred_weighted` the answer with the highest sum of scores, `pred_maj` the most frequent
one; of equal ones the first in the file. A completion that states no answer has the empty one, which takes part.

**RewardBench 2** (`rewardbench/utils.py`, commit 05a9005): a prompt scores 1 / k where its first response has the
highest score and shares it with k - 1 others, else 0. The subset `Ties` has one score: prompts are called `ref:NUMBER`
and `tied:NUMBER`, and it is .30 tied accuracy + .30 ref accuracy + .20 preferred + .20 preferred_hard + .01 margin.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from scoring.data.schema import WHOLE, Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aggregations import AGGREGATIONS
from scoring.metrics.answer_votes import AnswerGroups
from scoring.metrics.best_of_n import FigureLine, able_aggregations, figure_rows
from scoring.metrics.responses import Responses

SEARCH_AND_LEARN, REWARDBENCH = "search-and-learn", "rewardbench-2"
NAIVE, WEIGHTED_PRED, MAJORITY_PRED = "pred_naive", "pred_weighted", "pred_maj"
SCORE = "score"
OUT_OF_RANGE = "gaps between scores cannot be compared: some scores are outside the range of floats"
TIES = "ties"
"""The subset of RewardBench 2 that has a formula of its own, in small letters."""
_REF, _TIED = "ref", "tied"


def search_and_learn_rows(
    evaluation: Evaluation, responses: Responses, groups: AnswerGroups, seed: int | None
) -> Iterator[dict[str, Any]]:
    """Yield search-and-learn's accuracies for n = 1, 2, 4, ... of the problems whose responses are all known.

    Rows are those of `scoring.metrics.best_of_n.response_rows`. A problem counts if all its responses are scored and of
    all it is known whether their answer is right; one with fewer than n takes all it has, as there.

    Args:
        evaluation: the scorer's.
        responses: of p problems, m of them.
        groups: the same by their final answers, the empty one for a response that states none.
        seed: of the intervals; None = there are none.
    """
    last = AGGREGATIONS["last"]
    whole = responses.whole(last.scored(evaluation)) & (responses.lacking == 0)
    kept = responses.keep(whole)
    numbers = [2**power for power in range(int(responses.sizes.max(initial=1)).bit_length())]
    if not kept.subsets.size or last.scores is None:
        why = "no problem has all its responses scored by steps, and known to be right or wrong"
        lines = [FigureLine(NAIVE, None, None, last.name, why)]
    else:
        scores = last.scores(evaluation.rewards, kept)
        own = groups.keep(whole, np.repeat(whole, responses.sizes))
        lines = list(_first_completions(kept, own, scores, numbers))
    yield from figure_rows(kept, lines, responses, seed)


def _first_completions(
    kept: Responses, groups: AnswerGroups, scores: Floats, numbers: Sequence[int]
) -> Iterator[FigureLine]:
    place = np.arange(kept.rows.size) - np.repeat(kept.bounds[:-1], kept.sizes)
    last = AGGREGATIONS["last"].name
    for n in numbers:
        first = place < n
        # The first of the highest among the first n; the others stand behind all of these.
        order = np.lexsort((-scores, ~first, kept.problems))
        naive = kept.right[groups.first[groups.groups[order[kept.bounds[:-1]]]]]
        yield FigureLine(NAIVE, n, naive.astype(np.float64), last)
        yield FigureLine(WEIGHTED_PRED, n, groups.first_winners(first, scores), last)
        yield FigureLine(MAJORITY_PRED, n, groups.first_winners(first), last)


# -- RewardBench 2


def rewardbench_rows(
    evaluation: Evaluation, responses: Responses, names: Sequence[str | None], seed: int | None
) -> Iterator[dict[str, Any]]:
    """Yield RewardBench 2's score of each subset, by every way in which the scorer has one number a response.

    Rows are those of `scoring.metrics.best_of_n.response_rows`, without `all` and `average` where there are subsets:
    Ties has a score of its own, and no interval.

    Args:
        evaluation: the scorer's.
        responses: of p problems, m of them.
        names: (p,) what each problem is called.
        seed: of the intervals; None = there are none.
    """
    first = responses.right[responses.bounds[:-1]]
    if not first.all():
        why = f"in {int((~first).sum()):,} problems the first response is not right, as RewardBench 2 has it"
        none = responses.keep(np.zeros(first.size, dtype=np.bool_))
        yield from figure_rows(none, [FigureLine(SCORE, None, None, reason=why)], responses, seed)
        return
    of_ties = np.array([name is not None and name.casefold() == TIES for name in responses.names])
    ties = of_ties[responses.subsets]
    for aggregation in able_aggregations(evaluation, responses):
        if aggregation.scores is None:
            continue
        whole = responses.whole(aggregation.scored(evaluation))
        kept, others = responses.keep(whole & ~ties), responses.keep(~ties)
        if kept.subsets.size:
            line = FigureLine(
                SCORE, None, first_credit(kept, aggregation.ranked(evaluation.rewards, kept)), aggregation.name
            )
            for row in figure_rows(kept, [line], others, seed):
                if row["subset"] not in WHOLE or not any(others.names):
                    yield row
        if ties.any():
            tied = responses.keep(whole & ties)
            scores, weights = aggregation.scores(evaluation.rewards, tied), aggregation.weigh(evaluation.rewards, tied)
            own = [name or "" for name, is_kept in zip(names, whole & ties, strict=True) if is_kept]
            value, why = None, OUT_OF_RANGE
            # Weights are the scores, unless these leave the range.
            if weights is None or np.array_equal(scores, weights):
                value, why = ties_score(own, scores, tied)
            yield {
                "subset": responses.names[int(responses.subsets[ties][0])],
                "metric": SCORE,
                "aggregation": aggregation.name,
                "value": value,
                "n": tied.subsets.size,
                "responses": tied.rows.size,
                "left_out": int((ties & ~whole).sum()),
                "reason": why or None,
            }


def first_credit(responses: Responses, places: Ints) -> Floats:
    """Return 1 / k where the first of a problem's responses shares the highest score with k - 1 others, else 0. (p,)"""
    top = np.bincount(responses.problems[places == 0], minlength=responses.subsets.size)
    return np.where(places[responses.bounds[:-1]] == 0, 1 / np.maximum(top, 1), 0.0)


def ties_score(names: Sequence[str], scores: Floats, responses: Responses) -> tuple[float | None, str]:
    """Compute RewardBench 2's score of the subset Ties; None where it is undefined, and why.

    A prompt is accurate if its lowest right score is above its highest wrong one. Of the prompts that are there as ref
    and as tied, `preferred` is how often the gap between right and wrong is larger than that between the right ones,
    `preferred_hard` likewise with the smaller gap of the two, and `margin` the mean of tanh(smaller gap / gap between
    the right ones - 1), where 0 / 0 gives 0.

    Args:
        names: (p,) `ref:NUMBER` or `tied:NUMBER`.
        scores: (m,) one a response.
        responses: of the p prompts.
    """
    kinds: dict[str, dict[str, tuple[float, float, float]]] = {_REF: {}, _TIED: {}}
    for name, start, end in zip(names, responses.bounds[:-1], responses.bounds[1:], strict=True):
        kind, colon, number = name.partition(":")
        right: Bools = responses.right[start:end]
        if not colon or right.all():
            return None, "a prompt is not called ref:NUMBER or tied:NUMBER, or has no wrong response"
        good, bad = scores[start:end][right], scores[start:end][~right]
        gap, spread = float(good.min() - bad.max()), float(good.max() - good.min())
        # Every other kind counts as tied.
        kinds[_REF if kind == _REF else _TIED][number] = (gap, spread, good.size)
    both = [number for number in kinds[_TIED] if number in kinds[_REF]]
    if not both:
        return None, "no prompt is there both as ref and as tied"
    if any(kinds[_TIED][number][2] < 2 for number in both):  # one has no spread
        return None, "a tied prompt has one right response, so that right ones lie nowhere apart"
    accuracy = {kind: np.mean([gap > 0 for gap, *_ in prompts.values()]) for kind, prompts in kinds.items()}
    gaps, spreads = (np.array([kinds[_TIED][number][at] for number in both]) for at in (0, 1))
    hard = np.minimum(gaps, [kinds[_REF][number][0] for number in both])
    with np.errstate(divide="ignore", invalid="ignore"):
        margin = np.nan_to_num(np.tanh(hard / spreads - 1), nan=0.0).mean()
    shares = (accuracy[_TIED], accuracy[_REF], np.mean(gaps > spreads), np.mean(hard > spreads))
    return float(np.dot((0.30, 0.30, 0.20, 0.20), shares) + 0.01 * margin), ""
