"""The token X-ray: whose text each token is, what is read, and what is said about it. For every family."""

import math
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")

import every_family  # needs torch
from scoring.data.readout import Encoded, Refused
from scoring.engines.trace import trace
from scoring.models.prms.prm_catalogue import ADAPTERS
from scoring.runs.xray import Case, add_numbers, longest, xray

CASE = Case("What is 3 the step?", ("the step is 4.", "so we take 12.\nIt is so", "the end is 7"))


@pytest.fixture(scope="module", params=ADAPTERS)
def prm(request, tmp_path_factory):
    return every_family.opened(tmp_path_factory.mktemp("families"), request.param)


@pytest.fixture(scope="module")
def qwen(tmp_path_factory):
    return every_family.opened(tmp_path_factory.mktemp("qwen"), "qwen")


def of(prm, case=CASE):
    case = Case(case.problem, case.steps, ("It is so.",) * len(prm.adapter.reads))
    return xray(prm.encoder, prm.tokenizer, case, separated=prm.facts.separated)


def said(found, part, step=None):
    """The text of the last sequence's tokens that are of this part."""
    last = max(token.sequence for token in found.tokens)
    return "".join(
        token.text
        for token in found.tokens
        if token.sequence == last and token.part == part and (step is None or token.step == step)
    )


def test_every_token_is_there_and_every_step_is_read_once(prm):
    found = of(prm)
    encoded, number, refused = longest(
        prm.encoder, Case(CASE.problem, CASE.steps, ("It is so.",) * len(prm.adapter.reads))
    )
    assert (number, refused, found.refused) == (3, "", "")
    assert [token.id for token in found.tokens] == [index for one in encoded.sequences for index in one.ids]
    assert [token.step for token in found.tokens if token.read] == [
        at for at in range(3) for _ in range(encoded.places)
    ]
    ends = {token.text for token in found.tokens if token.read}
    line = "step 1 holds '\\n', at which steps are read, once; only its own end is read"
    assert found.warnings == ([line] if ends == {"\n"} else [])


def test_the_texts_of_problem_and_steps_are_found(prm):
    found = of(prm)
    assert said(found, "problem").strip() == CASE.problem
    for step, text in enumerate(CASE.steps):
        # A family may number steps, and a last letter may be one token with what is written behind it.
        assert text.strip(".") in said(found, "step", step)
        assert len(said(found, "step", step)) <= len(text) + len(" Step 1: ")


def test_the_numbers_are_those_that_are_saved(prm):
    found = of(prm)
    encoded, _, _ = longest(prm.encoder, Case(CASE.problem, CASE.steps, ("It is so.",) * len(prm.adapter.reads)))
    engine = prm.engine()
    traced = trace(engine, encoded)
    add_numbers(found, traced)
    ((answer,),) = [batch.answers for batch in engine.read([encoded])][-1:]
    rewards = [token.reward for token in found.tokens if token.read]
    # Where several places make a reward it stands at each of them.
    assert rewards == pytest.approx([reward for reward in answer.rewards for _ in range(encoded.places)], abs=1e-5)
    weights = prm.adapter.readout.reward
    for token in (token for token in found.tokens if token.read):
        if encoded.places == 1:
            total = sum(w * v for w, v in zip(weights, token.values, strict=True))
            assert total == pytest.approx(token.reward, abs=1e-5)
        if prm.adapter.readout.transform == "softmax":
            total = sum(math.exp(logit) for logit in token.logits)
            assert token.values == pytest.approx([math.exp(logit) / total for logit in token.logits], abs=1e-5)
        assert (token.redundancy is None) == (prm.adapter.readout.redundancy is None)
    assert all(token.reward is None and token.logits is None for token in found.tokens if not token.read)


def test_special_tokens_that_stand_in_data_are_told(qwen):
    found = of(qwen, Case("p <|im_end|>", ("a<extra_0>b", "c")))
    assert any("the problem holds the text <|im_end|>: it is read as plain text" in line for line in found.warnings)
    assert any("step 0 holds '<extra_0>', at which steps are read, once" in line for line in found.warnings)
    assert said(found, "step", 0) == "a<extra_0>b<extra_0>"[: len("a<extra_0>b")]


def test_a_separator_that_is_one_token_with_text_is_told(qwen):
    class Merging:
        def __init__(self):
            self.added = {}

        def has(self, piece):
            return piece == "Ġ"

        def piece(self, index):
            return {1: "p", 2: "a", 3: ".Ċ", 4: "Ċ", 5: "@"}.get(index)

    def encode(problem, steps):
        ids, positions = [1 if problem == "p" else 5], []
        for step in steps:
            ids += [2, 3] if step == "a." else ([5, 4] if step == "@" else [2, 4])
            positions.append(len(ids) - 1)
        return Encoded(tuple(ids), tuple(positions))

    found = xray(encode, Merging(), Case("p", ("a", "a.")))
    assert found.warnings == ["the separator is one token with the text beside it at the end of steps 1"]
    assert [token.warning for token in found.tokens if token.read] == [
        "",
        "the separator is one token with text of the step",
    ]
    assert xray(encode, Merging(), Case("p", ("a", "a.")), separated=False).warnings == []


def test_a_refused_case_shows_as_many_steps_as_there_are_tokens_of(qwen):
    found = of(qwen, Case("p", ("a", "word " * 4000, "c")))
    assert "tokens are more than the" in found.refused
    assert found.steps == 1
    assert [token.step for token in found.tokens if token.read] == [0]
    none = of(qwen, Case("p" * 5000, ("a",)))
    assert (none.tokens, none.steps) == ([], 0)
    assert none.refused
    assert of(qwen, Case("p", ())).refused == "the case has no steps"


def test_a_stand_in_that_is_refused_leaves_a_text_unknown(qwen):
    def encode(problem, steps):
        return Refused("no") if "@" in (problem, *steps) else qwen.encoder(problem, steps)

    found = xray(encode, qwen.tokenizer, CASE)
    assert {token.part for token in found.tokens} == {"layout"}
    assert [token.step for token in found.tokens if token.read] == [0, 1, 2]


def test_a_number_that_is_none_is_told(qwen):
    found = of(qwen)
    number = SimpleNamespace(logits=(math.nan, 1.0), values=(math.nan, math.inf), reward=math.nan, redundancy=None)
    add_numbers(found, [number] * 3)
    read = [token for token in found.tokens if token.read]
    assert read[0].logits == [None, 1.0]
    assert read[0].warning == "the reward is not a finite number"
    assert found.document()["tokens"][-1]["part"] == "layout"
