"""`remove`, `restore` and `prune`, and the sizes in `scorers` and `benchmarks`."""

import io
import json
import re
import sys

import pytest

import example
import making
from inspector.cli import main
from refusals import sentence_of
from scoring.data.storage.files import locked
from scoring.formats.reading.compressed_streams import size_words
from scoring.workspace.workspace import Workspace


@pytest.fixture
def space(tmp_path, monkeypatch):
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    example.noted(tmp_path / "w")
    return Workspace.open(tmp_path / "w")


@pytest.fixture
def run(space, capsys):
    def run_(*words):
        code = main([*words, "-w", "w"])
        output = capsys.readouterr()
        return code, output.out, output.err

    return run_


def names(run, command):
    return list(dict.fromkeys(row[command[:-1]] for row in json.loads(run(command, "--json")[1])["rows"]))


def test_a_scorer_goes_by_a_part_of_its_name_and_comes_back(run):
    before = run("metrics", "--json")
    code, out, err = run("remove", "scorer", "alp")
    assert (code, err) == (0, "")
    first, *others = out.splitlines()
    assert re.fullmatch(r"Moved scorer alpha \([\d.]+ kB\) into the trash of w\.", first)
    assert others == ["Bring it back:  prm-inspect restore alpha -w w", "Free the space: prm-inspect prune -w w"]
    assert names(run, "scorers") == ["beta"]
    assert run("restore")[1].splitlines()[0].startswith("  scorer alpha: ")
    code, out, _ = run("restore", "alp")
    assert code == 0
    assert out.startswith("Brought back scorer alpha (")
    assert run("metrics", "--json") == before


@pytest.mark.parametrize("words", [["remove", "scorer", "x"], ["prune", "--yes"]])
def test_flags_that_would_leave_a_part_out_are_refused(run, space, capsys, words):
    for flag, value in (("--where", "n_steps > 2"), ("--benchmark", "bench")):
        with pytest.raises(SystemExit) as left:
            run(*words, flag, value)
        assert left.value.code == 2
        sentence = f"prm-inspect {words[0]} takes no {flag}: metrics and others do. Things are taken whole"
        assert sentence in capsys.readouterr().err


def test_of_a_benchmark_what_stays_is_said(run):
    code, out, _ = run("remove", "benchmark", "bench")
    assert code == 0
    stays = "What stays: rewards of 2 scorers (alpha, beta) and what people said of 5 cases."
    assert out.splitlines()[1] == f"{stays} It shows again once the benchmark is back."
    code, out, err = run("benchmarks")
    assert (code, err.splitlines()[0]) == (0, "No benchmark was imported here.")
    code, _, err = run("scorers")
    assert "In its trash: bench. One comes back with: prm-inspect restore NAME -w w" in err
    run("restore", "bench")
    assert names(run, "scorers") == ["alpha", "beta"]
    assert json.loads(run("triage", "--json")[1])["rows"]


def test_a_name_of_several_lists_them_and_one_of_none_lists_all(run):
    code, _, err = run("remove", "scorer", "a")
    assert (code, sentence_of(err)) == (2, "Wrong usage: 2 scorers match 'a'. There are: alpha, beta.")
    assert run("remove", "scorer", "x") == (2, "", "Wrong usage: no scorer matches 'x'. There are: alpha, beta.\n")
    for name in ("alpha", "beta"):
        run("remove", "scorer", name)
    code, _, err = run("restore", "a")
    sentence = "Wrong usage: 2 removed things match 'a'. There are: scorer alpha, scorer beta."
    assert (code, sentence_of(err)) == (2, sentence)
    assert run("restore", "scorer", "beta")[0] == 0
    assert run("restore", "alpha")[0] == 0
    assert run("restore") == (0, "The trash of w is empty.\n", "")


@pytest.mark.parametrize(("kind", "name"), [("benchmark", "demo"), ("scorer", "tiny-prm-s")])
def test_the_bundled_demo_cannot_be_removed(run, kind, name):
    code, out, err = run("remove", kind, name)
    assert (code, out) == (2, "")
    assert "comes with the program: it takes no room in a workspace and cannot be removed." in err
    assert err.count("\n") == 1


