"""What the gold labels of cases are after people have triaged them."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.schema import METADATA, conform
from scoring.workspace.triage.actions import RATINGS, RULINGS
from scoring.workspace.triage.adjudicated import (
    ADJUDICATIONS,
    BEYOND,
    CHANGED,
    CONFIRMED,
    GONE,
    OUTDATED,
    OVERLAID,
    RULINGS_DIFFER,
    STEPS_DIFFER,
    UNDECIDED,
    UNFINISHED,
    UNRATED,
    WITHOUT_GOLD,
    adjudicate,
)
from scoring.workspace.triage.annotations import Annotation

N_STEPS = 4
KEY = "0123456789abcdef"
HERE, ELSEWHERE = KEY[:12], "fedcba987654"
"""What ratings say of which text they were said."""
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
        {"case": f"{benchmark}/{name}", "key": KEY, "benchmark": benchmark, "id": name, "n_steps": N_STEPS}
        | {"earliest_error": earliest, "error_steps": listed}
        for name, (earliest, listed) in labels.items()
    ]
    kept = {name: METADATA[name] for name in rows[0]}
    return conform(pl.DataFrame(rows, schema=kept), METADATA, "cases")


def said_of(said, case="b/third"):
    """Who -> (ruling, ratings of steps), of one case."""
    return {case: [Annotation(case, who, ruling or None, dict(steps)) for who, (ruling, steps) in said.items()]}


def outcome(said, case="third"):
    """(adjudication, earliest error, error steps, who) of one case; None where nothing bears on its label."""
    rows = adjudicate(said_of(said, f"b/{case}"), cases_of()).rows
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
    assert outcome({"ann": gold_wrong(s0=1, s1=-1, s2=0, s3=-1)}, "listed") == (CONFIRMED, 1, [1, 3], ["ann"])
    assert outcome({"ann": gold_wrong(s0=1, s1=-1, s2=0, s3=1)}, "listed") == (CHANGED, 1, [1], ["ann"])


def test_who_rates_every_step_and_none_of_them_wrong_says_there_is_no_error():
    right = gold_wrong(s0=1, s1=1, s2=0, s3=1)
    assert outcome({"ann": right}) == (CHANGED, -1, [], ["ann"])
    assert outcome({"ann": right}, "listed") == (CHANGED, -1, [], ["ann"])
    assert outcome({"ann": right}, "clean") == (CONFIRMED, -1, None, ["ann"])


@pytest.mark.parametrize("case", ["third", "listed", "clean", "without"])
@pytest.mark.parametrize("missing", range(N_STEPS))
def test_who_leaves_a_step_out_does_not_say_that_it_is_right(case, missing):
    some = "gold wrong", {step: 1 for step in range(N_STEPS) if step != missing}
    assert outcome({"ann": some}, case) == (UNFINISHED, None, None, ["ann"])
    assert outcome({"ann": gold_wrong(s0=1)}, case) == (UNFINISHED, None, None, ["ann"])


def test_one_wrong_step_is_enough_only_where_the_earliest_error_alone_is_labelled():
    assert outcome({"ann": gold_wrong(s3=-1)}) == (CHANGED, 3, None, ["ann"])
    assert outcome({"ann": gold_wrong(s3=-1)}, "listed") == (UNFINISHED, None, None, ["ann"])
    assert outcome({"ann": gold_wrong(s0=1, s1=-1, s3=-1)}, "listed") == (UNFINISHED, None, None, ["ann"])


def test_a_case_without_gold_gets_the_label_that_people_give_it():
    assert outcome({"ann": gold_wrong(s2=-1)}, "without") == (CHANGED, 2, None, ["ann"])


def test_a_label_beyond_the_last_step_that_people_do_not_repeat_is_changed():
    assert outcome({"ann": gold_wrong(s0=1, s1=-1, s2=1, s3=1)}, "listed beyond") == (CHANGED, 1, [1], ["ann"])
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


@pytest.mark.parametrize("other", ["model wrong", "both defensible", "import problem"])
def test_a_label_that_somebody_denies_is_not_taken(other):
    assert outcome({"ann": gold_wrong(s1=-1), "bob": (other, {1: -1})})[0] == RULINGS_DIFFER


def test_who_is_unsure_decides_nothing_and_denies_nothing():
    assert outcome({"ann": gold_wrong(s1=-1), "bob": ("unsure", {})}) == (CHANGED, 1, None, ["ann"])
    assert outcome({"ann": ("import problem", {}), "bob": ("unsure", {})}) == (WITHOUT_GOLD, None, None, ["ann"])


@pytest.mark.parametrize("ruling", ["gold wrong", "import problem"])
def test_who_finds_both_defensible_defends_the_gold(ruling):
    assert outcome({"ann": (ruling, {1: -1}), "bob": ("both defensible", {})})[:2] == (RULINGS_DIFFER, None)


@pytest.mark.parametrize("other", ["model wrong", "both defensible", "unsure"])
def test_a_case_on_which_nobody_denies_the_label_has_no_part_in_it(other):
    assert outcome({"bob": (other, {1: -1})}) is None


def test_people_who_name_other_steps_decide_nothing():
    assert outcome({"ann": gold_wrong(s1=-1), "bob": gold_wrong(s0=-1)}) == (STEPS_DIFFER, None, None, ["ann", "bob"])
    assert outcome({"ann": gold_wrong(s1=-1), "bob": gold_wrong(s0=1, s1=1, s2=1, s3=1)})[0] == STEPS_DIFFER


def test_who_gives_no_label_yet_says_otherwise_of_its_step_denies_it():
    ann = gold_wrong(s1=-1)
    assert outcome({"ann": ann, "bob": gold_wrong(s1=1)}) == (STEPS_DIFFER, None, None, ["ann", "bob"])
    assert outcome({"ann": ann, "bob": gold_wrong(s1=0)})[0] == STEPS_DIFFER
    assert outcome({"ann": ann, "bob": gold_wrong(s0=1, s2=1)}) == (CHANGED, 1, None, ["ann"])
    right = gold_wrong(s0=1, s1=1, s2=1, s3=1)
    assert outcome({"ann": right, "bob": gold_wrong(s3=0)}) == (CHANGED, -1, [], ["ann"])


def test_a_clean_case_among_earliest_errors_lists_no_error_steps_of_others():
    """[] is what ProcessBench's clean cases have, whose erroneous ones have none listed."""
    cases = cases_of({"clean": (-1, []), "third": (2, None)})
    found = adjudicate(said_of({"ann": gold_wrong(s1=-1, s3=-1)}, "b/clean"), cases)
    assert found.rows.row(0)[1:4] == (CHANGED, 1, None)
    assert found.over(cases).select("earliest_error", "error_steps").rows() == [(1, None), (2, None)]
    differ = {"ann": gold_wrong(s1=-1), "bob": gold_wrong(s1=-1, s3=-1)}
    assert adjudicate(said_of(differ, "b/clean"), cases).counts == {CHANGED: 1}


