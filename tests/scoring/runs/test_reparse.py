import polars as pl
import pytest

import making
from reference import Case
from scoring.data.errors import UnwritableWorkspace
from scoring.data.schema import VOTES
from scoring.data.scorer import Scorer
from scoring.formats.reading.boxed_answers import read_grben, read_processbench
from scoring.formats.reading.critic_answers import Reading
from scoring.formats.reading.rated_answers import read_prmbench, read_socratic
from scoring.models.critics.answer_parsers import CORRECTED, READERS
from scoring.runs.reparse import SETTING, protocol_of_critic, reparse, stale
from scoring.workspace.cache import VoteParts

CASES = making.frame([Case(2), Case(2), Case(2)])
KEYS = CASES["key"].to_list()
SAID = ("ballot", "verdict", "rewards", "redundancy", "reason", "reader")


@pytest.fixture
def parts(tmp_path):
    return VoteParts(tmp_path / "critic")


def row(key, answer, **columns):
    return {"key": KEYS[key] if isinstance(key, int) else key, "vote": 0, "run": 0, "answer": answer, **columns}


def append(parts, *rows):
    return parts.append(pl.DataFrame(list(rows), schema=VOTES, orient="row"))


def now(parts):
    return {
        (one["key"], one["vote"]): tuple(one[name] for name in SAID) for one in parts.read()[0].iter_rows(named=True)
    }


def test_what_changes_is_kept_whichever_way_it_changes(parts):
    append(
        parts,
        row(0, r"\boxed{1}", ballot="7", verdict=7, finish_reason="stop", tokens_out=3),
        row(1, r"\boxed{1}", reason="no box"),
        # Was a success, is none: the old row must not win.
        row(2, "none", ballot="1", verdict=1),
    )
    told = reparse(parts, read_processbench, CASES)
    assert (told.answers, told.changed, told.recovered, told.lost, told.unknown) == (3, 3, 1, 1, 0)
    assert (dict(told.faults), dict(told.notes), told.problems) == ({"no box": 1}, {}, [])
    assert now(parts) == {
        (KEYS[0], 0): ("1", 1, None, None, None, "processbench-1"),
        (KEYS[1], 0): ("1", 1, None, None, None, "processbench-1"),
        (KEYS[2], 0): (None, None, None, None, "no box", "processbench-1"),
    }
    kept = parts.read()[0].filter(key=KEYS[0]).row(0, named=True)
    assert (kept["answer"], kept["finish_reason"], kept["tokens_out"]) == (r"\boxed{1}", "stop", 3)


def test_reading_again_changes_nothing_the_second_time(parts):
    append(parts, row(0, r"\boxed{1}"), row(1, r"<think>\boxed{1}"))
    first = reparse(parts, read_processbench, CASES)
    before = parts.parts()
    second = reparse(parts, read_processbench, CASES)
    assert (first.changed, second.changed, second.answers) == (2, 0, 2)
    assert dict(second.notes) == {"the box is in reasoning that never ended": 1}
    assert parts.parts() == before


def test_stale_readings_are_noticed_until_they_are_made_again(parts):
    append(parts, row(0, r"\boxed{1}", ballot="1", verdict=1, reader="processbench-0"))
    append(parts, row(1, r"\boxed{1}", ballot="1", verdict=1), row(2, None, reason="no answer: HTTP 500"))
    assert stale(parts, read_processbench) == 1
    told = reparse(parts, read_processbench, CASES)
    assert (told.changed, stale(parts, read_processbench)) == (0, 0)
    assert stale(parts, read_grben) == 2


@pytest.mark.parametrize(("before", "now"), CORRECTED.items())
def test_who_was_made_by_a_parser_of_before_is_read_on_by_the_one_that_corrects_it(before, now):
    settings = {"protocol": "processbench", SETTING: before}
    protocol = protocol_of_critic(Scorer("judge-loose", "f" * 32, kind="critic", settings=settings))
    assert protocol.read is READERS[now]


