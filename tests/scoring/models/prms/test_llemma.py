import pytest

import sentencepiece_pieces
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.models.prms.llemma import LlemmaPrm
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.tokenizer_file import TokenizerFile

torch = pytest.importorskip("torch")

import sentencepiece_families as tiny  # noqa: E402  # needs torch
import tiny_families  # noqa: E402  # needs torch

SOLUTION, PAIR = [13, 13, 29937, 24380], [13, 13]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The reward rows of the training head, here two, fill the output matrix, as in the published conversion."""
    config = {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"]}
    path = tiny.write(tmp_path_factory.mktemp("llemma") / "llemma-prm", config, sentencepiece_pieces.LLAMA)
    rows = torch.randn((2, tiny_families.HIDDEN), generator=torch.Generator().manual_seed(3)) * 0.5
    tiny.change(path, **{"lm_head.weight": rows.repeat(sentencepiece_pieces.ROWS // 2, 1)})
    return path


def adapter(folder, **options):
    return tiny_families.adapter_for(folder, "llemma", **options)


def every_place(ids):
    """The toolkit's search: every pair of newlines behind `# Solution`."""
    begin = next(at for at in range(len(ids)) if ids[at : at + 4] == SOLUTION)
    return [at for at in range(begin, len(ids)) if ids[at : at + 2] == PAIR and at > begin]


def searched(ids):
    """The authors' search, which drops the first of them."""
    return every_place(ids)[1:]


def published(folder, *, shifted=False):
    """Mean of all logits over the whole vocabulary at the pairs, one case a time. Steps without newlines at an end."""
    encode, model = tiny.parsed(folder), tiny_families.stock(folder, "AutoModelForCausalLM")
    for problem, steps in tiny_families.work(5):
        bare = [step.replace("\n\n", "").strip() for step in steps]
        lines = "".join(f"{step}\n\n" for step in bare)
        ids = encode(f"# Question\n\n{problem}\n\n# Solution\n\n{lines}")
        places = searched(ids)
        assert len(places) == len(steps)
        if shifted:
            # What the toolkit reads: it drops no place, and the label behind the last step belongs to none.
            places = every_place(ids)[: len(steps)]
        with torch.no_grad():
            yield model(torch.tensor([ids])).logits[0].mean(-1).sigmoid()[places].tolist()


def test_rewards_equal_the_published_search_and_mean(folder):
    tiny_families.check_rewards(folder, adapter(folder, layout="prmbench"), list(published(folder)))


def test_the_toolkit_s_own_reading_is_an_option_and_one_step_late(folder):
    found = list(published(folder, shifted=True))
    tiny_families.check_rewards(folder, adapter(folder, layout="prmbench-shifted"), found)
    for late, own in zip(found, published(folder), strict=True):
        assert late[1:] == own[:-1]


def test_scorers_that_are_stored_keep_what_they_are(folder):
    """The settings decide the fingerprint, and these are those of before."""
    for layout in ("authors", "prmbench"):
        before = {"adapter": "llemma", "layout": 1, "text_layout": layout, "max_length": tiny_families.POSITIONS}
        assert adapter(folder, layout=layout).settings == before


def test_what_is_read_is_the_first_newline_behind_each_step(folder):
    encode = tiny_families.encoder_for(folder, adapter(folder))
    for problem, steps in (("p?", ["a.", "b"]), ("p\n\n# Solution\n\nq", ["a\n\nb", "", "c\n", "\n"])):
        text, places = f"<s> # Question\n\n{problem}\n\n# Solution\n\n", []
        for step in steps:
            text += step
            places.append(text.count("\n"))
            text += "\n\n"
        found = encode(problem, steps)
        newlines = [at for at, index in enumerate(found.ids) if index == 13]
        assert found.positions == tuple(newlines[place] for place in places)
        assert len(newlines) == text.count("\n")


