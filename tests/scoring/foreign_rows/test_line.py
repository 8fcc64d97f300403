import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rows_out
from scoring.foreign_rows.line import counted, encoded


@given(st.lists(st.lists(rows_out.texts(), max_size=3), min_size=1, max_size=5))
def test_a_row_is_one_line_to_every_reader_and_its_texts_come_back(rows):
    raw = b"".join(encoded({"steps": steps}) for steps in rows)
    # This knows more ends of lines than any other reader.
    found = raw.decode().splitlines()
    assert [json.loads(line)["steps"] for line in found] == rows
    assert raw.endswith(b"\n")


def test_only_what_ends_a_line_or_steers_a_terminal_is_escaped():
    assert encoded({"a": "é 中 \U0001d54f\u200d"}) == '{"a": "é 中 \U0001d54f\u200d"}\n'.encode()
    assert encoded({"a": "\x00\x1b\x7f\x9b\x85\u2028\u2029"}) == (
        b'{"a": "\\u0000\\u001b\\u007f\\u009b\\u0085\\u2028\\u2029"}\n'
    )


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_lacks_is_not_written(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        encoded({"a": number})


def test_numbers_come_back_as_they_were():
    numbers = [0.1 + 0.2, 5e-324, 1.7976931348623157e308, -0.0, 1 / 3]
    assert json.loads(encoded({"a": numbers}))["a"] == numbers


def test_notes_are_added_up_the_largest_first():
    notes = [("cases cut", 1), ("steps left out", 3), ("cases cut", 1), ("steps left out", 1_000)]
    assert counted(notes) == ["Steps left out: 1,003", "Cases cut: 2"]
    assert counted([]) == []
