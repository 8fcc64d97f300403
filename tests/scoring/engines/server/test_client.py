import asyncio
import contextlib
import gzip
import socket
import time
import zlib
from email.utils import formatdate

import pytest

from scoring.engines.server import connections
from scoring.engines.server.address import Key, ServerAddress
from scoring.engines.server.client import Notices, Server, ServerCall, Servers
from scoring.engines.server.connections import ROOM, Connections, RetryPolicy
from scoring.engines.server.faults import Fault, Unreachable
from servers.fault_server import Behaviour, running

CHAT = "/v1/chat/completions"


def posted(url, seconds, most=ROOM, body=b'{"model": "tiny", "messages": [{"content": "?"}]}'):
    async def once():
        one = Connections(ServerAddress.read(url), Key("", ["NONE"]))
        try:
            return await one.post(CHAT, body, seconds, most)
        finally:
            await one.close()

    return asyncio.run(once())


@pytest.fixture
def deaf():
    """The address of a listener that takes no connection and has as many waiting as it keeps."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, contextlib.ExitStack() as waiting:
        for _ in range(8):
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_who_waits_in_vain_for_a_connection_has_reached_no_server(deaf, monkeypatch):
    monkeypatch.setattr(connections, "CONNECTING", 0.5)
    with pytest.raises(Unreachable, match=r"no connection within 0\.5 s"):
        posted(deaf, 0.01)


def test_an_answer_is_waited_for_as_long_as_it_may_take():
    with running(Behaviour(delay=0.2)) as server:
        assert posted(server.url, 5).status == 200
    start = time.monotonic()
    with running(Behaviour(faults={"hang": 1.0})) as server, pytest.raises(Fault, match=r"no answer within 0\.3 s"):
        posted(server.url, 0.3)
    assert time.monotonic() - start >= 0.3


def test_what_is_sent_arrives_whole_and_says_its_length():
    body = b'{"model": "tiny", "messages": [{"content": "%s"}]}' % (b"x" * 300_000)
    with running() as server:
        posted(server.url, 30, body=body)
        (headers,), (asked,) = server.seen.headers, server.seen.bodies
    assert headers["content-length"] == str(len(body))
    assert "transfer-encoding" not in headers
    assert len(asked["messages"][0]["content"]) == 300_000


def test_an_answer_is_read_as_far_as_it_may_go_and_no_further():
    with running(Behaviour(faults={"endless": 1.0})) as server:
        with pytest.raises(Fault, match=r"an answer of more than 2 MiB, which is more than it may have") as caught:
            posted(server.url, 30, 2 * ROOM)
        assert not caught.value.again
        assert server.sent < 8 * ROOM, "it was read to its end"


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_what_is_packed_without_being_asked_for_is_unpacked_as_far_as_it_may_go(pack):
    assert connections._unpacked(pack(b"x" * 1000), 1000) == b"x" * 1000
    with pytest.raises(Fault, match="more than it may have"):
        connections._unpacked(pack(b"x" * 1001), 1000)
    assert connections._unpacked(pack(b"x" * 1000)[:10], 1000) is not None
    assert connections._unpacked(b"xyz", 1000) == b"xyz"


def test_a_server_that_is_gone_again_before_it_is_asked_is_waited_for():
    async def picked():
        server = Server(Connections(ServerAddress.read("http://127.0.0.1:1"), Key("", ["NONE"])))
        servers = Servers([server], RetryPolicy(), Notices(lambda _: None))

        def up():
            server.down = ""
            servers._up.set()

        servers._take_down(server, "gone")
        waiting = asyncio.create_task(servers._pick(ServerCall(lambda _: ("", {}), lambda *_: None, ROOM)))
        await asyncio.sleep(0)
        up()
        servers._take_down(server, "gone again")
        await asyncio.sleep(0.05)
        assert not waiting.done()
        up()
        return await waiting is server

    assert asyncio.run(picked())


@pytest.mark.parametrize(
    ("asked", "seconds"), [("3", 3), ("1.5", 1.5), ("-1", 0), ("nan", 0), ("inf", 0), ("soon", 0), ("9" * 400, 0)]
)
def test_how_long_a_server_asks_to_be_left_alone(asked, seconds, caplog):
    assert RetryPolicy().retry.parse_retry_after(asked) == seconds
    assert caplog.records == []


def test_a_server_may_name_a_date(caplog):
    retry = RetryPolicy().retry
    # A date without a zone is in UTC, and the library's warning of it would come between a command's words.
    assert 50 < retry.parse_retry_after(formatdate(time.time() + 60, usegmt=True).removesuffix(" GMT")) <= 60
    assert caplog.records == []
    assert 50 < retry.parse_retry_after(formatdate(time.time() + 60, usegmt=True)) <= 60
    assert retry.parse_retry_after(formatdate(time.time() - 60, usegmt=True)) == 0


@pytest.mark.parametrize(("tries", "most"), [(1, 2.0), (2, 4.0), (3, 8.0), (4, 10.0), (1100, 10.0)])
def test_waits_are_drawn_from_nothing_to_a_bound_that_doubles(tries, most):
    retry = RetryPolicy(base=2.0, longest=10.0).retry
    for _ in range(tries):
        retry = retry.increment()
    waits = [retry.backoff_strategy() for _ in range(300)]
    assert 0.0 <= min(waits) <= max(waits) <= most
    assert max(waits) > most * 3 / 4
