"""What HTTP's status codes mean for a request, and for a run."""

from urllib.parse import urlsplit

from scoring.engines.server.address import Address
from scoring.engines.server.faults import Declined, Fault
from scoring.engines.server.keys import Key
from scoring.engines.server.patience import Patience
from scoring.engines.server.quoting import quoted
from scoring.engines.server.refusal import Refusal
from scoring.engines.server.wire import Reply

_AGAIN = {408, 409, 425, 429, *range(500, 600)} - {501, 505}
_DOWN = {502, 503, 504}


def check(reply: Reply, address: Address, key: Key, patience: Patience) -> None:
    """Nothing if the reply is an answer, JSON and status 200.

    Raises:
        Declined: the server would not do it.
        Fault: this request failed.
    """
    if reply.status == 200:
        if not reply.is_json:
            kind = quoted(reply.headers.get("content-type", "")) or "no content type"
            raise Fault(f"{kind} in place of JSON", suspicious=True)
        return
    if no_entry := not_let_in(reply, address, key):
        raise no_entry
    refusal = Refusal.read(reply.body)
    if reply.status == 429 and refusal.no_credit:
        phrase, next_step = f"{address} says: {refusal.message}.", "Add credit there; what is saved is not asked again."
        raise Declined(f"HTTP 429: {refusal.message}", phrase, next_step, account=True, sure=True)
    if reply.status in _AGAIN:
        rest = patience.rests(reply.headers.get("retry-after"))
        raise Fault(f"HTTP {reply.status}", rest=rest, suspicious=reply.status in _DOWN)
    raise _declined(reply, refusal, address, key)


def not_let_in(reply: Reply, address: Address, key: Key) -> Declined | None:
    """Why a server does not let us in, or sends us elsewhere; None where it does neither."""
    if reply.status == 401:
        return _wants_key(reply, address, key)
    if reply.status == 402:
        sentence = f"{address} wants to be paid (HTTP 402)."
        return Declined("HTTP 402", sentence, "Add credit there, or use another server.", account=True, sure=True)
    if 300 <= reply.status < 400:
        where = _where(reply)
        sentence = f"{address} redirects{where} (HTTP {reply.status}), where no key is sent."
        return Declined(f"HTTP {reply.status}{where}", sentence, "Give the address where the server is.", sure=True)
    return None


def _wants_key(reply: Reply, address: Address, key: Key) -> Declined:
    variable, code = key.variables[-1], f"HTTP {reply.status}"
    if key:
        sentence = f"{address} refuses the key in {variable} ({code})."
        return Declined(code, sentence, "Set the right one there.", account=True, sure=True)
    sentence = f"{address} wants a key ({code})."
    return Declined(code, sentence, f"Set the environment variable {variable}.", account=True, sure=True)


def _declined(reply: Reply, refusal: Refusal, address: Address, key: Key) -> Fault:
    """What is wrong with a request that is not worth sending again."""
    phrase = f"HTTP {reply.status}: {refusal.message}"
    if reply.status in {400, 413, 422} and refusal.too_long:
        return Fault(f"context too long: {refusal.message}", again=False, lasting=True)
    if reply.status in {400, 403, 451} and refusal.moderated:
        return Fault(phrase, again=False, lasting=True)
    if reply.status in {404, 405}:
        sentence = f"{address} does not know the model or the endpoint ({phrase})."
        return Declined(phrase, sentence, "Check the model's name and the address.", sure=True)
    sentence = f"{address} refuses every request ({phrase})."
    if reply.status == 403:
        return Declined(phrase, sentence, f"Check what the key in {key.variables[-1]} may do there.")
    return Declined(phrase, sentence, "Change what it does not take, and try again.")


def _where(reply: Reply) -> str:
    """The place a server sends us to, without what may be secret in it."""
    try:
        parts = urlsplit(reply.headers.get("location", ""))
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    return " to " + quoted(f"{parts.scheme}://{host}" + (f":{port}" if port else "")) if host else ""
