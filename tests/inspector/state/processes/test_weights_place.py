import os
from hashlib import sha256

import pytest

import making
from inspector.state.processes.weights_place import other_settings, place_of
from scoring.data.errors import UsageError
from scoring.formats.benchmarks import demo
from scoring.models.fingerprint import FILE, SETTLED_NS, Digests


def prm(**settings):
    return making.scorer("mine", kind="prm", settings=settings)


@pytest.fixture
def checkpoint(tmp_path):
    """A folder with two files, old enough to be remembered."""
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).write_bytes(name.encode())
        old = (folder / name).stat().st_mtime_ns - 10 * SETTLED_NS
        os.utime(folder / name, ns=(old, old))
    return folder


def files_of(folder):
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def remembered(checkpoint, root, monkeypatch):
    monkeypatch.setattr("scoring.models.fingerprint.SETTLED_NS", -1)
    root.mkdir(exist_ok=True)
    Digests(root / FILE).of(sorted(checkpoint.iterdir()))


def test_a_hub_checkpoint_is_its_name_and_commit():
    scorer = prm(weights={"hub": "some/prm", "commit": "abc"}, dtype="bfloat16")
    assert place_of(scorer, None) == ("some/prm", "abc", "bfloat16", None)


def test_local_weights_are_found_where_they_were_read(checkpoint, tmp_path, monkeypatch):
    remembered(checkpoint, tmp_path / "w", monkeypatch)
    scorer = prm(weights={"files": files_of(checkpoint)})
    assert place_of(scorer, tmp_path / "w") == (str(checkpoint), None, "auto", None)


def test_weights_that_were_changed_or_removed_are_nowhere(checkpoint, tmp_path, monkeypatch):
    remembered(checkpoint, tmp_path / "w", monkeypatch)
    scorer = prm(weights={"files": files_of(checkpoint)})
    (checkpoint / "config.json").write_bytes(b"another")
    with pytest.raises(UsageError, match="not where they lie"):
        place_of(scorer, tmp_path / "w")
    (checkpoint / "config.json").unlink()
    with pytest.raises(UsageError, match="not where they lie"):
        place_of(scorer, tmp_path / "w")


def test_the_demos_models_are_known_everywhere():
    folder = demo.folder() / "models" / "tiny-prm-s"
    files = {name: digest for name, digest in files_of(folder).items() if name in {"config.json", "model.safetensors"}}
    assert place_of(prm(weights={"files": files}, dtype="float32"), None) == (str(folder), None, "float32", None)


@pytest.mark.parametrize("settings", [{}, {"weights": {}}, {"weights": {"files": {}}}, {"weights": "somewhere"}])
def test_a_scorer_without_weights_says_so(settings):
    with pytest.raises(UsageError):
        place_of(prm(**settings), None)
    with pytest.raises(UsageError, match="needs a PRM"):
        place_of(None, None)


def test_settings_that_differ_are_told():
    answer = {"settings": {"adapter": "qwen", "system_prompt": "Be kind."}}
    told = list(other_settings(prm(adapter="qwen", system_prompt="", dtype="float32"), answer))
    assert told == [
        "mine was made with another system_prompt ('' there, 'Be kind.' here): give --adapter and --option as then"
    ]
    assert list(other_settings(None, answer)) == []
