"""`show CASE --explain` through the command: the tokens of a case, with and without an engine."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

import checkpoints
import making
import reference
from inspector import cli
from inspector.analyses.show import token_page
from inspector.cli.command_flags import FORMS
from scoring.models.prms.qwen import SYSTEM
from scoring.workspace.cache import RewardParts
from scoring_process import commanded_here, ran_here

pytest.importorskip("tokenizers")

ROOT = Path(__file__).parents[3]
COLUMNS = [
    "sequence",
    "index",
    "id",
    "token",
    "part",
    "step",
    "read",
    "logits",
    "values",
    "reward",
    "redundancy",
    "warning",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def workspace(tmp_path):
    return making.workspace(tmp_path / "ws", [reference.Case(3, -1), reference.Case(1, 0)], [])


def here(*words, **changes):
    """A command in this process, and its jobs too: what is said matters and not the process."""
    return commanded_here(*words, env={"PRM_INSPECT_WORKSPACE": "", **changes})


def words_of(workspace, model, *more):
    return ("show", "bench/c0", "-w", workspace.root, "--explain", "--model", model, "--device", "cpu", *more)


def explained(workspace, model, *more):
    return here(*words_of(workspace, model, *more))


@pytest.fixture(scope="module")
def answer(model, tmp_path_factory):
    """What the scoring process says of a case's tokens."""
    workspace = making.workspace(tmp_path_factory.mktemp("asked") / "ws", [reference.Case(3, -1)], [])
    words = ["bench/c0", "--workspace", workspace.root, "--model", model, "--tokens-only"]
    code, (told,), _ = ran_here("explain", *words)
    assert code == 0
    return told


@pytest.fixture
def told(answer, workspace, monkeypatch, capsys):
    """The command in this process, with that answer."""
    monkeypatch.setattr(token_page, "answer_to", lambda _: answer)

    def call(*words):
        code = cli.main(["show", "bench/c0", "-w", str(workspace.root), "--explain", "--model", "tiny", *words])
        assert code == 0
        return capsys.readouterr().out

    return call


def test_tokens_alone_need_no_engine(workspace, model):
    answer = explained(workspace, model, "--json", "--tokens-only")
    assert (answer.returncode, answer.stderr) == (0, "")
    document = json.loads(answer.stdout)
    rows = document["rows"]
    assert list(rows[0]) == COLUMNS
    assert "".join(row["token"] for row in rows) == (
        f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\nproblem 0<|im_end|>\n<|im_start|>assistant\n"
        "step 0 of 0<extra_0>step 1 of 0<extra_0>step 2 of 0<extra_0><|im_end|>\n"
    )
    assert [row["token"] for row in rows if row["read"]] == ["<extra_0>"] * 3
    assert [row["step"] for row in rows if row["read"]] == [0, 1, 2]
    assert "".join(row["token"] for row in rows if row["part"] == "problem") == "problem 0"
    assert all(row["reward"] is None for row in rows)
    facts = document["provenance"]
    assert (facts["family"], facts["engine"], facts["refused"]) == ("Qwen2.5-Math-PRM", None, "")
    assert facts["command"].endswith(f"--model {model} --device cpu --tokens-only --workspace {workspace.root} --json")


def test_the_rewards_are_those_that_scoring_saves(workspace, model):
    pytest.importorskip("torch")
    scored = here("score", "bench", "-w", workspace.root, "--model", model, "--device", "cpu", "-q")
    assert scored.returncode == 0
    (folder,) = workspace.root.glob("rewards/tiny-*")
    saved = RewardParts(folder).read()[0]["rewards"].to_list()
    document = json.loads(explained(workspace, model, "--scorer", "tiny", "--json").stdout)
    read = [row for row in document["rows"] if row["read"]]
    assert any([row["reward"] for row in read] == pytest.approx(rewards, abs=1e-5) for rewards in saved)
    assert all(len(row["logits"]) == len(row["values"]) == 2 and sum(row["values"]) == pytest.approx(1) for row in read)
    assert "transformers" in document["provenance"]["engine"]
    other = explained(workspace, model, "--scorer", "tiny", "--option", "system=qwen2.5", "--tokens-only")
    assert "tiny was made with another system_prompt" in other.stderr


