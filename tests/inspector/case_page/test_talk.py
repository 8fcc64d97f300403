"""What generative PRMs wrote is told by steps, as the talks themselves went on."""

import json

import pytest

import making
import talking
from inspector.state.answer_blocks import ANALYSIS, CHECK, JUDGEMENT, THOUGHTS, told_talk
from scoring.models.asking import GeneratedAnswer, Sampling
from scoring.runs.generative.generative_catalogue import FAMILIES, is_talk
from scoring.runs.generative.talk import said

STEPS = ["one", "two"]
THINKS = GeneratedAnswer("I think.", finish_reason="stop", tokens_out=2)
CHECKS = GeneratedAnswer("print(1)\n```\nno box", finish_reason="stop", tokens_out=5)
OUTPUT = "ok\n<output>\n**Judgement**: $\\boxed"


def scorer(family, **options):
    every = FAMILIES[family].chosen_options(options)
    return making.scorer(settings={"protocol": family, "options": every})


def judges(word, before=OUTPUT):
    box = talking.box(word, Yes=0.9, No=0.1)
    return GeneratedAnswer(before + (box.text or ""), finish_reason="stop", tokens_out=9, logprobs=box.logprobs)


def kept(one, answers):
    """The JSON that a family's talks leave behind when they hear these answers, how many judgements it holds."""
    family = FAMILIES[one.settings["protocol"]]
    options = one.settings["options"]
    made = family.make(family.wording(None, options), options, Sampling(max_tokens=4000))
    texts, places, heard = [], 0, iter(answers)
    for talk in made.talks("problem", STEPS):
        calls = []
        next(talk)
        while True:
            answer = next(heard)
            calls.append(said(answer))
            try:
                talk.send(answer)
            except StopIteration as end:
                places += len(end.value.places)
                break
        texts.append(calls)
    assert next(heard, None) is None
    return json.dumps(texts), places


def shape(one, answers):
    return [(said.step, said.stage) for said in told_talk(one, *kept(one, answers))]


@pytest.mark.parametrize(("family", "first"), [("thinkprm", THOUGHTS), ("rprm", ANALYSIS)])
def test_a_talk_a_step(family, first):
    answers = [THINKS, talking.decides(_Yes=0.7, _No=0.3)] * 2
    assert shape(scorer(family), answers) == [(0, first), (0, JUDGEMENT), (1, first), (1, JUDGEMENT)]


def test_genprm_judges_in_the_first_round_or_later():
    answers = [THINKS, judges("Yes"), THINKS, CHECKS, judges("No")]
    expected = [(0, ANALYSIS), (0, JUDGEMENT), (1, ANALYSIS), (1, CHECK), (1, JUDGEMENT)]
    assert shape(scorer("genprm"), answers) == expected


def test_genprm_is_made_to_judge_after_its_last_round():
    answers = [THINKS, CHECKS, CHECKS, CHECKS, judges("Yes", before=""), THINKS, judges("No")]
    expected = [(0, ANALYSIS), *[(0, CHECK)] * 3, (0, JUDGEMENT), (1, ANALYSIS), (1, JUDGEMENT)]
    assert shape(scorer("genprm"), answers) == expected


def test_genprm_without_analysis_and_verification():
    direct = scorer("genprm", analyze="off", verify="off")
    assert shape(direct, [judges("Yes", before=""), judges("No", before="")]) == [(0, JUDGEMENT), (1, JUDGEMENT)]
    assert shape(scorer("genprm", verify="off"), [THINKS, judges("Yes", before="")] * 2) == [
        (0, ANALYSIS), (0, JUDGEMENT), (1, ANALYSIS), (1, JUDGEMENT),
    ]  # fmt: skip


def test_genprm_that_ran_out_of_tokens_judges_early():
    long = GeneratedAnswer("x" * 40, finish_reason="length", tokens_out=4000)
    answers = [long, judges("Yes", before=""), THINKS, judges("No")]
    expected = [(0, ANALYSIS), (0, JUDGEMENT), (1, ANALYSIS), (1, JUDGEMENT)]
    found = shape(scorer("genprm"), answers)
    assert [step for step, _ in found] == [step for step, _ in expected]


def test_a_talk_that_broke_off_ends_at_its_step():
    nothing = GeneratedAnswer("no box", finish_reason="stop", tokens_out=2)
    answers = [THINKS, judges("Yes"), THINKS, CHECKS, CHECKS, CHECKS, nothing]
    found = shape(scorer("genprm"), answers)
    assert found[-1] == (1, JUDGEMENT)
    assert [step for step, _ in found] == [0] * 2 + [1] * 5


def test_what_does_not_add_up_is_told_without_steps():
    one = scorer("genprm")
    answer, places = kept(one, [THINKS, judges("Yes"), THINKS, judges("No")])
    found = told_talk(one, answer, places + 3)
    assert [said.step for said in found] == [None] * 4
    assert [said.stage for said in found] == ["call 1", "call 2", "call 3", "call 4"]


@pytest.mark.parametrize("answer", ["", "words", "{}", "[1]", '[["a", 1]]', "[" * 100_000, '"text"'])
def test_what_is_no_talk_is_none(answer):
    assert told_talk(scorer("rprm"), answer, None) is None


def test_a_critic_does_not_talk():
    assert not is_talk(making.scorer(settings={"protocol": "processbench"}))
    assert is_talk(scorer("thinkprm"))
