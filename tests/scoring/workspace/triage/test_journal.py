import json
import os
import random
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from scoring.data.errors import UnwritableWorkspace
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.journal import ENVIRONMENT, Author, Journal, append_lines
from thoroughness import THOROUGH

ANN, BOB = Author("ann", "gpu1"), Author("bob", "gpu2")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "triage"


def tags(folder, author=ANN):
    return dict(Journal(folder, author).triage.tags)


def lines(folder, author=ANN):
    return [json.loads(line) for line in (folder / author.file).read_text().splitlines()]


def test_a_folder_that_is_not_there_holds_nothing_and_is_made_by_the_first_action(folder):
    journal = Journal(folder, ANN)
    assert (journal.triage.tags, journal.problems, journal.undo(), journal.redo()) == ({}, (), (), ())
    journal.tag(["b/1"], ["odd"])
    assert tags(folder) == {"b/1": ("odd",)}


def test_a_line_says_who_did_what_when_and_where(folder):
    journal = Journal(folder, ANN, clock=lambda: "then")
    journal.tag(["b/1", "b/2"], ["odd"], ["fine"])
    journal.undo()
    same = {"v": 1, "time": "then", "who": "ann", "machine": "gpu1"}
    assert lines(folder) == [
        {**same, "n": 1, "action": "tag", "cases": ["b/1", "b/2"], "value": "odd"},
        {**same, "n": 2, "action": "untag", "cases": ["b/1", "b/2"], "value": "fine", "batch": 1},
        {**same, "n": 3, "action": "undo", "of": 1},
    ]


def test_rulings_and_ratings_say_of_which_text_of_the_case(folder):
    journal = Journal(folder, ANN, clock=lambda: "then")
    journal.do([("rule", ["b/1"], "gold wrong"), ("rate", ["b/1"], "0 -1"), ("tag", ["b/1"], "odd")], "0123456789ab")
    journal.rule(["b/1"], "unsure")
    assert [line.get("content") for line in lines(folder)] == ["0123456789ab", "0123456789ab", None, None]
    for one in (journal, Journal(folder, ANN)):
        assert [action.content for action, _ in one.of_case("b/1")] == ["0123456789ab", "0123456789ab", "", ""]


@pytest.mark.parametrize("content", [7, None, ["x"]])
def test_a_ruling_of_some_other_text_than_can_be_read_is_kept_as_one_of_another(folder, content):
    Journal(folder, ANN).rule(["b/1"], "unsure")
    path = folder / ANN.file
    path.write_text(json.dumps({**json.loads(path.read_text()), "content": content}) + "\n")
    again = Journal(folder, ANN)
    assert again.triage.rulings == {"b/1": {"ann": "unsure"}}
    assert [action.content for action, _ in again.of_case("b/1")] == [str(content)]


def test_undo_and_redo_go_through_everything_also_after_a_restart(folder):
    first = Journal(folder, ANN)
    first.tag(["b/1"], ["x", "y"])
    first.note(["b/1"], "look")
    first.tag([f"b/{number}" for number in range(1000)], ["bulk"])
    again = Journal(folder, ANN)
    assert [one.value for one in again.undo()] == ["bulk"]
    assert [one.value for one in again.undo()] == ["look"]
    assert again.triage.tags == {"b/1": ("x", "y")}
    assert [one.value for one in again.undo()] == ["x", "y"]
    assert again.undo() == ()
    assert again.triage.tags == again.triage.notes == {}
    third = Journal(folder, ANN)
    for _ in range(3):
        assert third.redo()
    assert third.redo() == ()
    assert (len(third.triage.tags), third.triage.note("b/1")) == (1000, "look")
    third.undo()
    third.tag(["b/1"], ["new"])
    assert third.redo() == ()


def test_nobody_undoes_what_another_did(folder):
    Journal(folder, BOB).tag(["b/1"], ["bobs"])
    ann = Journal(folder, ANN)
    assert ann.undo() == ()
    ann.tag(["b/1"], [], ["bobs"])
    assert ann.triage.tags == {}
    ann.undo()
    assert ann.triage.tags == {"b/1": ("bobs",)}


def test_the_counter_is_beyond_all_that_was_seen(folder):
    bob = Journal(folder, BOB)
    for _ in range(5):
        bob.tag(["b/1"], ["x"])
    Journal(folder, ANN).tag(["b/1"], [], ["x"])
    assert lines(folder)[0]["n"] == 6
    assert tags(folder) == {}


