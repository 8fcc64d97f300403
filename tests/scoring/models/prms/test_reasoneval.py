import pytest

import sentencepiece_pieces
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.models.prms.reasoneval import ReasonEval
from scoring.runs.tokenizer_file import TokenizerFile

torch = pytest.importorskip("torch")

import sentencepiece_families as tiny  # noqa: E402  # needs torch
import tiny_families  # noqa: E402  # needs torch

HEAD = {"score_head.weight": (3, 32), "score_head.bias": (3,)}
SMALL = {**tiny.MISTRAL, "architectures": ["ReasonEval_7B"], "score_dimension": 3, "use_bias": True}
LARGE = {**tiny.LLAMA, "architectures": ["ReasonEval_34B"], "score_dim": 3, "bias": False}


@pytest.fixture(scope="module", params=["7B", "34B"])
def folder(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param) / "prm"
    if request.param == "7B":
        return tiny.write(path, SMALL, sentencepiece_pieces.MISTRAL, head=HEAD)
    tiny.write(path, LARGE, sentencepiece_pieces.LLAMA, head={"score_head.weight": (3, 32)})
    tiny.change(path, **{"lm_head.weight": None})
    return path


def adapter(folder, **options):
    return tiny_families.adapter_for(folder, "reasoneval", **options)


def counted(ids, separator, size):
    """Ids without separators and the places that are read, counted as the published script counts them."""
    kept, places, passed = [], [], 0
    for at, index in enumerate(ids):
        if index == separator:
            places.append(at - 1 - passed)
            passed += 1
        else:
            kept.append(index)
    return ([1, *kept], places[2:]) if size == "7B" else (kept, places[1:])


def published(folder):
    """(validity, redundancy) a step, from the published recipe with the library's body and a head by hand.

    The separator is the first token for the 7B, whose ids hold one more in front, and another token for the 34B.
    """
    encode, body = tiny.parsed(folder), tiny_families.stock(folder, "AutoModel")
    raw = tiny.safetensors.torch.load_file(folder / "model.safetensors")
    size = "7B" if "score_head.bias" in raw else "34B"
    text, separator = ("<s>", 1) if size == "7B" else ("</s>", 2)
    for problem, steps in tiny_families.work(5):
        prompt = f"Question:\n{problem}\nAnswer:\nLet's think step by step.\n"
        ids, places = counted(encode(prompt + text + "".join(step + text for step in steps)), separator, size)
        assert len(places) == len(steps)
        with torch.no_grad():
            states = body(torch.tensor([ids])).last_hidden_state[0]
            classes = (states @ raw["score_head.weight"].T + raw.get("score_head.bias", 0)).softmax(-1)[places]
        yield [(neutral + right, neutral) for _, neutral, right in classes.tolist()]


def test_validity_and_redundancy_equal_the_published_recipe(folder):
    expected = list(published(folder))
    tiny_families.check_rewards(folder, adapter(folder), [[validity for validity, _ in case] for case in expected])
    encode, engine = (make(folder, adapter(folder)) for make in (tiny_families.encoder_for, tiny_families.engine_for))
    answers = [
        answer
        for batch in engine.read([encode(problem, steps) for problem, steps in tiny_families.work(5)])
        for answer in batch.answers
    ]
    assert len(answers) == len(expected)
    for answer in answers:
        assert answer.redundancy == pytest.approx([one for _, one in expected[answer.index]], abs=1e-5)


def test_the_7b_is_read_a_token_earlier_unless_told_otherwise(folder):
    published_places, last = (
        tiny_families.encoder_for(folder, adapter(folder, position=position))("p?", ["a step.", "another", "x"])
        for position in ("published", "last")
    )
    earlier = 1 if adapter(folder).settings["tokens_before_last"] else 0
    assert published_places.ids == last.ids
    assert [one + earlier for one in published_places.positions] == list(last.positions)
    assert last.positions[-1] == len(last.ids) - 1
    assert earlier == ("Mistral" in type(tiny_families.stock(folder, "AutoModel")).__name__)


def test_the_family_is_seen(folder):
    assert isinstance(adapter_of(tiny_families.Checkpoint.open(folder)), ReasonEval)


def test_strange_steps_cost_no_other_step_its_reward(folder):
    tiny_families.check_nasty_steps(folder, adapter(folder), refuses="step 2 is empty")
    tiny_families.check_nasty_steps(folder, adapter(folder, numbers="removed"), refuses="step 2 is empty")


def test_numbers_are_kept_or_removed_as_in_prmbench(folder):
    kept, removed = (tiny_families.encoder_for(folder, adapter(folder, numbers=one)) for one in ("kept", "removed"))
    assert removed("p", ["1. a", "Step 2. b "]) == kept("p", ["a", "b"]) != kept("p", ["1. a", "Step 2. b "])


def test_a_case_that_is_too_long_is_refused(folder):
    tiny_families.check_limit(folder, lambda limit: ReasonEval(tiny_families.HIDDEN, limit, 1, adapter(folder).plus))


def test_a_foreign_head_or_body_is_refused(tmp_path):
    folder = tiny.write(tmp_path / "two", SMALL, sentencepiece_pieces.MISTRAL, head={"score_head.weight": (2, 32)})
    with pytest.raises(ForeignCheckpoint, match="2x32 and should be 3x32"):
        adapter(folder)
    (folder / "config.json").write_text('{"model_type": "qwen2", "hidden_size": 32, "max_position_embeddings": 9}')
    with pytest.raises(ForeignCheckpoint, match="a body of type 'qwen2'"):
        adapter(folder)


def test_ids_with_the_published_vocabulary_are_those_between_special_tokens(folder, tmp_path):
    path = tiny.vocabulary(tmp_path, sentencepiece_pieces.mistral())
    if adapter(folder).plus != 648:
        with pytest.raises(CheckpointError, match="the PRM knows it as"):
            adapter(folder).encoder(TokenizerFile(path))
        return
    steps = ["1. Add $x$.", " 2. So\n", "3\n\n", "数🎲"]
    joint = tiny.parsed(tmp_path)("Question:\nq?\nAnswer:\nLet's think step by step.\n<s>" + "<s>".join(steps) + "<s>")
    found = adapter(folder).encoder(TokenizerFile(path))("q?", steps)
    ids, places = counted(joint, 1, "7B")
    earlier = adapter(folder).settings["tokens_before_last"]
    assert found.ids == tuple(ids)
    assert [one + earlier for one in found.positions] == [place + 1 for place in places]
