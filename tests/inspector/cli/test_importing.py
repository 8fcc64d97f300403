import errno
import gzip
import io
import json
import os
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from authored import json_lines, row, rows
from failing import failing, interrupted
from inspector.cli import main
from scoring.workspace.workspace import Workspace


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def run(tmp_path, capsys):
    """Runs `import` on a workspace; gives exit code, stdout, stderr."""

    def import_(*words, workspace=tmp_path / "workspace"):
        where = ["-w", str(workspace)] if workspace else []
        code = main(["import", *map(str, words), *where])
        output = capsys.readouterr()
        assert all(character.isprintable() or character == "\n" for character in output.out + output.err)
        return code, output.out, output.err

    import_.root = tmp_path / "workspace"
    return import_


def cases(root):
    return Workspace.open(root).cases()[0]["id"].to_list()


def test_a_sound_file_is_imported_with_a_report(run, processbench_file):
    path = processbench_file([*rows(4), row(0, "products")])
    code, out, err = run(path)
    assert code == 0
    assert out.splitlines() == [
        f"{path}: processbench (JSON Lines)",
        "  5 cases of 5 rows: 2 erroneous, 3 clean",
        "  subsets: sums 4, products 1",
        "  labels: 0-based, -1 = no error (1 labels are 0, 0 equal the number of steps)",
        "  in the workspace: 5 new, 0 changed, 0 unchanged",
        f"Workspace {run.root}. Look at it with: prm-inspect --workspace {run.root}",
    ]
    assert err == ""
    assert len(cases(run.root)) == 5


def test_an_import_again_says_that_nothing_changed(run, processbench_file):
    path = processbench_file(rows(4))
    run(path)
    assert run(path)[1].startswith(f"{path}: unchanged since it was imported: 4 cases of processbench\n")
    assert "0 new, 0 changed, 4 unchanged" in run(path, "-v")[1]
    processbench_file([row(0, label=1), *rows(4)[1:], row(9)])
    assert "1 new, 1 changed, 3 unchanged" in run(path)[1]


def test_findings_are_told_with_their_lines_and_the_exit_code_is_1(run, processbench_file):
    raw = json_lines([row(0), row(1, label=7), row(1), row(2, steps=["a", ""]), row(3, problem=None)]) + b"{broken\n"
    code, out, _ = run(processbench_file(raw))
    assert code == 1
    assert out.splitlines()[1] == "  3 cases of 6 rows, 3 left out: 1 erroneous, 2 clean"
    assert out.splitlines()[5:-1] == [
        "  error: 1 x broken-row",
        "    line 6: not valid JSON (Expecting property name enclosed in double quotes at column 2)",
        "  error: 1 x repeated-id",
        "    line 3: the id is that of line 2; the first one counts [sums-1]",
        "  error: 1 x wrong-type",
        "    line 5: problem is null, not text [sums-3]",
        "  warning: 1 x label-beyond-end",
        "    line 2: label 7 is beyond the last step (2, 0-based) [sums-1]",
        "  note: 1 x empty-step",
        "    line 4: steps [1] are empty [sums-2]",
    ]
    assert cases(run.root) == ["sums-0", "sums-1", "sums-2"]


def test_notes_alone_are_no_finding_for_the_exit_code(run, processbench_file):
    assert run(processbench_file([row(0, steps=["a", ""])]), "--strict")[0] == 0


def test_many_findings_of_a_kind_are_cut_and_counted(run, processbench_file):
    _, out, _ = run(processbench_file([row(number, label=9) for number in range(20)]))
    assert "  warning: 20 x label-beyond-end" in out
    assert out.count("is beyond the last step") == 3
    assert "    ... and 17 more\n  -v lists every finding.\n" in out
    _, whole, _ = run(processbench_file([row(number, label=9) for number in range(20)]), "-v")
    assert whole.count("is beyond the last step") == 20
    assert "more" not in whole


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_strict_writes_nothing_where_there_are_findings(run, processbench_file, dry):
    good, bad = processbench_file(rows(3)), processbench_file([row(0, label=9)], "bad.jsonl")
    code, out, err = run(good, bad, "--strict", *dry)
    assert code == 2
    assert out == ""
    assert "  bad.jsonl:1: label 9 is beyond the last step" in err
    assert err.splitlines()[-1].startswith("Strict import refused: there are findings (above)")
    assert err.endswith("Nothing was written.\n")
    assert not run.root.exists()


