"""The command as a shell sees it: exit codes, what goes where, and never a traceback."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import authored
import example
from inspector import cli
from inspector.cli import command_flags
from inspector.cli.query_arguments import query_from
from refusals import sentence_of
from scoring import __version__
from thoroughness import also, together

ROOT = Path(__file__).parent.parent
RUN = [sys.executable, "-m", "inspector.cli"]
DEMO = ("--benchmark", "demo")


def environment(**changes):
    """This one, with stdout buffered as it usually is."""
    plain = {name: value for name, value in os.environ.items() if name not in {"PYTHONUNBUFFERED", "NO_COLOR"}}
    return {**plain, "PYTHONPATH": str(ROOT), "PRM_INSPECT_WORKSPACE": "", **changes}


def run(*words, cwd=None, **options):
    """The command in a process of its own, without a terminal."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "env": environment(), **options}
    answer = subprocess.run([*RUN, *words], check=False, cwd=cwd, timeout=60, **options)
    assert b"Traceback" not in (answer.stderr or b"")
    return answer


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def called(capsys):
    """Calls the command in this process; gives exit code, stdout, stderr."""

    def call(*words):
        try:
            code = cli.main(words)
        except SystemExit as left:
            code = left.code
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return call


# -- help and version


def test_what_is_refused_is_broken_between_words_where_a_terminal_is_narrow(called, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    whole = called("-w", "nowhere", "scorers")[2]
    # The stream is another one in each call.
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)
    wrapped = called("-w", "nowhere", "scorers")[2]
    assert wrapped.split() == whole.split()
    assert max(map(len, wrapped.splitlines())) <= 30 < len(whole)


def test_version(called):
    assert called("--version") == (0, f"prm-inspect {__version__}\n", "")


# -- where there is no terminal


def test_without_a_terminal_the_app_says_what_to_do_instead(called):
    for words in ((), ("demo",), ("-w", "nowhere")):
        code, out, err = called(*words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "this is not a terminal" in err
        assert "demo --no-app" in err


def test_the_demo_prints_its_board_without_the_app(called):
    code, out, err = called("demo", "--no-app")
    assert (code, err) == (0, "")
    assert "tiny-prm-m" in out
    assert list(Path().iterdir()) == []


# -- wrong words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("metrics",), "nothing was imported here yet"),
        (("-w", "nowhere", "scorers"), "nowhere holds no workspace.json"),
        (("metrics", *DEMO, "--scorer", "gpt"), "no scorer matches 'gpt'. There are: blend"),
        (("metrics", *DEMO, "--scorer", "e"), "scorers match 'e'"),
        (("stats", *DEMO, "--subset", "calculus"), "no subset matches 'calculus'. There are: arithmetic"),
        (("metrics", *DEMO, "--by", "color"), "there is no column 'color'. There are: case"),
        (("cases", *DEMO, "--sort", "color"), "no column matches 'color'"),
        (("cases", *DEMO, "--sort", "error_steps"), "holds lists and has no order"),
        (("cases", *DEMO, "--where", "n_stepz > 3"), "there is no column 'n_stepz'; did you mean n_steps"),
        (("cases", *DEMO, "--where", "late = outcome"), "outcome"),
        (("cases", *DEMO, "--where", "n_steps >"), "Bad condition"),
        (("cases", *DEMO, "--where", ""), "Bad condition"),
        (("show", "calculus-001", *DEMO), "no case matches 'calculus-001'"),
        (("show", "algebra", *DEMO), "60 cases match 'algebra'"),
        (("metrics", *DEMO, "--threshold", "high"), "'high' is not a threshold"),
        (("metrics", *DEMO, "--threshold", "nan"), "'nan' is not a threshold"),
        (("metrics", *DEMO, "--threshold", "gpt=0.5"), "no scorer matches 'gpt'"),
        (("metrics", *DEMO, "--threshold", "from:calculus"), "no subset matches 'calculus'"),
        (("import", "nothing.json"), "there is no file nothing.json"),
        (("nothing.json",), "'nothing.json' is neither a file nor a command"),
        (("import", "processbench", "nothing.json"), "there is no file nothing.json"),
    ],
)
def test_an_unknown_name_is_one_sentence_and_code_2(called, words, said):
    code, out, err = called(*words)
    assert (code, out) == (2, "")
    assert said in sentence_of(err)


