import re

import pytest

import byte_vocabulary
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import Encoded, Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.skywork import SkyworkPrm

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
safetensors_torch = pytest.importorskip("safetensors.torch")

import every_family  # noqa: E402  # needs torch
import tiny_families as tiny  # noqa: E402  # needs torch

CONFIG = {
    **tiny.QWEN,
    "architectures": ["Qwen2ForPrmModel"],
    "auto_map": {"AutoModel": "modeling_qwen2_rm.Qwen2ForRewardModel"},
}
TAG = "ки"
HEAD = {"v_head.summary.weight": (1, tiny.HIDDEN), "v_head.summary.bias": (1,)}


@pytest.fixture(scope="module", params=[False, True], ids=["7B", "1.5B"])
def folder(request, tmp_path_factory):
    config = {**CONFIG, "tie_word_embeddings": request.param}
    return tiny.write(tmp_path_factory.mktemp("skywork"), config, byte_vocabulary.QWEN_SPECIALS, head=HEAD)


@pytest.fixture(scope="module")
def tagged(tmp_path_factory):
    """A checkpoint in whose vocabulary the tag of PRMBench's layout is one token."""
    folder = tiny.write(tmp_path_factory.mktemp("tagged"), CONFIG, byte_vocabulary.QWEN_SPECIALS, head=HEAD)
    return every_family.tagged(folder)


def prepared(parse, problem, response, token):
    """The authors' `prepare_input`: ids, and the places of the flags, one for every piece between two step tokens."""
    ids, flags = parse("<|endoftext|>" + problem + "\n"), []
    for piece in response.split(token):
        ids = ids + parse(piece) + parse(token)[-1:]
        flags.append(len(ids) - 1)
    return ids, flags


def lines(parse, problem, steps):
    """The solution as one response of many lines; of the flags those at the last line of each step."""
    ids, flags = prepared(parse, problem, "\n".join(steps), "\n")
    ends = [sum(step.count("\n") + 1 for step in steps[: number + 1]) for number in range(len(steps))]
    return ids, [flags[end - 1] for end in ends]


def whole(parse, problem, steps):
    """A step where the authors have a line."""
    ids, flags = parse("<|endoftext|>" + problem + "\n"), []
    for step in steps:
        ids = ids + parse(step) + parse("\n")
        flags.append(len(ids) - 1)
    return ids, flags


def one_line(parse, problem, steps):
    return whole(
        parse, problem, [" ".join(part.strip() for part in step.split("\n") if part.strip()) for step in steps]
    )


def prmbench(parse, problem, steps):
    """One string with all steps, whose flags are one more than steps: the last follows the newline behind the last."""
    bare = [re.sub(r"^(Step\s*\d+\.\s*|\d+\.\s*)", "", step.strip(), flags=re.IGNORECASE) for step in steps]
    response = "".join(f"Step {number}: {step.strip()} {TAG}\n" for number, step in enumerate(bare, 1))
    ids, flags = prepared(parse, problem, response, TAG)
    assert len(flags) == len(steps) + 1
    return ids, flags[:-1]


def plain(folder, recipe):
    body = transformers.Qwen2Model.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    head, parse = safetensors_torch.load_file(folder / "model.safetensors"), tiny.parsed(folder)
    expected = []
    for problem, steps in tiny.work(5):
        ids, flags = recipe(parse, problem, steps)
        with torch.no_grad():
            states = body(input_ids=torch.tensor([ids])).last_hidden_state[0, flags]
            value = states @ head["v_head.summary.weight"].T + head["v_head.summary.bias"]
        expected.append(value[:, 0].sigmoid().tolist())
    return expected


@pytest.mark.parametrize(("layout", "recipe"), [(None, lines), ("steps", whole), ("one-line", one_line)])
def test_rewards_equal_a_plain_computation(folder, layout, recipe):
    options = {"layout": layout} if layout else {}
    tiny.check_rewards(folder, tiny.adapter_for(folder, "skywork", **options), plain(folder, recipe))


def test_rewards_equal_prmbenchs_recipe_but_for_the_flag_behind_everything(tagged):
    adapter = tiny.adapter_for(tagged, "skywork", layout="prmbench", numbers="removed")
    tiny.check_rewards(tagged, adapter, plain(tagged, prmbench))


def test_the_layouts_are_alike_where_steps_have_one_line(folder):
    encoded = [
        tiny.encoder_for(folder, tiny.adapter_for(folder, "skywork", layout=layout))("p?\nq", ["a.", "", "b"])
        for layout in ("lines", "steps", "one-line")
    ]
    assert encoded[0] == encoded[1] == encoded[2]


def test_numbers_go_where_that_is_chosen(tagged):
    for layout in SkyworkPrm.OPTIONS["layout"]:
        kept, removed = (
            tiny.encoder_for(tagged, tiny.adapter_for(tagged, "skywork", layout=layout, numbers=numbers))
            for numbers in ("kept", "removed")
        )
        assert removed("p", ["Step 1. a\n\n b", "2. c\n"]) == kept("p", ["a\n\n b", "c"])


def test_no_step_is_taken_for_anything_but_a_step(folder, tagged):
    for layout in ("lines", "steps", "one-line"):
        tiny.check_nasty_steps(folder, tiny.adapter_for(folder, "skywork", layout=layout))
    tiny.check_nasty_steps(tagged, tiny.adapter_for(tagged, "skywork", layout="prmbench"), refuses="says ки")
    tiny.check_limit(folder, lambda limit: SkyworkPrm(tiny.HIDDEN, limit))
    tiny.check_limit(tagged, lambda limit: SkyworkPrm(tiny.HIDDEN, limit, "prmbench"))


def test_a_step_with_the_tag_is_refused_where_it_would_be_two(tagged):
    encode = tiny.encoder_for(tagged, tiny.adapter_for(tagged, "skywork", layout="prmbench"))
    words = "step 1 says ки, at which this layout ends a step; other layouts take it"
    assert encode("p", ["a", "киви"]) == Refused(words)
    assert isinstance(encode("ки", ["a"]), Encoded)


def test_a_vocabulary_without_the_tag_is_of_no_use_to_prmbenchs_layout(folder):
    with pytest.raises(CheckpointError, match="the PRM knows it as one"):
        tiny.encoder_for(folder, tiny.adapter_for(folder, "skywork", layout="prmbench"))


@pytest.mark.parametrize("name", HEAD)
def test_a_head_in_part_is_refused(tmp_path, name):
    rest = {one: shape for one, shape in HEAD.items() if one != name}
    with pytest.raises(ForeignCheckpoint, match=f"{name} is missing"):
        SkyworkPrm.of(Checkpoint.open(tiny.write(tmp_path, CONFIG, byte_vocabulary.QWEN_SPECIALS, head=rest)))
