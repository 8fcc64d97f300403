import json
import random
import re
from contextlib import suppress

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from authored import json_array, json_lines, rows
from scoring.data.errors import UnknownFormat, UnreadableFile
from scoring.formats.reading import rows as module
from scoring.formats.reading.rows import Rows, read_rows
from thoroughness import together

ROWS = rows(4)


def codes(found):
    return [(finding.severity, finding.code, finding.line) for finding in found.findings]


FORMS = {"JSON Lines": ".jsonl", "JSON array": ".json", "Parquet": ".parquet"}
TABLE = 'id,problem,answer\n1,"What is 1, twice?",2\n2,"Two\nlines",4\n'
CELLS = [
    {"id": "1", "problem": "What is 1, twice?", "answer": "2"},
    {"id": "2", "problem": "Two\nlines", "answer": "4"},
]


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_rows(processbench_file, form):
    found = read_rows(processbench_file(ROWS, f"sums{FORMS[form]}"))
    assert found.format == form
    assert [row.value for row in found.rows] == ROWS
    assert [row.number for row in found.rows] == [1, 2, 3, 4]
    assert found.read == 4
    assert not found.findings


WRITERS = {
    "Arrow": lambda frame, path: frame.write_ipc(path, compression="uncompressed"),
    "Feather V2": lambda frame, path: frame.write_ipc(path, compression="lz4"),
    "an Arrow stream": lambda frame, path: frame.write_ipc_stream(path),
}


@pytest.mark.parametrize("form", WRITERS)
def test_arrow_is_read_like_parquet(tmp_path, form):
    path = tmp_path / "run [v2] *.feather"
    frame = pl.DataFrame(ROWS, schema_overrides={"generator": pl.Categorical}).with_columns(
        nothing=pl.lit(None), pairs=pl.struct(pl.col("label"), pl.col("steps"))
    )
    WRITERS[form](frame, path)
    found = read_rows(path)
    assert (found.format, found.read, found.findings) == ("Arrow", 4, [])
    assert [row.value for row in found.rows] == frame.rows(named=True)
    assert [row.line for row in found.rows] == [1, 2, 3, 4]