def test_where_all_error_steps_are_labelled_every_rating_may_deny():
    ann = gold_wrong(s0=1, s1=-1, s2=1, s3=1)
    assert outcome({"ann": ann, "bob": gold_wrong(s3=-1)}, "listed")[0] == STEPS_DIFFER
    assert outcome({"ann": ann, "bob": gold_wrong(s1=0)}, "listed")[0] == STEPS_DIFFER
    assert outcome({"ann": ann, "bob": gold_wrong(s0=0, s1=-1)}, "listed") == (CHANGED, 1, [1], ["ann"])


def test_later_error_steps_have_to_agree_only_where_the_gold_lists_them():
    said = {"ann": gold_wrong(s0=-1, s1=-1, s2=1, s3=1), "bob": gold_wrong(s0=-1, s1=1, s2=1, s3=1)}
    assert outcome(said) == (CHANGED, 0, None, ["ann", "bob"])
    assert outcome(said, "listed")[0] == STEPS_DIFFER


def test_a_step_that_the_case_has_not_was_rated_on_another_version_of_it():
    assert outcome({"ann": gold_wrong(s4=-1)}) == (BEYOND, None, None, ["ann"])
    assert outcome({"ann": gold_wrong(s1=-1, s9=1)})[0] == BEYOND
    assert outcome({"ann": gold_wrong(s1=-1), "bob": ("unsure", {9: 1})})[0] == CHANGED


