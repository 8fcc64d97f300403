import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from reference import Case
from scoring.evaluation.triage_columns import SAID as DTYPES
from scoring.evaluation.triage_columns import TriageColumns
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import triaged
from scoring.workspace.triage.actions import NOTE, RATE, REDO, RULE, RULINGS, SORT, TAG, UNDO, UNTAG, Action
from scoring.workspace.triage.history import History, Triage
from scoring.workspace.triage.journal import Author, Journal

CASES = pl.DataFrame({"case": ["b/1", "b/2", "b/3"]})


def test_every_case_has_its_tags_and_its_note():
    triage = Triage({"b/3": ("x", "y"), "gone/1": ("x",)}, {"b/1": {"ann": "odd"}, "b/3": {"ann": "a", "bob": "b"}})
    found = TriageColumns(triage, CASES)
    assert found["tags"].to_list() == [[], [], ["x", "y"]]
    assert found["note"].to_list() == ["odd", None, "ann: a; bob: b"]


def test_rulings_categories_and_error_types_are_columns():
    triage = Triage(
        tags={"b/1": ("Premise-Unsoundness", "odd"), "b/2": ("odd",), "b/3": ("circular", "factual", "x")},
        rulings={"b/1": {"ann": "model wrong"}, "b/2": {"ann": "unsure", "bob": "unsure"}, "b/3": {"a": "x", "b": "y"}},
        categories={"b/2": {"ann": "units", "bob": "signs"}, "b/3": {"ann": "units", "bob": "units"}},
    )
    found = TriageColumns(triage, CASES)
    assert found["ruling"].to_list() == ["model wrong", "unsure", "people differ"]
    assert found["category"].to_list() == [[], ["signs", "units"], ["units"]]
    assert found["our_error_type"].to_list() == [["premise_unsoundness"], [], ["circular", "factual"]]


def test_where_nobody_said_anything_columns_have_their_types():
    found = TriageColumns(Triage(), CASES)
    assert (found["tags"].dtype, found["note"].dtype) == (pl.List(pl.String()), pl.String())
    assert found["tags"].to_list() == [[], [], []]
    assert TriageColumns(Triage(), CASES.head(0))["tags"].len() == 0


@pytest.fixture
def root(tmp_path):
    making.workspace(tmp_path, [Case(1, -1)] * 4, [])
    journal = Journal(tmp_path / "triage", Author("ann", "gpu"))
    journal.tag(["bench/c1", "bench/c3"], ["odd"])
    journal.note(["bench/c2"], "look again")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("array_contains(tags, 'odd')", [1, 3]),
        ("NOT array_contains(tags, 'odd')", [0, 2]),
        ("array_length(tags) = 0", [0, 2]),
        ("note LIKE '%again'", [2]),
        ("note IS NULL", [0, 1, 3]),
    ],
)
def test_conditions_speak_of_them(root, condition, rows):
    assert load(Query(workspace=root, where=(condition,))).shown.tolist() == rows


def test_what_was_written_since_is_there_after_triaged(root):
    found = load(Query(workspace=root))
    found.labels.journal.tag(["bench/c0"], ["new"])
    assert found.evaluated.column("tags").to_list()[0] == []
    assert triaged(found).evaluated.column("tags").to_list()[0] == ["new"]


VALUES = {
    TAG: ("x", "circular"),
    UNTAG: ("x", "circular"),
    NOTE: ("odd", "fine", ""),
    RULE: (*RULINGS[:2], ""),
    SORT: ("units", "signs", ""),
    RATE: ("0 -1", "0 "),
}
ACTS = st.tuples(
    st.sampled_from(("ann", "ann", "bob")),
    st.sampled_from((*VALUES, RULE, UNDO, UNDO, REDO)),
    st.lists(st.sampled_from(("b/1", "b/2", "b/3", "gone/1")), min_size=1, max_size=3),
    st.integers(0, 2),
    # The columns that somebody looks at before the next action.
    st.sets(st.sampled_from(tuple(DTYPES))),
)


def acted(history, who, kind, cases, choice):
    """One more action at the one machine of a person; an undo or redo of whatever there is to undo or redo."""
    n = history.last + 1
    if kind in {UNDO, REDO}:
        stack = history.stacks(who, "gpu")[0 if kind == UNDO else 1]
        if stack:
            history.add(Action(n, who, "gpu", n, kind, (), "", stack[-1][2], ""))
        return
    value = VALUES[kind][choice % len(VALUES[kind])]
    history.add(Action(n, who, "gpu", n, kind, tuple(cases), value, n, ""))


@given(st.lists(ACTS, max_size=14))
def test_columns_after_every_action_are_those_of_a_fresh_start(acts):
    history = History()
    columns = TriageColumns(history.triage, CASES)
    for *act, looked_at in acts:
        acted(history, *act)
        columns = columns.after(history.triage)
        fresh = TriageColumns(History(history.actions).triage, CASES)
        for name in looked_at:
            assert columns[name].to_list() == fresh[name].to_list()
    fresh = TriageColumns(History(history.actions).triage, CASES)
    assert {name: column.to_list() for name, column in columns.items()} == {
        name: column.to_list() for name, column in fresh.items()
    }


def test_a_column_of_which_nothing_was_said_stays_the_same_series(root):
    found = load(Query(workspace=root, where=("array_contains(tags, 'odd')",)))
    tags, note = found.evaluated.column("tags"), found.evaluated.column("note")
    found.labels.journal.rule(["bench/c1"], RULINGS[0])
    ruled = triaged(found)
    assert ruled.evaluated.column("tags") is tags
    assert ruled.evaluated.column("note") is note
    assert ruled.evaluated.column("ruling").to_list() == [None, RULINGS[0], None, None]
    # So whatever was made of it stays, too: here which cases fulfil a condition.
    assert ruled.evaluated.passing(found.query.where) is found.evaluated.passing(found.query.where)
    with pytest.raises(KeyError):
        TriageColumns(Triage(), CASES)["nothing"]
