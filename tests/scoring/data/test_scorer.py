import json
from types import MappingProxyType

import pytest

import making
from scoring.data.errors import DamagedWorkspace, UnwritableWorkspace
from scoring.data.scorer import FILE, NOT_SAID, Scorer, not_recorded, settings_of, settings_that_differ

FULL = Scorer(
    name="Qwen2.5 / PRM «7B»",
    fingerprint="0123456789abcdef",
    kind="critic",
    family="qwen",
    about="中文",
    threshold=0.0,
    threshold_source="paper",
    low=-1.0,
    high=1.0,
    redundancy_threshold=0.15,
    redundancy_threshold_source="toolkit",
    settings={"votes": 8, "nested": {"a": [1, None]}},
    series="RUN «7»",
    at=1200,
)


@pytest.mark.parametrize("scorer", [FULL, Scorer("a", "f")])
def test_what_is_saved_is_loaded(tmp_path, scorer):
    scorer.save(tmp_path / "new")
    assert Scorer.load(tmp_path / "new") == scorer
    assert [path.name for path in (tmp_path / "new").iterdir()] == [FILE]


def test_saving_again_gives_the_same_bytes(tmp_path):
    FULL.save(tmp_path)
    before = (tmp_path / FILE).read_bytes()
    Scorer.load(tmp_path).save(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_scorer_needs_a_name_and_a_fingerprint_only():
    scorer = Scorer("a", "f")
    assert (scorer.kind, scorer.threshold, scorer.low, scorer.high) == ("prm", 0.5, 0.0, 1.0)
    assert scorer.settings == MappingProxyType({})


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("Qwen2.5-PRM", "qwen2.5-prm-01234567"),
        ("../../etc/passwd", "etc-passwd-01234567"),
        ("..", "scorer-01234567"),
        ("中文", "scorer-01234567"),
        ("a" * 300, "a" * 60 + "-01234567"),
        ("a  b\x00\n", "a-b-01234567"),
    ],
)
def test_a_folder_is_a_plain_name(name, folder):
    assert Scorer(name, "0123456789abcdef").folder == folder


def test_scorers_of_one_name_have_folders_of_their_own():
    assert Scorer("a", "0" * 16).folder != Scorer("a", "1" * 16).folder


def written(folder, **changes):
    sound = {"format": 1, "name": "a", "fingerprint": "f" * 16}
    document = {key: value for key, value in {**sound, **changes}.items() if value is not ...}
    (folder / FILE).write_text(json.dumps(document))
    return folder


def test_what_a_later_version_adds_is_ignored(tmp_path):
    assert Scorer.load(written(tmp_path, new_fact=1)) == Scorer("a", "f" * 16)


def test_one_of_an_earlier_version_is_no_checkpoint_of_a_run(tmp_path):
    assert not Scorer.load(written(tmp_path)).training.known
    assert not Scorer.load(written(tmp_path, series=None, at=None)).training.known
    assert Scorer.load(written(tmp_path, series="RUN", at=0)).training.words == "step 0 of RUN"


def test_whole_numbers_are_numbers(tmp_path):
    assert Scorer.load(written(tmp_path, threshold=0, high=1)).threshold == 0.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": ...}, "lacks 'name'"),
        ({"format": ...}, "lacks 'format'"),
        ({"fingerprint": 5}, "fingerprint is not text"),
        ({"name": " "}, "name or fingerprint is empty"),
        ({"name": "half \ud800"}, "surrogates not allowed"),
        ({"family": None}, "family is not text"),
        ({"kind": "judge"}, "kind is none of prm, critic, baseline"),
        ({"threshold": "high"}, "could not convert"),
        ({"threshold": None}, "(threshold is null, not a number). Correct it, or import or score again."),
        ({"low": True}, "low is true, not a number"),
        ({"threshold": float("nan")}, "threshold is not a finite number"),
        ({"low": float("-inf")}, "low is not a finite number"),
        ({"high": 10**400}, "too large"),
        ({"redundancy_threshold": float("inf")}, "redundancy_threshold is not a finite number"),
        ({"redundancy_threshold_source": 1}, "redundancy_threshold_source is not text"),
        ({"settings": []}, "settings is not an object"),
        ({"series": 5}, "series is not text"),
        ({"series": " "}, "series is not text"),
        ({"series": "half \ud800"}, "surrogates not allowed"),
        ({"at": "100"}, 'at is "100", not a number of training steps'),
        ({"at": 1.5}, "at is 1.5, not"),
        ({"at": True}, "at is true, not"),
        ({"at": -1}, "at is -1, not"),
        ({"at": 2**63}, "not a number of training steps"),
    ],
)
def test_what_is_wrong_with_a_description_is_one_sentence(tmp_path, changes, said):
    with pytest.raises(DamagedWorkspace) as caught:
        Scorer.load(written(tmp_path, **changes))
    assert said in str(caught.value)
    assert str(tmp_path / FILE) in str(caught.value)


def test_a_newer_description_asks_for_a_newer_program(tmp_path):
    with pytest.raises(DamagedWorkspace, match=r"does not know\. Update prm-inspect"):
        Scorer.load(written(tmp_path, format=2))


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"5", b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_no_description_is_one_sentence(tmp_path, raw):
    (tmp_path / FILE).write_bytes(raw)
    with pytest.raises(DamagedWorkspace, match="is not a description of a scorer"):
        Scorer.load(tmp_path)


def test_no_description_is_one_sentence(tmp_path):
    with pytest.raises(DamagedWorkspace, match="is not a description of a scorer"):
        Scorer.load(tmp_path)


def test_a_description_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableWorkspace):
        FULL.save(tmp_path / "file")


def test_nested_settings_have_dotted_names():
    told = settings_of(
        making.scorer(settings={"sampling": {"temperature": 0.6, "stop": []}, "seed": None, "protocol": ""})
    )
    assert told["sampling.temperature"] == "0.6"
    assert (told["sampling.stop"], told["seed"], told["protocol"]) == ("[]", "none", "none")
    assert (told["family"], told["range"]) == (NOT_SAID, "0 to 1")


def test_only_what_differs_is_told_and_never_the_fingerprint():
    one = making.scorer("a", settings={"dtype": "float32", "weights": {"revision": "x"}})
    other = making.scorer("b", low=-1.0, settings={"dtype": "float32", "weights": {"revision": "y"}, "shots": 2})
    assert settings_that_differ(one, other) == {
        "range": ("0 to 1", "-1 to 1"),
        "weights.revision": ("x", "y"),
        "shots": (NOT_SAID, "2"),
    }
    assert settings_that_differ(one, one) == {}


def test_what_made_imported_numbers_is_not_recorded():
    own, first, second = (
        making.scorer("own"),
        *(making.scorer(name, settings={"imported_from": "table"}) for name in ("a", "b")),
    )
    assert not_recorded([own, own]) == ""
    assert not_recorded([own, first]).startswith("What made the numbers of a is not recorded")
    assert not_recorded([first, second]).startswith("What made the numbers of a and b is not recorded")
    assert settings_that_differ(first, second) == {}
