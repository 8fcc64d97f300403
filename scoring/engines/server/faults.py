"""What goes wrong with a request: the kinds of faults, and what a server's status and words mean."""

import json
import math
import re
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from scoring.data.secrets import masked
from scoring.engines.server.address import Key, ServerAddress

LONGEST_QUOTE = 240
"""Characters of a server's own words in a sentence of ours."""
AGAIN = frozenset({408, 409, 425, 429, *range(500, 600)} - {501, 505})
"""Statuses after which the same request may be answered."""
GATEWAY = frozenset({502, 503, 504})
"""Statuses that say that the server behind a gateway may be down."""
FORBIDDEN = frozenset({403, 451})
"""Statuses with which a server declines one prompt or, if it answers no other, every prompt."""
TOO_LONG = "context too long: "
"""Start of the reason if a prompt and its answer exceed the model's context."""
MOST_TOKENS = 1 << 40
"""The largest credible token count. Every context is far smaller, and sums over all answers fit into 64 bits."""
IMPOSSIBLE = -9999.0
"""The log-probability of an impossible token."""
_LONGEST_INTEGER = 400
"""Digits of an integer beyond which it is read as an infinite float; Python refuses to parse 4,300."""
_SURROGATE = re.compile("[\ud800-\udfff]")

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|max_model_len|prompt is too long|longer than the model|"
    r"input[\w ]* (token count|tokens) .*(exceed|must be <=)|maximum number of tokens allowed|"
    r"inputs?`? tokens \+ `?max_new_tokens",
    re.IGNORECASE,
)
_MODERATED = re.compile(
    r"moderat|content[ _-]?(filter|policy|management)|flagged|inappropriate|data_inspection|prohibited[ _-]?content|"
    r"safety",
    re.IGNORECASE,
)


