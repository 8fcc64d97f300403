import re

import pytest
from msgspec.structs import replace

import example
from inspector.app.services.command_access import LONGEST, title_of
from inspector.state.opening import inspect
from scoring.selection.loading import load
from scoring.workspace.filtering.filters import Facet, Filter


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("titling") / "my-space")))


def test_it_names_workspace_benchmark_and_filter(state):
    assert title_of(state) == "prm-inspect - my-space - bench"
    filtered = state.selected(chosen=Filter((Facet("subset", ("sums",)),)))
    assert title_of(filtered) == "prm-inspect - my-space - bench - filter subset = sums"


@pytest.mark.parametrize("hostile", ["\x1b]0;x\x07", "\x9c\x1b\\", "\u202e\n\r", "x" * 500, "\ud800"])
def test_nothing_in_it_acts_and_it_is_short(state, hostile):
    for ascii_only in (False, True):
        title = title_of(replace(state, focus=replace(state.focus, benchmark=hostile)), ascii_only=ascii_only)
        assert title.isprintable()
        assert len(title) <= LONGEST
        assert not re.search("[\x00-\x1f\x7f-\x9f]", title)
        assert title.isascii() or not ascii_only
