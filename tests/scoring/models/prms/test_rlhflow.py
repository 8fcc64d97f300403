import pytest

import byte_vocabulary
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.rlhflow import RlhflowPrm

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_families as tiny  # noqa: E402  # needs torch

CONFIG = {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"]}
TURN = "<|start_header_id|>{{ turn.role }}<|end_header_id|>\n\n{{ turn.content | trim }}<|eot_id|>"
TEMPLATE = "<|begin_of_text|>{{ first }}{% for turn in messages %}" + TURN + "{% endfor %}"
SYSTEM = (
    "<|start_header_id|>system<|end_header_id|>\n\n"
    "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n<|eot_id|>"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("rlhflow"), CONFIG, byte_vocabulary.LLAMA_SPECIALS)


def rendered(folder, problem, steps, joiner, first):
    """The whole chat through the template, and its ids."""
    turns = []
    for index, step in enumerate(steps):
        turns += [
            {"role": "user", "content": f"{problem}{joiner}{step}" if index == 0 else step},
            {"role": "assistant", "content": "+"},
        ]
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    text = tokenizer.apply_chat_template(turns, chat_template=TEMPLATE, tokenize=False, first=first)
    return tokenizer.encode(text, add_special_tokens=False)


def plain(folder, joiner=" ", first="", *, whole=False):
    """PRMBench's recipe: the pattern around each `+` is looked for, and the token before the `+` is read."""
    model, parse = tiny.stock(folder, "AutoModelForCausalLM"), tiny.parsed(folder)
    pattern = parse("<|start_header_id|>assistant<|end_header_id|>\n\n+<|eot_id|>")
    plus, minus = parse("+")[0], parse("-")[0]
    expected = []
    for problem, steps in tiny.work(5):
        ids = rendered(folder, problem, steps, joiner, first)
        at = [start + len(pattern) - 3 for start in range(len(ids)) if ids[start : start + len(pattern)] == pattern]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits[0, at]
        shares = logits.softmax(-1)[:, plus] if whole else logits[:, [plus, minus]].softmax(-1)[:, 0]
        expected.append(shares.tolist())
    return expected


@pytest.mark.parametrize(
    ("options", "recipe"),
    [
        ({}, {}),
        ({"joiner": "blank-line"}, {"joiner": "\n\n"}),
        ({"system": "default"}, {"first": SYSTEM}),
        ({"softmax": "full-vocabulary"}, {"whole": True}),
    ],
)
def test_rewards_equal_a_plain_computation(folder, options, recipe):
    adapter = tiny.adapter_for(folder, "rlhflow", **options)
    if not recipe.get("whole"):
        tiny.check_rewards(folder, adapter, plain(folder, **recipe))
        return
    # Of 300 tokens none has a large share, so that the spread is no measure.
    engine, encode = tiny.engine_for(folder, adapter), tiny.encoder_for(folder, adapter)
    found = tiny.rewards(engine, [encode(problem, steps) for problem, steps in tiny.work(5)])
    for one, other in zip(found, plain(folder, **recipe), strict=True):
        assert one == pytest.approx(other, rel=1e-3, abs=1e-7)


def test_the_template_takes_blanks_off_both_ends_of_a_turn(folder):
    encode, steps = tiny.encoder_for(folder, tiny.adapter_for(folder, "rlhflow")), [" a \n", "", " \n\n", "\tb\n\nc "]
    for problem in ("p?", " p?\n", ""):
        assert list(encode(problem, steps).ids) == rendered(folder, problem, steps, " ", "")


def test_one_pass_reads_what_a_call_a_step_would(folder):
    adapter = tiny.adapter_for(folder, "rlhflow")
    model, encode = tiny.stock(folder, "AutoModelForCausalLM"), tiny.encoder_for(folder, adapter)
    problem, steps = tiny.work()[0][0], ["one.", "two is\nhere", "three"]
    found = tiny.rewards(tiny.engine_for(folder, adapter), [encode(problem, steps)])[0]
    for number, reward in enumerate(found, start=1):
        ids = rendered(folder, problem, steps[:number], " ", "")[:-2]
        with torch.no_grad():
            signs = model(input_ids=torch.tensor([ids])).logits[0, -1, [10, 12]]
        assert reward == pytest.approx(signs.softmax(-1)[0].item(), abs=1e-5)


def test_no_step_is_taken_for_anything_but_a_step(folder):
    tiny.check_nasty_steps(folder, tiny.adapter_for(folder, "rlhflow"))
    tiny.check_limit(folder, lambda limit: RlhflowPrm(tiny.HIDDEN, limit))


def test_blanks_before_the_first_step_go_where_that_is_chosen(folder):
    """The authors take blanks off a step before they put it behind the problem; the template takes off the others."""
    stripped = tiny.encoder_for(folder, tiny.adapter_for(folder, "rlhflow", blanks="stripped"))
    kept, steps = tiny.encoder_for(folder, tiny.adapter_for(folder, "rlhflow")), [" \n a ", " b", "c\n"]
    assert list(stripped("p?", steps).ids) == rendered(folder, "p?", [step.strip() for step in steps], " ", "")
    assert kept("p?", steps) != stripped("p?", steps) == kept("p?", ["a", "b", "c"])


def test_numbers_go_where_that_is_chosen(folder):
    encoder = tiny.encoder_for(folder, tiny.adapter_for(folder, "rlhflow", numbers="removed"))
    bare = tiny.encoder_for(folder, tiny.adapter_for(folder, "rlhflow"))
    assert encoder("p", ["Step 1. a", "2. b", "Step 3: c"]) == bare("p", ["a", "b", "Step 3: c"])


def test_what_is_chosen_is_in_the_settings_and_the_cut_follows_the_number(folder):
    chosen = [tiny.adapter_for(folder, "rlhflow", **{name: RlhflowPrm.OPTIONS[name][1]}) for name in RlhflowPrm.OPTIONS]
    settings = [tiny.adapter_for(folder, "rlhflow").settings, *(adapter.settings for adapter in chosen)]
    assert len({str(one) for one in settings}) == 6
    assert (chosen[0].scale.comparison, chosen[1].scale.comparison) == ("<=", "<")


def test_a_vocabulary_with_other_signs_is_refused(tmp_path, folder):
    other = byte_vocabulary.tiny_ranks()
    other[b"+"], other[b"!"] = other[b"!"], other[b"+"]
    tokenizer = byte_vocabulary.write(tmp_path / "tokenizer.json", other, byte_vocabulary.LLAMA_SPECIALS)
    with pytest.raises(CheckpointError, match="should end in 10 and 12"):
        tiny.encoder_for(tokenizer.parent, tiny.adapter_for(folder, "rlhflow"))


def test_a_checkpoint_without_an_output_matrix_is_refused(tmp_path):
    tied = tiny.write(tmp_path, {**CONFIG, "tie_word_embeddings": True}, byte_vocabulary.LLAMA_SPECIALS)
    with pytest.raises(ForeignCheckpoint, match=r"lm_head\.weight is missing"):
        RlhflowPrm.of(Checkpoint.open(tied))
