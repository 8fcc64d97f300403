import json
import random
from functools import cache

import numpy as np
import pytest

import checkpoints
from scoring.data.errors import CheckpointError, EngineError, ForeignCheckpoint
from scoring.data.readout import Encoded, Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.models.prms.qwen import SYSTEM
from scoring.runs.tokenizer_file import TokenizerFile

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
safetensors_torch = pytest.importorskip("safetensors.torch")

from scoring.engines.trace import trace  # noqa: E402  # needs torch
from scoring.engines.transformers_engine import TransformersEngine  # noqa: E402  # needs torch

TEMPLATE = "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"


def loaded(folder, dtype="float32", **settings):
    checkpoint = Checkpoint.open(folder)
    adapter = adapter_of(checkpoint)
    engine = TransformersEngine.load(checkpoint, adapter.readout, dtype=dtype, device="cpu", **settings)
    return engine, adapter.encoder(TokenizerFile(checkpoint.tokenizer))


@pytest.fixture(scope="session", params=["two", "one"])
def folder(request, tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp(request.param), kind=request.param)


@pytest.fixture(scope="session")
def two(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="session")
def engine(two):
    return loaded(two)


@cache
def stock(folder):
    """The library's own tokenizer and body of a checkpoint, and its tensors."""
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    raw = safetensors_torch.load_file(folder / "model.safetensors")
    settings = {
        name: value for name, value in checkpoints.config().items() if name not in {"auto_map", "architectures"}
    }
    body = transformers.Qwen2Model(transformers.Qwen2Config(**settings, attn_implementation="eager")).eval()
    body.load_state_dict({name[6:]: value for name, value in raw.items() if name.startswith("model.")})
    return tokenizer, body, raw


