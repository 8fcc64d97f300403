"""What tests of a real vLLM share: its environment, and servers that are started once."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("httpx")

from servers import vllm_server

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    found = find_spec("vllm")
    for item in items:
        if HERE not in item.path.parents:
            continue
        # What stands below vLLM warns of what is old in itself, and differs from one machine to the next.
        item.add_marker(pytest.mark.filterwarnings("default"))
        if found is None or found.origin is None:
            item.add_marker(pytest.mark.skip("vLLM is not installed; .ci/vllm builds an environment for it"))


def pytest_terminal_summary(terminalreporter):
    """Figures that tests have reported, beside what they assert."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{report.location[2]}: {name} {value}")


@pytest.fixture(scope="session", autouse=True)
def environment():
    """Set before anything imports vLLM, which reads it then."""
    for name, value in vllm_server.ENVIRONMENT.items():
        os.environ.setdefault(name, value)


@pytest.fixture(scope="session")
def chat_folder(tmp_path_factory):
    import tiny_chat

    return tiny_chat.write(
        tmp_path_factory.mktemp("chat") / "tiny-chat",
        max_position_embeddings=8192,
        generation={"do_sample": True, "temperature": 0.5, "min_p": 0.001},
    )


@pytest.fixture(scope="session")
def critic_folder(tmp_path_factory):
    """A model that takes the prompts of the protocols, and often says what they ask for."""
    import tiny_chat

    folder = tmp_path_factory.mktemp("critic") / "tiny-critic"
    boxes = [f"\\boxed{{{place}}}" for place in range(-1, 3)]
    return tiny_chat.write(folder, max_position_embeddings=8192, fond_of=boxes)


@pytest.fixture(scope="session")
def chat_child(chat_folder, tmp_path_factory):
    """A vLLM of ours with the model of `chat_folder`."""
    from scoring.engines.vllm_generate import VllmGenerate
    from scoring.models.asking import Sampling
    from scoring.models.checkpoint import Checkpoint

    engine = VllmGenerate.load(
        Checkpoint.open(chat_folder),
        Sampling(logprobs=3),
        dtype="float32",
        log=tmp_path_factory.mktemp("child") / "vllm.log",
        longest=2048,
    )
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def prm_folder():
    from scoring.formats.benchmarks import demo

    return demo.folder() / "models" / "tiny-prm-s"


@pytest.fixture(scope="session")
def servers(tmp_path_factory, critic_folder, prm_folder):
    """Both servers, started side by side."""
    logs = tmp_path_factory.mktemp("servers")
    generate = vllm_server.starting(critic_folder, *vllm_server.GENERATE, log=logs / "generate.log")
    pooling = vllm_server.starting(prm_folder, *vllm_server.pooling("ALL"), log=logs / "pooling.log")
    with generate.running() as one, pooling.running() as other:
        yield one, other


@pytest.fixture(scope="session")
def generate_server(servers):
    """The address of a server that answers in words: the model of `critic_folder`."""
    return servers[0]


@pytest.fixture(scope="session")
def pooling_server(servers):
    """The address of a server that gives two numbers of every token: the PRM of `prm_folder`."""
    return servers[1]
