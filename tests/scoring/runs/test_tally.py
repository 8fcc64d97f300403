"""How far a run was that failed, from what it had told."""

from scoring.runs.events import Asked, End, Progress, RunTally, Saved

ERROR = {"title": "t", "sentence": "s", "next_step": "n"}


def test_a_run_that_told_nothing_has_done_nothing():
    assert RunTally().failed(ERROR) == End("failed", error=ERROR)


def test_what_was_told_last_counts():
    tally = RunTally()
    asked = Asked(wanted=9, answers=7)
    for event in (
        Progress(1, 9, 0, 1.0, 0.5, 10),
        Saved(2, 2, "a"),
        Progress(7, 9, 2, 3.0, 2.0, 70, 1, asked),
        Saved(3, 5, "b"),
    ):
        tally.note(event)
    end = tally.failed(ERROR)
    assert (end.scored, end.refused, end.truncated, end.left, end.saved) == (5, 2, 1, 2, 5)
    assert (end.seconds, end.tokens, end.asked, end.error) == (3.0, 70, asked, ERROR)
