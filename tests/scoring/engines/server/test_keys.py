import copy
import pickle

import pytest

from scoring.data.errors import UsageError
from scoring.data.secrets import masked
from scoring.engines.server.address import Key, ServerAddress, find_keys


def found(environment, *urls):
    keys = find_keys([ServerAddress.read(url) for url in urls], environment)
    return [key.header.get("authorization", "").removeprefix("Bearer ") for key in keys]


def test_the_general_key_is_for_all_servers_of_one_host():
    assert found({"PRM_INSPECT_API_KEY": "k"}, "http://a:1", "http://a:2") == ["k", "k"]


def test_with_several_hosts_each_has_a_key_of_its_own():
    names = {"PRM_INSPECT_API_KEY": "k", "PRM_INSPECT_API_KEY_B_EXAMPLE_COM": "b"}
    assert found(names, "http://a:1", "https://b.example.com") == ["", "b"]


def test_the_most_particular_variable_counts():
    names = {"PRM_INSPECT_API_KEY": "k", "PRM_INSPECT_API_KEY_A": "host", "PRM_INSPECT_API_KEY_A_2": "port"}
    assert found(names, "http://a:1", "http://a:2") == ["host", "port"]


@pytest.mark.parametrize(
    ("url", "wanted"),
    [("https://api.openai.com/v1", "o"), ("http://api.openai.com/v1", ""), ("https://api.openai.com.evil.org", "")],
)
def test_openais_key_goes_to_openai_alone(url, wanted):
    assert found({"OPENAI_API_KEY": "o"}, url) == [wanted]


def test_blanks_around_a_key_are_not_part_of_it():
    assert found({"PRM_INSPECT_API_KEY": " k\n"}, "http://a") == ["k"]


@pytest.mark.parametrize("secret", ["two words", "kéy", "a\nb"])
def test_what_cannot_be_a_key_is_refused_without_being_shown(secret):
    with pytest.raises(UsageError, match="PRM_INSPECT_API_KEY holds") as caught:
        found({"PRM_INSPECT_API_KEY": secret}, "http://a")
    assert secret not in str(caught.value)


def test_a_key_is_never_shown_or_written():
    key = Key("hunter2", ["PRM_INSPECT_API_KEY"])
    assert "hunter2" not in f"{key} {key!r} {[key]} {key.variables}"
    assert masked("wrong key hunter2.") == "wrong key ***."
    for write in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            write(key)
