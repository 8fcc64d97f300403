import polars as pl
import pytest

import making
from inspector.request import Request
from inspector.selection import load
from inspector.triage_columns import triage_columns
from reference import Case
from scoring.triage.journal import Author, Journal
from scoring.triage.said import Triage

CASES = pl.Series("case", ["b/1", "b/2", "b/3"])


def test_every_case_has_its_tags_and_its_note():
    triage = Triage({"b/3": ("x", "y"), "gone/1": ("x",)}, {"b/1": {"ann": "odd"}, "b/3": {"ann": "a", "bob": "b"}})
    found = triage_columns(triage, CASES)
    assert found["tags"].to_list() == [[], [], ["x", "y"]]
    assert found["note"].to_list() == ["odd", None, "ann: a; bob: b"]


def test_rulings_categories_and_error_types_are_columns():
    triage = Triage(
        tags={"b/1": ("Premise-Unsoundness", "odd"), "b/2": ("odd",), "b/3": ("circular", "factual", "x")},
        rulings={"b/1": {"ann": "model wrong"}, "b/2": {"ann": "unsure", "bob": "unsure"}, "b/3": {"a": "x", "b": "y"}},
        categories={"b/2": {"ann": "units", "bob": "signs"}, "b/3": {"ann": "units", "bob": "units"}},
    )
    found = triage_columns(triage, CASES)
    assert found["ruling"].to_list() == ["model wrong", "unsure", "people differ"]
    assert found["category"].to_list() == [[], ["signs", "units"], ["units"]]
    assert found["our_error_type"].to_list() == [["premise_unsoundness"], [], ["circular", "factual"]]


def test_where_nobody_said_anything_columns_have_their_types():
    found = triage_columns(Triage(), CASES)
    assert (found["tags"].dtype, found["note"].dtype) == (pl.List(pl.String()), pl.String())
    assert found["tags"].to_list() == [[], [], []]
    assert triage_columns(Triage(), CASES.head(0))["tags"].len() == 0


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
    assert load(Request(workspace=root, where=(condition,))).shown.tolist() == rows


def test_what_was_written_since_is_there_after_triaged(root):
    found = load(Request(workspace=root))
    found.journal.tag(["bench/c0"], ["new"])
    assert found.column("tags").to_list()[0] == []
    assert found.triaged().column("tags").to_list()[0] == ["new"]
