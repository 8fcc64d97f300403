"""Which engines can run here: `python -m scoring.engines.probe` prints one JSON document.

It runs in a process of its own, because asking an engine means importing it. Importable is not usable: torch must give
a tensor back, vLLM must know its platform's device.
"""

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from scoring.engines.vllm_availability import availability, pooling_here


def torch_facts() -> dict[str, Any]:
    """Torch's version, threads and devices; one small product on each shows that it computes."""
    import torch

    product = float((torch.ones(2, 2) @ torch.ones(2, 2)).sum())
    return {
        "version": str(torch.__version__),
        "usable": product == 8.0,
        "threads": torch.get_num_threads(),
        "cuda": torch.version.cuda,
        "devices": [_card(index) for index in range(torch.cuda.device_count())],
        "no_card": _no_card(),
    }


def _no_card() -> str:
    """Why a torch that is made for CUDA finds no card, in its words; "" where it finds one or is not made for it."""
    import torch

    if not torch.version.cuda or torch.cuda.is_available():
        return ""
    try:
        torch.empty(0, device="cuda")
    except (RuntimeError, AssertionError) as error:
        return _line(error).partition(". ")[0]
    return "no card is visible"


def _card(index: int) -> dict[str, Any]:
    """A CUDA device: its name, bytes of memory and those free, whether it has bfloat16; or why it does not compute."""
    import torch

    about = torch.cuda.get_device_properties(index)
    facts = {"name": about.name, "memory": int(about.total_memory)}
    try:
        ones = torch.ones(2, 2, device=f"cuda:{index}")
        if float((ones @ ones).sum()) != 8.0:
            return facts | {"error": "it computes 1 + 1 wrong"}
        return facts | {"free": int(torch.cuda.mem_get_info(index)[0]), "bfloat16": about.major >= 8}
    except RuntimeError as error:
        return facts | {"error": _line(error)}


def transformers_facts() -> dict[str, Any]:
    """Transformers and the stock body that every PRM of the Qwen family stands on."""
    import safetensors
    import transformers
    from transformers import Qwen2Model

    return {
        "version": transformers.__version__,
        "usable": Qwen2Model is not None,
        "safetensors": safetensors.__version__,
    }


def vllm_facts() -> dict[str, Any]:
    """VLLM is usable where it has found a platform with a device. What it offers a PRM is looked up."""
    vllm = availability()
    facts = {"version": vllm.version, "usable": not vllm.problem, "device": vllm.device}
    if vllm.problem:
        return facts | {"error": f"{vllm.problem} {vllm.next_step}"}
    return facts | {"pooling": pooling_here()}


def datasets_facts() -> dict[str, Any]:
    """Return the facts about what hf: names need."""
    import datasets

    return {"version": datasets.__version__, "usable": True}


def httpx_facts() -> dict[str, Any]:
    """Return the facts about what servers need."""
    import httpx

    return {"version": httpx.__version__, "usable": True}


def httpx_retries_facts() -> dict[str, Any]:
    """Return the facts about what sends a failed request again."""
    import httpx_retries

    return {"version": version("httpx-retries"), "usable": bool(httpx_retries.RetryTransport)}


def ray_facts() -> dict[str, Any]:
    """Return the facts about what a cluster of machines needs; whether one is there is not asked."""
    import ray

    return {"version": ray.__version__, "usable": callable(ray.init)}


def textual_serve_facts() -> dict[str, Any]:
    """Return the facts about what the app in a browser needs."""
    import textual_serve.server as package

    return {"version": version("textual-serve"), "usable": bool(package.Server)}


def obstore_facts() -> dict[str, Any]:
    """Return the facts about what speaks to object storage."""
    import obstore.store

    return {"version": version("obstore"), "usable": bool(obstore.store.S3Store)}


def math_verify_facts() -> dict[str, Any]:
    """Return the facts about what compares final answers that are expressions."""
    import math_verify

    return {"version": version("math-verify"), "usable": callable(math_verify.verify)}


PROBES: dict[str, Callable[[], dict[str, Any]]] = {
    "torch": torch_facts,
    "transformers": transformers_facts,
    "vllm": vllm_facts,
    "datasets": datasets_facts,
    "httpx": httpx_facts,
    "httpx_retries": httpx_retries_facts,
    "ray": ray_facts,
    "textual_serve": textual_serve_facts,
    "obstore": obstore_facts,
    "math_verify": math_verify_facts,
}


def probe() -> dict[str, dict[str, Any]]:
    """Facts a package: `installed` and `usable`, its version or the error that its import ends in."""
    facts_by_package: dict[str, dict[str, Any]] = {}
    for name, facts in PROBES.items():
        if find_spec(name) is None:
            facts_by_package[name] = {"installed": False, "usable": False}
            continue
        try:
            facts_by_package[name] = {"installed": True, **facts()}
        except Exception as error:  # noqa: BLE001  # a broken installation can raise anything at import
            facts_by_package[name] = {
                "installed": True,
                "usable": False,
                "error": f"{type(error).__name__}: {_line(error)}",
            }
    return facts_by_package


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


if __name__ == "__main__":
    import os
    import warnings

    # Libraries print and warn while they are imported; the document is the only thing on stdout.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    out.write(json.dumps(probe()))
    out.close()
    sys.exit(0)
