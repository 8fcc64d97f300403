"""The rows that people's words make: labels after triage for ProcessBench, ratings for PRM800K and TRL."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
from imports import import_source
from rows_out import case
from scoring.evaluation.exported_rows import json_line
from scoring.evaluation.triage_exports import (
    CaseAnnotations,
    annotations_by_case,
    prm800k_ratings,
    processbench_after_triage,
    triage_lines,
    trl_ratings,
)
from scoring.workspace.triage.actions import RATINGS, RULINGS
from scoring.workspace.triage.adjudicated import CHANGED
from scoring.workspace.triage.annotations import Annotation
from thoroughness import up_to

MODEL, GOLD, BOTH, IMPORT, UNSURE = RULINGS
FRAME = making.full_frame([reference.Case(3, 1)])
(NAME,) = FRAME["case"]


def said(**people):
    """Words on the case: by person a ruling, ratings by step, or both."""
    words = []
    for who, told in people.items():
        ruling, ratings = told if isinstance(told, tuple) else (told, {}) if isinstance(told, str) else (None, told)
        words.append(Annotation(NAME, who, ruling, ratings, last=f"2026-01-0{len(words) + 1}T00:00:00.000Z"))
    return words


def lines(name, frame=FRAME, **people):
    return list(triage_lines(name, frame, said(**people)))


def label(**people):
    """The label of the ProcessBench row; or why there is none."""
    (line,) = lines("processbench", **people)
    return line.notes[0][0].removeprefix("cases left out, ") if line.value is None else line.value["label"]


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ({"ann": MODEL}, 1),
        ({"ann": (MODEL, {0: -1})}, 1),
        ({"ann": (GOLD, {0: 1, 2: -1})}, 2),
        ({"ann": (GOLD, {2: -1, 0: -1})}, 0),
        ({"ann": (GOLD, {0: 1, 1: 0, 2: 1})}, -1),
        ({"ann": (GOLD, {1: 1})}, "ruled gold wrong and not every step is rated"),
        ({"ann": (GOLD, {0: 1, 1: 0})}, "ruled gold wrong and not every step is rated"),
        ({"ann": (GOLD, {1: -1})}, 1),
        ({"ann": GOLD}, "ruled gold wrong and no step is rated"),
        ({"ann": (GOLD, {3: -1})}, "a rated step is beyond the last"),
        ({"ann": IMPORT}, "ruled an import problem"),
        ({"ann": (IMPORT, {0: -1})}, "ruled an import problem"),
        ({"ann": BOTH}, 1),
        ({"ann": UNSURE}, 1),
        ({"ann": {0: -1}}, "nobody rules on them"),
        ({"ann": (GOLD, {0: -1}), "bob": (GOLD, {0: -1, 1: 1})}, 0),
        ({"ann": (GOLD, {0: -1}), "bob": (GOLD, {2: -1})}, "people differ on the step"),
        ({"ann": (GOLD, {0: -1}), "bob": MODEL}, "people differ on the ruling"),
        ({"ann": IMPORT, "bob": MODEL}, "people differ on the ruling"),
        # Who is not sure decides nothing and denies nothing; who finds both defensible defends the gold.
        ({"ann": (GOLD, {0: -1}), "bob": UNSURE}, 0),
        ({"ann": (GOLD, {0: -1}), "bob": BOTH}, "people differ on the ruling"),
        ({"ann": MODEL, "bob": BOTH}, 1),
    ],
)
def test_the_label_of_processbench_is_the_one_after_triage(people, expected):
    assert label(**people) == expected


def of_text(ruling, ratings, key):
    return [Annotation(NAME, "ann", ruling, ratings, ruling_of=key[:12], ratings_of=dict.fromkeys(ratings, key[:12]))]


def test_what_was_said_of_another_text_makes_no_row():
    why = (("cases left out, said of another text of the case", 1),)
    for ruling in (MODEL, GOLD, IMPORT, None):
        for name in ("processbench", "prm800k", "trl"):
            (line,) = triage_lines(name, FRAME, of_text(ruling, {0: 1, 1: 1, 2: -1}, "0" * 32))
            assert (line.value, line.notes) == (None, why)
    (line,) = triage_lines("processbench", FRAME, of_text(GOLD, {2: -1}, FRAME["key"][0]))
    assert line.value["label"] == 2


def test_a_label_that_was_changed_and_one_that_nobody_upholds_are_counted():
    assert lines("processbench", ann=(GOLD, {0: -1}))[0].notes == (("labels that people changed", 1),)
    assert lines("processbench", ann=MODEL)[0].notes == ()
    (note,) = lines("processbench", ann=UNSURE)[0].notes
    assert note == ("cases with their own label, ruled both defensible or unsure", 1)


def test_a_case_without_gold_gets_one_from_people_alone():
    unlabelled = making.full_frame([reference.Case(3, None)])
    (line,) = lines("processbench", unlabelled, ann=MODEL)
    assert line.value is None
    assert line.notes == (("cases left out, no earliest error is labelled", 1),)
    (line,) = lines("processbench", unlabelled, ann=(GOLD, {0: 1, 1: -1}))
    assert line.value["label"] == 1


def test_a_row_of_processbench_has_the_official_keys_and_no_others():
    of = CaseAnnotations((Annotation("bench/sums-4", "ann", GOLD, {0: -1}),), CHANGED, 0)
    assert processbench_after_triage(case(), of).value.keys() == {
        *("id", "generator", "problem", "steps", "final_answer_correct", "label")
    }


# -- ratings


@pytest.mark.parametrize("write", [prm800k_ratings, trl_ratings])
@pytest.mark.parametrize(
    ("people", "why"),
    [
        ({"ann": MODEL}, "no step is rated"),
        ({"ann": (IMPORT, {0: 1})}, "ruled an import problem"),
        ({"ann": {0: 1}, "bob": IMPORT}, "ruled an import problem"),
        ({"ann": {0: 1}, "bob": {0: 0}}, "people rate a step differently"),
        ({"ann": {0: 1, 3: 1}}, "a rated step is beyond the last"),
    ],
)
def test_ratings_that_nobody_can_use_are_left_out_and_say_why(write, people, why):
    ((name, of),) = annotations_by_case(said(**people), FRAME).items()
    line = write(FRAME.row(by_predicate=pl.col("case") == name, named=True), of)
    assert (line.value, line.notes) == (None, ((f"cases left out, {why}", 1),))


def test_a_row_of_prm800k_holds_every_rating_and_null_for_none():
    (line,) = lines("prm800k", ann={0: 1, 1: 0}, bob=(MODEL, {1: 0}), cy=MODEL)
    row = line.value
    steps = row["label"]["steps"]
    assert [step["completions"][0]["rating"] for step in steps] == [1, 0, None]
    assert [step["completions"][0]["text"] for step in steps] == FRAME["steps"][0].to_list()
    assert {step["chosen_completion"] for step in steps} == {0}
    assert (row["labeler"], row["timestamp"]) == ("ann, bob", "2026-01-02T00:00:00.000Z")
    assert row["question"]["problem"] == FRAME["problem"][0]
    assert row["label"]["finish_reason"] is None
    assert line.notes == (("steps without a rating", 1),)


@pytest.mark.parametrize(
    ("ratings", "correct", "expected"),
    [
        ({0: 1, 1: -1}, None, "found_error"),
        ({0: 1, 1: 0, 2: 1}, None, "solution"),
        ({0: 1, 1: 0, 2: 1}, True, "solution"),
        ({0: 1, 1: 0, 2: 1}, False, None),
        ({0: 1, 1: 0}, True, None),
    ],
)
def test_how_a_labelling_ended_is_said_only_where_it_is_known(ratings, correct, expected):
    frame = making.full_frame([reference.Case(3, 1)], final_answer_correct=[correct])
    (line,) = lines("prm800k", frame, ann=ratings)
    assert line.value["label"]["finish_reason"] == expected


@pytest.mark.parametrize(
    ("ratings", "labels"),
    [
        ({0: 1, 1: 1, 2: 1}, [True, True, True]),
        ({0: 1, 1: -1}, [True, False]),
        ({0: 0}, [True]),
        ({0: -1, 1: 1, 2: -1}, [False, True, False]),
        ({1: -1}, None),
        ({0: 1, 2: -1}, None),
    ],
)
def test_a_row_of_trl_ends_with_the_last_rated_step_and_has_no_gap(ratings, labels):
    (line,) = lines("trl", ann=ratings)
    assert (line.value and line.value["labels"]) == labels
    if line.value is None:
        assert line.notes == (("cases left out, a step before the last rated one has no rating", 1),)
    else:
        assert line.value["completions"] == FRAME["steps"][0].to_list()[: len(labels)]
        assert line.value.keys() == {"prompt", "completions", "labels"}


def test_neutral_steps_and_those_cut_off_are_counted():
    (line,) = lines("trl", ann={0: 0, 1: 0})
    assert [count for _, count in line.notes] == [1, 2]


# -- there and back


@st.composite
def rated_cases(draw):
    """Cases with gold labels, and one person's ruling and ratings on each."""
    cases, words = [], []
    for number in range(draw(st.integers(1, 4))):
        n_steps = draw(st.integers(1, 5))
        cases.append(reference.Case(n_steps, draw(st.none() | st.integers(-1, n_steps - 1))))
        ratings = draw(st.dictionaries(st.integers(0, n_steps - 1), st.sampled_from(RATINGS)))
        ruling = draw(st.none() | st.sampled_from(RULINGS))
        words.append(Annotation(f"bench/c{number}", "ann", ruling, dict(sorted(ratings.items())), last=f"{number}"))
    return making.full_frame(cases), words


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("rows") / "rows.jsonl"


