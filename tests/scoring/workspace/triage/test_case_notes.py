"""The notes that stand, their order, and what puts them into categories."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.workspace.triage.actions import NOTE, SORT
from scoring.workspace.triage.case_notes import categories, in_category, notes, sorting
from scoring.workspace.triage.history import History
from scoring.workspace.triage.journal import Author, Journal

CASES = ("b/1", "b/2", "b/3", "b/4")
PEOPLE = ("ann", "bob")


@pytest.fixture
def people(tmp_path):
    return {who: Journal(tmp_path, Author(who, "gpu")) for who in PEOPLE}


def found(journal, cases=CASES):
    return notes(journal.again().of_case, cases)


def brief(journal):
    return [(one.case, one.who, one.text, one.category) for one in found(journal)]


def test_notes_stand_in_the_order_in_which_they_were_begun(people):
    ann, bob = people.values()
    ann.note(["b/3"], "late")
    bob.note(["b/1"], "first")
    ann.note(["b/1"], "mine")
    ann.note(["b/3"], "other words")
    bob.do([(SORT, ["b/1"], "units")])
    assert brief(ann) == [
        ("b/3", "ann", "other words", ""),
        ("b/1", "bob", "first", "units"),
        ("b/1", "ann", "mine", ""),
    ]


def test_of_one_action_the_first_case_comes_first(people):
    people["ann"].note(["b/4", "b/1", "b/2"], "same")
    assert [one.case for one in found(people["ann"])] == ["b/4", "b/1", "b/2"]


def test_a_note_that_was_taken_away_and_written_again_is_a_new_one(people):
    ann = people["ann"]
    for case in ("b/1", "b/2"):
        ann.note([case], "x")
    ann.note(["b/1"], "")
    assert [one.case for one in found(ann)] == ["b/2"]
    ann.note(["b/1"], "again")
    assert [one.case for one in found(ann)] == ["b/2", "b/1"]


def test_a_category_without_a_note_counts_and_keeps_its_place(people):
    ann = people["ann"]
    ann.do([(SORT, ["b/2"], "units")])
    ann.note(["b/1"], "x")
    ann.note(["b/2"], "y")
    ann.note(["b/2"], "")
    assert brief(ann) == [("b/2", "ann", "", "units"), ("b/1", "ann", "x", "")]


def test_what_was_undone_does_not_count(people):
    ann = people["ann"]
    ann.note(["b/1"], "x")
    ann.do([(SORT, ["b/1"], "units")])
    ann.undo()
    assert brief(ann) == [("b/1", "ann", "x", "")]
    ann.undo()
    assert brief(ann) == []


def test_time_is_that_of_the_first_action(tmp_path):
    times = iter(["t1", "t2", "t3"])
    journal = Journal(tmp_path, Author("ann", "gpu"), clock=lambda: next(times))
    journal.note(["b/1"], "x")
    journal.note(["b/1"], "y")
    assert [one.time for one in notes(journal.of_case, CASES)] == ["t1"]


def test_sorting_changes_only_ones_own_notes_that_are_elsewhere(people):
    ann, bob = people.values()
    ann.note(["b/1", "b/2"], "x")
    bob.note(["b/3"], "y")
    ann.do([(SORT, ["b/2"], "units")])
    assert sorting(found(ann), "ann", "units") == [(SORT, ["b/1"], "units")]
    assert sorting(found(ann), "ann", "") == [(SORT, ["b/2"], "")]
    assert sorting(found(ann), "cy", "units") == []
    assert sorting(in_category(found(ann), "units"), "ann", "units") == []


def test_categories_of_most_notes_come_first_and_those_in_none_last(people):
    ann = people["ann"]
    for case, category in zip(CASES, ("b", "a", "", "a"), strict=True):
        ann.do([(NOTE, [case], "x"), (SORT, [case], category)])
    assert {name: len(of) for name, of in categories(found(ann)).items()} == {"a": 2, "b": 1, "": 1}
    assert list(categories(found(ann))) == ["a", "b", ""]


def test_nothing_said_gives_no_notes():
    assert notes(History().of_case, CASES) == ()
    assert categories(()) == {}


TEXTS = st.sampled_from(["", "x", "units", "\x1b[31m", "[red]", "数学"])
TOLD = st.lists(
    st.tuples(
        st.sampled_from(PEOPLE),
        st.lists(st.sampled_from(CASES), min_size=1, unique=True),
        st.sampled_from([NOTE, SORT, "undo", "redo"]),
        TEXTS,
    ),
    max_size=25,
)


def slow(actions):
    """The notes by reading the actions once from the start, case by case."""
    undone = set()
    for one in actions:
        if one.kind == "undo":
            undone.add((one.who, one.of))
        elif one.kind == "redo":
            undone.discard((one.who, one.of))
    standing, begun = {}, {}
    for at, one in enumerate(actions):
        if one.kind not in {NOTE, SORT} or (one.who, one.of) in undone:
            continue
        for place, case in enumerate(one.cases):
            said = standing.setdefault((case, one.who), {NOTE: "", SORT: ""})
            begun.setdefault((case, one.who), (at, place))
            said[one.kind] = one.value
            if said == {NOTE: "", SORT: ""}:
                del standing[case, one.who], begun[case, one.who]
    order = sorted(standing, key=begun.__getitem__)
    return [(*key, standing[key][NOTE], standing[key][SORT]) for key in order]


@given(TOLD)
def test_they_are_what_a_slow_reading_finds(tmp_path_factory, told):
    folder = tmp_path_factory.mktemp("journals")
    people = {who: Journal(folder, Author(who, "gpu")) for who in PEOPLE}
    for who, cases, kind, value in told:
        if kind in {"undo", "redo"}:
            getattr(people[who], kind)()
        else:
            people[who].do([(kind, cases, value)])
    everything = people["ann"].again()
    assert brief(everything) == slow(everything._history.actions)
    triage = everything.triage
    assert {(one.case, one.who): one.text for one in found(everything) if one.text} == {
        (case, who): text for case, said in triage.notes.items() for who, text in said.items()
    }
    assert {(one.case, one.who): one.category for one in found(everything) if one.category} == {
        (case, who): text for case, said in triage.categories.items() for who, text in said.items()
    }


@given(TOLD, TEXTS, TEXTS)
def test_a_merge_empties_one_category_and_undo_gives_back_what_was(tmp_path_factory, told, source, target):
    folder = tmp_path_factory.mktemp("journals")
    people = {who: Journal(folder, Author(who, "gpu")) for who in PEOPLE}
    for who, cases, kind, value in told:
        if kind in {NOTE, SORT}:
            people[who].do([(kind, cases, value)])
    ann = people["ann"].again()
    before = found(ann)
    own = [one for one in before if one.who == "ann"]
    changes = sorting(in_category(before, source), "ann", target)
    ann.do(changes)
    after = found(ann)
    assert [one for one in after if one.who != "ann"] == [one for one in before if one.who != "ann"]
    if source != target:
        assert [one for one in in_category(after, source) if one.who == "ann"] == []
        moved = sum(one.category in {source, target} for one in own)
        # Out of their category, notes without words are no notes.
        lost = sum(one.category == source and not one.text for one in own) if target == "" else 0
        assert sum(one.category == target for one in after if one.who == "ann") == moved - lost
    if changes:
        ann.undo()
    assert found(ann) == before
