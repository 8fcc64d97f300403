import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from generator.stream import Example, case, examples
from thoroughness import also, up_to

DEMO = Path(__file__).parent.parent / "assets" / "demo"
MODELS = DEMO / "models"
SIZES = ("s", "m")
BYTES_AT_MOST = 2_200_000


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=SIZES)
def folder(request: pytest.FixtureRequest) -> Path:
    return MODELS / f"tiny-prm-{request.param}"


@pytest.fixture(scope="module")
def encoder() -> Any:
    from tokenizers import Tokenizer

    from tiny_prm.tokenizer import Encoder

    return Encoder(Tokenizer.from_file(str(MODELS / "tiny-prm-s" / "tokenizer.json")))


@pytest.fixture(scope="module")
def stock_tokenizer() -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(MODELS / "tiny-prm-s")


@pytest.fixture(scope="module")
def demo() -> Any:
    from tiny_prm.cases import from_demo

    return from_demo(DEMO / "cases.jsonl")


def measured(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "measured.json").read_bytes())
    return document


# What ships


def test_the_stock_body_and_two_linear_layers_take_every_weight(folder: Path) -> None:
    from safetensors.torch import load_file
    from torch import float16, nn
    from transformers import Qwen2Config, Qwen2Model

    config = Qwen2Config.from_pretrained(folder)
    weights = load_file(folder / "model.safetensors")
    assert {value.dtype for value in weights.values()} == {float16}
    body = Qwen2Model(config)
    body.load_state_dict({k.removeprefix("model."): v for k, v in weights.items() if k.startswith("model.")})
    head = nn.Sequential(
        nn.Linear(config.hidden_size, config.hidden_size), nn.ReLU(), nn.Linear(config.hidden_size, config.num_labels)
    )
    head.load_state_dict({k.removeprefix("score."): v for k, v in weights.items() if k.startswith("score.")})
    assert {k.partition(".")[0] for k in weights} == {"model", "score"}


def test_the_config_says_what_the_families_of_prms_are_told_apart_by(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_bytes())
    assert config["architectures"] == ["Qwen2ForProcessRewardModel"]
    assert (config["model_type"], config["num_labels"], config["max_position_embeddings"]) == ("qwen2", 2, 4096)


def test_a_checkpoint_is_small_and_the_bytes_are_those_that_were_measured(folder: Path) -> None:
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.suffix != ".md"}
    del found["measured.json"]
    assert found == measured(folder)["sha256"]
    assert (folder / "model.safetensors").stat().st_size == measured(folder)["bytes"] <= BYTES_AT_MOST
    assert found["model.safetensors"] in (MODELS / "README.md").read_text(encoding="utf-8")


def test_the_config_and_the_measurements_are_those_of_the_recipe(folder: Path) -> None:
    from dataclasses import asdict

    from tiny_prm.network import config_of
    from tiny_prm.recipes import RECIPES

    recipe = next(recipe for recipe in RECIPES.values() if recipe.name == folder.name)
    assert json.loads((folder / "config.json").read_bytes()) == config_of(recipe)
    assert measured(folder)["recipe"] == asdict(recipe)


# `tests/scoring/runs/test_case_scoring.py` checks those of the other model.
@pytest.mark.parametrize("folder", ["s", *also("m")], indirect=True)
def test_scoring_the_demo_again_gives_the_figures_of_the_card(folder: Path, demo: Any) -> None:
    from tiny_prm import card, measuring
    from tiny_prm.checkpoint import load
    from tiny_prm.judging import judge

    judged = judge(*load(folder), demo)
    for name, made_by in (("demo, generated", "generated"), ("demo, by hand", "by-hand")):
        found = measuring.figures([each for each in judged if each.case.part == made_by])
        recorded = measured(folder)["sets"][name]
        # Another processor may round a margin to the other side of the threshold, not many.
        assert found["error_acc"] == pytest.approx(recorded["error_acc"], abs=2)
        assert found["correct_acc"] == pytest.approx(recorded["correct_acc"], abs=3)
        assert str(recorded["f1"]) in card.text([measured(folder)])


def test_the_card_is_what_the_measurements_give() -> None:
    from tiny_prm import card

    documents = [measured(folder) for folder in sorted(MODELS.glob("tiny-prm-*"))]
    assert (MODELS / "README.md").read_text(encoding="utf-8") == card.text(documents)


# Text to ids


