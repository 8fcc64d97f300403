import pytest

import checkpoints
from scoring.data.errors import EngineError
from scoring.data.readout import Linear, Readout, Vocabulary, one_layer, two_layers
from scoring.engines.vllm_generate import VllmGenerate
from scoring.engines.vllm_head import vllm_head
from scoring.models.asking import Sampling
from scoring.models.checkpoint import Checkpoint

HIDDEN = checkpoints.HIDDEN


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("head") / "prm")


@pytest.fixture
def checkpoint(folder):
    return Checkpoint.open(folder)


def test_the_two_layer_head_is_a_class_of_its_own(checkpoint):
    head = vllm_head(checkpoint, Readout(two_layers(HIDDEN)))
    assert (head.architecture, head.overrides["num_labels"], head.ids) == ("Qwen2ForProcessRewardModel", 2, ())


@pytest.mark.parametrize("labels", [1, 2])
def test_a_linear_head_goes_over_the_bodys_language_model(checkpoint, labels):
    head = vllm_head(checkpoint, Readout(one_layer(HIDDEN, labels)))
    assert (head.architecture, head.overrides["num_labels"]) == (None, labels)


def test_rows_of_the_vocabulary_keep_their_order_and_say_where_they_lie(checkpoint):
    own = vllm_head(checkpoint, Readout(Vocabulary((7, 3), HIDDEN)))
    assert (own.ids, own.overrides["num_labels"], own.overrides["tie_word_embeddings"]) == ((7, 3), 2, False)


def test_shared_rows_are_read_from_the_embeddings_whatever_the_config_says(tmp_path):
    arrays = {name: array for name, array in checkpoints.tensors().items() if name != "lm_head.weight"}
    shared = Checkpoint.open(checkpoints.write(tmp_path / "prm", arrays=arrays, tie_word_embeddings=False))
    assert vllm_head(shared, Readout(Vocabulary((7, 3), HIDDEN))).overrides["tie_word_embeddings"] is True


@pytest.mark.parametrize(
    ("readout", "words"),
    [
        (Readout(Vocabulary((7,), HIDDEN, whole=True)), "softmax over the whole vocabulary"),
        (Readout(Vocabulary((), HIDDEN, tiled=2)), "the mean over the whole vocabulary"),
        (Readout(Vocabulary((7,), HIDDEN, name="output.weight")), "its output matrix is called output.weight"),
        (Readout((Linear("v_head.summary", HIDDEN, 1),)), "its head is called v_head.summary and not score"),
        (Readout(one_layer(HIDDEN), body="transformer."), r"its body's tensors are called transformer\.\*"),
        (Readout((*two_layers(HIDDEN), Linear("score.4", 2, 2))), "no head of 3 layers"),
        (Readout(two_layers(HIDDEN, 3)), "no head of 2 layers like this one"),
    ],
)
def test_what_vllm_would_read_otherwise_is_refused_in_words(checkpoint, readout, words):
    with pytest.raises(EngineError, match=rf"{words}.*Use the transformers engine"):
        vllm_head(checkpoint, readout)


def test_the_two_layer_head_over_another_body_is_refused(tmp_path):
    other = Checkpoint.open(checkpoints.write(tmp_path / "prm", model_type="llama"))
    with pytest.raises(EngineError, match="for Qwen2's body alone"):
        vllm_head(other, Readout(two_layers(HIDDEN)))


def test_weights_that_vllm_would_read_beside_the_checked_ones_are_refused(tmp_path):
    folder = checkpoints.write(tmp_path / "prm")
    (folder / "adapter_model.safetensors").write_bytes(b"anything")
    with pytest.raises(EngineError, match=r"adapter_model\.safetensors too, which lies beside model\.safetensors"):
        vllm_head(Checkpoint.open(folder), Readout(two_layers(HIDDEN)))


def test_shards_that_an_old_index_names_are_not_read_in_place_of_the_checked_file(tmp_path):
    """The scorer is known by the one file, which every other loader reads."""
    folder = checkpoints.write_shards(tmp_path / "prm")
    checkpoints.write(folder, seed=1)
    checkpoint = Checkpoint.open(folder)
    assert {tensor.file.name for tensor in checkpoint.tensors.values()} == {"model.safetensors"}
    with pytest.raises(EngineError, match=r"which model\.safetensors\.index\.json names, and not model\.safetensors"):
        vllm_head(checkpoint, Readout(two_layers(HIDDEN)))


def test_a_critic_is_not_asked_with_weights_that_were_not_checked(tmp_path):
    folder = checkpoints.write(tmp_path / "critic")
    (folder / "ema.safetensors").write_bytes(b"anything")
    with pytest.raises(EngineError, match=r"it would read ema\.safetensors too"):
        VllmGenerate.load(Checkpoint.open(folder), Sampling(), dtype="float32", log=tmp_path / "log")


def test_several_files_that_an_index_names_are_all_of_the_checkpoint(tmp_path):
    assert vllm_head(Checkpoint.open(checkpoints.write_shards(tmp_path / "prm")), Readout(two_layers(HIDDEN)))
