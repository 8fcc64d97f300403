"""An adapter that breaks the contract is found out, and by the check that is for it."""

import itertools
import json
from hashlib import sha256

import pytest
from msgspec.structs import fields, replace

pytest.importorskip("torch")
pytest.importorskip("tokenizers")

import checkpoints
from scoring.data.errors import MissingExtra
from scoring.data.readout import Encoded, Refused
from scoring.data.schema import content_key
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import Scale
from scoring.models.prms.qwen import QwenPrm
from scoring.runs.opened import LoadedPrm
from scoring.runs.prm_check import golden_rewards, running_checks
from scoring.runs.prm_check.adapter_checks import ENCODING, checks, declaration, unopened
from scoring.runs.prm_check.encoding import NEXT_STEPS
from scoring.runs.prm_check.running_checks import NAMES
from scoring.runs.token_texts import TokenTexts
from scoring.runs.xray import Case


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return Checkpoint.open(
        checkpoints.write(tmp_path_factory.mktemp("m") / "Qwen2.5-Math-PRM-7B", max_position_embeddings=2048)
    )


class Changed(QwenPrm):
    """Qwen's adapter with its cases changed on the way out."""

    def encoder(self, tokenizer):
        encode = super().encoder(tokenizer)

        def changed(problem, steps):
            found = encode(problem, steps)
            return self.change(found, problem, steps, tokenizer) if isinstance(found, Encoded) else found

        return changed


def results(checkpoint, change=None, cases=(), **settings):
    adapter = QwenPrm.of(checkpoint)
    if change is not None:
        adapter = type("Broken", (Changed,), {"change": staticmethod(change)})(
            **{field.name: getattr(adapter, field.name) for field in fields(adapter)}
        )
    prm = LoadedPrm(checkpoint, adapter, "float32", "cpu")
    settings = {"limit": 3, "chosen": False, **settings}
    return {one.check: one for one in checks(prm, "qwen", list(cases), **settings)}


def failed(found):
    return {check for check, one in found.items() if one.status == "failed"}


def test_a_sound_adapter_passes(checkpoint):
    found = results(checkpoint)
    assert failed(found) == set()
    assert list(found) == ["declaration", *ENCODING, "golden tokens", *NAMES, "golden rewards"]


COUNTER = itertools.count()


def lost(found, problem, steps, tokenizer):
    return replace(found, positions=found.positions[:-1]) if len(steps) > 1 else found


def backwards(found, problem, steps, tokenizer):
    return replace(found, positions=found.positions[::-1])


def restless(found, problem, steps, tokenizer):
    return replace(found, ids=(*found.ids, next(COUNTER) % 250))


def foreseeing(found, problem, steps, tokenizer):
    return Encoded((len(steps), *found.ids), tuple(at + 1 for at in found.positions))


def parsing(found, problem, steps, tokenizer):
    extra = sum(text.count("<|im_end|>") for text in (problem, *steps))
    return replace(found, ids=(*found.ids, *[tokenizer.special("<|im_end|>")] * extra))


def stranger(found, problem, steps, tokenizer):
    return replace(found, ids=(*found.ids, 288))


def fragile(found, problem, steps, tokenizer):
    if "\0" in "".join(steps):
        raise ValueError("a NUL")
    return found


BROKEN = {
    lost: ({"shape"}, "positions for"),
    backwards: ({"order"}, "do not rise"),
    restless: ({"determinism of tokens"}, "other ids the second time"),
    foreseeing: ({"prefix consistency of tokens"}, "changes with later ones"),
    parsing: ({"injection"}, "becomes a special token"),
    stranger: ({"shape"}, "not one of the 288"),
    fragile: ({"odd texts"}, "raises ValueError: a NUL"),
}


def test_every_check_says_what_to_do_where_it_fails(checkpoint):
    assert set(NEXT_STEPS) == set(results(checkpoint))


@pytest.mark.parametrize("change", BROKEN)
def test_what_is_broken_is_found(checkpoint, change, monkeypatch):
    wanted, said = BROKEN[change]
    monkeypatch.setattr(LoadedPrm, "engine", lambda _: (_ for _ in ()).throw(MissingExtra("torch", "score")))
    found = results(checkpoint, change)
    assert wanted <= failed(found)
    assert said in " ".join(found[check].reason for check in wanted)
    why = f"the check {next(iter(wanted))!r} failed" if wanted & {"shape", "order"} else "prm-inspect[score]"
    assert all(found[check].status == "skipped" and why in found[check].reason for check in NAMES)


class Odd:
    """An engine that gives what `rewards` makes of every case and the number of cases beside it."""

    def __init__(self, engine, rewards):
        self.engine, self.rewards = engine, rewards

    def read(self, cases):
        for batch in self.engine.read(cases):
            yield replace(
                batch,
                answers=tuple(replace(one, rewards=self.rewards(one.rewards, len(cases))) for one in batch.answers),
            )


