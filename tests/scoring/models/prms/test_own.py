"""Adapters of the user's own: what is taken, what is refused in words, and what the fingerprint knows of them."""

from pathlib import Path

import numpy as np
import pytest

import checkpoints
import plugged_in
from scoring.data.errors import ForeignCheckpoint, PluginError, UsageError
from scoring.data.readout import Encoded, Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.own import GROUP
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.preparation import prepare
from scoring.workspace.workspace import Workspace

EXAMPLE = Path(__file__).parents[3] / "own" / "newline_prm.py"
SOURCE = EXAMPLE.read_text()


def one_number():
    """A body with a head of one number."""
    body = {name: array for name, array in checkpoints.tensors().items() if not name.startswith("score")}
    rng = np.random.default_rng(1)
    head = {"score.weight": rng.normal(0, 0.3, (1, checkpoints.HIDDEN)), "score.bias": np.zeros(1)}
    return body | {name: array.astype(np.float32) for name, array in head.items()}


@pytest.fixture
def checkpoint(tmp_path):
    return Checkpoint.open(checkpoints.write(tmp_path / "model", arrays=one_number()))


def changed(tmp_path, old, new, source=SOURCE):
    assert old in source
    path = tmp_path / "changed.py"
    path.write_text(source.replace(old, new))
    return str(path)


def test_the_example_reads_the_ends_of_steps(checkpoint):
    adapter = adapter_of(checkpoint, str(EXAMPLE))
    found = adapter.encoder(checkpoints.Letters())("1 + 1?", ["So 2.", "It is 2."])
    assert bytes(found.ids) == b"1 + 1?\nSo 2.\nIt is 2.\n"
    assert [found.ids[at] for at in found.positions] == [10, 10]
    assert adapter.encoder(checkpoints.Letters())("p", ["s" * 600]) == Refused(
        "603 tokens are more than the 512 the model takes"
    )
    assert adapter.scale.family == "newline PRM"
    assert adapter.reads == ()


def test_the_source_is_part_of_the_fingerprint(tmp_path, checkpoint):
    workspace = Workspace.create(tmp_path / "ws")
    model = str(checkpoint.folder)
    one = prepare(workspace, model, adapter=str(EXAMPLE)).scorer
    assert one.settings["adapter"] == "newline_prm"
    assert len(one.settings["adapter_source"]["sha256"]) == 64
    assert prepare(workspace, model, adapter=str(EXAMPLE)).scorer.fingerprint == one.fingerprint
    copy = tmp_path / "newline_prm.py"
    copy.write_text(SOURCE)
    assert prepare(workspace, model, adapter=str(copy)).scorer.fingerprint == one.fingerprint
    copy.write_text(f"{SOURCE}\n# another\n")
    assert prepare(workspace, model, adapter=str(copy)).scorer.fingerprint != one.fingerprint


def test_its_head_is_checked_tensor_by_tensor(tmp_path):
    two_layers = Checkpoint.open(checkpoints.write(tmp_path / "two"))
    with pytest.raises(ForeignCheckpoint, match=r"score.weight is missing.*What|score.weight is missing"):
        adapter_of(two_layers, str(EXAMPLE))


FILES = {
    "defines no class": ("x = 1\n", "defines no class"),
    "several": (
        f"{SOURCE}\n\nclass Other(NewlinePrm):\n    def encoder(self, t):\n        pass\n",
        "NewlinePrm, Other",
    ),
    "no encoder": (SOURCE.replace("def encoder", "def other"), "NewlinePrm of .* has no encoder"),
    "no parts": ("class A:\n    pass\n", "A of .* has no of, no scale, no readout, no settings, no encoder"),
    "options": (f"{SOURCE}\nNewlinePrm.OPTIONS = {{'a': 'b'}}\n", "OPTIONS should give each name a tuple"),
    "import": ("import nosuchpackage\n", "line 1, while it was imported: ModuleNotFoundError"),
}


@pytest.mark.parametrize("what", FILES)
def test_a_file_without_one_adapter_is_refused_in_words(tmp_path, checkpoint, what):
    source, said = FILES[what]
    path = tmp_path / "mine.py"
    path.write_text(source)
    with pytest.raises(PluginError, match=said):
        adapter_of(checkpoint, str(path))


PARTS = {
    "scale": ('scale = Scale("newline PRM", 0.0, 1.0, 0.5, "its authors")', "scale = 0.5", "scale is float"),
    "readout": ('return Readout(one_layer(self.hidden, labels=1), "sigmoid", reward=(1.0,))', "return 3", "readout is"),
    "settings": ('return {"max_length": self.max_length}', "return {1, 2}", "settings is set"),
    "json": ('return {"max_length": self.max_length}', 'return {"x": {1}}', "settings are not JSON"),
    "of": ("return cls(*sizes)", "return cls(*sizes, 5)", r"line \d+, in of\(\): TypeError"),
    "reads": ("    scale = ", '    reads = "text"\n    scale = ', "reads is str"),
}


