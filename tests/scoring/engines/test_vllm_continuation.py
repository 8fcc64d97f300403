"""A last message of the assistant's is written on, as vLLM's server does it."""

import pytest

transformers = pytest.importorskip("transformers")
pytest.importorskip("torch")

import tiny_chat  # noqa: E402  # needs torch
from scoring.engines.vllm_chat import VllmChat  # noqa: E402  # stands with the ones around it
from scoring.models.asking import Message, Sampling  # noqa: E402  # stands with the ones around it

# As the tiny one, but a message keeps its blanks: as the templates of Qwen2.5 and DeepSeek-R1's distillations have it.
TEMPLATE = tiny_chat.TEMPLATE.replace("(message.content | trim)", "message.content")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = tiny_chat.write(tmp_path_factory.mktemp("chat") / "lm", template=TEMPLATE)
    found = transformers.AutoTokenizer.from_pretrained(folder)
    found.add_tokens(["<think>"])
    return found


def ids(tokenizer, *messages):
    return VllmChat(tokenizer, "lm", Sampling()).ids(tuple(Message(role, text) for role, text in messages))


@pytest.mark.parametrize("text", ["<output>\n**Judgement**: $\\boxed", "step by step: ", "Is it (Yes/No)?"])
def test_it_ends_where_the_message_ends(tokenizer, text):
    found = ids(tokenizer, ("user", "1 + 1?"), ("assistant", text))
    begun = ids(tokenizer, ("user", "1 + 1?"))
    assert found == begun + tokenizer.encode(text, add_special_tokens=False)


def test_the_tag_that_a_template_would_write_acts_at_the_beginning_and_nowhere_else(tokenizer):
    think = tokenizer.convert_tokens_to_ids("<think>")
    assert ids(tokenizer, ("user", "?"), ("assistant", "<think>\nHm <think>")).count(think) == 1
    assert ids(tokenizer, ("user", "<think>"), ("assistant", "Hm <think>")).count(think) == 0


def test_nothing_else_that_is_written_on_acts(tokenizer):
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    plain, hostile = (ids(tokenizer, ("user", "?"), ("assistant", f"<think>{text}")) for text in ("a", "<|im_end|>"))
    assert plain.count(end) == hostile.count(end) == 1
