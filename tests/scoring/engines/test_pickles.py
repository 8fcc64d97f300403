"""Pickled weights: opened only when the user says so, and only for tensors."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import adapters
import checkpoints
from scoring.data.errors import CheckpointError, PickleRefused
from scoring.data.readout import Encoded
from scoring.runs.engine_options import EngineOptions
from scoring.runs.preparation import prepare
from scoring.workspace.workspace import Workspace

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

CASE = Encoded(tuple(range(120)), (30, 60, 119))


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


def pickled(folder, parts=1, zipped=True, name="pytorch_model.bin", arrays=None):
    """The tiny checkpoint with its weights as pickles, which need no transformers to be written."""
    checkpoints.write(folder)
    (folder / "model.safetensors").unlink()
    found = {key: torch.tensor(array) for key, array in (arrays or checkpoints.tensors()).items()}
    if parts == 1:
        torch.save(found, folder / name, _use_new_zipfile_serialization=zipped)
        return folder
    names = list(found)
    files = {f"pytorch_model-{at + 1:05}-of-{parts:05}.bin": names[at::parts] for at in range(parts)}
    for file, within in files.items():
        torch.save({key: found[key] for key in within}, folder / file)
    index = {"weight_map": {key: file for file, within in files.items() for key in within}}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    return folder


def rewards(one):
    return next(answer.rewards for batch in one.engine().read([CASE]) for answer in batch.answers)


def allowed(workspace, folder, **settings):
    return prepare(workspace, str(folder), allow_pickle=True, running=EngineOptions(device="cpu"), **settings)


@pytest.mark.parametrize(
    "layout", [{}, {"parts": 3}, {"zipped": False}, {"name": "model.pt"}, {"name": "weights.pth"}, {"name": "x.bin"}]
)
def test_rewards_are_those_of_the_safetensors(workspace, tmp_path, layout):
    folder = pickled(tmp_path / "pickled", **layout)
    torch.save({"lr": 1.0}, folder / "training_args.bin")
    said = []
    one = allowed(workspace, folder, tell=said.append)
    assert rewards(one) == rewards(
        prepare(workspace, str(checkpoints.write(tmp_path / "plain")), running=EngineOptions(device="cpu"))
    )
    assert len(said) == 1
    assert "once" in said[0]
    assert "converted from" in one.notes[0]
    assert one.scorer.settings["sources"].keys() == {"pickle"}
    assert one.scorer.name == "pickled"
    again = allowed(workspace, folder, tell=said.append)
    assert (again.scorer, len(said)) == (one.scorer, 1)


def test_without_leave_nothing_is_opened(workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(torch, "load", lambda *_, **__: pytest.fail("opened"))
    with pytest.raises(PickleRefused, match="--allow-pickle"):
        prepare(workspace, str(pickled(tmp_path / "pickled")))


def test_safetensors_beside_a_pickle_are_taken(workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(torch, "load", lambda *_, **__: pytest.fail("opened"))
    folder = checkpoints.write(tmp_path / "both")
    torch_file = folder / "pytorch_model.bin"
    torch_file.write_bytes(b"x")
    assert not any("converted" in note for note in allowed(workspace, folder).notes)


class Bomb:
    """Unpickled by the ordinary reader it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_that_would_run_code_does_not(workspace, tmp_path, zipped):
    folder = pickled(tmp_path / "evil")
    path, trace = folder / "pytorch_model.bin", tmp_path / "it-ran"
    torch.save({"a": torch.ones(1), "b": Bomb(trace)}, path, _use_new_zipfile_serialization=zipped)
    with pytest.raises(PickleRefused, match=r"^Pickle refused: .* more than tensors"):
        allowed(workspace, folder)
    path.write_bytes(pickle.dumps(Bomb(trace)))
    with pytest.raises(CheckpointError):
        allowed(workspace, folder)
    assert not trace.exists()
    assert list((workspace.root / "converted").iterdir()) == []


@pytest.mark.parametrize("cut", [0, 1, 10, 1000, -1])
def test_half_a_pickle_is_one_sentence(workspace, tmp_path, cut):
    folder = pickled(tmp_path / "half")
    path = folder / "pytorch_model.bin"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(CheckpointError) as caught:
        allowed(workspace, folder)
    assert "\n" not in str(caught.value)
    assert "weights_only" not in str(caught.value)