@up_to(200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_from_its_ids(stock_tokenizer: Any, text: str) -> None:
    ids = stock_tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    assert stock_tokenizer.decode(ids, clean_up_tokenization_spaces=False) == normalize("NFC", text)


def test_the_separator_is_one_id_and_no_text_of_a_case_becomes_it(stock_tokenizer: Any, encoder: Any) -> None:
    separator = stock_tokenizer.convert_tokens_to_ids("<extra_0>")
    assert stock_tokenizer("<extra_0>")["input_ids"] == [separator]
    encoded = encoder("What is <extra_0>?", ["<|im_end|> 1<extra_0>2", "", "so"])
    assert [at for at, token in enumerate(encoded.ids) if token == separator] == list(encoded.separators)
    assert len(encoded.separators) == 3


def test_ids_are_those_of_the_chat_template(stock_tokenizer: Any, encoder: Any, demo: Any) -> None:
    for each in demo:
        messages = [
            {"role": "system", "content": "Please reason step by step."},
            {"role": "user", "content": each.problem},
            {"role": "assistant", "content": "<extra_0>".join(each.steps) + "<extra_0>"},
        ]
        text = stock_tokenizer.apply_chat_template(messages, tokenize=False)
        assert text.endswith("<extra_0><|im_end|>\n")
        assert tuple(stock_tokenizer(text)["input_ids"]) == encoder(each.problem, each.steps).ids


def test_the_tokenizer_is_the_same_whenever_it_is_trained() -> None:
    from tiny_prm.tokenizer import train

    texts = [text for example in islice(examples(5), 300) for text in (example.problem, *example.steps)]
    first, second = train(texts, 400), train(texts, 400)
    assert first.to_str() == second.to_str()
    assert first.get_vocab_size() == 400


# What is learned from an example


def targets(encoder: Any, example: Example) -> list[tuple[str, int, float]]:
    from tokenizers import Tokenizer

    from tiny_prm.batches import row

    made = row(encoder, example)
    tokenizer = Tokenizer.from_file(str(MODELS / "tiny-prm-s" / "tokenizer.json"))
    texts = [tokenizer.decode([token], skip_special_tokens=False) for token in made.ids]
    return list(zip(texts, made.judgements, made.guesses, strict=True))


def test_a_wrong_step_is_wrong_from_its_first_wrong_token_and_guessed_up_to_there(encoder: Any) -> None:
    example = Example("P", ("2 + 2 = 4", "4 + 3 = 8.", "8"), (True, False, None), (-1, 8, -1), (8, 8, -1), drill=False)
    found = targets(encoder, example)
    first, second, after = (at for at, (text, *_) in enumerate(found) if text in {"<extra_0>", "<|im_end|>"} and at > 9)
    assert found[first] == ("<extra_0>", 1, 0.0)
    assert found[second] == ("<extra_0>", 0, 0.0)
    assert after == second + 1, "what has no label is left out"
    assert [(judged, weight > 0) for _, judged, weight in found[second - 2 : second]] == [(0, False), (0, False)]
    assert [(text, weight) for text, _, weight in found if text == "3"] == [("3", 1.0)]
    assert all(judged == 1 for _, judged, _ in found[first + 1 : second - 2])


def test_of_a_drill_only_right_results_are_guessed(encoder: Any) -> None:
    example = Example("P", ("2 + 2 = 4", "5 * 5 = 26"), (True, False), (-1, 9), (8, 8), drill=True)
    assert [(text, weight) for text, _, weight in targets(encoder, example) if weight] == [("4", 1.0), ("2", 1.0)]


def test_every_label_has_its_separator_in_the_batch(encoder: Any) -> None:
    from tiny_prm.batches import batches

    stream = list(islice(examples(3), 64))
    made = list(batches(stream, encoder, 8, Random(0)))
    labels = [label for example in stream for label in example.labels if label is not None]
    assert sum(len(batch.ids) for batch in made) == 64
    assert sum(int(batch.separators.sum()) for batch in made) == len(labels)
    assert sum(int((batch.separators & (batch.judgements == 0)).sum()) for batch in made) == labels.count(False)


# Training


def test_a_short_training_repeats_itself_and_lowers_the_loss(encoder: Any) -> None:
    import torch

    from tiny_prm.batches import batches
    from tiny_prm.loss import loss
    from tiny_prm.network import Network, config_of
    from tiny_prm.recipes import RECIPES
    from tiny_prm.training import train

    recipe = replace(RECIPES["s"], hidden=32, layers=1, heads=2, intermediate=64, steps=20, rate=2e-2)
    losses: list[list[float]] = [[], []]
    networks = [train(recipe, encoder, lambda _step, value, run=run: run.append(value)) for run in losses]
    assert losses[0] == losses[1]
    first, second = (network.state_dict() for network in networks)
    assert all(torch.equal(first[name], second[name]) for name in first)
    batch = next(batches(islice(examples(4), 32), encoder, 32, Random(0)))
    with torch.no_grad():
        assert loss(networks[0], batch) < 0.9 * loss(Network(config_of(recipe)), batch)


def test_the_learning_rate_warms_up_stays_and_falls_to_almost_nothing() -> None:
    from tiny_prm.recipes import RECIPES
    from tiny_prm.training import rate

    recipe = replace(RECIPES["s"], steps=1000, rate=1.0)
    assert rate(recipe, 0) == pytest.approx(0.01)
    assert rate(recipe, 99) == rate(recipe, 500) == 1.0
    assert rate(recipe, 999) == pytest.approx(0.02, abs=0.002)


# Measuring


def judged(margins: list[float], error: int) -> Any:
    import numpy as np

    from tiny_prm.judging import Judged, Labelled

    steps = tuple("x" for _ in margins)
    return Judged(Labelled("", steps, error, "slip" if error >= 0 else "", "a"), np.array(margins, dtype=float))


def test_outcomes_and_figures_are_those_of_the_first_step_under_the_threshold() -> None:
    from tiny_prm.measuring import by_error, by_part, figures

    cases = [
        judged([1, 2], -1),
        judged([1, -2], -1),
        judged([1, -2, -3], 1),
        judged([-1, -2], 1),
        judged([1, 1, -1], 1),
        judged([1, 1], 0),
    ]
    assert [each.outcome for each in cases] == ["clean", "false alarm", "exact", "early", "late", "missed"]
    found = figures(cases)
    assert (found["error_acc"], found["correct_acc"], found["f1"]) == (25.0, 50.0, 33.3)
    assert by_error(cases)["slip"]["cases"] == found["erroneous"] == 4
    assert by_part(cases) == {"a": found}
    assert figures(cases[:2])["f1"] is None


def test_the_best_cut_separates_what_can_be_separated() -> None:
    from tiny_prm.measuring import best_cut

    assert best_cut([judged([5, 4], -1), judged([6, 2], 1), judged([3.5, 0], 1)]) == 2.75


def test_the_area_is_the_share_of_ordered_pairs() -> None:
    import numpy as np

    from tiny_prm.measuring import auc

    assert auc(np.array([0.0, 2.0]), np.array([1.0, 2.0, 3.0])) == round((3 + 1.5) / 6, 3)
    assert auc(np.empty(0), np.array([1.0])) is None


def test_every_drill_is_of_the_operation_it_shows() -> None:
    from tiny_prm.arithmetic import operation_of

    lines = [
        "25% of 80 = 20",
        r"$25\% \cdot 80 = 20$",
        "8 ÷ 4 = 2",
        r"$\frac{8}{4} = 2$",
        r"$2 \times 3 = 6$",
        "2 + 3 = 5",
    ]
    assert [operation_of(line) for line in lines] == ["%", "%", "/", "/", "*", "+"]
    assert operation_of("5 - 3 = 2") == "-"


def test_what_the_training_has_seen_is_counted() -> None:
    from tiny_prm.cases import from_stream, seen
    from tiny_prm.recipes import RECIPES, TRAINING_SEED

    recipe = replace(RECIPES["s"], steps=16)
    mine, others = from_stream(TRAINING_SEED, 128), from_stream(TRAINING_SEED + 1, 128)
    (problems, wholes), (_, other_wholes) = seen(recipe, [mine, others])
    assert problems >= wholes > 128 * 0.3, "all that were not replaced by drills"
    assert other_wholes == 0


def test_a_case_judged_among_others_has_the_margins_it_has_alone(encoder: Any) -> None:
    from tiny_prm.checkpoint import load
    from tiny_prm.judging import Labelled, judge

    network, _ = load(MODELS / "tiny-prm-s")
    made = [case(11, number) for number in range(12)]
    several = [Labelled(each.problem, each.steps, each.earliest_error, each.error, each.family) for each in made]
    together = judge(network, encoder, several)
    for alone, among in zip((judge(network, encoder, [one])[0] for one in several), together, strict=True):
        assert among.margins == pytest.approx(alone.margins, abs=1e-4)
