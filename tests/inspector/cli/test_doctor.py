import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import critic_spaces
from inspector.cli import main
from inspector.cli.actions import environment as doctor
from thoroughness import THOROUGH

ROOT = Path(__file__).parents[3]
ABSENT = {"installed": False, "usable": False}
GPU = {"name": "GPU", "memory": 8_000_000_000, "free": 7_000_000_000, "bfloat16": True}
TORCH = {"installed": True, "usable": True, "version": "9", "threads": 3, "devices": [GPU], "no_card": ""}
BROKEN = {"installed": True, "usable": False, "error": "OSError: no library"}


def found(**facts: dict) -> dict:
    engines = ("torch", "transformers", "vllm", "datasets", "httpx", "httpx_retries", "ray")
    names = (*engines, "textual_serve", "obstore", "math_verify")
    return {name: facts.get(name, ABSENT) for name in names}


def probed(*folders):
    path = os.pathsep.join(map(str, [*folders, ROOT]))
    words, env = [sys.executable, "-m", "scoring.engines.probe"], {**os.environ, "PYTHONPATH": path}
    answer = subprocess.run(words, capture_output=True, text=True, check=True, timeout=180, cwd=ROOT, env=env)
    facts = json.loads(answer.stdout)
    assert set(facts) == set(found())
    assert all(isinstance(one["usable"], bool) for one in facts.values())
    return facts, answer.stderr


def test_the_probe_answers_in_a_process_of_its_own_and_prints_only_its_document(tmp_path):
    noise = "import os\nprint('noise')\nos.system('echo noise of its own')\n"
    for name in ("torch", "transformers", "vllm", "httpx"):
        (tmp_path / f"{name}.py").write_text(f"{noise}raise OSError('no library\\nand more')")
    (tmp_path / "datasets.py").write_text(f"{noise}__version__ = '9'")
    facts, err = probed(tmp_path)
    assert facts["datasets"] == {"installed": True, "usable": True, "version": "9"}
    assert facts["torch"] == facts["httpx"] == BROKEN
    assert "noise of its own" in err


@pytest.mark.skipif(not THOROUGH, reason="imports everything that is installed; pytest --thorough does")
def test_the_probe_finds_what_is_installed():
    facts, _ = probed()
    assert {name for name, one in facts.items() if one["installed"]} == {name for name in facts if find_spec(name)}


def test_what_is_missing_comes_with_the_line_that_installs_it():
    lines = "\n".join(doctor._engines(found()))
    assert "transformers: not installed. Run: pip install 'prm-inspect[score]'" in lines
    assert "server: not installed. Run: pip install 'prm-inspect[server]'" in lines


def test_one_of_two_packages_is_not_enough():
    lines = "\n".join(doctor._engines(found(torch=TORCH)))
    assert "transformers: not installed" in lines
    assert "devices: GPU (7 GB free of 8 GB), 3 threads" in lines


def test_why_a_torch_for_cuda_finds_no_card_is_said():
    without = TORCH | {"devices": [], "no_card": "Found no NVIDIA driver"}
    assert "devices: CPU only (Found no NVIDIA driver), 3 threads" in "\n".join(doctor._engines(found(torch=without)))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"bfloat16": False}, "GPU (7 GB free of 8 GB; it has no bfloat16 of its own, --dtype float16 is faster)"),
        ({"error": "CUDA error: no kernel image"}, "GPU (does not compute: CUDA error: no kernel image)"),
    ],
)
def test_what_a_card_lacks_is_said(facts, words):
    assert f"devices: {words}, 3 threads" in "\n".join(doctor._engines(found(torch=TORCH | {"devices": [GPU | facts]})))


def test_how_vllm_pools_is_said_below_it():
    usable = {"installed": True, "usable": True, "version": "9", "device": "cpu", "pooling": "pooled by ALL"}
    lines = list(doctor._engines(found(vllm=usable)))
    assert lines[lines.index("  vllm: usable on cpu (vllm 9)") + 1].startswith("    pooled by ALL; a run checks")


def test_importable_is_not_usable():
    lines = "\n".join(doctor._engines(found(vllm=BROKEN)))
    assert "vllm: installed but not usable: OSError: no library" in lines


@pytest.mark.parametrize(("facts", "code"), [(found(), 0), (found(vllm=BROKEN), 1)])
def test_the_exit_code_says_whether_something_is_broken(facts, code, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(
        doctor, "_probe", lambda: (facts, any(one["installed"] and not one["usable"] for one in facts.values()))
    )
    assert main(["doctor", "-w", str(tmp_path)]) == code
    assert "engines" in capsys.readouterr().out


def test_with_a_path_it_looks_at_the_file_and_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    row = {"id": "gsm8k-1", "problem": "1 + 1?", "steps": ["It is 2."], "label": -1, "generator": "g"}
    (tmp_path / "file.jsonl").write_text(json.dumps(row))
    assert main(["doctor", "file.jsonl"]) == 0
    assert "1 case of 1 row" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["file.jsonl"]


@pytest.mark.parametrize("key", ["sk-proj-4f7Qx9TnB2mLw8", "our-own-house-key"])
def test_a_workspace_that_holds_a_key_is_named_and_the_key_is_not(key, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(doctor, "_probe", lambda: (found(), False))
    monkeypatch.setenv("PRM_INSPECT_API_KEY", "our-own-house-key")
    root = critic_spaces.imported(tmp_path, 3)
    assert main(["doctor", "-w", str(root)]) == 0
    critic_spaces.critic(root, lambda row, _: [f"No such key: {key}"] * (row < 2) or ["fine"])
    capsys.readouterr()
    assert main(["doctor", "-w", str(root)]) == 1
    said = capsys.readouterr().out
    assert "holds what looks like an API key (2 texts)" in said
    assert "rewards/judge-" in said
    assert key not in said


@pytest.mark.parametrize("words", [["metrics"], ["import", "sums.json"], ["doctor"]])
def test_an_address_with_a_secret_is_refused_and_makes_no_folder(words, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "_probe", lambda: (found(), False))
    code = main([*words, "-w", "s3://key:secret@bucket/ws"])
    told = capsys.readouterr()
    assert code == (0 if words == ["doctor"] else 2)
    assert "a workspace's address has no user and no password in it." in told.out + told.err
    assert "secret" not in told.out + told.err
    assert not list(tmp_path.iterdir())
