"""Several runs told as one; the events are those that `python -m scoring` tells."""

import pytest

from scoring.events import CaseRefused, End, Notice, Progress, Ready, Saved, Start, document
from scoring.shards import MergedEvents


@pytest.fixture
def said():
    return []


@pytest.fixture
def merged(said):
    return MergedEvents(("cuda:0", "cuda:1"), said.append, clock=lambda: 0.0)


def told(merged, number, event):
    return list(merged.take(number, document(event)))


def start(to_do, notes=()):
    return Start("prm", "f", "folder", to_do + 3, to_do + 2, 1, 1, to_do, notes)


def progress(done, to_do, seconds=1.0):
    return Progress(done, to_do, 0, seconds, seconds / 2, 10 * done)


def test_nothing_is_told_before_all_have_said_what_they_have_to_do(merged):
    assert told(merged, 0, start(5, ("a",))) == []
    assert told(merged, 0, Ready("engine", 1.0)) == []
    assert told(merged, 1, start(7, ("a", "b"))) == [
        Start("prm", "f", "folder", 18, 16, 2, 2, 12, ("a", "b")),
        Ready("engine", 1.0),
    ]
    assert told(merged, 1, Ready("engine", 2.0)) == [Ready("engine", 2.0)]


@pytest.fixture
def running(merged):
    told(merged, 0, start(5))
    told(merged, 1, start(7))
    return merged


def test_what_one_notices_is_told(running):
    assert told(running, 1, Notice("numbers are not finite")) == [Notice("numbers are not finite")]


def test_what_is_saved_is_counted_in_all(running):
    assert told(running, 0, Saved(2, 2, "part-a")) == [Saved(2, 2, "part-a")]
    assert told(running, 1, Saved(3, 3, "part-b")) == [Saved(3, 5, "part-b")]
    assert told(running, 1, CaseRefused("c", "k", "why")) == [CaseRefused("c", "k", "why")]


def test_progress_is_of_all_and_at_most_ten_a_second(running):
    now = 0.0
    running.clock = lambda: now
    assert told(running, 0, progress(2, 5)) == [Progress(2, 12, 0, 1.0, 0.5, 20)]
    assert told(running, 1, progress(3, 7)) == []
    now = 0.2
    assert told(running, 1, progress(4, 7, 3.0)) == [Progress(6, 12, 0, 3.0, 1.5, 60)]
    assert told(running, 0, progress(5, 5)) == []
    assert told(running, 1, progress(7, 7, 3.0)) == [Progress(12, 12, 0, 3.0, 1.5, 120)]


def finish(merged, *ends, codes=(0, 0)):
    for number, (end, code) in enumerate(zip(ends, codes, strict=True)):
        if end:
            told(merged, number, end)
        list(merged.ended(number, code))
    return merged.end()


def test_the_end_sums_and_takes_the_longest(running, said):
    first = End("done", scored=4, refused=1, saved=5, seconds=3.0, tokens=40, padding=4)
    second = End("done", scored=7, cached=1, saved=7, seconds=2.0, tokens=70)
    assert finish(running, first, second) == End(
        "done", scored=11, refused=1, cached=1, saved=12, seconds=3.0, tokens=110, padding=4
    )
    assert said == []


def test_one_that_was_stopped_stops_all(running):
    end = finish(running, End("interrupted", left=3, signal=15), End("done", scored=7))
    assert (end.status, end.signal, end.left, end.scored) == ("interrupted", 15, 3, 7)


def test_one_that_failed_fails_all_and_its_words_are_told(running, said):
    error = {"title": "t", "sentence": "s", "next_step": "n"}
    end = finish(running, End("failed", error=error), End("done", scored=7))
    assert (end.status, end.error, end.scored) == ("failed", error, 7)
    assert said == []


def test_one_that_was_killed_has_saved_what_it_told(running, said):
    told(running, 0, Saved(3, 3, "part"))
    told(running, 0, CaseRefused("c", "k", "why"))
    end = finish(running, None, End("done", scored=7, saved=7), codes=(-9, 0))
    assert (end.status, end.scored, end.refused, end.saved, end.left) == ("failed", 9, 1, 10, 2)
    (sentence,) = said
    assert "cuda:0 was killed by SIGKILL; it saved 3 cases, 2 are left." in sentence
    assert end.error["sentence"] in sentence


def test_one_that_never_started_holds_nobody_up(merged):
    told(merged, 0, start(5))
    assert next(iter(merged.ended(1, 1))).to_do == 5
    assert "exit code 1" in finish(merged, End("done"), None, codes=(0, 1)).error["sentence"]


def test_truncated_cases_are_counted_in_all(running):
    told(running, 0, Progress(2, 5, 2, 1.0, 0.5, 20, truncated=1))
    running.clock = lambda: 1.0
    (both,) = told(running, 1, Progress(3, 7, 1, 1.0, 0.5, 30, truncated=1))
    assert (both.refused, both.truncated) == (3, 2)
    cut = CaseRefused("c", "k", "why", 2)
    assert told(running, 1, cut) == [cut]
    told(running, 1, CaseRefused("d", "l", "why"))
    told(running, 1, Saved(7, 7, "part-a"))
    end = finish(running, End("done", scored=3, refused=2, truncated=1, saved=5), None, codes=(0, -9))
    assert (end.refused, end.truncated, end.scored) == (4, 2, 8)


def test_one_that_died_of_the_signal_all_were_sent_was_stopped(merged, said):
    told(merged, 0, start(5))
    assert list(merged.ended(0, -2, asked=2)) == []
    assert list(merged.ended(1, -2, asked=2)) == [Start("prm", "f", "folder", 8, 7, 1, 1, 5, ())]
    end = merged.end()
    assert (end.status, end.signal, end.error, end.left, said) == ("interrupted", 2, None, 5, [])
