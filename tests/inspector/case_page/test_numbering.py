"""From which number a scorer counts is told by what it was asked, and never guessed."""

import pytest

import making
from inspector.state.step_numbering import numbering
from scoring.formats.results.reasoneval import CRITIC_TITLE
from scoring.models.critics.protocols import PROTOCOLS

STEPS = ["one", "two", "three"]


def base_of(**settings):
    found = numbering(making.scorer(kind="critic", settings=settings), STEPS)
    return None if found is None else found.base


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_has_its_own_base(name):
    assert base_of(protocol=name) == PROTOCOLS[name].steps.base


def test_the_layout_that_was_used_comes_before_the_protocol():
    assert base_of(protocol="processbench", steps={"base": 1}) == 1
    # What says nothing leaves it to the protocol.
    for layout in ({"base": 7}, {"base": True}, {"base": "1"}, {}, 5, None):
        assert base_of(protocol="processbench", steps=layout) == 0


@pytest.mark.parametrize(
    ("settings", "base"),
    [
        ({"imported_from": CRITIC_TITLE}, 1),
        ({"protocol": "genprm", "options": {"analyze": "on"}}, 1),
        # Without an analysis nothing in its prompt has a number.
        ({"protocol": "genprm", "options": {"analyze": "off"}}, None),
        ({"protocol": "thinkprm", "options": {"numbered": "on"}}, 1),
        ({"protocol": "thinkprm", "options": {"numbered": "off"}}, None),
        ({"protocol": "rprm", "options": {}}, 1),
        ({"protocol": "rprm"}, None),
        ({"harness": "inspect"}, None),
        ({"protocol": "mine"}, None),
        ({}, None),
    ],
)
def test_others_say_it_or_it_is_not_known(settings, base):
    assert base_of(**settings) == base


@pytest.mark.parametrize(("base", "expected"), [(0, [0, 1, 2, None]), (1, [None, 0, 1, 2])])
def test_numbers_are_steps(base, expected):
    found = numbering(making.scorer(settings={"steps": {"base": base}}), STEPS)
    assert [found.step(number) for number in range(4)] == expected


def test_thinkprm_numbers_only_steps_with_text():
    scorer = making.scorer(settings={"protocol": "thinkprm", "options": {"numbered": "on"}})
    found = numbering(scorer, ["Step 1: a", "Step 2:", " ", "b"])
    assert [found.step(number) for number in range(4)] == [None, 0, 3, None]