def test_strict_writes_what_is_sound(run, processbench_file):
    assert run(processbench_file(rows(3)), "--strict")[0] == 0
    assert len(cases(run.root)) == 3


@pytest.mark.parametrize(("changes", "code"), [({}, 0), ({"label": 9}, 1)])
def test_a_dry_run_reports_and_writes_nothing(run, processbench_file, tmp_path, changes, code):
    path = processbench_file([row(0, **changes)])
    before = sorted(tmp_path.rglob("*"))
    found, out, _ = run(path, "--dry-run")
    assert found == code
    assert "1 case of 1 row" in out
    assert "in the workspace" not in out
    assert sorted(tmp_path.rglob("*")) == before


def test_quiet_says_nothing_and_keeps_the_exit_code(run, processbench_file):
    assert run(processbench_file([row(0, label=9)]), "-q") == (1, "", "")


def test_without_a_workspace_a_new_one_is_made_here_and_said(run, processbench_file):
    path = processbench_file(rows(2))
    code, out, _ = run(path, workspace=None)
    assert code == 0
    assert out.splitlines()[-1] == "Workspace .prm-inspect. Look at it with: prm-inspect"
    assert len(cases(Path(".prm-inspect"))) == 2


def test_the_environment_names_the_workspace(run, processbench_file, tmp_path, monkeypatch):
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "named"))
    assert run(processbench_file(rows(2)), workspace=None)[0] == 0
    assert len(cases(tmp_path / "named")) == 2


ONE_SENTENCE = {
    "not there": (lambda _: "gone.json", "Cannot read the file: there is no file gone.json. Check the path."),
    "empty": (lambda folder: made(folder / "x.json", b""), "holds no rows"),
    "no JSON": (lambda folder: made(folder / "x.json", b"hello"), "can be read (not valid JSON"),
    "cut gzip": (lambda folder: made(folder / "x.json", b"\x1f\x8b"), "is cut off: nothing can be unpacked"),
    "no such scheme": (lambda _: "ftp://host/x.json", "ftp:// is not read, only https://"),
    "unknown": (
        lambda folder: made(folder / "x.json", b'{"prompt": 1}'),
        "its rows have the keys prompt. Say which column",
    ),
    "nested": (
        lambda folder: made(folder / "x.json", b'{"prompt": 1, "choices": [{"message": {"content": "a"}}]}'),
        "keys prompt, choices, choices[].message, choices[].message.content. Say which column",
    ),
    "columns of pandas": (
        lambda folder: made(folder / "x.json", b'{"id": {"0": "a", "1": "b"}, "rewards": {"0": [1], "1": [0.5]}}'),
        "one object with a column a key, as pandas' to_json writes it unless told otherwise. Write a row a case: ",
    ),
    "an id a key": (
        lambda folder: made(folder / "x.json", b'{"a": [0.5, 1], "b": [0.5], "c": [1]}'),
        "one object with an id a key. Write a row a case: ",
    ),
    "rows inside an object": (
        lambda folder: made(
            folder / "x.json", b'{"model": "m", "results": [{"id": "a", "scores": [1]}, {"id": "b", "scores": [0.5]}]}'
        ),
        "one object that holds its rows in a list, 'results'. Write a row a case: ",
    ),
    "rewards of nothing": (
        lambda folder: made(folder / "x.jsonl", b'{"rewards": [0.5]}\n{"rewards": [1]}\n'),
        "nothing in them says which case a row is of: an id, or problem and steps. Say which column",
    ),
    "cut Parquet": (lambda folder: made(folder / "x.json", b"PAR1xx"), "starts like Parquet and cannot be read"),
    "an empty folder": (
        lambda folder: folder,
        "holds no .json, .jsonl, .ndjson, .parquet, .arrow, .feather, .csv, .tsv or .eval file.",
    ),
    "escape sequence": (lambda _: "\x1b[2J\x00.json", "␛[2J␀.json"),
    "acting key": (lambda folder: made(folder / "x.json", b'{"\\u001b[2J\\ud800": 1}'), "keys ␛[2J\ufffd."),
}


def made(path, raw):
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize(("make", "said"), ONE_SENTENCE.values(), ids=ONE_SENTENCE)
def test_what_cannot_be_read_is_one_sentence_and_exit_code_2(run, tmp_path, make, said):
    folder = tmp_path / "in"
    folder.mkdir()
    code, out, err = run(make(folder))
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not run.root.exists()


