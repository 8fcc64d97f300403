import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from inspector.analyses.cases import columns_table
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query, joined, split

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1)


@given(st.lists(NAMES, max_size=4))
def test_names_come_back_from_the_word_they_were_put_into(names):
    assert split(joined(names)) == tuple(names)


def test_blanks_around_names_do_not_matter():
    assert split(" a , b ,, ") == ("a", "b")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("columns")
    cases, scorers = making.study()
    making.workspace(root, cases, scorers, **making.labels(cases))
    return str(root)


def test_columns_are_called_by_their_full_names_and_come_once(root):
    found = load(Query(workspace=root, scorers=("gpt4",)))
    words = ("n_st", "rand-0.margin", "margin", "rewards", "gpt4.margin", "x=y.rewards", "disagreement", "solution")
    table = columns_table(found, words)
    assert table.columns == [
        "n_steps",
        "rand-0.margin",
        "gpt4.margin",
        "gpt4.rewards",
        "x=y.rewards",
        "disagreement",
        "gpt4.solution",
    ]
    assert table["gpt4.rewards"].to_list() == found.evaluation("gpt4").rewards.lists.to_list()
    assert table["gpt4.margin"].equals(found.evaluated.column("gpt4.margin"))


@pytest.mark.parametrize(
    ("words", "said"),
    [(("rewards",), "rewards are those of one scorer"), (("margin",), "3 columns match"), (("nothing",), "no column")],
)
def test_what_is_not_one_column_is_said(root, words, said):
    with pytest.raises(UsageError, match=said):
        columns_table(load(Query(workspace=root)), words)
