import json
import shlex

import pytest

import example
from inspector.cli import main


@pytest.fixture
def called(tmp_path, capsys):
    root = str(example.write(tmp_path / "w").workspace)

    def call(*words):
        try:
            code = main([*words, "-w", root])
        except SystemExit as left:
            code = left.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_a_card_is_a_table_with_its_warnings(called):
    code, out, _ = called("card", "bet")
    assert code == 0
    assert "How a verdict is decided" in out
    assert "1: 1 over length" in out
    assert "Warning, beta on bench: of 9 cases 1 left out of the denominators." in out


def test_two_cards_show_what_differs_and_name_what_does_not(called):
    code, out, _ = called("card", "alpha", "beta")
    assert code == 0
    assert "bench: alpha against beta" in out
    table, _, same = out.partition("The same in both: ")
    assert "seed" in same
    assert "seed" not in table
    assert "Not comparable as they stand: bench: beta lacks 1 case that alpha has" in out


def test_its_command_makes_it_again(called, capsys):
    _, out, _ = called("card", "alpha", "beta", "--json")
    assert main(shlex.split(json.loads(out)["provenance"]["command"])[1:]) == 0
    assert capsys.readouterr().out == out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gamma",), "no scorer matches 'gamma'"),
        (("alpha", "alph"), "differs from itself in nothing"),
        (("alpha", "--scorer", "beta"), "Leave --scorer out"),
        ((), "SCORER"),
    ],
)
def test_what_cannot_be_is_a_sentence_and_code_2(called, words, said):
    code, out, err = called("card", *words)
    assert (code, out) == (2, "")
    assert said in err