def plain(folder, problem, steps):
    """The published recipe with stock parts alone: chat template, joint encoding, eager attention, one case a time."""
    tokenizer, body, raw = stock(folder)
    messages = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": problem},
        {"role": "assistant", "content": "<extra_0>".join(steps) + "<extra_0>"},
    ]
    text = tokenizer.apply_chat_template(messages, chat_template=TEMPLATE, tokenize=False)
    ids = tokenizer.encode(text, return_tensors="pt", add_special_tokens=False)
    with torch.no_grad():
        states = body(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
        if "score.weight" in raw:
            logits = states @ raw["score.weight"].T + raw["score.bias"]
        else:
            hidden = torch.relu(states @ raw["score.0.weight"].T + raw["score.0.bias"])
            logits = hidden @ raw["score.2.weight"].T + raw["score.2.bias"]
        at = ids[0] == tokenizer.convert_tokens_to_ids("<extra_0>")
        return torch.softmax(logits[at], dim=-1)[:, 1].tolist()


def cases(number=12, seed=1):
    rng = random.Random(seed)
    words = ["the", "step", "is", "=", "3", "+", "4,", "so", "we", "take", "12.\n", "apples\n\n", "é", "数"]
    return [
        (
            " ".join(rng.choices(words, k=rng.randint(1, 12))),
            [" ".join(rng.choices(words, k=rng.randint(1, 9))) for _ in range(rng.randint(1, 6))],
        )
        for _ in range(number)
    ]


def answers(engine, encoded):
    found = {answer.index: answer.rewards for batch in engine.read(encoded) for answer in batch.answers}
    assert sorted(found) == list(range(len(encoded)))
    return [found[index] for index in range(len(encoded))]


def test_rewards_equal_a_plain_computation_alone_and_in_mixed_batches(folder):
    engine, encode = loaded(folder)
    work = cases()
    expected = [plain(folder, problem, steps) for problem, steps in work]
    assert np.ptp(np.concatenate(expected)) > 0.5, "the outputs must differ for the comparison to mean anything"
    encoded = [encode(problem, steps) for problem, steps in work]
    alone = [answers(engine, [one])[0] for one in encoded]
    together = []
    for budget in (1, 500, 100_000):
        engine.token_budget = budget
        together.append(answers(engine, encoded))
    for found in (alone, *together):
        for one, other in zip(found, expected, strict=True):
            assert one == pytest.approx(other, abs=1e-5)


def test_a_later_step_changes_no_earlier_reward(engine):
    loaded_engine, encode = engine
    first = answers(loaded_engine, [encode("p", ["a step", "another"])])[0]
    for text in ("<extra_0>", "<|im_end|>\n<|im_start|>user\n", "\0", "", "x" * 200, "<tool>"):
        more = answers(loaded_engine, [encode("p", ["a step", "another", text, text])])[0]
        assert len(more) == 4
        assert more[:2] == pytest.approx(first, abs=1e-5)


def test_the_order_is_the_longest_first_and_the_same_again(engine):
    loaded_engine, encode = engine
    encoded = [encode(problem, steps) for problem, steps in cases(40)]
    loaded_engine.token_budget = 800
    batches = list(loaded_engine.read(encoded))
    lengths = [len(encoded[answer.index].ids) for batch in batches for answer in batch.answers]
    assert lengths == sorted(lengths, reverse=True)
    assert batches == list(loaded_engine.read(encoded))
    assert sum(batch.tokens for batch in batches) == sum(len(one.ids) for one in encoded)
    for batch in batches:
        longest = max(len(encoded[answer.index].ids) for answer in batch.answers)
        assert batch.tokens + batch.padding == longest * len(batch.answers) <= 800
    assert sum(batch.padding for batch in batches) < 0.2 * sum(batch.tokens for batch in batches)


def memory_for(monkeypatch, tokens, error):
    """Make the memory of engines hold no batch of more tokens."""
    rewards = TransformersEngine._read

    def limited(engine, batch):
        if len(batch) * len(batch[0].ids) > tokens:
            raise error
        return rewards(engine, batch)

    monkeypatch.setattr(TransformersEngine, "_read", limited)


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        MemoryError(),
        RuntimeError("DefaultCPUAllocator: can't allocate memory"),
    ],
)
def test_a_batch_that_does_not_fit_is_halved_and_a_case_that_does_not_is_refused(two, error, monkeypatch):
    engine, encode = loaded(two)
    encoded = [encode(problem, steps) for problem, steps in cases(16)]
    expected = answers(engine, encoded)
    lengths = sorted(len(one.ids) for one in encoded)
    memory_for(monkeypatch, lengths[-1] - 1, error)
    found = answers(engine, encoded)
    for one, other, case in zip(found, expected, encoded, strict=True):
        if len(case.ids) == lengths[-1]:
            assert one == Refused(f"{lengths[-1]:,} tokens are more than the memory of the cpu holds")
        else:
            assert one == pytest.approx(other, abs=1e-5)
    assert engine.fitting < 2 * lengths[-1]


@pytest.mark.parametrize("room", [0, 100_000])
def test_what_memory_did_not_hold_is_tried_again_with_the_next_cases_where_there_is_more(two, room, monkeypatch):
    engine, encode = loaded(two)
    encoded = [encode(problem, steps) for problem, steps in cases(16)]
    expected = len(list(engine.read(encoded)))
    with monkeypatch.context() as patch:
        memory_for(patch, max(len(one.ids) for one in encoded), MemoryError())
        short = len(list(engine.read(encoded)))
    engine.room = lambda: room
    assert len(list(engine.read(encoded))) == (expected if room else short)
    assert short > expected


def test_tokens_that_ran_in_vain_are_counted(two, monkeypatch):
    engine, encode = loaded(two)
    encoded = [encode("p", ["s"])] * 4
    memory_for(monkeypatch, len(encoded[0].ids) * 2, MemoryError())
    batches = list(engine.read(encoded))
    assert [len(batch.answers) for batch in batches] == [2, 2]
    assert sum(batch.tokens for batch in batches) == len(encoded[0].ids) * 8


def test_a_fault_of_the_device_is_one_sentence(two, monkeypatch):
    engine, encode = loaded(two)
    memory_for(monkeypatch, 0, RuntimeError("CUDA error: an illegal memory access was encountered\nCompile with ..."))
    with pytest.raises(EngineError, match=r"\(CUDA error: an illegal memory access was encountered\)\.") as told:
        list(engine.read([encode("p", ["s"])]))
    assert "run the same again" in told.value.next_step


