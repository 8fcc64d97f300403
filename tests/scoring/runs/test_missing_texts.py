import polars as pl
import pytest

import making
from reference import Case
from scoring.data.schema import TEXTS
from scoring.data.texts import Texts, rest_digests
from scoring.runs.preparation import missing_texts, unread_context


@pytest.fixture
def texts():
    frame = making.full_frame([Case(2), Case(1), Case(3)])
    answers = pl.Series("reference_answer", ["4", None, ""], dtype=pl.String)
    return Texts.together([Texts.whole([frame.with_columns(answers).select(list(TEXTS))], [3])])


@pytest.mark.parametrize(
    ("rows", "reads", "told"),
    [
        ([0, 1, 2], ("reference_answer",), ["2 of 3 cases have no reference answer, which this PRM also reads"]),
        ([1], ("reference_answer",), ["1 of 1 cases have no reference answer, which this PRM also reads"]),
        ([0], ("reference_answer",), []),
        ([0, 1, 2], (), []),
        ([], ("reference_answer",), []),
    ],
)
def test_cases_without_a_text_that_is_read_are_counted(texts, rows, reads, told):
    assert list(missing_texts(texts, rows, reads)) == told


def test_a_context_that_is_read_may_be_missing_too():
    frame = making.full_frame([Case(2), Case(1)], context=[None, [{"role": "user", "name": None, "text": "a"}]])
    texts = Texts.whole([frame.select(list(TEXTS))], [2])
    assert list(missing_texts(texts, [0, 1], ("context",))) == [
        "1 of 2 cases have no context, which this PRM also reads"
    ]


def test_digests_of_what_has_no_tools_are_what_they_were():
    """Those of version 0.2.0, which knew none, whatever other cases of the frame have."""
    rows = [
        {"context": [{"role": "user", "name": None, "text": "a"}]},
        {"reason": "r"},
        {},
        {"tools": [{"name": "till", "about": None, "definition": "{}"}]},
    ]
    frame = pl.DataFrame([{name: row.get(name) for name in TEXTS} for row in rows], schema=TEXTS)
    old = ["3946dc0e6420e896", "efa8ee8083efa3ee", None]
    assert rest_digests(frame[:3]).to_list() == rest_digests(frame[:3].drop("tools")).to_list() == old
    assert rest_digests(frame).to_list()[:3] == old
    assert rest_digests(frame)[3] not in {None, *old}


@pytest.mark.parametrize(("rows", "said_of"), [([0], []), ([], []), ([0, 1], ["1 of 2"]), ([1, 2], ["2 of 2"])])
def test_it_is_said_that_nobody_reads_what_stands_between_the_steps_of_a_trajectory(rows, said_of):
    cases = pl.DataFrame({"step_messages": [None, [1], [0, 2]]})
    assert [sentence.partition(" cases are trajectories")[0] for sentence in unread_context(cases, rows)] == said_of


def test_it_is_said_that_nobody_reads_images():
    cases = pl.DataFrame({"benchmark": ["visualprocessbench", "gsm", "visualprocessbench"]})
    words = "cases are about images: texts are read, and no image is"
    assert list(unread_context(cases, [0, 1])) == [f"1 of 2 {words}"]
    assert list(unread_context(cases, [1])) == list(unread_context(cases, [])) == []
