"""Machines that share a workspace in a bucket: each has a cache of its own."""

import itertools
import shutil

import pytest

from object_stores import FaultyProxy, StoreServer
from servers import azurite
from servers.azurite import Azurite
from thoroughness import also

pytest.importorskip("obstore")
pytest.importorskip("moto.server")

_NUMBERS = itertools.count()
_ON_ALL = {
    "test_what_one_machine_writes_another_reads",
    "test_what_is_large_comes_in_pieces_and_what_was_cut_off_goes_on",
    "test_two_who_write_at_once_lose_nothing",
    "test_what_is_removed_and_brought_back_is_so_everywhere",
    "test_what_a_dead_machine_had_begun_is_free_by_the_clock_of_the_store",
    *also(
        "test_two_machines_share_a_run",
        "test_what_can_be_made_again_stays_at_home",
        "test_any_order_of_writes_and_syncs_ends_with_everything_everywhere",
        "test_a_fifth_of_all_requests_fails_and_nothing_is_different",
    ),
}
"""Tests of what stores do each in its own way (names, pieces, clocks, writing if nobody did), on an emulator of each.

What we make of that ourselves is tried on one."""


def pytest_generate_tests(metafunc):
    if metafunc.function.__name__ in _ON_ALL:
        metafunc.parametrize("server", [StoreServer, Azurite], ids=["s3", "az"], indirect=True)


@pytest.fixture(scope="session")
def servers(tmp_path_factory):
    """Give the store of a kind, which is started for the first test that needs it and stays for all."""
    started = {}

    def of(kind):
        if kind not in started:
            started[kind] = kind(tmp_path_factory.mktemp("store"))
        return started[kind]

    yield of
    for server in started.values():
        server.close()


@pytest.fixture
def server(request, servers):
    """A store with users."""
    kind = getattr(request, "param", StoreServer)
    if kind is Azurite and shutil.which(azurite.PROGRAM) is None:
        pytest.skip(f"{azurite.PROGRAM} is not installed: npm install --global azurite")
    return servers(kind)


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
    from scoring.data.storage.object_store import open_store
    from scoring.data.storage.store_address import Address
    from scoring.workspace.remote import Mirror

    def mirror(name, where=address):
        parsed = Address.parse(where)
        return Mirror(parsed, tmp_path / name / "remote" / "mirror", open_store(parsed))

    return mirror
