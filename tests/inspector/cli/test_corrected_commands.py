"""Corrected commands: the user's own words with the flags of a correction, in full and ready to paste."""

import shlex

import pytest

from inspector.cli.corrected_commands import corrections
from inspector.screens.mapping_words import refusal_words
from scoring.data.errors import CommandEdit, InspectError, UsageError

LONG = f"/data/{'folder-of-a-long-name/' * 40}{'f' * 250}.csv"


def corrected(command: str, *edits: str | CommandEdit) -> list[str]:
    error = UsageError("no.", instead=[(edit, "a meaning") for edit in edits])
    return [line for line, _ in corrections(shlex.split(command), error)]


@pytest.mark.parametrize(
    ("command", "edit", "expected"),
    [
        ("import a.csv", "--rewards y", "import a.csv --rewards y"),
        ("import a.csv --rewards x", "--rewards y", "import a.csv --rewards y"),
        ("import --rewards=x a.csv", "--rewards y", "import --rewards y a.csv"),
        ("import a.csv --rewards x=mine", "--rewards y", "import a.csv --rewards y=mine"),
        (
            "import a.csv --rewards x=A --rewards y=B",
            "--rewards z=C",
            "import a.csv --rewards x=A --rewards y=B --rewards z=C",
        ),
        ("import a.csv --label-base 0", "--label-base 1 --clean 0", "import a.csv --label-base 1 --clean 0"),
        ("import a.csv --label-b 0", "--label-base 1", "import a.csv --label-base 1"),
        ("-w WS import a.csv -q", "--id uid", "-w WS import a.csv -q --id uid"),
        ("import -- -a.csv", "--id uid", "import --id uid -- -a.csv"),
        ("a.csv -w WS", "--rewards y", "import a.csv -w WS --rewards y"),
        ("a.csv --benchmark demo --slice odd", "--rewards y", "import a.csv --benchmark demo --rewards y"),
        (
            "score demo --model m --option a=1 --option b=2",
            "--option b=3",
            "score demo --model m --option a=1 --option b=3",
        ),
        ("score demo --model m --truncate", "--truncate --sample 5", "score demo --model m --truncate --sample 5"),
        (
            "metrics --where 'n_steps > 2'",
            "--where \"subset = 'a'\"",
            "metrics --where 'n_steps > 2' --where \"subset = 'a'\"",
        ),
        ("metrics --scorer mime", CommandEdit(replaces=(("mime", "mine"),)), "metrics --scorer mine"),
        ("compare mime other", CommandEdit(replaces=(("mime", "mine"),)), "compare mine other"),
        ("metrics --threshold mime=0.4", CommandEdit(replaces=(("mime", "mine"),)), "metrics --threshold mine=0.4"),
        ("cases --where 'n_step > 2'", CommandEdit(replaces=(("n_step", "n_steps"),)), "cases --where 'n_steps > 2'"),
        ("import a.csv --rewards x=A", CommandEdit("--rewards y", (("x", "y"),)), "import a.csv --rewards y=A"),
        ("import a.csv --mapping m", CommandEdit("--rewards y", (("x", "y"),)), "import a.csv --mapping m --rewards y"),
        ("import a.json b.csv --rewards y", CommandEdit(without=("b.csv", "--rewards")), "import a.json"),
        ("import 'a b.csv'", "--id 'case id'", "import 'a b.csv' --id 'case id'"),
        (f"import {LONG}", "--id uid", f"import {LONG} --id uid"),
    ],
)
def test_the_same_command_with_an_edit(command: str, edit: str | CommandEdit, expected: str) -> None:
    (line,) = corrected(command, edit)
    assert shlex.split(line) == ["prm-inspect", *shlex.split(expected)]


def test_what_would_change_nothing_or_is_not_taken_is_left_out() -> None:
    assert corrected("import a.csv --id uid", "--id uid") == []
    assert corrected("metrics", "--rewards y") == []
    assert corrected("import a.csv", "--id a", "--id a", "--id b") == [
        "prm-inspect import a.csv --id a",
        "prm-inspect import a.csv --id b",
    ]


def test_words_of_a_command_do_not_act_on_a_terminal() -> None:
    error = UsageError("no.", instead=[("--id uid", "ids")])
    ((line, _),) = corrections(["import", "a\x1b[2J\u202eb'\udcff.csv"], error)
    assert line == r"prm-inspect import $'a\x1b[2J\xe2\x80\xaeb\'\xff.csv' --id uid"


def test_other_processes_hand_corrections_on() -> None:
    error = UsageError("no.", "Then.", instead=[("--id uid", "ids"), (CommandEdit(without=("--at",)), "one step")])
    again = InspectError.of(error.fields)
    assert (str(again), again.message, again.fields) == (str(error), error.message, error.fields)
    assert [line for line, _ in corrections(["import", "a", "--at", "3"], again)] == [
        "prm-inspect import a --at 3 --id uid",
        "prm-inspect import a",
    ]
    assert InspectError.of({"sentence": "no.", "next_step": ""}).instead == ()


def test_the_mapping_dialog_names_its_own_fields() -> None:
    error = UsageError(
        "it has no column 'x'.", instead=[("--rewards y --id uid", "nearly that name"), ("--base 1", "b")]
    )
    assert "y: step rewards of a scorer and uid: the id of the case" in refusal_words(error)
    assert "--base 1" in refusal_words(error)