def test_an_unknown_benchmark_is_told_from_the_known_ones(called):
    example.write(Path(".prm-inspect"))
    code, out, err = called("metrics", "--benchmark", "gsm")
    assert (code, out) == (2, "")
    assert "gsm" in err
    assert "bench" in err


@pytest.mark.parametrize("flag", ["--scorer", "--where", "--subset", "--threshold", "--by", "-w"])
def test_what_was_typed_is_quoted_without_acting(called, flag):
    for words in ("\x1b]0;x\x07 \x1b[2J \u202e [red]x[/]", "\udcff"):
        code, out, err = called("metrics", *DEMO, flag, words)
        if flag != "-w":
            assert (code, out) == (2, "")
        assert all(char.isprintable() or char == "\n" for char in err)


# -- what goes where


@pytest.mark.parametrize(("command", "form"), together(["stats", "metrics", "cases", "show"], command_flags.FORMS))
def test_o_writes_the_document_that_is_printed_without_it(called, command, form):
    """That it is one document, of every form and command: `test_every_form`."""
    words = (command, *(["algebra-012"] if command == "show" else []), *DEMO, f"--{form}")
    code, text, err = called(*words)
    assert (code, err) == (0, "")
    code, out, err = called(*words, "-o", "out")
    assert (code, out) == (0, "")
    assert err.startswith("Wrote ")
    assert Path("out").read_bytes() == text.encode()


def test_a_table_goes_to_stdout_and_how_it_came_to_be_to_stderr(called):
    code, out, err = called("metrics", *DEMO, "--scorer", "blend")
    assert code == 0
    assert "blend" in out
    assert err == "command: prm-inspect metrics --scorer blend --benchmark demo\n".replace(
        "--scorer blend --benchmark demo", "--benchmark demo --scorer blend"
    )
    assert called("metrics", *DEMO, "--scorer", "blend", "--quiet") == (0, out, "")


@pytest.mark.parametrize("command", ["metrics", "show"])
def test_verbose_says_all_that_a_table_came_of(called, command):
    words = (command, *(["algebra-012"] if command == "show" else []), *DEMO, "--scorer", "blend")
    _, out, err = called(*words)
    document = json.loads(called(*words, "--json")[1])
    said = called(*words, "--verbose")
    assert said[:2] == (0, out)
    command_line = document["provenance"]["command"].removesuffix(" --json")
    assert err == f"command: {command_line}\n"
    names = {line.partition(": ")[0].replace(" ", "_") for line in said[2].splitlines()}
    told = {name for name, value in document["provenance"].items() if value not in (None, "", [], {})}
    assert names - {"votes"} == told - {"votes"}
    assert said[2].startswith(err)
    assert called("-v", *words) == said


def test_flags_may_stand_before_and_after_the_command():
    after = cli.parse(["cases", *DEMO, "--where", "n_steps > 8", "--scorer", "blend", "--threshold", "0.4"])
    before = cli.parse([*DEMO, "--where", "n_steps > 8", "--scorer", "blend", "--threshold", "0.4", "cases"])
    mixed = cli.parse(["--where", "n_steps > 8", *DEMO, "cases", "--threshold", "0.4", "--scorer", "blend"])
    assert query_from(after) == query_from(before) == query_from(mixed)
    assert after.command == before.command == mixed.command == "cases"


def test_the_demo_is_known_in_a_workspace_of_other_things(called):
    example.write(Path(".prm-inspect"))
    assert called("metrics", *DEMO)[0] == 0
    code, out, _ = called("metrics", "--json", "-o", "out.json")
    assert (code, out) == (0, "")
    assert {row["benchmark"] for row in json.loads(Path("out.json").read_bytes())["rows"]} == {"bench"}


