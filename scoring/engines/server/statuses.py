"""What HTTP's status codes mean for a run."""

from urllib.parse import urlsplit

from scoring.engines.server.address import Address
from scoring.engines.server.faults import Fault
from scoring.engines.server.keys import Key
from scoring.engines.server.patience import Patience
from scoring.engines.server.quoting import quoted
from scoring.engines.server.refusal import Refusal
from scoring.engines.server.wire import Reply
from scoring.errors import EngineError

_AGAIN = {408, 409, 425, 429, *range(500, 600)} - {501, 505}
_DOWN = {502, 503, 504}


def check(reply: Reply, address: Address, key: Key, patience: Patience) -> None:
    """Nothing if the reply is an answer, JSON and status 200.

    Raises:
        Fault: this request failed.
        EngineError: every request will.
    """
    if reply.status == 200:
        if not reply.is_json:
            kind = quoted(reply.headers.get("content-type", "")) or "no content type"
            raise Fault(f"{kind} in place of JSON", suspicious=True)
        return
    must_not_go_on(reply, address, key)
    refusal = Refusal.read(reply.body, key)
    if reply.status == 429 and refusal.no_credit:
        raise EngineError(f"{address} says: {refusal.message}.", "Add credit there; what is saved is not asked again.")
    if reply.status in _AGAIN:
        rest = patience.rests(reply.headers.get("retry-after"))
        raise Fault(f"HTTP {reply.status}", rest=rest, suspicious=reply.status in _DOWN)
    if reply.status in {404, 405}:
        raise EngineError(
            f"{address} does not know the model or the endpoint (HTTP {reply.status}: {refusal.message}).",
            "Check the model's name and the address.",
        )
    raise refused(reply, refusal)


def refused(reply: Reply, refusal: Refusal) -> Fault:
    """What is wrong with a request that is not worth sending again."""
    if reply.status in {400, 413, 422} and refusal.too_long:
        return Fault(f"context too long: {refusal.message}", again=False, lasting=True)
    return Fault(f"HTTP {reply.status}: {refusal.message}", again=False)


def must_not_go_on(reply: Reply, address: Address, key: Key) -> None:
    """Nothing, unless the server does not let us in at all, or sends us elsewhere.

    Raises:
        EngineError: so it is.
    """
    if reply.status in {401, 403}:
        variable = key.variables[-1]
        if key:
            raise EngineError(
                f"{address} refuses the key in {variable} (HTTP {reply.status}).", "Set the right one there."
            )
        raise EngineError(f"{address} wants a key (HTTP {reply.status}).", f"Set the environment variable {variable}.")
    if reply.status == 402:
        raise EngineError(f"{address} wants to be paid (HTTP 402).", "Add credit there, or use another server.")
    if 300 <= reply.status < 400:
        raise EngineError(
            f"{address} redirects{_where(reply)} (HTTP {reply.status}), where no key is sent.",
            "Give the address where the server is.",
        )


def _where(reply: Reply) -> str:
    """The place a server sends us to, without what may be secret in it."""
    try:
        parts = urlsplit(reply.headers.get("location", ""))
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    return " to " + quoted(f"{parts.scheme}://{host}" + (f":{port}" if port else "")) if host else ""
