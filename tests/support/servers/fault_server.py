"""A small HTTP server that answers chat and pooling requests at once, or misbehaves as it is told to. For tests alone.

Real sockets and real HTTP/1.1, in a thread of its own (`running()`) or a process of its own (`python fault_server.py`,
which prints its port). `Behaviour.faults` maps the name of a fault (a method of `_Connection` without its underscore)
to the probability that a request meets it; draws are seeded. What was asked is counted, so that tests can compare.
"""

import asyncio
import base64
import contextlib
import json
import math
import random
import struct
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

ANSWER = "Paragraph 2 divides by zero, which nothing before it allows. \\boxed{2}"


@dataclass
class Behaviour:
    """What the server does. `refuse` maps a field of the request to the words of the 400 that it meets.

    `moderate` maps a word of the question to the status and message that it meets, `barred` (answers, status, message)
    says what every question meets after so many answers, and `quota` how many such replies there are (-1 = no end).
    `unlisted` is the status that asking for the models meets.
    """

    faults: dict[str, float] = field(default_factory=dict)
    seed: int = 0
    models: tuple[str, ...] = ("tiny",)
    owner: str = "tests"
    loads_others: bool = False
    key: str | None = None
    context: int | None = None
    several: bool = True
    surplus: int = 0
    logprobs: bool = True
    usage: bool = True
    refuse: dict[str, str] = field(default_factory=dict)
    moderate: dict[str, tuple[int, str]] = field(default_factory=dict)
    barred: tuple[int, int, str] | None = None
    quota: int = -1
    unlisted: int = 0
    message: dict[str, Any] | None = None
    finish: str = "stop"
    delay: float = 0.0
    retry_after: str = "0.01"
    redirect: str | None = None
    probes: bool = True


@dataclass
class Seen:
    """What the server saw: paths, faults that it made, the bodies of chat requests, and headers of all requests."""

    paths: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    open: int = 0
    most_at_once: int = 0
    at_once: int = 0


class FaultServer:
    """Listens on a free port of the loopback; `url` says where."""

    def __init__(self, behaviour: Behaviour, *, keep: bool = True) -> None:
        self.behaviour = behaviour
        self.seen = Seen()
        self.keep = keep
        self.port = 0
        self.answered = 0
        self.sent = 0
        self._draw = random.Random(behaviour.seed)
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=1 << 26, backlog=512)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()

    def settled(self, path: str, number: int) -> int:
        """How many requests came for a path, once there are so many or no more come: some were given up unread."""
        end = time.monotonic() + 10
        while self.seen.paths[path] < number and time.monotonic() < end:
            time.sleep(0.01)
        return self.seen.paths[path]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seen.open += 1
        try:
            await _Connection(self, reader, writer, self._draw).talk()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.seen.open -= 1
            writer.close()


class _Cut(Exception):  # noqa: N818  # what happens to a connection is no error of the server
    pass


