import json

import pytest

import example
import making
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
    assert "Warning: of 9 cases 1 left out of the denominators." in out


def test_two_cards_show_what_differs_and_name_what_does_not(called):
    code, out, _ = called("card", "alpha", "beta")
    assert code == 0
    table, _, same = out.partition("The same in both")
    assert "seed" in same
    assert "seed" not in table
    assert "Not comparable as they stand: bench: beta lacks 1 case that alpha has" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gamma",), "no scorer matches 'gamma'"),
        (("alpha", "alph"), "differs from itself in nothing"),
        (("alpha", "--scorer", "beta"), "card takes no --scorer"),
        ((), "card needs a scorer, or two: prm-inspect card SCORER [OTHER]"),
    ],
)
def test_what_cannot_be_is_a_sentence_and_code_2(called, words, said):
    code, out, err = called("card", *words)
    assert (code, out) == (2, "")
    assert said in err


def test_the_cards_of_two_imported_scorers_say_what_is_not_recorded(tmp_path, capsys):
    cases, (scored, *_) = making.study(n=12)
    scorers = [(making.scorer(name, settings={"imported_from": "table"}), scored[1]) for name in ("one", "two")]
    making.workspace(tmp_path / "w", cases, scorers)
    assert main(["card", "one", "two", "-w", str(tmp_path / "w")]) == 0
    out = capsys.readouterr().out
    same, _, unsaid = out.partition("The same in both\n")[2].partition("Said of neither: ")
    assert "imported_from" in same
    assert "weights" not in same
    assert "weights" in unsaid.splitlines()[0]
    assert "What made the numbers of one and two is not recorded: imported results do not say it.\n" in out
    assert main(["card", "one", "two", "-w", str(tmp_path / "w"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["same"] for row in document["rows"] if row["fact"] == "weights"} == {None}
