import importlib.util
import json
import os
import ssl
import sys
from contextlib import nullcontext
from email.message import Message
from types import SimpleNamespace
from urllib.error import HTTPError, URLError

import pytest

from authored import row, rows
from imports import import_source
from scoring.data.errors import HubUnavailable, MissingExtra, UnknownFormat
from scoring.importing import hub_datasets
from scoring.importing.hub_datasets import hub_rows

real = pytest.mark.skipif(importlib.util.find_spec("datasets") is None, reason="the package datasets is not installed")


@pytest.fixture
def stand_in(monkeypatch):
    """Puts a stand-in for the package in place: `load_dataset` as given."""
    return lambda load: monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load))


@pytest.fixture(autouse=True)
def client(request, monkeypatch):
    """A stand-in for the hub's client, which may go to the network at an address that is never asked."""
    if any(mark.name == "filterwarnings" for mark in request.node.iter_markers()):
        return None
    constants = SimpleNamespace(HF_HUB_OFFLINE=False, ENDPOINT="https://hub.invalid")
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(constants=constants))
    monkeypatch.setattr(hub_datasets, "urlopen", lambda *_, **__: nullcontext())
    return constants


def failing(error):
    def ask(*_, **__):
        raise error

    return ask


def test_without_the_package_the_sentence_has_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtra, match=r"needs the package 'datasets'\. Run: pip install 'prm-inspect\[score\]'"):
        import_source("hf:someone/something")


def test_splits_become_subsets_unless_they_say_nothing(stand_in):
    stand_in(lambda _: {"gsm": [row(1, "x"), row(2, "x", subset="own")], "train": [row(3, "y")]})
    found = hub_rows("someone/something")
    assert [value.value.get("subset") for value in found.rows] == ["gsm", "own", None]
    assert [value.number for value in found.rows] == [1, 2, 3]
    imported = import_source("hf:someone/something")
    assert imported.cases["subset"].to_list() == ["gsm", "own", "y"]
    assert imported.source == "hf:someone/something"
    assert imported.format == "hub data set"


@pytest.mark.parametrize("error", [OSError("no network\nsecond line."), ValueError(""), RuntimeError("gone.")])
def test_a_data_set_that_cannot_be_had_is_one_sentence(stand_in, error):
    def fail(name):
        raise error

    stand_in(fail)
    with pytest.raises(HubUnavailable, match=r"hf:a/b could not be loaded .* import their path\.") as caught:
        hub_rows("a/b")
    assert "\n" not in str(caught.value)
    assert type(error).__name__ in str(caught.value)


@pytest.mark.parametrize("error", [URLError("no such host"), TimeoutError(), ConnectionResetError()])
def test_a_hub_that_does_not_answer_is_not_asked_again(stand_in, client, monkeypatch, error):
    modes = []

    def load(name):
        modes.append(client.HF_HUB_OFFLINE)
        raise OSError("tried five times")

    stand_in(load)
    monkeypatch.setattr(hub_datasets, "urlopen", failing(error))
    with pytest.raises(HubUnavailable) as caught:
        hub_rows("a/b")
    assert "(https://hub.invalid does not answer, and it was not downloaded before)" in str(caught.value)
    assert "download the files elsewhere and import their path" in str(caught.value)
    assert modes == [True]
    assert client.HF_HUB_OFFLINE is False


def test_without_a_network_what_was_downloaded_before_is_read(stand_in, monkeypatch):
    stand_in(lambda _: {"train": [row(1)]})
    monkeypatch.setattr(hub_datasets, "urlopen", failing(URLError("no such host")))
    assert len(list(hub_rows("a/b").rows)) == 1


def test_offline_by_its_variable_nothing_is_asked_and_the_variable_is_named(stand_in, client, monkeypatch):
    client.HF_HUB_OFFLINE = True
    stand_in(failing(OSError("offline")))
    monkeypatch.setattr(hub_datasets, "urlopen", failing(AssertionError("it was asked")))
    with pytest.raises(HubUnavailable, match="HF_HUB_OFFLINE is set, and it was not downloaded before"):
        hub_rows("a/b")
    assert client.HF_HUB_OFFLINE is True


@pytest.mark.parametrize(
    "error", [HTTPError("https://hub.invalid", 405, "not so", Message(), None), URLError(ssl.SSLError("whose is it?"))]
)
def test_a_hub_that_answers_anything_is_asked_for_the_data(stand_in, client, monkeypatch, error):
    modes = []
    stand_in(lambda _: modes.append(client.HF_HUB_OFFLINE) or {"train": [row(1)]})
    monkeypatch.setattr(hub_datasets, "urlopen", failing(error))
    hub_rows("a/b")
    assert modes == [False]


def test_a_row_that_cannot_be_read_is_one_sentence(stand_in):
    def broken():
        yield row(1)
        raise OSError("the shard is gone")

    stand_in(lambda _: {"train": broken()})
    with pytest.raises(HubUnavailable, match="the shard is gone"):
        hub_rows("a/b")


def test_a_data_set_without_rows_is_one_sentence(stand_in):
    stand_in(lambda _: {"train": []})
    with pytest.raises(UnknownFormat, match="holds no rows"):
        import_source("hf:a/b")


@real
@pytest.mark.filterwarnings("ignore")
def test_a_local_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "test.jsonl").write_text("".join(json.dumps(one) + os.linesep for one in rows(5)))
    imported = import_source(f"hf:{folder}")
    assert imported.cases["id"].to_list() == [one["id"] for one in rows(5)]
    assert imported.cases["earliest_error"].to_list() == [one["label"] for one in rows(5)]
    assert imported.cases["subset"].to_list() == ["sums"] * 5
    assert not imported.findings


@real
@pytest.mark.filterwarnings("ignore")
def test_a_folder_that_is_no_data_set(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(HubUnavailable):
        hub_rows(str(tmp_path / "gone"))