def test_two_processes_of_one_author_know_of_each_other(folder):
    one, two = Journal(folder, ANN), Journal(folder, ANN)
    one.tag(["b/1"], ["x"])
    two.tag(["b/1"], ["y"])
    assert [line["n"] for line in lines(folder)] == [1, 2]
    assert two.triage.tags == {"b/1": ("x", "y")}
    assert [action.value for action in one.undo()] == ["y"]
    assert one.triage.tags == {"b/1": ("x",)}


def test_where_there_are_no_locks_what_another_wrote_just_before_is_seen(folder, monkeypatch):
    one, two = Journal(folder, ANN), Journal(folder, ANN)
    one.tag(["b/1"], ["x"])
    two.catch_up()
    catch_up = two.catch_up

    def late():
        catch_up()
        one.tag(["b/1"], ["y"])

    monkeypatch.setattr("scoring.workspace.triage.journal.locked", lambda _: nullcontext())
    monkeypatch.setattr(two, "catch_up", late)
    two.tag(["b/1"], ["z"])
    monkeypatch.undo()
    assert two.changed
    two.catch_up()
    assert two.triage.tags == {"b/1": ("x", "y", "z")}
    assert not two.changed


def test_copies_from_other_machines_merge_whatever_their_order_and_however_often(tmp_path):
    there, here = tmp_path / "there", tmp_path / "here"
    for folder, author in ((there, BOB), (here, ANN)):
        journal = Journal(folder, author)
        journal.tag(["b/1", "b/2"], [author.who])
        journal.note(["b/1"], f"from {author.who}")
        journal.tag(["b/2"], [], ["ann"])
        journal.tag(["b/3"], ["gone"])
        journal.undo()
    (here / BOB.file).write_bytes((there / BOB.file).read_bytes())
    merged = Journal(here, ANN).triage
    assert merged.tags == {"b/1": ("ann", "bob"), "b/2": ("bob",)}
    assert merged.note("b/1") == "ann: from ann; bob: from bob"
    (here / "a copy of bob's.jsonl").write_bytes((there / BOB.file).read_bytes())
    (there / ANN.file).write_bytes((here / ANN.file).read_bytes())
    for folder in (here, there):
        assert Journal(folder, ANN).triage.tags == merged.tags
    assert Journal(here, BOB).redo()[0].value == "gone"


@pytest.mark.parametrize("cut", [1, 30, 80])
def test_a_torn_last_line_is_told_and_the_next_action_takes_its_place(folder, cut):
    journal = Journal(folder, ANN)
    journal.tag(["b/1"], ["x"])
    journal.tag(["b/2"], ["ý"])
    path = folder / ANN.file
    data = path.read_bytes()
    path.write_bytes(data[: -1 - cut])
    again = Journal(folder, ANN)
    assert len(again.problems) == 1
    assert again.problems[0].startswith(f"triage/{ANN.file}:2: was cut short while it was written")
    assert again.triage.tags == {"b/1": ("x",)}
    again.tag(["b/3"], ["z"])
    assert not again.changed
    first, second = path.read_bytes().splitlines(keepends=True)
    assert (first, second[-1:]) == (data.splitlines(keepends=True)[0], b"\n")
    assert tags(folder) == again.triage.tags == {"b/1": ("x",), "b/3": ("z",)}
    assert Journal(folder, ANN).problems == ()


def test_a_long_torn_line_goes_whole_and_nothing_before_it(folder):
    journal = Journal(folder, ANN)
    journal.note(["b/1"], "first")
    journal.note(["b/2"], "é" * 200_000)
    path = folder / ANN.file
    first = path.read_bytes().splitlines(keepends=True)[0]
    # In the middle of a character.
    path.write_bytes(path.read_bytes()[: len(first) + 300_001])
    Journal(folder, ANN).note(["b/3"], "third")
    assert path.read_bytes().startswith(first)
    assert len(path.read_bytes().splitlines()) == 2
    assert set(Journal(folder, ANN).triage.notes) == {"b/1", "b/3"}


def test_a_torn_line_alone_in_its_file_goes_too(folder):
    Journal(folder, ANN).tag(["b/1"], ["x"])
    path = folder / ANN.file
    path.write_bytes(path.read_bytes()[:50])
    Journal(folder, ANN).tag(["b/2"], ["y"])
    assert tags(folder) == {"b/2": ("y",)}
    assert Journal(folder, ANN).problems == ()


def test_a_line_of_somebody_elses_that_is_no_json_stays_where_it_is(folder):
    folder.mkdir()
    Journal(folder, BOB).tag(["b/1"], ["x"])
    for end in (b"", b"\n"):
        (folder / BOB.file).write_bytes(b"by hand" + end)
        Journal(folder, ANN).tag(["b/2"], ["y"])
        assert (folder / BOB.file).read_bytes() == b"by hand" + end
    # Nor one of one's own that has its end: nothing was interrupted there.
    (folder / ANN.file).write_bytes(b"by hand\n")
    Journal(folder, ANN).tag(["b/3"], ["z"])
    assert (folder / ANN.file).read_bytes().startswith(b"by hand\n{")
    assert len(Journal(folder, ANN).problems) == 2


