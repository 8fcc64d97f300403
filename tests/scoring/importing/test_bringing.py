"""Whatever holds the rows (compressed, an archive, a pipe), the cases and scorers are those of the plain file."""

import bz2
import gzip
import io
import json
import lzma
import os
import stat
import sys
import tarfile
import threading
import zipfile
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import authored
from benchmark_rows import stepwise
from inspector.cli import main
from scoring.data.errors import InputError, UnknownFormat, UnreadableFile, UsageError
from scoring.formats.benchmarks import case_format as base
from scoring.formats.reading import compressed_streams
from scoring.formats.reading.compressed_streams import zstd_module
from scoring.importing import archives, bringing, local_files
from scoring.importing.archives import Archive
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.bringing import bring
from scoring.importing.imported_files import original_row
from scoring.importing.sources import read_source
from scoring.workspace.workspace import Workspace
from thoroughness import also, one_of

zstd = zstd_module()
N = 24
CASES = authored.rows(N)
REWARDS = [[round(0.05 + (17 * case + 5 * step) % 19 / 20, 2) for step in range(3)] for case in range(N)]
BY_ID = authored.json_lines({"id": row["id"], "rewards": mine} for row, mine in zip(CASES, REWARDS, strict=True))
WHOLE = authored.json_lines(CASES)
# Called after their file, so that it shows which name was taken.
NAMELESS = authored.json_lines([stepwise(prompt=f"p{number}") for number in range(5)])
FILES = {"sums.jsonl": WHOLE, "my-prm.jsonl": BY_ID, "steps.jsonl": NAMELESS}


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, raw in members:
            archive.writestr(name, raw)
    return buffer.getvalue()


PACKED = {
    "gzip": lambda name, raw: (f"{name}.gz", gzip.compress(raw)),
    "gzip in two parts": lambda name, raw: (f"{name}.gz", gzip.compress(raw[:500]) + gzip.compress(raw[500:])),
    "bzip2": lambda name, raw: (f"{name}.bz2", bz2.compress(raw)),
    "zstd": lambda name, raw: (f"{name}.zst", zstd.compress(raw)),
    "xz": lambda name, raw: (f"{name}.xz", lzma.compress(raw)),
    "zip": lambda name, raw: (f"{name}.zip", zipped((name, raw))),
    "stored in a zip": lambda name, raw: (f"{name}.zip", zipped((name, raw), method=zipfile.ZIP_STORED)),
    "in a folder of a zip": lambda name, raw: (f"{name}.zip", zipped(("a/", b""), (f"a/../../b/{name}", raw))),
    "gzip in a zip": lambda name, raw: (f"{name}.zip", zipped((f"{name}.gz", gzip.compress(raw)))),
    "named as if it were plain": lambda name, raw: (name, zstd.compress(raw)),
    "named as if it were packed": lambda name, raw: (f"{name}.gz", raw),
}


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "in"
    home.mkdir()
    return home


def put(root, paths, spill=None):
    """Import into the workspace there; everything that it holds afterwards but where it came from."""
    workspace = Workspace(root) if (root / "workspace.json").exists() else Workspace.create(root)
    found = read_sources([str(path) for path in paths], ImportOptions(), workspace, spill)
    changes = found.put(workspace)
    cases = [workspace.cases([name])[0].drop("source").rows() for name in sorted(workspace.benchmarks())]
    return found, changes, (cases, scorers(found))


def scorers(found):
    return [
        (joined.results.name, joined.by, joined.joined, joined.rewards["rewards"].to_list()) for joined in found.joined
    ]


def look(paths):
    """What is found in files, and all that of it is to be put into a workspace but where it came from."""
    found = read_sources([str(path) for path in paths], ImportOptions(), None, None)
    cases = {one.benchmark: (one.cases.drop("source").rows(), one.metadata.rows()) for one in found.imported}
    return found, (cases, scorers(found))


