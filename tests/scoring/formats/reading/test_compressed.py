import bz2
import gzip
import io
import itertools
import lzma
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import InputError, UnreadableFile
from scoring.formats.reading import compressed_streams
from scoring.formats.reading.compressed_streams import (
    MAGIC,
    Allowance,
    DamagedStream,
    Unpacked,
    compression_of,
    member_bytes,
    plain_name,
    size_words,
    start_of,
    zstd_module,
)

zstd = zstd_module()

PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "zstd": zstd.compress, "xz": lzma.compress}
TEXT = b"".join(b'{"id": %d, "rewards": [0.%d, 0.%d]}\n' % (n, n * 7919 % 997, n * 104729 % 991) for n in range(400))


def unpack(packed, compression, room=10**9):
    """The bytes, whether they are cut off, and how many trail."""
    stream = Unpacked(io.BytesIO(packed), compression, Allowance("x.gz", room))
    raw = b"".join(stream)
    return raw, stream.cut_off, stream.trailing


@pytest.mark.parametrize("compression", PACK)
@given(parts=st.lists(st.binary(max_size=300), min_size=1, max_size=4), chunk=st.integers(1, 400))
def test_parts_after_each_other_are_one_stream(compression, parts, chunk):
    packed = b"".join(map(PACK[compression], parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compressed_streams, "CHUNK", chunk)
        assert unpack(packed, compression) == (b"".join(parts), False, 0)
    assert compression_of(packed[:16]) == compression


@pytest.mark.parametrize("compression", PACK)
def test_a_stream_that_is_cut_off_gives_its_beginning_and_says_so(compression):
    packed = PACK[compression](TEXT)
    for end in range(2, len(packed), 97 if len(packed) > 1000 else 7):
        raw, cut_off, trailing = unpack(packed[:end], compression)
        assert (TEXT.startswith(raw), cut_off, trailing) == (True, True, 0)
    # Only the checksum at its end is missing.
    assert unpack(packed[:-1], compression)[1:] == (True, 0)


@pytest.mark.parametrize("compression", PACK)
def test_a_second_part_that_is_cut_off_within_its_mark(compression):
    packed = PACK[compression](TEXT)
    for count in range(1, len(MAGIC[compression])):
        assert unpack(packed + packed[:count], compression) == (TEXT, True, 0)


@pytest.mark.parametrize("compression", PACK)
def test_what_follows_the_end_is_counted_and_zeros_are_padding(compression):
    packed = PACK[compression](TEXT)
    assert unpack(packed + bytes(1000), compression) == (TEXT, False, 0)
    assert unpack(packed + b"garbage" * 100, compression) == (TEXT, False, 700)
    assert unpack(packed + bytes(5) + packed, compression) == (TEXT * 2, False, 0)


@pytest.mark.parametrize("compression", PACK)
def test_damage_is_one_sentence_and_never_other_bytes(compression):
    """One bit turned anywhere is noticed, or changes nothing that is read (gzip's header holds a time and a system)."""
    packed = PACK[compression](TEXT)
    noticed = 0
    for at in range(10, len(packed), 53):
        broken = bytearray(packed)
        broken[at] ^= 0x10
        try:
            raw, cut_off, trailing = unpack(bytes(broken), compression)
        except UnreadableFile as error:
            noticed += error.sentence.startswith("x.gz is damaged: it cannot be unpacked as")
        else:
            # zstd has no checksum unless it is asked for one.
            assert raw == TEXT or cut_off or trailing or compression == "zstd"
    assert noticed


@pytest.mark.parametrize("compression", PACK)
def test_a_bomb_is_refused_while_it_unpacks(compression, monkeypatch):
    monkeypatch.setattr(compressed_streams, "SMALL", 200_000)
    monkeypatch.setattr(compressed_streams, "CHUNK", 10_000)
    bomb = PACK[compression](bytes(5_000_000))
    allowance = Allowance("b.gz", 10**9)
    with pytest.raises(UnreadableFile, match=r"b.gz unpacks to more than 200 times its size") as caught:
        list(Unpacked(io.BytesIO(bomb), compression, allowance))
    assert "unpack it yourself" in caught.value.next_step
    assert allowance.spent
    assert allowance.unpacked <= max(200_000, 200 * allowance.packed) + 10_000


@pytest.mark.parametrize("compression", PACK)
def test_what_is_larger_than_the_room_is_refused(compression, monkeypatch):
    monkeypatch.setattr(compressed_streams, "CHUNK", 100)
    packed = PACK[compression](TEXT)
    assert unpack(packed, compression, len(TEXT))[0] == TEXT
    with pytest.raises(UnreadableFile, match=r"x\.gz is larger than the"):
        unpack(packed, compression, len(TEXT) - 1)


def test_frames_of_zstd_without_data_are_passed_over():
    skippable = b"\x52\x2a\x4d\x18\x03\x00\x00\x00abc"
    packed = zstd.compress(TEXT)
    assert compression_of(skippable + packed) == "zstd"
    assert unpack(skippable + packed + skippable + packed + skippable, "zstd") == (TEXT * 2, False, 0)


def test_without_zstd_one_sentence_says_what_to_do(monkeypatch):
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError) as caught:
        unpack(zstd.compress(TEXT), "zstd")
    assert "pip install backports.zstd" in caught.value.next_step


