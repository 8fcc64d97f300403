import subprocess
import sys

import polars as pl
import pytest

import making
import reference
import rows_out
from inspector.command_flags import FOREIGN
from inspector.shell.exporting_triage import TABLES
from scoring.foreign_rows.catalogue import CASES, REWARDS, TRIAGE, case_lines, reward_lines, triage_lines
from scoring.schema import REWARDS as REWARD_COLUMNS

BENCH = [reference.Case(2, 1, (0.9, 0.1), error_steps=(1,)), reference.Case(3, None), reference.Case(1, -1)]


def test_the_command_line_offers_exactly_these_formats():
    assert set(FOREIGN) == {*TABLES} | CASES.keys() | REWARDS.keys() | TRIAGE.keys()


@pytest.mark.parametrize("name", CASES)
def test_there_is_a_line_for_every_case(name):
    frame = making.full_frame(BENCH, error_type=["slip", None, None])
    lines = list(case_lines(name, frame))
    assert [line.value is not None for line in lines] == [True, False, name != "prmbench"]
    assert [len(line.notes) for line in lines] == [0, 1, int(name == "prmbench")]


@pytest.mark.parametrize("name", REWARDS)
def test_there_is_a_line_for_every_case_that_a_scorer_could_have_scored(name):
    lines = list(reward_lines(name, making.frame(BENCH), making.rewards(BENCH), rows_out.decided()))
    assert [line.value is not None for line in lines] == [True, False, False]
    assert [len(line.notes) for line in lines] == [0, 1, 1]


@pytest.mark.parametrize("name", [*CASES, *REWARDS, *TRIAGE])
def test_no_case_gives_no_line(name):
    frame = making.full_frame([])
    assert name not in CASES or list(case_lines(name, frame)) == []
    assert name not in TRIAGE or list(triage_lines(name, frame, [])) == []
    empty = pl.DataFrame(schema=REWARD_COLUMNS)
    assert name not in REWARDS or list(reward_lines(name, frame, empty, rows_out.decided())) == []


def test_naming_the_formats_loads_no_data_library():
    program = "import sys, scoring.foreign_rows.catalogue; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
