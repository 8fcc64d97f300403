import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.reading import csv_rows
from scoring.reading.csv_rows import elements, header

CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"', '""', "\r\n", "\n", ",", ""]
)


def read(text):
    return list(elements(text, header(text)))


def values(text):
    return [list(one.value.values()) for one in read(text) if not one.error]


def errors(text):
    return [(one.line, one.error) for one in read(text) if one.error]


@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_the_csv_module_writes_comes_back(rows, end):
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator=end).writerows([["a", "b", "c"], *rows])
    assert values(stream.getvalue()) == rows


@given(st.text(st.sampled_from('ab,"\n\r;\t\x00 {'), max_size=60))
def test_any_text_gives_elements_in_order_of_line(tail):
    found = read("a,b\n" + tail)
    assert [one.line for one in found] == sorted(one.line for one in found)
    assert all(bool(one.error) != bool(one.value) for one in found)


@pytest.mark.parametrize(
    ("text", "names", "separator"),
    [
        ("a,b\n1,2\n", ("a", "b"), ","),
        ("a\tb\n1\t2\n", ("a", "b"), "\t"),
        ("a;b\n1;2\n", ("a", "b"), ";"),
        ("id\tproblem, or not\n1\tx\n", ("id", "problem, or not"), "\t"),
        ('id; b,c; d\n1; "x"; 2\n', ("id", "b,c", "d"), ";"),
        ('"a, b",c\n1,2\n', ("a, b", "c"), ","),
        ("\n \na , b\n1,2\n", ("a", "b"), ","),
        ("a,b", ("a", "b"), ","),
    ],
)
def test_headers(text, names, separator):
    found = header(text)
    assert (found.names, found.separator) == (names, separator)


@pytest.mark.parametrize("text", ["", "\n\n", "one name\n1\n", "a\x00,b\n1,2\n", '"a"b,c\n', '"never closed, x\n1,2'])
def test_what_is_no_header(text):
    assert header(text) is None


def test_lines_are_those_on_which_rows_start():
    text = 'a,b\n1,"x\n\ny"\n\n2,z\r\n3,"p\rq"\n4,w\n'
    assert [one.line for one in read(text)] == [2, 6, 7, 8]
    assert values(text) == [["1", "x\n\ny"], ["2", "z"], ["3", "p\rq"], ["4", "w"]]


def test_carriage_returns_alone_end_lines_where_they_end_the_first():
    assert [one.line for one in read('a,b\r1,"2\n2"\r3,4')] == [2, 3]
    assert errors("a,b\n1,2\r3,4\n5,6\n")[0][0] == 2


def test_cells_stay_the_texts_they_are():
    assert values('a,b\n 007 ,TRUE\n"",NaN\n') == [[" 007 ", "TRUE"], ["", "NaN"]]


def test_other_numbers_of_cells_are_errors():
    assert errors('a,b\n1\n1,2,3\n4,"x\ny",z\n5,6\n') == [
        (2, "1 cells under 2 names"),
        (3, "3 cells under 2 names"),
        (4, "3 cells under 2 names (the row ends on line 5)"),
    ]


def test_text_after_a_closing_quote_is_an_error_and_the_next_row_is_read():
    text = 'a,b\n1,"x"y\n2,z\n'
    assert errors(text)[0][0] == 2
    assert values(text) == [["2", "z"]]


def test_a_quote_that_is_not_closed_costs_its_line_only():
    text = 'a,b\n1,"x\n2,y""z""\n3,w\n'
    assert errors(text) == [(2, "not valid CSV (a quote is opened and not closed)")]
    assert values(text) == [["2", 'y""z""'], ["3", "w"]]


def test_a_quote_that_stays_open_for_longer_than_a_cell_may_be_costs_its_line_only(monkeypatch):
    monkeypatch.setattr(csv_rows, "LONGEST_CELL", 40)
    text = 'a,b\n1,"x\n' + "2,y\n" * 30 + '3,"z"\n'
    assert errors(text) == [(2, "not valid CSV (a quote is opened and not closed)")]
    assert len(values(text)) == 31


def test_a_cell_that_is_too_long_is_an_error_and_the_limit_is_put_back(monkeypatch):
    before = csv.field_size_limit()
    long = "x" * (before + 1)
    assert values(f"a,b\n1,{long}\n2,y\n") == [["1", long], ["2", "y"]]
    monkeypatch.setattr(csv_rows, "LONGEST_CELL", 40)
    text = f"a,b\n1,{long}\n2,y\n"
    assert [line for line, _ in errors(text)] == [2]
    assert values(text) == [["2", "y"]]
    assert csv.field_size_limit() == before


def test_nul_is_a_character_like_any_other():
    assert values("a,b\n1,x\x00y\n") == [["1", "x\x00y"]]


def test_the_first_of_repeated_names_counts():
    text = "a,b,a,\n1,2,3,4\n"
    assert header(text).repeated == ("a",)
    assert read(text)[0].value == {"a": "1", "b": "2", "": "4"}
