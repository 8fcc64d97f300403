import json
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broken_rows import VALUES, as_rows, assert_sound, broken
from scoring.data.errors import InspectError, UnknownFormat, UnreadableFile
from scoring.formats.reading.compressed_streams import DamagedStream, zstd_module
from scoring.formats.reading.rows import read_rows
from scoring.formats.results import zip_members
from scoring.formats.results.inspect_log import load, load_file, log_answers, recognises, recognises_file
from scoring.formats.results.zip_members import ZipMembers
from thoroughness import up_to

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
    with pytest.raises(UnreadableFile, match="not a whole zip archive"):
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


@up_to(100, 12)
@given(st.lists(broken({**HEADER, "samples": [sample(), sample(1)]}), max_size=3))
def test_hostile_rows_give_findings_and_no_exception(values):
    for value in values:
        recognises(value)
    assert_sound(load(as_rows(values)))


@up_to(100, 12)
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


HEADER_SAMPLES = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "find-the-error",
        "model": "a-provider/a-critic",
        "dataset": {"name": "some-cases", "location": "some-cases.json"},
        "config": {"epochs": 2},
    },
    "plan": {"name": "plan", "config": {"temperature": 0.7, "max_connections": 10}},
}
STEPS = ["One and one.", "That makes three."]
ANSWER = "Three is wrong: \\boxed{1}"


def sample_samples(number=0, epoch=1, completion=ANSWER, answer=..., **changes):
    choice = {"message": {"role": "assistant", "content": completion}, "stop_reason": "stop"}
    sound = {
        "id": f"sums-{number}",
        "epoch": epoch,
        "input": "What is 1 + 1?",
        "target": "1",
        "messages": [],
        "output": {"model": "a-critic", "choices": [choice], "usage": {"input_tokens": 9, "output_tokens": 4}},
        "metadata": {"problem": "What is 1 + 1?", "steps": STEPS},
    }
    scores = {} if answer is ... else {"scores": {"first": {"value": "C", "answer": answer}, "second": {"answer": "9"}}}
    return {**sound, **scores, **changes}


def read(*samples, **header):
    return log_answers({**HEADER_SAMPLES, **header}, samples, "logs/a.eval", [])


def with_eval(**changes):
    return {"eval": {**HEADER_SAMPLES["eval"], **changes}}


def test_a_sample_is_an_answer():
    foreign = read(sample_samples())
    assert foreign.rows.row(0, named=True) == {
        **dict.fromkeys(foreign.rows.columns),
        "line": 1,
        "id": "sums-0",
        "problem": "What is 1 + 1?",
        "steps": STEPS,
        "gold": 1,
        "vote": 0,
        "run": 0,
        "answer": ANSWER,
        "finish_reason": "stop",
        "tokens_in": 9,
        "tokens_out": 4,
        "ballot": "1",
        "verdict": 1,
    }
    assert (foreign.name, foreign.kind, foreign.benchmark) == ("a-provider/a-critic", "critic", None)
    assert foreign.settings == {"harness": "inspect", "task": "find-the-error", "temperature": 0.7, "votes": 1}
    assert not foreign.findings


def test_epochs_are_votes():
    foreign = read(sample_samples(0, 2), sample_samples(0, 1), sample_samples(1, 1))
    assert foreign.rows.select("id", "vote").rows() == [("sums-0", 1), ("sums-0", 0), ("sums-1", 0)]
    assert foreign.settings["votes"] == 2


@pytest.mark.parametrize("epoch", [0, -1, "2", None, 10**7, True])
def test_an_epoch_that_is_none(epoch):
    foreign = read(sample_samples(epoch=epoch))
    assert foreign.rows["vote"].to_list() == [0]
    assert codes(foreign) == [("warning", "wrong-type", 1)]


def test_the_first_sample_with_an_id_and_epoch_counts():
    foreign = read(sample_samples(), sample_samples(epoch=2), sample_samples(completion="\\boxed{0}"))
    assert foreign.rows["verdict"].to_list() == [1, 1]
    assert foreign.read == 3
    assert codes(foreign) == [("error", "repeated-id", 3)]


@pytest.mark.parametrize(
    ("answer", "completion", "ballot", "verdict"),
    [
        ("0", ANSWER, "0", 0),
        (" -1 ", ANSWER, "-1", -1),
        (2, ANSWER, "2", 2),
        ("-5", ANSWER, "-5", -2),
        ("paragraph 0", ANSWER, "1", 1),
        (None, ANSWER, "1", 1),
        ("C", "no box", None, None),
        (["0"], "\\boxed{a}", "a", None),
    ],
)
def test_the_answer_of_the_first_score_counts_if_it_is_a_number(answer, completion, ballot, verdict):
    foreign = read(sample_samples(answer=answer, completion=completion))
    assert foreign.rows.select("ballot", "verdict").rows() == [(ballot, verdict)]
    assert (foreign.rows["reason"].null_count() == 1) == (verdict is not None)


