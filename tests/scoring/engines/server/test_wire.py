import asyncio
import contextlib
import socket
import time

import pytest

from scoring.engines.server import wire
from scoring.engines.server.address import Address
from scoring.engines.server.faults import Fault, Unreachable
from scoring.engines.server.keys import Key
from scoring.engines.server.wire import Wire
from servers.fault_server import Behaviour, running

CHAT = "/v1/chat/completions"


def posted(url, seconds, body=b'{"model": "tiny", "messages": [{"content": "?"}]}'):
    async def once():
        one = Wire(Address.read(url), Key("", ["NONE"]))
        try:
            return await one.post(CHAT, body, seconds)
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
    monkeypatch.setattr(wire, "CONNECTING", 0.5)
    with pytest.raises(Unreachable, match=r"no connection within 0\.5 s"):
        posted(deaf, 0.01)


def test_the_time_runs_from_the_first_byte_to_the_last():
    with running(Behaviour(delay=0.2)) as server:
        assert posted(server.url, 5).status == 200
    start = time.monotonic()
    with running(Behaviour(faults={"hang": 1.0})) as server, pytest.raises(Fault, match=r"no answer within 0\.3 s"):
        posted(server.url, 0.3)
    assert time.monotonic() - start >= 0.3


def test_what_is_sent_arrives_whole_and_says_its_length():
    body = b'{"model": "tiny", "messages": [{"content": "%s"}]}' % (b"x" * 300_000)
    with running() as server:
        posted(server.url, 30, body)
        (headers,), (asked,) = server.seen.headers, server.seen.bodies
    assert headers["content-length"] == str(len(body))
    assert "transfer-encoding" not in headers
    assert len(asked["messages"][0]["content"]) == 300_000
