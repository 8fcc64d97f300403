import pytest

from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import Encoded
from scoring.models.prms.prm_catalogue import adapter_of, detect
from scoring.models.prms.universal import UniversalPrm
from scoring.runs.tokenizer_file import TokenizerFile

torch = pytest.importorskip("torch")

import safetensors.torch  # noqa: E402  # needs torch

import byte_vocabulary  # noqa: E402  # stands with the one below
import tiny_families  # noqa: E402  # needs torch

CONFIG = {**tiny_families.QWEN, "architectures": ["Qwen2ForRewardModel"]}
SPECIALS = byte_vocabulary.QWEN_SPECIALS
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)


@pytest.fixture(scope="module", params=["score", "v_head.summary"])
def folder(request, tmp_path_factory):
    head = {f"{request.param}.weight": (1, 32)} | ({"v_head.summary.bias": (1,)} if "." in request.param else {})
    return tiny_families.write(tmp_path_factory.mktemp("universal") / "prm", CONFIG, SPECIALS, head=head)


def adapter(folder, **options):
    return tiny_families.adapter_for(folder, "universal", **options)


def card(folder, reference=None, end="<|im_end|>", at=-1):
    """The card's recipe: a chat with the reference, the steps so far as one text, one end token, one run a step."""
    tokenizer = tiny_families.transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    body, raw = tiny_families.stock(folder, "AutoModel"), safetensors.torch.load_file(folder / "model.safetensors")
    (weight,) = (tensor for name, tensor in raw.items() if tensor.shape == (1, 32))
    bias = raw.get("v_head.summary.bias", torch.zeros(1))
    for problem, steps in tiny_families.work(4):
        told = reference or "There is no reference answer for this question."
        messages = [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": f"{problem}\n\n###\n\nThe reference answer is: {told}"},
        ]
        chat = tokenizer.apply_chat_template(messages, chat_template=TEMPLATE, tokenize=False)
        found = []
        for number in range(1, len(steps) + 1):
            said = "\n\n".join(steps[:number]) + "\n\n"
            ids = [*tokenizer.encode(chat), *tokenizer.encode(said), tokenizer.convert_tokens_to_ids(end)]
            with torch.no_grad():
                state = body(torch.tensor([ids])).last_hidden_state[0, at]
            found.append((state @ weight[0] + bias).sigmoid().item())
        yield found


def test_rewards_equal_the_cards_recipe(folder):
    tiny_families.check_rewards(folder, adapter(folder), list(card(folder)))


def test_options_move_the_end_and_where_it_is_read(folder):
    expected = list(card(folder, end="<|endoftext|>", at=-2))
    tiny_families.check_rewards(folder, adapter(folder, end="endoftext", pooling="before-end"), expected)


def test_the_reference_answer_is_read(folder):
    one = adapter(folder)
    engine, encode = tiny_families.engine_for(folder, one), tiny_families.encoder_for(folder, one)
    encoded = [encode(problem, steps, "It is 12.\n#### 12") for problem, steps in tiny_families.work(4)]
    for found, expected in zip(tiny_families.rewards(engine, encoded), card(folder, "It is 12.\n#### 12"), strict=True):
        assert found == pytest.approx(expected, abs=1e-5)
    assert encode("p", ["s"], "12") != encode("p", ["s"], None) == encode("p", ["s"], "")
    assert one.reads == ("reference_answer",)


def test_a_hidden_reference_is_not_asked_for(folder):
    hidden = adapter(folder, reference="hidden")
    assert hidden.reads == ()
    assert hidden.settings != adapter(folder).settings


def test_there_is_a_sequence_a_step(folder):
    found = tiny_families.encoder_for(folder, adapter(folder))("p", ["a", "b", "c"])
    assert isinstance(found, Encoded)
    assert (found.n_positions, len(found.sequences)) == (3, 3)
    for one in found.sequences:
        assert one.positions == (len(one.ids) - 1,)


def test_strange_steps_cost_no_other_step_its_reward(folder):
    tiny_families.check_nasty_steps(folder, adapter(folder))


def test_a_case_that_is_too_long_is_refused(folder):
    tiny_families.check_limit(folder, lambda limit: UniversalPrm(tiny_families.HIDDEN, limit, "score", bias=False))


def test_the_family_is_seen_by_its_name_or_named(folder):
    named = tiny_families.Checkpoint.open(folder, "infly/Universal-PRM-7B")
    assert isinstance(adapter_of(named), UniversalPrm)
    other = tiny_families.Checkpoint.open(folder, "somebody/reward")
    assert detect(other)[0] != ("universal",)
    assert isinstance(adapter_of(other, "universal"), UniversalPrm)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ({}, "beside its body is nothing"),
        ({"score.weight": (2, 32)}, "score.weight 2x32"),
        ({"score.0.weight": (32, 32), "score.2.weight": (1, 32)}, "score.0.weight 32x32, score.2.weight 1x32"),
        ({"score.weight": (1, 32), "v_head.weight": (1, 32)}, "score.weight 1x32, v_head.weight 1x32"),
        ({"score.weight": (1, 32), "score.scale": (1,)}, "score.scale 1"),
        ({"adapter.gate.weight": (1, 32)}, "adapter.gate.weight 1x32"),
        ({"score.weight": (1, 64)}, "score.weight 1x64"),
    ],
)
def test_any_other_head_is_refused_with_what_was_found(tmp_path, head, words):
    folder = tiny_families.write(tmp_path / "prm", CONFIG, SPECIALS, head=head)
    with pytest.raises(ForeignCheckpoint, match=words):
        adapter(folder)


def test_a_vocabulary_without_the_special_tokens_is_refused(folder, tmp_path):
    byte_vocabulary.tiny(tmp_path / "tokenizer.json", ("<|im_start|>",))
    with pytest.raises(CheckpointError, match="no token"):
        adapter(folder).encoder(TokenizerFile(tmp_path / "tokenizer.json"))