def made(folder, form):
    paths = []
    for name, raw in FILES.items():
        packed_name, packed = PACKED[form](name, raw)
        paths.append(folder / packed_name)
        paths[-1].write_bytes(packed)
    return paths


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What comes of the plain files."""
    plain = tmp_path_factory.mktemp("plain")
    for name, raw in FILES.items():
        (plain / name).write_bytes(raw)
    return look([plain / name for name in FILES])[1]


@pytest.mark.parametrize("form", PACKED)
def test_every_container_gives_the_cases_and_scorers_of_the_plain_files(folder, form, expected):
    paths = made(folder, form)
    found, there = look(paths)
    assert there == expected
    assert found.skipped == ()
    assert [one.results.name for one in found.joined] == ["my-prm"]
    assert not [finding for one in found.imported for finding in one.findings if finding.code == "cut-off"]
    # Nothing is left beside them.
    assert sorted(folder.iterdir()) == sorted(paths)


@pytest.mark.parametrize("form", one_of([*PACKED], 8))
def test_a_folder_of_containers_is_the_same(folder, form, expected):
    paths = made(folder, form)
    assert look([folder])[1][0] == expected[0]
    assert sorted(folder.iterdir()) == sorted(paths)


@pytest.mark.parametrize("form", ["named as if it were plain", "gzip in a zip", *also("gzip", "in a folder of a zip")])
def test_the_same_again_changes_nothing_and_each_case_leads_back_to_its_row(tmp_path, folder, form, monkeypatch):
    paths = made(folder, form)
    _, (_, saved), before = put(tmp_path / "ws", paths)
    assert [one.state for one in saved] == ["new"]
    written = sorted((tmp_path / "ws").rglob("*.parquet"))
    monkeypatch.chdir(folder)
    _, (added, saved), after = put(tmp_path / "ws", [path.name for path in paths])
    assert [one.state for one in saved] == ["unchanged"]
    assert {(one.new, one.changed, one.elsewhere) for one in added} == {(0, 0, ())}
    assert after == before
    assert sorted((tmp_path / "ws").rglob("rewards/*/*.parquet")) == [
        path for path in written if "rewards" in str(path)
    ]
    workspace = Workspace(tmp_path / "ws")
    values = {"processbench": CASES, "trl-stepwise": list(map(json.loads, NAMELESS.splitlines()))}
    for limit in (base.LARGE, 1):
        monkeypatch.setattr(base, "LARGE", limit)
        for benchmark in workspace.benchmarks():
            cases = workspace.cases([benchmark])[0].rows(named=True)
            rows = [original_row(workspace, case) for case in cases[::9]]
            assert rows == values.get(benchmark, values["trl-stepwise"])[::9]


def test_findings_name_the_member_and_the_line(folder):
    broken = WHOLE.replace(b'"steps": [', b'"steps": {', 1)
    (folder / "runs.zip").write_bytes(zipped(("b.jsonl", broken), ("a.jsonl", WHOLE)))
    found = read_sources([str(folder / "runs.zip")], ImportOptions(), None, None)
    assert [one.source for one in found.imported] == [f"{folder}/runs.zip/a.jsonl", f"{folder}/runs.zip/b.jsonl"]
    (finding,) = found.imported[1].findings
    assert (finding.source, finding.line, finding.code) == (f"{folder}/runs.zip/b.jsonl", 1, "broken-row")


def test_large_files_are_read_block_by_block_from_a_container_too(tmp_path, folder, monkeypatch):
    (folder / "sums.jsonl.gz").write_bytes(gzip.compress(WHOLE))
    _, _, expected = put(tmp_path / "expected", [folder / "sums.jsonl.gz"])
    monkeypatch.setattr(base, "LARGE", 1)
    found, _, there = put(tmp_path / "ws", [folder / "sums.jsonl.gz"], tmp_path / "spill")
    assert found.imported[0].spilled is not None
    assert there == expected


# Cut off.


@pytest.mark.parametrize(("form", "compress"), [("gz", gzip.compress), ("zst", zstd.compress)])
def test_what_was_whole_of_a_file_that_is_cut_off_comes_in(folder, form, compress):
    # A block of zstd is 128 kB, and only whole ones can be unpacked.
    rows = authored.rows(N if form == "gz" else 1000)
    packed = compress(authored.json_lines(rows))
    path = folder / f"sums.jsonl.{form}"
    expected = [row["id"] for row in rows]
    read = nothing = 0
    for end in [*range(3, len(packed), 97 if form == "gz" else 997), len(packed) - 1]:
        path.write_bytes(packed[:end])
        try:
            (imported,) = read_sources([str(path)], ImportOptions(), None, None).imported
        except UnreadableFile as error:
            nothing += "is cut off: nothing can be unpacked" in error.sentence
            continue
        except UnknownFormat:
            # Not one row is whole.
            assert not read
            continue
        read += 1
        assert imported.cases["id"].to_list() == expected[: imported.cases.height]
        (finding,) = imported.findings
        assert (finding.severity, finding.code, finding.source) == ("warning", "cut-off", str(path))
        assert f"; {imported.cases.height:,} whole lines of it were read" in finding.message
    assert read
    assert nothing
    path.write_bytes(packed)
    assert read_sources([str(path)], ImportOptions(), None, None).imported[0].findings == ()


def test_a_last_row_without_a_line_break_is_kept_where_it_is_whole(folder):
    path = folder / "sums.jsonl.gz"
    for raw, count in ((WHOLE[:-1], N), (WHOLE[:-2], N - 1)):
        path.write_bytes(gzip.compress(raw)[:-8])
        assert read_sources([str(path)], ImportOptions(), None, None).imported[0].cases.height == count


def test_an_array_and_a_table_that_are_cut_off(folder):
    array = gzip.compress(authored.json_array(CASES))
    (folder / "sums.json.gz").write_bytes(array[: len(array) // 2])
    (imported,) = read_sources([str(folder / "sums.json.gz")], ImportOptions(), None, None).imported
    assert 0 < imported.cases.height < N
    assert {finding.code for finding in imported.findings} == {"cut-off", "broken-row", "broken-array"}
    authored.write(folder / "sums.parquet", CASES)
    (folder / "sums.parquet.gz").write_bytes(gzip.compress((folder / "sums.parquet").read_bytes())[:-20])
    with pytest.raises(UnreadableFile, match=r"sums\.parquet\.gz starts like Parquet and cannot be read"):
        read_source(str(folder / "sums.parquet.gz"))


def test_garbage_after_the_end_is_a_finding(folder):
    (folder / "sums.jsonl.gz").write_bytes(gzip.compress(WHOLE) + b"garbage")
    (imported,) = read_sources([str(folder / "sums.jsonl.gz")], ImportOptions(), None, None).imported
    assert imported.cases.height == N
    assert [(one.code, one.message[:7]) for one in imported.findings] == [("trailing-bytes", "7 bytes")]


# Archives that are odd or hostile.


def brought(path, folder):
    return [(one.name.removeprefix(f"{path}/"), one.refusal) for one in bring(str(path), folder / "out")]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_only_files_that_may_hold_rows_are_read_from_an_archive(folder):
    path = folder / "runs.zip"
    link = zipfile.ZipInfo("link.jsonl")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    members = [
        ("z.jsonl", BY_ID),
        ("README.md", b"# Words"),
        ("picture.png", b"\x89PNG"),
        ("a/", b""),
        ("a/b.csv", b"id,x\n1,2\n"),
        ("rows", b'\n {"id": 1}'),
        ("__MACOSX/._z.jsonl", b"x"),
        (".hidden/z.jsonl", BY_ID),
        ("a/.z.jsonl", BY_ID),
        (link, b"/etc/passwd"),
        ("a/b.csv", b"id,x\n1,3\n"),
    ]
    path.write_bytes(zipped(*members))
    files = list(bring(str(path), folder / "out"))
    assert [one.name.removeprefix(f"{path}/") for one in files] == ["a/b.csv", "rows", "z.jsonl"]
    assert [one.place.removeprefix(os.path.realpath(path)) for one in files] == ["#a/b.csv", "#rows", "#z.jsonl"]
    assert [one.alone for one in files] == [False] * 3
    left_out, repeated = files[0].findings
    assert (left_out.severity, left_out.code) == ("note", "left-out-members")
    assert left_out.message == "by name and content no rows: README.md, picture.png"
    assert (repeated.severity, repeated.code) == ("warning", "repeated-member")
    assert files[1].findings == files[2].findings == ()
    assert list((folder / "out").iterdir()) == []


def test_members_never_lie_where_they_say(folder, tmp_path):
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    path = folder / "x.zip"
    path.write_bytes(zipped(("../../out.jsonl", WHOLE), ("/etc/out.jsonl", WHOLE), ("..\\out.jsonl", WHOLE)))
    for one in bring(str(path), folder / "out"):
        assert one.path.parent == folder / "out"
        assert one.path.name.startswith("source-")
        assert one.path.read_bytes() == WHOLE
    assert {path for path in tmp_path.rglob("*") if path.is_file()} - before == {path}


def test_an_archive_inside_an_archive_is_refused_and_the_rest_read(folder):
    inner = zipped(("x.jsonl", WHOLE))
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as opened:
        opened.add(__file__, "x.py")
    path = folder / "runs.zip"
    members = {
        "a.jsonl": WHOLE,
        "b.zip": inner,
        "c.zip.gz": gzip.compress(inner),
        "d.jsonl.gz.gz": gzip.compress(gzip.compress(WHOLE)),
        "e.tar.gz": gzip.compress(tar.getvalue()),
        "f.jsonl.zst": zstd.compress(WHOLE),
    }
    path.write_bytes(zipped(*members.items()))
    refused = {name: refusal.sentence.removeprefix(f"{path}/") for name, refusal in brought(path, folder) if refusal}
    assert refused == {
        "b.zip": "b.zip is an archive inside an archive.",
        "c.zip.gz": "c.zip.gz is an archive inside an archive.",
        "d.jsonl.gz.gz": "d.jsonl.gz.gz is compressed more than once.",
        "e.tar.gz": "e.tar.gz is a tar archive.",
    }
    found = read_sources([str(path)], ImportOptions(), None, None)
    assert [one.source.rpartition("/")[2] for one in found.imported] == ["a.jsonl", "f.jsonl.zst"]
    assert len(found.skipped) == 4
    assert found.grave


@pytest.mark.parametrize(
    ("name", "raw", "sentence"),
    [
        ("x.zip.gz", gzip.compress(zipped(("x.jsonl", WHOLE))), "is an archive inside a compressed file"),
        ("x.jsonl.gz", gzip.compress(bz2.compress(WHOLE)), "is compressed more than once"),
        ("x.zip", zipped(), "is a zip archive without a file that holds rows"),
        (
            "x.xlsx",
            zipped(("xl/a.xml", b"<x/>"), ("[Content_Types].xml", b"<x/>")),
            r"rows: \[Content_Types\]\.xml, xl/",
        ),
        (
            "x.xlsx",
            zipped(("xl/workbook.xml", b"<x/>"), ("xl/a.xml", b"<x/>")),
            r"is an Excel workbook\. Save the sheet as CSV",
        ),
        ("x.npz", zipped(("a.npy", b"\x93NUMPY"), ("b.npy", b"\x93NUMPY")), "is NumPy's .npz of several arrays"),
        ("x.pt", zipped(("model/data.pkl", b"\x80\x02}q"), ("model/data/0", b"\0")), "is a PyTorch file, whose pickle"),
        ("x.npz", zipped(("a.npy", b"\x93NUMPY\1\0")), r"x\.npz/a\.npy is a NumPy array\."),
        ("x.zip", zipped(("x.jsonl", WHOLE))[:-30], "is not a whole zip archive"),
        ("x.jsonl.gz", gzip.compress(WHOLE)[:-8] + bytes(8), "is damaged: it cannot be unpacked as gzip"),
        ("x.jsonl.gz", gzip.compress(b""), "holds no rows"),
        ("x.jsonl.gz", gzip.compress(WHOLE)[:6], "is cut off: nothing can be unpacked from its 6 bytes of gzip"),
        ("x.jsonl", b"", "holds no rows"),
    ],
    # What is packed holds the time.
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_one_sentence_with_a_next_step(folder, name, raw, sentence):
    (folder / name).write_bytes(raw)
    with pytest.raises(InputError, match=sentence) as caught:
        read_sources([str(folder / name)], ImportOptions(), None, None)
    assert str(folder / name) in caught.value.sentence
    assert caught.value.next_step
    with pytest.raises(InputError, match=r"nothing was recognised|holds no \.json"):
        read_sources([str(folder)], ImportOptions(), None, None)


def test_tar_archives_say_how_they_are_unpacked(folder):
    for name, mode in (("x.tar", "w"), ("x.tar.gz", "w:gz"), ("x.tgz", "w:gz")):
        with tarfile.open(folder / name, mode) as archive:
            archive.add(__file__, "x.py")
        with pytest.raises(UnreadableFile, match=r"is a tar archive\. .*tar -xf"):
            read_sources([str(folder / name)], ImportOptions(), None, None)


def put_at(raw, at, width, value):
    return raw[:at] + value.to_bytes(width, "little") + raw[at + width :]


def relabel(raw, at, width, value, listed):
    """Change what both headers of the first member claim; `at` is the place in its own, `listed` in the list."""
    return put_at(put_at(raw, at, width, value), raw.index(b"PK\x01\x02") + listed, width, value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda raw: relabel(raw, 6, 2, 1, 8), "it is encrypted"),
        (lambda raw: relabel(raw, 8, 2, 97, 10), "packed with method 97"),
        (lambda raw: relabel(raw, 14, 4, 1, 16), "its length or checksum is wrong"),
        (lambda raw: relabel(raw, 22, 4, 10, 24), "its length or checksum is wrong"),
        (lambda raw: relabel(raw, 22, 4, 2**31, 24), "its length or checksum is wrong"),
        (lambda raw: relabel(raw, 18, 4, 100, 20), "it is cut off"),
        (lambda raw: put_at(raw, raw.index(b"PK\x01\x02") + 42, 4, 7), "it does not begin where it should"),
        (lambda raw: raw[:60] + bytes(40) + raw[100:], "cannot be unpacked"),
    ],
)
def test_a_member_that_lies_or_is_damaged_is_refused_in_a_sentence(folder, change, sentence):
    path = folder / "x.zip"
    path.write_bytes(change(zipped(("x.jsonl", WHOLE))))
    ((_, refusal),) = brought(path, folder)
    assert sentence in refusal.sentence
    assert refusal.next_step
    assert list((folder / "out").iterdir()) == []


def test_a_bomb_in_an_archive_is_refused_by_what_it_becomes(folder, monkeypatch):
    monkeypatch.setattr(compressed_streams, "SMALL", 1_000_000)
    bomb = zipped(
        ("a.jsonl", WHOLE), ("b.jsonl", bytes(5_000_000)), ("c.jsonl", os.urandom(20_000)), ("d.jsonl", WHOLE)
    )
    path = folder / "x.zip"
    path.write_bytes(bomb)
    refused = dict(brought(path, folder))
    assert "b.jsonl unpacks to more than 200 times its size" in str(refused["b.jsonl"])
    assert (refused["a.jsonl"], refused["c.jsonl"], refused["d.jsonl"]) == (None, None, None)
    # Its header may say what it likes.
    path.write_bytes(relabel(zipped(("b.jsonl", bytes(5_000_000))), 22, 4, 100, 24))
    ((_, refusal),) = brought(path, folder)
    assert "200 times" in refusal.sentence


def test_many_small_bombs_are_one(folder, monkeypatch):
    monkeypatch.setattr(compressed_streams, "SMALL", 1_000_000)
    path = folder / "x.zip"
    path.write_bytes(zipped(*((f"{number:03}.jsonl", bytes(900_000)) for number in range(50))))
    refused = brought(path, folder)
    assert len(refused) < 20
    assert "x.zip unpacks to more than 200 times" in refused[-1][1].sentence
    assert f"The {50 - len(refused)} files after it in the archive were not read." in refused[-1][1].sentence


def test_small_bombs_that_are_compressed_within_the_archive_count_too(folder, monkeypatch):
    monkeypatch.setattr(compressed_streams, "SMALL", 1_000_000)
    path = folder / "x.zip"
    path.write_bytes(zipped(*((f"{number:03}.jsonl.gz", gzip.compress(bytes(900_000))) for number in range(50))))
    refused = brought(path, folder)
    assert len(refused) < 20
    assert "x.zip unpacks to more than 200 times" in refused[-1][1].sentence
    assert list((folder / "out").iterdir()) == []


def test_what_is_larger_than_the_room_is_refused(folder, monkeypatch):
    for module in (archives, local_files):
        monkeypatch.setattr(module, "free_room", lambda _: len(WHOLE) + 10)
    (folder / "x.jsonl.gz").write_bytes(gzip.compress(WHOLE * 2))
    with pytest.raises(UnreadableFile, match=r"x\.jsonl\.gz is larger than the .* that there is room for"):
        read_sources([str(folder / "x.jsonl.gz")], ImportOptions(), None, None)
    (folder / "x.zip").write_bytes(zipped(("a.jsonl", WHOLE), ("b.jsonl", WHOLE), ("c.jsonl", WHOLE)))
    assert [bool(refusal) for _, refusal in brought(folder / "x.zip", folder)] == [False, True]


@given(data=st.data(), form=st.sampled_from(["gzip", "bzip2", "zstd", "xz", "zip", "gzip in a zip"]))
def test_damage_anywhere_is_a_sentence_or_a_finding(tmp_path_factory, data, form):
    home = tmp_path_factory.getbasetemp() / "damaged"
    home.mkdir(exist_ok=True)
    path = home / "x.jsonl"
    raw = bytearray(PACKED[form]("sums.jsonl", WHOLE)[1])
    for at in data.draw(st.lists(st.integers(0, len(raw) - 1), max_size=5)):
        raw[at] = data.draw(st.sampled_from([0, 1, 255]) | st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.integers(1, len(raw)))] if data.draw(st.booleans()) else raw)
    try:
        said = read_sources([str(path)], ImportOptions(), None, home / "spill").skipped
    except InputError as error:
        said = (str(error),)
    # A name of our own would tell nobody anything.
    assert not any("\n" in line or "source-" in line for line in said)
    assert not list(home.rglob("source-*"))


def test_a_log_is_read_as_one_and_may_lie_in_something_else(folder):
    case = {"id": "sums-0", "input": "x", "output": {"choices": [{"message": {"content": "\\boxed{1}"}}]}, "scores": {}}
    log = zipped(
        ("header.json", json.dumps({"eval": {"model": "a/judge"}})), ("samples/sums-0_epoch_1.json", json.dumps(case))
    )
    for name, raw in (("x.eval", log), ("x.eval.gz", gzip.compress(log)), ("x.zip", zipped(("x.eval", log)))):
        (folder / name).write_bytes(raw)
        (scorer,) = read_source(str(folder / name)).results
        assert (scorer.name, scorer.rows.height) == ("a/judge", 1)
        assert scorer.source == f"{folder}/{name}{'/x.eval' if name == 'x.zip' else ''}"


def test_too_many_members(folder, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    (folder / "x.zip").write_bytes(zipped(("a", b""), ("b", b""), ("c", b"")))
    with pytest.raises(UnreadableFile, match="more than 2 members"):
        read_sources([str(folder / "x.zip")], ImportOptions(), None, None)


def test_a_file_of_several_is_no_one_source(folder):
    (folder / "x.zip").write_bytes(zipped(("a.jsonl", WHOLE), ("b.jsonl", WHOLE)))
    with pytest.raises(UsageError, match="holds several files"):
        read_source(str(folder / "x.zip"))
    assert read_source(str(made(folder, "gzip")[0])).imported[0].cases.height == N


@pytest.mark.parametrize("where", ["gone", "changed"])
def test_a_member_that_has_gone_is_one_sentence(tmp_path, folder, where):
    path = folder / "x.zip"
    path.write_bytes(zipped(("a.jsonl", WHOLE), ("b.jsonl", NAMELESS)))
    put(tmp_path / "ws", [path])
    workspace = Workspace(tmp_path / "ws")
    case = workspace.cases(["processbench"])[0].row(0, named=True)
    assert original_row(workspace, case) == CASES[0]
    path.unlink() if where == "gone" else path.write_bytes(zipped(("b.jsonl", NAMELESS)))
    sentence = "there is no file" if where == "gone" else r"x\.zip holds no a\.jsonl any more"
    with pytest.raises(UnreadableFile, match=sentence):
        original_row(workspace, case)


def test_a_hash_in_a_name_is_no_member(tmp_path, folder):
    path = folder / "a#b.jsonl"
    path.write_bytes(WHOLE)
    put(tmp_path / "ws", [path])
    workspace = Workspace(tmp_path / "ws")
    assert original_row(workspace, workspace.cases()[0].row(3, named=True)) == CASES[3]


# Standard input.


def piped(monkeypatch, raw, *, terminal=False):
    buffer = io.BytesIO(raw)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer, isatty=lambda: terminal))


@pytest.mark.parametrize("form", ["plain", "gzip", "zip"])
def test_standard_input_is_a_source(tmp_path, monkeypatch, form):
    def give(raw):
        piped(monkeypatch, raw if form == "plain" else PACKED[form]("my-prm.jsonl", raw)[1])

    give(WHOLE)
    found, _, _ = put(tmp_path / "ws", ["-", "-"])
    assert len(found.imported) == 1
    assert found.imported[0].source == ("-/my-prm.jsonl" if form == "zip" else "-")
    workspace = Workspace(tmp_path / "ws")
    assert workspace.cases()[0]["id"].to_list() == [row["id"] for row in CASES]
    with pytest.raises(UnreadableFile, match="it was read from standard input"):
        original_row(workspace, workspace.cases()[0].row(0, named=True))
    for state in ("new", "unchanged"):
        give(BY_ID)
        found, (_, saved), _ = put(tmp_path / "ws", ["-"])
        assert [one.state for one in saved] == [state]
        assert found.joined[0].results.name == ("my-prm" if form == "zip" else "stdin")


def test_a_stream_that_ends_in_the_middle_of_a_row(monkeypatch):
    piped(monkeypatch, WHOLE[:-30])
    (imported,) = read_sources(["-"], ImportOptions(), None, None).imported
    assert (imported.cases.height, imported.read) == (N - 1, N)
    (finding,) = imported.findings
    assert (finding.severity, finding.code, finding.source, finding.line) == ("error", "broken-row", "-", N)


def test_a_terminal_or_nothing_is_no_source(monkeypatch):
    piped(monkeypatch, b"", terminal=True)
    with pytest.raises(UsageError, match="nothing is piped in"):
        read_sources(["-"], ImportOptions(), None, None)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="nothing is piped in"):
        read_sources(["-"], ImportOptions(), None, None)
    piped(monkeypatch, b"")
    with pytest.raises(InputError, match="- holds no rows"):
        read_sources(["-"], ImportOptions(), None, None)


def test_an_endless_pipe_is_refused(monkeypatch):
    monkeypatch.setattr(bringing, "free_room", lambda _: 1000)
    piped(monkeypatch, WHOLE)
    with pytest.raises(UnreadableFile, match="standard input is larger"):
        read_sources(["-"], ImportOptions(), None, None)


MANY = 40_000


def test_the_members_of_an_archive_of_many_are_listed_in_time_that_grows_with_their_number(tmp_path):
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(MANY):
            archive.writestr(f"{number}.jsonl", b"")
    counts = []

    def count():
        with Archive(tmp_path / "many.zip", "many") as archive:
            counts.append(len(archive.members))

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    # It takes a second; looking at every name for each of them takes minutes.
    thread.join(20)
    assert counts == [MANY]


def test_progress_goes_on_from_member_to_member(tmp_path):
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number, row in enumerate(CASES):
            archive.writestr(f"{number}.jsonl", json.dumps(row))
    told = []
    read_sources([str(tmp_path / "many.zip")], ImportOptions(), None, None, progress=lambda *now: told.append(now))
    done = [now[0] for now in told]
    assert done == sorted(done)
    assert len(set(done)) >= N
    assert {name.rpartition("/")[2] for _, _, name in told} >= {f"{number}.jsonl" for number in range(N)}


def test_names_of_members_are_shortened_in_what_is_said_and_kept_in_what_is_stored(tmp_path, capsys):
    name = f"{'n' * 30_000}.jsonl"
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, json.dumps({**CASES[0], "label": 99}))
        archive.writestr("b.jsonl", "{broken")
        archive.writestr(f"{'x' * 30_000}.txt", "nothing")
    for words in ([], ["-v"]):
        assert main(["import", str(tmp_path / "a.zip"), "-w", str(tmp_path / "w"), *words]) == 1
        assert max(map(len, capsys.readouterr().out.splitlines())) < 1000
    (report,) = Workspace.open(tmp_path / "w").imports("processbench")
    assert report["source"].endswith(name)


def imported_cases(path, folder):
    workspace = Workspace.create(folder)
    batch = read_sources([str(path)], ImportOptions(), workspace, None)
    batch.put(workspace)
    return {row["case"]: row["key"] for row in workspace.cases()[0].iter_rows(named=True)}, batch


@pytest.fixture
def many(monkeypatch):
    monkeypatch.setattr(archives, "MANY_MEMBERS", N)


def members_of(rows, indent=None):
    return [(f"{number:03}.json", json.dumps(row, indent=indent).encode()) for number, row in enumerate(rows)]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_archive_of_a_row_per_member_holds_the_cases_of_the_plain_file(tmp_path, many, indent):
    (tmp_path / "sums.jsonl").write_bytes(WHOLE)
    (tmp_path / "sums.zip").write_bytes(zipped(*members_of(CASES, indent)))
    plain, _ = imported_cases(tmp_path / "sums.jsonl", tmp_path / "a")
    packed, batch = imported_cases(tmp_path / "sums.zip", tmp_path / "b")
    assert packed == plain
    (cases,) = batch.imported
    assert (cases.read, [finding.code for finding in cases.findings]) == (N, ["row-members"])


@pytest.mark.parametrize(
    "other",
    [
        b"{broken",
        b"[]",
        b'{"id": 1}',
        b"7",
        json.dumps({**CASES[0], "id": {}}).encode(),
        WHOLE[: WHOLE.index(b"\n") * 2],
    ],
)
def test_a_member_that_is_not_such_a_row_is_read_by_itself(tmp_path, many, other):
    (tmp_path / "sums.zip").write_bytes(zipped(*members_of(CASES), ("999.json", other)))
    cases, batch = imported_cases(tmp_path / "sums.zip", tmp_path / "a")
    assert len(cases) >= N
    rows, *others = batch.imported
    assert (rows.read, rows.path) == (N, str(tmp_path / "sums.zip"))
    (path,) = [*(imported.path for imported in others), *batch.skipped_places]
    assert path.endswith(("sums.zip#999.json", "sums.zip/999.json"))


def test_fewer_rows_are_read_one_by_one(tmp_path, many):
    (tmp_path / "sums.zip").write_bytes(zipped(*members_of(CASES[:-1]), ("999.json", b"{broken")))
    _, batch = imported_cases(tmp_path / "sums.zip", tmp_path / "a")
    assert [imported.path.rpartition("#")[2] for imported in batch.imported] == [
        f"{number:03}.json" for number in range(N - 1)
    ]


def test_an_archive_of_70_000_rows_is_imported_as_quickly_as_their_file(tmp_path):
    """Member by member it takes minutes."""
    row = json.dumps(CASES[0])
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(70_000):
            archive.writestr(f"{number}.json", row.replace(json.dumps(CASES[0]["id"]), f'"case-{number}"'))
    counts = []
    thread = threading.Thread(
        target=lambda: counts.append(len(imported_cases(tmp_path / "many.zip", tmp_path / "a")[0])), daemon=True
    )
    thread.start()
    thread.join(60)
    assert counts == [70_000]