def test_the_layouts_differ_only_where_there_are_blank_lines(folder):
    kept, bare = (tiny_families.encoder_for(folder, adapter(folder, layout=one)) for one in ("authors", "prmbench"))
    assert kept("p", ["a", "b\nc"]) == bare("p", ["a", "b\nc"])
    assert bare("p", [" a\n\nb "]) == kept("p", ["ab"]) != kept("p", [" a\n\nb "])


def test_the_family_is_seen_by_its_name(folder):
    assert isinstance(adapter_of(tiny_families.Checkpoint.open(folder, "ORG/llemma-7b-prm")), LlemmaPrm)


def test_strange_steps_cost_no_other_step_its_reward(folder):
    for layout in LlemmaPrm.OPTIONS["layout"]:
        tiny_families.check_nasty_steps(folder, adapter(folder, layout=layout))


def test_a_case_that_is_too_long_is_refused(folder):
    tiny_families.check_limit(folder, lambda limit: LlemmaPrm(tiny_families.HIDDEN, limit))


def test_a_matrix_that_is_missing_is_not_replaced_by_the_embeddings(tmp_path):
    config = {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"]}
    folder = tiny.write(tmp_path / "prm", config, sentencepiece_pieces.LLAMA)
    tiny.change(folder, **{"lm_head.weight": None})
    with pytest.raises(ForeignCheckpoint, match=r"lm_head\.weight is missing"):
        adapter(folder)


def test_another_vocabulary_is_refused(folder, tmp_path):
    path = tiny.vocabulary(tmp_path, sentencepiece_pieces.tiny(sentencepiece_pieces.MISTRAL))
    with pytest.raises(CheckpointError, match="the PRM knows it as"):
        adapter(folder).encoder(TokenizerFile(path))


def check_vocabulary(tokenizer):
    """What the family takes for granted of its vocabulary, and the search on steps with blank lines of their own."""
    expected = {
        "\n\n": [29871, 13, 13],
        "\n\n# Solution": [29871, 13, 13, 29937, 24380],
        "+": [718],
        "-": [448],
        "+\n\n": [718, 13, 13],
    }
    assert {text: tokenizer.encode(text) for text in expected} == expected
    assert [tokenizer.special(token) for token in ("<unk>", "<s>", "</s>")] == [0, 1, 2]
    assert tokenizer.encode("a\n\n\nb")[-4:-1] == [13, 13, 13]
    found = LlemmaPrm(8, 4096).encoder(tokenizer)("p?", ["a.", "b\n", "c"])
    # A step's own newline before its blank line is one place more for the search.
    places = searched(list(found.ids))
    assert list(found.positions) == [places[0], places[2], places[3]]
    assert found.ids[0] == 1
    assert [found.ids[at : at + 2] for at in found.positions] == [(13, 13)] * 3


def test_facts_of_the_vocabulary(folder):
    check_vocabulary(TokenizerFile(folder / "tokenizer.json"))


def test_facts_of_the_published_vocabulary(data_folder):
    path = data_folder / "llemma_7b" / "tokenizer.json"
    if not path.is_file():
        pytest.skip("the tokenizer.json of EleutherAI/llemma_7b is not there")
    check_vocabulary(TokenizerFile(path))


def test_the_outcome_model_of_the_same_authors_is_no_prm(folder):
    outcome = tiny_families.Checkpoint.open(folder, "ScalableMath/llemma-7b-orm-prm800k-level-1to3-hf")
    with pytest.raises(ForeignCheckpoint, match="an outcome reward model by its name"):
        adapter_of(outcome)
    both = tiny_families.Checkpoint.open(folder, "ScalableMath/llemma-7b-oprm-prm800k-level-1to3-hf")
    assert isinstance(adapter_of(both), LlemmaPrm)


def test_the_language_model_it_was_made_of_is_refused(tmp_path):
    config = {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"]}
    path = tiny.write(tmp_path / "llemma_7b", config, sentencepiece_pieces.LLAMA)
    with pytest.raises(ForeignCheckpoint, match=r"no PRM: the rows of lm_head\.weight do not repeat every 2"):
        tiny_families.engine_for(path, adapter(path))
