import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_json import ANY_JSON
from inspector.state.remembered import LONGEST, LastView, RememberedState

FIELDS = LastView(
    benchmark="processbench",
    scorer="alpha",
    columns=("case", "margin"),
    widths={"case": 30, "beta.margin": 4},
    overlaid=("beta", "alpha"),
    conditions=("n_steps > 8",),
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "here.json"


def as_fields(left):
    return {name: getattr(left, name) for name in left.__struct_fields__}


def test_what_was_never_written_is_empty(path):
    assert RememberedState(path).left == LastView()
    assert RememberedState().left == LastView()


def test_every_field_comes_back_as_it_was(path):
    remembered = RememberedState(path)
    remembered.keep(**as_fields(FIELDS))
    assert remembered.left == FIELDS
    assert remembered.changed
    remembered.save()
    assert not remembered.changed
    assert RememberedState(path).left == FIELDS


def test_without_a_path_it_is_remembered_until_the_end():
    remembered = RememberedState()
    remembered.keep(scorer="alpha")
    remembered.save()
    assert remembered.left.scorer == "alpha"
    assert not remembered.problem


def test_an_unknown_field_is_an_error_of_the_caller():
    with pytest.raises(TypeError):
        RememberedState().keep(nothing=1)


def test_a_history_has_the_newest_first_and_each_text_once(path):
    remembered = RememberedState(path)
    for text in ("a", "b", "a", "c"):
        remembered.add("conditions", text)
    assert remembered.left.conditions == ("c", "a", "b")
    remembered.save()
    assert RememberedState(path).left.conditions == ("c", "a", "b")
    for number in range(LONGEST + 5):
        remembered.add("conditions", str(number))
    remembered.save()
    assert RememberedState(path).left.conditions == tuple(str(number) for number in reversed(range(5, LONGEST + 5)))


def test_processes_keep_each_others_fields_and_histories(path):
    one, other = RememberedState(path), RememberedState(path)
    one.keep(scorer="alpha")
    one.add("conditions", "of one")
    other.keep(benchmark="bench")
    other.add("conditions", "of the other")
    one.save()
    other.save()
    left = RememberedState(path).left
    assert (left.scorer, left.benchmark) == ("alpha", "bench")
    assert left.conditions == ("of the other", "of one")


def test_what_a_later_version_wrote_stays(path):
    path.parent.mkdir()
    path.write_text(json.dumps({"format": 9, "scorer": "alpha", "colour_of_the_moon": 3}))
    remembered = RememberedState(path)
    assert remembered.left.scorer == "alpha"
    remembered.keep(scorer="beta")
    remembered.save()
    assert json.loads(path.read_text())["colour_of_the_moon"] == 3


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[]", b"null", b"[" * 100_000, b'{"scorer": "al'])
def test_a_damaged_file_counts_as_never_written(path, data):
    path.parent.mkdir()
    path.write_bytes(data)
    remembered = RememberedState(path)
    assert remembered.left == LastView()
    assert remembered.problem.startswith(f"{path} is damaged")
    remembered.keep(scorer="alpha")
    remembered.save()
    assert RememberedState(path).left.scorer == "alpha"
    assert not RememberedState(path).problem


@given(written=st.dictionaries(st.sampled_from([*LastView.__struct_fields__, "format", "other"]), ANY_JSON))
def test_no_json_breaks_it_and_what_fits_is_read(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("left") / "here.json"
    path.write_text(json.dumps(written))
    left = RememberedState(path).left
    for name in ("benchmark", "scorer"):
        given_ = written.get(name)
        assert getattr(left, name) == (given_ if isinstance(given_, str) else "")


def test_a_path_that_cannot_be_written_is_told_and_breaks_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    remembered = RememberedState(tmp_path / "file" / "here.json")
    remembered.keep(scorer="alpha")
    remembered.save()
    assert remembered.problem.startswith("How you leave this workspace will not be remembered. Cannot write")
    assert remembered.left.scorer == "alpha"


def test_a_folder_in_its_place_breaks_nothing(path):
    path.mkdir(parents=True)
    remembered = RememberedState(path)
    remembered.keep(scorer="alpha")
    remembered.save()
    assert remembered.problem


def test_every_workspace_has_its_own_file(tmp_path):
    roots = [None, tmp_path / "a" / ".prm-inspect", tmp_path / "b" / ".prm-inspect", tmp_path / "ä ö" / ("x" * 99)]
    for number, root in enumerate(roots):
        remembered = RememberedState.of_workspace(root, tmp_path / "state")
        remembered.keep(scorer=str(number))
        remembered.save()
    assert [RememberedState.of_workspace(root, tmp_path / "state").left.scorer for root in roots] == [
        "0",
        "1",
        "2",
        "3",
    ]
    assert all(file.name.isprintable() for file in (tmp_path / "state" / "workspaces").iterdir())


def test_a_relative_path_is_the_same_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    remembered = RememberedState.of_workspace(Path("ws"), tmp_path / "state")
    remembered.keep(scorer="alpha")
    remembered.save()
    assert RememberedState.of_workspace(tmp_path / "ws", tmp_path / "state").left.scorer == "alpha"


def test_a_name_that_is_no_unicode_has_a_file_too(tmp_path):
    root = Path(os.fsdecode(bytes(tmp_path) + b"/\xff"))
    remembered = RememberedState.of_workspace(root, tmp_path / "state")
    remembered.keep(scorer="\udcff")
    remembered.save()
    assert not remembered.problem


def test_many_threads_lose_nothing(path):
    remembered = RememberedState(path)

    def work(number):
        remembered.add("conditions", str(number))
        remembered.save()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    remembered.save()
    assert {*remembered.left.conditions} == {str(number) for number in range(8)}
    assert {*RememberedState(path).left.conditions} == {str(number) for number in range(8)}
