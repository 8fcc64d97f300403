"""Whether vLLM can run here, and if not, why: that it can be imported does not say so."""

import os
from importlib.util import find_spec

from msgspec import Struct

from scoring.data.errors import EngineError, MissingExtra

_ELSEWHERE = "Use the transformers engine, or a vLLM server elsewhere (--server URL)."
_ANEW = "Give vLLM an environment of its own: pip install 'prm-inspect[vllm]'."


class Availability(Struct, frozen=True):
    """What was found: `version` of vLLM ("" = none could be read), `device` it runs on ("cuda", "cpu", ...; "" = none).

    `problem` says in a sentence what keeps it from running, and `next_step` the way out; both "" where it can run.
    """

    version: str = ""
    device: str = ""
    installed: bool = True
    problem: str = ""
    next_step: str = ""


def availability() -> Availability:
    """Import vLLM and ask which device its platform has. Never raises for a broken installation.

    A build for CUDA installs and imports on a machine without a GPU; it then has no device, and fails only when a model
    is loaded, with words that name nothing of that.
    """
    spec = find_spec("vllm")
    if spec is None or spec.origin is None:  # a folder of that name is no package
        return Availability(installed=False, problem="vLLM is not installed.", next_step=_ANEW)
    # Read at import: nothing that is looked at here is told to a server of the library's authors.
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    version = ""
    try:
        import vllm
        from vllm.platforms import current_platform

        version = str(vllm.__version__)
        # What the models stand on breaks apart from the package itself, when torch's companions do not fit it.
        from vllm.v1.engine.llm_engine import LLMEngine  # noqa: F401  # that it can be had is the question

        device = str(current_platform.device_type or "")
    except Exception as error:  # noqa: BLE001  # a broken installation raises anything
        return Availability(
            version, problem=f"vLLM {version or 'here'} cannot be imported ({_why(error)}).", next_step=_ANEW
        )
    if not device:
        problem = f"vLLM {version} is installed and finds no device that this build of it runs on."
        return Availability(version, problem=problem, next_step=_ELSEWHERE)
    return Availability(version, device)


def pooling_here() -> str:
    """Describe what the installed vLLM offers a PRM; whether it does so is checked with the first case of a run."""
    try:
        from vllm import envs
        from vllm.config.pooler import TOK_POOLING_TYPES
        from vllm.tasks import POOLING_TASKS
        from vllm.triton_utils import HAS_TRITON
    except ImportError:
        return "how it pools tokens cannot be looked up in this version"
    chosen = getattr(envs, "VLLM_USE_V2_MODEL_RUNNER", None)
    runner = "2" if (HAS_TRITON if chosen is None else chosen) else "1"
    if "token_classify" not in POOLING_TASKS:
        return f"no token classification, so no rewards; model runner {runner}"
    return f"token classification, pooled by {' or '.join(TOK_POOLING_TYPES)}; model runner {runner}"


def require_vllm() -> Availability:
    """Return `availability()` where vLLM is about to be used.

    Raises:
        MissingExtra: it is not installed.
        EngineError: it is, and cannot run here.
    """
    vllm = availability()
    if not vllm.installed:
        raise MissingExtra("vllm", "vllm")
    if vllm.problem:
        raise EngineError(vllm.problem, vllm.next_step)
    return vllm


def _why(error: BaseException) -> str:
    first = (str(error).strip() or "no message").splitlines()[0].rstrip(".")
    companion = "torchvision" if "torchvision::" in first else ""
    more = f"; the {companion} that is installed is not that of this torch" if companion else ""
    return f"{type(error).__name__}: {first}{more}"