def test_without_torch_the_tokens_are_shown_and_it_is_said(workspace, model, tmp_path, monkeypatch, capfd):
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "torch.py").write_text("raise ImportError(\"No module named 'torch'\", name='torch')")
    # The job is a process of its own, and has no torch.
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{trap}")
    assert cli.main(list(map(str, words_of(workspace, model, "--json")))) == 0
    out, err = capfd.readouterr()
    assert "No logits and rewards: this needs the package 'torch'" in err
    assert "pip install 'prm-inspect[score]'" in err
    assert "Traceback" not in err
    document = json.loads(out)
    assert len([row for row in document["rows"] if row["read"]]) == 3
    assert document["provenance"]["engine"] is None


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_one_document(told, form):
    out = told(f"--{form}")
    assert "extra" in out
    if form == "csv":
        assert sum(row["read"] == "true" for row in csv.DictReader(io.StringIO(out))) == 3
    if form == "jsonl":
        assert all(json.loads(line) for line in out.splitlines())


def test_people_get_a_page_as_wide_as_columns_says(told, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert "\x1b" not in told()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    out = re.sub(r"\x1b\[[\d;]*m", "", told())
    assert max(map(cell_len, out.splitlines())) <= 80
    assert re.search(r"^model +tiny, not run$", out, re.MULTILINE)
    assert "step 2    step 2 of 0" in out
    assert re.search(r"read: token \d+, id \d+", out)
    assert "Every token" not in out
    assert "|<extra_0>|" in told("--ascii")
    assert "Every token" in told("--all-tokens")


def test_what_could_act_on_a_terminal_does_not(model, tmp_path):
    frame = making.full_frame(
        [reference.Case(2, -1)], problem=["a\x1b[31m\u202eb"], steps=[["s\x1b]0;x\x07\u202e", "t"]]
    )
    workspace = making.workspace(tmp_path / "hostile", [], [])
    imported = making.Imported("bench", "made.jsonl", "JSON Lines", "0-based", 1, frame, ())
    workspace.add([imported])
    answer = explained(workspace, model, "--tokens-only", "--all-tokens")
    assert answer.returncode == 0
    assert not set("\x1b\x07\u202e") & set(answer.stdout)
    assert "␛]0;x␇" in answer.stdout
    assert "<U+202E>" in answer.stdout


def test_a_refused_case_is_told_with_the_tokens_there_are(workspace, answer, tmp_path):
    limit = len(answer["tokens"]) - 1
    short = checkpoints.write(tmp_path / "short", max_position_embeddings=limit)
    found = explained(workspace, short, "--json", "--tokens-only")
    assert found.returncode == 0
    document = json.loads(found.stdout)
    assert document["provenance"]["refused"] in found.stderr
    assert f"tokens are more than the {limit} the model takes; shown are its first 2 steps" in found.stderr
    assert document["provenance"]["steps"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--explain",), "Give the checkpoint: --model"),
        (("--explain", "--model", "nowhere"), "there is no folder nowhere"),
        (("--explain", "--model", "MODEL", "--adapter", "abacus"), "there is no adapter 'abacus'"),
        (("--explain", "--model", "MODEL", "--adapter", "nowhere.py"), "cannot be read"),
        (("--explain", "--scorer", "ledger"), "ledger has no weights"),
    ],
)
def test_what_is_wrong_is_one_sentence(model, words, said):
    words = [str(model) if word == "MODEL" else word for word in words]
    answer = here("show", "demo/arithmetic-001", "--benchmark", "demo", *words)
    assert (answer.returncode, answer.stdout, answer.stderr.count("\n")) == (2, "", 1)
    assert said in answer.stderr


def test_the_demos_own_models_are_found(tmp_path):
    words = ("show", "demo/arithmetic-003", "--benchmark", "demo", "--explain", "--scorer", "tiny-prm-s")
    answer = here(*words, "--tokens-only", XDG_DATA_HOME=str(tmp_path))
    assert (answer.returncode, answer.stderr.count("was made with another")) == (0, 0)
    assert "tiny-prm-s, not run" in answer.stdout


def test_the_demo_can_be_explained_without_a_workspace(model, tmp_path):
    words = ("show", "demo/arithmetic-003", "--benchmark", "demo", "--explain", "--model", model, "--tokens-only")
    assert here(*words, XDG_DATA_HOME=str(tmp_path)).returncode == 0
