import bz2
import errno
import gzip
import lzma
import os
import pickle
import socket
from pathlib import Path

import pytest

from authored import json_lines, row, rows
from failing import failing
from scoring.data.errors import UnknownFormat, UnreadableFile
from scoring.data.storage.files import open_plain
from scoring.formats.reading import file_bytes as module
from scoring.formats.reading.file_bytes import decoded, file_bytes, printable
from scoring.formats.reading.rows import read_rows

ROWS = rows(4)
COMPRESSED = {
    "gzip-compressed": gzip.compress(json_lines(ROWS)),
    "bzip2-compressed": bz2.compress(json_lines(ROWS)),
    "xz-compressed": lzma.compress(json_lines(ROWS)),
    "zstd-compressed": b"\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00",
    "a zip archive": b"PK\x05\x06" + bytes(18),
}


@pytest.mark.parametrize("what", COMPRESSED)
def test_compressed_files_are_named_as_such(processbench_file, what):
    with pytest.raises(UnknownFormat, match=rf"is {what}\. Unpack it"):
        file_bytes(processbench_file(COMPRESSED[what]))


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (pickle.dumps(ROWS), "is a Python pickle, which is never opened"),
        (b"\x89PNG\r\n\x1a\n" + bytes(30), r"is a PNG image\. Save its rows as"),
        (b"%PDF-1.4\n1 0 obj <</Type/Catalog, 1 0 R>>", "is a PDF document"),
        (b"\n <!DOCTYPE html><html lang=en, dir=ltr>", r"is a web page \(HTML\)\. A download may have failed"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n", "git lfs pull"),
    ],
    ids=["pickle", "image", "document", "page", "pointer"],
)
def test_files_that_hold_no_rows_are_named_as_what_they_are_with_what_to_do_instead(processbench_file, raw, sentence):
    with pytest.raises(UnknownFormat, match=sentence):
        read_rows(processbench_file(raw))


def test_text_that_begins_like_a_compressed_file_is_text(processbench_file):
    assert read_rows(processbench_file(b"BZh,b\n1,2\n")).rows[0].value == {"BZh": "1", "b": "2"}


def test_what_is_no_file_is_one_sentence(tmp_path):
    with pytest.raises(UnreadableFile, match="there is no file"):
        file_bytes(tmp_path / "none.json")
    with pytest.raises(UnreadableFile, match="is a folder"):
        file_bytes(tmp_path)
    with pytest.raises(UnreadableFile, match=r"null (byte|character)"):
        file_bytes(Path("a\0b"))
    with pytest.raises(UnreadableFile, match="too long"):
        file_bytes(Path("x" * 5000))


def test_a_loop_of_links_is_one_sentence(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UnreadableFile, match="symbolic links"):
        file_bytes(tmp_path / "a")


def test_pipes_sockets_and_devices_are_refused_without_waiting(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name, what in (("pipe", "a pipe"), ("socket", "a socket"), ("/dev/zero", "a device")):
            with pytest.raises(UnreadableFile, match=f"is {what}, not a file"):
                file_bytes(Path(name))


def test_a_file_that_turns_into_a_pipe_before_it_is_opened_is_refused_too(processbench_file, tmp_path, monkeypatch):
    ordinary = processbench_file(ROWS).stat()
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(Path, "stat", lambda _: ordinary)
    with pytest.raises(UnreadableFile, match="is a pipe, not a file"):
        file_bytes(tmp_path / "pipe")


def test_a_file_that_turns_into_nothing_holds_no_rows(processbench_file, monkeypatch):
    path = processbench_file(ROWS)

    def emptied(path):
        file = open_plain(path)
        os.truncate(path, 0)
        return file

    monkeypatch.setattr(module, "open_plain", emptied)
    with pytest.raises(UnknownFormat, match="holds no rows"):
        _ = read_rows(path).rows


def test_a_file_that_may_not_be_read_is_one_sentence(processbench_file, monkeypatch):
    path = processbench_file(ROWS)
    monkeypatch.setattr(os, "open", failing(errno.EACCES))
    with pytest.raises(UnreadableFile, match="Permission denied"):
        file_bytes(path)


def test_a_file_larger_than_the_memory_is_one_sentence(processbench_file, monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(module, "_lines_in_bounds", full)
    with pytest.raises(UnreadableFile, match="does not fit into memory"):
        file_bytes(processbench_file(ROWS))


@pytest.mark.parametrize("chunk", [1, 7, 64, 299])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_that_is_too_long_is_one_sentence(processbench_file, monkeypatch, chunk, end):
    monkeypatch.setattr(module, "_CHUNK", chunk)
    monkeypatch.setattr(module, "LONGEST_LINE", 300)
    short = json_lines([row(steps=["a"])])
    assert len(short) < 300
    text = short * 3 + b'"' + b"x" * 298 + b'"' + end
    assert file_bytes(processbench_file(text)) == text
    with pytest.raises(UnreadableFile, match="a line of more than"):
        file_bytes(processbench_file(text.replace(b"xx", b"xxx", 1)))


def test_only_parquet_is_left_to_be_read_by_path(processbench_file):
    assert file_bytes(processbench_file(ROWS, "sums.parquet")) == b"PAR1"
    assert file_bytes(processbench_file(ROWS)) == json_lines(ROWS)


def test_a_name_that_is_no_text_does_not_matter(tmp_path):
    path = tmp_path / os.fsdecode(b"sums\xff.jsonl")
    path.write_bytes(json_lines(ROWS))
    assert read_rows(path).source == f"{tmp_path}/sums?.jsonl"
    assert printable("a\ud800b") == "a?b"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_encodings(codec):
    assert decoded('{"a": "Как ≤ 😀"}'.encode(codec), "x") == ('{"a": "Как ≤ 😀"}', [])


def test_half_a_character_at_the_end_is_a_finding():
    text, findings = decoded('{"a": 1}'.encode("utf-16")[:-1], "x")
    assert text == '{"a": 1\ufffd'
    assert [(one.severity, one.code) for one in findings] == [("warning", "undecodable")]