@pytest.mark.parametrize("words", [[], ["--dry-run"], ["-q"]])
def test_standard_input_is_named_with_a_hyphen(run, monkeypatch, words):
    packed = gzip.compress(json_lines(rows(4)))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(packed), isatty=lambda: False))
    code, out, err = run("-", *words)
    assert (code, err) == (0, "")
    assert out.startswith("" if "-q" in words else "-: processbench (JSON Lines)\n  4 cases of 4 rows")
    assert run.root.exists() == ("--dry-run" not in words)
    assert list(Path.cwd().parent.rglob("source-*")) == []


def test_an_archive_is_reported_member_by_member_and_what_is_refused_is_said(run, tmp_path):
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sums.jsonl", json_lines(rows(4)))
        archive.writestr("words.txt", "words")
        archive.writestr("inner.zip", b"PK\x05\x06" + bytes(18))
    code, out, err = run(path)
    assert (code, err) == (1, "")
    assert out.startswith(f"{path}/sums.jsonl: 4 cases of 1 benchmark; 1 warning, 1 note\n")
    assert "by name and content no rows: words.txt" in out
    assert f"{path}/inner.zip is an archive inside an archive." in out
    assert run(path, "--strict")[0] == 2


def test_of_one_file_with_several_scorers_notes_are_whole_and_there_are_no_indices_to_tell(run, tmp_path, monkeypatch):
    run(made(tmp_path / "sums.jsonl", json_lines(rows(4))))
    several = [{"id": row["id"], "a": [0.25] * len(row["steps"]), "b": [0.75] * len(row["steps"])} for row in rows(4)]
    monkeypatch.setattr("inspector.cli.actions.importing._width", lambda _: 80)
    out = run(made(tmp_path / "wide.jsonl", json_lines(several)))[1]
    whole = " ".join(out.split())
    assert "note: 2 x guessed-columns: the column '" in whole
    assert "was taken for step rewards by its name and content; --rewards COLUMN names another -v lists" in whole
    assert max(map(len, out.splitlines()[:-1])) <= 80
    logits = [{"id": row["id"], "rewards": [-3.5] * len(row["steps"])} for row in rows(4)]
    out = run(made(tmp_path / "logits.jsonl", json_lines(logits)))[1]
    assert "the threshold 0.5 is only a default: --threshold X states theirs" in " ".join(out.split())
    assert "indices" not in out
    code, out, _ = run(tmp_path / "logits.jsonl", "--threshold", "0")
    assert (code, "reward-range" in out, "wrong iff its reward < 0" in " ".join(out.split())) == (0, False, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--where", "n_steps > 2"],
            "takes no --where: metrics and others do. An import takes all that a source holds",
        ),
        (["--scorer", "x"], "takes no --scorer: metrics and others do. --name says what a scorer is called"),
    ],
)
def test_flags_that_choose_what_is_shown_are_refused(run, processbench_file, capsys, words, said):
    with pytest.raises(SystemExit) as left:
        run(processbench_file(rows(2)), *words)
    assert left.value.code == 2
    assert said in capsys.readouterr().err
    assert not run.root.exists()


def test_the_name_of_a_scorer_need_not_be_a_folders(run, tmp_path):
    run(made(tmp_path / "sums.jsonl", json_lines(rows(4))))
    mine = made(
        tmp_path / "mine.jsonl",
        json_lines([{"id": row["id"], "rewards": [0.5] * len(row["steps"])} for row in rows(4)]),
    )
    code, out, err = run(mine, "--name", "my prm: v2")
    assert (code, err) == (0, "")
    assert out.startswith(f"{mine}: prm my prm: v2 (table)\n  4 of 4 results joined")


def test_its_help_fits_a_terminal_and_lists_no_flag_that_it_refuses(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["import", "--help"])
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert [flag for flag in ("--where", "--subset", "--scorer", "--baselines") if f"\n  {flag} " in out] == []


def test_only_looking_reads_containers_too(tmp_path, capsys):
    path = tmp_path / "sums.jsonl.gz"
    path.write_bytes(gzip.compress(json_lines(rows(4)))[:-4])
    assert main(["doctor", str(path)]) == 1
    out = capsys.readouterr().out
    assert "4 cases of 4 rows" in out
    assert "warning: 1 x cut-off" in out


def test_one_bad_name_among_good_ones_writes_nothing(run, processbench_file):
    assert run(processbench_file(rows(2)), "gone.json")[0] == 2
    assert not run.root.exists()


