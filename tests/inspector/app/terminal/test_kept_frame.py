"""The first frame is kept as it was painted, and shown again only where nothing that it follows from has changed."""

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from inspector.app.terminal import kept_frame
from inspector.app.terminal.kept_frame import files_under, frame_file, keep, recall
from inspector.render.texts.text import clean

COLOURS = st.none() | st.builds(Color.from_rgb, *[st.integers(0, 255)] * 3) | st.sampled_from(
    [Color.parse("default"), Color.parse("blue"), Color.parse("color(213)")]
)  # fmt: skip
STYLES = st.none() | st.builds(
    Style, color=COLOURS, bgcolor=COLOURS, bold=st.none() | st.booleans(), reverse=st.none() | st.booleans()
)
LINES = st.lists(st.lists(st.tuples(st.text(max_size=8).map(clean), STYLES), max_size=5), max_size=4)


def strips(*texts):
    return [Strip([Segment(text, Style(bold=True))]) for text in texts]


def cells(lines):
    """Every character with its style: runs that are equal may have been joined."""
    return [[(letter, run.style or Style()) for run in line for letter in run.text] for line in lines]


@given(LINES)
def test_a_frame_comes_back_as_it_was(tmp_path_factory, lines):
    painted = [Strip([Segment(text, style) for text, style in line]) for line in lines]
    place = tmp_path_factory.mktemp("state") / "frame"
    keep(place, [], painted, before=time.time_ns())
    assert cells(recall(place)) == cells(painted)


@pytest.fixture
def space(tmp_path):
    """A folder with files, an hour old, and the place of a frame that follows from them."""
    space = tmp_path / "space"
    (space / "deep").mkdir(parents=True)
    (space / "derived").mkdir()
    for name in ("one", "deep/two", "derived/three"):
        (space / name).write_text(name)
    for path in (*space.rglob("*"), space):
        os.utime(path, (time.time() - 3600,) * 2)
    return space, tmp_path / "frames" / "frame.msgpack"


def inputs(space):
    return [*files_under(space, without="derived"), str(space.parent / "absent")]


CHANGES = {
    "a file that is longer": lambda space: (space / "deep" / "two").write_text("longer than it was"),
    "one that is newer": lambda space: (space / "one").touch(),
    "one that has gone": lambda space: (space / "one").unlink(),
    "one that has come": lambda space: (space / "deep" / "new").touch(),
    "one that was not there and counts": lambda space: (space.parent / "absent").touch(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_shown_once_something_has_changed(space, change):
    space, place = space
    keep(place, inputs(space), strips("a frame"), before=time.time_ns())
    assert [strip.text for strip in recall(place)] == ["a frame"]
    (space / "derived" / "three").write_text("made again")
    assert recall(place)
    change(space)
    assert recall(place) == []


def test_what_changed_while_it_was_read_is_not_kept(space):
    space, place = space
    began = time.time_ns()
    (space / "one").touch()
    keep(place, inputs(space), strips("a frame"), before=began)
    assert not place.exists()


def test_a_slow_disk_is_not_waited_for(space, monkeypatch):
    space, place = space
    keep(place, inputs(space), strips("a frame"), before=time.time_ns())
    monkeypatch.setattr(kept_frame, "stamp", lambda path, known=kept_frame.stamp: time.sleep(0.15) or known(path))
    began = time.monotonic()
    assert recall(place) == []
    assert time.monotonic() - began < 5


def test_frames_of_large_workspaces_are_not_kept_and_old_ones_go(space, monkeypatch):
    space, place = space
    monkeypatch.setattr(kept_frame, "MOST_FRAMES", 2)
    names = [place.with_name(f"{number}.msgpack") for number in range(4)]
    for path in names:
        keep(path, inputs(space), strips(path.name), before=time.time_ns())
        os.utime(path, (time.time() - 60 + names.index(path),) * 2)
    assert sorted(path for path in place.parent.iterdir()) == names[-2:]
    monkeypatch.setattr(kept_frame, "MOST_INPUTS", 3)
    keep(place, inputs(space), strips("a frame"), before=time.time_ns())
    assert not place.exists()


@pytest.mark.parametrize("written", [b"", b"\x81", b"not a frame", b"\xff" * 100])
def test_a_damaged_frame_is_none(tmp_path, written):
    (tmp_path / "frame").write_bytes(written)
    assert recall(tmp_path / "frame") == recall(tmp_path / "missing") == recall(tmp_path) == []


def test_no_text_of_a_frame_acts(space):
    space, place = space
    keep(place, [], strips("\x1b[2Jwiped"), before=time.time_ns())
    assert all("\x1b" not in strip.text for strip in recall(place))


def test_where_nothing_can_be_written_nothing_happens(tmp_path):
    (tmp_path / "frames").write_text("in the way")
    place = frame_file(tmp_path, ["what", "was asked"])
    keep(place, [], strips("a frame"), before=time.time_ns())
    assert recall(place) == []
    assert place != frame_file(tmp_path, ["what", "was asked for"])
