import pytest

from scoring.data.errors import UsageError
from scoring.engines.server.address import ServerAddress


@pytest.mark.parametrize(
    ("text", "origin", "root", "api"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "", "/v1"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000", "", "/v1"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000", "", "/v1"),
        ("https://Api.Example.com/openai/v1", "https://api.example.com", "/openai", "/openai/v1"),
        ("https://api.example.com/v1beta/openai", "https://api.example.com", "", "/v1beta/openai"),
        ("http://host:80/behind/proxy", "http://host:80", "/behind/proxy", "/behind/proxy/v1"),
        ("http://[::1]:8000", "http://[::1]:8000", "", "/v1"),
    ],
)
def test_the_base_of_the_api_is_found_in_what_a_person_writes(text, origin, root, api):
    address = ServerAddress.read(text)
    assert (address.origin, address.root, address.api) == (origin, root, api)


@pytest.mark.parametrize(
    "text", ["127.0.0.1:8000", "ftp://host", "http://", "http://host:port", "http://a b", "http://[", ""]
)
def test_what_is_no_address_is_refused(text):
    with pytest.raises(UsageError, match="address"):
        ServerAddress.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://me:hunter2@host", "http://hunter2@host:1/v1", "http://host/v1?key=hunter2", "me:hunter2@host:1",
        "http:me:hunter2@host", "http:///me:hunter2@host",
    ],
)  # fmt: skip
def test_a_secret_in_an_address_is_refused_and_not_repeated(text):
    with pytest.raises(UsageError) as caught:
        ServerAddress.read(text)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "here"), [("localhost", True), ("127.0.0.2", True), ("[::1]", True), ("10.0.0.1", False)]
)
def test_this_machine_is_known(host, here):
    assert ServerAddress.read(f"http://{host}:1").loopback is here