def test_data_never_reaches_the_terminal_raw(run, processbench_file):
    path = processbench_file([row(0, id="\x1b]0;title\x07-1", problem="\x1b[2J", label=9, subset="[red]\u202ex")])
    code, out, _ = run(path)
    assert code == 1
    assert "subsets: [red]\ufffdx 1" in out
    assert "[␛]0;title␇-1]" in out


def test_a_name_that_is_no_text(run, tmp_path):
    path = tmp_path / os.fsdecode(b"sums\xff.jsonl")
    path.write_bytes(json_lines(rows(2)))
    assert run(path)[0] == 0
    assert len(cases(run.root)) == 2


def test_a_folder_is_its_files_and_what_is_not_known_is_said(run, processbench_file, tmp_path):
    processbench_file(rows(2), "in/a.jsonl")
    processbench_file([row(5)], "in/b.parquet")
    processbench_file([{"prompt": "x"}], "in/c.json")
    processbench_file(b"PAR1 cut off", "in/d.parquet")
    processbench_file(b"", "in/e.json")
    processbench_file(b"x", "in/notes.txt")
    code, out, _ = run(tmp_path / "in")
    assert code == 1
    assert "\nnot looked at, by their names: 1 file (notes.txt); to read one, name it\n" in out
    assert cases(run.root) == ["sums-0", "sums-1", "sums-5"]
    assert "c.json is none of the formats known here; its rows have the keys prompt." in out
    assert "d.parquet starts like Parquet and cannot be read" in out
    assert "e.json holds no rows." in out


def test_workspaces_in_a_folder_are_passed_over_with_a_note(run, processbench_file, tmp_path):
    """What the import wrote before is no data to import."""
    processbench_file(rows(2), "in/a.jsonl")
    for name in ("first", "second"):
        assert main(["import", str(tmp_path / "in/a.jsonl"), "-w", str(tmp_path / "in" / name)]) == 0
    code, out, _ = run(tmp_path / "in", "--dry-run")
    names = f"{tmp_path}/in/first, {tmp_path}/in/second"
    note = f"not looked into, as prm-inspect's own: 2 workspaces ({names}); to read a file in one, name the file"
    assert (code, note in out.splitlines()) == (0, True), out
    assert "texts-" not in out


def test_strict_wants_every_file_of_a_folder_to_be_known(run, processbench_file, tmp_path):
    processbench_file(rows(2), "in/a.jsonl")
    processbench_file([{"prompt": "x"}], "in/c.json")
    code, _, err = run(tmp_path / "in", "--strict")
    assert code == 2
    assert "c.json is none of the formats known here" in err
    assert not run.root.exists()


def test_a_folder_of_nothing_known_is_exit_code_2(run, processbench_file, tmp_path):
    processbench_file([{"prompt": "x"}], "in/c.json")
    code, out, err = run(tmp_path / "in")
    assert (code, out) == (2, "")
    assert "nothing was recognised" in err


def test_a_benchmark_can_be_named(run, processbench_file):
    path = processbench_file([row(1, label=...)])
    code, out, _ = run(path, "--dry-run")
    assert code == 0
    assert "columns: id = id, problem = problem, steps = steps" in out
    code, out, _ = run("processbench", path)
    assert code == 1
    assert ": processbench (" in out
    assert "1 without a gold label" in out


def test_a_path_named_like_a_benchmark_is_a_path(run, processbench_file):
    Path("processbench").write_bytes(json_lines(rows(2)))
    other = processbench_file([row(8)])
    assert run("processbench", other)[0] == 0
    assert cases(run.root) == ["sums-0", "sums-1", "sums-8"]
    assert run("demo")[0] == 2


def test_hub_names_without_the_package(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    code, _, err = run("hf:someone/something")
    assert code == 2
    assert err == "Not installed: this needs the package 'datasets'. Run: pip install 'prm-inspect[score]'\n"


@pytest.mark.parametrize(
    ("number", "said"), [(errno.EROFS, "the file system is read-only"), (errno.ENOSPC, "the disk is full")]
)
def test_a_workspace_that_cannot_be_written_is_one_sentence(run, processbench_file, monkeypatch, number, said):
    path = processbench_file(rows(2))
    monkeypatch.setattr(Path, "mkdir", failing(number))
    code, out, err = run(path)
    assert (code, out) == (2, "")
    assert f"{run.root}/workspace.json: {said}." in err
    assert err.count("\n") == 1


def test_a_file_for_a_workspace_is_one_sentence(run, processbench_file, tmp_path):
    path = processbench_file(rows(2))
    code, _, err = run(path, workspace=path)
    assert code == 2
    assert "a part of the path is a file" in err
    assert path.read_bytes() == json_lines(rows(2))


def test_an_interrupt_is_exit_code_130(run, processbench_file, monkeypatch):
    path = processbench_file(rows(2))
    monkeypatch.setattr(Path, "read_bytes", interrupted)
    assert run(path)[0] == 130


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["import"], "prm-inspect import needs PATH."),
        (["import", "--strickt", "x"], "did you mean --strict?"),
        (["import", "x", "--benchmark"], "--benchmark: expected one argument."),
        (["import", "x", "--where", "y"], "An import takes all that a source holds"),
    ],
)
def test_wrong_usage_is_exit_code_2(words, sentence, capsys):
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert sentence in capsys.readouterr().err


