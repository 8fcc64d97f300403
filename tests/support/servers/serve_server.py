"""A real server of another make than vLLM: `transformers serve`, which loads the model that a request names."""

import sys

from servers.server_process import ServerProcess

# Of the command itself there is no module that can be run.
COMMAND = "import sys; from transformers.cli.transformers import main; sys.exit(main())"


def starting(cache, *, log):
    """The server; `cache` is an empty folder that stands in for the hub's, which it lists for its models."""
    environment = {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(cache), "HF_HUB_DISABLE_TELEMETRY": "1"}

    def command(port):
        place = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
        return [sys.executable, "-c", COMMAND, "serve", *place]

    return ServerProcess(command, environment, log)
