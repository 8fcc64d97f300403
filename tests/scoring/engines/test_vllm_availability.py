"""Real imports of packages named vllm that are made for the test: none is there, broken, or without a device."""

import json
import subprocess
import sys

import pytest

from scoring.data.errors import EngineError, MissingExtra
from scoring.engines import vllm_availability
from scoring.engines.vllm_availability import Availability

ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from msgspec.structs import asdict
from scoring.engines.vllm_availability import availability
print(json.dumps(asdict(availability())))
"""


def found(folder):
    answer = subprocess.run(
        [sys.executable, "-c", ASK, str(folder)], capture_output=True, text=True, check=True, timeout=60
    )
    return Availability(**json.loads(answer.stdout))


def package(folder, start="", device="''"):
    """A package that is called vllm: `start` is run at its import, and its platform has this device."""
    inside = folder / "vllm" / "v1" / "engine"
    inside.mkdir(parents=True)
    for path in (inside, inside.parent):
        (path / "__init__.py").touch()
    (inside / "llm_engine.py").write_text("class LLMEngine: pass\n")
    (folder / "vllm" / "__init__.py").write_text(f"{start}\n__version__ = '9.9'\n")
    (folder / "vllm" / "platforms.py").write_text(f"class current_platform: device_type = {device}\n")
    return folder


def test_a_build_without_a_device_is_importable_and_not_usable(tmp_path):
    here = found(package(tmp_path))
    assert here.version == "9.9"
    assert here.problem == "vLLM 9.9 is installed and finds no device that this build of it runs on."
    assert "transformers engine" in here.next_step


def test_one_with_a_device_is_usable(tmp_path):
    assert found(package(tmp_path, device="'cuda'")) == Availability("9.9", "cuda")


def test_one_that_breaks_at_import_says_with_what(tmp_path):
    here = found(package(tmp_path, "raise RuntimeError('operator torchvision::nms does not exist\\nmore')"))
    assert here.installed
    assert here.problem == (
        "vLLM here cannot be imported (RuntimeError: operator torchvision::nms does not exist; the torchvision that is "
        "installed is not that of this torch)."
    )


def test_a_folder_of_the_name_is_no_package(tmp_path):
    (tmp_path / "vllm").mkdir()
    code = ASK.replace(
        "from dataclasses", "sys.path[1:] = [p for p in sys.path[1:] if 'site-packages' not in p]\nfrom dataclasses"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(answer.stdout)["installed"] is False


@pytest.mark.parametrize(
    ("here", "error", "words"),
    [
        (Availability(installed=False, problem="vLLM is not installed."), MissingExtra, r"prm-inspect\[vllm\]"),
        (Availability("9.9", problem="It is broken.", next_step="Mend it."), EngineError, "It is broken. Mend it."),
    ],
)
def test_where_it_is_needed_the_sentence_is_an_error(here, error, words, monkeypatch):
    monkeypatch.setattr(vllm_availability, "availability", lambda: here)
    with pytest.raises(error, match=words):
        vllm_availability.require_vllm()