DAMAGE = {
    "half": lambda raw: raw[: len(raw) // 2],
    "its start": lambda raw: raw[:8],
    "other bytes": lambda raw: raw[:8] + b"\xff" * (len(raw) - 8),
}


@pytest.mark.parametrize(("form", "damage"), together(WRITERS, DAMAGE))
def test_damage_to_arrow_is_one_sentence(tmp_path, form, damage):
    path = tmp_path / "x.arrow"
    WRITERS[form](pl.DataFrame(ROWS), path)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    with pytest.raises(UnreadableFile, match="starts like Arrow and cannot be read: ") as caught:
        read_rows(path)
    assert "\n" not in str(caught.value)


def test_a_length_that_no_memory_holds_does_not_end_the_program(tmp_path):
    path = tmp_path / "x.feather"
    words = ["words and words " * 50] * 40
    pl.DataFrame({"a": words}).write_ipc(path, compression="zstd")
    raw = bytearray(path.read_bytes())
    # Before each packed buffer stands how long it is unpacked.
    for found in re.finditer(rb"\x28\xb5\x2f\xfd", bytes(raw)):
        raw[found.start() - 8 : found.start()] = (2**60).to_bytes(8, "little")
    path.write_bytes(raw)
    with pytest.raises(UnreadableFile, match="starts like Arrow and cannot be read: "):
        read_rows(path)


def test_feather_of_the_first_version_is_refused_and_text_is_not(processbench_file):
    with pytest.raises(UnknownFormat, match=r"is Feather V1\. Write it again as V2"):
        read_rows(processbench_file(b"FEA1" + bytes(60), "x.feather"))
    assert read_rows(processbench_file(b"FEA1,b\n1,2\n", "x.csv")).rows[0].value == {"FEA1": "1", "b": "2"}


@pytest.mark.parametrize(("separator", "form"), [(",", "CSV"), ("\t", "TSV"), (";", "CSV with semicolons")])
def test_cells_under_a_header_are_rows_of_texts(processbench_file, separator, form):
    text = "\n" + TABLE.replace(",", separator).replace(f"1{separator} twice", "1, twice")
    found = read_rows(processbench_file(text.encode(), "sums.json"))
    assert found.format == form
    assert [row.value for row in found.rows] == CELLS
    assert [(row.number, row.line) for row in found.rows] == [(1, 3), (2, 4)]
    assert not found.findings


def test_a_row_with_another_number_of_cells_is_a_finding(processbench_file):
    found = read_rows(processbench_file((TABLE + "3,short\n4,one,two,three\n5,x,y\n").encode()))
    assert [row.value["id"] for row in found.rows] == ["1", "2", "5"]
    assert [row.number for row in found.rows] == [1, 2, 5]
    assert found.read == 5
    assert codes(found) == [("error", "broken-row", 5), ("error", "broken-row", 6)]
    assert "2 cells under 3 names" in found.findings[0].message


def test_a_header_with_repeated_names_is_a_finding(processbench_file):
    found = read_rows(processbench_file(b"id,text,text\n1,first,second\n"))
    assert [row.value for row in found.rows] == [{"id": "1", "text": "first"}]
    assert codes(found) == [("warning", "repeated-key", 1)]


@pytest.mark.parametrize("start", [b"oops, sorry\n", b"id,problem\n", b'"a": 1, "b": 2}\n'])
def test_json_lines_under_a_broken_first_line_are_no_cells(processbench_file, start):
    found = read_rows(processbench_file(start + json_lines(ROWS)))
    assert found.format == "JSON Lines"
    assert [row.value for row in found.rows] == ROWS
    assert codes(found) == [("error", "broken-row", 1)]


def test_a_cell_that_holds_a_line_of_json_is_a_cell(processbench_file):
    found = read_rows(processbench_file(b'id,steps\n1,"[\n{""a"": 1}\n{}\n]"\n'))
    assert found.format == "CSV"
    assert found.rows[0].value["steps"] == '[\n{"a": 1}\n{}\n]'


@pytest.mark.parametrize("raw", [b'{"id": 1,\n{"id": 2,\n', b'{"id": 1, "a"\n' * 9, b"{id,problem\n1,2\n"])
def test_broken_json_lines_do_not_become_cells(processbench_file, raw):
    with pytest.raises(UnknownFormat, match="not valid JSON"):
        read_rows(processbench_file(raw))


def test_a_header_alone_holds_no_rows(processbench_file):
    with pytest.raises(UnknownFormat, match=r"holds no rows\..*header line"):
        read_rows(processbench_file(b"id,problem\n"))


def test_a_cell_without_end_costs_its_line(processbench_file):
    found = read_rows(processbench_file(b'id,problem\n1,"never closed\n2,b\n3,c\n'))
    assert [row.value["id"] for row in found.rows] == ["2", "3"]
    assert codes(found) == [("error", "broken-row", 2)]


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_one_object_that_holds_the_rows_is_one_row(processbench_file, indent):
    whole = {"data": ROWS}
    found = read_rows(processbench_file(json.dumps(whole, indent=indent).encode()))
    assert [row.value for row in found.rows] == [whole]
    assert not found.findings


def test_one_object_with_its_rows_on_lines_of_their_own_is_one_row(processbench_file):
    lines = ",\n".join(json.dumps(row) for row in ROWS)
    found = read_rows(processbench_file(f'{{"data": [\n{lines}\n]}}'.encode()))
    assert [row.value for row in found.rows] == [{"data": ROWS}]
    assert not found.findings


def test_the_form_is_told_by_content_not_by_name(processbench_file, tmp_path):
    assert read_rows(processbench_file(json_array(ROWS), "sums.jsonl")).format == "JSON array"
    assert read_rows(processbench_file(json_lines(ROWS), "sums.json")).format == "JSON Lines"
    pl.DataFrame(ROWS).write_parquet(tmp_path / "sums.txt")
    assert read_rows(tmp_path / "sums.txt").format == "Parquet"


def test_an_object_over_several_lines_is_one_row(processbench_file):
    text = "\n".join(json.dumps(row, indent=2) for row in ROWS)
    found = read_rows(processbench_file(text.encode()))
    assert found.format == "JSON objects"
    assert [row.value for row in found.rows] == ROWS


def test_lines_are_those_of_the_file(processbench_file):
    raw = b"\n" + json_lines(ROWS[:1]) + b"\n" + json_lines(ROWS[1:2])
    assert [(row.number, row.line) for row in read_rows(processbench_file(raw)).rows] == [(1, 2), (2, 4)]
    assert [row.line for row in read_rows(processbench_file(json_array(ROWS[:2], indent=1))).rows] == [2, 14]
    assert [row.line for row in read_rows(processbench_file(ROWS, "sums.parquet")).rows] == [1, 2, 3, 4]


def test_a_broken_line_is_a_finding_and_keeps_its_number(processbench_file):
    raw = json_lines(ROWS[:1]) + b'{"id": "broken", \n' + json_lines(ROWS[1:])
    found = read_rows(processbench_file(raw))
    assert [row.value for row in found.rows] == ROWS
    assert [row.number for row in found.rows] == [1, 3, 4, 5]
    assert found.read == 5
    assert codes(found) == [("error", "broken-row", 2)]


def test_a_broken_element_of_an_array_is_a_finding_on_its_line(processbench_file):
    raw = json_array(ROWS).replace(b'"What is 1 + 1?"', b"oops")
    found = read_rows(processbench_file(raw))
    assert [row.value["id"] for row in found.rows] == ["sums-0", "sums-2", "sums-3"]
    first_line = raw[: raw.index(b"sums-1")].count(b"\n")
    assert codes(found) == [("error", "broken-row", first_line)]
    assert f"of line {raw[: raw.index(b'oops')].count(bytes([10])) + 1}" in found.findings[0].message


def test_a_truncated_array_keeps_its_whole_rows(processbench_file):
    raw = json_array(ROWS)
    found = read_rows(processbench_file(raw[: raw.index(b"What is 2")]))
    assert [row.value for row in found.rows] == ROWS[:2]
    assert [finding.code for finding in found.findings] == ["broken-row", "broken-array"]
    assert found.read == 3


def test_a_repeated_key_is_a_finding(processbench_file):
    raw = json_lines(ROWS).replace(b'"label": 0', b'"label": 2, "label": 0')
    found = read_rows(processbench_file(raw))
    assert [row.value for row in found.rows] == ROWS
    assert codes(found) == [("warning", "repeated-key", 2)]
    assert "label" in found.findings[0].message


ENCODED = {
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16 big-endian without a mark": lambda text: text.encode("utf-16-be"),
    "UTF-16 big-endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "blanks around": lambda text: ("\n \n" + text + "\n\n").encode(),
}


@pytest.mark.parametrize("encode", ENCODED.values(), ids=ENCODED)
@pytest.mark.parametrize("form", [json_array, json_lines, "cells"])
def test_encodings(processbench_file, encode, form):
    values = [{**row, "problem": "Как 中文 ≤ 😀?"} for row in ROWS]
    if form == "cells":
        values = [{"id": row["id"], "problem": row["problem"]} for row in values]
        text = "id,problem\n" + "".join(f"{row['id']},{row['problem']}\n" for row in values)
        assert [row.value for row in read_rows(processbench_file(encode(text))).rows] == values
        return
    text = json.dumps(values, ensure_ascii=False, indent=1) if form is json_array else form(values).decode()
    found = read_rows(processbench_file(encode(text)))
    assert [row.value for row in found.rows] == values
    assert not found.findings


def test_bytes_that_are_not_utf8_become_a_mark_and_a_finding(processbench_file):
    raw = json_lines(ROWS).replace(b"What is 1", b"What \xe9s 1")
    found = read_rows(processbench_file(raw))
    assert found.rows[1].value["problem"] == "What \ufffds 1 + 1?"
    assert codes(found) == [("warning", "undecodable", 2)]
    assert "UTF-8" in found.findings[0].message


@pytest.mark.parametrize("raw", [b"", b" \n\n", b"\xef\xbb\xbf", b"[]", b"[ \n ]"])
def test_nothing_in_a_file_is_one_sentence(processbench_file, raw):
    with pytest.raises(UnknownFormat, match="holds no rows"):
        read_rows(processbench_file(raw))


def test_no_rows_in_parquet_is_the_same_sentence(processbench_file):
    with pytest.raises(UnknownFormat, match="holds no rows"):
        read_rows(processbench_file({"id": pl.Series([], dtype=pl.String)}, "none.parquet"))


@pytest.mark.parametrize("raw", [b"no rows here\nat all", b"[oh", b"one; two\x00"])
def test_what_is_no_json_is_one_sentence_with_the_reason(processbench_file, raw):
    with pytest.raises(UnknownFormat, match=r"no row of .* can be read \(not valid JSON"):
        read_rows(processbench_file(raw))


def test_parquet_with_brackets_and_stars_in_its_path(processbench_file):
    path = processbench_file(ROWS, "run [v2] */sums?.parquet")
    assert [row.value for row in read_rows(path).rows] == ROWS


def test_a_truncated_parquet_is_one_sentence(processbench_file):
    path = processbench_file(ROWS, "sums.parquet")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UnreadableFile, match="starts like Parquet and cannot be read"):
        read_rows(path)


