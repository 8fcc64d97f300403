"""A small HTTP server that answers chat and pooling requests at once, or misbehaves as it is told to. For tests alone.

Real sockets and real HTTP/1.1, in a thread of its own (`running()`) or a process of its own (`python fault_server.py`,
which prints its port). `Behaviour.faults` maps the name of a fault in `FAULTS` to the probability that a request meets
it; draws are seeded. What was asked is counted, so that tests can compare.

A new fault is one entry of a table (`_STATUSES`, `_EDITS`, `_BODIES`, `_STREAMS`) or one function with `@_fault`. Tests
run all of `FAULTS` and know what to expect of each from its `Outcome`.
"""

import asyncio
import base64
import contextlib
import gzip
import json
import math
import random
import struct
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

ANSWER = "Paragraph 2 divides by zero, which nothing before it allows. \\boxed{2}"


@dataclass
class Behaviour:
    """What the server does. `refuse` maps a field of the request to the words of the 400 that it meets.

    `moderate` maps a word of the question to the status and message that it meets, `barred` (answers, status, message)
    says what every question meets after so many answers, and `quota` how many such replies there are (-1 = no end).
    `healthy` answers come before the first fault.
    `unlisted` is the status that asking for the models meets.
    """

    faults: dict[str, float] = field(default_factory=dict)
    seed: int = 0
    healthy: int = 0
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
            question = asked["messages"][-1]["content"] if "messages" in asked else ""
            moderated = next((told for word, told in self.behaviour.moderate.items() if word in question), None)
            if moderated:
                # What is refused takes no time, and comes before what is answered.
                await self.send(moderated[0], {"error": {"message": moderated[1]}})
                return
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
        refused = next((name for name in self.behaviour.refuse if name in asked), None)
        if refused:
            words = self.behaviour.refuse[refused]
            await self.send(400, {"error": {"message": words, "type": "invalid_request_error", "param": None}})
            return
        shares = self.behaviour.faults
        if self.server.answered >= self.behaviour.healthy and self.draw.random() < sum(shares.values()):
            # The fault that has most fallen short of its share, so that each of many comes up.
            faults = self.seen.faults
            name = max(
                shares, key=lambda name: (shares[name] * (faults.total() + 1) - faults[name], self.draw.random())
            )
            faults[name] += 1
            await FAULTS[name].act(self, asked)
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

    async def write(self, data):
        self.writer.write(data)
        await self.writer.drain()


class Outcome(Enum):
    """What a client must make of a fault."""

    RETRIED = "the request is sent again, and in the end has a reason; the next run asks again"
    ANSWERED = "the answer is kept"
    GIVEN_UP = "the case has a reason at once; the next run asks again"
    REFUSED = "the case has a reason for good, if the server has answered others"
    FATAL = "the run ends"


Act = Callable[[_Connection, dict[str, Any]], Awaitable[None]]


class Fault(NamedTuple):
    """One way to misbehave: what a client must make of it, and what the server does to a request."""

    outcome: Outcome
    act: Act


FAULTS: dict[str, Fault] = {}


def _fault(outcome: Outcome) -> Callable[[Act], Act]:
    def register(act: Act) -> Act:
        FAULTS[act.__name__.strip("_")] = Fault(outcome, act)
        return act

    return register


# -- what a status alone says: name -> status, message, headers