class Unreachable(Exception):  # noqa: N818  # named for what is so, as the errors of scoring.data.errors
    """No connection: nothing was sent, so the request is as good as before."""

    def __init__(self, phrase: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase


class Reworded(Exception):  # noqa: N818  # as above
    """The server does not take a request in these words, and others are known: send it again at once."""


class Fault(Exception):  # noqa: N818  # as above
    """A request that came to no answer.

    Attributes:
        phrase: what happened, in a few words ("HTTP 500").
        again: whether sending it again may help.
        suspicious: whether the server itself may be down.
        lasting: whether it will always be so, for this request.
    """

    def __init__(self, phrase: str, *, again: bool = True, suspicious: bool = False, lasting: bool = False) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.again = again
        self.suspicious = suspicious
        self.lasting = lasting


class DeclinedRequest(Fault):
    """A request that a server would not do. Whether the request or the server is the reason, its other answers tell.

    Attributes:
        sentence: what is so where the server is the reason, for the end of a run; `next_step` what to do then.
        account: whether it is about who asks and not about what is asked.
        prompt: whether a server that answers other prompts declines this one for good.
        sure: whether once is enough to blame a server that has not answered anything yet.
    """

    def __init__(
        self,
        phrase: str,
        sentence: str,
        next_step: str,
        *,
        account: bool = False,
        prompt: bool = False,
        sure: bool = False,
    ) -> None:
        super().__init__(phrase, again=account)
        self.sentence = sentence
        self.next_step = next_step
        self.account = account
        self.prompt = prompt
        self.sure = sure


def quoted(text: str) -> str:
    """Quote a server's words: one line, no control characters, no keys, no full stop, and not too many of them."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in masked(text)).split())
    return (line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…").rstrip(".")


def decoded(body: bytes) -> Any:
    """Decode JSON to plain values, as `decoded_text` does.

    Raises:
        Fault: it is not JSON, or not whole.
    """
    return decoded_text(body)[0]


def decoded_text(body: bytes) -> tuple[Any, bool]:
    """Decode JSON to plain values, and return whether U+FFFD replaces characters that are not Unicode.

    One bad field must not cost the rest of a reply. So this also reads what strict parsers refuse and servers send: a
    byte-order mark, NaN, infinities, numbers beyond a float (infinite), unescaped control characters in texts, bytes
    that are not UTF-8, and halves of surrogate pairs.

    Raises:
        Fault: it is not JSON, or not whole.
    """
    try:
        return msgspec.json.decode(body), False
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _decoded_leniently(body)
    except (ValueError, RecursionError):
        raise Fault("an answer that is not whole JSON", suspicious=True) from None


def _decoded_leniently(body: bytes) -> tuple[Any, bool]:
    try:
        text, is_replaced = body.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        text, is_replaced = body.decode("utf-8-sig", errors="replace"), True
    value = json.loads(text, strict=False, parse_int=_integer)
    written = json.dumps(value, ensure_ascii=False)
    if _SURROGATE.search(written) is None:
        return value, is_replaced
    return json.loads(_SURROGATE.sub("\ufffd", written)), True


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def token_count(value: Any) -> int | None:
    """Read a count of tokens; None if it is not an integer from 0 to `MOST_TOKENS`."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def log_probability(value: Any) -> float:
    """Read a log-probability; minus infinity becomes `IMPOSSIBLE`, as vLLM writes it, because JSON has no infinity.

    Raises:
        TypeError: it is not a number.
        ValueError: it is NaN, infinite, or more than a float holds.
    """
    logprob = number(value)
    if math.isnan(logprob) or logprob == math.inf:
        raise ValueError
    return max(logprob, IMPOSSIBLE)


def number(value: Any) -> float:
    """Read a number of a decoded reply.

    Raises:
        TypeError: it is none.
        ValueError: it is more than a float holds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    try:
        return float(value)
    except OverflowError:
        raise ValueError from None


class Refusal(Struct, frozen=True):
    """The words of a server, on one line and without keys; and the parameter and code that it names."""

    message: str
    param: str = ""
    code: str = ""

    @classmethod
    def read(cls, body: bytes) -> "Refusal":
        """Read the body of an error as OpenAI, FastAPI and others write it; what is none of theirs is quoted."""
        try:
            body_read = decoded(body)
        except Fault:
            return cls(quoted(body[:2000].decode(errors="replace")))
        inner = body_read.get("error", body_read) if isinstance(body_read, dict) else body_read
        if not isinstance(inner, dict):
            return cls(quoted(str(inner)))
        detail = inner.get("detail")
        if isinstance(detail, list) and detail and isinstance(detail[0], dict):
            place = detail[0].get("loc")
            param = str(place[-1]) if isinstance(place, list) and place else ""
            return cls(quoted(f"{detail[0].get('msg', '')} ({param})"), param)
        message = inner.get("message") or detail or ""
        code = " ".join(str(inner[name]) for name in ("code", "type") if inner.get(name) is not None)
        return cls(quoted(str(message)), str(inner.get("param") or ""), code)

    @property
    def too_long(self) -> bool:
        """Whether prompt and answer do not fit into the model's context."""
        return "context" in self.code or _TOO_LONG.search(self.message) is not None

    @property
    def moderated(self) -> bool:
        """Whether it is the prompt's content that is not wanted, which asking again does not change."""
        return _MODERATED.search(f"{self.code} {self.message}") is not None

    @property
    def no_credit(self) -> bool:
        """Whether the account has nothing left, which waiting does not change."""
        return "insufficient_quota" in self.code

    def names(self, parameter: str) -> bool:
        """Return whether it is this parameter of the request that is not taken."""
        if self.param:
            return self.param == parameter
        return re.search(rf"(?<![\w]){re.escape(parameter)}(?![\w])['\"`]?", self.message) is not None


def no_entry(status: int, location: str, address: ServerAddress, key: Key) -> DeclinedRequest | None:
    """Return why a server does not let us in, or sends us elsewhere; None where it does neither."""
    code, variable = f"HTTP {status}", key.variables[-1]
    if status == 401 and key:
        sentence = f"{address} refuses the key in {variable} ({code})."
        return DeclinedRequest(code, sentence, "Set the right one there.", account=True, sure=True)
    if status == 401:
        sentence = f"{address} wants a key ({code})."
        return DeclinedRequest(code, sentence, f"Set the environment variable {variable}.", account=True, sure=True)
    if status == 402:
        sentence = f"{address} wants to be paid ({code})."
        return DeclinedRequest(code, sentence, "Add credit there, or use another server.", account=True, sure=True)
    if 300 <= status < 400:
        where = _host_of(location)
        sentence = f"{address} redirects{where} ({code}), where no key is sent."
        return DeclinedRequest(f"{code}{where}", sentence, "Give the address where the server is.", sure=True)
    return None


def not_done(status: int, refusal: Refusal, address: ServerAddress, key: Key) -> Fault:
    """Describe what is wrong with a request that is not worth sending again."""
    phrase = f"HTTP {status}: {refusal.message}" if refusal.message else f"HTTP {status}"
    if status == 429:
        sentence = f"{address} says: {refusal.message}."
        return DeclinedRequest(
            phrase, sentence, "Add credit there; what is saved is not asked again.", account=True, sure=True
        )
    if status in {400, 413, 422} and refusal.too_long:
        return Fault(f"{TOO_LONG}{refusal.message}", again=False, lasting=True)
    if status in {400, 403, 451} and refusal.moderated:
        return Fault(phrase, again=False, lasting=True)
    if status in {404, 405}:
        sentence = f"{address} does not know the model or the endpoint ({phrase})."
        return DeclinedRequest(phrase, sentence, "Check the model's name and the address.", sure=True)
    sentence = f"{address} refuses every request ({phrase})."
    if status in FORBIDDEN:
        next_step = f"Check what the key in {key.variables[-1]} may do there."
        return DeclinedRequest(phrase, sentence, next_step, prompt=True)
    return DeclinedRequest(phrase, sentence, "Change what it does not take, and try again.")


def _host_of(location: str) -> str:
    """The place a server sends us to, without what may be secret in it."""
    try:
        parts = urlsplit(location)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    return " to " + quoted(f"{parts.scheme}://{host}" + (f":{port}" if port else "")) if host else ""
