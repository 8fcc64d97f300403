"""ReasonFlux-PRM-1.5B against its authors' code: a head that is saved apart, read at the end of every prefix."""

import pytest

import byte_vocabulary
from scoring.data.errors import CheckpointError, ForeignCheckpoint, PickleRefused
from scoring.data.readout import Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.models.prms.reasonflux import ReasonFluxPrm
from scoring.runs.opened import open_prm
from scoring.runs.preparation import prepare
from scoring.workspace.workspace import Workspace

torch = pytest.importorskip("torch")

import tiny_families as tiny  # noqa: E402  # needs torch

CONFIG = {**tiny.QWEN, "architectures": ["Qwen2ForCausalLM"]}


def write(folder, *, bias=True, state=None):
    """What `save_pretrained` of the authors' class leaves behind."""
    tiny.write(folder, CONFIG, byte_vocabulary.QWEN_SPECIALS)
    head = torch.nn.Linear(tiny.HIDDEN, 1, bias=bias)
    torch.nn.init.normal_(head.weight, std=0.5, generator=torch.Generator().manual_seed(4))
    torch.save({**head.state_dict(), **(state or {})}, folder / "reward_head.pt")
    return folder, head


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return write(tmp_path_factory.mktemp("reasonflux") / "ReasonFlux-PRM-1.5B")


def opened(folder, tmp_path, **settings):
    return open_prm(Workspace.create(tmp_path / "ws"), str(folder), device="cpu", allow_pickle=True, **settings)


def test_rewards_equal_the_authors_code(made, tmp_path):
    folder, head = made
    body, parse = tiny.stock(folder, "AutoModel"), tiny.parsed(folder)
    prm = opened(folder, tmp_path)
    assert "The head was converted from reward_head.pt" in prm.note
    expected = []
    for problem, steps in tiny.work(5):
        expected.append([])
        for number in range(1, len(steps) + 1):
            with torch.no_grad():
                state = body(torch.tensor([parse(problem + "\n\n".join(steps[:number]))])).last_hidden_state[0, -1]
                expected[-1].append(head(state).sigmoid().item())
    engine, encoded = prm.engine(), [prm.encoder(*one) for one in tiny.work(5)]
    for budget in (1, 300, 100_000):
        engine.token_budget = budget
        for one, other in zip(tiny.rewards(engine, encoded), expected, strict=True):
            assert one == pytest.approx(other, abs=1e-5)
    flat = [reward for rewards in expected for reward in rewards]
    assert max(flat) - min(flat) > 0.3


def test_the_head_is_opened_where_that_is_allowed_and_is_part_of_the_scorer(made, tmp_path):
    folder, _ = made
    with pytest.raises(PickleRefused, match=r"its head only as a pickle \(reward_head\.pt\).*--allow-pickle"):
        prepare(Workspace.create(tmp_path / "one"), str(folder))
    one = prepare(Workspace.create(tmp_path / "two"), str(folder), allow_pickle=True).scorer
    again = prepare(Workspace.create(tmp_path / "three"), str(folder), allow_pickle=True).scorer
    assert one.fingerprint == again.fingerprint
    assert "reward_head.safetensors" in one.settings["weights"]["files"]
    other, _ = write(tmp_path / "other", state={"bias_": torch.ones(1)})
    with pytest.raises(ForeignCheckpoint, match=r"reward_head\.bias_ is not expected"):
        prepare(Workspace.create(tmp_path / "four"), str(other), allow_pickle=True)
    moved, _ = write(tmp_path / "moved", state={"bias": torch.full((1,), 2.0)})
    workspace = Workspace.create(tmp_path / "five")
    assert prepare(workspace, str(moved), allow_pickle=True).scorer.fingerprint != one.fingerprint


@pytest.mark.parametrize("bad", ["text", "class", "half"])
def test_a_head_that_holds_more_or_less_than_tensors_is_refused(tmp_path, bad):
    folder, _ = write(tmp_path / "prm", bias=bad != "half")
    if bad == "text":
        (folder / "reward_head.pt").write_text("nothing")
    if bad == "class":
        torch.save({"weight": tiny.pytest.approx}, folder / "reward_head.pt")
    with pytest.raises(CheckpointError):
        prepare(Workspace.create(tmp_path / "ws"), str(folder), allow_pickle=True)


def in_one(tmp_path):
    head = {"reward_head.weight": (1, tiny.HIDDEN), "reward_head.bias": (1,)}
    return tiny.write(tmp_path / "whole", CONFIG, byte_vocabulary.QWEN_SPECIALS, head=head)


def test_a_head_within_the_weights_is_read_too_and_strange_steps_act_on_none(tmp_path):
    folder = in_one(tmp_path)
    adapter = adapter_of(Checkpoint.open(folder))
    assert isinstance(adapter, ReasonFluxPrm)
    tiny.check_nasty_steps(folder, adapter)
    tiny.check_limit(folder, lambda limit: ReasonFluxPrm(tiny.HIDDEN, limit))
    assert isinstance(tiny.encoder_for(folder, adapter)("", ["", "a"]), Refused)
    # The pickle that it was taken from may still lie beside it.
    plain = prepare(Workspace(None), str(folder)).scorer.fingerprint
    (folder / "reward_head.pt").write_bytes(b"anything")
    assert prepare(Workspace(None), str(folder)).scorer.fingerprint == plain
    assert prepare(Workspace(None), str(folder), allow_pickle=True).scorer.fingerprint == plain


def test_blank_lines_join_steps_and_nothing_else_stands_between(tmp_path):
    folder = in_one(tmp_path)
    found = tiny.encoder_for(folder, adapter_of(Checkpoint.open(folder)))("What?", ["It is.", "So"])
    parse = tiny.parsed(folder)
    assert [list(one.ids) for one in found.sequences] == [parse("What?It is."), parse("What?It is.\n\nSo")]
    assert [one.positions for one in found.sequences] == [(len(one.ids) - 1,) for one in found.sequences]
