"""`prms`: the list, without an engine, and the contract test through the command."""

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len

import checkpoints
import plugged_in
from inspector import cli
from inspector.cli.actions import prm_list as prms
from inspector.cli.command_flags import FORMS
from refusals import sentence_of
from scoring.models.prms.own import GROUP
from scoring.models.prms.prm_catalogue import ADAPTERS
from scoring_process import jobs_here

OWN = Path(__file__).parents[2] / "own" / "newline_prm.py"
COLUMNS = ["name", "family", "checkpoints", "range", "rule", "source", "options"]
COLUMNS += ["meanings", "reads", "length", "thresholds"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def called(capfd):
    """The command in this process, with the check that it starts."""

    def call(*words):
        try:
            with jobs_here():
                code = cli.main([str(word) for word in words])
        except SystemExit as left:
            code = left.code
        said = capfd.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return call


def rows(out):
    return json.loads(out)["rows"]


def test_every_family_is_listed_with_its_facts(called):
    code, out, err = called("prms", "--json")
    assert (code, err) == (0, "")
    found = {row["name"]: row for row in rows(out)}
    assert list(found) == list(ADAPTERS)
    assert all(list(row) == COLUMNS for row in found.values())
    qwen = found["qwen"]
    assert qwen["checkpoints"][0] == "Qwen/Qwen2.5-Math-PRM-7B"
    assert (qwen["family"], qwen["range"]) == ("Qwen2.5-Math-PRM", "0 to 1")
    assert qwen["rule"].startswith("wrong iff < 0.5 (")
    assert "numbers=kept|removed" in qwen["options"]
    assert "redundant iff > 0.15" in found["reasoneval"]["rule"]
    assert all(row["source"] and row["family"] and row["rule"] for row in found.values())


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_every_family(called, form):
    code, out, _ = called("prms", f"--{form}")
    assert code == 0
    escaped = out.replace("\\", "")
    assert [name for name in ADAPTERS if name not in escaped] == []
    if form == "csv":
        assert next(csv.reader(io.StringIO(out))) == COLUMNS


def test_people_get_a_list_as_wide_as_there_is_room(called, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    code, out, err = called("prms")
    assert (code, err) == (0, "")
    assert "Qwen/Qwen2.5-Math-PRM-72B" in out
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = called("prms")
    assert max(map(cell_len, out.splitlines())) <= 80
    assert "Qwen/Qwen2.5-Math-PRM-72B" not in out
    assert "P(right) at <extra_0> behind each step" in out


def test_one_family_is_told_by_a_part_of_its_name(called):
    code, out, err = called("prms", "shep")
    assert (code, err) == (0, "")
    assert out.startswith("math_shepherd: Math-Shepherd\n")
    assert "peiyi9979/math-shepherd-mistral-7b-prm" in out
    _, out, _ = called("prms", "shep", "--json")
    assert [row["name"] for row in rows(out)] == ["math_shepherd"]
    assert json.loads(out)["provenance"]["command"] == "prm-inspect prms math_shepherd --json"
    _, out, _ = called("prms", "minos")
    assert "-10 to 10 (a logit has no bounds" in out


def test_a_family_of_two_models_says_how_the_other_is_given(called):
    _, out, _ = called("prms", "implicit")
    assert "--model DIR_OR_ID --reference DIR_OR_ID --adapter implicit" in " ".join(out.split())
    assert "--reference" not in called("prms", "qwen")[1]


def test_an_adapter_of_one_s_own_is_told_too(called):
    code, out, _ = called("prms", OWN)
    assert code == 0
    assert "newline PRM" in out
    assert "wrong iff < 0.5 (its authors)" in out


def test_help_has_examples_and_exit_codes(called):
    code, out, _ = called("prms", "--help")
    assert code == 0
    assert "prm-inspect prms check qwen --weights" in out
    assert "Exit codes: 0 done" in called("help", "prms")[1]
    _, out, _ = called("show", "--help")
    assert "--explain --model" in out
    assert "Exit codes: 0 shown" in called("help", "show")[1]


def test_an_installed_one_is_listed_and_not_imported(called, tmp_path, monkeypatch):
    source = {"plugged_unused.py": "raise AssertionError('imported')\n"}
    entries = {"mine": "plugged_unused:Mine", "qwen": "plugged_unused:Other"}
    plugged_in.install(tmp_path / "site", monkeypatch, GROUP, entries, source)
    code, out, _ = called("prms", "--json")
    found = rows(out)
    assert (code, len(found)) == (0, len(ADAPTERS) + 1)
    assert (found[-1]["name"], found[-1]["family"]) == ("mine", None)
    assert found[-1]["source"] == "plugged_unused:Mine of the package mine 1.2"
    assert "plugged_unused" not in sys.modules


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("prms", "check"), "which adapter should be checked?"),
        (("prms", "--weights", "x"), "belong to `prms check NAME`"),
        (("prms", "check", "nothing"), "there is no adapter 'nothing'"),
        (("prms", "nothing"), "no PRM family matches 'nothing'"),
        (("prms", "qwen", "more"), "belong to `prms check NAME`"),
        (("prms", "nowhere.py"), "nowhere.py cannot be read"),
        (("prms", "check", "nowhere.py"), "nowhere.py cannot be read"),
        (("prms", "check", "qwen", "--weights", "nowhere"), "there is no folder nowhere"),
    ],
)
def test_wrong_words_are_one_sentence(called, words, said):
    code, out, err = called(*words)
    assert (code, out) == (2, "")
    assert said in sentence_of(err)


