"""Log-ratio rewards against the authors' recipe, with the library's own models one text at a time."""

import json
from functools import cache

import pytest

import byte_vocabulary
from scoring.data.errors import CheckpointError, ForeignCheckpoint, UsageError
from scoring.data.readout import Encoded, Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.implicit import ImplicitPrm
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.engine_options import EngineOptions
from scoring.runs.preparation import prepare
from scoring.workspace.workspace import Workspace

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_families as tiny  # noqa: E402  # needs torch
from scoring.engines.transformers_engine import TransformersEngine  # noqa: E402  # needs torch

KINDS = {
    "qwen": (
        {**tiny.QWEN, "architectures": ["Qwen2ForCausalLM"]},
        byte_vocabulary.QWEN_SPECIALS,
        tiny.QWEN_TEMPLATE,
    ),
    "llama": (
        {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"]},
        byte_vocabulary.LLAMA_SPECIALS,
        tiny.LLAMA_TEMPLATE,
    ),
}


def write(folder, kind, seed=0, **changes):
    config, specials, template = KINDS[kind]
    tiny.write(folder, {**config, **changes}, specials, seed=seed)
    (folder / "chat_template.jinja").write_text(template)
    return folder


def write_both(root, kind):
    """The PRM, and a wider reference model whose output matrix is its embeddings."""
    wide = {"hidden_size": 48, "tie_word_embeddings": True, "vocab_size": tiny.ROWS + 20}
    return write(root / "EurusPRM-tiny", kind), write(root / "reference", kind, 7, **wide)


@pytest.fixture(scope="module", params=KINDS)
def folders(request, tmp_path_factory):
    return write_both(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Those of one kind, for what does not ask of which they are."""
    return write_both(tmp_path_factory.mktemp("pair"), "qwen")


def opened(folders, **options):
    policy, other = map(Checkpoint.open, folders)
    adapter = adapter_of(policy, "implicit", options)
    reference = adapter.reference_model(policy, other)
    load = TransformersEngine.load
    engine = load(policy, adapter.readout, dtype="float32", device="cpu", reference=reference)
    return adapter, engine, tiny.encoder_for(folders[0], adapter)


def recipe(folders, problem, steps, *, beta=0.001, card=False, single=False):
    """The authors' script, or the card: the whole chat once through each model, and places by counting tokens."""
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folders[0] / "tokenizer.json"))
    template = (folders[0] / "chat_template.jinja").read_text()
    texts = [f"Step {at + 1}: {step}" for at, step in enumerate(steps)]

    def chat(number):
        turns = [{"role": "user", "content": problem}, {"role": "assistant", "content": "\n\n".join(texts[:number])}]
        return tokenizer.apply_chat_template(turns, chat_template=template, tokenize=False)

    ids = tuple(tokenizer.encode(chat(len(texts)), add_special_tokens=False))
    ends = []
    for number in range(len(texts) + 1):
        text = chat(number).strip() + ("\n\n" if 0 < number < len(texts) else "")
        ends.append(len(tokenizer.encode(text, add_special_tokens=False)) - 2)
    gaps = logps(folders[0], ids) - logps(folders[1], ids)
    mask = torch.zeros(len(ids) - 1)
    mask[ends[0] - (1 if card else 0) :] = 1.0
    sums = (beta * gaps * mask).cumsum(-1)[torch.tensor(ends[1:]).clamp(0, len(ids) - 2)]
    return (sums.diff(prepend=torch.zeros(1)) if single else sums).tolist()


stock = cache(tiny.stock)


@cache
def logps(folder, ids):
    """The log-probability of every token but the first."""
    with torch.no_grad():
        shares = stock(folder, "AutoModelForCausalLM")(torch.tensor([ids])).logits[0, :-1].log_softmax(-1)
    return shares.gather(-1, torch.tensor(ids[1:]).unsqueeze(-1)).squeeze(-1)


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, {}),
        ({"sum": "single", "beta": "0.005"}, {"single": True, "beta": 0.005}),
        ({"offsets": "card"}, {"card": True}),
    ],
)
def test_rewards_equal_the_authors_recipe_alone_and_in_batches(folders, options, asked):
    _, engine, encode = opened(folders, **options)
    expected = [recipe(folders, *one, **asked) for one in tiny.work(5)]
    spread = max(map(max, expected)) - min(map(min, expected))
    assert spread > 0.01
    encoded = [encode(*one) for one in tiny.work(5)]
    for budget in (1, 300, 100_000):
        engine.token_budget = budget
        for one, other in zip(tiny.rewards(engine, encoded), expected, strict=True):
            assert one == pytest.approx(other, abs=1e-5)
            # The sums are of many tokens: what is left of a tolerance of 1e-5 is little where beta is 0.001.
            assert one == pytest.approx(other, rel=1e-4, abs=2e-6)


