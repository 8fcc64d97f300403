import io
import sys
import types
import zipfile
import zlib

import pytest

from scoring.errors import UnreadableFile
from scoring.results import zstd_bytes
from scoring.results.zip_members import DamagedMember, ZipMembers

TEXT = b"words that are packed " * 50
MODULES = ("compression.zstd", "backports.zstd", "zstandard")


class PackingError(Exception):
    """As the packages' own, no OSError and no ValueError."""


class Stream(io.BytesIO):
    """Stands in for a package's stream: its packing is an X before the bytes, which are read ten at a time."""

    def __init__(self, packed):
        self.sound = packed.read(1) == b"X"
        super().__init__(packed.read())

    def read(self, size=-1):
        if not self.sound:
            raise PackingError("no frame")
        return super().read(min(size, 10))


class Decompressor:
    def stream_reader(self, packed, *, read_across_frames):
        assert read_across_frames
        return Stream(packed)


@pytest.fixture(params=MODULES)
def package(request, monkeypatch):
    """One of the packages, and none of the others."""
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, None)
    module = types.SimpleNamespace(ZstdFile=Stream, ZstdDecompressor=Decompressor, ZstdError=PackingError)
    monkeypatch.setitem(sys.modules, request.param.partition(".")[0], types.ModuleType("stand-in"))
    monkeypatch.setitem(sys.modules, request.param, module)


@pytest.fixture
def no_package(monkeypatch):
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def archive(tmp_path):
    """Writes one member, packed already, to an archive that says it is zstd, and gives its path."""

    def write(packed, **claims):
        path = tmp_path / "an.eval"
        with zipfile.ZipFile(path, "w") as opened:
            opened.writestr("a name", packed)
            (info,) = opened.infolist()
            info.compress_type = 93
            info.file_size = claims.get("size", len(TEXT))
            info.CRC = claims.get("crc", zlib.crc32(TEXT))
        return path

    return write


def test_at_most_so_many_bytes(package):
    assert zstd_bytes.unpack(b"X" + TEXT, len(TEXT) + 1) == TEXT
    assert zstd_bytes.unpack(b"X" + TEXT, 25) == TEXT[:25]


def test_damage(package):
    with pytest.raises(ValueError, match="no frame"):
        zstd_bytes.unpack(TEXT, 10)


def test_a_member_of_an_archive(package, archive):
    with ZipMembers(archive(b"X" + TEXT)) as members:
        assert members.read("a name") == TEXT


@pytest.mark.parametrize("changes", [{"packed": TEXT}, {"size": 5}, {"size": 5000}, {"crc": 1}])
def test_a_damaged_member(package, archive, changes):
    path = archive(**{"packed": b"X" + TEXT, **changes})
    with ZipMembers(path) as members, pytest.raises(DamagedMember):
        members.read("a name")


def test_without_a_package_one_sentence_says_what_to_do(no_package, archive):
    with ZipMembers(archive(b"X" + TEXT)) as members, pytest.raises(UnreadableFile) as caught:
        members.read("a name")
    assert "zstd" in caught.value.sentence
    assert "pip install backports.zstd" in caught.value.next_step


@pytest.mark.parametrize("name", MODULES)
def test_the_real_packages(monkeypatch, name):
    module = pytest.importorskip(name, reason=f"{name} is not installed: nothing to pack with")
    frame = module.compress(TEXT)
    for other in set(MODULES) - {name}:
        monkeypatch.setitem(sys.modules, other, None)
    assert zstd_bytes.unpack(frame, len(TEXT) + 1) == TEXT
    assert zstd_bytes.unpack(frame + frame, 10**6) == TEXT * 2
    assert zstd_bytes.unpack(frame, 7) == TEXT[:7]
    for damaged in (b"none", frame[:9] + b"\xff" * 4 + frame[13:]):
        with pytest.raises(ValueError, match=r"."):
            zstd_bytes.unpack(damaged, 10**6)


def test_a_real_member(monkeypatch, archive):
    module = pytest.importorskip("zstandard", reason="zstandard is not installed: nothing to pack with")
    for name in MODULES[:2]:
        monkeypatch.setitem(sys.modules, name, None)
    with ZipMembers(archive(module.compress(TEXT))) as members:
        assert members.read("a name") == TEXT
    with ZipMembers(archive(module.compress(TEXT)[:-3])) as members, pytest.raises(DamagedMember):
        members.read("a name")
