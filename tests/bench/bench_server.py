"""How fast a server that answers at once is asked: `python tests/bench/bench_server.py [--requests N]`.

The server runs in a process of its own and sends the same bytes to everyone. Beside the engine, in the same run, a bare
client: asyncio sockets that write ready bytes and read as many as come, which is what the two processes can do at all;
and one `httpx.AsyncClient` in a loop, which is what the library costs by itself.
Each is measured in a process of its own, so that its peak of resident memory is its own. Numbers are reported beside
the target and never asserted: machines differ and are busy.
"""

import argparse
import asyncio
import contextlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

CONCURRENCY = 64
PROMPT = "so we add the first number to a second one and then divide by three which gives x again " * 40
ANSWER = "the first paragraph counts the boxes and the second divides them among four children " * 25 + "\\boxed{1}"
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "tiny",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 800, "completion_tokens": 400, "total_tokens": 1200},
}
MODELS = {"object": "list", "data": [{"id": "tiny", "object": "model", "owned_by": "tests"}]}


def main() -> None:
    """Measure both clients and print a table; or, as a child, be one of them or the server."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=int, default=3400)
    options.add_argument("--child", nargs=2, metavar=("WHAT", "PORT"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        what, port = given.child[0], int(given.child[1])
        {"server": serve, "bare": bare, "httpx": bare_httpx, "engine": engine}[what](port, given.requests)
        return
    print(f"{'client':<26} {'seconds':>8} {'requests/s':>11} {'peak MB':>8}")
    with server() as port:
        once, four_times = given.requests, 4 * given.requests
        seconds: dict[str, float] = {}
        for what, requests in (("bare", once), ("httpx", once), ("engine", once), ("engine", four_times)):
            found = json.loads(child(what, port, requests))
            seconds.setdefault(what, found["seconds"])
            shown = f"{what}, {requests:,} requests"
            print(f"{shown:<26} {found['seconds']:>8.2f} {requests / found['seconds']:>11,.0f} {found['peak']:>8.0f}")
    print(f"engine to a bare httpx loop: {seconds['engine'] / seconds['httpx']:.2f}")
    print("target: at most 1.5, 3,400 requests under 10 s on 2 cores, and a peak that does not grow with them")


@contextlib.contextmanager
def server() -> Iterator[int]:
    """The server in a process of its own; its port."""
    command = [sys.executable, __file__, "--child", "server", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def child(what: str, port: int, requests: int) -> str:
    """What a client in a process of its own reports."""
    command = [sys.executable, __file__, "--requests", str(requests), "--child", what, str(port)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def report(seconds: float) -> None:
    """For the parent."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak}))


class AtOnce(asyncio.Protocol):
    """Answers each request with the same bytes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.waiting = transport, b""

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
            head = self.waiting[:end].lower()
            _, named, rest = head.partition(b"content-length:")
            size = int(rest.split(b"\r\n")[0]) if named else 0
            if len(self.waiting) < end + 4 + size:
                return
            self.waiting = self.waiting[end + 4 + size :]
            self.transport.write(reply(COMPLETION if head.startswith(b"post") else MODELS))


def reply(told: dict) -> bytes:
    """A whole HTTP reply, made once."""
    if id(told) not in READY:
        body = json.dumps(told).encode()
        READY[id(told)] = (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body
        )
    return READY[id(told)]


READY: dict[int, bytes] = {}


def serve(_port: int, _requests: int) -> None:
    """Be the server."""

    async def forever() -> None:
        listening = await asyncio.get_running_loop().create_server(AtOnce, "127.0.0.1", 0, backlog=256)
        print(listening.sockets[0].getsockname()[1], flush=True)
        await listening.serve_forever()

    asyncio.run(forever())


def bare(port: int, requests: int) -> None:
    """The least that a client can do."""
    body = json.dumps({"model": "tiny", "messages": [{"role": "user", "content": PROMPT}]}).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: here\r\ncontent-length: %d\r\n\r\n" % len(body)
    turns = iter(range(requests))

    async def one_connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in turns:
            writer.write(head + body)
            told = await reader.readuntil(b"\r\n\r\n")
            size = int(told.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            json.loads(await reader.readexactly(size))
        writer.close()

    async def all_of_them() -> None:
        await asyncio.gather(*(one_connection() for _ in range(CONCURRENCY)))

    start = time.perf_counter()
    asyncio.run(all_of_them())
    report(time.perf_counter() - start)


def bare_httpx(port: int, requests: int) -> None:
    """A loop with the library and nothing else."""
    import httpx

    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    told = {"model": "tiny", "messages": [{"role": "user", "content": PROMPT}]}
    turns = iter(range(requests))

    async def one_after_the_other(client: httpx.AsyncClient) -> None:
        for _ in turns:
            (await client.post(url, json=told)).raise_for_status().json()

    async def all_of_them() -> None:
        limits = httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)
        async with httpx.AsyncClient(limits=limits, timeout=60) as client:
            await asyncio.gather(*(one_after_the_other(client) for _ in range(CONCURRENCY)))

    start = time.perf_counter()
    asyncio.run(all_of_them())
    report(time.perf_counter() - start)


def engine(port: int, requests: int) -> None:
    """The engine, with everything that it does for an answer; the start-up check counts too."""
    from scoring.engines.server.chat import ChatServers
    from scoring.models.asking import Answered, GenerationRequest, Message, Sampling

    start = time.perf_counter()
    servers = ChatServers.connect([f"http://127.0.0.1:{port}"], Sampling(temperature=0.0), concurrency=CONCURRENCY)
    asks = (GenerationRequest(index, (Message("user", PROMPT),)) for index in range(requests))
    answered = sum(isinstance(one, Answered) and one.answers[0].text == ANSWER for one in servers.answers(asks))
    seconds = time.perf_counter() - start
    if answered != requests:
        raise SystemExit(f"{answered} of {requests} requests were answered")
    report(seconds)


if __name__ == "__main__":
    main()