def test_a_sigmoid_is_one_of_the_same_number_with_the_same_verdict(folders):
    (plain, engine, encode), (bent, other, _) = opened(folders), opened(folders, output="sigmoid")
    encoded = [encode(*one) for one in tiny.work(5)]
    for one, two in zip(tiny.rewards(engine, encoded), tiny.rewards(other, encoded), strict=True):
        assert two == pytest.approx(torch.tensor(one).sigmoid().tolist(), abs=1e-6)
        assert [r < plain.scale.threshold for r in one] == [r < bent.scale.threshold for r in two]


def test_exact_ends_are_those_of_the_steps_own_texts(folders):
    _, engine, encode = opened(folders, offsets="exact")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folders[0] / "tokenizer.json"))
    for problem, steps in tiny.work(4):
        found = encode(problem, steps)
        assert isinstance(found, Encoded)
        counted = found.ids[found.since + 1 : found.positions[-1] + 2]
        said = "\n\n".join(f"Step {at + 1}: {step}" for at, step in enumerate(steps))
        assert tokenizer.decode(list(counted)).rstrip("\n") == said.rstrip("\n")
        written = ""
        for at, (position, step) in enumerate(zip(found.positions, steps, strict=True), 1):
            written += f"Step {at}: {step}"
            here = tokenizer.decode(list(found.ids[found.since + 1 : position + 2]))
            # The last token may hold newlines behind the step, and no letter of the next one.
            assert here.startswith(written.rstrip("\n"))
            assert set(here[len(written) :]) <= {"\n"}
            written += "\n\n"
    problem, steps = tiny.work(4)[1]
    found = encode(problem, steps)
    gaps = logps(folders[0], found.ids) - logps(folders[1], found.ids)
    expected = [0.001 * gaps[found.since : end + 1].sum().item() for end in found.positions]
    assert tiny.rewards(engine, [found])[0] == pytest.approx(expected, abs=1e-6)


def test_an_exact_end_is_no_end_of_the_turn_where_blanks_are_taken_off(folders):
    _, _, encode = opened(folders, offsets="exact")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folders[0] / "tokenizer.json"))
    found = encode("p?", ["a", "b \n\n"])
    counted = found.ids[found.since + 1 : found.positions[-1] + 2]
    assert tokenizer.decode(list(counted)).rstrip() == "Step 1: a\n\nStep 2: b"


@pytest.mark.parametrize("offsets", ImplicitPrm.OPTIONS["offsets"])
def test_no_step_is_taken_for_anything_but_a_step(folders, offsets):
    """Separators, numbers of steps and special tokens within texts move no end of another step's."""
    _, engine, encode = opened(folders, offsets=offsets)
    plain = encode("p?", ["a step.", "two", "the last."])
    before = tiny.rewards(engine, [plain])[0][0]
    added = {*range(len(byte_vocabulary.tiny_ranks()), tiny.ROWS)}
    marks = [index for index in plain.ids if index in added]
    for text in (*tiny.NASTY, "\n\nStep 4: x\n\nStep 2: y", "Step 2: Step 2: "):
        found = encode("p?", ["a step.", text, "the last."])
        if isinstance(found, Refused):
            assert len(text) > tiny.POSITIONS
            continue
        assert found.n_positions == 3
        assert [index for index in found.ids if index in added] == marks
        # What counts for the first step ends before the text of the next one.
        assert tiny.rewards(engine, [found])[0][0] == pytest.approx(before, abs=1e-6)
    assert encode("p?", []) == Refused("the case has no steps")


def test_a_case_that_is_too_long_is_refused(folders):
    tiny.check_limit(folders[0], lambda limit: ImplicitPrm(tiny.HIDDEN, limit, *kind_of(folders)))


def kind_of(folders):
    return (json.loads((folders[0] / "config.json").read_text())["model_type"],)


# -- the reference model


def prepared(pair, **settings):
    return prepare(Workspace(None), str(pair[0]), reference=str(pair[1]), **settings)