def test_a_last_line_that_lacks_only_its_end_counts_before_and_after_the_next(folder):
    Journal(folder, ANN).tag(["b/1"], ["x"])
    path = folder / ANN.file
    path.write_bytes(path.read_bytes()[:-1])
    assert tags(folder) == {"b/1": ("x",)}
    Journal(folder, ANN).tag(["b/2"], ["y"])
    assert tags(folder) == {"b/1": ("x",), "b/2": ("y",)}


GOOD = {"v": 1, "n": 3, "time": "", "who": "bob", "machine": "m", "action": "tag", "cases": ["b/1"], "value": "x"}


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"nonsense",
        b"\xff\xfe",
        b"[" * 20000,
        b'{"a":1},{"b":2}',
        *(
            json.dumps({**GOOD, **bad}).encode()
            for bad in (
                {"n": 0},
                {"n": "3"},
                {"n": True},
                {"n": 10**30},
                {"who": None},
                {"machine": 3},
                {"cases": "b/1"},
                {"cases": [1]},
                {"value": ""},
                {"value": None},
                {"batch": "x"},
                {"action": "rule", "value": "wrong model"},
                {"action": "rate", "value": "first 1"},
                {"action": "queue", "value": ""},
                {"action": "undo"},
                {"action": "undo", "of": 3},
                {"action": "redo", "of": "1"},
            )
        ),
    ],
)
def test_a_damaged_line_is_told_with_its_place_and_the_others_count(folder, line):
    folder.mkdir()
    good = json.dumps(GOOD).encode()
    (folder / "bob.jsonl").write_bytes(good + b"\n" + line + b"\n\n" + good.replace(b"b/1", b"b/2") + b"\n")
    journal = Journal(folder, ANN)
    assert len(journal.problems) == 1
    assert journal.problems[0].startswith("triage/bob.jsonl:2: ")
    assert journal.triage.tags == {"b/1": ("x",), "b/2": ("x",)}


def test_what_a_later_version_writes_is_counted_kept_and_does_nothing(folder):
    folder.mkdir()
    path = folder / ANN.file
    mine = {**GOOD, "who": "ann", "machine": "gpu1"}
    later = [{**mine, "n": 9, "v": 2}, {**mine, "n": 7, "action": "judge"}, {**mine, "n": 5, "action": ["tag"]}]
    path.write_text("".join(json.dumps(line) + "\n" for line in (mine, *later)))
    before = path.read_bytes()
    journal = Journal(folder, ANN)
    assert journal.unknown == {"version 2": 1, "judge": 1, "['tag']": 1}
    assert journal.problems == ()
    assert journal.undo()[0].value == "x"
    assert path.read_bytes().startswith(before)
    assert lines(folder)[-1]["n"] == 10


def test_halves_of_surrogate_pairs_are_replaced_where_they_are_written_and_told_where_they_are_read(folder):
    Journal(folder, ANN).tag(["b/\udc00"], ["\ud800", "\N{GRINNING FACE}"])
    assert tags(folder) == {"b/?": ("?", "\N{GRINNING FACE}")}
    (folder / "odd.jsonl").write_text(json.dumps({**GOOD, "who": "\ud800"}) + "\n")
    assert "odd.jsonl:1: is not a whole JSON object" in Journal(folder, ANN).problems[0]


def test_a_file_that_cannot_be_read_is_told(folder):
    (folder / "folder.jsonl").mkdir(parents=True)
    assert "folder.jsonl cannot be read" in Journal(folder, ANN).problems[0]


@pytest.mark.parametrize("who", ["ann", "Ann Lee", "../../etc/passwd", "安", "", "a" * 300, ".", "ann\x1b]0;x\x07"])
def test_names_of_files_are_safe_and_no_two_people_share_one(folder, who, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT, who)
    me = Author.me()
    assert me.who == who.strip() or not who
    assert set(me.file) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
    assert len(me.file) < 120
    assert not me.file.startswith(".")
    Journal(folder, me).tag(["b/1"], ["x"])
    assert [path.name for path in folder.iterdir()] == [me.file]
    assert me.file != Author(f"{me.who} ", me.machine).file


def test_an_account_without_a_name_is_someone(monkeypatch):
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    monkeypatch.setattr("getpass.getuser", lambda: (_ for _ in ()).throw(KeyError("uid")))
    assert Author.me().who == "someone"