def test_the_published_files_import_without_a_warning(run, data_folder):
    code, out, err = run(data_folder / "processbench", "--strict", "-v")
    assert (code, err) == (0, "")
    assert "1,000 cases of 1,000 rows: 594 erroneous, 406 clean" in out
    assert "400 cases of 400 rows: 207 erroneous, 193 clean" in out
    assert len(cases(run.root)) == 1400


def test_a_guessed_mapping_can_be_kept_and_used_again(run, processbench_file, tmp_path):
    path = processbench_file(b"question,response,first_error\np,a\n,-1\n".replace(b"a\n", b"a "), "mine.csv")
    kept = tmp_path / "mapping.json"
    code, out, _ = run(path, "--dry-run", "--save-mapping", kept)
    assert code in {0, 1}
    assert f"Wrote how its columns were read to {kept}" in out
    assert json.loads(kept.read_text())["problem"] == "question"
    assert "columns: problem = question" in run(path, "--dry-run", "--mapping", kept)[1]


def test_a_mapping_is_kept_of_one_table_only(run, processbench_file, tmp_path):
    code, _, err = run(processbench_file([row(1)]), "--dry-run", "--save-mapping", tmp_path / "mapping.json")
    assert code == 2
    assert "--save-mapping is for one table, and there are 0" in err
    assert not (tmp_path / "mapping.json").exists()


def test_several_files_are_summed_up(run, processbench_file):
    one, two = processbench_file(rows(3), "a.jsonl"), processbench_file([row(2), row(7, label=1)], "b.jsonl")
    out = run(one, two)[1]
    assert out.splitlines() == [
        f"2 files in {one.parent}: 4 cases of 1 benchmark",
        "  benchmark     files  rows  repeated  cases  erroneous  clean  new  unchanged",
        "  processbench      2     5         1      4          2      2    4          1",
        "  labels: processbench 0-based, -1 = no error",
        "-v lists every file and finding.",
        f"Workspace {run.root}. Look at it with: prm-inspect --workspace {run.root}",
    ]
    whole = run(one, two, "-v", "--dry-run")[1].splitlines()
    assert whole[0] == out.splitlines()[0]
    assert [f"{one}: processbench (JSON Lines)", "  3 cases of 3 rows: 1 erroneous, 2 clean"] == whole[4:6]


def test_columns_are_named_by_flags_and_may_be_paths(run, tmp_path):
    chats = [
        {
            "uid": f"c{number}",
            "chat": [{"role": "user", "text": f"Add {number}."}, {"role": "assistant", "text": "First.\n\nSecond."}],
            "values": [{"prm": 0.9, "mine": 0.2}, {"prm": 0.4, "mine": 0.7}],
            "wrong": number % 3,
        }
        for number in range(12)
    ]
    path = tmp_path / "chats.jsonl"
    path.write_bytes(json_lines(chats))
    code, out, _ = run(
        *(path, "--id", "uid", "--problem", "chat[role=user].text", "--steps", "chat[role=assistant].text"),
        *("--separator", "\n\n", "--earliest-error", "wrong", "--label-base", "1", "--clean", "0"),
        *("--rewards", "values[].prm=the-prm", "--rewards", "values[].mine"),
    )
    assert (code, "the-prm" in out, "values[].mine" in out) == (0, True, True), out
    assert Workspace.open(run.root).cases()[0]["earliest_error"].to_list() == [-1, 0, 1] * 4


AMBIGUOUS = [{"question": f"q{number}", "steps": ["a", "b", "c"], "first_error": number % 3} for number in range(6)]


