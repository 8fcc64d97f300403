"""`check` as a shell and a CI job see it: exit codes, words and documents."""

import csv
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import checked_pairs
from inspector.cli import main
from thoroughness import also

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("pairs")
    checked_pairs.write(root)
    return str(root)


@pytest.fixture
def called(root, capsys):
    def call(*words):
        try:
            code = main(["check", *words, "-w", root])
        except SystemExit as left:
            code = left.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


PAIRS = [("worse", "old", 1), ("same", "old", 0), ("half", "rest", 2)]
ALSO_FINE = [("better", "old", 0), ("slightly", "old", 0)]


@pytest.mark.parametrize(("new", "old", "code"), [PAIRS[0], *also(*PAIRS[1:], *ALSO_FINE)])
def test_prepared_pairs_give_the_codes_in_a_process_of_their_own(root, new, old, code):
    words = [sys.executable, "-m", "inspector.cli", "check", new, "--baseline", old, "-w", root, "-q"]
    answer = subprocess.run(
        words, capture_output=True, check=False, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert answer.returncode == code, answer.stderr
    # Whoever asked for quiet still learns why it is no 0.
    assert bool(answer.stderr) == (code > 0)
    assert b"Traceback" not in answer.stderr


@pytest.mark.parametrize(("new", "old", "code"), [*PAIRS[1:], *ALSO_FINE])
def test_what_is_no_worse_is_code_0_without_a_word_and_what_cannot_be_decided_has_some(called, new, old, code):
    found, _, err = called(new, "--baseline", old, "-q")
    assert (found, bool(err)) == (code, code > 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nobody", "--baseline", "old"), "no scorer matches 'nobody'. There are:"),
        (("worse", "--baseline", "nobody"), "no scorer matches 'nobody'"),
        (("e", "--baseline", "old"), "scorers match 'e'"),
        (("old", "--baseline", "ol"), "old cannot be its own baseline"),
        (("worse",), "--baseline"),
        (("--baseline", "old"), "check needs a scorer"),
        (("worse", "same", "--baseline", "old"), "check is about 2 scorers at most"),
        (("worse", "--baseline", "old", "--scorer", "same"), "check takes no --scorer"),
        (("worse", "--baseline", "old", "--fail-if", "nothing < 0"), "there is no figure 'nothing'"),
        (("worse", "--baseline", "old", "--fail-if", "difference <"), "Bad condition"),
        (("worse", "--baseline", "old", "--where", "n_steps > 99"), "there is no case to check on"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_code_2(called, words, said):
    code, out, err = called(*words)
    assert (code, out) == (2, "")
    assert said in err


def test_any_unique_part_of_a_name_does(called):
    assert called("wors", "--baseline", "ol", "-q")[0] == 1


def test_a_person_reads_what_fails_and_why_and_how_to_see_it(called):
    code, out, err = called("worse", "--baseline", "old")
    assert code == 1
    assert "A regression: F1 −" in out
    assert "First 5 of 20 cases that became wrong: bench/c" in out
    assert "All of them: prm-inspect cases --workspace" in out
    assert "What differs between them" in out
    assert "fails this rule by chance" in out
    # What decides is the last that is said.
    assert err.splitlines()[-1].startswith("bench: worse against old: a regression, F1 −")


def test_a_document_goes_to_stdout_alone_and_the_code_stays(called):
    code, out, err = called("worse", "--baseline", "old", "--json")
    document = json.loads(out)
    assert code == 1 == document["provenance"]["exit_code"]
    (row,) = document["rows"]
    assert (row["result"], row["fails"]) == ("regression", True)
    assert row["high"] < 0
    assert "a regression" in err
    code, out, _ = called("worse", "--baseline", "old", "--csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (code, row["result"], row["newly_wrong"]) == (1, "regression", "20")
    code, out, _ = called("worse", "--baseline", "old", "--markdown")
    assert code == 1
    assert "| F1 | " in out


def test_a_file_is_written_whatever_the_code_and_its_command_makes_it_again(called, tmp_path, capsys):
    file = tmp_path / "check.json"
    code, out, err = called("worse", "--baseline", "old", "--fail-if", "newly_wrong > 5", "-o", str(file))
    assert (code, out) == (1, "")
    assert "newly_wrong > 5 holds" in err
    command = json.loads(file.read_text())["provenance"]["command"]
    assert main(shlex.split(command)[1:]) == 1
    assert capsys.readouterr().out == file.read_text()
