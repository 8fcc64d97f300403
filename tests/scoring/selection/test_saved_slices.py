import json

import pytest

from scoring.data.errors import NoWorkspace, UsageError
from scoring.selection.query import Query
from scoring.selection.saved_slices import FILE, SavedSlice, delete_slice, read_slices, save_slice, with_slices

LONG = SavedSlice("long ones", ("n_steps > 8", "subset IN ('it''s')"), sort="n_steps:desc")
FOUND = SavedSlice("题", (), "two words", ("problem",))


def test_what_is_saved_is_read_again_in_its_order(tmp_path):
    assert read_slices(tmp_path).slices == read_slices(None).slices == ()
    for one in (LONG, FOUND):
        assert save_slice(tmp_path, one) is None
    assert read_slices(tmp_path).slices == (LONG, FOUND)
    again = SavedSlice("long ones", ("n_steps > 9",))
    save_slice(tmp_path, again)
    assert read_slices(tmp_path).slices == (FOUND, again)
    delete_slice(tmp_path, "题")
    delete_slice(tmp_path, "never there")
    assert read_slices(tmp_path).slices == (again,)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"slices": 3}', "\x00\xff", '{"slices": {"a": 1}}'])
def test_a_damaged_file_is_told_of_and_moved_aside_when_something_is_saved(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    there = read_slices(tmp_path)
    assert there.slices == ()
    assert "is damaged" in there.problem
    assert (tmp_path / FILE).read_text() == text
    aside = save_slice(tmp_path, LONG)
    assert aside.read_text() == text
    assert read_slices(tmp_path).slices == (LONG,)
    (tmp_path / FILE).write_text(text)
    assert save_slice(tmp_path, FOUND) != aside
    assert aside.read_text() == text


def test_entries_that_cannot_be_read_are_left_alone(tmp_path):
    strange = [{"name": 3}, "x", {"name": "later", "where": "no list"}]
    (tmp_path / FILE).write_text(json.dumps({"slices": [*strange, {"name": "kept", "new": 1}]}))
    there = read_slices(tmp_path)
    assert [one.name for one in there.slices] == ["kept"]
    assert "3 of the slices" in there.problem
    save_slice(tmp_path, LONG)
    delete_slice(tmp_path, "kept")
    assert json.loads((tmp_path / FILE).read_bytes())["slices"][:3] == strange


def test_without_a_folder_nothing_is_saved():
    with pytest.raises(NoWorkspace, match="the demo alone has no folder"):
        save_slice(None, LONG)


def test_a_request_with_slices_is_spelled_out(tmp_path):
    save_slice(tmp_path, LONG)
    save_slice(tmp_path, FOUND)
    found = with_slices(Query(where=("n_steps > 8",), slices=("long", "题")), tmp_path)
    assert found == Query(where=LONG.where, search="two words", within=("problem",), sort="n_steps:desc")
    assert with_slices(Query(slices=("long",), sort="id"), tmp_path).sort == "id"
    assert with_slices(Query(where=("x",)), None) == Query(where=("x",))


def test_a_slice_that_is_not_there_or_cannot_be_combined_is_told(tmp_path):
    with pytest.raises(UsageError, match="no slice is saved"):
        with_slices(Query(slices=("long",)), tmp_path)
    save_slice(tmp_path, FOUND)
    with pytest.raises(UsageError, match="no slice matches 'long'"):
        with_slices(Query(slices=("long",)), tmp_path)
    with pytest.raises(UsageError, match="one search"):
        with_slices(Query(slices=("题",), search="other"), tmp_path)
    (tmp_path / FILE).write_text("{")
    with pytest.raises(UsageError, match="damaged"):
        with_slices(Query(slices=("long",)), tmp_path)
