"""Who a critic is whose weights are run here: all that changes its answers counts, and where they lie does not."""

import json

import pytest

import checkpoints
from scoring.__main__ import _parse
from scoring.data.errors import ScorerConflict
from scoring.data.scorer import Scorer
from scoring.models.fingerprint import fingerprint
from scoring.runs.critic_command import _on_vllm
from scoring.workspace.reservation import reserve_scorer
from scoring.workspace.workspace import Workspace

CHAT, OTHER_CHAT = ({"chat_template": f"{{{{ messages[0].content }}}}{end}"} for end in ("", "!"))


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


@pytest.fixture
def model(tmp_path):
    folder = checkpoints.write(tmp_path / "critic")
    written(folder, "tokenizer_config.json", CHAT)
    return folder


def written(folder, name, document):
    (folder / name).write_text(json.dumps(document))


def prepared(workspace, model, *flags):
    words = ["score", "bench", f"--workspace={workspace.root}", f"--model={model}", "--critic=processbench", *flags]
    return _on_vllm(_parse(words), workspace, lambda _: None)


def asked(workspace, model, *flags):
    scorer = prepared(workspace, model, *flags).scorer
    scorer.save(reserve_scorer(workspace, scorer).folder)
    return scorer


def test_how_its_chats_are_written_counts(workspace, model):
    before = asked(workspace, model)
    written(model, "tokenizer_config.json", OTHER_CHAT)
    other = prepared(workspace, model).scorer
    assert other.fingerprint != before.fingerprint
    with pytest.raises(ScorerConflict, match="weights"):
        reserve_scorer(workspace, other)
    (model / "chat_template.jinja").write_text(CHAT["chat_template"])
    assert prepared(workspace, model).scorer.fingerprint not in {before.fingerprint, other.fingerprint}


def test_what_the_model_sets_itself_counts_where_it_holds(workspace, model):
    before = asked(workspace, model)
    written(model, "generation_config.json", {"temperature": 0.7, "transformers_version": "5"})
    assert prepared(workspace, model).scorer == before
    written(model, "generation_config.json", {"temperature": 0.7, "repetition_penalty": 1.05})
    assert prepared(workspace, model, "--name=other").scorer.settings["defaults"] == {"repetition_penalty": 1.05}


def test_a_folder_of_another_name_is_the_same_critic(workspace, model, tmp_path):
    before = asked(workspace, model)
    assert prepared(workspace, model.rename(tmp_path / "renamed")).scorer == before
    other = prepared(workspace, tmp_path / "renamed", "--name=mine").scorer
    assert other.name == "mine"


def before_chats_were_noted(scorer):
    files = {**scorer.settings["weights"]["files"]}
    del files["tokenizer_config.json"]
    settings = {**scorer.settings, "weights": {"files": files}}
    return Scorer(scorer.name, fingerprint(settings), kind="critic", family=scorer.family, settings=settings)


def test_one_of_an_earlier_version_goes_on_and_says_what_it_did_not_note(workspace, model):
    earlier = before_chats_were_noted(prepared(workspace, model).scorer)
    earlier.save(reserve_scorer(workspace, earlier).folder)
    for flags in ((), (f"--name={earlier.name}",)):
        now = prepared(workspace, model, *flags)
        assert now.scorer.fingerprint == earlier.fingerprint
        assert any("did not note how its chats are written" in note for note in now.notes)
    other = prepared(workspace, model, "--name=other")
    assert other.scorer.fingerprint != earlier.fingerprint
    assert not any("did not note" in note for note in other.notes)


def test_one_whose_chats_were_noted_is_not_taken_for_one_of_before(workspace, model):
    asked(workspace, model)
    written(model, "tokenizer_config.json", OTHER_CHAT)
    assert not any("did not note" in note for note in prepared(workspace, model).notes)
