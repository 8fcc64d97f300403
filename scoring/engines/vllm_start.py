"""What runs in vLLM's own process: it ties itself to the process that started it, and becomes vLLM's server.

`python -m scoring.engines.vllm_start PARENT SETTINGS`, the second as JSON (`Settings`). What is known or wrong here is
one line of standard output that begins with the name that the model is served under; all other words are vLLM's.
"""

import ctypes
import json
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from scoring.data.errors import EngineError, InspectError
from scoring.engines.placement import tensor_parallel
from scoring.engines.vllm_availability import require_vllm

_PR_SET_PDEATHSIG = 1
_ENDING = 10.0
"""Seconds to end by itself."""


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be served. `served` is the model's name there, `longest` bounds its tokens (-1 = what memory holds).

    `device` is as `VllmEngine.load` takes it; its GPUs are those that this process sees.

    For a head over every token `architecture` names vLLM's class, None for the body's language model with a linear head
    put over it, made of the output matrix's rows `ids` where the checkpoint holds none; `overrides` go over its config.
    """

    folder: str
    name: str
    served: str
    port: int
    dtype: str
    runner: str
    device: str = "auto"
    longest: int = -1
    most_logprobs: int | None = None
    architecture: str | None = None
    ids: tuple[int, ...] = ()
    overrides: dict[str, Any] = {}


def main(parent: int, encoded_settings: bytes) -> None:
    """Serve until it is ended, or the process `parent` ends."""
    _end_with_parent()
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    settings = msgspec.json.decode(encoded_settings, type=Settings)
    try:
        vllm = require_vllm()
        words, devices = _words(settings, vllm.device)
    except InspectError as error:
        _say(settings, error.fields)
        sys.exit(1)
    import torch

    torch_version = str(torch.__version__)
    _say(settings, {"version": vllm.version, "device": vllm.device, "devices": devices, "torch": torch_version})
    if vllm.device == "cpu":
        # As with what `--enforce-eager` leaves out: compiling takes longer than it saves.
        os.environ.setdefault("TORCH_COMPILE_DISABLE", "1")
    sys.argv = ["vllm serve", *words]
    # The `vllm` command asks for a package of exactly that name, which a build for CPUs may not have.
    runpy.run_module("vllm.entrypoints.openai.api_server", run_name="__main__")


def _say(settings: Settings, facts: Mapping[str, Any]) -> None:
    # In one piece, as others write to the same log.
    print(f"{settings.served}: {json.dumps(facts)}\n", end="", flush=True)


def _words(settings: Settings, device: str) -> tuple[list[str], int]:
    """The arguments of `vllm serve`, and over how many devices it cuts the model.

    Raises:
        EngineError: the device that was chosen is none of this vLLM.
    """
    from vllm.platforms import current_platform

    if settings.device != "auto" and (settings.device == "cpu") != (device == "cpu"):
        raise EngineError(
            f"the vLLM that is installed runs on {device}, not on {settings.device}.", "Leave --device out."
        )
    config = json.loads((Path(settings.folder) / "config.json").read_bytes())
    devices = 1 if device == "cpu" else tensor_parallel(config, int(current_platform.device_count()))
    flags: dict[str, Any] = {
        "--model": settings.folder,
        "--served-model-name": settings.served,
        "--host": "127.0.0.1",
        "--port": settings.port,
        "--dtype": settings.dtype,
        "--runner": settings.runner,
        "--tensor-parallel-size": devices,
        "--max-model-len": settings.longest,
        "--max-logprobs": settings.most_logprobs,
        # Every request says all that it wants.
        "--generation-config": "vllm",
        # Pickles are never opened, and no code that a checkpoint brings is run: --trust-remote-code is not given.
        "--load-format": "safetensors",
        "--tokenizer-mode": "hf",
    }
    switches = ["--disable-uvicorn-access-log"]
    if device == "cpu":
        # Where a prompt comes in pieces, a request with a seed ends the engine on a CPU.
        switches += ["--enforce-eager", "--no-enable-chunked-prefill"]
    if settings.runner == "pooling":
        # A pooled request never reads the prefix cache: its every token is needed. And the default of a class is not
        # relied on: some would keep a step tag's positions alone, some transform.
        switches += ["--skip-tokenizer-init", "--no-enable-prefix-caching"]
        flags["--pooler-config"] = json.dumps(
            {"task": "token_classify", "tok_pooling_type": "ALL", "use_activation": False}
        )
        flags |= _class_of(settings, str(config.get("model_type")))
    else:
        switches += ["--enable-prefix-caching"]
    words = [word for name, value in flags.items() if value is not None for word in (name, str(value))]
    return words + switches, devices


def _class_of(settings: Settings, kind: str) -> dict[str, str]:
    """Arguments that choose vLLM's class for body and head.

    Raises:
        EngineError: vLLM has none of its own for the body, or cannot name the head's tokens.
    """
    if settings.architecture:
        return {"--hf-overrides": json.dumps({**settings.overrides, "architectures": [settings.architecture]})}
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    from vllm import ModelRegistry

    body = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(kind)
    if body is None or body not in ModelRegistry.get_supported_archs():
        raise EngineError(f"vLLM has no body of its own for {settings.name} ({kind}).", "Use the transformers engine.")
    overrides = {**settings.overrides, "architectures": [body]}
    if settings.ids:
        overrides["classifier_from_token"] = _token_names(settings)
    return {"--hf-overrides": json.dumps(overrides), "--convert": "classify"}


def _token_names(settings: Settings) -> Sequence[str]:
    """The vocabulary's own writing of tokens, by which vLLM finds their rows: made sure that it finds these.

    Raises:
        EngineError: it would find others.
    """
    from vllm.tokenizers import get_tokenizer

    try:
        tokenizer: Any = get_tokenizer(settings.folder, tokenizer_mode="hf", trust_remote_code=False)
        names: list[str] = [tokenizer.convert_ids_to_tokens(index) for index in settings.ids]
        back = [tokenizer.convert_tokens_to_ids(name) for name in names]
    except Exception as error:
        raise EngineError(
            f"vLLM cannot read the tokenizer of {settings.name} ({str(error).splitlines()[0]}).",
            "Use the transformers engine.",
        ) from error
    if back != list(settings.ids):
        raise EngineError(
            f"vLLM reads the tokenizer of {settings.name} otherwise: it takes tokens {list(settings.ids)} for {back}.",
            "Use the transformers engine.",
        )
    return names


def _follow(parent: int) -> None:
    """End all processes of ours once the parent has ended: while vLLM starts it may swallow the signal and hang."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.killpg(0, signal.SIGTERM)
    time.sleep(_ENDING)
    os.killpg(0, signal.SIGKILL)


def _end_with_parent() -> None:
    """Ask Linux for SIGTERM when the process that started this one ends, however it ends."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ in {"__main__", "__mp_main__"}:
    # vLLM's own processes, forked or spawned, import this module or go through here: a server that is killed does not
    # leave its engine behind either.
    os.register_at_fork(after_in_child=_end_with_parent)
    _end_with_parent()

if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2].encode())
