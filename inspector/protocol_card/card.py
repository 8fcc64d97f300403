"""The protocol card: how the number of a scorer on a benchmark came to be, as facts in words."""

from dataclasses import dataclass, replace

import numpy as np

from inspector.protocol_card.counting_facts import counting_facts
from inspector.protocol_card.fact import GROUPS, Fact, Group
from inspector.protocol_card.scorer_facts import decision_facts, scorer_facts
from inspector.protocol_card.warnings import warnings_of
from inspector.selection import Selection


@dataclass(frozen=True)
class Card:
    """The facts that make a scorer's official figure on a benchmark, in the order of GROUPS, and what to beware of."""

    scorer: str
    benchmark: str
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]

    def of(self, group: Group, name: str) -> Fact | None:
        """The fact of that name in a group, if there is one."""
        return next((fact for fact in self.facts if (fact.group, fact.name) == (group, name)), None)


def card(selection: Selection, scorer: str, benchmark: str) -> Card:
    """The card of one scorer (full name) on the shown cases of one benchmark."""
    alone = _alone(selection, scorer, benchmark)
    evaluation = alone.evaluation(scorer)
    facts = (
        *scorer_facts(evaluation, alone.folders.get(scorer)),
        *decision_facts(evaluation, alone, benchmark),
        *counting_facts(evaluation, alone, benchmark),
    )
    ordered = sorted(facts, key=lambda fact: GROUPS.index(fact.group))
    return Card(scorer, benchmark, tuple(ordered), tuple(warnings_of(alone, scorer, benchmark)))


def _alone(selection: Selection, scorer: str, benchmark: str) -> Selection:
    """The selection of this scorer and the shown cases of this benchmark alone, in file order."""
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask
    return replace(selection, chosen=(scorer,), shown=np.flatnonzero(within))