_STATUSES: dict[Outcome, dict[str, tuple[int, str, str]]] = {
    Outcome.RETRIED: {
        "error": (500, "Internal Server Error", ""),
        "bad_gateway": (502, "Bad Gateway", ""),
        "gateway_timeout": (504, "Gateway Timeout", ""),
        "unknown_error": (599, "Something else", ""),
        "request_timeout": (408, "Request Timeout", ""),
        "conflict": (409, "Conflict", ""),
        "too_early": (425, "Too Early", ""),
        "wait_for_years": (429, "slow down", "retry-after: 1000000000\r\n"),
        "wait_until_past": (429, "slow down", "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
        "wait_without_zone": (429, "slow down", "retry-after: Wed, 21 Oct 2015 07:28:00\r\n"),
        "wait_below_zero": (503, "slow down", "retry-after: -5\r\n"),
        "wait_in_words": (503, "slow down", "retry-after: ein \u00bd Jahr\r\n"),
    },
    Outcome.GIVEN_UP: {
        "bad_request": (400, "no such thing", ""),
        "unprocessable": (422, "no such thing", ""),
        "not_found": (404, "gone", ""),
        "not_allowed": (405, "not here", ""),
        "gone": (410, "gone", ""),
        "teapot": (418, "short and stout", ""),
        "not_implemented": (501, "not yet", ""),
        "http_version": (505, "not this one", ""),
        "unknown_status": (666, "beast", ""),
        "elsewhere": (302, "there", "location: http://127.0.0.1:1/v1/chat/completions\r\n"),
        "round_and_round": (307, "here", "location: /v1/chat/completions\r\n"),
    },
    Outcome.REFUSED: {
        "forbidden": (403, "no", ""),
        "legal": (451, "not in your country", ""),
        "moderated": (400, "Your input was flagged by moderation.", ""),
        "too_long": (400, "This model's maximum context length is 16 tokens.", ""),
    },
    Outcome.FATAL: {
        "unauthorized": (401, "who are you", ""),
        "payment": (402, "no credit", ""),
    },
}


def _status(status: int, message: str, headers: str) -> Act:
    async def act(connection: _Connection, _: dict[str, Any]) -> None:
        await connection.send(status, {"error": {"message": message}}, extra=headers)

    return act


for _outcome, _entries in _STATUSES.items():
    FAULTS.update({name: Fault(_outcome, _status(*entry)) for name, entry in _entries.items()})


# -- completions with one odd field: the answer is kept


def _usage(**counts: Any) -> Callable[[dict[str, Any]], None]:
    return lambda reply: reply["usage"].update(counts)


def _choice(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda reply: [choice.update(fields) for choice in reply["choices"]]


def _said(prefix: str) -> Callable[[dict[str, Any]], None]:
    """Put a prefix before what is said."""

    def edit(reply: dict[str, Any]) -> None:
        for choice in reply["choices"]:
            choice["message"] = {**choice["message"], "content": prefix + choice["message"]["content"]}

    return edit


def _logprob(value: Any) -> Callable[[dict[str, Any]], None]:
    return _choice(logprobs={"content": [{"token": "2", "logprob": value, "top_logprobs": []}]})


_EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no_usage": lambda reply: reply.pop("usage", None),
    "tokens_beyond_64_bits": _usage(prompt_tokens=2**63, completion_tokens=2**64),
    "tokens_that_overflow_sums": _usage(prompt_tokens=2**62, completion_tokens=2**63 - 1),
    "tokens_of_400_digits": _usage(completion_tokens=10**400),
    "tokens_below_zero": _usage(prompt_tokens=-1, completion_tokens=-(2**70)),
    "tokens_in_fractions": _usage(prompt_tokens=1.5, completion_tokens=1e300),
    "tokens_in_words": _usage(prompt_tokens="11", completion_tokens="many"),
    "tokens_that_are_true": _usage(prompt_tokens=True, completion_tokens=False),
    "tokens_that_are_nan": _usage(prompt_tokens=math.nan, completion_tokens=math.inf),
    "tokens_in_a_list": lambda reply: reply.update(usage=[1, 2]),
    "huge_token_details": _usage(prompt_tokens_details={"cached_tokens": 2**80}, total_tokens=2**80),
    "created_never": lambda reply: reply.update(created=-(2**80), model=None, id=[], object=3),
    "finish_without_text": _choice(finish_reason=7),
    "finish_without_end": _choice(finish_reason="x" * 100_000),
    "finish_with_half_a_character": _choice(finish_reason="st\ud800op"),
    "model_with_half_a_character": lambda reply: reply.update(model="\udfff"),
    "half_a_character": _said("\ud83d "),
    "nul": _said("\x00 "),
    "long_answer": _said("x" * 300_000),
    "index_out_of_range": _choice(index=2**70),
    "index_below_zero": _choice(index=-1),
    "null_among_choices": lambda reply: reply["choices"].insert(0, None),
    "content_in_parts": lambda reply: [
        choice["message"].update(content=[{"type": "text", "text": choice["message"]["content"]}, None, 3])
        for choice in reply["choices"]
    ],
    "logprob_nan": _logprob(math.nan),
    "logprob_infinite": _logprob(-math.inf),
    "logprob_of_400_digits": _logprob(10**400),
    "logprobs_in_words": _choice(logprobs={"content": [{"token": 3, "logprob": "likely"}]}),
    "nested_field": lambda reply: reply.update(extra=json.loads("[" * 200 + "]" * 200)),
}


def _edit(change: Callable[[dict[str, Any]], Any]) -> Act:
    async def act(connection: _Connection, asked: dict[str, Any]) -> None:
        reply = json.loads(json.dumps(connection.completion(asked)))
        change(reply)
        await connection.send(200, reply)

    return act


FAULTS.update({name: Fault(Outcome.ANSWERED, _edit(change)) for name, change in _EDITS.items()})


# -- bodies of status 200, made from a good one: name -> body and content type


def _bomb() -> bytes:
    """64 KiB that unpack to 64 MiB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    first, second = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + second * 63


_JSON = "application/json"
_BODIES: dict[Outcome, dict[str, tuple[Callable[[bytes], bytes], str]]] = {
    Outcome.ANSWERED: {
        "wrong_type": (lambda body: body, "text/html; charset=utf-8"),
        "byte_order_mark": (lambda body: b"\xef\xbb\xbf" + body, _JSON),
        "not_utf8": (lambda body: body.replace(b"divides", b"divi\xffdes"), _JSON),
        "raw_newline": (lambda body: body.replace(b"divides", b"divi\ndes"), _JSON),
        "number_beyond_float": (lambda body: body[:-1] + b', "extra": [1e999, -1e999, ' + b"9" * 5000 + b"]}", _JSON),
        "packed": (gzip.compress, _JSON),
    },
    Outcome.RETRIED: {
        "half_json": (lambda body: body[: len(body) // 2], _JSON),
        "empty_body": (lambda _: b"", _JSON),
        "no_choices": (lambda _: b'{"choices": []}', _JSON),
        "null_choices": (lambda _: b'{"choices": null}', _JSON),
        "choices_of_nulls": (lambda _: b'{"choices": [null, 3, "x"]}', _JSON),
        "another_kind_of_json": (lambda _: b'[{"generated_text": "2"}]', _JSON),
        "deep_json": (lambda _: b"[" * 100_000, _JSON),
        "two_answers": (lambda body: body + body, _JSON),
        "web_page": (lambda _: b"<html>Please sign in</html>", "text/html; charset=utf-8"),
        "event_stream": (lambda body: b"data: " + body + b"\n\ndata: [DONE]\n\n", "text/event-stream"),
    },
    Outcome.GIVEN_UP: {"gzip_bomb": (lambda _: _bomb(), _JSON)},
}


def _body(change: Callable[[bytes], bytes], kind: str) -> Act:
    async def act(connection: _Connection, asked: dict[str, Any]) -> None:
        body = json.dumps(connection.completion(asked)).encode()
        await connection.send(200, None, body=change(body), kind=kind)

    return act


for _outcome, _bodies in _BODIES.items():
    FAULTS.update({name: Fault(_outcome, _body(*entry)) for name, entry in _bodies.items()})


# -- what is wrong with the HTTP: bytes of a reply, after which the connection is closed


def _line(status: bytes = b"200 OK", version: bytes = b"1.1") -> bytes:
    """The first lines. They say that the connection ends: only `dropped` breaks its word."""
    return b"HTTP/%s %s\r\nconnection: close\r\n" % (version, status)


_LINE, _TYPE = _line(), b"content-type: application/json\r\n"


def _length(body: bytes, more: int = 0) -> bytes:
    return b"content-length: %d\r\n\r\n" % (len(body) + more)


def _chunk(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(body), body)


_CHUNKED = _LINE + _TYPE + b"transfer-encoding: chunked\r\n\r\n"
_STREAMS: dict[Outcome, dict[str, Callable[[bytes], bytes]]] = {
    Outcome.ANSWERED: {
        "http_1_0": lambda body: _line(version=b"1.0") + _TYPE + b"\r\n" + body,
        "interim": lambda body: b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + _LINE + _TYPE + _length(body) + body,
        "http_2": lambda body: _line(version=b"2.0") + _TYPE + _length(body) + body,
        "created": lambda body: _line(b"201 Created") + _TYPE + _length(body) + body,
        "no_type": lambda body: _LINE + _length(body) + body,
        "chunks": lambda body: _CHUNKED + _chunk(body[:9]) + _chunk(body[9:]) + b"0\r\n\r\n",
        "many_headers": lambda body: _LINE + b"x-more: y\r\n" * 1000 + _TYPE + _length(body) + body,
    },
    Outcome.RETRIED: {
        "silent_cut": lambda _: b"",
        "cut": lambda body: _LINE + _TYPE + _length(body) + body[: len(body) // 2],
        "headers_alone": lambda body: _LINE + _TYPE + _length(body),
        "length_too_large": lambda body: _LINE + _TYPE + _length(body, 7) + body,
        "length_too_small": lambda body: _LINE + _TYPE + _length(body, -7) + body,
        "length_in_words": lambda body: _LINE + _TYPE + b"content-length: some\r\n\r\n" + body,
        "chunks_of_garbage": lambda body: _CHUNKED + b"zz\r\n" + body,
        "chunks_without_end": lambda body: _CHUNKED + _chunk(body),
        "no_http": lambda body: body,
        "status_in_words": lambda body: _line(b"fine OK") + _TYPE + _length(body) + body,
        "header_flood": lambda body: _LINE + b"x-more: y\r\n" * 50_000 + _TYPE + _length(body) + body,
        "header_of_control_characters": lambda body: _LINE + b"x\x00: \x01\r\n" + _TYPE + _length(body) + body,
        "no_content": lambda _: _line(b"204 No Content") + b"\r\n",
        "switching": lambda _: b"HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        "partial_content": lambda body: _line(b"206 Partial") + _TYPE + _length(body[:50]) + body[:50],
        "unknown_encoding": lambda body: _LINE + _TYPE + b"content-encoding: br\r\n" + _length(body) + body[::-1],
    },
    Outcome.GIVEN_UP: {
        "redirect_nowhere": lambda _: _line(b"302 There") + b"location: http://[\r\ncontent-length: 0\r\n\r\n",
        "not_modified": lambda _: _line(b"304 Not Modified") + b"\r\n",
    },
}


def _stream(make: Callable[[bytes], bytes]) -> Act:
    async def act(connection: _Connection, asked: dict[str, Any]) -> None:
        await connection.write(make(json.dumps(connection.completion(asked)).encode()))
        raise _Cut

    return act


for _outcome, _streams in _STREAMS.items():
    FAULTS.update({name: Fault(_outcome, _stream(make)) for name, make in _streams.items()})


# -- what needs a word of the request, or time


@_fault(Outcome.RETRIED)
async def limit(connection, _):
    extra = f"retry-after: {connection.behaviour.retry_after}\r\n"
    message = {"message": "Rate limit reached", "code": "rate_limit_exceeded"}
    await connection.send(429, {"error": message}, extra=extra)


@_fault(Outcome.FATAL)
async def no_credit(connection, _):
    await connection.send(429, {"error": {"message": "You have nothing left", "code": "insufficient_quota"}})


@_fault(Outcome.RETRIED)
async def overload(connection, _):
    await connection.send(503, None, kind="text/html", body=b"<html>no upstream</html>")


@_fault(Outcome.RETRIED)
async def hang(connection, _):
    # Until the other side has had enough.
    await connection.reader.read(1)
    raise _Cut


@_fault(Outcome.RETRIED)
async def slow_headers(connection, _):
    """Headers one by one, for longer than a test waits for an answer."""
    await connection.write(_LINE)
    for _ in range(75):
        await connection.write(b"x-slow: y\r\n")
        await asyncio.sleep(0.02)
    raise _Cut


@_fault(Outcome.RETRIED)
async def echo(connection, _):
    """An error in disguise, with the key that it was asked with: a real server of this kind was seen."""
    told = connection.headers.get("authorization", "nobody").removeprefix("Bearer ")
    await connection.send(200, {"error": {"message": f"Incorrect API key provided: {told}"}})


@_fault(Outcome.RETRIED)
async def not_json(connection, _):
    await connection.send(200, None, body=base64.b85encode(connection.draw.randbytes(200)))


@_fault(Outcome.ANSWERED)
async def wrong_n(connection, asked):
    # None at all would have to be asked for again.
    count = max(1, asked.get("n", 1) + connection.draw.choice([-1, 1, 2]))
    await connection.send(200, connection.completion(asked, count))


@_fault(Outcome.ANSWERED)
async def one(connection, asked):
    await connection.send(200, connection.completion(asked, 1))


@_fault(Outcome.ANSWERED)
async def drip(connection, asked):
    body = json.dumps(connection.completion(asked)).encode()
    await connection.write(_LINE + _TYPE + _length(body))
    for at in range(0, len(body), 16):
        await connection.write(body[at : at + 16])
        await asyncio.sleep(0.002)


@_fault(Outcome.ANSWERED)
async def dropped(connection, asked):
    """A whole answer, on a connection that is said to stay and is closed."""
    await connection.send(200, connection.completion(asked))
    raise _Cut


@_fault(Outcome.GIVEN_UP)
async def endless(connection, _):
    """An answer of 50 MB, as fast as it is taken."""
    part = b'"' + b"x" * ((1 << 16) - 1)
    await connection.write(_LINE + _TYPE + b"content-length: 50000000\r\n\r\n")
    for _ in range(50_000_000 // len(part)):
        await connection.write(part)
        connection.server.sent += len(part)
    raise _Cut


def of(*outcomes: Outcome) -> tuple[str, ...]:
    """The names of the faults with these outcomes."""
    return tuple(name for name, fault in FAULTS.items() if fault.outcome in outcomes)


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