@pytest.mark.parametrize("start", [b"", b"B", b"BZh", b"BZh,b\n1,2\n", b"BZh9 words ", b"{}", b"PK\x03\x04", b"\x1f"])
def test_text_is_not_compressed(start):
    assert compression_of(start) is None


def test_members_are_unpacked_in_small_pieces_too():
    raw = gzip.compress(TEXT)[10:-8]
    for method, packed in ((0, TEXT), (8, raw), (12, bz2.compress(TEXT)), (93, zstd.compress(TEXT))):
        for size in (1, 50, 10**6):
            file = io.BytesIO(packed)
            assert b"".join(member_bytes(lambda _, size=size, file=file: file.read(size), method)) == TEXT
        if method:
            with pytest.raises(DamagedStream):
                list(member_bytes(io.BytesIO(packed[:-5]).read, method))
            with pytest.raises(DamagedStream):
                list(member_bytes(io.BytesIO(b"\xff" * 50).read, method))
    with pytest.raises(DamagedStream, match="method 14"):
        list(member_bytes(io.BytesIO(b"").read, 14))


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("a/mine.jsonl.gz", "a/mine.jsonl"),
        ("mine.JSONL.ZST", "mine.JSONL"),
        ("mine.csv.bz2", "mine.csv"),
        ("runs.zip/part.json.xz", "runs.zip/part.json"),
        ("mine.jsonl", "mine.jsonl"),
        ("runs.zip", "runs.zip"),
        (".gz", ".gz"),
        ("-", "stdin"),
    ],
)
def test_names_without_the_suffix_of_a_compression(source, plain):
    assert plain_name(source) == plain


def test_sizes_in_words():
    sizes = {0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 1234: "1.2 kB", 56_700_000: "57 MB", 8e12: "8.0 TB"}
    assert {size: size_words(size) for size in sizes} == sizes


def test_the_start_of_what_is_no_plain_file_is_nothing(tmp_path):
    (tmp_path / "a").write_bytes(TEXT)
    assert start_of(tmp_path / "a") == TEXT[:16]
    for path in (tmp_path, tmp_path / "none", tmp_path / "a\0b"):
        assert start_of(path) == b""


def test_a_disk_that_fails_is_one_sentence():
    class Failing(io.BytesIO):
        reads = itertools.count()

        def read(self, _):
            if next(self.reads):
                raise OSError(5, "Input/output error")
            return super().read(100)

    with pytest.raises(UnreadableFile, match=r"x\.gz: Input/output error"):
        list(Unpacked(Failing(gzip.compress(TEXT)), "gzip", Allowance("x.gz", 10**9)))
