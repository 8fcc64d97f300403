import pytest
from msgspec.structs import replace

import talking
from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import GeneratedAnswer, Message, Sampling
from scoring.runs.generative.generative_catalogue import FAMILIES

ANALYSIS = GeneratedAnswer("Seems right.\n", finish_reason="stop", tokens_out=10)
BEGUN = "<analyze>\nLet's analyze the Paragraph {} step by step: "
CHECK = "<verify>\nCheck:\n```python\n"
OUTPUT = "<output>\n**Judgement**: $\\boxed"
SAMPLING = Sampling(0.6, 0.95, 20, 2048)


def prm(sampling=SAMPLING, **options):
    family = FAMILIES["genprm"]
    every = family.chosen_options({"check": "Check:", **options})
    return family.make(family.wording(None, every), every, sampling)


def judges(word, before="print(1)\n```\n", **top):
    """The model checks, imagines what comes of it, and judges."""
    answer = talking.box(word, **top)
    text = f"{before}</verify>\n{OUTPUT}{answer.text}"
    return replace(answer, text=text, logprobs=(talking.token(text[:-6]), *answer.logprobs))


def led(steps, *answers, **options):
    (talk,) = prm(**options).talks("What?", steps)
    return talking.led(talk, *answers)


def written(question):
    assert question.prompt[-1].role == "assistant"
    return question.prompt[-1].text


