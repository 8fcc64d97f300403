"""What the gold labels of cases are after people have triaged them."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.schema import METADATA, conform
from scoring.triage.actions import RATINGS, RULINGS
from scoring.triage.adjudicated import (
    ADJUDICATIONS,
    BEYOND,
    CHANGED,
    CONFIRMED,
    GONE,
    OVERLAID,
    RULINGS_DIFFER,
    STEPS_DIFFER,
    UNDECIDED,
    UNRATED,
    WITHOUT_GOLD,
    adjudicate,
)
from scoring.triage.said import Triage

N_STEPS = 4
LABELS = {
    "clean": (-1, None),
    "third": (2, None),
    "without": (None, None),
    "listed": (1, [1, 3]),
    "listed clean": (-1, []),
    "listed beyond": (1, [1, 9]),
    "beyond": (9, None),
}
"""Earliest error and error steps of the cases, by their name."""


def cases_of(labels=LABELS, benchmark="b"):
    rows = [
        {"case": f"{benchmark}/{name}", "key": name, "benchmark": benchmark, "id": name, "n_steps": N_STEPS}
        | {"earliest_error": earliest, "error_steps": listed}
        for name, (earliest, listed) in labels.items()
    ]
    kept = {name: METADATA[name] for name in rows[0]}
    return conform(pl.DataFrame(rows, schema=kept), METADATA, "cases")


def triage_of(said, case="b/third"):
    """Who -> (ruling, ratings of steps), of one case."""
    rulings = {who: ruling for who, (ruling, _) in said.items() if ruling}
    ratings = {who: steps for who, (_, steps) in said.items() if steps}
    return Triage(rulings={case: rulings} if rulings else {}, ratings={case: ratings} if ratings else {})


def outcome(said, case="third"):
    """(adjudication, earliest error, error steps, who) of one case; None where nothing bears on its label."""
    rows = adjudicate(triage_of(said, f"b/{case}"), cases_of()).rows
    assert dict(rows.schema) == ADJUDICATIONS
    if not rows.height:
        return None
    assert rows.row(0)[-2:] == LABELS[case]
    return rows.row(0)[1:-2]


def gold_wrong(**steps):
    """Ratings by step: `gold_wrong(s1=-1)`."""
    return "gold wrong", {int(name[1:]): rating for name, rating in steps.items()}


def test_the_lowest_step_that_is_rated_wrong_is_the_earliest_error():
    assert outcome({"ann": gold_wrong(s0=1, s1=-1, s3=-1)}) == (CHANGED, 1, None, ["ann"])
    assert outcome({"ann": gold_wrong(s0=1, s1=-1, s3=-1)}, "listed") == (CONFIRMED, 1, [1, 3], ["ann"])
    assert outcome({"ann": gold_wrong(s0=1, s1=-1)}, "listed") == (CHANGED, 1, [1], ["ann"])


def test_who_rates_steps_and_none_of_them_wrong_says_there_is_no_error():
    assert outcome({"ann": gold_wrong(s0=1, s2=0)}) == (CHANGED, -1, None, ["ann"])
    assert outcome({"ann": gold_wrong(s0=0)}, "listed") == (CHANGED, -1, [], ["ann"])
    assert outcome({"ann": gold_wrong(s0=1)}, "clean") == (CONFIRMED, -1, None, ["ann"])


def test_a_case_without_gold_gets_the_label_that_people_give_it():
    assert outcome({"ann": gold_wrong(s2=-1)}, "without") == (CHANGED, 2, None, ["ann"])


def test_a_label_beyond_the_last_step_that_people_do_not_repeat_is_changed():
    assert outcome({"ann": gold_wrong(s1=-1)}, "listed beyond") == (CHANGED, 1, [1], ["ann"])
    assert outcome({"ann": gold_wrong(s1=-1)}, "beyond") == (CHANGED, 1, None, ["ann"])


def test_the_rating_that_the_gold_has_already_changes_nothing():
    assert outcome({"ann": gold_wrong(s2=-1)}) == (CONFIRMED, 2, None, ["ann"])


def test_who_rates_nothing_gives_no_label():
    assert outcome({"ann": ("gold wrong", {})}) == (UNRATED, None, None, ["ann"])
    assert outcome({"ann": ("gold wrong", {}), "bob": gold_wrong(s0=-1)}) == (CHANGED, 0, None, ["bob"])


def test_ratings_of_people_who_do_not_rule_that_the_gold_is_wrong_do_not_count():
    assert outcome({"ann": ("", {0: -1})}) is None
    assert outcome({"ann": ("unsure", {0: -1})}) is None
    assert outcome({"ann": gold_wrong(s1=-1), "bob": ("unsure", {0: -1})}) == (CHANGED, 1, None, ["ann"])
    assert outcome({"ann": ("gold wrong", {}), "bob": ("", {0: -1})}) == (UNRATED, None, None, ["ann"])


@pytest.mark.parametrize("other", ["model wrong", "import problem"])
def test_a_label_that_somebody_denies_is_not_taken(other):
    assert outcome({"ann": gold_wrong(s1=-1), "bob": (other, {1: -1})})[0] == RULINGS_DIFFER


@pytest.mark.parametrize("other", ["both defensible", "unsure"])
def test_rulings_that_decide_nothing_deny_nothing(other):
    assert outcome({"ann": gold_wrong(s1=-1), "bob": (other, {})}) == (CHANGED, 1, None, ["ann"])
    assert outcome({"ann": ("import problem", {}), "bob": (other, {})}) == (WITHOUT_GOLD, None, None, ["ann"])
    assert outcome({"bob": (other, {1: -1})}) is None


def test_people_who_name_other_steps_decide_nothing():
    assert outcome({"ann": gold_wrong(s1=-1), "bob": gold_wrong(s0=-1)}) == (STEPS_DIFFER, None, None, ["ann", "bob"])
    assert outcome({"ann": gold_wrong(s1=-1), "bob": gold_wrong(s1=1)})[0] == STEPS_DIFFER


def test_later_error_steps_have_to_agree_only_where_the_gold_lists_them():
    said = {"ann": gold_wrong(s0=-1, s1=-1), "bob": gold_wrong(s0=-1)}
    assert outcome(said) == (CHANGED, 0, None, ["ann", "bob"])
    assert outcome(said, "listed")[0] == STEPS_DIFFER


def test_a_step_that_the_case_has_not_was_rated_on_another_version_of_it():
    assert outcome({"ann": gold_wrong(s4=-1)}) == (BEYOND, None, None, ["ann"])
    assert outcome({"ann": gold_wrong(s1=-1, s9=1)})[0] == BEYOND
    assert outcome({"ann": gold_wrong(s1=-1), "bob": ("unsure", {9: 1})})[0] == CHANGED


def test_a_case_that_is_not_here_is_told_by_name_and_those_of_other_benchmarks_are_not():
    said = {"b/z": {"ann": "gold wrong"}, "b/a": {"bob": "import problem"}, "c/1": {"ann": "gold wrong"}}
    found = adjudicate(Triage(rulings=said), cases_of())
    empty = (None, None)
    assert found.rows.rows() == [("b/a", GONE, *empty, ["bob"], *empty), ("b/z", GONE, *empty, ["ann"], *empty)]
    assert found.counts == {GONE: 2}
    assert found.people == ()


def test_only_the_labels_that_changed_are_laid_over_the_cases():
    cases = cases_of()
    triage = Triage(
        rulings={
            "b/third": {"ann": "gold wrong"},
            "b/listed": {"bob": "gold wrong"},
            "b/clean": {"eve": "import problem"},
            "b/without": {"ann": "gold wrong"},
        },
        ratings={"b/third": {"ann": {0: -1}}, "b/listed": {"bob": {3: -1}}},
    )
    found = adjudicate(triage, cases)
    laid = found.over(cases)
    assert laid.schema == cases.schema
    others = pl.exclude("earliest_error", "error_steps")
    assert laid.select(others).equals(cases.select(others))
    labels = dict(zip(LABELS, laid.select("earliest_error", "error_steps").rows(), strict=True))
    changes = {"third": (0, None), "listed": (3, [3]), "clean": (None, None)}
    assert labels == {**LABELS, **changes}
    assert found.counts == {CHANGED: 2, WITHOUT_GOLD: 1, UNRATED: 1}
    assert (found.count(*OVERLAID), found.count(*UNDECIDED)) == (3, 1)
    assert found.people == ("ann", "bob", "eve")


def test_where_nothing_changes_the_cases_are_the_same_frame():
    cases = cases_of()
    for triage in (Triage(), triage_of({"ann": gold_wrong(s2=-1)}), triage_of({"ann": ("model wrong", {0: -1})})):
        assert adjudicate(triage, cases).over(cases) is cases


def slowly(said, n_steps, gold, listed):
    """The rule once more, a sentence a line; the label alone."""
    rulings = [ruling for ruling, _ in said.values()]
    if "import problem" in rulings and "gold wrong" not in rulings and "model wrong" not in rulings:
        return None, None
    rated = [steps for ruling, steps in said.values() if ruling == "gold wrong" and len(steps) > 0]
    if "model wrong" in rulings or "import problem" in rulings or rated == [] or max(map(max, rated)) > n_steps - 1:
        return gold, listed
    named = [[step for step in range(n_steps) if steps.get(step) == -1] for steps in rated]
    earliest = [min([*wrong, 99]) for wrong in named]
    if earliest != [earliest[0]] * len(earliest) or (listed is not None and named != [named[0]] * len(named)):
        return gold, listed
    return -1 if earliest[0] == 99 else earliest[0], None if listed is None else named[0]


PEOPLE = st.dictionaries(
    st.sampled_from(["ann", "bob", "eve"]),
    st.tuples(
        st.sampled_from(["", *RULINGS, "gold wrong", "gold wrong"]),
        st.dictionaries(st.integers(0, N_STEPS), st.sampled_from(RATINGS), max_size=3),
    ),
)


@given(PEOPLE, st.sampled_from(sorted(LABELS)))
def test_labels_are_those_of_the_rule_said_slowly(said, name):
    cases = cases_of({name: LABELS[name]})
    found = adjudicate(triage_of(said, f"b/{name}"), cases)
    laid = found.over(cases).select("earliest_error", "error_steps").row(0)
    assert laid == slowly(said, N_STEPS, *LABELS[name])
    changed = laid != LABELS[name]
    # A case without gold that is an import problem counts as one, though it had no label to lose.
    assert found.count(*OVERLAID) == changed or (not changed and found.counts == {WITHOUT_GOLD: 1})


@given(st.dictionaries(st.sampled_from(sorted(LABELS)), PEOPLE))
def test_without_a_ruling_on_the_gold_or_the_import_all_labels_stay(by_case):
    mild = {
        f"b/{name}": {who: ruling for who, (ruling, _) in said.items() if ruling in RULINGS[::2]}
        for name, said in by_case.items()
    }
    ratings = {f"b/{name}": {who: steps for who, (_, steps) in said.items()} for name, said in by_case.items()}
    mild = {
        case: {who: "unsure" if said == "import problem" else said for who, said in one.items()}
        for case, one in mild.items()
    }
    cases = cases_of()
    assert adjudicate(Triage(rulings=mild, ratings=ratings), cases).over(cases) is cases