class _Connection:
    def __init__(self, server, reader, writer, draw):
        self.server, self.reader, self.writer, self.draw = server, reader, writer, draw
        self.behaviour, self.seen, self.headers = server.behaviour, server.seen, {}

    async def talk(self):
        with contextlib.suppress(_Cut):
            while True:
                head = await self.reader.readuntil(b"\r\n\r\n")
                first, *lines = head.decode("latin-1").split("\r\n")
                method, path, _ = first.split(" ", 2)
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                self.headers = headers
                # Counted when it begins: whoever sends one may go away before it is whole.
                self.seen.paths[path] += 1
                body = await self.reader.readexactly(int(headers.get("content-length", 0)))
                if self.server.keep:
                    self.seen.headers.append(headers)
                await self.route(method, path, headers, body)

    async def route(self, method, path, headers, body):
        behaviour = self.behaviour
        if behaviour.redirect:
            await self.send(308, {}, extra=f"location: {behaviour.redirect}{path}\r\n")
        elif behaviour.key and headers.get("authorization") != f"Bearer {behaviour.key}":
            told = headers.get("authorization", "nothing")
            await self.send(
                401, {"error": {"message": f"Incorrect API key provided: {told}", "code": "invalid_api_key"}}
            )
        elif path == "/v1/models":
            await self.models()
        elif path == "/health" and behaviour.probes:
            await self.send(200, {})
        elif path == "/version" and behaviour.probes:
            await self.send(200, {"version": "0.32.0"})
        elif (path == "/v1/chat/completions" and method == "POST") or (path == "/pooling" and method == "POST"):
            await self.chat(json.loads(body))
        else:
            await self.send(404, {"detail": "Not Found"})

    async def models(self):
        if self.behaviour.unlisted:
            await self.send(self.behaviour.unlisted, {"error": {"message": "Missing scopes: api.model.read"}})
            return
        told = [{"id": name, "object": "model", "owned_by": self.behaviour.owner} for name in self.behaviour.models]
        if self.behaviour.loads_others:
            told = [{**model, "status": {"value": "loaded"}} for model in told]
        for one in told:
            if self.behaviour.context:
                one["max_model_len"] = self.behaviour.context
        await self.send(200, {"object": "list", "data": told})

    async def chat(self, asked):
        seen = self.seen
        if self.server.keep:
            seen.bodies.append(asked)
        seen.at_once += 1
        seen.most_at_once = max(seen.most_at_once, seen.at_once)
        try:
            if self.behaviour.delay:
                await asyncio.sleep(self.behaviour.delay)
            await self.chat_answer(asked)
        finally:
            seen.at_once -= 1

    async def chat_answer(self, asked):
        if asked["model"] not in self.behaviour.models:
            await self.send(404, {"error": {"message": f"The model `{asked['model']}` does not exist.", "code": 404}})
            return
        if "input" in asked and len(asked["input"][0]) > (self.behaviour.context or 1 << 20):
            words = "This model's maximum context length is shorter than that."
            await self.send(400, {"error": {"message": words}})
            return
        if self.behaviour.barred and self.server.answered >= self.behaviour.barred[0] and self.behaviour.quota:
            self.behaviour.quota -= 1
            _, status, words = self.behaviour.barred
            await self.send(status, {"error": {"message": words}})
            return
        question = asked["messages"][-1]["content"] if "messages" in asked else ""
        moderated = next((told for word, told in self.behaviour.moderate.items() if word in question), None)
        if moderated:
            await self.send(moderated[0], {"error": {"message": moderated[1]}})
            return
        refused = next((name for name in self.behaviour.refuse if name in asked), None)
        if refused:
            words = self.behaviour.refuse[refused]
            await self.send(400, {"error": {"message": words, "type": "invalid_request_error", "param": None}})
            return
        point, reached = self.draw.random(), 0.0
        for name, share in self.behaviour.faults.items():
            reached += share
            if point < reached:
                self.seen.faults[name] += 1
                await getattr(self, f"_{name}")(asked)
                return
        self.server.answered += 1
        await self.send(200, self.completion(asked))

    def completion(self, asked, count=None):
        behaviour = self.behaviour
        if "input" in asked:
            return self.pooled(asked)
        given = (asked.get("n", 1) if behaviour.several else 1) + behaviour.surplus if count is None else count
        last = asked["messages"][-1]["content"]
        choices = []
        for index in range(given):
            message = {"role": "assistant", "content": f"{last} {asked.get('seed')} {index} {ANSWER}"}
            choice = {"index": index, "message": behaviour.message or message, "finish_reason": behaviour.finish}
            if asked.get("logprobs") and behaviour.logprobs:
                top = [{"token": "2", "logprob": -0.5}, {"token": "1", "logprob": -1.5}][: asked.get("top_logprobs", 0)]
                choice["logprobs"] = {"content": [{"token": "2", "logprob": -0.5, "top_logprobs": top}]}
            choices.append(choice)
        told = {"id": "chatcmpl-1", "object": "chat.completion", "model": asked["model"], "choices": choices}
        if behaviour.usage:
            told["usage"] = {"prompt_tokens": 11, "completion_tokens": 7 * given, "total_tokens": 11 + 7 * given}
        return told

    def pooled(self, asked):
        """Two logits of every token, (id / 10, place / 10), or their softmax."""
        rows = [[token / 10, place / 10] for place, token in enumerate(asked["input"][0])]
        if asked["use_activation"]:
            rows = [[1 / (1 + math.exp(b - a)), 1 / (1 + math.exp(a - b))] for a, b in rows]
        packed = b"".join(struct.pack("<2f", *row) for row in rows)
        told = base64.b64encode(packed).decode() if asked.get("encoding_format") == "base64" else rows
        return {"object": "list", "model": asked["model"], "data": [{"index": 0, "object": "pooling", "data": told}]}

    async def send(self, status, told, *, kind="application/json", extra="", body=None):
        body = json.dumps(told).encode() if body is None else body
        head = f"HTTP/1.1 {status} Words\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{extra}\r\n"
        self.writer.write(head.encode() + body)
        await self.writer.drain()

    async def _limit(self, _):
        extra = f"retry-after: {self.behaviour.retry_after}\r\n"
        await self.send(429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, extra=extra)

    async def _error(self, _):
        await self.send(500, {"error": {"message": "Internal Server Error", "code": 500}})

    async def _overload(self, _):
        await self.send(503, None, kind="text/html", body=b"<html>no upstream</html>")

    async def _hang(self, _):
        # Until the other side has had enough.
        await self.reader.read(1)
        raise _Cut

    async def _cut(self, asked):
        body = json.dumps(self.completion(asked)).encode()
        self.writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        )
        self.writer.write(body[: len(body) // 2])
        await self.writer.drain()
        raise _Cut

    async def _silent_cut(self, _):
        raise _Cut

    async def _half_json(self, asked):
        body = json.dumps(self.completion(asked)).encode()
        await self.send(200, None, body=body[: len(body) // 2])

    async def _wrong_n(self, asked):
        # None at all would have to be asked for again.
        await self.send(200, self.completion(asked, max(1, asked.get("n", 1) + self.draw.choice([-1, 1, 2]))))

    async def _one(self, asked):
        await self.send(200, self.completion(asked, 1))

    async def _wrong_type(self, asked):
        await self.send(200, self.completion(asked), kind="text/html; charset=utf-8")

    async def _no_usage(self, asked):
        told = self.completion(asked)
        told.pop("usage", None)
        await self.send(200, told)

    async def _echo(self, _):
        """An error in disguise, with the key that it was asked with: a real server of this kind was seen."""
        told = self.headers.get("authorization", "nobody").removeprefix("Bearer ")
        await self.send(200, {"error": {"message": f"Incorrect API key provided: {told}"}})

    async def _drip(self, asked):
        body = json.dumps(self.completion(asked)).encode()
        self.writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        )
        for at in range(0, len(body), 16):
            self.writer.write(body[at : at + 16])
            await self.writer.drain()
            await asyncio.sleep(0.002)

    async def _endless(self, _):
        """An answer of 50 MB, as fast as it is taken."""
        part = b'"' + b"x" * ((1 << 16) - 1)
        self.writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50000000\r\n\r\n")
        for _ in range(50_000_000 // len(part)):
            self.writer.write(part)
            await self.writer.drain()
            self.server.sent += len(part)
        raise _Cut

    async def _not_json(self, _):
        await self.send(200, None, body=base64.b85encode(self.draw.randbytes(200)))


@contextlib.contextmanager
def running(behaviour=None, port=0):
    """The server in a thread of its own, until the context is left."""
    loop = asyncio.new_event_loop()
    server = FaultServer(behaviour or Behaviour())
    server.port = port
    ready = threading.Event()

    async def leave():
        await server.stop()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)

    def run():
        loop.run_until_complete(server.listen())
        ready.set()
        loop.run_forever()
        loop.run_until_complete(leave())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _forever(behaviour: Behaviour) -> None:
    server = FaultServer(behaviour, keep=False)
    await server.listen()
    print(server.port, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    settings = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_forever(Behaviour(**settings)))
