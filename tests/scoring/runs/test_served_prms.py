"""PRMs whose weights lie on a server: who they are depends on what the server says it has."""

import pytest

import checkpoints
from scoring.data.errors import EngineError
from scoring.runs.engine_options import EngineOptions
from scoring.runs.preparation import prepare
from scoring.workspace.workspace import Workspace

pytest.importorskip("httpx")

from servers.fault_server import Behaviour, running  # the engine it stands for needs httpx


def prepared(tmp_path, *models, served=None):
    folder = tmp_path / "tiny"
    model = folder if folder.exists() else checkpoints.write(folder)
    with running(Behaviour(models=models)) as server:
        return prepare(Workspace(None), str(model), running=EngineOptions(servers=(server.url,), served=served))


def test_the_only_model_of_another_server_is_another_scorer(tmp_path):
    one, same, other = (prepared(tmp_path, name).scorer for name in ("a", "a", "b"))
    assert one.settings["weights"]["served"] == "a"
    assert one.fingerprint == same.fingerprint != other.fingerprint


def test_a_name_that_was_given_asks_no_server(tmp_path):
    model = checkpoints.write(tmp_path / "tiny")
    nobody = EngineOptions(servers=("http://127.0.0.1:9",), served="a")
    found = prepare(Workspace(None), str(model), running=nobody)
    assert found.scorer.fingerprint == prepared(tmp_path, "a").scorer.fingerprint
    assert found.notes[0].startswith("a on the server is taken at its word")


def test_several_models_are_not_guessed_between(tmp_path):
    with pytest.raises(EngineError, match="a, b"):
        prepared(tmp_path, "a", "b")