def test_ratings_are_read_again(parts):
    text = '{"validity": [1, -1], "redundancy": [0, 1]}'
    append(parts, row(0, text, reason="no JSON"), row(1, '{"validity": [1]}', rewards=[1.0, 1.0]))
    told = reparse(parts, read_socratic, CASES)
    assert (told.changed, told.recovered, told.lost, dict(told.faults)) == (2, 1, 0, {"list too short": 1})
    assert now(parts)[KEYS[1], 0][2:5] == ([1.0], None, "list too short (1 of 2)")
    again = reparse(parts, read_prmbench, CASES)
    assert (again.changed, again.lost, dict(again.faults)) == (2, 1, {"JSON without redundancy": 1})
    assert now(parts)[KEYS[0], 0][2:4] == ([1.0, -1.0], [0.0, 1.0])


def test_reasoning_apart_and_the_end_of_the_answer_are_read_as_when_it_came(parts):
    append(parts, row(0, "", reasoning=r"\boxed{1}", finish_reason="length"), row(1, "x", finish_reason="length"))
    told = reparse(parts, read_grben, CASES)
    assert dict(told.faults) == {"cut at the token limit": 2}
    assert reparse(parts, read_processbench, CASES).recovered == 1
    append(parts, row(2, r"so \boxed{1}"))
    assert reparse(parts, read_grben, CASES, thinking=True).faults["reasoning never ended"] == 1


def test_failures_and_answers_about_other_cases_stay_as_they_are(parts):
    failed = row(0, None, reason="no answer: HTTP 500")
    other = row("elsewhere", r"\boxed{1}", ballot="7", verdict=7, reader="older")
    append(parts, failed, other, row(1, r"\boxed{1}"))
    told = reparse(parts, read_processbench, CASES)
    assert (told.answers, told.unknown) == (1, 1)
    assert now(parts)[KEYS[0], 0] == (None, None, None, None, "no answer: HTTP 500", None)
    assert now(parts)["elsewhere", 0] == ("7", 7, None, None, None, "older")


def test_of_two_rows_the_later_stays_the_later(parts):
    append(parts, row(0, None, reason="no answer: HTTP 500"), row(1, "old"))
    append(parts, row(0, "unreadable", reason="no box", reader="processbench-1"))
    reparse(parts, read_processbench, CASES)
    assert parts.read()[0].filter(key=KEYS[0])["answer"].to_list() == ["unreadable"]


def test_earlier_parts_in_which_nothing_changes_stay(parts):
    first = append(parts, row(0, r"\boxed{1}", ballot="1", verdict=1, reader="processbench-1"))
    second = append(parts, row(1, r"\boxed{1}"))
    reparse(parts, read_processbench, CASES)
    assert first.exists()
    assert not second.exists()


def test_a_damaged_part_is_left_alone_and_told(parts):
    append(parts, row(0, r"\boxed{1}"))
    damaged = parts.folder / parts.new_name()
    damaged.write_bytes(b"PAR1")
    told = reparse(parts, read_processbench, CASES)
    assert (told.answers, len(told.problems), damaged.exists()) == (1, 1, True)
    assert str(damaged) in told.problems[0]


def test_whoever_cannot_write_loses_nothing(parts, monkeypatch):
    append(parts, row(0, r"\boxed{1}"))
    append(parts, row(1, r"\boxed{1}"))
    before, append_, calls = parts.parts(), VoteParts.append, []

    def full(self, rows, name=None):
        calls.append(1)
        if len(calls) == 2:
            raise UnwritableWorkspace("the disk is full.")
        return append_(self, rows, name)

    monkeypatch.setattr(VoteParts, "append", full)
    with pytest.raises(UnwritableWorkspace):
        reparse(parts, read_processbench, CASES)
    assert parts.parts() == before


def test_many_answers_are_read_a_page_at_a_time(parts, monkeypatch):
    monkeypatch.setattr("scoring.runs.reparse._ROWS", 7)
    append(parts, *[row(0, rf"\boxed{{{vote}}}") | {"vote": vote} for vote in range(30)])
    told = reparse(parts, read_processbench, CASES)
    assert (told.answers, told.changed) == (30, 30)
    assert parts.read()[0].sort("vote")["verdict"].to_list() == list(range(30))
    assert len(parts.parts()) == 5


def test_a_reader_of_ones_own(parts):
    append(parts, row(0, "yes"))
    told = reparse(parts, lambda text, _n_steps: Reading(ballot=text, reason="of my own"), CASES)
    assert dict(told.faults) == {"": 1}


def test_nothing_to_read(parts):
    assert reparse(parts, read_processbench, CASES).answers == 0
    assert stale(parts, read_processbench) == 0
