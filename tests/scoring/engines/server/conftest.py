import pytest

from scoring.engines.server.chat import ChatServers
from scoring.models.asking import Sampling
from servers.runs import QUICK, Run, asks


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in ("PRM_INSPECT_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run():
    """Asks servers and gathers what comes: run(servers, number of asks, count, sampling, ...)."""

    def begin(servers, number=1, count=1, sampling=None, seed=None, policy=QUICK, **more):
        urls = [server.url for server in (servers if isinstance(servers, list) else [servers])]
        engine = ChatServers.connect(urls, sampling or Sampling(), policy=policy, **more)
        return Run(engine.answers(asks(number, count, seed)))

    return begin