def test_the_demo_cannot_be_removed_where_there_is_no_workspace(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    assert main(["remove", "benchmark", "demo"]) == 2
    assert "the demo comes with the program" in capsys.readouterr().err
    assert main(["remove", "benchmark", "gsm8k"]) == 2
    assert "nothing was imported here yet" in capsys.readouterr().err


def test_a_name_that_is_taken_again_is_refused_in_a_sentence(run, space):
    run("remove", "scorer", "alpha")
    making.scorer("alpha", fingerprint="f" * 32).save(space.root / "rewards" / "alpha-ffffffff")
    code, out, err = run("restore", "alpha")
    assert (code, out) == (2, "")
    assert err.startswith("Wrong usage: there is a scorer alpha again, and two of one name there cannot be. ")
    assert err.count("\n") == 1


def test_of_several_of_one_name_the_newest_comes_back(run, space):
    run("remove", "scorer", "alpha")
    making.scorer("alpha", about="The second one.").save(space.root / "rewards" / "alpha-second")
    run("remove", "scorer", "alpha")
    code, out, _ = run("restore", "alpha")
    assert code == 0
    assert out.splitlines()[1] == "The trash still holds 1 more of that name, removed before."
    assert (space.root / "rewards" / "alpha-second").is_dir()


def test_a_scorer_that_is_being_written_is_refused(run, space):
    with locked(space.root / "rewards" / example.ALPHA.folder):
        code, out, err = run("remove", "scorer", "alpha")
    assert (code, out) == (2, "")
    assert err == (
        "In use: scorer alpha was not removed: another process is writing its rewards. "
        "Try again when that has ended, or stop it.\n"
    )
    assert names(run, "scorers") == ["alpha", "beta"]


def test_a_benchmark_that_cannot_be_read_can_be_removed(run, space):
    for path in space.root.glob("benchmarks/*/*/cases.parquet"):
        path.write_bytes(b"PAR1")
    code, out, _ = run("remove", "benchmark", "bench")
    assert code == 0
    assert "Its cases could not be read: Damaged workspace: " in out
    assert "What stays: rewards that scorers gave its cases and what people said of 5 cases." in out


def test_pruning_says_what_and_how_many_bytes_and_wants_a_yes(run, space):
    assert run("prune") == (0, "The trash of w is empty.\n", "")
    run("remove", "scorer", "alpha")
    size = sum(path.stat().st_size for path in space.root.glob("trash/*/*/*"))
    code, out, err = run("prune")
    assert code == 2
    assert out.splitlines()[-1] == f"In the trash of w: 1 removed thing, {size:,} bytes."
    assert out.startswith(f"  scorer alpha: {size_words(size)}, removed 2")
    sentence = "Wrong usage: this deletes what is in the trash, and nobody can be asked. Agree to it with --yes."
    assert sentence_of(err) == sentence
    assert run("restore")[1] == out
    code, out, _ = run("prune", "--yes")
    assert (code, out.splitlines()[-1]) == (0, f"Deleted {size_words(size)} ({size:,} bytes). The trash is empty.")
    assert list((space.root / "trash").iterdir()) == []
    assert run("restore", "alpha")[0] == 2


@pytest.mark.parametrize(("answer", "gone"), [("y\n", True), ("n\n", False), ("", False), ("yes, but\n", False)])
def test_at_a_terminal_pruning_asks(run, space, monkeypatch, answer, gone):
    run("remove", "scorer", "alpha")
    keyboard = io.StringIO(answer)
    keyboard.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", keyboard)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    code, out, err = run("prune")
    assert "for good? [y/N]" in err
    assert (code, out.splitlines()[-1][:7]) == ((0, "Deleted") if gone else (2, "Nothing"))
    assert bool(list((space.root / "trash").iterdir())) != gone


def test_what_an_interrupted_prune_left_is_counted_and_deleted(run, space):
    run("remove", "scorer", "alpha")
    (entry,) = (space.root / "trash").iterdir()
    entry.rename(entry.with_name(f".{entry.name}"))
    code, out, _ = run("prune", "--yes")
    assert code == 0
    assert "what an interrupted prune left: " in out
    assert list((space.root / "trash").iterdir()) == []


def test_sizes_and_times_are_those_of_the_files(run, space):
    (scorer, _) = json.loads(run("scorers", "--json")[1])["rows"]
    folder = space.root / "rewards" / example.ALPHA.folder
    assert scorer["bytes"] == sum(path.stat().st_size for path in folder.iterdir())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", scorer["used"])
    (benchmark,) = json.loads(run("benchmarks", "--json")[1])["rows"]
    home = space.root / "benchmarks" / "bench"
    assert benchmark["bytes"] == sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    assert size_words(benchmark["bytes"]) in run("benchmarks")[1]
    for command in ("benchmarks", "scorers"):
        for row in json.loads(run(command, "--json", "--benchmark", "demo")[1])["rows"]:
            assert (row["bytes"], row["used"]) == (None, None)


def test_the_size_of_a_benchmark_of_several_files_stands_once_for_people(run, processbench_file):
    from authored import rows

    run("import", str(processbench_file(rows(3), "a.jsonl")), str(processbench_file(rows(6)[3:], "b.jsonl")))
    each = json.loads(run("benchmarks", "--json", "--benchmark", "processbench")[1])["rows"]
    assert len(each) == 2
    assert each[0]["bytes"] == each[1]["bytes"] > 0
    assert run("benchmarks", "--benchmark", "processbench")[1].count(size_words(each[0]["bytes"])) == 1
