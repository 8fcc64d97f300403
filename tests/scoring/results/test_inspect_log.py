import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broken_rows import VALUES, as_rows, assert_sound, broken
from scoring.errors import InspectError, UnknownFormat, UnreadableFile
from scoring.reading.rows import read_rows
from scoring.results import zip_members
from scoring.results.inspect_log import load, load_file, recognises, recognises_file

HEADER = {"version": 2, "status": "success", "eval": {"task": "a-task", "model": "a-critic"}, "plan": {}}
HEAD = b"PK\x03\x04"


def sample(number=0, epoch=1, box=1):
    choice = {"message": {"role": "assistant", "content": f"\\boxed{{{box}}}"}, "stop_reason": "stop"}
    return {"id": number, "epoch": epoch, "target": "1", "output": {"choices": [choice]}, "metadata": {"steps": ["a"]}}


def member(value):
    return f"samples/{value['id']}_epoch_{value['epoch']}.json", value


@pytest.fixture
def log(tmp_path):
    """Writes members, values as JSON, to a log and gives its path."""

    def write(*members, name="a.eval"):
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
            for member_name, value in members:
                opened.writestr(member_name, value if isinstance(value, bytes) else json.dumps(value))
        return path

    return write


def one(path):
    (foreign,) = load_file(path)
    return foreign


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


WHOLE = (
    ("_journal/start.json", {"eval": HEADER["eval"], "plan": {}, "version": 2}),
    member(sample(0)),
    member(sample(0, 2, box=0)),
    member(sample(1, box=-1)),
    ("_journal/summaries/1.json", []),
    ("summaries.json", []),
    ("reductions.json", []),
    ("header.json", HEADER),
)


def test_an_archive(log):
    foreign = one(log(*WHOLE))
    assert foreign.rows.select("line", "id", "vote", "verdict").rows() == [
        (1, "0", 0, 1),
        (2, "0", 1, 0),
        (3, "1", 0, -1),
    ]
    assert (foreign.name, foreign.read, foreign.format) == ("a-critic", 3, "Inspect log")
    assert not foreign.findings


def test_a_log_that_was_never_closed_is_read_as_far_as_it_goes(log):
    foreign = one(log(*WHOLE[:3]))
    assert foreign.rows.height == 2
    assert codes(foreign) == [("note", "unfinished-log", 1)]


def test_an_id_may_be_any_text(log):
    foreign = one(log(WHOLE[-1], ("samples/a/b c_epoch_1.json", {**sample(), "id": "a/b c"})))
    assert foreign.rows["id"].to_list() == ["a/b c"]


