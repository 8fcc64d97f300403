"""Answers of a real vLLM: greedy ones are those of transformers, sampled ones follow their seed."""

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

pytest.importorskip("httpx")

import time  # noqa: E402  # stands with the ones below

from msgspec.structs import replace  # noqa: E402  # stands with the ones below

from scoring.data.errors import EngineError  # noqa: E402  # stands with the one above
from scoring.models.asking import Answered, GenerationRequest, Message, Noticed, Sampling  # noqa: E402  # needs torch behind it
from servers import vllm_server  # noqa: E402  # needs httpx

pytestmark = pytest.mark.vllm

CHAT_LENGTH = 2048
"""As `chat_child` was started."""


@pytest.fixture
def engine(chat_child):
    """The same engine with other settings: what a model is asked with does not change what is loaded."""

    def settled(**settings):
        chat_child.sampling = replace(Sampling(max_tokens=16, logprobs=3), **settings)
        return chat_child

    return settled


def asked(engine, *asks):
    found = {one.index: one.answers for one in engine.answers(iter(asks)) if isinstance(one, Answered)}
    return [found[ask.index] for ask in asks]


def ask(index=0, text="What is 1 + 1?", **changes):
    return GenerationRequest(index, (Message("user", text),), **changes)


def test_what_the_model_itself_sets_is_told_once(chat_child):
    first = [
        one for one in chat_child.answers(iter([ask(sampling=Sampling(max_tokens=4))])) if isinstance(one, Noticed)
    ]
    assert [one.sentence for one in first] == [
        f"vLLM runs tiny-chat with {CHAT_LENGTH:,} tokens of context; the model takes 8,192.",
        "What the settings leave open is the model's own default: temperature 0.5, min_p 0.001.",
    ]
    assert not any(isinstance(one, Noticed) for one in chat_child.answers(iter([ask()])))


