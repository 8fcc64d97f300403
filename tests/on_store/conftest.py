"""Machines that share a workspace in a bucket: each has a cache of its own."""

import itertools
import shutil

import pytest

from object_stores import FaultyProxy, StoreServer
from servers import azurite
from servers.azurite import Azurite

pytest.importorskip("obstore")
pytest.importorskip("moto.server")

_NUMBERS = itertools.count()
_ON_ALL = {"test_mirror", "test_runs_on_store"}
"""Tests of what every store must do alike, which run on an emulator of each."""


def pytest_generate_tests(metafunc):
    """Azure's has one user alone, who may write."""
    fixtures, module = {*metafunc.fixturenames}, metafunc.module.__name__.rpartition(".")[2]
    if module in _ON_ALL and "server" in fixtures and "reader" not in fixtures:
        metafunc.parametrize("server", [StoreServer, Azurite], ids=["s3", "az"], indirect=True)


@pytest.fixture(scope="session")
def server(request, tmp_path_factory):
    """A store with users, for all tests."""
    kind = getattr(request, "param", StoreServer)
    if kind is Azurite and shutil.which(azurite.PROGRAM) is None:
        pytest.skip(f"{azurite.PROGRAM} is not installed: npm install --global azurite")
    server = kind(tmp_path_factory.mktemp("store"))
    yield server
    server.close()


@pytest.fixture
def store(server, monkeypatch):
    """The store, as the environment names it, with the keys of somebody who may write."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


@pytest.fixture
def reader(store):
    """The keys of somebody who may read and not write."""
    return store.keys["reader"]


@pytest.fixture
def bucket(store):
    return store.bucket(f"bucket-{next(_NUMBERS)}")


@pytest.fixture
def address(bucket, store):
    return f"{store.scheme}://{bucket}/team/workspace"


@pytest.fixture
def proxy(store, monkeypatch):
    """A proxy before the store, which the environment names in its place."""
    proxy = FaultyProxy(store.port)
    monkeypatch.setenv(store.endpoint, proxy.url)
    yield proxy
    proxy.close()


@pytest.fixture
def machine(address, tmp_path):
    """Give the mirror of the workspace in the cache of a machine, by its name; again after it was killed, too."""
    from scoring.storage.object_store import Address, open_store
    from scoring.storage.remote import Mirror

    def mirror(name, where=address):
        parsed = Address.parse(where)
        return Mirror(parsed, tmp_path / name / "remote" / "mirror", open_store(parsed))

    return mirror
