"""How settings become vLLM's; what they do is tested with a real vLLM in tests/on_vllm."""

from scoring.engines.vllm_generate import arguments
from scoring.models.asking import Sampling


def test_what_is_not_set_is_the_models_own_and_an_answer_may_go_on_to_the_end():
    assert arguments(Sampling(), {}, 90) == {"max_tokens": 90}
    assert arguments(Sampling(), {"temperature": 0.6, "max_tokens": 9}, 90) == {"temperature": 0.6, "max_tokens": 9}
    assert arguments(Sampling(max_tokens=100), {}, 90) == {"max_tokens": 90}


def test_what_is_set_holds_even_where_it_is_nought():
    told = Sampling(temperature=0.0, top_k=20, max_tokens=5, logprobs=0)
    given = arguments(told, {"temperature": 0.6, "top_p": 0.9}, 90)
    assert given.pop("return_tokens_as_token_ids")
    assert given == {"temperature": 0.0, "top_p": 0.9, "top_k": 20, "max_tokens": 5, "logprobs": 0}


def test_texts_that_end_an_answer_are_a_list():
    assert arguments(Sampling(stop=("a", "b")), {}, 90)["stop"] == ["a", "b"]
