"""Machines that share a workspace in a bucket: each has a cache of its own."""

import itertools

import pytest

from object_stores import FaultyProxy, StoreServer

pytest.importorskip("obstore")
pytest.importorskip("moto.server")

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A store with users, for all tests."""
    with (tmp_path_factory.mktemp("store") / "log").open("wb") as log:
        server = StoreServer(log)
        yield server
        server.close()


@pytest.fixture
def store(server, monkeypatch):
    """The store, as the environment names it, with the keys of somebody who may write."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    for name, value in server.keys["writer"].items():
        monkeypatch.setenv(name, value)
    return server


@pytest.fixture
def bucket(store):
    return store.bucket(f"bucket-{next(_NUMBERS)}")


@pytest.fixture
def address(bucket):
    return f"s3://{bucket}/team/workspace"


@pytest.fixture
def proxy(store, monkeypatch):
    """A proxy before the store, which the environment names in its place."""
    proxy = FaultyProxy(store.port)
    monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
    yield proxy
    proxy.close()


@pytest.fixture
def machine(address, tmp_path):
    """Give the mirror of the workspace in the cache of a machine, by its name; again after it was killed, too."""
    from scoring.object_store import Address, open_store
    from scoring.remote import Mirror

    def mirror(name, where=address):
        parsed = Address.parse(where)
        return Mirror(parsed, tmp_path / name / "remote" / "mirror", open_store(parsed))

    return mirror
