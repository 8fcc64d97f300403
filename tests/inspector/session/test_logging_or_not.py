"""What a session leaves behind and gives its terminal, under a real one: a log, and titles."""

import re

import pytest

from inspector.services.command_access import GIVE_BACK, KEEP
from terminal import Terminal
from test_pty import ENV, RUN
from thoroughness import also

pytestmark = pytest.mark.pty


@pytest.mark.parametrize(
    ("term", "flags", "n_logs"), [(None, (), 1), ("linux", ("--no-session-log",), 0), *also(("dumb", (), None))]
)
def test_a_session_leaves_a_log_unless_told_otherwise_and_titles_where_they_would_not_be_shown_as_text(
    term, flags, n_logs, tmp_path
):
    state_folder = tmp_path / "state"
    env = {**ENV, "XDG_STATE_HOME": str(state_folder), **({"TERM": term, "COLORTERM": ""} if term else {})}
    with Terminal((*RUN, "demo", *flags), columns=100, lines=30, env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("240 cases")
        if n_logs is not None:
            terminal.press("enter")
            terminal.wait_for("most instructive")
            # A log begins a moment after the first paint.
            terminal.settle(1.0)
            terminal.press("q", "q")
            assert terminal.wait() == 0
            assert len(list(state_folder.rglob("session-*.jsonl"))) == n_logs
        output = terminal.output.decode()
    titles = re.findall(r"\x1b\]2;(.*?)\x1b\\", output)
    if term:
        assert titles == []
        assert "\x1b]2;" not in output
        return
    assert titles[0] == "prm-inspect - demo"
    assert titles[1] == "prm-inspect - demo - filter outcome = any failure"
    # The terminal gets its own back.
    assert output.index(KEEP) < output.index("\x1b]2;") < output.index(GIVE_BACK)
