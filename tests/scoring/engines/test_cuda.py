"""What only a card can show: that it gives what the CPU gives, and what becomes of a run when its memory ends."""

import random

import pytest
from msgspec.structs import replace

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import checkpoints  # noqa: E402
import every_family  # noqa: E402  # needs torch
import tiny_families  # noqa: E402  # needs torch
from scoring.data.readout import Encoded, Refused  # noqa: E402
from scoring.engines.transformers_engine import TransformersEngine  # noqa: E402  # needs torch
from scoring.models.checkpoint import Checkpoint  # noqa: E402
from scoring.models.prms.prm_catalogue import ADAPTERS, adapter_of  # noqa: E402
from scoring.runs.prm_check.adapter_checks import checks  # noqa: E402
from scoring.runs.prm_check.encoding import encode_case  # noqa: E402
from scoring.runs.prm_check.running_checks import rewards_of  # noqa: E402
from scoring.runs.xray import Case  # noqa: E402

ROUNDING = 1e-4
"""A card and a CPU round otherwise: random weights and 500 tokens make a hundred thousandth of it."""

pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no card here")]


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_family_has_the_rewards_of_the_cpu_and_keeps_its_contract(tmp_path, name):
    prm = every_family.opened(tmp_path, name)
    also = ("It is so.",) * len(prm.adapter.reads)
    cases = [encode_case(prm.encoder, Case(problem, tuple(steps), also)) for problem, steps in tiny_families.work()]
    cases = [case for case in cases if isinstance(case, Encoded)]
    here = replace(prm, device="cuda")
    for one, other in zip(rewards_of(prm.engine(), cases), rewards_of(here.engine(), cases), strict=True):
        assert other == pytest.approx(one, abs=1e-5)
    for dtype in ("float32", "bfloat16"):
        found = checks(replace(here, dtype=dtype), name, [], limit=3, chosen=False)
        assert [one for one in found if one.status == "failed"] == []


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return Checkpoint.open(checkpoints.write(tmp_path_factory.mktemp("prm")))


def loaded(checkpoint, device, dtype="float32", **settings):
    return TransformersEngine.load(checkpoint, adapter_of(checkpoint).readout, dtype=dtype, device=device, **settings)


def cases(lengths):
    rng = random.Random(3)
    return [Encoded(tuple(rng.choices(range(256), k=length)), (length // 2, length - 1)) for length in lengths]


def test_the_name_says_the_card_and_a_card_is_what_is_taken(checkpoint):
    name = f"cuda ({torch.cuda.get_device_name()})"
    assert loaded(checkpoint, "auto", "bfloat16").name.endswith(f", {name}, bfloat16")
    assert loaded(checkpoint, "cuda+cpu").name.endswith(f", {name}+cpu, float32")


@pytest.mark.parametrize("devices", ["cuda+cuda", "cuda+cpu", "cpu+cuda"])
def test_a_body_over_two_devices_has_the_rewards_of_one(checkpoint, devices):
    some = cases((40, 90, 200))
    expected = rewards_of(loaded(checkpoint, "cpu"), some)
    for one, other in zip(expected, rewards_of(loaded(checkpoint, devices), some), strict=True):
        assert other == pytest.approx(one, abs=ROUNDING)


@pytest.fixture
def little_memory():
    """64 MB of the card beside what is held, as if others had the rest."""
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (64 << 20)) / total)
    yield
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()


def test_where_memory_ends_batches_are_halved_and_only_a_case_that_is_too_long_is_refused(checkpoint, little_memory):
    some = cases([*range(200, 500, 3)] * 40)
    expected = rewards_of(loaded(checkpoint, "cpu"), some[:100])
    engine = loaded(checkpoint, "cuda", token_budget=10_000_000)
    long = cases([400_000])
    answers = {one.index: one.rewards for batch in engine.read([*some, *long]) for one in batch.answers}
    assert isinstance(answers[len(some)], Refused)
    assert "400,000 tokens are more than the memory of the cuda holds, of which" in answers[len(some)].reason
    for index, rewards in enumerate(expected):
        assert answers[index] == pytest.approx(rewards, abs=ROUNDING)
    assert not any(isinstance(answers[index], Refused) for index in range(len(some)))
    assert engine.fitting < 1_000_000
