"""A real vLLM server, and what it counts itself."""

import re
import sys
import threading

import httpx

from servers.server_process import ServerProcess

# No compiler, no telemetry, no hub, little memory; what is set already stays.
ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "TORCH_COMPILE_DISABLE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
}
SEATS = 8
"""Requests that it runs together."""
GENERATE = ("--no-enable-chunked-prefill",)
"""On a CPU: where a prompt comes in pieces, a request with a seed ends the engine (vLLM 0.32.0)."""


def pooling(kind, tag=None):
    """The flags of a server for a PRM's head: `kind` is ALL, or STEP with the id of the step tag."""
    told = f', "step_tag_id": {tag}' if kind == "STEP" else ""
    return (
        "--runner",
        "pooling",
        "--pooler-config",
        f'{{"task": "token_classify", "tok_pooling_type": "{kind}"{told}}}',
    )


def starting(model, *flags, log):
    """A server for a model's folder. The `vllm` command is not used: it needs a package of exactly that name."""

    def command(port):
        place = ["--model", str(model), "--host", "127.0.0.1", "--port", str(port)]
        small = ["--dtype", "float32", "--enforce-eager", "--max-num-seqs", str(SEATS)]
        return [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *place, *small, *flags]

    return ServerProcess(command, ENVIRONMENT, log)


def counted(url):
    """Figures of the server: chat requests that ended, answers it finished, and what it has to do now."""
    told = httpx.get(f"{url}/metrics", timeout=60).text

    def total(name, labels=""):
        found = re.findall(rf"^{name}{{[^}}]*{labels}[^}}]*}} (\S+)$", told, re.MULTILINE)
        return int(sum(map(float, found)))

    return {
        "requests": total("http_requests_total", 'handler="/v1/chat/completions"'),
        "answers": total("vllm:request_success_total"),
        "running": total("vllm:num_requests_running"),
        "waiting": total("vllm:num_requests_waiting"),
    }


class Watch:
    """Looks at a server's figures ten times a second, for as long as the block lasts."""

    def __init__(self, url, clock):
        self.seen = []
        self._url, self._clock, self._over = url, clock, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self):
        while not self._over.wait(0.1):
            asked = self._clock()
            self.seen.append((asked, counted(self._url)))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join(60)

    def answers_at(self, moment):
        """Answers that were finished by then, or fewer."""
        return max((told["answers"] for asked, told in self.seen if asked <= moment), default=0)

    def busy(self):
        """How many requests ran together on average, while there were any."""
        running = [told["running"] for _, told in self.seen if told["running"]]
        return sum(running) / len(running) if running else 0.0