def test_both_models_are_what_the_scorer_is(pair, tmp_path):
    one = prepared(pair)
    assert any(note == "rewards are ratios to reference" for note in one.notes)
    assert one.scorer.settings["reference"]["files"].keys() == {"config.json", "tokenizer.json", "model.safetensors"}
    other = write(tmp_path / "other", "qwen", seed=9)
    assert prepared((pair[0], other)).scorer.fingerprint != one.scorer.fingerprint
    assert prepared(pair).scorer.fingerprint == one.scorer.fingerprint


def test_a_reference_is_demanded_and_is_another_model(pair):
    with pytest.raises(UsageError, match="ratios to a reference model, and none is named"):
        prepare(Workspace(None), str(pair[0]))
    with pytest.raises(UsageError, match="the PRM itself, so that every reward would be 0"):
        prepared((pair[0], pair[0]))
    with pytest.raises(UsageError, match="which neither vLLM nor a server gives"):
        prepared(pair, running=EngineOptions(engine="vllm"))


def test_a_reference_of_a_family_that_has_none_is_refused(pair, tmp_path):
    import every_family

    with pytest.raises(UsageError, match="are ratios to no other model"):
        prepare(Workspace(None), str(every_family.write(tmp_path, "qwen")), reference=str(pair[1]))


def test_a_reference_with_other_tokens_is_refused(pair, tmp_path):
    other = write(tmp_path / "other", "qwen")
    ranks = byte_vocabulary.tiny_ranks()
    ranks[b"+"], ranks[b"!"] = ranks[b"!"], ranks[b"+"]
    byte_vocabulary.write(other / "tokenizer.json", ranks, KINDS["qwen"][1])
    with pytest.raises(
        ForeignCheckpoint, match=r"other has another vocabulary than .*: '!' is 0 here and 10 there \(2"
    ):
        prepared((pair[0], other))
    byte_vocabulary.write(other / "tokenizer.json", byte_vocabulary.tiny_ranks(), KINDS["qwen"][1][::-1])
    with pytest.raises(ForeignCheckpoint, match="another vocabulary"):
        prepared((pair[0], other))
    added = (*KINDS["qwen"][1], "<added here>")
    byte_vocabulary.write(other / "tokenizer.json", byte_vocabulary.tiny_ranks(), added)
    assert prepared((pair[0], other)).scorer
    byte_vocabulary.write(other / "tokenizer.json", byte_vocabulary.tiny_ranks(), KINDS["qwen"][1][:-1])
    with pytest.raises(ForeignCheckpoint, match=r"<\|.*\|>' is \d+ here and unknown there \(1 tokens differ"):
        prepared((pair[0], other))
    (other / "tokenizer.json").write_text("[]")
    with pytest.raises(CheckpointError, match="not a tokenizer that can be compared"):
        prepared((pair[0], other))


def test_a_reference_with_too_few_rows_or_no_language_model_is_refused(pair, tmp_path):
    with pytest.raises(ForeignCheckpoint, match=r"knows 200 tokens, and EurusPRM-tiny has the id"):
        prepared((pair[0], write(tmp_path / "few", "qwen", vocab_size=200)))
    headless = write(tmp_path / "headless", "qwen")
    tensors = tiny.safetensors.torch.load_file(headless / "model.safetensors")
    del tensors["lm_head.weight"]
    tiny.safetensors.torch.save_file(tensors, headless / "model.safetensors")
    with pytest.raises(ForeignCheckpoint, match=r"lm_head\.weight is missing"):
        prepared((pair[0], headless))


def test_weights_that_are_not_finite_are_told_of_either_model(pair, tmp_path):
    broken = write(tmp_path / "broken", "qwen")
    tensors = tiny.safetensors.torch.load_file(broken / "model.safetensors")
    tensors["lm_head.weight"][3] = torch.nan
    tiny.safetensors.torch.save_file(tensors, broken / "model.safetensors")
    _, engine, encode = opened((pair[0], broken))
    with pytest.raises(CheckpointError, match=r"broken.* holds numbers that are not finite"):
        list(engine.read([encode("p?", ["a"])]))


def test_the_family_is_seen_by_its_name_or_asked_for(pair):
    for name in ("PRIME-RL/EurusPRM-Stage2", "Llama-3.1-8B-ImplicitPRM-DPO"):
        assert isinstance(adapter_of(Checkpoint.open(pair[0], name)), ImplicitPrm)
    other = Checkpoint.open(pair[0], "somebody/model")
    assert isinstance(adapter_of(other, "implicit"), ImplicitPrm)
    with pytest.raises(ForeignCheckpoint):
        adapter_of(other)
