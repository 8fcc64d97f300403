"""How settings become vLLM's; what they do is tested with a real vLLM in tests/on_vllm."""

from scoring.asking import Sampling
from scoring.engines.vllm_generate import arguments


def test_what_is_not_set_is_the_models_own_and_nothing_bounds_an_answer_that_was_not_to_be_bounded():
    assert arguments(Sampling(), {}) == {"max_tokens": None}
    assert arguments(Sampling(), {"temperature": 0.6, "max_tokens": 9}) == {"temperature": 0.6, "max_tokens": 9}


def test_what_is_set_holds_even_where_it_is_nought():
    given = arguments(Sampling(temperature=0.0, top_k=20, max_tokens=5, logprobs=0), {"temperature": 0.6, "top_p": 0.9})
    assert given == {"temperature": 0.0, "top_p": 0.9, "top_k": 20, "max_tokens": 5, "logprobs": 0}


def test_texts_that_end_an_answer_are_a_list():
    assert arguments(Sampling(stop=("a", "b")), {})["stop"] == ["a", "b"]
