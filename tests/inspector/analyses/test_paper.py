"""The tables of papers as a view: rows beneath each other, the cases behind ours, what a check says."""

import polars as pl
import pytest

import example
import papers
from inspector.analyses import Params
from inspector.analyses.paper.paper import TABLES, check_of, paper
from inspector.analyses.paper.paper_rows import CELLS, STATISTIC_CELLS
from inspector.render.table_blocks import Table
from inspector.state.focusing import covering
from inspector.state.opening import inspect
from inspector.state.subject import subject
from scoring.data.errors import UsageError
from scoring.metrics.published.papers import PAPERS
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import lines_of, page_sheet, words_of
from walking import walk

NUMBERS = [str(table.number) for table in PAPERS["processbench"].tables]


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    root = tmp_path_factory.mktemp("papers") / "w"
    papers.processbench(root, papers.gsm8k())
    return inspect(load(Query(workspace=str(root))))


def view(state, page="table", **options):
    """A page as the screen shows it."""
    return paper.view(subject(state, covering(state)), Params(page, options))


def test_the_screen_begins_with_the_first_table_on_scorers_and_offers_the_others(state):
    assert "Table 3 of ProcessBench" in words_of(view(state))
    (table,) = [option for option in paper.options if option.name == "table"]
    offers = list(table.offered(subject(state), Params("table")))
    assert [offer.value for offer in offers] == NUMBERS
    assert [offer.title for offer in offers][:2] == ["Table 2", "Table 3"]
    for number in NUMBERS:
        assert f"Table {number} of ProcessBench: " in words_of(view(state, table=number))


def test_the_other_page_lists_them(state):
    listed = view(state, "tables")
    assert listed.rows.columns == list(TABLES)
    assert [str(number) for number in listed.rows["table"]] == NUMBERS
    assert "Figures 3 and 4 are pictures" in words_of(listed)


def test_every_number_of_every_table_opens_exactly_its_cases(state):
    found = {number: walk(state, page_sheet(view(state, table=number))) for number in NUMBERS}
    # Ours are of GSM8K alone: its statistics, both accuracies and F1.
    assert found["2"] >= 2
    assert found["3"] == 1
    assert found["5"] == 3


def test_here_published_and_difference_stand_beneath_each_other(state):
    (table,) = (block for block in view(state).blocks() if isinstance(block, Table))
    lines = [line.rstrip() for line in lines_of(view(state), (120, 40), ascii_only=True)]
    at = next(place for place, line in enumerate(lines) if " here " in line)
    assert lines[at].split()[-5:] == ["68.2", "-", "-", "-", "-"]
    assert lines[at + 1].split() == ["published", "68.2", "62.6", "50.7", "44.3", "56.5"]
    assert lines[at + 2].split() == ["difference", "0.0"]
    assert {cell.style for cell in table.rows[1][table.labels :]} == {"dim"}
    words = words_of(view(state))
    lacking = f"No figure in MATH, OlympiadBench, Omni-MATH of {papers.MODEL}: no erroneous case was scored."
    assert lacking in words
    assert "Checked 1 of 5 printed cells; differing: 0." in words


def test_scorers_that_only_the_paper_has_are_asked_for(state):
    assert "Skywork-PRM-7B" not in words_of(view(state))
    every = view(state, all=True)
    assert "Skywork-PRM-7B" in words_of(every)
    assert every.rows.filter(pl.col("scorer").is_not_null()).equals(view(state).rows)
    assert every.provenance["command"].startswith("prm-inspect paper processbench 3 --all ")


def test_without_a_scorer_statistics_and_what_is_printed_stand_there(tmp_path):
    papers.processbench(tmp_path / "w", papers.gsm8k())
    (tmp_path / "w" / "rewards").rename(tmp_path / "gone")
    bare = inspect(load(Query(workspace=str(tmp_path / "w"))))
    assert bare.focus.scorer is None
    assert walk(bare, page_sheet(view(bare, table="2"))) >= 2
    assert "Skywork-PRM-7B" in words_of(view(bare))


def test_a_benchmark_without_a_known_paper_says_which_there_are(tmp_path):
    other = inspect(load(example.write(tmp_path / "w")))
    for page in ("table", "tables"):
        found = view(other, page)
        assert found.rows.is_empty()
        assert found.empty.startswith("No tables of a paper on bench are known here. Those known are of processbench, ")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"table": "1"}, "no table '1' of ProcessBench is known. There are: 2, 3, 4"),
        ({"name": "prm800k"}, "'prm800k' is not a value of name"),
        ({"check": True}, "--check needs a table"),
    ],
)
def test_what_cannot_be_is_a_sentence(state, options, sentence):
    with pytest.raises(UsageError) as error:
        view(state, **options)
    assert sentence in str(error.value)


@pytest.mark.parametrize(("number", "columns"), [("5", CELLS), ("2", STATISTIC_CELLS)])
def test_rows_have_their_columns(state, number, columns):
    assert view(state, table=number).rows.columns == list(columns)


# -- a check


@pytest.mark.parametrize(("exact", "code"), [(papers.PRINTED[0], 0), (papers.PRINTED[0] + 1, 1)])
def test_a_check_has_an_exit_code_and_says_why(tmp_path, exact, code):
    papers.processbench(tmp_path / "w", papers.gsm8k(exact=exact))
    looked = inspect(load(Query(workspace=str(tmp_path / "w"))))
    checked, plain = view(looked, table="5", check=True), view(looked, table="5")
    assert (checked.exit_code, plain.exit_code) == (code, 0)
    assert checked.because[0].startswith("Checked 3 of 6 printed cells; differing: ")
    assert any("error_acc: 0.53623 here, 0.531 printed" in line for line in checked.because) == bool(code)
    assert plain.because == ()
    assert checked.rows.equals(plain.rows)
    # What is said behind the page is not said on it as well, unless that is all there is of it.
    assert "Checked 3 of 6" not in words_of(checked)
    document = paper.view(subject(looked), Params("table", {"table": "5", "check": True}, "markdown"))
    assert "Checked 3 of 6" in words_of(document)


def cells_of(*cells):
    names = ("scorer", "subset", "metric", "value", "published", "agrees", "unchecked")
    schema = dict(
        zip(names, (pl.String, pl.String, pl.String, pl.Float64, pl.Float64, pl.Boolean, pl.String), strict=True)
    )
    return pl.DataFrame(cells, schema=schema, orient="row")


def test_a_check_counts_what_was_checked_and_names_what_differs():
    code, lines = check_of(
        cells_of(
            ("a", "gsm8k", "f1", 0.5, 0.5, True, None),
            ("a", "math", "f1", 0.25, 0.5, False, None),
            ("a", "omnimath", "f1", None, 0.5, None, "there is no figure here"),
            ("b", "gsm8k", "f1", 0.5, None, None, "the table names no such scorer"),
        )
    )
    assert code == 1
    assert lines == [
        "Checked 2 of 3 printed cells; differing: 1.",
        "  a, math, f1: 0.25 here, 0.5 printed",
        "  1 not checked: there is no figure here",
    ]


def test_nothing_to_check_is_no_failure():
    assert check_of(cells_of()) == (0, ["Checked 0 of 0 printed cells; differing: 0."])