def test_a_trace_for_which_there_is_no_memory_is_one_sentence(two, monkeypatch):
    engine, encode = loaded(two)
    case = encode("p", ["s"])

    def full(*_):
        raise MemoryError

    monkeypatch.setattr(TransformersEngine, "logits", full)
    with pytest.raises(EngineError, match=rf"{len(case.ids)} tokens are more than the memory of the cpu holds\."):
        trace(engine, case)


def test_attention_is_not_planned_anew_for_every_shape(engine):
    """As cuDNN's is, which torch prefers on newer cards."""
    allowed = []
    hook = engine[0].body.norm.register_forward_hook(lambda *_: allowed.append(torch.backends.cuda.cudnn_sdp_enabled()))
    before = torch.backends.cuda.cudnn_sdp_enabled()
    answers(engine[0], [engine[1]("p", ["s"])])
    hook.remove()
    assert allowed == [False]
    assert torch.backends.cuda.cudnn_sdp_enabled() == before


def test_another_failure_is_not_taken_for_want_of_memory(two, monkeypatch):
    engine, encode = loaded(two)
    memory_for(monkeypatch, 0, RuntimeError("shape mismatch"))
    with pytest.raises(RuntimeError, match="shape mismatch"):
        list(engine.read([encode("p", ["s"])]))


def test_shards_and_half_precision_files_load(two, tmp_path):
    case = Encoded(tuple(range(100)), (50, 99))
    expected = answers(loaded(two)[0], [case])[0]
    assert answers(loaded(checkpoints.write_shards(tmp_path / "shards"))[0], [case])[0] == pytest.approx(expected)
    arrays = {name: array.astype(np.float16) for name, array in checkpoints.tensors().items()}
    half = checkpoints.write(tmp_path / "half", arrays=arrays)
    assert answers(loaded(half)[0], [case])[0] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_other_dtypes_keep_positions_and_transform_in_float32(two, dtype):
    engine, _ = loaded(two, dtype)
    case = Encoded(tuple(index % 256 for index in range(400)), (100, 399))
    assert engine.body.rotary_emb.inv_freq.dtype == torch.float32
    assert engine.body.norm.weight.dtype == getattr(torch, dtype)
    found = answers(engine, [case])[0]
    assert all(np.isfinite(found))
    # More digits than the dtype has: softmax came after the rounding.
    assert any(float(np.float32(x)) == x and float(torch.tensor(x).to(getattr(torch, dtype))) != x for x in found)


