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


def majority(answers, right):
    """Whether the most frequent answer is right; None where nobody has one."""
    voting = [answer for answer in answers if answer is not None]
    if not voting:
        return None
    winner = max(voting, key=lambda answer: (voting.count(answer), -voting.index(answer)))
    return right[answers.index(winner)]


def somers_d(x, y):
    concordant = discordant = pairs = 0
    for one, other in combinations(range(len(x)), 2):
        if x[one] != x[other]:
            pairs += 1
            concordant += (x[one] - x[other]) * (y[one] - y[other]) > 0
            discordant += (x[one] - x[other]) * (y[one] - y[other]) < 0
    return (concordant - discordant) / pairs if pairs else None