@pytest.mark.parametrize("what", PARTS)
def test_a_part_that_is_something_else_is_refused_in_words(tmp_path, checkpoint, what):
    old, new, said = PARTS[what]
    with pytest.raises(PluginError, match=said):
        adapter_of(checkpoint, changed(tmp_path, old, new))


CASES = {
    "raises": (
        "ids, positions =",
        "ids, positions = 1 / 0\n            ids, positions =",
        r"while it encoded a case: Zero",
    ),
    "none": ("return Encoded(tuple(ids), tuple(positions))", "return None", "a case became NoneType"),
    "falling": ("tuple(positions))", "tuple(positions)[::-1])", "do not rise within"),
    "outside": ("len(ids) - 1)", "len(ids) + 9)", "do not rise within"),
}


@pytest.mark.parametrize("what", CASES)
def test_what_it_makes_of_a_case_is_looked_at(tmp_path, checkpoint, what):
    old, new, said = CASES[what]
    encode = adapter_of(checkpoint, changed(tmp_path, old, new)).encoder(checkpoints.Letters())
    with pytest.raises(PluginError, match=said):
        encode("p", ["a", "b"])


def test_an_encoder_that_raises_or_is_none_is_refused_in_words(tmp_path, checkpoint):
    adapter = adapter_of(checkpoint, changed(tmp_path, 'end = tokenizer.encode("\\n")', "end = tokenizer.nothing"))
    with pytest.raises(PluginError, match=r"in encoder\(\): AttributeError"):
        adapter.encoder(checkpoints.Letters())
    adapter = adapter_of(checkpoint, changed(tmp_path, "        return encode\n", "        return 3\n"))
    with pytest.raises(PluginError, match="gives nothing that can be called"):
        adapter.encoder(checkpoints.Letters())


def test_its_options_are_chosen_like_a_familys(tmp_path, checkpoint):
    source = SOURCE.replace("    scale = ", '    OPTIONS = {"end": ("line", "blank")}\n    scale = ')
    source = source.replace("def of(cls, checkpoint):", 'def of(cls, checkpoint, end="line"):')
    path = tmp_path / "mine.py"
    path.write_text(source)
    assert adapter_of(checkpoint, str(path), {"end": "blank"})
    with pytest.raises(UsageError, match="Give line or blank"):
        adapter_of(checkpoint, str(path), {"end": "x"})


def test_options_of_which_its_settings_say_nothing_are_settings(tmp_path, checkpoint):
    source = SOURCE.replace(
        "    scale = ", '    OPTIONS = {"end": ("line", "blank"), "size": ("a", "b")}\n    scale = '
    )
    source = source.replace("def of(cls, checkpoint):", 'def of(cls, checkpoint, end="line", size="a"):')
    source = source.replace("*sizes)", "*sizes, size)").replace("max_length: int\n", "max_length: int\n    size: str\n")
    source = source.replace('{"max_length": self.max_length}', '{"max_length": self.max_length, "of": self.size}')
    path = tmp_path / "mine.py"
    path.write_text(source)
    settings = {
        chosen: adapter_of(checkpoint, str(path), dict(zip(("end", "size"), chosen, strict=True))).settings
        for chosen in (("line", "a"), ("blank", "a"), ("line", "b"), ("blank", "b"))
    }
    assert settings["line", "a"] == adapter_of(checkpoint, str(path)).settings
    assert [made.get("options") for made in settings.values()] == [None, {"end": "blank"}, None, {"end": "blank"}]
    assert len({str(made) for made in settings.values()}) == 4


def test_an_installed_one_is_used_by_its_name(tmp_path, monkeypatch, checkpoint):
    entries = {"newline": "plugged_prm:NewlinePrm", "qwen": "plugged_prm:Nothing"}
    plugged_in.install(tmp_path / "site", monkeypatch, GROUP, entries, {"plugged_prm.py": SOURCE})
    adapter = adapter_of(checkpoint, "newline")
    assert adapter.settings["adapter"] == "newline"
    assert adapter.settings["adapter_source"]["package"] == "mine 1.2"
    assert isinstance(adapter.encoder(checkpoints.Letters())("p", ["s"]), Encoded)
    with pytest.raises(ForeignCheckpoint):
        adapter_of(checkpoint, "qwen")


def test_an_unknown_name_says_that_a_file_will_do(checkpoint):
    with pytest.raises(UsageError, match=r"or give a FILE\.py"):
        adapter_of(checkpoint, "nothing")
