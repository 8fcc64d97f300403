import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading import text_rows
from scoring.formats.reading.text_rows import array_elements, csv_elements, csv_header, line_elements, object_elements

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def values(elements):
    return [element.value for element in elements if not element.error]


def errors(elements):
    return [(element.line, element.error) for element in elements if element.error]


@given(st.lists(JSON, max_size=5), st.sampled_from([None, 0, 3]), st.booleans())
def test_an_array_reads_as_json_does(found, indent, ascii_only):
    assert values(array_elements(json.dumps(found, indent=indent, ensure_ascii=ascii_only))) == found


@given(st.lists(JSON, max_size=5), st.sampled_from(["\n", "\r\n", "\n\n \t\n"]))
def test_lines_read_as_json_does(found, newline):
    assert values(line_elements(newline.join(map(json.dumps, found)))) == found


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=5), st.sampled_from([None, 2]))
def test_objects_one_after_the_other(found, indent):
    assert values(object_elements("\n".join(json.dumps(value, indent=indent) for value in found))) == found


@given(st.lists(JSON, max_size=4), st.integers(1, 40))
def test_the_window_through_which_an_array_is_decoded_does_not_show(found, window):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows, "_WINDOW", window)
        assert values(array_elements(json.dumps(found, indent=1))) == found


@pytest.mark.parametrize("word", ["true", "null", "-Infinity", "12345678", '"\\u00e9\\\\"', "[[], {}]"])
def test_a_word_may_lie_across_the_end_of_the_window(word, monkeypatch):
    for window in range(1, 20):
        monkeypatch.setattr(text_rows, "_WINDOW", window)
        elements = list(array_elements(f'[ {{"a": {word}}} , {word}, 7]'))
        assert not errors(elements)
        assert values(elements)[2] == 7


@given(st.text(max_size=300))
def test_any_text_ends_in_elements(text):
    for elements in (line_elements(text), object_elements(text), array_elements("[" + text)):
        assert all(element.line >= 1 for element in elements)


@given(st.text(alphabet='{}[]",:\\ \n1ae', max_size=80))
def test_any_json_like_text_ends_in_elements(text):
    for elements in (line_elements(text), object_elements(text), array_elements("[" + text)):
        found = [element.line for element in elements]
        assert found == sorted(found)


def test_elements_know_their_lines():
    text = '\n[\n  {"a": 1},\n\n  {\n "a": 2\n}, {"a": 3}\n]\n'
    assert [element.line for element in array_elements(text)] == [3, 5, 7]
    assert [element.line for element in line_elements('{"a": 1}\n\n{"a": 2}')] == [1, 3]


