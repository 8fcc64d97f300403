import json

import numpy as np
import pytest

import checkpoints
from scoring.data.errors import CheckpointError
from scoring.models.checkpoint import Checkpoint, compute_dtype


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
    told = refused(folder)
    assert (
        "model-00002-of-00002.safetensors is missing (1 of 2 files of weights). Download the checkpoint again" in told
    )
    assert "hf download ORG/NAME --local-dir FOLDER" in told
    (folder / "model-00001-of-00002.safetensors").unlink()
    assert "lacks model-00001-of-00002.safetensors, model-00002-of-00002.safetensors (2 of 2 files" in refused(folder)


def test_what_the_hub_has_can_be_completed_or_replaced(tmp_path):
    folder = checkpoints.write_shards(tmp_path / "shards")
    part = folder / "model-00002-of-00002.safetensors"
    for change, step in ((part.write_bytes, "hf download org/prm --revision abc --force-download"),
                         (lambda _: part.unlink(), "hf download org/prm --revision abc")):  # fmt: skip
        change(b"half")
        with pytest.raises(CheckpointError) as caught:
            Checkpoint.open(folder, "org/prm", "abc")
        assert caught.value.next_step == f"Run: {step}"


def test_shards_without_their_index_are_half_a_download(tmp_path):
    folder = checkpoints.write_shards(tmp_path / "shards")
    (folder / "model.safetensors.index.json").unlink()
    assert "has model-00001-of-00002.safetensors and no model.safetensors.index.json" in refused(folder)


def test_a_tensor_in_two_shards_is_not_guessed_at(tmp_path):
    folder = checkpoints.write_shards(tmp_path / "shards")
    checkpoints.write_weights(folder / "model-00002-of-00002.safetensors", checkpoints.tensors())
    assert "which model-00001-of-00002.safetensors holds too" in refused(folder)


def test_one_file_goes_before_an_index_as_for_stock_loaders(tmp_path, folder):
    checkpoints.write_shards(folder, seed=1)
    checkpoints.write_weights(folder / "model.safetensors", checkpoints.tensors())
    assert {tensor.file.name for tensor in Checkpoint.open(folder).tensors.values()} == {"model.safetensors"}


def test_what_else_a_training_run_leaves_is_no_weights(folder):
    (folder / "model.safetensors").unlink()
    (folder / "training_args.bin").write_bytes(b"x")
    assert "holds no model.safetensors" in refused(folder)


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
    (folder / "model.safetensors").unlink()
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
    monkeypatch.setattr("scoring.models.checkpoint.SMALL", 0)
    assert compute_dtype(half) == "float16"


def test_quantised_weights_are_refused(tmp_path):
    arrays = {name: array.astype(np.int8) for name, array in checkpoints.tensors().items()}
    found = Checkpoint.open(checkpoints.write(tmp_path / "int8", arrays=arrays))
    with pytest.raises(CheckpointError, match="I8"):
        compute_dtype(found, "float32")
