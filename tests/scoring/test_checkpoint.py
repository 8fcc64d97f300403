import json

import numpy as np
import pytest

import checkpoints
from scoring.checkpoint import Checkpoint, compute_dtype
from scoring.errors import CheckpointError


@pytest.fixture
def folder(tmp_path):
    return checkpoints.write(tmp_path / "prm")


def refused(folder):
    with pytest.raises(CheckpointError) as caught:
        Checkpoint.open(folder)
    return str(caught.value)


def test_a_whole_one_is_read(folder):
    found = Checkpoint.open(folder)
    assert found.name == "prm"
    assert found.shapes["score.2.weight"] == (2, checkpoints.HIDDEN)
    assert found.dtype == "float32"
    assert found.bytes == sum(array.nbytes for array in checkpoints.tensors().values())
    assert [path.name for path in found.files] == ["config.json", "tokenizer.json", "model.safetensors"]


def test_shards_make_one_checkpoint(tmp_path, folder):
    sharded = Checkpoint.open(checkpoints.write_shards(tmp_path / "shards"))
    assert sharded.shapes == Checkpoint.open(folder).shapes
    assert len(sharded.files) == 4


def test_a_missing_folder(tmp_path):
    assert "there is no folder" in refused(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert name in refused(folder)


def test_a_missing_shard_is_counted(tmp_path):
    folder = checkpoints.write_shards(tmp_path / "shards")
    (folder / "model-00002-of-00002.safetensors").unlink()
    assert "model-00002-of-00002.safetensors is missing, one of 1 of 2 files" in refused(folder)


@pytest.mark.parametrize("cut", [0, 3, 8, 200, 5000, -1])
def test_a_half_downloaded_file_is_seen_at_every_length(folder, cut):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:cut])
    assert "Download the checkpoint again." in refused(folder)


def test_a_git_lfs_pointer_is_called_by_its_name(folder):
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    assert "git-lfs pointer" in refused(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000])
def test_a_damaged_config_is_refused(folder, text):
    (folder / "config.json").write_text(text)
    assert "config.json" in refused(folder)


@pytest.mark.parametrize("header", [b"{}x", b'{"a": 1}', b'{"a": {"dtype": "F32"}}', b"[]", b'{"a": null}'])
def test_a_damaged_header_is_refused(folder, header):
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    assert "model.safetensors" in refused(folder)


def test_an_index_cannot_lead_out_of_the_folder(folder):
    index = {"weight_map": {"a": "../../secret.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "names no files of this folder" in refused(folder)


def test_a_pickle_is_never_opened(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "pickle" in refused(folder)


def test_a_lora_adapter_is_called_by_its_name(tmp_path):
    (tmp_path / "adapter_config.json").write_text("{}")
    assert "LoRA" in refused(tmp_path)


def test_small_checkpoints_are_computed_in_float32_and_large_ones_as_stored(tmp_path, monkeypatch):
    arrays = {name: array.astype(np.float16) for name, array in checkpoints.tensors().items()}
    half = Checkpoint.open(checkpoints.write(tmp_path / "half", arrays=arrays))
    assert half.dtype == "float16"
    assert compute_dtype(half) == "float32"
    assert compute_dtype(half, "bfloat16") == "bfloat16"
    monkeypatch.setattr("scoring.checkpoint.SMALL", 0)
    assert compute_dtype(half) == "float16"


def test_quantised_weights_are_refused(tmp_path):
    arrays = {name: array.astype(np.int8) for name, array in checkpoints.tensors().items()}
    found = Checkpoint.open(checkpoints.write(tmp_path / "int8", arrays=arrays))
    with pytest.raises(CheckpointError, match="I8"):
        compute_dtype(found, "float32")
