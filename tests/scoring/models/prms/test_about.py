"""What is told of the families in words fits the families."""

import re

import pytest

from scoring.models.prms.about import ABOUT
from scoring.models.prms.family_facts import facts_of
from scoring.models.prms.prm_catalogue import ADAPTERS, family


def test_every_family_is_told_and_no_other():
    assert list(ABOUT) == list(ADAPTERS)


@pytest.mark.parametrize("name", ADAPTERS)
def test_words_keep_to_their_room(name):
    about = ABOUT[name]
    assert 0 < len(about.reads) <= 40
    assert about.thresholds
    assert {who for who, _ in about.thresholds} <= {"authors", "PRMBench", "ProcessBench", "GR-Ben"}


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_family_s_own_cut_is_one_that_somebody_uses(name):
    """Where a threshold is told as a number, the family's is among them."""
    told = " ".join(rule for _, rule in ABOUT[name].thresholds)
    numbers = set(map(float, re.findall(r"-?\d+(?:\.\d+)?", told)))
    scale = facts_of(family(name)).scale
    assert not numbers & {0.0, 0.5} or scale.threshold in numbers
