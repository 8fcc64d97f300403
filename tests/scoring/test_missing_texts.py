import polars as pl
import pytest

import making
from reference import Case
from scoring.runs.preparation import missing_texts
from scoring.schema import TEXTS
from scoring.texts import Texts


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