ENGINES = {
    "finite rewards": lambda rewards, _: (float("nan"), *rewards[1:]),
    "range": lambda rewards, _: tuple(1 + reward for reward in rewards),
    "determinism of rewards": lambda rewards, _: tuple(reward + 1e-7 * next(COUNTER) for reward in rewards),
    "batch = single": lambda rewards, cases: tuple(reward * (1 - 1e-3 * (cases == 1)) for reward in rewards),
    "prefix consistency of rewards": lambda rewards, _: tuple(reward / len(rewards) for reward in rewards),
}


@pytest.mark.parametrize("check", ENGINES)
def test_odd_rewards_are_found(checkpoint, check, monkeypatch):
    load = LoadedPrm.engine
    monkeypatch.setattr(LoadedPrm, "engine", lambda prm: Odd(load(prm), ENGINES[check]))
    assert check in failed(results(checkpoint))


def test_a_family_that_refuses_everything_fails_its_shape(checkpoint):
    found = results(checkpoint, lambda *_: Refused("never"))
    assert found["shape"].status == "failed"
    assert {found[check].status for check in NAMES} == {"skipped"}


def test_without_weights_only_what_is_declared_is_looked_at():
    found = unopened("no weights", declaration(QwenPrm))
    assert [one.status for one in found] == ["ok"] + ["skipped"] * 13


@pytest.mark.parametrize(
    "scale",
    [Scale("x", 1.0, 0.0, 0.5, "me"), Scale("x", 0.0, 1.0, 2.0, "me"), Scale("x", 0.0, 1.0, 0.5, "")],
)
def test_an_odd_declaration_is_found(scale):
    class Family:
        SCALE = scale

    assert declaration(Family).status == "failed"


# -- published rewards


CARD = Case("What is 1 + 2?", (r"It is \(1 + 2\).", "So 3."))


@pytest.fixture
def published(checkpoint, tmp_path, monkeypatch):
    """Rewards of the tiny checkpoint, published as if for a card whose formulas stand in plain parentheses."""
    adapter = QwenPrm.of(checkpoint)
    prm = LoadedPrm(checkpoint, adapter, "float32", "cpu")
    steps = ["It is (1 + 2).", "So 3."]
    found = prm.encoder(CARD.problem, steps)
    text = "".join(map(TokenTexts(prm.tokenizer), found.ids))
    one = {
        "adapter": "qwen",
        "case": "mine-0",
        "benchmark": "Mine",
        "key": content_key(CARD.problem, steps),
        "replace": [["\\(", "("], ["\\)", ")"]],
        "text_sha256": sha256(text.encode()).hexdigest(),
        "ids": len(found.ids),
        "ids_sha256": sha256(",".join(map(str, found.ids)).encode()).hexdigest(),
        "positions": list(found.positions),
        "threshold": 0.5,
        "source": "nobody",
    }
    computed = list(running_checks.rewards_of(prm.engine(), [found])[0])

    def publish(rewards=computed, **changes):
        path = tmp_path / "goldens.json"
        tolerance = {"bfloat16": [0.3, 0.3], "float32": [0.05, 0.05]}
        printed = {"Qwen2.5-Math-PRM-7B": {"rewards": rewards, "tolerance": tolerance, "why": "it is so"}}
        path.write_text(json.dumps({"goldens": [{**one, "checkpoints": printed, **changes}]}))
        monkeypatch.setattr(golden_rewards, "FILE", path)
        return computed

    publish()
    return publish


def test_published_rewards_are_confirmed(checkpoint, published):
    found = results(checkpoint, cases=[Case("another", ("x", "y")), CARD])
    assert (found["golden tokens"].status, found["golden rewards"].status) == ("ok", "ok")
    assert "(nobody)" in found["golden rewards"].reason


def test_other_tokens_than_published_are_found(checkpoint, published):
    prm = LoadedPrm(checkpoint, QwenPrm.of(checkpoint), "float32", "cpu")
    for changes, said in (
        ({"text_sha256": "0"}, "the text that the tokens stand for"),
        ({"ids": 7}, "and 7 are published"),
        ({"positions": [1, 2]}, r"published [1, 2]"),
        ({"ids_sha256": "0"}, "but other ones"),
    ):
        published(**changes)
        known = golden_rewards.golden_of(prm, "qwen")
        found = golden_rewards.golden_tokens(prm, known, known.find([CARD]))
        assert found.status == "failed"
        assert said in found.reason
    assert failed(results(checkpoint, cases=[CARD])) == {"golden tokens"}


