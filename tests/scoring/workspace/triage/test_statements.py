"""What each person says of each case by themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.workspace.triage.actions import DEFER, NOTE, QUEUE, RATE, RULE, RULINGS, SKIP, SORT, TAG, UNTAG
from scoring.workspace.triage.history import History
from scoring.workspace.triage.journal import Author, Journal
from scoring.workspace.triage.journal_lines import sound
from scoring.workspace.triage.statements import KINDS, NO, STATEMENTS, YES, annotation_frame
from thoroughness import up_to

CASES = ("b/1", "b/2", "b/3")
PEOPLE = ("ann", "bob")


@pytest.fixture
def people(tmp_path):
    return {who: Journal(tmp_path, Author(who, "gpu")) for who in PEOPLE}


def said(people, about, cases=CASES):
    """(case, who) or (case, who, tag or step) -> value."""
    journal = people["ann"].again()
    found = annotation_frame(journal.of_case, cases)
    assert dict(found.schema) == STATEMENTS
    rows = found.filter(about=about).rows(named=True)
    further = {"tag": "tag", "rating": "step"}.get(about)
    keys = [(row["case"], row["who"], *([row[further]] if further else [])) for row in rows]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, (row["value"] for row in rows), strict=True))


def test_the_last_word_of_each_person_counts_and_what_was_taken_away_does_not(people):
    ann, bob = people.values()
    ann.rule(CASES, RULINGS[0])
    ann.rule(["b/1"], RULINGS[1])
    ann.rule(["b/2"], "")
    bob.rule(["b/3"], RULINGS[2])
    assert said(people, "ruling") == {
        ("b/1", "ann"): RULINGS[1],
        ("b/3", "ann"): RULINGS[0],
        ("b/3", "bob"): RULINGS[2],
    }
    ann.undo()
    ann.undo()
    assert said(people, "ruling")["b/1", "ann"] == said(people, "ruling")["b/2", "ann"] == RULINGS[0]


def test_machines_of_one_person_are_one_person(people, tmp_path):
    people["ann"].rule(["b/1"], RULINGS[0])
    Journal(tmp_path, Author("ann", "laptop")).rule(["b/1"], RULINGS[1])
    assert said(people, "ruling") == {("b/1", "ann"): RULINGS[1]}


def test_ratings_are_by_step(people):
    people["ann"].do([(RATE, ["b/1"], "0 -1"), (RATE, ["b/1"], "2 0"), (RATE, ["b/1"], "3 1"), (RATE, ["b/1"], "3 ")])
    assert said(people, "rating") == {("b/1", "ann", 0): "-1", ("b/1", "ann", 2): "0"}


def test_categories_belong_to_who_sorted(people):
    people["ann"].do([(SORT, ["b/1", "b/2"], "units"), (SORT, ["b/2"], "")])
    people["bob"].do([(SORT, ["b/1"], "signs")])
    assert said(people, "category") == {("b/1", "ann"): "units", ("b/1", "bob"): "signs"}


def test_a_tag_is_no_only_where_its_lack_was_seen(people):
    ann, bob = people.values()
    ann.tag(["b/1"], ["odd"])
    assert said(people, TAG) == {("b/1", "ann", "odd"): YES}
    bob.rule(["b/1"], RULINGS[0])
    bob.note(["b/2"], "hm")
    found = {("b/1", "ann", "odd"): YES, ("b/1", "bob", "odd"): NO, ("b/2", "bob", "odd"): NO}
    assert said(people, TAG) == found
    bob.tag(["b/1"], [], ["odd"])
    assert said(people, TAG) == found
    bob.tag(["b/1"], ["odd"])
    assert said(people, TAG)["b/1", "bob", "odd"] == YES


def test_who_tags_many_cases_at_once_has_not_looked_at_each(people):
    ann, bob = people.values()
    ann.tag(CASES, ["algebra"])
    bob.tag(["b/1"], ["odd"])
    assert said(people, TAG) == {
        **{(case, "ann", "algebra"): YES for case in CASES},
        ("b/1", "bob", "odd"): YES,
        ("b/1", "bob", "algebra"): NO,
    }


@pytest.mark.parametrize("kind", [SKIP, DEFER, QUEUE])
def test_a_queue_says_nothing_of_its_cases(people, kind):
    people["ann"].tag(["b/1"], ["odd"])
    people["bob"].do([(kind, CASES, "all" if kind == QUEUE else "")])
    assert said(people, TAG) == {("b/1", "ann", "odd"): YES}


def test_a_note_that_was_taken_away_is_no_sign_of_having_looked(people):
    people["ann"].tag(["b/1"], ["odd"])
    people["bob"].note(["b/1"], "hm")
    people["bob"].note(["b/1"], "")
    assert said(people, TAG) == {("b/1", "ann", "odd"): YES}


def test_tags_of_other_cases_are_not_asked_for(people):
    people["ann"].tag(["b/1"], ["odd"])
    people["ann"].rule(["b/2"], RULINGS[0])
    assert said(people, TAG, ["b/2"]) == {}


def test_nothing_said_gives_no_rows():
    found = annotation_frame(History().of_case, CASES)
    assert found.is_empty()
    assert dict(found.schema) == STATEMENTS


TEXTS = st.sampled_from(["", "x", " ", "\x1b[31m", "[red]", "=1+1", "\ud800", "数学"]).map(sound)
CHANGES = st.one_of(
    st.tuples(st.sampled_from([NOTE, SORT]), TEXTS),
    st.tuples(st.sampled_from([TAG, UNTAG]), TEXTS.filter(bool)),
    st.tuples(st.just(RULE), st.sampled_from(["", *RULINGS])),
    st.tuples(st.just(RATE), st.sampled_from(["0 1", "0 -1", "1 0", "0 "])),
)


@up_to(100, 10)
@given(st.lists(st.tuples(st.sampled_from(PEOPLE), st.lists(st.sampled_from(CASES), min_size=1, unique=True), CHANGES)))
def test_rows_are_what_triage_says_by_person(tmp_path_factory, told):
    folder = tmp_path_factory.mktemp("journals")
    people = {who: Journal(folder, Author(who, "gpu")) for who in PEOPLE}
    for who, cases, (kind, value) in told:
        people[who].do([(kind, cases, value)])
    triage = people["ann"].again().triage
    by_person = {(case, who): text for case, texts in triage.rulings.items() for who, text in texts.items()}
    assert said(people, "ruling") == by_person
    by_person = {(case, who): text for case, texts in triage.categories.items() for who, text in texts.items()}
    assert said(people, "category") == by_person
    steps = {
        (case, who, step): str(rating)
        for case, rated in triage.ratings.items()
        for who, ratings in rated.items()
        for step, rating in ratings.items()
    }
    assert said(people, "rating") == steps
    put = {(case, tag) for (case, _, tag), value in said(people, TAG).items() if value == YES}
    # A tag that is on a case was put there by somebody whose last word it is.
    assert {(case, tag) for case, tags in triage.tags.items() for tag in tags} <= put
    assert set(KINDS) >= set(annotation_frame(people["ann"].again().of_case, CASES)["about"])