def test_the_workspace_is_the_flag_then_the_variable_then_the_folder_here(called, monkeypatch, tmp_path):
    for name in ("flag", "variable", ".prm-inspect"):
        example.write(tmp_path / name, scored=name == "flag")
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "variable"))
    assert "alpha" in called("scorers", "-w", "flag")[1]
    assert "alpha" not in called("scorers")[1]
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "nowhere"))
    assert called("scorers")[0] == 2
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", "")
    assert called("scorers")[0] == 0


# -- exit codes of an import


def test_an_import_ends_with_0_1_or_2(called):
    authored.write(Path("good.jsonl"), authored.rows(4))
    authored.write(Path("odd.jsonl"), [*authored.rows(4), authored.row(9, label=77)])
    Path("other.jsonl").write_text('{"nothing": 1}\n')
    assert called("import", "good.jsonl")[0] == 0
    assert called("import", "odd.jsonl", "--dry-run")[0] == 1
    assert called("import", "odd.jsonl")[0] == 1
    for words in (("odd.jsonl", "--strict"), ("other.jsonl",)):
        code, _, err = called("import", *words)
        assert code == 2
        assert err.strip()


# -- a reader that goes, a disk that is full, a key that interrupts

PRINTED = [
    ("--help",),
    ("prms",),
    *also(("cases", *DEMO), ("metrics", "--help"), ("--version",), ("demo", "--no-app")),
]
DOCUMENTS = [("prms", "--csv"), *also(("cases", *DEMO, "--csv"), ("show", "algebra-012", *DEMO, "--json"))]


@pytest.mark.parametrize("words", [*DOCUMENTS, PRINTED[0], *also(*PRINTED[1:])])
def test_a_reader_that_has_gone_is_no_error(words):
    reader, writer = os.pipe()
    os.close(reader)
    answer = run(*words, capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (answer.returncode, answer.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", [*DOCUMENTS, PRINTED[1], *also(PRINTED[0], *PRINTED[2:])])
def test_a_full_disk_under_stdout_is_one_sentence(words):
    with Path("/dev/full").open("w") as full:
        answer = run(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert answer.returncode == 2
    assert answer.stderr.count(b"\n") == 1
    assert b"No space left" in answer.stderr


def test_ctrl_c_ends_with_code_130_and_one_word(tmp_path):
    # A workspace whose mark never comes.
    os.mkfifo(tmp_path / "workspace.json")
    words = [*RUN, "benchmarks", "--workspace", "."]
    with subprocess.Popen(words, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE) as process:
        # Opening a pipe for writing waits until the command reads it; closing it ends a read that the signal did not.
        with (tmp_path / "workspace.json").open("wb"):
            process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[1]
    assert process.returncode == 130
    assert said == b"Interrupted.\n"


ONE_BY_ONE = """
from inspector.cli import main
case = ["show", "algebra-012", "--benchmark", "demo"]
for words in (case, [*case, "--json"], ["cases", *case[2:], "--where", "é > 1"]):
    code = main(words)
    print("END", code, flush=True)
"""


def test_a_terminal_of_another_encoding_gets_something_and_no_error():
    told = [sys.executable, "-c", ONE_BY_ONE]
    answer = subprocess.run(told, check=False, capture_output=True, env=environment(PYTHONIOENCODING="latin-1"))
    assert (answer.returncode, b"Traceback" in answer.stderr) == (0, False)
    page, document, end = answer.stdout.split(b"END 0\n")
    assert page
    assert json.loads(document.decode())["rows"]
    assert end == b"END 2\n"


def test_on_a_terminal_words_beside_a_table_end_between_words_and_its_command_stays_one_line(called, monkeypatch):
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    code, _, err = called("metrics", "--benchmark", "demo", "--where", "n_steps > 2 AND n_steps < 100000000", "-v")
    assert code == 0
    lines = err.splitlines()
    assert any(line.startswith("command: ") and line.endswith("'") and len(line) > 40 for line in lines)
    others = [line for line in lines if not line.startswith("command: ")]
    assert len(others) > 10
    assert all(len(line) <= 40 or " " not in line for line in others)
