"""What tests of `transformers serve` share: the server, started once, and models for it."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = ("torch", "transformers", "httpx", "fastapi", "uvicorn", "openai", "accelerate")


def pytest_collection_modifyitems(items):
    missing = [name for name in NEEDED if find_spec(name) is None]
    for item in items:
        if HERE in item.path.parents and missing:
            why = f"{', '.join(missing)} not installed; pip install 'transformers[serving]' brings what serves"
            item.add_marker(pytest.mark.skip(why))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of the server."""
    from servers import serve_server

    root = tmp_path_factory.mktemp("serve")
    cache = root / "cache"
    cache.mkdir()
    with serve_server.starting(cache, log=root / "serve.log").running() as url:
        yield url


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Writes a model that takes a protocol's prompts; `generation` is its generation_config.json."""
    import tiny_chat

    def write(name, generation):
        boxes = [f"\\boxed{{{place}}}" for place in range(-1, 3)]
        path = tmp_path_factory.mktemp("models") / name
        return tiny_chat.write(path, generation=generation, max_position_embeddings=8192, fond_of=boxes)

    return write
