import socket
from importlib.util import find_spec

import pytest

from scoring.data.errors import EngineError
from scoring.engines.server.address import Key, ServerAddress
from scoring.engines.server.capabilities import Capabilities, greet, key_notices
from scoring.engines.server.chat import ChatServers
from scoring.models.asking import Sampling
from servers.fault_server import Behaviour, running


def test_a_vllm_server_is_known_by_what_it_says():
    with running(Behaviour(owner="vllm", context=4096)) as server:
        (found,) = greet([server.url + "/v1"]).capabilities
    assert (found.software, found.models[0].max_tokens) == ("vllm 0.32.0", 4096)
    assert str(found.address) == server.url


def test_a_key_that_others_can_read_on_the_way_is_told():
    urls = ["http://10.0.0.1:8000", "https://10.0.0.2", "http://127.0.0.1:8000", "http://10.0.0.3"]
    servers = [Capabilities(ServerAddress.read(url), None) for url in urls]
    keys = [Key("hunter2", ["V"]) for _ in urls[:3]] + [Key("", ["V"])]
    (notice,) = key_notices(servers, keys)
    assert notice.sentence.startswith("The key for http://10.0.0.1:8000 travels unencrypted")
    assert "hunter2" not in notice.sentence


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ALL_PROXY", "socks5://me:hunter2@127.0.0.1:9", "SOCKS proxy, which needs the package socksio"),
        ("HTTPS_PROXY", "http://me:hunter2/3@127.0.0.1:9", "the environment's proxy cannot be read"),
        ("HTTPS_PROXY", "ftp://me:hunter2@127.0.0.1:9", "the environment's proxy cannot be read"),
        ("SSL_CERT_FILE", "/nowhere", r"SSL_CERT_DIR name cannot be read \(No such file or directory\)"),
    ],
)
def test_an_environment_that_cannot_be_used_is_a_sentence_without_its_secrets(name, value, sentence, monkeypatch):
    if name == "ALL_PROXY" and find_spec("socksio"):
        pytest.skip("SOCKS can be had here")
    for other in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, value)
    with pytest.raises(EngineError, match=sentence) as caught:
        greet(["https://10.255.255.1"])
    assert "hunter2" not in str(caught.value)


def test_any_other_server_is_a_server():
    with running(Behaviour(probes=False)) as server:
        (found,) = greet([server.url]).capabilities
    assert (found.software, found.version, found.is_vllm) == ("server", "", False)


def test_no_server_is_said_in_a_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(EngineError, match=rf"no server answers at {url} \(connection refused\)\. Start it"):
            greet([url])


@pytest.mark.parametrize(
    ("models", "wanted", "sentence"),
    [
        (("a", "b"), None, r"has several models: a, b\. Choose one"),
        (("a", "b"), "c", r"has no model 'c'; it has a, b\."),
        ((), None, "does not list its models"),
        (("a\x1b[31m",), "c", r"it has a \[31m\."),
    ],
)
def test_a_model_that_is_not_there_is_answered_with_those_that_are(models, wanted, sentence):
    with running(Behaviour(models=models)) as server, pytest.raises(EngineError, match=sentence):
        ChatServers.connect([server.url], Sampling(), model=wanted)


@pytest.mark.parametrize("length", [2**63, 2**41, -1, 0, 1.5, "4096", True, None, [], 1e999])
def test_a_context_that_cannot_be_right_is_not_told(length):
    with running(Behaviour(context=length)) as server:
        assert greet([server.url]).capabilities[0].models[0].max_tokens is None


def test_a_model_with_half_a_character_in_its_name_hides_no_other():
    with running(Behaviour(models=("tiny", "b\ud800"))) as server:
        assert greet([server.url], "tiny").model == "tiny"


def test_a_server_that_lists_nothing_is_taken_at_its_word():
    with running(Behaviour(models=())) as server:
        assert ChatServers.connect([server.url], Sampling(), model="any").model == "any"


def test_a_server_that_loads_what_it_is_asked_for_is_not_held_to_what_is_in_memory():
    with running(Behaviour(models=("loaded",), loads_others=True)) as server:
        assert ChatServers.connect([server.url], Sampling(), model="another").model == "another"
        assert ChatServers.connect([server.url], Sampling()).model == "loaded"


def test_servers_must_all_have_the_model():
    with running() as one, running(Behaviour(models=("other",))) as other:
        with pytest.raises(EngineError, match="several models: tiny, other"):
            ChatServers.connect([one.url, other.url], Sampling())
        with pytest.raises(EngineError, match=f"{other.url} has no model 'tiny'; it has other"):
            ChatServers.connect([one.url, other.url], Sampling(), model="tiny")
