"""What two protocol cards have in common, and in what they differ."""

from dataclasses import dataclass

from inspector.protocol_card.card import Card
from inspector.protocol_card.fact import GROUPS, Group
from inspector.protocol_card.settings import UNTOLD

LACKING = "-"
"""Stands for a fact that only the other card has."""
ALWAYS = frozenset({"name", "about", "fingerprint"})
"""Facts that differ between any two scorers, and say nothing that the others do not."""


@dataclass(frozen=True)
class Pair:
    """One fact of two cards; what one of them lacks is LACKING."""

    group: Group
    name: str
    value: str
    other: str

    @property
    def same(self) -> bool | None:
        """Whether both say the same; None where neither says anything, so that nobody knows."""
        return None if self.value == self.other == UNTOLD else self.value == self.other


def differences(one: Card, other: Card) -> tuple[Pair, ...]:
    """Every fact of either card, in the order of GROUPS and in each as the first card has it."""
    facts = [{(fact.group, fact.name): fact.value for fact in card.facts} for card in (one, other)]
    places = sorted(dict.fromkeys([*facts[0], *facts[1]]), key=lambda place: GROUPS.index(place[0]))
    return tuple(Pair(*place, facts[0].get(place, LACKING), facts[1].get(place, LACKING)) for place in places)


def told(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """Those that differ and say something."""
    return tuple(pair for pair in pairs if pair.same is False and pair.name not in ALWAYS)