def test_a_step_is_analysed_checked_and_judged():
    (first, second), found = led(["one"], ANALYSIS, judges("Yes", Yes=0.8, No=0.2))
    assert [message.role for message in first.prompt] == ["system", "user", "assistant"]
    assert first.prompt[1] == Message("user", "What?\none")
    assert written(first) == BEGUN.format(1)
    assert first.sampling == replace(SAMPLING, stop=("</analyze>\n",))
    assert written(second) == f"{BEGUN.format(1)}Seems right.\n</analyze>\n{CHECK}"
    assert (second.sampling.stop, second.sampling.logprobs) == (("</output>\n",), 20)
    put = sum(-(-len(words) // 4) for words in (BEGUN.format(1), CHECK))
    assert second.sampling.max_tokens == 2048 - 10 - put
    assert found.rewards == pytest.approx((0.8,))


def test_the_critiques_of_earlier_steps_stay_in_the_conversation():
    yes = judges("Yes", Yes=0.9, No=0.1)
    questions, found = led(["one", "two"], ANALYSIS, yes, ANALYSIS, judges("No", Yes=0.3, No=0.7))
    third = questions[2]
    assert [message.role for message in third.prompt] == ["system", "user", "assistant", "user", "assistant"]
    assert third.prompt[2].text == f"{written(questions[1])}{yes.text}</output>\n"
    assert third.prompt[3] == Message("user", "two")
    assert written(third) == BEGUN.format(2)
    assert found.rewards == pytest.approx((0.9, 0.3))
    assert [place.token for place in found.places] == ["Yes", "No"]


def test_a_call_without_a_judgement_goes_on_behind_the_head_of_an_output():
    (_, second, third), found = led(
        ["one"], ANALYSIS, GeneratedAnswer("print(1)\n", tokens_out=5), judges("No", "1\n", Yes=0.1, No=0.9)
    )
    assert written(third) == f"{written(second)}print(1)\n[Code Output]\n\n```\n"
    assert third.sampling.max_tokens == second.sampling.max_tokens - 5 - 5
    assert found.rewards == pytest.approx((0.1,))


def test_a_box_that_is_not_in_an_output_is_no_judgement():
    code = GeneratedAnswer(r"print('\boxed{Yes}')", tokens_out=5, logprobs=(talking.token("Yes", 0.9, Yes=0.9),))
    questions, found = led(["one"], ANALYSIS, code)
    assert (len(questions), found) == (3, None)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_after_so_many_calls_it_is_made_to_judge_from_its_analysis(rounds):
    calls = [GeneratedAnswer("x", tokens_out=1)] * rounds
    questions, found = led(["one"], ANALYSIS, *calls, talking.box("Yes", Yes=0.6, No=0.4), rounds=str(rounds))
    assert len(questions) == 2 + rounds
    assert written(questions[-1]) == f"{BEGUN.format(1)}Seems right.\n</analyze>\n{OUTPUT}"
    assert questions[-1].sampling.max_tokens == 20
    assert found.rewards == pytest.approx((0.6,))


def test_so_it_is_when_its_tokens_are_used_up():
    long = GeneratedAnswer("and so on", finish_reason="length", tokens_out=2048)
    questions, found = led(["one"], long, talking.box("No", Yes=0.2, No=0.6))
    assert written(questions[1]) == f"{BEGUN.format(1)}and so on</analyze>\n{OUTPUT}"
    assert found.rewards == pytest.approx((0.25,))


def test_tokens_that_are_not_told_are_estimated():
    (_, second), _ = led(["one"], GeneratedAnswer("x" * 400))
    (_, told), _ = led(["one"], GeneratedAnswer("x" * 400, tokens_out=100))
    assert second.sampling == told.sampling


def test_the_last_call_is_made_once_and_without_a_box_there_is_no_reward():
    questions, found = led(
        ["one", "two"], ANALYSIS, *[GeneratedAnswer("x", tokens_out=1)] * 3, GeneratedAnswer("{maybe}")
    )
    assert len(questions) == 5
    assert (found.rewards, found.fault) == ((), ParseFault.NO_BOX)


def test_a_step_without_a_reward_ends_the_talk_and_earlier_ones_are_kept():
    yes = judges("Yes", Yes=0.9, No=0.1)
    questions, found = led(["one", "two", "three"], ANALYSIS, yes, ANALYSIS, replace(yes, logprobs=None))
    assert len(questions) == 4
    assert (found.rewards, found.fault) == (pytest.approx((0.9,)), ParseFault.NO_LOGPROBS)


def test_a_word_that_is_cut_into_tokens_is_no_reward():
    broken = replace(judges("Yes", Yes=0.9), logprobs=(talking.token("Y"), talking.token("es"), talking.token("}")))
    assert led(["one"], ANALYSIS, broken)[1].fault is ParseFault.SPLIT_WORD


def test_stages_can_be_left_out():
    (question,), _ = led(["one"], verify="off", analyze="off")
    assert written(question) == OUTPUT
    assert "boxed" in question.prompt[0].text
    (_, direct), found = led(["one"], ANALYSIS, talking.box("Yes", Yes=0.5, No=0.5), verify="off")
    assert written(direct) == f"{BEGUN.format(1)}Seems right.\n</analyze>\n{OUTPUT}"
    assert found.rewards == pytest.approx((0.5,))
    (alone, last), _ = led(["one"], GeneratedAnswer("x", tokens_out=3000), analyze="off")
    assert written(alone) == CHECK
    assert written(last) == f"{CHECK}x[Code Output]\n\n```\n</verify>\n{OUTPUT}"


def test_the_official_reader_looks_for_the_first_box_of_the_critique():
    early = replace(ANALYSIS, text="It could be \\boxed{No}.\n")
    last = judges("Yes", Yes=0.8, No=0.2)
    no = replace(last, logprobs=(talking.token("No", 0.6, No=0.6, Yes=0.3), *last.logprobs))
    assert led(["one"], early, no)[1].rewards == pytest.approx((0.8,))
    assert led(["one"], early, no, reader="official")[1].rewards == pytest.approx((1 / 3,))
    assert led(["one"], early, last, reader="official")[1].fault is ParseFault.SPLIT_WORD


def test_the_official_reader_gives_a_half_where_nothing_is_decided():
    calls = [ANALYSIS, *[GeneratedAnswer("x", tokens_out=1)] * 3, GeneratedAnswer("{maybe}")]
    assert led(["one"], *calls, reader="official")[1].rewards == (0.5,)
    nothing = talking.box("Yes", Yes=0.5)
    zero = replace(nothing.logprobs[1], logprob=-9999.0, top=(("Yes", -9999.0), ("No", -9999.0)))
    calls[-1] = replace(nothing, logprobs=(nothing.logprobs[0], zero, nothing.logprobs[2]))
    assert led(["one"], *calls, reader="official")[1].rewards == (0.5,)
    assert led(["one"], *calls)[1].fault is ParseFault.BOTH_ZERO