def test_a_dry_run_shows_the_first_case_and_what_joins(run, processbench_file, tmp_path):
    run(processbench_file(rows(4)))
    path = tmp_path / "mine.jsonl"
    path.write_bytes(json_lines([{"q": 1, "question": "q0", "steps": ["a\x1b[31m", "b"], "first_error": 1}]))
    code, out, _ = run(path, "--dry-run", "--label-base", "1")
    assert code == 0
    assert out.splitlines()[-6:] == [
        "The first case, mine/mine#1:",
        "  problem: q0",
        "  step 0 (the earliest error): a␛[31m",
        "  step 1: b",
        "  earliest error, 0-based: step 0",
        "Tried on 1 row: 0 of cases that are here",
    ]


def test_nobody_is_asked_without_a_terminal(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    path = tmp_path / "mine.jsonl"
    path.write_bytes(json_lines(AMBIGUOUS))
    code, out, err = run(path)
    assert (code, err) == (1, "")
    assert "--label-base 1 --clean 0" in out


@pytest.fixture
def typed_in(tmp_path, monkeypatch):
    """Imports rows of two readings on a terminal where this is typed; the exit code, and what the terminal gets."""

    def call(typed, *words):
        ours, theirs = os.openpty()
        path = tmp_path / "mine.jsonl"
        path.write_bytes(json_lines(AMBIGUOUS))
        with os.fdopen(os.dup(theirs)) as stdin, os.fdopen(theirs, "w") as stderr, monkeypatch.context() as terminal:
            terminal.setattr(sys, "stdin", stdin)
            terminal.setattr(sys, "stderr", stderr)
            os.write(ours, typed)
            code = main(["import", str(path), "-w", str(tmp_path / "ws"), *words])
            stderr.flush()
            output = os.read(ours, 1 << 16)
        os.close(ours)
        return code, output

    return call


@pytest.mark.parametrize(
    ("typed", "labels"),
    [(b"\r", [0, 1, 2] * 2), (b"2\r", [-1, 0, 1] * 2), (b"9\rx\r1\r", [0, 1, 2] * 2), (b"\x04", [0, 1, 2] * 2)],
)
def test_on_a_terminal_one_question_is_asked_where_two_readings_are_possible(typed_in, tmp_path, typed, labels):
    _, output = typed_in(typed)
    assert b"Enter = 1:" in output
    assert Workspace.open(tmp_path / "ws").cases()[0]["earliest_error"].to_list() == labels


@pytest.mark.parametrize("flag", ["--quiet", "--dry-run", "--strict"])
def test_on_a_terminal_nobody_is_asked_who_does_not_want_to_be(typed_in, flag):
    _, output = typed_in(b"\r", flag)
    assert b"Enter" not in output


def test_a_scorer_of_several_files_is_named_once(run, tmp_path):
    run(made(tmp_path / "sums.jsonl", json_lines(rows(6))))
    (tmp_path / "my-prm").mkdir()
    for part in range(3):
        mine = [{"id": row["id"], "rewards": [0.5, 0.25, 0.75]} for row in rows(6)[2 * part : 2 * part + 2]]
        made(tmp_path / "my-prm" / f"part-{part}.jsonl", json_lines(mine))
    code, out, _ = run(tmp_path / "my-prm", "--rewards", "rewards=mine")
    assert code == 0
    assert "  mine (3 files, each): 2 of 2 joined" in out


def test_results_that_are_imported_again_are_told_by_how_many_are_others(run, tmp_path):
    run(made(tmp_path / "sums.jsonl", json_lines(rows(6))))
    mine = [{"id": row["id"], "rewards": [0.5, 0.25, 0.75]} for row in rows(6)]
    path = made(tmp_path / "mine.jsonl", json_lines(mine))
    assert "in the workspace: new\n" in run(path)[1]
    made(path, json_lines([{**row, "rewards": [0.5, 0.25, 0.5]} if at < 2 else row for at, row in enumerate(mine)]))
    assert "in the workspace: changed, 2 cases with another result\n" in run(path)[1]


def test_the_preview_of_a_table_that_names_its_scorers_speaks_of_them_alone(run, tmp_path):
    run(made(tmp_path / "sums.jsonl", json_lines(rows(6))))
    mine = [{"id": row["id"], "model": name, "scores": [0.5, 0.25, 0.75]} for name in "ab" for row in rows(6)]
    out = run(made(tmp_path / "mine.jsonl", json_lines(mine)), "--dry-run", "--scorer-column", "model")[1]
    assert "rewards of a: 0.5 0.25 0.75" in out
    assert "none of these rows holds any" not in out