def test_no_damage_to_a_parquet_escapes(processbench_file):
    path = processbench_file(ROWS, "sums.parquet")
    whole, dice = path.read_bytes(), random.Random(3)
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(dice.randint(1, 6)):
            damaged[dice.randrange(4, len(damaged))] = dice.randrange(256)
        path.write_bytes(damaged)
        with suppress(UnreadableFile):
            read_rows(path)


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-16")))
def test_any_bytes_give_rows_or_one_sentence(tmp_path_factory, raw):
    path = tmp_path_factory.getbasetemp() / "any-bytes.json"
    path.write_bytes(raw)
    with suppress(UnknownFormat, UnreadableFile):
        assert read_rows(path).rows


def test_read_counts_broken_rows_too():
    found = Rows("x.jsonl", "made")
    found.add({})
    found.broken(2, "why")
    found.add({}, 9)
    assert found.read == 3
    assert [(row.number, row.line) for row in found.rows] == [(1, 1), (3, 9)]


MARK = b"\xef\xbb\xbf"


def blocks(path, size=None):
    return Rows(str(path), "JSON Lines", file=path).blocks(size)


@given(st.lists(st.sampled_from([b"", b"a", b"bc\r", MARK, b"\xff"])), st.integers(1, 9), st.booleans())
@example([MARK], 1, False)
def test_blocks_are_all_lines_in_order(tmp_path_factory, parts, size, mark):
    raw = b"\n".join(parts)
    path = tmp_path_factory.getbasetemp() / "lines"
    path.write_bytes(MARK * mark + raw)
    lines, text = [], raw if mark else raw.removeprefix(MARK)
    for block in blocks(path, size):
        assert block.lines
        assert block.line == len(lines) + 1
        assert sum(len(line) + 1 for line in block.lines[:-1]) <= size
        lines += block.lines
    assert lines == (text.removesuffix(b"\n").split(b"\n") if text else [])


@pytest.mark.parametrize(("raw", "line"), [(b"0123456789a", 1), (b"a\n0123456789a\nb\n", 2), (b"\n\n0123456789abc", 3)])
@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_line_that_is_too_long_is_one_sentence(tmp_path, monkeypatch, raw, line, size):
    monkeypatch.setattr(module, "LONGEST_LINE", 10)
    path = tmp_path / "lines"
    path.write_bytes(raw)
    with pytest.raises(UnreadableFile, match=f"line {line} of .*lines is longer than"):
        list(blocks(path, size))


def test_a_line_may_be_as_long_as_the_longest(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_LINE", 10)
    path = tmp_path / "lines"
    path.write_bytes(b"0123456789\n0123456789")
    assert [line for block in blocks(path, 1) for line in block.lines] == [b"0123456789", b"0123456789"]


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(UnreadableFile, match="Check the path"):
        list(blocks(tmp_path))
