"""Papers without a workspace, and words that are wrong."""

import pytest

import making
import reference
from inspector.analyses.paper.paper import TABLES
from inspector.analyses.paper.paper_rows import CELLS, STATISTIC_CELLS
from refusals import sentence_of
from thoroughness import THOROUGH


@pytest.mark.parametrize("name", ["processbench", "prmbench", "socratic", "grben"])
def test_every_table_of_every_paper_can_be_read_without_a_workspace(called, rows, name):
    listed = rows(name)
    assert listed.columns == list(TABLES)
    for number, count in listed.select("table", "printed").iter_rows():
        if THOROUGH or number in {listed["table"][0], listed["table"][-1]}:
            code, out, err = called(name, str(number))
            assert code == 0
            assert "this is the paper alone" in err
            assert "None" not in out
        found = rows(name, str(number))
        assert found.columns in (list(CELLS), list(STATISTIC_CELLS))
        assert found["published"].len() - found["published"].null_count() == count
        assert found["value"].null_count() == count


@pytest.mark.parametrize("name", ["mrmath", "mrmath_redundant"])
def test_figures_that_are_only_computed_are_said_to_be_so(called, rows, name):
    assert rows(name).select("table", "printed", "computed").rows() == [(1, 0, "macro f1")]
    for words in [(name,), (name, "1")]:
        code, out, _ = called(*words)
        assert code == 0
        assert "what its paper prints (arXiv 2404.05692) is not here" in out


def test_pictures_are_said_to_print_no_number(called):
    code, out, _ = called("processbench")
    assert code == 0
    assert "Figures 3 and 4 are pictures: they print no number" in out
    assert "pictures" not in "".join(called("grben")[1:])


def test_conflicts_stand_in_the_table_with_all_their_values(called):
    out = called("prmbench", "4")[1]
    assert "36.2 (65.1 in Table 3, 6, 13, 15)" in out


def test_statistics_that_are_not_as_printed_or_counted_otherwise_say_so(called):
    from_zero, of_all = "in what is published too, which is printed from 1", "those without an error have 0"
    expected = {("prmbench", "2"): [True, True], ("socratic", "2"): [True, False], ("processbench", "2"): [False] * 2}
    assert {words: [part in called(*words)[1] for part in (from_zero, of_all)] for words in expected} == expected


def test_lines_of_averages_say_of_which_block(called):
    out = called("prmbench", "3")[1]
    assert [block in out for block in ("Avg. prm", "Avg. open", "Avg. proprietary")] == [True] * 3


def test_a_scorer_that_is_called_like_them_is_held_against_none(called, rows, root):
    cases = [reference.Case(2, 0, (0.1, 0.9), "", "circular", (0,))]
    making.workspace(root, cases, [(making.scorer("Avg."), cases)], benchmark="prmbench", error_type=["circular"])
    (here,) = [row for row in rows("prmbench", "3").to_dicts() if row["subset"] == "circular"]
    assert (here["scorer"], here["value"], here["published"]) == ("Avg.", 1.0, None)
    out = called("prmbench", "3", "--all")[1]
    assert [block in out for block in ("Avg. prm", "Avg. open", "Avg. proprietary")] == [True] * 3
    assert sum(line.split()[:2] == ["Avg.", "here"] for line in out.splitlines()) == 1


def test_nothing_is_checked_where_nothing_is_here(called):
    code, _, err = called("processbench", "3", "--check")
    assert code == 0
    assert "Checked 0 of 125 printed cells; differing: 0." in err
    assert "125 not checked: not in this workspace" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("processbench", "1"), "no table '1' of ProcessBench is known. There are: 2, 3, 4"),
        (("processbench", "fig3"), "no table 'fig3'"),
        (("processbench", "--check"), "--check needs a table"),
        (("processbench", "3", "--benchmark", "grben"), "the paper is of processbench"),
        (("processbench", "3", "-w", "nowhere"), "nowhere holds no workspace.json"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_code_2(called, words, said):
    code, out, err = called(*words)
    assert (code, out) == (2, "")
    assert sentence_of(err)
    assert said in err


def test_a_paper_that_is_not_known_is_wrong_usage(called):
    code, out, err = called("prm800k")
    assert (code, out) == (2, "")
    assert "paper takes no 'prm800k'" in err