def test_a_large_sample_lies_in_parts(log):
    shell = {key: value for key, value in sample().items() if key != "metadata"}
    parts = "samples/0_epoch_1"
    foreign = one(
        log(
            WHOLE[-1],
            (f"{parts}/sample.json", shell),
            (f"{parts}/metadata.json", {"problem": "p", "steps": ["a", "b"]}),
            (f"{parts}/messages/0.json", []),
            ("samples/1_epoch_1/sample.json", {**shell, "id": 1}),
        )
    )
    assert foreign.rows.select("id", "problem", "steps").rows() == [("0", "p", ["a", "b"]), ("1", None, None)]


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe\x00", b"[" * 100_000, b"1" * 5000, b""])
def test_a_member_that_is_no_json_costs_only_itself(log, content):
    foreign = one(log(WHOLE[-1], ("samples/x_epoch_1.json", content), member(sample())))
    assert foreign.rows["line"].to_list() == [2]
    assert foreign.read == 2
    assert codes(foreign) == [("error", "damaged-member", 1)]


def test_a_header_that_is_no_json_leaves_the_samples(log):
    foreign = one(log(("header.json", b"{"), member(sample())))
    assert foreign.rows.height == 1
    assert foreign.name == "a"
    assert codes(foreign)[0] == ("error", "damaged-member", None)


def test_an_archive_that_is_no_log(log):
    path = log(("a.txt", b"words"), name="a.zip")
    assert not recognises_file(HEAD, path)
    with pytest.raises(UnknownFormat, match="without an Inspect log"):
        load_file(path)


def test_a_bomb_is_one_sentence(log):
    path = log(WHOLE[-1], member(sample()), ("samples/2_epoch_1.json", b" " * 10 * 1024**2))
    with pytest.raises(UnreadableFile, match="more than 500 to 1"):
        load_file(path)


def test_what_is_not_read_may_be_large(log, monkeypatch):
    monkeypatch.setattr(zip_members, "LARGEST_MEMBER", 1000)
    assert one(log(*WHOLE, ("summaries-of-all.json", bytes(2000)))).rows.height == 3


def test_a_cut_off_archive_is_one_sentence(log):
    path = log(*WHOLE)
    path.write_bytes(path.read_bytes()[:-30])
    assert recognises_file(HEAD, path)
    assert not recognises_file(HEAD, path.rename(path.with_suffix(".zip")))
    with pytest.raises(UnreadableFile, match="no whole zip archive"):
        load_file(path.with_suffix(".zip"))


def test_recognition_of_files(log):
    path = log(*WHOLE)
    assert recognises_file(HEAD, path)
    assert recognises_file(HEAD, path.rename(path.with_suffix(".anything")))
    assert not recognises_file(b"{}", path.with_suffix(".anything"))


@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_with_all_samples(tmp_path, indent):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**HEADER, "samples": [sample(0), sample(0, 2), 5]}, indent=indent))
    rows = read_rows(path)
    assert all(recognises(row.value) for row in rows.rows)
    (foreign,) = load(rows)
    assert foreign.rows.select("line", "id", "vote").rows() == [(1, "0", 0), (2, "0", 1)]
    assert foreign.read == 3
    assert codes(foreign) == [("error", "broken-row", 3)]


def test_several_logs_in_a_file_are_several_scorers():
    second = {**HEADER, "eval": {"model": "another"}, "samples": [sample()]}
    first, other = load(as_rows([5, {**HEADER, "samples": [sample(), sample(1)]}, second]))
    assert (first.name, first.rows.height, other.name, other.rows.height) == ("a-critic", 2, "another", 1)
    assert codes(first) == [("error", "broken-row", 1)]
    assert not other.findings


def test_a_file_without_any_log():
    (foreign,) = load(as_rows([5]))
    assert foreign.rows.height == 0
    assert {code for _, code, _ in codes(foreign)} == {"broken-row", "unfinished-log", "no-samples"}


def test_recognition_of_rows():
    assert recognises({**HEADER, "samples": []})
    assert recognises(HEADER)
    assert not recognises({"eval": "x", "samples": []})
    assert not recognises(sample())
    assert not recognises(None)


@given(st.lists(broken({**HEADER, "samples": [sample(), sample(1)]}), max_size=3))
def test_hostile_rows_give_findings_and_no_exception(values):
    for value in values:
        recognises(value)
    assert_sound(load(as_rows(values)))


@given(VALUES, st.lists(VALUES | broken(sample()), max_size=3))
def test_hostile_members_give_findings_and_no_exception(tmp_path_factory, header, samples):
    path = tmp_path_factory.getbasetemp() / "hostile.eval"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("header.json", json.dumps(header))
        for number, value in enumerate(samples):
            opened.writestr(f"samples/{number}_epoch_1.json", json.dumps(value))
    assert_sound(load_file(path), len(samples))


@given(st.binary(max_size=200))
def test_hostile_bytes_give_expected_errors(tmp_path_factory, raw):
    path = tmp_path_factory.getbasetemp() / "bytes.eval"
    path.write_bytes(HEAD + raw)
    assert recognises_file(HEAD, path)
    with pytest.raises(InspectError):
        load_file(path)
