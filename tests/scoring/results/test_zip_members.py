import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import UnreadableFile
from scoring.reading.compressed import zstd_module
from scoring.results import zip_members
from scoring.results.zip_members import DamagedMember, ZipMembers

zstd = zstd_module()
TEXT = b"the same words " * 40


@pytest.fixture
def archive(tmp_path):
    """Writes members to a zip archive and gives its path."""

    def write(members, method=zipfile.ZIP_DEFLATED):
        path = tmp_path / "an.eval"
        with zipfile.ZipFile(path, "w", method) as opened:
            for name, content in members:
                opened.writestr(name, content)
        return path

    return write


def relabel(path, method=None, flag=None, size=None):
    """Change what the first member's headers claim, in the list of members and before the member itself."""
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as opened:
        listed = opened.start_dir
    for start, shift in ((0, 0), (listed, 2)):
        for offset, width, value in ((6, 2, flag), (8, 2, method), (22, 4, size)):
            if value is not None:
                at = start + offset + shift
                raw[at : at + width] = value.to_bytes(width, "little")
    path.write_bytes(raw)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_in_the_order_of_the_archive(archive, method):
    with ZipMembers(archive([("b", TEXT), ("a", b"")], method)) as members:
        assert members.names == ["b", "a"]
        assert members.read("b") == TEXT
        assert members.read("a") == b""
        with pytest.raises(KeyError):
            members.read("c")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_several_members_with_one_name_the_last_is_meant(archive):
    with ZipMembers(archive([("a", b"1"), ("b", b"2"), ("a", b"3")])) as members:
        assert members.names == ["a", "b"]
        assert members.read("a") == b"3"


def test_names_are_no_paths(archive, tmp_path):
    before = set(tmp_path.parent.iterdir())
    with ZipMembers(archive([("../out", b"x"), ("/etc/out", b"y")])) as members:
        assert [members.read(name) for name in members.names] == [b"x", b"y"]
    assert set(tmp_path.parent.iterdir()) == before
    assert [path.name for path in tmp_path.iterdir()] == ["an.eval"]


@pytest.mark.parametrize(
    ("bound", "value", "said"),
    [
        ("LARGEST_MEMBER", 599, "unpacks to 600 bytes; the most is 599"),
        ("LARGEST_TOTAL", 1199, "unpacks to more than 1,199 bytes"),
        ("SMALL", 599, "more than 10 to 1"),
    ],
)
def test_what_unpacks_to_too_much_is_one_sentence(archive, monkeypatch, bound, value, said):
    monkeypatch.setattr(zip_members, "HIGHEST_RATIO", 10)
    path = archive([("a", TEXT), ("b", TEXT)])
    with ZipMembers(path) as members:
        assert members.read("a") == members.read("b") == TEXT
    monkeypatch.setattr(zip_members, bound, value)
    with ZipMembers(path) as members, pytest.raises(UnreadableFile) as caught:
        list(map(members.read, members.names))
    assert said in str(caught.value)


def test_a_bomb_is_refused_before_it_is_unpacked(archive, monkeypatch):
    path = archive([("bomb", bytes(9 * 1024**2))])
    monkeypatch.setattr(zipfile.ZipFile, "read", pytest.fail)
    with ZipMembers(path) as members, pytest.raises(UnreadableFile, match="more than 500 to 1"):
        members.read("bomb")


def test_a_size_that_is_less_than_claimed_unpacks_no_more_than_the_claim(archive):
    path = archive([("a", bytes(1024**2))])
    relabel(path, size=100)
    with ZipMembers(path) as members, pytest.raises(DamagedMember):
        members.read("a")


def test_too_many_members_is_one_sentence(archive, monkeypatch):
    monkeypatch.setattr(zip_members, "MOST_MEMBERS", 1)
    with pytest.raises(UnreadableFile, match="more than 1 members"):
        ZipMembers(archive([("a", b""), ("b", b"")]))


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"flag": 1}, "encrypted"),
        ({"method": zipfile.ZIP_BZIP2}, "method 12"),
        ({"method": zipfile.ZIP_STORED}, "damaged"),
        ({"size": 5}, "damaged"),
    ],
)
def test_a_damaged_member_costs_only_itself(archive, claims, said):
    path = archive([("a", TEXT), ("b", TEXT)])
    relabel(path, **claims)
    with ZipMembers(path) as members:
        with pytest.raises(DamagedMember, match=said):
            members.read("a")
        assert members.read("b") == TEXT


def packed_with_zstd(path, packed, **claims):
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("a name", packed)
        (info,) = opened.infolist()
        info.compress_type = 93
        info.file_size = claims.get("size", len(TEXT))
        info.CRC = claims.get("crc", zlib.crc32(TEXT))
    return path


def test_a_member_that_is_packed_with_zstd(tmp_path):
    with ZipMembers(packed_with_zstd(tmp_path / "an.eval", zstd.compress(TEXT))) as members:
        assert members.read("a name") == TEXT


@pytest.mark.parametrize(
    "changes", [{"packed": TEXT}, {"packed": zstd.compress(TEXT)[:-3]}, {"size": 5}, {"size": 5000}, {"crc": 1}]
)
def test_a_damaged_member_that_is_packed_with_zstd(tmp_path, changes):
    path = packed_with_zstd(tmp_path / "an.eval", **{"packed": zstd.compress(TEXT), **changes})
    with ZipMembers(path) as members, pytest.raises(DamagedMember):
        members.read("a name")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x03\x04" + bytes(100), b"no archive"])
def test_no_whole_archive(tmp_path, content):
    path = tmp_path / "an.eval"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="no whole zip archive"):
        ZipMembers(path)


def test_no_file(tmp_path):
    for path in (tmp_path / "none.eval", tmp_path):
        with pytest.raises(UnreadableFile):
            ZipMembers(path)


def test_a_name_that_cannot_be_printed(tmp_path):
    path = tmp_path / "\udcff.eval"
    path.write_bytes(b"")
    with pytest.raises(UnreadableFile) as caught:
        ZipMembers(path)
    str(caught.value).encode()


@given(st.data())
def test_broken_archives_give_expected_errors_only(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "broken.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("a", TEXT)
        opened.writestr("b\xe9", TEXT)
    raw = bytearray(path.read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(raw) - 1), max_size=4)):
        raw[at] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw)
    try:
        with ZipMembers(path) as members:
            for name in members.names:
                try:
                    assert isinstance(members.read(name), bytes)
                except DamagedMember as damage:
                    str(damage).encode()
    except UnreadableFile as refused:
        str(refused).encode()
