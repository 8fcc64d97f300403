import re

import pytest
from msgspec.structs import replace

import example
from inspector.inspection import inspect
from inspector.selection import load
from inspector.services.command_access import GIVE_BACK, KEEP, LONGEST, title_of
from scoring.filtering.filters import Facet, Filter
from terminal import Terminal
from test_pty import ENV, RUN


@pytest.fixture(scope="module")
def inspection(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("titling") / "my-space")))


def test_it_names_workspace_benchmark_and_filter(inspection):
    assert title_of(inspection) == "prm-inspect - my-space - bench"
    filtered = inspection.filtered(Filter((Facet("subset", ("sums",)),)))
    assert title_of(filtered) == "prm-inspect - my-space - bench - filter subset = sums"


@pytest.mark.parametrize("hostile", ["\x1b]0;x\x07", "\x9c\x1b\\", "\u202e\n\r", "x" * 500, "\ud800"])
def test_nothing_in_it_acts_and_it_is_short(inspection, hostile):
    for ascii_only in (False, True):
        title = title_of(replace(inspection, benchmark=hostile), ascii_only=ascii_only)
        assert title.isprintable()
        assert len(title) <= LONGEST
        assert not re.search("[\x00-\x1f\x7f-\x9f]", title)
        assert title.isascii() or not ascii_only


@pytest.mark.pty
def test_the_terminal_gets_it_and_gets_its_own_back(tmp_path):
    with Terminal([*RUN, "demo"], columns=100, lines=30, env=ENV, cwd=tmp_path) as terminal:
        terminal.wait_for("240 cases")
        terminal.press("enter")
        terminal.wait_for("most instructive")
        terminal.settle()
        terminal.press("q", "q")
        assert terminal.wait() == 0
        output = terminal.output.decode()
    titles = re.findall(r"\x1b\]2;(.*?)\x1b\\", output)
    assert titles[0] == "prm-inspect - demo"
    assert titles[1] == "prm-inspect - demo - filter outcome = any failure"
    assert output.index(KEEP) < output.index("\x1b]2;") < output.index(GIVE_BACK)


@pytest.mark.pty
@pytest.mark.parametrize("term", ["linux", "dumb"])
def test_terminals_that_would_show_it_get_none(tmp_path, term):
    env = {**ENV, "TERM": term, "COLORTERM": ""}
    with Terminal([*RUN, "demo"], columns=100, lines=30, env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("240 cases")
        terminal.settle()
        assert b"\x1b]2;" not in terminal.output
