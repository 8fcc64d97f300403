import shutil
from hashlib import sha256

import pytest

import sentencepiece_pieces
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import Refused
from scoring.models.fingerprint import Digests, weights_of
from scoring.models.prms.math_shepherd import SEARCH_AND_LEARN, MathShepherd
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.tokenizer_file import TokenizerFile

torch = pytest.importorskip("torch")

import sentencepiece_families as tiny  # noqa: E402  # needs torch
import tiny_families  # noqa: E402  # needs torch

GOOD, BAD, TAG = 648, 387, 12902


@pytest.fixture(scope="module", params=["mistral", "llama"])
def folder(request, tmp_path_factory):
    base = tiny.MISTRAL if request.param == "mistral" else tiny.LLAMA
    architecture = "MistralForCausalLM" if request.param == "mistral" else "LlamaForCausalLM"
    path = tmp_path_factory.mktemp(request.param) / "math-shepherd"
    return tiny.write(path, {**base, "architectures": [architecture]}, sentencepiece_pieces.MISTRAL)


@pytest.fixture(scope="module")
def roomy(tmp_path_factory):
    """A checkpoint that takes texts with a long prompt before them."""
    config = {**tiny.MISTRAL, "architectures": ["MistralForCausalLM"], "max_position_embeddings": 4096}
    return tiny.write(tmp_path_factory.mktemp("roomy") / "math-shepherd", config, sentencepiece_pieces.MISTRAL)


def adapter(folder, **options):
    return tiny_families.adapter_for(folder, "math_shepherd", **options)


def card(problem, steps):
    return f"{problem} " + "\n".join(f"Step {number}: {step} ки" for number, step in enumerate(steps, 1))


def prmbench(problem, steps):
    bare = [step.strip() for step in steps]
    named = [step if step[:4] in {"Step", "step"} else f"Step {number}: {step}" for number, step in enumerate(bare, 1)]
    return f"{problem} " + "".join(f"{step} ки\n" for step in named)


def search_and_learn(problem, steps):
    """Its answers are whole texts, in which it sets a tag before each blank line."""
    prompt = SEARCH_AND_LEARN + "\n" + problem + "\n"
    return f"{prompt} " + "\n\n".join(f"{step} ки" for step in steps)


def versa(problem, steps):
    return f"{problem} " + "".join(f"\nStep {number}: {step} ки" for number, step in enumerate(steps, 1))


def openr(problem, steps):
    return f"{problem} " + "".join(f"{step.strip()} ки\n" for step in steps)


RECIPES = {"prmbench": prmbench, "search-and-learn": search_and_learn, "versa": versa, "openr": openr}


def published(folder, recipe, number=5):
    """Tagged text, the library's ids, P(+) of the two wherever the tag's id stands."""
    encode, model = tiny.parsed(folder), tiny_families.stock(folder, "AutoModelForCausalLM")
    for problem, steps in tiny_families.work(number):
        ids = torch.tensor([encode(recipe(problem, steps))])
        assert ids[0, 0] == 1
        with torch.no_grad():
            signs = model(ids).logits[0][:, [GOOD, BAD]].softmax(-1)[:, 0]
        found = signs[ids[0] == TAG].tolist()
        assert len(found) == len(steps)
        yield found


def test_rewards_equal_the_cards_recipe(folder):
    tiny_families.check_rewards(folder, adapter(folder), list(published(folder, card)))


@pytest.mark.parametrize("layout", MathShepherd.OPTIONS["layout"][1:])
def test_rewards_equal_the_recipe_of_each_other_layout(roomy, layout):
    expected = list(published(roomy, RECIPES[layout], 4))
    tiny_families.check_rewards(roomy, adapter(roomy, layout=layout), expected)


def test_search_and_learns_prompt_is_its_own():
    digest = sha256(SEARCH_AND_LEARN.encode()).hexdigest()
    assert digest == "fba6765edf2162ae50990853a7f310103b685c72d9b4434cccec28371f005dae"


def test_search_and_learns_tags_are_set_where_its_script_replaces_blank_lines(roomy):
    steps = ["So\n2.", "", "It is 3"]
    answer = "\n\n".join(steps).replace("\n\n", " ки\n\n") + " ки"
    ids = tiny.parsed(roomy)(f"{SEARCH_AND_LEARN}\np?\n {answer}")
    found = tiny_families.encoder_for(roomy, adapter(roomy, layout="search-and-learn"))("p?", steps)
    assert list(found.ids) == ids
    assert list(found.positions) == [at for at, index in enumerate(ids) if index == TAG]


def test_the_family_is_seen(folder):
    checkpoint = tiny_families.Checkpoint.open(folder)
    assert isinstance(adapter_of(checkpoint), MathShepherd)


def test_strange_steps_cost_no_other_step_its_reward(folder):
    tiny_families.check_nasty_steps(folder, adapter(folder), refuses="a step end stands within step 2")


def test_a_case_that_is_too_long_is_refused(folder):
    tiny_families.check_limit(folder, lambda limit: MathShepherd(tiny_families.HIDDEN, limit))


def texts(folder, problem, steps, **options):
    """What is encoded, as tokens say it."""
    tokenizer = TokenizerFile(folder / "tokenizer.json")
    found = adapter(folder, **options).encoder(tokenizer)(problem, steps)
    names = {index: token for token, index in tokenizer._tokenizer.get_vocab().items()}
    return "".join(names[index] for index in found.ids).replace("▁", " ").replace("<0x0A>", "\n")