def test_a_case_that_is_not_here_is_told_by_name_and_those_of_other_benchmarks_are_not():
    said = {"b/z": ("ann", "gold wrong"), "b/a": ("bob", "import problem"), "c/1": ("ann", "gold wrong")}
    found = adjudicate({case: [Annotation(case, *one)] for case, one in said.items()}, cases_of())
    empty = (None, None)
    assert found.rows.rows() == [("b/a", GONE, *empty, ["bob"], *empty), ("b/z", GONE, *empty, ["ann"], *empty)]
    assert found.counts == {GONE: 2}
    assert found.people == ()


def test_only_the_labels_that_changed_are_laid_over_the_cases():
    cases = cases_of()
    said = {
        **said_of({"ann": gold_wrong(s0=-1)}, "b/third"),
        **said_of({"bob": gold_wrong(s0=1, s1=1, s2=1, s3=-1)}, "b/listed"),
        **said_of({"eve": ("import problem", {})}, "b/clean"),
        **said_of({"ann": ("gold wrong", {})}, "b/without"),
    }
    found = adjudicate(said, cases)
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
    for said in ({}, said_of({"ann": gold_wrong(s2=-1)}), said_of({"ann": ("model wrong", {0: -1})})):
        assert adjudicate(said, cases).over(cases) is cases


def of_text(ruling, ratings, *, ruled=HERE, rated=HERE, who="ann"):
    """A person's words on `third`, and of which text the ruling and the ratings were said."""
    return Annotation("b/third", who, ruling, ratings, ruling_of=ruled, ratings_of=dict.fromkeys(ratings, rated))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([of_text("gold wrong", {0: -1})], (CHANGED, 0)),
        ([of_text("gold wrong", {0: -1}, ruled="", rated="")], (CHANGED, 0)),
        ([of_text("gold wrong", {0: -1}, ruled=ELSEWHERE)], (OUTDATED, None)),
        ([of_text("gold wrong", {0: -1}, rated=ELSEWHERE)], (OUTDATED, None)),
        ([of_text("gold wrong", {}, ruled=ELSEWHERE)], (OUTDATED, None)),
        ([of_text("import problem", {})], (WITHOUT_GOLD, None)),
        ([of_text("import problem", {}, ruled=ELSEWHERE)], (OUTDATED, None)),
        ([of_text("gold wrong", {0: -1}), of_text("model wrong", {}, ruled=ELSEWHERE, who="bob")], (CHANGED, 0)),
        ([of_text("gold wrong", {0: -1}), of_text("gold wrong", {1: -1}, rated=ELSEWHERE, who="bob")], (CHANGED, 0)),
    ],
)
def test_what_was_said_of_another_text_does_not_count(words, expected):
    rows = adjudicate({"b/third": words}, cases_of()).rows
    assert rows.select("adjudication", "earliest_error").rows() == [expected]


def test_a_step_that_was_rated_again_counts_and_the_others_have_not_been():
    words = Annotation("b/third", "ann", "gold wrong", {0: 1, 1: 1, 2: 1, 3: 1}, ratings_of={3: ELSEWHERE})
    assert adjudicate({"b/third": [words]}, cases_of()).counts == {UNFINISHED: 1}


def slowly(said, n_steps, gold, listed):
    """The rule once more, a sentence a line; the label alone."""
    rulings = [ruling for ruling, _ in said.values()]
    upheld = "model wrong" in rulings or "both defensible" in rulings
    if "import problem" in rulings and "gold wrong" not in rulings and not upheld:
        return None, None
    rated = [steps for ruling, steps in said.values() if ruling == "gold wrong" and len(steps) > 0]
    if upheld or "import problem" in rulings or rated == [] or max(map(max, rated)) > n_steps - 1:
        return gold, listed
    # The labels that are possible, and of each who says it and who says it is not so.
    possible = [[*map(int, named)] for named in NAMED] if listed is not None else [[], *([s] for s in range(n_steps))]
    taken = []
    for named in possible:
        saying = [steps for steps in rated if says(steps, n_steps, named, alone=listed is None)]
        denying = [steps for steps in rated if denies(steps, n_steps, named, alone=listed is None)]
        if saying and not denying:
            taken.append(named)
    if len(taken) != 1:
        return gold, listed
    earliest = min(taken[0], default=-1)
    if listed is None:
        return earliest, listed if earliest == gold else [] if earliest == -1 else None
    return earliest, taken[0]


