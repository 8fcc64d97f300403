import pytest

import talking
from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import GeneratedAnswer, Message, Sampling
from scoring.runs.generative.generative_catalogue import FAMILIES
from scoring.runs.generative.talk import DECIDING

QUESTION = "Verification: Is the step correct (Yes/No)?"
SAMPLING = Sampling(0.95, top_p=0.95, max_tokens=50)


def prm(**options):
    family = FAMILIES["rprm"]
    every = family.chosen_options(options)
    return family.make(family.wording(None, every), every, SAMPLING)


def test_each_step_is_asked_about_with_those_before_it():
    talks = prm(first="(none)").talks("How {step}?", ["one", "two\nlines", "three"])
    prompts = [next(talk).prompt for talk in talks]
    assert [prompt[0].role for prompt in prompts] == ["system"] * 3
    ends = [prompt[1].text.partition("Question: ")[2] for prompt in prompts]
    assert ends == [
        "How {step}?\nPrevious Steps: (none)\nNow Step: Step 1: one",
        "How {step}?\nPrevious Steps: Step 1: one\nNow Step: Step 2: two\nlines",
        "How {step}?\nPrevious Steps: Step 1: one\nStep 2: two\nlines\nNow Step: Step 3: three",
    ]


def test_the_analysis_is_cut_behind_its_first_question():
    talk = prm().talks("?", ["a"])[0]
    analysis = GeneratedAnswer(f"It holds.\n{QUESTION} No\n{QUESTION} Yes")
    (first, second), found = talking.led(talk, analysis, talking.decides(_No=0.75, _Yes=0.25))
    assert first.sampling == SAMPLING
    assert second.sampling == DECIDING
    assert second.prompt == (*first.prompt, Message("assistant", f"It holds.\n{QUESTION}"))
    assert found.rewards == pytest.approx((0.25,))


def test_an_analysis_without_the_question_is_asked_it():
    questions, _ = talking.led(prm().talks("?", ["a"])[0], GeneratedAnswer("It holds. \n", finish_reason="length"))
    assert questions[1].prompt[-1] == Message("assistant", f"It holds.\n{QUESTION}")


def test_an_empty_analysis_is_no_reward():
    questions, found = talking.led(prm().talks("?", ["a"])[0], GeneratedAnswer(""))
    assert (len(questions), found.rewards, found.fault) == (1, (), ParseFault.EMPTY_ANSWER)


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        (f"{QUESTION} Yes.", 1.0),
        (f"{QUESTION}\nNo", 0.0),
        (f"{QUESTION} No {QUESTION} Yes", 0.0),
        ("Yes", 0.0),
        ("", 0.0),
    ],
)
def test_the_fork_reads_the_words(text, reward):
    questions, found = talking.led(prm(reader="text").talks("?", ["a"])[0], GeneratedAnswer(text))
    assert (len(questions), found.rewards, found.places, found.fault) == (1, (reward,), (None,), None)


def test_the_readers_have_names():
    assert [prm(reader=name).reader for name in ("softmax", "text")] == ["rprm-softmax-1", "rprm-text-1"]
