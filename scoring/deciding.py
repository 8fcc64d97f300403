"""What a request asks of decisions, granted: every evaluation under its rule and at its threshold."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from scoring.boundary import check_rule
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.names import match_name
from scoring.protocols import Protocol as OfficialProtocol
from scoring.protocols import protocol_named
from scoring.wishes import CHOSEN, Surroundings, at_wish, check

Evaluations = tuple[Evaluation, ...]
Wishes = Sequence[tuple[str | None, str]]


class DecisionRequest(Protocol):
    """What is asked of decisions.

    Attributes:
        thresholds: Scorer's name (None = every scorer) and what is asked: see `scoring.wishes`; later pairs win.
        rules: The same with one of `scoring.boundary.RULES`.
        redundancy: The same with the number above which a step is redundant.
        protocol: The name of the protocol that decides what is not asked; None = each scorer's own rule.
    """

    @property
    def thresholds(self) -> Wishes: ...  # noqa: D102
    @property
    def rules(self) -> Wishes: ...  # noqa: D102
    @property
    def redundancy(self) -> Wishes: ...  # noqa: D102
    @property
    def protocol(self) -> str | None: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Deciding:
    """What a decision may look at beside the request: `chosen` names the scorers that are shown.

    `around` says for some evaluations what thresholds are tuned in; the shown cases may depend on any of them.
    """

    request: DecisionRequest
    chosen: tuple[str, ...]
    around: Callable[[Evaluations], Surroundings]


def decided(evaluations: Evaluations, how: Deciding) -> Evaluations:
    """Every evaluation under the rule and at the thresholds that the request, or the protocol it names, asks for it.

    One without a threshold stays as it is. What is tuned on the shown cases is so after all else is decided, since a
    condition may speak of any scorer.

    Raises:
        UsageError: no rule, threshold or scorer of that name, or one for a scorer by name that has none.
    """
    request = how.request
    protocol = protocol_named(request.protocol) if request.protocol else None
    rules = _asked(evaluations, request.rules, check_rule)
    if protocol:
        own = {one.scorer.name: protocol.rule(one.scorer) for one in evaluations if one.movable}
        rules = {name: rule for name, rule in own.items() if rule} | rules
    ruled = tuple(
        one.compared(*check_rule(rules[one.scorer.name])) if one.scorer.name in rules else one for one in evaluations
    )
    asked = _asked(ruled, request.thresholds, check)
    if protocol:
        asked = _tuned_by(protocol, [one for one in ruled if one.movable and one.scorer.name not in asked]) | asked
    best = {name: wish for name, wish in asked.items() if wish == "best"}
    by_name = {*how.chosen, *_asked(ruled, [pair for pair in request.thresholds if pair[0] is not None], check)}
    first = _granted(ruled, {name: wish for name, wish in asked.items() if name not in best}, how, by_name)
    return _redundant(_granted(first, best, how, by_name), request.redundancy)


def _tuned_by(protocol: OfficialProtocol, evaluations: Sequence[Evaluation]) -> dict[str, str]:
    """What a protocol asks of the thresholds of scorers by name.

    Raises:
        UsageError: the subset that it tunes a scorer on is not here.
    """
    asked = {one.scorer.name: protocol.threshold(one.scorer) for one in evaluations}
    for one in evaluations:
        subset = asked[one.scorer.name].removeprefix("from:")
        if asked[one.scorer.name] != subset and subset not in one.gold.subsets[0]:
            told = f"Import it, or give its threshold: --threshold {one.scorer.name}=X."
            raise UsageError(f"the protocol {protocol.name} tunes {one.scorer.name} on {subset}: not here.", told)
    return asked


def _asked(evaluations: Evaluations, wishes: Wishes, check: Callable[[str], object]) -> dict[str, str]:
    """What is asked for each scorer by name; a wish for all passes over those that have no threshold."""
    movable = {one.scorer.name: one.movable for one in evaluations}
    asked = {}
    for name, wish in wishes:
        for match in movable if name is None else [match_name(name, list(movable), "scorer")]:
            if name is None and not movable[match]:
                check(wish)
                continue
            asked[match] = wish
    return asked


def _granted(evaluations: Evaluations, asked: Mapping[str, str], how: Deciding, meant: set[str]) -> Evaluations:
    """Every evaluation at what is asked for it; what does not fit is an error for those that are `meant`.

    A wish for all is about the scorers that are shown: another one that it does not fit is in nobody's way.
    """
    around = how.around(evaluations)
    found = []
    for one in evaluations:
        name = one.scorer.name
        try:
            found.append(at_wish(one, asked[name], around) if name in asked else one)
        except UsageError:
            if name in meant:
                raise
            found.append(one)
    return tuple(found)


def _redundant(evaluations: Evaluations, wishes: Wishes) -> Evaluations:
    """The cut above which a step is redundant, where it was asked for; a wish for all is about those with numbers.

    Raises:
        UsageError: no number, or a scorer by name that gives no redundancy.
    """
    numbered = [one.scorer.name for one in evaluations if one.rewards.redundancy.given.any()]
    cuts: dict[str, float] = {}
    for name, wish in wishes:
        cut = check_number(wish)
        for match in numbered if name is None else [match_name(name, numbered, "scorer with redundancy numbers")]:
            cuts[match] = cut
    return tuple(
        replace(
            one,
            scorer=replace(one.scorer, redundancy_threshold=cuts[one.scorer.name], redundancy_threshold_source=CHOSEN),
        )
        if one.scorer.name in cuts
        else one
        for one in evaluations
    )


def check_number(wish: str) -> float:
    """The finite number in a wish.

    Raises:
        UsageError: it is none.
    """
    try:
        found = float(wish)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise UsageError(f"{wish!r} is no redundancy number.", "Give --redundancy a number, or SCORER=NUMBER.")
    return found
