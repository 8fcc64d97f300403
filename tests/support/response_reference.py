"""Best of N, slow and obvious: every choice of responses is made, products are fractions."""

import math
from fractions import Fraction
from itertools import combinations

SCORES = ("product", "shifted_product", "min", "mean", "last")


def score(name, rewards, together):
    """The score of one response as a real number; `together` are the rewards of all responses of its problem."""
    if name == "product":
        return math.prod(map(Fraction, rewards))
    if name == "shifted_product":
        lowest = min(reward for response in together for reward in response)
        return math.prod(Fraction(reward - (lowest - 0.01)) for reward in rewards)
    if name == "mean":
        return math.fsum(rewards) / len(rewards)
    return min(rewards) if name == "min" else rewards[-1]


def scores(name, responses):
    return [score(name, rewards, responses) for rewards in responses]


def first_best(scored):
    """The number of the highest, of equal ones the first."""
    best = 0
    for number in range(1, len(scored)):
        if scored[number] > scored[best]:
            best = number
    return best


def best_of(scored, right, n):
    """The mean over every choice of n responses of whether the best of them is right."""
    choices = combinations(range(len(scored)), n)
    found = [right[chosen[first_best([scored[number] for number in chosen])]] for chosen in choices]
    return sum(found) / len(found)


def any_of(right, n):
    found = [any(right[number] for number in chosen) for chosen in combinations(range(len(right)), n)]
    return sum(found) / len(found)


def places(scored):
    """How many different scores are higher."""
    return [len({other for other in scored if other > one}) for one in scored]


def vote(answers, right, weights=None):
    """The share of right responses among the winners; answers that tie share the win, None does not vote."""
    weights = [1] * len(answers) if weights is None else weights
    sums = {}
    for answer, weight in zip(answers, weights, strict=True):
        if answer is not None:
            sums[answer] = sums.get(answer, 0) + Fraction(weight)
    if not sums:
        return Fraction(sum(right), len(right))
    shares = []
    for answer, total in sums.items():
        if total == max(sums.values()):
            own = [correct for other, correct in zip(answers, right, strict=True) if other == answer]
            shares.append(Fraction(sum(own), len(own)))
    return sum(shares) / len(shares)


def votes(n, *columns):
    """The mean of `vote` over every choice of n responses."""
    chosen = [vote(*zip(*some, strict=True)) for some in combinations(list(zip(*columns, strict=True)), n)]
    return float(sum(chosen) / len(chosen))


def search_and_learn(answers, scores, right, n):
    """What search-and-learn's `score` makes of the first n completions: naive, weighted and majority answers, right?

    A completion without an answer has the empty one; `scores` are those of its steps.
    """
    preds = ["" if answer is None else answer for answer in answers[:n]]
    agg_scores = [steps[-1] for steps in scores[:n]]
    naive = max(zip(preds, agg_scores, strict=True), key=lambda pair: pair[1])[0]
    sums, counts = {}, {}
    for pred, score in zip(preds, agg_scores, strict=True):
        sums[pred] = sums.get(pred, 0.0) + score
        counts[pred] = counts.get(pred, 0) + 1
    chosen = (naive, max(sums, key=sums.get), next(pred for pred in counts if counts[pred] == max(counts.values())))
    every = ["" if answer is None else answer for answer in answers]
    return [right[every.index(pred)] for pred in chosen]


def rewardbench(scores):
    """RewardBench 2's result of a prompt whose first response is the right one."""
    top = max(scores)
    return 1 / scores.count(top) if scores[0] == top else 0


def rewardbench_ties(prompts):
    """RewardBench 2's score of Ties: `prompts` are (kind, number, scores, how many of the first are right)."""
    stats = {"ref": {}, "tied": {}}
    for kind, number, scores, right in prompts:
        good, bad = scores[:right], scores[right:]
        stats[kind][number] = (min(good) - max(bad) > 0, max(good) - min(good), min(good) - max(bad))
    both = sorted(stats["ref"].keys() & stats["tied"].keys())
    preferred, hard, margins = [], [], []
    for number in both:
        _, spread, gap = stats["tied"][number]
        smaller = min(gap, stats["ref"][number][2])
        preferred.append(gap > spread)
        hard.append(smaller > spread)
        if spread:
            margins.append(math.tanh(smaller / spread - 1))
        else:
            margins.append(0.0 if not smaller else math.copysign(1.0, smaller))
    accuracies = [sum(accurate for accurate, *_ in stats[kind].values()) / len(stats[kind]) for kind in ("tied", "ref")]
    shares = [sum(values) / len(both) for values in (preferred, hard, margins)]
    return 0.3 * accuracies[0] + 0.3 * accuracies[1] + 0.2 * shares[0] + 0.2 * shares[1] + 0.01 * shares[2]


def somers_d(x, y):
    concordant = discordant = pairs = 0
    for one, other in combinations(range(len(x)), 2):
        if x[one] != x[other]:
            pairs += 1
            concordant += (x[one] - x[other]) * (y[one] - y[other]) > 0
            discordant += (x[one] - x[other]) * (y[one] - y[other]) < 0
    return (concordant - discordant) / pairs if pairs else None
