"""What a checkpoint's chat template says, against the library that renders it when a model is asked."""

import json

import pytest

import checkpoints
from scoring.data.errors import CheckpointError
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.chat import CHATML, LLAMA3, rendered, template_note, template_system
from scoring.models.prms.rlhflow import SYSTEM as LLAMA_DATE
from scoring.runs.preparation import prepare
from scoring.workspace.reservation import reserve_scorer
from scoring.workspace.workspace import Workspace

pytest.importorskip("jinja2")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import byte_vocabulary  # noqa: E402  # stands with the ones below
import every_family  # noqa: E402  # needs torch
import tiny_families as tiny  # noqa: E402  # needs torch

ASKED = [("user", " What? <|im_end|>\n"), ("assistant", "It is <|eot_id|> 3.\n\nSo 3.")]
TURNS = tiny.QWEN_TEMPLATE.split("endif %}", 1)[1]
DEFAULT = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."


def library(folder, turns):
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    messages = [{"role": role, "content": text} for role, text in turns]
    template = (folder / "chat_template.jinja").read_text()
    return tokenizer.apply_chat_template(messages, chat_template=template, tokenize=False)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("templates")
    return {name: every_family.write(root, name) for name in every_family.TEMPLATES}


@pytest.mark.parametrize(("name", "chat", "system"), [("qwen", CHATML, DEFAULT), ("rlhflow", LLAMA3, LLAMA_DATE)])
def test_a_chat_is_what_the_library_renders(folders, name, chat, system):
    folder = folders[name]
    assert rendered(Checkpoint.open(folder), ASKED) == library(folder, ASKED) == chat.text([("system", system), *ASKED])
    assert template_system(Checkpoint.open(folder), chat) == system


@pytest.mark.parametrize(("name", "chat"), [("qwen", CHATML), ("rlhflow", LLAMA3)])
def test_written_ids_are_those_of_the_rendered_text_and_no_text_acts(folders, name, chat):
    from scoring.runs.tokenizer_file import TokenizerFile

    folder, plain = folders[name], [("system", "S.\n\n"), ("user", " one\n"), ("assistant", "two.\n\nthree")]
    writer, parse = chat.writer(TokenizerFile(folder / "tokenizer.json")), tiny.parsed(folder)
    assert [*writer.start, *(i for turn in plain for i in writer.turn(*turn))] == parse(chat.text(plain))
    ids, places = writer.spans("assistant", "two.\n\nthree")
    assert ids == writer.open("assistant", "two.\n\nthree")
    assert places == sorted(places)
    assert places[-1] == len("two.\n\nthree")
    marks = [turn for turn in ids if turn >= len(byte_vocabulary.tiny_ranks())]
    assert [i for i in writer.open("assistant", "".join(byte_vocabulary.LLAMA_SPECIALS)) if i in marks] == marks


def test_no_template_is_no_note_and_nothing_to_take(tmp_path):
    checkpoint = Checkpoint.open(checkpoints.write(tmp_path / "prm"))
    assert rendered(checkpoint, ASKED) is None
    assert template_note(checkpoint, CHATML, DEFAULT) == ""
    with pytest.raises(CheckpointError, match="has no chat template, neither"):
        template_system(checkpoint, CHATML)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}", "in another way"),
        ("{{ raise_exception('no') }}", "cannot be rendered"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "cannot be rendered (SecurityError)"),
        ("{% for", "cannot be rendered"),
        # A system turn that holds the end of one would put turns into the chat that nobody sees.
        ("{{ '<|im_start|>system\nA<|im_end|>\n<|im_start|>user\nB<|im_end|>\n' }}" + TURNS, "in another way"),
        ("{{ '<|im_start|>system\nA<|im_end|>\n' }}" + TURNS, "puts the system turn 'A' first"),
    ],
)
def test_strange_templates_do_nothing_but_differ(tmp_path, template, words):
    folder = checkpoints.write(tmp_path / "prm")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    note = template_note(Checkpoint.open(folder), CHATML, DEFAULT)
    assert words in note


def notes(folder, **options):
    prepared = prepare(Workspace(None), str(folder), adapter=folder.name, options=options)
    return [note for note in prepared.notes if "chat template" in note], prepared.scorer


@pytest.mark.parametrize(
    ("name", "other", "system"), [("qwen", "qwen2.5", DEFAULT), ("rlhflow", "default", LLAMA_DATE)]
)
def test_a_run_says_once_what_the_template_would_do_and_how_to_take_it(folders, name, other, system):
    (told,), own = notes(folders[name])
    assert repr(system[:60])[1:-1] in told
    assert told.endswith("--option system=template does as the template.")
    none, taken = notes(folders[name], system="template")
    assert none == []
    # What it takes is what another value is called: one scorer, not two.
    assert taken.fingerprint == notes(folders[name], system=other)[1].fingerprint != own.fingerprint


def test_a_resumed_run_does_not_say_it_again(folders, tmp_path):
    """A finished run is over before a template is rendered."""
    workspace = Workspace.create(tmp_path / "ws")
    for expected in (1, 0):
        prepared = prepare(workspace, str(folders["qwen"]))
        assert sum("chat template" in note for note in prepared.notes) == expected
        prepared.scorer.save(reserve_scorer(workspace, prepared.scorer).folder)


def test_a_template_of_one_s_own_is_part_of_what_the_scorer_is(tmp_path):
    folder = every_family.write(tmp_path, "rlhflow")
    (folder / "chat_template.jinja").write_text(tiny.LLAMA_TEMPLATE.replace("26 Jul 2024", "1 May 2026"))
    _, one = notes(folder, system="template")
    assert one.settings["system_prompt"].endswith("1 May 2026\n\n")
    (folder / "chat_template.jinja").write_text(tiny.LLAMA_TEMPLATE)
    assert notes(folder, system="template")[1].fingerprint != one.fingerprint
