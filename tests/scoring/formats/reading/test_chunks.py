"""What reading in blocks leaves behind in the process: nothing, however it ends."""

import gc
import json
import re
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import authored
from any_json import ANY_JSON
from scoring.formats.benchmarks import processbench
from scoring.formats.reading.chunks import chunks, holds_control, strings_in
from scoring.formats.reading.fields import _CONTROL
from scoring.formats.reading.rows import read_rows


def reading(folder, work=lambda chunk: chunk):
    rows = read_rows(authored.write(folder / "sums.jsonl", authored.rows(40)))
    rows.block_size = 300
    return chunks(rows, processbench.FORMAT.layout, work)


def process():
    return gc.isenabled(), sys.getswitchinterval(), threading.active_count()


def refused(_):
    raise OSError(28, "No space left on device")


def test_the_process_is_as_it_was_after_an_error(tmp_path):
    before = process()
    with pytest.raises(OSError, match="No space left"):
        list(reading(tmp_path, refused))
    assert process() == before


def test_the_process_is_as_it_was_after_readers_that_end_early_in_any_order(tmp_path):
    before = process()
    first, second = reading(tmp_path), reading(tmp_path)
    next(first)
    next(second)
    assert not gc.isenabled()
    first.close()
    assert not gc.isenabled()
    second.close()
    assert process() == before


def test_a_collector_that_was_off_stays_off(tmp_path):
    gc.disable()
    try:
        assert sum(chunk.frame.height for chunk in reading(tmp_path)) == 40
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("text", "lines", "broken"),
    [
        ("0\n1 2\n3\n", [1, 3], [2]),
        ("0\n1 2\n\n3\n", [1, 4], [2]),
        ("0\r\n1 2\r\n\r\n3", [1, 4], [2]),
        ("0\n1>\n<1\n2 3\n", [1], [2, 3, 4]),
    ],
)
def test_as_many_objects_as_lines_are_not_one_a_line(tmp_path, text, lines, broken):
    objects = [json.dumps(row) for row in authored.rows(4)]
    halves = dict(zip(("1>", "<1"), objects[1].split(" ", 1), strict=True))
    named = {**halves, **dict(zip("0123", objects, strict=True))}
    file = tmp_path / "sums.jsonl"
    file.write_text(re.sub(r"1>|<1|\d", lambda match: named[match[0]], text), newline="")
    (chunk,) = chunks(read_rows(file), processbench.FORMAT.layout, lambda chunk: chunk)
    assert chunk.frame["_line"].to_list() == lines
    assert [finding.line for _, finding in chunk.findings if finding.code == "broken-row"] == broken


TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.text(st.sampled_from('\\"bfu0\x07\x7f\x85\u202e\u2028é'))


def strings(value):
    """All strings of a value, keys too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(text for one in value.values() for text in strings(one))]
    return [text for one in value for text in strings(one)] if isinstance(value, list) else []


@given(st.lists(ANY_JSON | TEXT | st.dictionaries(TEXT, TEXT, max_size=2), min_size=1, max_size=3), st.booleans())
def test_strings_are_counted_in_valid_json(values, ascii_only):
    raw = "\n".join(json.dumps(value, ensure_ascii=ascii_only) for value in values).encode(errors="replace")
    assert strings_in(raw) == len(strings(values))


@given(st.lists(TEXT, min_size=1, max_size=3), st.booleans())
def test_control_characters_are_seen_as_they_are_and_escaped(texts, ascii_only):
    raw = json.dumps(texts, ensure_ascii=ascii_only).encode()
    assert holds_control(raw) == any(_CONTROL.search(text) is not None for text in texts)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (rb'"\u001F"', True),
        (rb'"\u202E"', True),
        (rb'"\u202e"', True),
        (rb'"\u2026 \u2019 \u00e9 \n \t \/ \r"', False),
        (rb'"\\b \\f \\u0007 \\\\u0007"', False),
        (rb'"\\\b"', True),
        (b"", False),
        (b'"a"\r\n\t"b"\n', False),
    ],
)
def test_escapes(raw, expected):
    assert holds_control(raw) == expected


def test_every_control_character_is_the_one_that_fields_note():
    every = "".join(map(chr, (*range(0x3000), 0xFEFF)))
    noted = {*re.findall(_CONTROL, every)}
    assert noted
    assert all(holds_control(json.dumps(one).encode()) for one in noted)
    assert not holds_control(json.dumps("".join(one for one in every if one not in noted)).encode())