def test_what_was_read_is_said_with_how_often():
    foreign = read(
        sample_samples(0, answer="0"),
        sample_samples(1),
        sample_samples(2, answer="x"),
        sample_samples(3, completion="no box"),
    )
    assert foreign.label_base == (
        "0-based, -1 = no error; verdicts read: 1 from the answer of the score 'first', "
        "2 from the last \\boxed{...} of the completion"
    )
    assert read().label_base == "0-based, -1 = no error; verdicts read: none"


@pytest.mark.parametrize("header", [with_eval(metadata={"index_base": 1}), with_eval(task_args={"index_base": 1})])
def test_a_base_of_one_is_converted(header):
    texts = ["\\boxed{1}", "\\boxed{-1}", "\\boxed{0}"]
    foreign = read(
        *(sample_samples(number, completion=text, target=["2"]) for number, text in enumerate(texts)), **header
    )
    assert foreign.rows["verdict"].to_list() == [0, -1, -2]
    assert foreign.rows["gold"].to_list() == [1, 1, 1]
    assert foreign.label_base.startswith("1-based (index_base is 1), -1 = no error")


def test_the_base_of_a_sample_goes_before_that_of_the_log():
    based = sample_samples(1, metadata={"steps": STEPS, "index_base": 0})
    foreign = read(sample_samples(0), based, **with_eval(metadata={"index_base": 1}))
    assert foreign.rows["verdict"].to_list() == [0, 1]
    assert foreign.label_base.startswith("0-based and 1-based")


@pytest.mark.parametrize(
    ("target", "gold"),
    [("1", 1), ("-1", -1), (["0", "1"], 0), ([], None), ("C", None), (2, 2), ("-3", None), (None, None)],
)
def test_a_target_that_is_a_step_is_gold(target, gold):
    assert read(sample_samples(target=target)).rows["gold"].to_list() == [gold]


def test_a_sample_that_ended_in_an_error_says_so():
    failed = {"message": "out of money", "traceback": "..."}
    foreign = read(
        sample_samples(0, error=failed, output={"choices": []}),
        sample_samples(1, error=failed, completion="I was just"),
        sample_samples(2, error=failed),
    )
    ended = "the sample ended in an error: out of money"
    assert foreign.rows["reason"].to_list() == [ended, ended, None]
    assert foreign.rows["answer"].to_list() == [None, "I was just", ANSWER]


def test_what_the_model_did_not_say_is_a_reason():
    foreign = read(sample_samples(output={"choices": [], "error": "refused"}), sample_samples(1, output=None))
    assert foreign.rows["reason"].to_list() == ["refused", "the model gave no text"]


def test_reasoning_and_attachments():
    content = [{"type": "reasoning", "reasoning": "attachment://abc"}, {"type": "text", "text": ANSWER}]
    foreign = read(
        sample_samples(completion=content, attachments={"abc": "A long thought."}),
        sample_samples(1, completion=content),
    )
    assert foreign.rows["reasoning"].to_list() == ["A long thought.", "attachment://abc"]


def test_an_older_log_has_the_completion_beside_the_choices():
    assert read(sample_samples(output={"choices": [], "completion": ANSWER})).rows["verdict"].to_list() == [1]


def test_texts_that_are_missing_leave_the_id():
    foreign = read(sample_samples(metadata={}))
    assert foreign.rows.select("id", "problem", "steps", "verdict").rows() == [("sums-0", None, None, 1)]


@pytest.mark.parametrize("dataset", [{"name": "Qwen/ProcessBench"}, {"name": "x", "location": "qwen/processbench"}])
def test_the_data_set_says_the_benchmark(dataset):
    assert read(sample_samples(), **with_eval(dataset=dataset)).benchmark == "processbench"


@pytest.mark.parametrize("status", ["started", "cancelled", "error", None])
def test_an_unfinished_log_is_noted(status):
    assert codes(read(sample_samples(), status=status)) == [("note", "unfinished-log", 1)]


def test_no_samples_and_samples_that_are_none():
    assert codes(read()) == [("warning", "no-samples", 1)]
    foreign = read(None, 5, sample_samples())
    assert foreign.read == 3
    assert foreign.rows["line"].to_list() == [3]
    assert codes(foreign) == [("error", "broken-row", 2)]


def test_a_log_without_a_model_is_called_after_its_file():
    assert read(sample_samples(), eval={}).name == "a"


@given(
    broken(HEADER_SAMPLES),
    st.lists(
        broken(sample_samples(), sample_samples(1, answer="0"), sample_samples(2, error={"message": "x"})), max_size=4
    ),
)
def test_hostile_logs_give_findings_and_no_exception(header, samples):
    assert_sound([log_answers(header, samples, "a.eval", [])], len(samples))


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
    with ZipMembers(path) as members, pytest.raises(DamagedStream):
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
        with pytest.raises(DamagedStream, match=said):
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
    with ZipMembers(path) as members, pytest.raises(DamagedStream):
        members.read("a name")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x03\x04" + bytes(100), b"no archive"])
def test_no_whole_archive(tmp_path, content):
    path = tmp_path / "an.eval"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="not a whole zip archive"):
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
                except DamagedStream as damage:
                    str(damage).encode()
    except UnreadableFile as refused:
        str(refused).encode()
