"""Pairs of scorers for checks: one as good, one better, one worse than its baseline, and some that nothing is known of.

Cases are two subsets of N erroneous and N clean ones each. Whoever is right about a case says so at 0.5.
"""

import making
import reference

N = 40


def write(root, *, extra=()):
    """A workspace of these cases and scorers; `extra` are further pairs of a scorer with its cases."""
    cases = plain()
    scored = [
        (making.scorer("old", settings={"dtype": "float32", "weights": {"revision": "a"}}), right(cases, old)),
        (making.scorer("worse", settings={"dtype": "float16", "weights": {"revision": "b"}}), right(cases, worse)),
        (making.scorer("same"), right(cases, old)),
        (making.scorer("better"), right(cases, better)),
        (making.scorer("slightly"), right(cases, slightly)),
        (making.scorer("half"), [replaced(case, True if at % 2 else None) for at, case in enumerate(cases)]),
        (making.scorer("rest"), [replaced(case, None if at % 2 else True) for at, case in enumerate(cases)]),
    ]
    made = making.workspace(root, cases, [*scored, *extra])
    return made, cases


def plain():
    """The cases without rewards: erroneous at step 1 of 3, or clean."""
    return [reference.Case(3, 1 if at < N else -1, subset=subset) for subset in ("one", "two") for at in range(2 * N)]


def right(cases, rule):
    """The cases with rewards that are right where `rule(place, case)` says so."""
    return [replaced(case, rule(at, case)) for at, case in enumerate(cases)]


def replaced(case, is_right):
    """The case with rewards that make it right or wrong; None: without a row."""
    if is_right is None:
        return reference.Case(case.n_steps, case.gold, None, "", case.subset)
    low = 1 if case.gold >= 0 else None
    if not is_right:
        low = None if case.gold >= 0 else 0
    rewards = tuple(0.1 if step == low else 0.9 for step in range(case.n_steps))
    return reference.Case(case.n_steps, case.gold, rewards, "", case.subset)


def old(at, _case):
    return at % 4 != 0


def worse(at, case):
    """Wrong about ten more erroneous cases of each subset, and right about none more."""
    return old(at, case) and not (case.gold >= 0 and at % 4 == 1)


def better(at, _case):
    return at % 8 != 0


def slightly(at, case):
    """One case lost and one won on each side of each subset."""
    return old(at, case) != (at % N in {1, 4})