def again(path, rows, benchmark):
    path.write_bytes(b"".join(json_line(line.value) for line in rows))
    return import_source(str(path), benchmark).cases


@given(rated_cases())
@up_to(60, 8)
def test_processbench_rows_come_back_with_the_labels_after_triage(path, made):
    frame, words = made
    expected = {}
    for gold, one in zip(frame["earliest_error"], words, strict=True):
        if one.ruling == GOLD:
            wrong = [step for step, rating in one.ratings.items() if rating == -1]
            if wrong or len(one.ratings) == frame.filter(case=one.case)["n_steps"].item():
                expected[one.case] = min(wrong, default=-1)
        elif one.ruling in {MODEL, BOTH, UNSURE} and gold is not None:
            expected[one.case] = gold
    rows = [line for line in triage_lines("processbench", frame, words) if line.value is not None]
    assert {f"bench/{line.value['id']}": line.value["label"] for line in rows} == expected
    if rows:
        found = again(path, rows, "processbench")
        assert found["earliest_error"].to_list() == [*expected.values()]
        kept = frame.filter(frame["case"].is_in([*expected]))
        assert found["key"].to_list() == kept["key"].to_list()


@given(rated_cases())
@up_to(60, 8)
def test_ratings_come_back_from_prm800k_and_trl(path, made):
    frame, words = made
    rated = {one.case: one.ratings for one in words if one.ratings and one.ruling != IMPORT}
    rows = [line for line in triage_lines("prm800k", frame, words) if line.value is not None]
    assert len(rows) == len(rated)
    if rows:
        found = again(path, rows, "prm800k")
        for steps, earliest, listed, ratings in zip(
            *(found[name].to_list() for name in ("steps", "earliest_error", "error_steps")), rated.values(), strict=True
        ):
            wrong = [step for step, rating in ratings.items() if rating == -1]
            whole = len(ratings) == len(steps)
            assert listed == (wrong if whole else None)
            assert earliest == (wrong[0] if wrong else -1 if whole else None)
    rows = [line for line in triage_lines("trl", frame, words) if line.value is not None]
    assert len(rows) == sum([*ratings] == [*range(len(ratings))] for ratings in rated.values())
    if rows:
        found = again(path, rows, "stepwise")
        assert found["error_steps"].to_list() == [
            [step for step, right in enumerate(line.value["labels"]) if not right] for line in rows
        ]
