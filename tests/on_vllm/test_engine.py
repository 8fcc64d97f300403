"""The tiny PRM through a real vLLM: the numbers of the transformers engine, in the order of the cases."""

import pytest

pytest.importorskip("torch")

import tiny_families  # needs torch
from scoring.checkpoint import Checkpoint  # stands with the ones around it
from scoring.opened import OpenedPrm  # stands with the ones around it
from scoring.prms.catalogue import adapter_of  # stands with the ones around it
from scoring.readout import Encoded  # stands with the ones around it
from vllm_rewards import TOLERANCE, check, encoded, loaded  # needs torch

pytestmark = pytest.mark.vllm


@pytest.fixture(scope="module")
def tiny(prm_folder):
    """The demo's tiny PRM, and vLLM with it."""
    checkpoint = Checkpoint.open(prm_folder)
    opened = OpenedPrm(checkpoint, adapter_of(checkpoint), "float32", "cpu")
    engine = loaded(opened, seats=4)
    yield engine, opened
    engine.close()


def test_the_two_layer_head_of_the_tiny_prm(tiny):
    engine, opened = tiny
    check(engine, opened, encoded(opened, 40))


def test_only_our_positions_are_read_where_the_tag_stands_elsewhere_too(tiny):
    engine, opened = tiny
    (case,) = encoded(opened, 1)
    tag = case.ids[case.positions[0]]
    more = Encoded((tag, *case.ids, tag), tuple(at + 1 for at in case.positions))
    assert tiny_families.rewards(engine, [more])[0] == pytest.approx(
        tiny_families.rewards(opened.engine(), [more])[0], abs=TOLERANCE
    )


def test_answers_come_in_the_order_of_the_cases_and_every_token_counts_once(tiny):
    engine, opened = tiny
    cases = sorted(encoded(opened, 30), key=lambda one: -len(one.ids))
    batches = list(engine.read(cases))
    assert [answer.index for batch in batches for answer in batch.answers] == list(range(len(cases)))
    assert sum(batch.tokens for batch in batches) == sum(one.n_tokens for one in cases)
    assert {batch.padding for batch in batches} == {0}


def test_a_case_of_several_sequences_is_one_answer(tiny):
    engine, opened = tiny
    one, other = encoded(opened, 2)
    whole = Encoded(one.ids, one.positions, (other,))
    first, second, both = tiny_families.rewards(engine, [one, other, whole])
    assert both == pytest.approx((*first, *second), abs=1e-6)


def test_left_early_it_reads_again_as_if_nothing_had_been(tiny):
    engine, opened = tiny
    cases = encoded(opened, 20)
    whole = tiny_families.rewards(engine, cases)
    reading = engine.read(cases)
    next(reading)
    reading.close()
    for one, other in zip(tiny_families.rewards(engine, cases), whole, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_the_name_says_what_ran(tiny):
    assert tiny[0].name.startswith("vllm 0.")
    assert tiny[0].name.endswith(", cpu, float32")
