"""Whether what is done in the app is logged, under a real terminal."""

import pytest

from terminal import Terminal
from test_pty import ENV, RUN

pytestmark = pytest.mark.pty


@pytest.mark.parametrize(("flags", "n_logs"), [((), 1), (("--no-session-log",), 0)])
def test_a_session_leaves_a_log_unless_told_otherwise(flags, n_logs, tmp_path):
    state = tmp_path / "state"
    env = {**ENV, "XDG_STATE_HOME": str(state)}
    with Terminal((*RUN, "demo", *flags), columns=100, lines=30, env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("240 cases")
        terminal.press("enter")
        terminal.wait_for("most instructive")
        # A log begins a moment after the first paint.
        terminal.settle(1.0)
        terminal.press("q", "q")
        assert terminal.wait() == 0
    assert len(list(state.rglob("session-*.jsonl"))) == n_logs
