from inspector.protocol_card.settings import UNTOLD, not_recorded, settings_of, settings_that_differ
from making import scorer


def test_nested_settings_have_dotted_names():
    told = settings_of(scorer(settings={"sampling": {"temperature": 0.6, "stop": []}, "seed": None, "protocol": ""}))
    assert told["sampling.temperature"] == "0.6"
    assert (told["sampling.stop"], told["seed"], told["protocol"]) == ("[]", "none", "none")
    assert (told["family"], told["range"]) == (UNTOLD, "0 to 1")


def test_only_what_differs_is_told_and_never_the_fingerprint():
    one = scorer("a", settings={"dtype": "float32", "weights": {"revision": "x"}})
    other = scorer("b", low=-1.0, settings={"dtype": "float32", "weights": {"revision": "y"}, "shots": 2})
    assert settings_that_differ(one, other) == {
        "range": ("0 to 1", "-1 to 1"),
        "weights.revision": ("x", "y"),
        "shots": (UNTOLD, "2"),
    }
    assert settings_that_differ(one, one) == {}


def test_what_made_imported_numbers_is_not_recorded():
    own, first, second = scorer("own"), *(scorer(name, settings={"imported_from": "table"}) for name in ("a", "b"))
    assert not_recorded([own, own]) == ""
    assert not_recorded([own, first]).startswith("What made the numbers of a is not recorded")
    assert not_recorded([first, second]).startswith("What made the numbers of a and b is not recorded")
    assert settings_that_differ(first, second) == {}
