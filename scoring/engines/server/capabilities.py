"""What a server says about itself, asked before the first request."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.engines.server.address import Address
from scoring.engines.server.chat_reply import decoded
from scoring.engines.server.faults import Fault, Unreachable
from scoring.engines.server.quoting import quoted
from scoring.engines.server.statuses import not_let_in
from scoring.engines.server.wire import Reply, Wire
from scoring.errors import EngineError

PROBE = 10.0
"""Seconds that a server has to say what it is."""
_TRIES, _BETWEEN = 3, 0.5
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a server offers. `max_tokens` bounds prompt and answer together; None = not told."""

    name: str
    owner: str = ""
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """`models` is None where the server does not list any; `version` "" where it does not tell.

    `healthy` is what `/health` says, None where there is no such endpoint. `loads_others`: its list says which models
    are in memory, and a model that is not listed is loaded when it is asked for.
    """

    address: Address
    models: tuple[Model, ...] | None
    version: str = ""
    healthy: bool | None = None
    loads_others: bool = False

    @property
    def is_vllm(self) -> bool:
        """Whether it is a vLLM server, as far as it says so."""
        return any(model.owner == "vllm" for model in self.models or ())

    @property
    def software(self) -> str:
        """What runs there: "vllm 0.32.0", or "server"."""
        return f"vllm {self.version}".strip() if self.is_vllm else "server"

    def model(self, name: str) -> Model:
        """The model of this name; with no facts where the server lists none."""
        return next((model for model in self.models or () if model.name == name), Model(name))


async def examine(wire: Wire) -> Capabilities:
    """Ask a server what it is.

    Raises:
        EngineError: nobody answers there, the key is refused, or it redirects. A key that may not list the models
            (HTTP 403) may still be one that may use them.
    """
    models, version, health = await asyncio.gather(
        _asked(wire, f"{wire.address.api}/models"),
        _asked(wire, f"{wire.address.root}/version"),
        _asked(wire, f"{wire.address.root}/health"),
    )
    if isinstance(models, str):
        raise EngineError(
            f"no server answers at {wire.address} ({models}).", "Start it, or check the address and the port."
        )
    if no_entry := not_let_in(models, wire.address, wire.key):
        raise EngineError(no_entry.sentence, no_entry.next_step)
    told = version if isinstance(version, Reply) else None
    listing = _listing(models)
    return Capabilities(wire.address, _models(listing), _version(told), _healthy(health), _loads_others(listing))


def choose_model(wanted: str | None, found: Sequence[Capabilities]) -> str:
    """The model that all servers have: `wanted`, or the only one.

    Raises:
        EngineError: a server does not have it, or there is none or more than one to choose from.
    """
    names = list(dict.fromkeys(model.name for one in found for model in one.models or ()))
    if wanted is None:
        if len(names) == 1:
            wanted = names[0]
        elif names:
            raise EngineError(f"{_places(found)} has several models: {listed(names)}.", "Choose one by its name.")
        else:
            raise EngineError(f"{_places(found)} does not list its models.", "Give the model's name.")
    for one in found:
        if one.models is not None and not one.loads_others and wanted not in {model.name for model in one.models}:
            offered = listed([model.name for model in one.models])
            raise EngineError(
                f"{one.address} has no model {quoted(wanted)!r}; it has {offered}.", "Choose one of its models."
            )
    return wanted


def listed(names: Sequence[str]) -> str:
    """Names of models on one line."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(quoted(name) for name in names[:_SHOWN]) or "none") + more


def _places(found: Sequence[Capabilities]) -> str:
    return ", ".join(str(one.address) for one in found)


async def _asked(wire: Wire, path: str) -> Reply | str:
    """What comes back, or why nothing does."""
    phrase = ""
    for number in range(_TRIES):
        try:
            reply = await wire.get(path, PROBE)
        except Unreachable as error:
            return error.phrase
        except Fault as fault:
            phrase = fault.phrase
        else:
            if reply.status not in {429, 502, 503, 504} or number == _TRIES - 1:
                return reply
        await asyncio.sleep(_BETWEEN)
    return phrase


def _healthy(health: Reply | str) -> bool | None:
    if isinstance(health, str) or health.status in {404, 405}:
        return None
    return health.status < 400


def _listing(reply: Reply) -> list[dict[str, Any]]:
    """The models as the server lists them, each with a name as `id`; none where it lists none."""
    told = _json(reply)
    data = told.get("data") if isinstance(told, dict) else None
    if not isinstance(data, list):
        return []
    return [one for one in data if isinstance(one, dict) and isinstance(one.get("id"), str)]


def _models(listing: list[dict[str, Any]]) -> tuple[Model, ...] | None:
    # An empty list is that of a server which loads what it is asked for.
    return (
        tuple(Model(one["id"], str(one.get("owned_by") or ""), _length(one.get("max_model_len"))) for one in listing)
        or None
    )


def _loads_others(listing: list[dict[str, Any]]) -> bool:
    """Whether each model is listed with whether it is in memory, as `transformers serve` (from 5.24) does."""
    return bool(listing) and all(isinstance(one.get("status"), dict) for one in listing)


def _version(reply: Reply | None) -> str:
    told = _json(reply) if reply else None
    version = told.get("version") if isinstance(told, dict) else None
    return quoted(version)[:40] if isinstance(version, str) else ""


def _json(reply: Reply) -> Any:
    """What a reply of status 200 holds; None for any other and for what is no JSON."""
    if reply.status != 200:
        return None
    try:
        return decoded(reply.body)
    except Fault:
        return None


def _length(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None