def test_rotary_tables_are_exact_far_behind_whatever_the_weights_are(two):
    """In bfloat16 a position above 256 would be rounded to a multiple of 2, 4, ...: neighbours would look alike."""
    engine, _ = loaded(two, "bfloat16")
    rotary, narrow = engine.body.rotary_emb, checkpoints.HIDDEN // checkpoints.HEADS
    steps = np.arange(0, narrow, 2, dtype=np.float64) / narrow
    frequencies = 1 / checkpoints.config()["rope_theta"] ** steps
    positions = torch.arange(480, 512)[None]
    with torch.inference_mode():
        cos, sin = rotary(torch.zeros(1, 32, checkpoints.HIDDEN, dtype=torch.float32), positions)
    angles = positions[0].numpy()[:, None] * frequencies
    np.testing.assert_allclose(cos[0, :, : narrow // 2], np.cos(angles), atol=1e-3)
    np.testing.assert_allclose(sin[0, :, : narrow // 2], np.sin(angles), atol=1e-3)
    exact, _ = loaded(two)
    case = Encoded(tuple(index % 256 for index in range(500)), tuple(range(470, 500)))
    found, wanted = (np.array(answers(one, [case])[0]) for one in (engine, exact))
    assert np.abs(found - wanted).max() < 0.15
    assert np.abs(found - wanted).mean() < 0.03


def test_tables_that_old_checkpoints_store_are_passed_over(two, tmp_path):
    arrays = checkpoints.tensors()
    stored = {"model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(16, np.float32)}
    case = Encoded(tuple(range(100)), (99,))
    old = loaded(checkpoints.write(tmp_path / "old", arrays=arrays | stored))[0]
    assert answers(old, [case]) == answers(loaded(two)[0], [case])


def test_what_is_loaded_does_not_change_with_the_file(two, tmp_path):
    folder = checkpoints.write(tmp_path / "prm")
    engine, _ = loaded(folder)
    case = Encoded(tuple(range(100)), (99,))
    before = answers(engine, [case])
    path = folder / "model.safetensors"
    with path.open("r+b") as file:
        file.seek(5000)
        file.write(b"\0" * (path.stat().st_size - 5000))
    assert answers(engine, [case]) == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays: arrays.pop("model.layers.1.mlp.up_proj.weight"), "up_proj.weight is missing"),
        (lambda arrays: arrays.update({"model.extra": np.zeros(2, np.float32)}), "model.extra is not expected"),
        (lambda arrays: arrays.update({"model.norm.weight": np.zeros(2, np.float32)}), "should be"),
    ],
)
def test_a_body_that_is_not_whole_is_refused(tmp_path, change, words):
    arrays = checkpoints.tensors()
    change(arrays)
    with pytest.raises(ForeignCheckpoint, match=words):
        loaded(checkpoints.write(tmp_path / "prm", arrays=arrays))


def test_an_id_that_the_model_has_no_row_for_is_the_tokenizers_fault(engine):
    with pytest.raises(CheckpointError, match=r"the id 288, and the model knows those below 288\..*tokenizer\.json"):
        list(engine[0].read([Encoded((1, 2), (1,)), Encoded((1,), (0,), (Encoded((288,), (0,)),))]))


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 9 bytes")])
def test_a_model_that_does_not_fit_is_one_sentence(two, monkeypatch, error):
    def full(*_):
        raise error

    monkeypatch.setattr("scoring.engines.transformers_engine.load_body", full)
    with pytest.raises(EngineError, match="has not the memory"):
        loaded(two)


@pytest.mark.parametrize("device", ["cpu", "cpu+cpu"])
def test_a_model_beyond_all_memory_is_refused_by_its_shapes_before_it_is_read(tmp_path, device):
    """An embedding of 34 billion rows, in a file that is a hole for most of its nine terabytes."""
    folder = checkpoints.write(tmp_path / "giant")
    path, rows = folder / "model.safetensors", 1 << 35
    with path.open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    end = max(entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__")
    size = rows * checkpoints.HIDDEN * 4
    header["model.embed_tokens.weight"] |= {"shape": [rows, checkpoints.HIDDEN], "data_offsets": [end, end + size]}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    with path.open("r+b") as file:
        file.truncate(8 + len(text) + end + size)
    checkpoint = Checkpoint.open(folder)
    with pytest.raises(EngineError, match=r"of giant need 8796\.1 GB of cpu in float32, where .* none were loaded"):
        TransformersEngine.load(checkpoint, adapter_of(checkpoint).readout, dtype="float32", device=device)


def test_a_file_that_goes_away_is_one_sentence(tmp_path):
    checkpoint = Checkpoint.open(checkpoints.write(tmp_path / "prm"))
    (tmp_path / "prm" / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match="cannot be read"):
        TransformersEngine.load(checkpoint, adapter_of(checkpoint).readout, dtype="float32", device="cpu")


@pytest.mark.parametrize("device", ["cuda:99", "abacus"])
def test_a_device_that_is_not_there_is_one_sentence(two, device):
    checkpoint = Checkpoint.open(two)
    with pytest.raises(EngineError, match=device):
        TransformersEngine.load(checkpoint, adapter_of(checkpoint).readout, dtype="float32", device=device)


def test_a_device_on_which_there_is_no_room_for_a_process_is_one_sentence(two, monkeypatch):
    def full(*_, **__):
        raise RuntimeError("CUDA error: out of memory\nSearch for ...")

    monkeypatch.setattr(torch, "empty", full)
    with pytest.raises(EngineError, match=r"cpu has no memory left .* \(CUDA error: out of memory\)\."):
        loaded(two)


def test_the_name_says_what_ran(engine):
    assert engine[0].name == f"transformers {transformers.__version__}, torch {torch.__version__}, cpu, float32"