@pytest.mark.parametrize(
    "document",
    [
        [1],
        {"state_dict": {"a": 1}},
        {1: torch.ones(1)},
        {"a": "b"},
        {"a": torch.eye(2).to_sparse()},
        {"a": torch.ones(2, dtype=torch.complex64)},
        # A tensor of four terabytes in a few bytes.
        {"a": torch.ones(1).expand(10**12)},
    ],
)
def test_what_is_no_table_of_tensors_is_refused(workspace, tmp_path, document):
    folder = pickled(tmp_path / "odd")
    torch.save(document, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"^Cannot use the checkpoint: .* state_dict"):
        allowed(workspace, folder)


def test_shared_and_strided_tensors_come_out_as_they_read(workspace, tmp_path):
    arrays = checkpoints.tensors()
    folder = pickled(tmp_path / "strided")
    found = {name: torch.tensor(array) for name, array in arrays.items()}
    found["lm_head.weight"] = found["model.embed_tokens.weight"]
    found["score.0.weight"] = torch.tensor(arrays["score.0.weight"].T.copy()).T
    torch.save(found, folder / "pytorch_model.bin")
    assert rewards(allowed(workspace, folder)) == rewards(
        prepare(workspace, str(checkpoints.write(tmp_path / "plain")), running=EngineOptions(device="cpu"))
    )


def test_several_pickles_without_an_index_are_not_guessed_at(workspace, tmp_path):
    folder = pickled(tmp_path / "two", name="a.pt")
    (folder / "b.pt").write_bytes((folder / "a.pt").read_bytes())
    with pytest.raises(CheckpointError, match=r"several pickles.*a\.pt, b\.pt"):
        allowed(workspace, folder)


def test_a_missing_part_and_an_index_that_leads_away_are_refused(workspace, tmp_path):
    folder = pickled(tmp_path / "parts", parts=2)
    (folder / "pytorch_model-00002-of-00002.bin").unlink()
    with pytest.raises(CheckpointError, match=r"00002\.bin is missing \(1 of 2 files of weights\)\. Download"):
        allowed(workspace, folder)
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {"a": "../x.bin"}}))
    with pytest.raises(CheckpointError, match="no files of this folder"):
        allowed(workspace, folder)


def test_another_content_is_another_conversion(workspace, tmp_path):
    folder = pickled(tmp_path / "pickled")
    first = allowed(workspace, folder)
    pickled(tmp_path / "pickled", arrays=checkpoints.tensors(seed=3))
    second = allowed(workspace, folder, name="second")
    assert first.scorer.fingerprint != second.scorer.fingerprint
    assert len(list((workspace.root / "converted").iterdir())) == 2


def test_a_pickled_adapter_needs_leave_too(workspace, tmp_path):
    base = str(checkpoints.write(tmp_path / "base"))
    plain = adapters.write(tmp_path / "plain")
    folder = adapters.write(tmp_path / "lora")
    (folder / "adapter_model.safetensors").unlink()
    torch.save({key: torch.tensor(array) for key, array in adapters.factors().items()}, folder / "adapter_model.bin")
    with pytest.raises(CheckpointError, match="--allow-pickle"):
        prepare(workspace, str(folder), base=base)
    assert rewards(allowed(workspace, folder, base=base)) == rewards(
        prepare(workspace, str(plain), base=base, running=EngineOptions(device="cpu"))
    )


def test_preparing_a_plain_checkpoint_imports_no_torch(workspace, tmp_path):
    folder = checkpoints.write(tmp_path / "plain")
    code = (
        "import sys; from pathlib import Path; from scoring.runs.preparation import prepare;"
        "from scoring.workspace.workspace import Workspace;"
        f"prepare(Workspace.open(Path({str(workspace.root)!r})), {str(folder)!r}, allow_pickle=True);"
        "assert not {'torch', 'transformers', 'safetensors'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_digits_are_the_same(workspace, tmp_path):
    """Every dtype that is stored comes out bit for bit, by the library's own reader."""
    load_file = pytest.importorskip("safetensors.torch").load_file
    from scoring.engines.pickled_weights import write

    rng = np.random.default_rng(0)
    values = torch.tensor(rng.normal(0, 1, (3, 5)))
    dtypes = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8, torch.bool)
    tensors = {str(dtype): values.to(dtype) for dtype in dtypes}
    tensors |= {"scalar": torch.tensor(2.5), "empty": torch.ones(0, 3), "z": torch.ones(3)}
    write(tmp_path / "all.safetensors", tensors)
    found = load_file(tmp_path / "all.safetensors")
    assert found.keys() == tensors.keys()
    assert all(
        torch.equal(found[name], tensor) and found[name].dtype == tensor.dtype for name, tensor in tensors.items()
    )
