import bz2
import errno
import gzip
import json
import lzma
import os
import random
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import json_array, json_lines, rows
from failing import failing
from scoring.benchmarks.rows import Rows, expand, printable, read_rows
from scoring.errors import InputError, UnknownFormat, UnreadableFile

ROWS = rows(4)


def codes(found):
    return [(finding.severity, finding.code, finding.line) for finding in found.findings]


FORMS = {"JSON Lines": ".jsonl", "JSON array": ".json", "Parquet": ".parquet"}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_rows(processbench_file, form):
    found = read_rows(processbench_file(ROWS, f"sums{FORMS[form]}"))
    assert found.format == form
    assert [row.value for row in found.rows] == ROWS
    assert [row.number for row in found.rows] == [1, 2, 3, 4]
    assert found.read == 4
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
    "UTF-16 big-endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "blanks around": lambda text: ("\n \n" + text + "\n\n").encode(),
}


@pytest.mark.parametrize("encode", ENCODED.values(), ids=ENCODED)
@pytest.mark.parametrize("form", [json_array, json_lines])
def test_encodings(processbench_file, encode, form):
    values = [{**row, "problem": "Как 中文 ≤ 😀?"} for row in ROWS]
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


COMPRESSED = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("what", COMPRESSED)
def test_compressed_files_are_named_as_such(processbench_file, what):
    with pytest.raises(UnknownFormat, match=f"{what}-compressed.*Unpack it"):
        read_rows(processbench_file(COMPRESSED[what](json_lines(ROWS))))


@pytest.mark.parametrize("raw", [b"", b" \n\n", b"\xef\xbb\xbf", b"[]", b"[ \n ]"])
def test_nothing_in_a_file_is_one_sentence(processbench_file, raw):
    with pytest.raises(UnknownFormat, match="holds no rows"):
        read_rows(processbench_file(raw))


def test_no_rows_in_parquet_is_the_same_sentence(processbench_file):
    with pytest.raises(UnknownFormat, match="holds no rows"):
        read_rows(processbench_file({"id": pl.Series([], dtype=pl.String)}, "none.parquet"))


@pytest.mark.parametrize("raw", [b"no rows here\nat all", b"\x89PNG\r\n\x1a\n\x00\x00", b"[oh", b"id,problem\n1,x\n"])
def test_what_is_no_json_is_one_sentence_with_the_reason(processbench_file, raw):
    with pytest.raises(UnknownFormat, match=r"no row of .* can be read \(not valid JSON"):
        read_rows(processbench_file(raw))


def test_what_is_no_file_is_one_sentence(tmp_path):
    with pytest.raises(UnreadableFile, match="there is no file"):
        read_rows(tmp_path / "none.json")
    with pytest.raises(UnreadableFile, match="is a folder"):
        read_rows(tmp_path)
    with pytest.raises(UnreadableFile, match="null byte"):
        read_rows(Path("a\0b"))
    with pytest.raises(UnreadableFile, match="too long"):
        read_rows(Path("x" * 5000))


def test_a_file_that_may_not_be_read_is_one_sentence(processbench_file, monkeypatch):
    path = processbench_file(ROWS)
    monkeypatch.setattr(Path, "read_bytes", failing(errno.EACCES))
    with pytest.raises(UnreadableFile, match="Permission denied"):
        read_rows(path)


def test_a_name_that_is_no_text_does_not_matter(tmp_path):
    path = tmp_path / os.fsdecode(b"sums\xff.jsonl")
    path.write_bytes(json_lines(ROWS))
    assert read_rows(path).source == f"{tmp_path}/sums?.jsonl"
    assert printable("a\ud800b") == "a?b"


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


def test_a_folder_stands_for_its_files_in_order(processbench_file, tmp_path):
    for name in ("b.jsonl", "a.JSON", "c.parquet"):
        processbench_file(ROWS, f"in/{name}") if name != "a.JSON" else processbench_file(json_array(ROWS), "in/a.JSON")
    for name in ("notes.txt", ".hidden.json", "._b.jsonl"):
        (tmp_path / "in" / name).write_text("x")
    (tmp_path / "in" / "folder.json").mkdir()
    single = processbench_file(ROWS, "one.jsonl")
    found = [path.name for path in expand([tmp_path / "in", single, tmp_path / "gone.json"])]
    assert found == ["a.JSON", "b.jsonl", "c.parquet", "one.jsonl", "gone.json"]


def test_a_folder_without_files_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"holds no \.json"):
        list(expand([tmp_path]))


def test_a_folder_that_cannot_be_listed_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "iterdir", failing(errno.EACCES))
    with pytest.raises(UnreadableFile, match="Permission denied"):
        list(expand([tmp_path]))
