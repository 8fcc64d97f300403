import pytest

import talking
from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import GeneratedAnswer, Message, Sampling
from scoring.runs.generative.generative_catalogue import FAMILIES
from scoring.runs.generative.talk import DECIDING

STEPS = ["## Step 1: Add.", "", "Step 3: Divide by {problem}."]


def prm(**options):
    family = FAMILIES["thinkprm"]
    every = family.chosen_options(options)
    return family.make(family.wording(None, every), every, Sampling(0.4, max_tokens=100))


def test_each_prefix_is_asked_about_and_its_score_is_the_reward_of_its_last_step():
    talks = prm().talks("What?", STEPS)
    assert len(talks) == 3
    found = [
        talking.led(talk, GeneratedAnswer("Fine.\n", finish_reason="stop"), talking.decides(_Yes=0.6, _No=chance))[1]
        for talk, chance in zip(talks, (0.2, 0.3, 0.4), strict=True)
    ]
    assert [one.rewards for one in found] == [pytest.approx((0.6 / (0.6 + no),)) for no in (0.2, 0.3, 0.4)]
    assert [one.places[0].token for one in found] == [" Yes"] * 3


def test_the_prompt_numbers_the_steps_that_have_text_and_thinking_stops_where_it_turns_to_the_next():
    first, second = talking.led(prm().talks("What?", STEPS)[2], GeneratedAnswer("Hm. "))[0]
    user, begun = first.prompt
    assert "[Math Problem]\n\nWhat?\n" in user.text
    assert "[Solution]\n\nStep 1: Add.\nStep 2: Divide by {problem}.\n" in user.text
    assert begun == Message("assistant", "<think>\n")
    stop = ("Is the solution correct?", "</think>", "Step 3:")
    assert first.sampling == Sampling(0.4, max_tokens=100, stop=stop)
    assert second.prompt == (user, Message("assistant", "<think>\nHm.\nIs the solution correct?"))
    assert second.sampling == DECIDING


def test_ten_steps_are_more_than_nine():
    (question,), _ = talking.led(prm().talks("?", [f"Step {n}: go" for n in range(1, 11)])[9])
    assert question.sampling.stop[-1] == "Step 11:"


def test_options():
    (first, second), _ = talking.led(
        prm(numbered="off", suffix="verify", opening="none").talks("?", ["Step 4: Add."])[0], GeneratedAnswer("Hm.")
    )
    assert "[Solution]\n\nAdd.\n" in first.prompt[0].text
    assert first.sampling.stop == ("Is the solution correct?", "</think>")
    assert first.prompt[1].text == "\nLet's verify step by step:"
    assert second.prompt[1].text == "\nLet's verify step by step:Hm.\nIs the solution correct?"
    (bare, _), lower = talking.led(prm(suffix="none", opening="none").talks("?", ["a"])[0], GeneratedAnswer("Hm."))
    assert len(bare.prompt) == 1
    assert lower is None
    _, lower = talking.led(
        prm(words="yes").talks("?", ["a"])[0], GeneratedAnswer("Hm."), talking.decides(_yes=0.1, _no=0.3)
    )
    assert lower.rewards == pytest.approx((0.25,))


@pytest.mark.parametrize("answer", [GeneratedAnswer("  \n"), GeneratedAnswer("", finish_reason="stop")])
def test_no_thoughts_are_no_score(answer):
    questions, found = talking.led(prm().talks("?", ["a"])[0], answer)
    assert len(questions) == 1
    assert (found.rewards, found.fault) == ((), ParseFault.EMPTY_ANSWER)


def test_thoughts_that_a_server_tells_apart_are_thoughts():
    questions, _ = talking.led(prm().talks("?", ["a"])[0], GeneratedAnswer("", reasoning="Hm.", finish_reason="stop"))
    assert questions[1].prompt[1].text == "<think>\nHm.\nIs the solution correct?"


def test_no_decision_is_no_score_and_never_the_fixed_one():
    for answer, fault in (
        (GeneratedAnswer("Yes"), ParseFault.NO_LOGPROBS),
        (GeneratedAnswer("Yes", logprobs=()), ParseFault.NO_LOGPROBS),
        (talking.decides(Yes=0.9, No=0.1), ParseFault.NO_WORD),
    ):
        _, found = talking.led(prm().talks("?", ["a"])[0], GeneratedAnswer("Hm."), answer)
        assert (found.rewards, found.fault) == ((), fault)