def test_numbers_are_the_cards_or_prmbenchs(folder):
    steps = ["Step 1: a", "step two", "  b "]
    assert texts(folder, "p?", steps) == "<s> p? Step 1: a ки\nStep 2: step two ки\nStep 3:   b  ки"
    bench = texts(folder, "p?", steps, layout="prmbench")
    assert bench == "<s> p? Step 1: a ки\nstep two ки\nStep 3: b ки"
    others = {layout: texts(folder, "p?", steps[1:], layout=layout) for layout in ("versa", "openr")}
    assert others == {
        "versa": "<s> p? \nStep 1: step two ки\nStep 2:   b  ки",
        "openr": "<s> p? step two ки\nb ки",
    }


def test_the_tag_in_a_text_is_refused(folder):
    encode = tiny_families.encoder_for(folder, adapter(folder))
    for problem, step, where in (
        ("p", "so ки", "step 0"),
        ("ки", "s", "the problem"),
        ("p", "два кисло", "step 0"),
    ):
        found = encode(problem, [step])
        assert isinstance(found, Refused)
        assert found.reason.startswith(f"a step end stands within {where} (")


def test_versas_authors_delete_the_tag_from_problem_and_steps(folder):
    problem, steps = "Two ки or 3ки?", ["ки", "два кисло ки ки", "so 5"]
    cleaned = problem.replace("ки", ""), [step.replace("ки", "") for step in steps]
    adapted = adapter(folder, layout="versa")
    found = tiny_families.encoder_for(folder, adapted)(problem, steps)
    assert list(found.ids) == tiny.parsed(folder)(versa(*cleaned))
    assert list(found.positions) == [at for at, index in enumerate(found.ids) if index == TAG]
    # Their code replaces once: what then is a tag again is one to the model too.
    assert isinstance(tiny_families.encoder_for(folder, adapted)("p", ["a ккии"]), Refused)


def test_the_corrected_layout_is_a_scorer_of_its_own(folder):
    layouts = {name: adapter(folder, layout=name).settings["layout"] for name in MathShepherd.OPTIONS["layout"]}
    assert layouts == {"card": 1, "prmbench": 1, "search-and-learn": 1, "versa": 2, "openr": 1}


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        ({"lm_head.weight": None}, "lm_head.weight is missing"),
        ({"lm_head.weight": torch.zeros(600, 32)}, "600x32 and should be 649 or more x32"),
        ({"score.weight": torch.zeros(2, 32)}, "score.weight is not expected"),
    ],
)
def test_a_foreign_head_is_refused(tmp_path, tensors, words):
    config = {**tiny.MISTRAL, "architectures": ["MistralForCausalLM"]}
    folder = tiny.write(tmp_path / "prm", config, sentencepiece_pieces.MISTRAL)
    tiny.change(folder, **tensors)
    with pytest.raises(ForeignCheckpoint, match=words):
        adapter(folder)


def test_another_vocabulary_is_refused(folder, tmp_path):
    path = tiny.vocabulary(tmp_path, sentencepiece_pieces.tiny(sentencepiece_pieces.LLAMA))
    with pytest.raises(CheckpointError, match="the PRM knows it as"):
        adapter(folder).encoder(TokenizerFile(path))


def test_facts_of_the_published_vocabulary(folder, tmp_path):
    tokenizer = TokenizerFile(tiny.vocabulary(tmp_path, sentencepiece_pieces.mistral()))
    found = {text: tokenizer.encode(text) for text in ("+ -", "ки", "a.ки", "a. ки", "s\n ки", "s  ки", "<s>")}
    assert found == {
        "+ -": [GOOD, BAD],
        "ки": [TAG],
        "a.ки": [264, 28723, 1107],
        "a. ки": [264, 28723, TAG],
        "s\n ки": [268, 13, TAG],
        "s  ки": [268, 28705, TAG],
        "<s>": [523, 28713, 28767],
    }
    assert [tokenizer.special(token) for token in ("<unk>", "<s>", "</s>")] == [0, 1, 2]
    assert tokenizer.encode("\n")[-1:] == [13]
    assert tiny.parsed(tmp_path)("+ -") == [1, GOOD, BAD]
    assert isinstance(adapter(folder).encoder(tokenizer)("p?", ["to the кино"]), Refused)
    assert tokenizer.piece(31_999)
    assert tokenizer.piece(32_000) is None
    for layout in MathShepherd.OPTIONS["layout"]:
        found = MathShepherd(8, 4096, layout).encoder(tokenizer)("How many?", ["So 2.", "It is $x$", "数"])
        assert [found.ids[at] for at in found.positions] == [TAG] * 3
    encode = adapter(folder).encoder(tokenizer)
    for step in ("", " ", "\n", "x" * 500, "\0", "\u202eabc", "数🎲", "</s><s><unk>"):
        found = encode("How many?", ["first.", step, "last."])
        assert [found.ids[at] for at in found.positions] == [TAG] * 3
        assert found.ids[0] == 1
        assert not {0, 1, 2} & set(found.ids[1:])


@pytest.mark.parametrize("beside", [(), ("tokenizer.model",)])
def test_a_checkpoint_without_its_tokenizer_is_one_sentence(folder, tmp_path, beside):
    copy = tmp_path / "prm"
    shutil.copytree(folder, copy)
    (copy / "tokenizer.json").unlink()
    for name in beside:
        (copy / name).write_bytes(b"")
    words = "only as tokenizer.model" if beside else "tokenizer.json is missing"
    with pytest.raises(CheckpointError, match=words):
        TokenizerFile(copy / "tokenizer.json")
    with pytest.raises(CheckpointError, match=words):
        weights_of(tiny_families.Checkpoint.open(copy), Digests(None))