BROKEN = {
    "a comma too many": '{"id": "b", "steps": ["x",]}',
    "an open text": '{"id": "b", "steps": ["x]}',
    "an open list": '{"id": "b", "steps": ["x", "y"}',
    "an open object": '{"id": "b", "steps": ["x"]',
    "Python's quotes": "{'id': 'b', 'steps': ['x']}",
    "a bare word": '{"id": b}',
    "nothing like a row": "???",
    "a lost first key": '{id": "b", "steps": ["x"], "more": {"deep": 1}}',
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_broken_element_costs_only_itself(broken, place):
    parts = ['{"id": "a"}', '{"id": "c"}', '{\n "id": "d"}']
    parts.insert(place, broken)
    elements = list(array_elements("[\n" + ",\n".join(parts) + "\n]"))
    assert [value["id"] for value in values(elements)] == ["a", "c", "d"]
    assert [line for line, _ in errors(elements)] == [2 + place]


def test_broken_neighbours_are_counted_one_by_one():
    text = '[{"id": "a"},\n{"id": oh},\n{"id": no},\n{"id": "d"}]'
    assert [line for line, _ in errors(array_elements(text))] == [2, 3]
    assert [value["id"] for value in values(array_elements(text))] == ["a", "d"]


@pytest.mark.parametrize("key", ['"id": oh', 'id": 1'])
def test_what_is_nested_in_a_broken_row_is_no_row(key):
    text = '[{"id": "a"}, {' + key + ', "steps": [{"text": "s"}, {"text": "t"}], "x": {"id": 1}}, {"id": "c"}]'
    assert values(array_elements(text)) == [{"id": "a"}, {"id": "c"}]


def test_rows_are_found_again_even_where_none_has_shown_yet_how_they_begin():
    text = '[{id": 1, "steps": [{"text": "s"}, {"text": "t"}]}, {"id": "b"}, {"id": oh}, {"id": "c"}]'
    assert [value for value in values(array_elements(text)) if "id" in value] == [{"id": "b"}, {"id": "c"}]


def test_a_row_that_begins_unlike_the_others_is_found_after_a_broken_one():
    assert values(array_elements('[{"id": "a"}, {"id": oh}, {"label": 1, "id": "c"}]'))[1] == {"label": 1, "id": "c"}


def test_a_place_is_the_column_and_where_needed_the_line():
    [(line, error)] = errors(array_elements('[{"id": "a"},\n  {"id": oh}, {"id": "c"}]'))
    assert (line, error) == (2, "not valid JSON (Expecting value at column 10)")
    [(line, error)] = errors(array_elements('[\n{"id": "a",\n\n "label": oh}]'))
    assert (line, error) == (2, "not valid JSON (Expecting value at column 11 of line 4)")
    [(line, error)] = errors(line_elements('{}\n  {"id": oh}'))
    assert (line, error) == (2, "not valid JSON (Expecting value at column 10)")


@pytest.mark.parametrize("cut", ["", ",", ', {"id": "b", "st', ', {"id": "b"', ", nul"])
def test_a_truncated_array_says_so_and_keeps_what_is_whole(cut):
    elements = list(array_elements('[{"id": "a"}' + cut))
    assert values(elements) == [{"id": "a"}]
    assert elements[-1].error == "the array is not closed: the file may be cut off"
    assert not elements[-1].row


def test_a_broken_last_row_does_not_make_the_array_look_cut_off():
    assert [element.row for element in array_elements('[{"id": "a"}, {"id": oh}]\n') if element.error] == [True]


def test_text_after_the_end_of_an_array_is_not_lost():
    elements = list(array_elements('[{"id": "a"}]\n[{"id": "b"}]\n{"id": "c"}'))
    assert [value["id"] for value in values(elements)] == ["a", "b", "c"]
    assert errors(elements)[0] == (2, "there is text after the end of the array")
    assert not any(element.row for element in elements if element.error)


def test_two_values_on_one_line():
    [element] = line_elements('{"a": 1} {"a": 2}')
    assert element.error == "not valid JSON (more text after the value at column 10)"


def test_repeated_keys_are_named_wherever_they_are():
    [element] = line_elements('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3, "d": 4}')
    assert element.value == {"a": 3, "b": {"c": 2}, "d": 4}
    assert set(element.repeated) == {"a", "c"}


def test_control_characters_as_they_are_do_not_cost_the_row():
    [element] = line_elements('{"a": "x\x00\x1b[31m\ty"}')
    assert element.value == {"a": "x\x00\x1b[31m\ty"}


@pytest.mark.parametrize(
    ("bomb", "why"),
    [("[" * 100_000, "nested too deeply"), ('{"a":' * 100_000, "nested too deeply"), ("9" * 5000, "too many digits")],
    ids=["lists", "objects", "digits"],
)
def test_bombs_cost_one_row(bomb, why):
    found = list(line_elements(f'{bomb}\n{{"id": "a"}}'))
    assert why in found[0].error
    assert found[1].value == {"id": "a"}
    assert values(array_elements(f'[\n{{"x": {bomb},\n{{"id": "a"}}\n]'))[-1] == {"id": "a"}


def test_a_long_array_of_broken_rows_takes_linear_time():
    # The decoder counts the lines of all the text it is given for every error, so that this took a minute; the bound
    # is on what it is given, not on the clock.
    seen = []

    class Watched(json.JSONDecoder):
        def raw_decode(self, text, at=0):
            seen.append(len(text))
            return super().raw_decode(text, at)

    broken = "[\n" + ",\n".join(f'{{"id": "{n}", "problem": "{"x" * 400}}}' for n in range(1000)) + "\n]"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows.json, "JSONDecoder", Watched)
        assert len(errors(array_elements(broken))) == 1000
    assert sum(seen) < 30 * len(broken)


CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"', '""', "\r\n", "\n", ",", ""]
)


def read(text):
    return list(csv_elements(text, csv_header(text)))


