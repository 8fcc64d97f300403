"""What is said of runs that are no repetitions of the first, and of runs that are not whole."""

import pytest

import critic_spaces
from inspector import cli


@pytest.fixture
def space(tmp_path):
    return critic_spaces.imported(tmp_path, 6)


def told(space, capsys):
    capsys.readouterr()
    assert cli.main(["metrics", "-w", str(space)]) == 0
    return capsys.readouterr().out


def test_a_run_with_another_number_of_votes_is_left_out_and_told(space, capsys):
    critic_spaces.critic(space, lambda _, run: [r"\boxed{0}"] * (1 if run else 3), runs=2)
    said = told(space, capsys)
    assert "judge: 1 further run left out of every figure: not 3 votes a case as in the first" in said
    assert "judge on processbench" not in said


def test_what_a_mean_over_runs_is_of_is_told(space, capsys):
    critic_spaces.critic(space, lambda row, run: [r"\boxed{0}"] if row < 4 or not run else [], runs=2)
    assert "judge on processbench: 2 runs, of 6, 4 cases" in told(space, capsys)


def test_cases_with_fewer_votes_than_others_are_told(space, capsys):
    critic_spaces.critic(space, lambda row, _: [r"\boxed{0}"] * (8 if row < 2 else 4))
    few = (
        "judge: 4 of 6 cases of processbench have fewer than 8 answers, and figures are of both; ask for as many of all"
    )
    assert f"{few} (score --votes 8)" in told(space, capsys)


def test_as_many_votes_of_each_case_need_no_word(space, capsys):
    critic_spaces.critic(space, lambda row, _: [r"\boxed{0}"] * (4 if row < 5 else 0))
    assert "have fewer" not in told(space, capsys)
