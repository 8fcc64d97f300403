"""What was asked for in vain: wishes that a later one overrides, and thresholds that nothing here is compared with."""

from collections.abc import Iterator, Sequence

from inspector.request import Request
from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.metrics.step_counts import asked_by_redundancy, redundancy_rows
from scoring.names import match_name

Wishes = Sequence[tuple[str | None, str]]
EVERY = "every scorer"


def wish_notes(request: Request, evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """A sentence for every threshold, rule or redundancy threshold that was asked for and decides nothing.

    Args:
        request: whose wishes were granted, so that every scorer in them is one of the evaluations.
        evaluations: all scorers.
    """
    names = [one.scorer.name for one in evaluations]
    numbered = [one.scorer.name for one in evaluations if one.rewards.redundancy.given.any()]
    yield from _overridden("--threshold", request.thresholds, names)
    yield from _overridden("--rule", request.rules, names)
    yield from _overridden("--redundancy", request.redundancy, numbered)
    if request.redundancy and not any(map(_cuts_redundancy, evaluations)):
        asked = " ".join(dict.fromkeys(wish for _, wish in request.redundancy))
        yield f"--redundancy {asked} changes nothing: no redundancy number of a scorer here is compared with it"


def _overridden(flag: str, wishes: Wishes, names: Sequence[str]) -> Iterator[str]:
    """A sentence for every wish that a later one for the same scorer, or for every one, contradicts.

    A wish for a scorer by name after one for every scorer is an exception and no contradiction.
    """
    meant = [(None if name is None else match_name(name, names, "scorer"), wish) for name, wish in wishes]
    for place, (name, wish) in enumerate(meant):
        later = [other for whose, other in meant[place + 1 :] if whose in {None, name}]
        if later and later[-1] != wish:
            yield f"{flag} {wish} is overridden by {later[-1]} for {name or EVERY}"


def _cuts_redundancy(evaluation: Evaluation) -> bool:
    """Whether redundancy numbers of the scorer decide a step somewhere, once there is a threshold for them."""
    facts = map(step_labelled, evaluation.gold.cases["benchmark"].unique().to_list())
    asked = (asked_by_redundancy(evaluation, one) for one in facts if one is not None)
    return any(bool(redundancy_rows(evaluation, rows, 0.0).numbers.any()) for rows in asked)