def cells(text):
    return [list(one.value.values()) for one in read(text) if not one.error]


def cell_errors(text):
    return [(one.line, one.error) for one in read(text) if one.error]


@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_the_csv_module_writes_comes_back(rows, end):
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator=end).writerows([["a", "b", "c"], *rows])
    assert cells(stream.getvalue()) == rows


@given(st.text(st.sampled_from('ab,"\n\r;\t\x00 {'), max_size=60))
def test_any_text_gives_elements_in_order_of_line(tail):
    found = read("a,b\n" + tail)
    assert [one.line for one in found] == sorted(one.line for one in found)
    assert all(bool(one.error) != bool(one.value) for one in found)


@pytest.mark.parametrize(
    ("text", "names", "separator"),
    [
        ("a,b;c\n1,2;3\n4,5\n", ("a", "b;c"), ","),
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
    found = csv_header(text)
    assert (found.names, found.separator) == (names, separator)


@pytest.mark.parametrize("text", ["", "\n\n", "one name\n1\n", "a\x00,b\n1,2\n", '"a"b,c\n', '"never closed, x\n1,2'])
def test_what_is_no_header(text):
    assert csv_header(text) is None


def test_lines_are_those_on_which_rows_start():
    text = 'a,b\n1,"x\n\ny"\n\n2,z\r\n3,"p\rq"\n4,w\n'
    assert [one.line for one in read(text)] == [2, 6, 7, 8]
    assert cells(text) == [["1", "x\n\ny"], ["2", "z"], ["3", "p\rq"], ["4", "w"]]


def test_carriage_returns_alone_end_lines_where_they_end_the_first():
    assert [one.line for one in read('a,b\r1,"2\n2"\r3,4')] == [2, 3]
    assert cell_errors("a,b\n1,2\r3,4\n5,6\n")[0][0] == 2


def test_cells_stay_the_texts_they_are():
    assert cells('a,b\n 007 ,TRUE\n"",NaN\n') == [[" 007 ", "TRUE"], ["", "NaN"]]


def test_other_numbers_of_cells_are_errors():
    assert cell_errors('a,b\n1\n1,2,3\n4,"x\ny",z\n5,6\n') == [
        (2, "1 cells under 2 names"),
        (3, "3 cells under 2 names"),
        (4, "3 cells under 2 names (the row ends on line 5)"),
    ]


def test_text_after_a_closing_quote_is_an_error_and_the_next_row_is_read():
    text = 'a,b\n1,"x"y\n2,z\n'
    assert cell_errors(text)[0][0] == 2
    assert cells(text) == [["2", "z"]]


def test_a_quote_that_is_not_closed_costs_its_line_only():
    text = 'a,b\n1,"x\n2,y""z""\n3,w\n'
    assert cell_errors(text) == [(2, "not valid CSV (a quote is opened and not closed)")]
    assert cells(text) == [["2", 'y""z""'], ["3", "w"]]


def test_a_quote_that_stays_open_for_longer_than_a_cell_may_be_costs_its_line_only(monkeypatch):
    monkeypatch.setattr(text_rows, "LONGEST_CELL", 40)
    text = 'a,b\n1,"x\n' + "2,y\n" * 30 + '3,"z"\n'
    assert cell_errors(text) == [(2, "not valid CSV (a quote is opened and not closed)")]
    assert len(cells(text)) == 31


def test_a_cell_that_is_too_long_is_an_error_and_the_limit_is_put_back(monkeypatch):
    before = csv.field_size_limit()
    long = "x" * (before + 1)
    assert cells(f"a,b\n1,{long}\n2,y\n") == [["1", long], ["2", "y"]]
    monkeypatch.setattr(text_rows, "LONGEST_CELL", 40)
    text = f"a,b\n1,{long}\n2,y\n"
    assert [line for line, _ in cell_errors(text)] == [2]
    assert cells(text) == [["2", "y"]]
    assert csv.field_size_limit() == before


def test_nul_is_a_character_like_any_other():
    assert cells("a,b\n1,x\x00y\n") == [["1", "x\x00y"]]


def test_the_first_of_repeated_names_counts():
    text = "a,b,a,\n1,2,3,4\n"
    assert csv_header(text).repeated == ("a",)
    assert read(text)[0].value == {"a": "1", "b": "2", "": "4"}
