"""A body over several devices: where its parts lie, and that what runs through them arrives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import checkpoints
from scoring.data.errors import EngineError
from scoring.data.readout import Encoded, Readout, Vocabulary
from scoring.engines.placement import layers_over, numbers_on, placed, replicas, tensor_parallel
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import adapter_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scoring.engines.transformers_engine import TransformersEngine  # noqa: E402  # needs torch


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=90), st.integers(1, 9))
def test_layers_stay_in_order_and_no_device_has_more_than_its_share_and_a_layer(sizes, devices):
    found = layers_over(sizes, devices)
    assert found == sorted(found)
    assert set(found) <= set(range(devices))
    for device in range(devices):
        held = sum(size for size, at in zip(sizes, found, strict=True) if at == device)
        assert held <= sum(sizes) / devices + max(sizes) + 1


@given(st.integers(1, 10**11), st.lists(st.integers(0, 80 * 2**30), min_size=1, max_size=16))
def test_copies_are_disjoint_as_many_as_possible_and_each_has_room(weights, free):
    groups = replicas(weights, free)
    devices = [device for group in groups for device in group]
    assert len(devices) == len({*devices})
    assert {*devices} <= set(range(len(free)))
    sizes = {len(group) for group in groups}
    assert len(sizes) == 1
    (size,) = sizes
    rooms = [min(free[device] for device in group) for group in groups]
    assert all(room * size >= weights for room in rooms) or groups == [list(range(len(free)))]
    if size > 1:
        # No device alone would have held it.
        assert max(free) < weights * 1.1 + 2 * 2**30


@pytest.mark.parametrize(
    ("gigabytes", "groups"),
    [
        (15, [[0], [1], [2], [3]]),
        (70, [[0], [1], [2], [3]]),
        (100, [[0, 1], [2, 3]]),
        (200, [[0, 1, 2]]),
        (290, [[0, 1, 2, 3]]),
        (900, [[0, 1, 2, 3]]),
    ],
)
def test_four_cards_of_80_gb(gigabytes, groups):
    assert replicas(gigabytes * 10**9, [80 * 2**30] * 4) == groups


def test_a_model_that_cannot_be_cut_over_three_takes_four():
    assert replicas(200 * 10**9, [80 * 2**30] * 4, lambda devices: devices != 3) == [[0, 1, 2, 3]]


def test_equal_layers_are_shared_equally():
    assert layers_over([5] * 6, 3) == [0, 0, 1, 1, 2, 2]


def test_the_embedding_lies_with_the_first_layer_and_the_norm_with_the_last():
    names = ["embed_tokens.weight", "norm.weight", *(f"layers.{at}.mlp.up_proj.weight" for at in (11, 2, 0, 1))]
    found = placed(dict.fromkeys(names, 10), 2)
    assert [found[name] for name in names] == [0, 1, 1, 1, 0, 0]


@pytest.mark.parametrize("devices", [1, 2])
def test_numbers_are_counted_where_they_lie(folder, devices):
    checkpoint = Checkpoint.open(folder)
    readout = adapter_of(checkpoint).readout
    found = numbers_on(checkpoint.shapes, readout, devices)
    engine = loaded(folder, "+".join(["cpu"] * devices))
    parts = (*engine.body.parameters(), *engine.head.parameters())
    assert sum(found) == sum(tensor.numel() for tensor in parts)
    if devices == 2:
        first, rest = list(engine.body.layers)[:1], list(engine.body.layers)[1:]
        assert found[0] == sum(p.numel() for part in (engine.body.embed_tokens, *first) for p in part.parameters())
        assert found[1] > sum(p.numel() for layer in rest for p in layer.parameters())


def test_a_head_over_the_whole_vocabulary_lies_on_the_last_device_and_one_of_a_few_rows_on_none():
    shapes = {"model.embed_tokens.weight": (10, 4), "model.norm.weight": (4,), "lm_head.weight": (10, 4)}
    for whole, last in ((True, 40), (False, 0)):
        assert numbers_on(shapes, Readout(Vocabulary((1, 2), 4, whole=whole)), 2) == [40 + 4, last]


def loaded(folder, device):
    checkpoint = Checkpoint.open(folder)
    return TransformersEngine.load(checkpoint, adapter_of(checkpoint).readout, dtype="float32", device=device)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("placed"))


CASES = [Encoded(tuple(range(length)), (length // 2, length - 1)) for length in (40, 90, 200)]


def test_rewards_are_those_of_one_device(folder):
    one, two = loaded(folder, "cpu"), loaded(folder, "cpu+cpu")
    assert two.name.endswith("cpu+cpu, float32")
    assert [batch.answers for batch in one.read(CASES)] == [batch.answers for batch in two.read(CASES)]


def test_every_part_lies_where_it_should_and_what_it_is_given_comes_after(folder):
    """The second device is one that computes shapes and no numbers, and takes nothing from another by itself."""
    engine = loaded(folder, "cpu+meta")
    places = {name: tensor.device.type for name, tensor in engine.body.named_parameters()}
    assert {places[name] for name in places if name.startswith(("embed_tokens", "layers.0."))} == {"cpu"}
    assert {places[name] for name in places if name.startswith(("norm", "layers.1."))} == {"meta"}
    assert engine.weights.device.type == "meta"
    with torch.inference_mode():
        states = engine._states(CASES, [one.positions for one in CASES])
    assert (states.device.type, tuple(states.shape)) == ("meta", (6, checkpoints.HIDDEN))


def test_a_device_of_several_that_is_not_there_is_named(folder):
    with pytest.raises(EngineError, match="cuda:99"):
        loaded(folder, "cpu+cuda:99")


SEVEN_B = {"num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944}


@pytest.mark.parametrize(
    ("config", "devices", "expected"),
    [
        (SEVEN_B, 1, 1),
        (SEVEN_B, 2, 2),
        (SEVEN_B, 3, 2),
        (SEVEN_B, 4, 4),
        (SEVEN_B, 8, 4),  # 28 heads cannot be dealt out to 8
        ({**SEVEN_B, "num_attention_heads": 64, "num_key_value_heads": 8}, 8, 8),
        ({**SEVEN_B, "num_attention_heads": 64, "num_key_value_heads": 2}, 8, 8),  # each is copied to four
        ({**SEVEN_B, "num_attention_heads": 24, "num_key_value_heads": 4}, 6, 4),  # 4 heads fit neither 6 nor 3
        ({**SEVEN_B, "intermediate_size": 18945}, 2, 1),
        ({}, 4, 4),
        ({}, 0, 1),
        ({"num_attention_heads": None}, 2, 2),
    ],
)
def test_the_most_devices_that_heads_and_width_can_be_dealt_out_to(config, devices, expected):
    assert tensor_parallel(config, devices) == expected