def test_a_full_disk_leaves_the_journal_as_it_was(small_disk):
    folder = small_disk / "triage"
    journal = Journal(folder, ANN)
    journal.tag(["b/1"], ["x"])
    before = (folder / ANN.file).read_bytes()
    (small_disk / "filler").write_bytes(b"0" * (900 << 10))
    with pytest.raises(UnwritableWorkspace, match="full"):
        journal.tag([f"b/{number}" for number in range(60000)], ["bulk"])
    assert (folder / ANN.file).read_bytes() == before
    assert journal.triage.tags == {"b/1": ("x",)}
    journal.tag(["b/2"], ["y"])
    assert tags(folder) == {"b/1": ("x",), "b/2": ("y",)}
    assert [one.value for one in journal.undo()] == ["y"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "triage").write_text("a file")
    journal = Journal(tmp_path / "triage", ANN)
    with pytest.raises(UnwritableWorkspace):
        journal.tag(["b/1"], ["x"])
    assert journal.triage.tags == {}
    assert journal.undo() == ()


def test_lines_are_added_by_one_write_each_time(tmp_path, monkeypatch):
    written = []
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: written.append(bytes(data)) or real(descriptor, data))
    append_lines(tmp_path / "file", ["a", "b"])
    append_lines(tmp_path / "file", ["c"])
    assert written == [b"a\nb\n", b"c\n"]


BUSY = """
import sys
from pathlib import Path
from scoring.workspace.triage.journal import Author, Journal
journal = Journal(Path(sys.argv[1]), Author("ann", sys.argv[2]))
for number in range(100000):
    journal.tag([f"b/{number}"], [sys.argv[2]])
    print(number, flush=True)
"""


def test_every_acknowledged_action_is_there_after_kill_9(folder):
    """Two processes of one author and one of another write until they are killed at any moment."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", BUSY, str(folder), machine],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
        )
        for machine in ("one", "one", "two")
    ]
    told = []
    for machine, process in zip(("one", "one", "two"), running, strict=True):
        words = [process.stdout.readline() for _ in range(random.randint(3, 30))]
        process.send_signal(signal.SIGKILL)
        words += process.stdout.read().splitlines(keepends=True)
        told += [(int(word), machine) for word in words if word.endswith("\n")]
        process.stdout.close()
        process.wait()
    journal = Journal(folder, Author("ann", "one"))
    assert len(told) >= 9
    for number, machine in told:
        assert machine in journal.triage.tags[f"b/{number}"]
    assert len(journal.problems) <= 2
    counters = [action.n for action in journal._history.actions if action.machine == "one"]
    assert len(set(counters)) == len(counters)


KILLS = 500 if THOROUGH else 60
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.journal import Author, Journal

folder, rng, acknowledged = Path(sys.argv[1]), random.Random(int(sys.argv[2])), 0
for moment in range(int(sys.argv[3])):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        journal = Journal(folder, Author("ann", "one"))
        for number in range(1000):
            journal.rule([f"b/{moment}-{number}"], RULINGS[number % 5])
            os.write(write, b".")
    os.close(write)
    # The first actions of a child are waited for now and then, so that kills fall on its reading, too.
    if rng.random() < 0.8:
        os.read(read, 1)
        acknowledged += 1
    time.sleep(rng.random() * 0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while data := os.read(read, 1 << 16):
        acknowledged += len(data)
    os.close(read)
    print(moment, acknowledged, flush=True)
"""


def test_kills_at_random_moments_lose_nothing_that_was_acknowledged(folder):
    """Children of a process without threads rule until they are killed; each tells what is on the disk."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(random.randrange(10**6)), str(KILLS)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )
    told = [int(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(told) == KILLS
    acknowledged = [after - before for before, after in zip([0, *told], told, strict=False)]
    journal = Journal(folder, ANN)
    rulings = {case for case, of in journal.triage.rulings.items()}
    for moment, number in enumerate(acknowledged):
        assert {f"b/{moment}-{at}" for at in range(number)} <= rulings
    # At most the one that was being written when its process was killed stands there without having been told.
    assert len(rulings) <= sum(acknowledged) + KILLS
    # A kill may fall on the very moment in which the system writes; the next child then cut that line off. Of the last
    # kill the next action of this author does.
    assert len(journal.problems) <= 1
    Journal(folder, Author("ann", "one")).rule(["b/after"], RULINGS[0])
    lines = (folder / Author("ann", "one").file).read_bytes().splitlines()
    assert [json.loads(line)["action"] for line in lines] == ["rule"] * (len(rulings) + 1)
    assert Journal(folder, ANN).problems == ()