NAMED = [[s for s in range(N_STEPS) if number >> s & 1] for number in range(2**N_STEPS)]
"""Every set of steps."""


def says(steps, n_steps, named, *, alone):
    """Whether a person's ratings name these error steps; `alone`: this earliest error."""
    wrong = [step for step in range(n_steps) if steps.get(step) == -1]
    if alone and wrong:
        return named == [wrong[0]]
    return len(steps) == n_steps and named == wrong


def denies(steps, n_steps, named, *, alone):
    """Whether they say something else: another label, or of a step that the label speaks of another thing."""
    wrong = [step for step in range(n_steps) if steps.get(step) == -1]
    if alone:
        other = wrong and named != [wrong[0]]
        return bool(other or (not wrong and named and named[0] in steps))
    return any((steps[step] == -1) != (step in named) for step in steps)


PEOPLE = st.dictionaries(
    st.sampled_from(["ann", "bob", "eve"]),
    st.tuples(
        st.sampled_from(["", *RULINGS, "gold wrong", "gold wrong"]),
        st.dictionaries(st.sampled_from([*range(N_STEPS)] * 9 + [N_STEPS]), st.sampled_from(RATINGS))
        | st.tuples(*[st.sampled_from(RATINGS)] * N_STEPS).map(lambda ratings: dict(enumerate(ratings))),
    ),
)


@given(PEOPLE, st.sampled_from(sorted(LABELS)))
def test_labels_are_those_of_the_rule_said_slowly(said, name):
    cases = cases_of()
    found = adjudicate(said_of(said, f"b/{name}"), cases)
    laid = found.over(cases).filter(id=name).select("earliest_error", "error_steps").row(0)
    assert laid == slowly(said, N_STEPS, *LABELS[name])
    changed = laid != LABELS[name]
    # A case without gold that is an import problem counts as one, though it had no label to lose.
    assert found.count(*OVERLAID) == changed or (not changed and found.counts == {WITHOUT_GOLD: 1})


@given(st.dictionaries(st.sampled_from(sorted(LABELS)), PEOPLE))
def test_without_a_ruling_on_the_gold_or_the_import_all_labels_stay(by_case):
    mild = {
        case: words
        for name, said in by_case.items()
        for case, words in said_of(
            {who: (ruling if ruling in RULINGS[::2] else "unsure", steps) for who, (ruling, steps) in said.items()},
            f"b/{name}",
        ).items()
    }
    cases = cases_of()
    assert adjudicate(mild, cases).over(cases) is cases


def test_nothing_is_said_of_a_label_beyond_the_last_step_once_people_give_another():
    cases = cases_of({"first": (3, None), "second": (3, None)}).with_columns(
        earliest_error_as_given=pl.lit(8, dtype=METADATA["earliest_error_as_given"])
    )
    said = said_of({"ann": ("gold wrong", {1: -1, 0: 1})}, "b/first")
    laid = adjudicate(said, cases).over(cases)
    assert laid.select("earliest_error", "earliest_error_as_given").rows() == [(1, None), (3, 8)]


def test_what_people_call_wrong_is_neutral_no_more_and_what_was_listed_so_far_is_theirs_to_say():
    lists = pl.List(pl.Int32)
    cases = cases_of({"first": (3, None), "second": (3, None)}).with_columns(
        neutral_steps=pl.Series([[1, 2], [1, 2]], dtype=lists), errors_so_far=pl.Series([[3, 4], [3, 4]], dtype=lists)
    )
    said = said_of({"ann": ("gold wrong", {1: -1, 0: 1})}, "b/first")
    laid = adjudicate(said, cases).over(cases)
    assert laid.select("earliest_error", "neutral_steps", "errors_so_far").rows() == [
        (1, [2], None),
        (3, [1, 2], [3, 4]),
    ]