def test_verdicts_are_compared_exactly_and_values_within_the_tolerance(checkpoint, published):
    rewards = published()
    near = [reward + 0.04 * (1 if reward >= 0.5 else -1) for reward in rewards]
    far = [reward + 0.06 * (1 if reward >= 0.5 else -1) for reward in rewards]
    turned = [1 - reward for reward in rewards]
    prm, told = LoadedPrm(checkpoint, QwenPrm.of(checkpoint), "float32", "cpu"), {}
    engine = prm.engine()
    for what, values in {"near": near, "far": far, "turned": turned}.items():
        published(rewards=values)
        known = golden_rewards.golden_of(prm, "qwen")
        told[what] = golden_rewards.golden_rewards(prm, known, known.find([CARD]), engine)
    assert [told[what].status for what in ("near", "far", "turned")] == ["ok", "failed", "failed"]
    assert "off by 0.0400 0.0400, 0.05 0.05 allowed in float32" in told["near"].reason
    assert "off by 0.0600 0.0600, 0.05 0.05 allowed in float32, too far on steps [0, 1]" in told["far"].reason
    assert told["far"].reason.endswith("the tolerance: it is so")
    assert "another verdict at 0.5 on steps [0, 1]" in told["turned"].reason
    assert (told["near"].next_step, told["far"].next_step[:19]) == ("", "Try --dtype float32")


def test_the_tolerance_is_that_of_the_dtype_and_of_the_step(tmp_path):
    for name, dtype, tolerance in (
        ("Qwen2.5-Math-PRM-7B", "bfloat16", (0.05,) * 4),
        ("Qwen2.5-Math-PRM-7B", "float32", (0.04,) * 4),
        ("Qwen2.5-Math-PRM-72B", "bfloat16", (0.05, 0.05, 0.3, 0.3)),
        ("Qwen2.5-Math-PRM-72B", "float32", (0.05, 0.05, 0.3, 0.3)),
    ):
        checkpoint = Checkpoint.open(checkpoints.write(tmp_path / dtype / name))
        found = golden_rewards.golden_of(LoadedPrm(checkpoint, QwenPrm.of(checkpoint), dtype), "qwen")
        assert found.tolerance == tolerance
        assert found.why
        assert len(found.tolerance) == len(found.rewards) == len(found.positions)


@pytest.mark.parametrize(
    ("cases", "settings", "said"),
    [
        ([], {}, "its text is needed: --cases FILE that holds mine-0 of Mine"),
        ([Case("another", ("x", "y"))], {}, "--cases holds no case with the text of mine-0"),
        ([CARD], {"chosen": True}, "others were chosen"),
    ],
)
def test_without_the_card_s_case_it_says_why(checkpoint, published, cases, settings, said):
    found = results(checkpoint, cases=cases, **settings)["golden rewards"]
    assert found.status == "skipped"
    assert said in found.reason


def test_a_checkpoint_of_another_name_has_none(tmp_path, published):
    found = results(Checkpoint.open(checkpoints.write(tmp_path / "mine-Qwen2.5-Math-PRM-7B")), cases=[CARD])
    assert found["golden rewards"].reason == "no rewards are published for a checkpoint of this name"


def test_a_cached_hub_model_is_known_by_its_folder(tmp_path):
    folder = checkpoints.write(tmp_path / "models--Qwen--Qwen2.5-Math-7B-PRM800K" / "snapshots" / "abc")
    checkpoint = Checkpoint.open(folder)
    found = golden_rewards.golden_of(LoadedPrm(checkpoint, QwenPrm.of(checkpoint), "float32"), "qwen")
    assert found.rewards == (0.9921875, 0.2333984375, 0.6796875, 0.94140625)


def test_the_shipped_golden_is_the_card_s_case(tmp_path, data_folder):
    """With the real vocabulary and the real text; the weights are tiny and so its rewards are not looked at."""
    import byte_vocabulary
    from scoring.runs.prm_reports import _cases_of

    path = data_folder / "processbench" / "gsm8k.json"
    if not path.is_file():
        pytest.skip("ProcessBench's gsm8k.json is not there")
    checkpoint = Checkpoint.open(checkpoints.write(tmp_path / "Qwen2.5-Math-PRM-72B", max_position_embeddings=4096))
    byte_vocabulary.qwen(checkpoint.tokenizer)
    prm = LoadedPrm(checkpoint, QwenPrm.of(checkpoint), "float32", "cpu")
    known = golden_rewards.golden_of(prm, "qwen")
    card = known.find(_cases_of(str(path), ()))
    found = golden_rewards.golden_tokens(prm, known, card)
    assert (found.status, found.reason.partition(";")[0]) == ("ok", "gsm8k-0: 454 ids, read at 197, 333, 386, 451")