def test_without_weights_the_checks_are_said_to_be_skipped(called):
    for name in ("qwen", str(OWN)):
        code, out, _ = called("prms", "check", name, "--json")
        found = rows(out)
        assert code == 0
        assert [row["status"] for row in found] == ["ok"] + ["skipped"] * 13
        assert "--weights" in found[1]["reason"]


def test_a_checkpoint_is_checked(called, tmp_path):
    pytest.importorskip("torch")
    folder = checkpoints.write(tmp_path / "tiny")
    code, out, err = called("prms", "check", "qwen", "--weights", folder, "--device", "cpu", "--json")
    assert (code, err) == (0, "")
    assert {row["status"] for row in rows(out)} == {"ok", "skipped"}
    assert json.loads(out)["provenance"]["command"].endswith(f"--weights {folder} --device cpu --json")


def test_people_get_a_line_a_check(called, monkeypatch):
    results = [{"check": "shape", "status": "failed", "reason": "2 positions for 3 steps", "next_step": "Do it."}]
    monkeypatch.setattr(prms, "ask", lambda _: (1, {"adapter": "qwen", "results": results}))
    code, out, _ = called("prms", "check", "qwen")
    assert code == 1
    assert "✗ failed   shape: 2 positions for 3 steps\n           What to do: Do it.\n" in out
    assert "0 passed, 1 failed, 0 skipped" in out


def test_what_fails_is_exit_code_1_and_says_what_to_do(called, tmp_path):
    pytest.importorskip("tokenizers")
    broken = OWN.read_text().replace("return Encoded(tuple(ids), tuple(positions))", "return Encoded(tuple(ids), (0,))")
    (tmp_path / "broken.py").write_text(broken)
    arrays = {name: array for name, array in checkpoints.tensors().items() if not name.startswith("score.")}
    arrays |= {"score.weight": arrays["model.norm.weight"][None], "score.bias": np.zeros(1, np.float32)}
    folder = checkpoints.write(tmp_path / "one", arrays=arrays)
    code, out, _ = called("prms", "check", tmp_path / "broken.py", "--weights", folder, "--device", "cpu", "--jsonl")
    found = {row["check"]: row for row in map(json.loads, out.splitlines())}
    assert code == 1
    assert found["shape"]["status"] == "failed"
    assert found["shape"]["next_step"].startswith("Use the tokenizer.json that came with the PRM")
    assert found["order"]["next_step"] == ""


def test_cases_that_cannot_be_read_are_one_sentence(called, tmp_path):
    pytest.importorskip("tokenizers")
    (tmp_path / "odd.json").write_text("{}")
    folder = checkpoints.write(tmp_path / "tiny")
    code, out, err = called("prms", "check", "qwen", "--weights", folder, "--cases", tmp_path / "odd.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