def test_greedy_answers_and_their_log_probabilities_are_those_of_transformers(engine, chat_folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(chat_folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(chat_folder, dtype=torch.float32).eval()
    asks = [ask(index, f"Say {'more ' * index}of {index}.") for index in range(6)]
    found = asked(engine(temperature=0.0), *asks)
    for one, (answer,) in zip(asks, found, strict=True):
        prompt = tokenizer.apply_chat_template(
            [{"role": "user", "content": one.prompt[0].text}],
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=False,
        )
        whole = model.generate(prompt, max_new_tokens=16, do_sample=False)[0]
        said = whole[prompt.shape[1] :]
        # The last letter may have bytes to come; vLLM waits for them and tells none of it.
        whole_letters = tokenizer.decode(said, skip_special_tokens=True).rstrip("\ufffd")
        assert answer.text.rstrip("\ufffd") == whole_letters
        assert (answer.tokens_in, answer.tokens_out) == (prompt.shape[1], len(said))
        with torch.no_grad():
            expected = model(whole[None]).logits[0, prompt.shape[1] - 1 : -1].log_softmax(-1)
        for place, told in enumerate(answer.logprobs):
            assert told.logprob == pytest.approx(float(expected[place, said[place]]), abs=1e-4)
            assert [number for _, number in told.top] == pytest.approx(
                expected[place].topk(3).values.tolist(), abs=1e-4
            )


def test_three_answers_are_three_texts_and_a_seed_gives_them_again(engine):
    engine = engine(temperature=1.0)
    first, again, other = asked(engine, ask(0, count=3, seed=5), ask(1, count=3, seed=5), ask(2, count=3, seed=50))
    assert len({one.text for one in first}) == 3
    assert [one.text for one in again] == [one.text for one in first]
    assert [one.seed for one in first] == [5, 6, 7]
    assert not {one.text for one in other} & {one.text for one in first}
    assert {one.tokens_in for one in first} == {first[0].tokens_in}


def test_without_a_seed_every_answer_is_another(engine):
    (answers,) = asked(engine(temperature=1.0), ask(count=4))
    assert len({one.text for one in answers}) == 4
    assert {one.seed for one in answers} == {None}


def test_a_greedy_critic_can_be_asked_several_times(engine):
    (answers,) = asked(engine(temperature=0.0), ask(count=3, seed=1))
    assert len({one.text for one in answers}) == 1


def test_why_an_answer_ended_is_told(engine):
    (short,) = asked(engine(temperature=0.0, max_tokens=2), ask())
    assert (short[0].finish_reason, short[0].tokens_out) == ("length", 2)
    (whole,) = asked(engine(temperature=0.0, max_tokens=None), ask())
    assert whole[0].tokens_out > 16
    cut = whole[0].text[5:8]
    (stopped,) = asked(engine(temperature=0.0, max_tokens=None, stop=(cut,)), ask())
    assert (stopped[0].finish_reason, stopped[0].text) == ("stop", whole[0].text.partition(cut)[0])


def test_a_prompt_that_is_too_long_is_answered_with_a_reason_and_the_others_are_asked(engine):
    long, short = asked(engine(), ask(0, "x" * 5000, count=2), ask(1))
    assert [(one.text, one.lasting) for one in long] == [(None, True)] * 2
    assert f"tokens of the {CHAT_LENGTH:,}" in long[0].reason
    assert short[0].text is not None


def test_answers_are_generated_together_and_no_more_asks_are_drawn_than_that(engine, record_property):
    engine, drawn, ahead = engine(temperature=1.0, max_tokens=100), [], []

    def asks():
        for index in range(300):
            drawn.append(index)
            yield ask(index, seed=index)

    with vllm_server.Watch(engine.child.url, time.monotonic) as watch:
        for one in engine.answers(asks()):
            if isinstance(one, Answered):
                ahead.append(len(drawn) - len(ahead))
    assert len(ahead) == 300
    assert 30 < max(ahead) < 300, "few were asked at a time, or all were drawn at once"
    record_property("answers that vLLM ran together", f"{watch.busy():.1f}")
    # How many of them run together depends on what else the machine does; asked one by one it would be 1.
    assert watch.busy() > 1


@pytest.mark.parametrize("settings", [{"temperature": -1.0}, {"top_p": 2.0}])
def test_settings_that_vllm_does_not_take_end_the_run(engine, settings):
    with pytest.raises(EngineError, match="refuses every request"):
        asked(engine(**settings), *(ask(index) for index in range(10)))


def test_every_ask_is_answered_with_as_many_answers_as_were_asked_for(engine):
    asks = [ask(index, f"{index}?", count=1 + index % 4, seed=index) for index in range(25)]
    found = asked(engine(temperature=1.0, max_tokens=3), *asks)
    assert [len(answers) for answers in found] == [one.count for one in asks]
    assert all(answer.text is not None and answer.reason is None for answers in found for answer in answers)


def test_who_has_nothing_to_ask_before_an_answer_is_drawn_from_again_after_one(engine):
    engine, open_asks, answered = engine(temperature=1.0, max_tokens=3), list(range(9)), []

    def asks():
        """One at a time: the next when the last is answered."""
        given = 0
        while open_asks:
            if given > len(answered):
                yield None
            else:
                given += 1
                yield ask(open_asks.pop(0), seed=1)

    for one in engine.answers(asks()):
        answered += [one.index] if isinstance(one, Answered) else []
    assert answered == list(range(9))


def test_an_asker_may_pause_before_the_first_ask_and_at_the_end(engine):
    asks = iter([None, None, ask(0), None, ask(1, "x" * 5000), None])
    answered = [one for one in engine(max_tokens=2).answers(asks) if isinstance(one, Answered)]
    assert sorted(one.index for one in answered) == [0, 1]
    assert {one.index: one.calls for one in answered} == {0: 1, 1: 0}


def test_left_early_nothing_goes_on_and_it_can_be_asked_again(engine):
    engine = engine(temperature=0.0, max_tokens=None)
    answering = engine.answers(ask(index, f"{index}?") for index in range(20))
    next(one for one in answering if isinstance(one, Answered))
    answering.close()
    (answers,) = asked(engine, ask(3, "3?"))
    assert answers[0].text is not None
    end = time.monotonic() + 10
    while (told := vllm_server.counted(engine.child.url)) and told["running"] and time.monotonic() < end:
        time.sleep(0.1)
    assert (told["running"], told["waiting"]) == (0, 0)


def test_long_prompts_with_seeds_side_by_side(engine):
    """Together they are longer than one pass: cut into pieces, on a CPU, they would end the engine."""
    asks = [ask(index, f"{index} " * 700, count=2, seed=index) for index in range(8)]
    found = [answer for answers in asked(engine(max_tokens=2), *asks) for answer in answers]
    assert len(found) == 16
    assert all(answer.reason is None for answer in found)
