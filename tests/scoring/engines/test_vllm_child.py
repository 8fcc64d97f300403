"""The life of a vLLM of ours, with a package in vLLM's place that starts at once; tests/on_vllm has the real one."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("httpx")

from scoring.data.errors import EngineError, MissingExtra, UnwritableWorkspace
from scoring.engines import vllm_child
from scoring.engines.vllm_child import VllmChild, log_for, visible_to
from servers.fault_server import Behaviour, running

ROOT = Path(__file__).parents[3]
SERVER = """
import http.server, json, os, sys, tempfile, time
told, port = sys.argv, int(sys.argv[sys.argv.index("--port") + 1])
name = told[told.index("--served-model-name") + 1]
how = os.environ.get("STAND_IN")
if how == "fails":
    print("(EngineCore pid=7) ERROR 11-25 16:00:00 [core.py:1] ValueError: no such head", flush=True)
    print("RuntimeError: see above", flush=True)
    sys.exit(3)
if how == "silent":
    time.sleep(60)

class Answers(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        body = json.dumps({"data": [{"id": name}], "told": told, "env": sorted(os.environ)}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

tempfile.mkstemp()
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Answers)
engine = os.fork()
if not engine:
    time.sleep(60)
    os._exit(0)
print(f"engine {engine}", flush=True)
server.serve_forever()
"""
STARTS = """
import sys, time
from pathlib import Path
from scoring.engines.vllm_child import VllmChild
VllmChild({settings}, Path(sys.argv[1]))
print("up", flush=True)
time.sleep(60)
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A folder with a package `vllm` and a torch in it, which our Python finds and so does the child's."""
    folder = tmp_path / "packages"
    files = {
        "torch": "__version__ = '8'",
        "vllm/__init__": "__version__ = '9.9'",
        "vllm/platforms": "class current_platform: device_type = 'cpu'",
        "vllm/v1/engine/llm_engine": "class LLMEngine: pass",
        "vllm/entrypoints/openai/api_server": SERVER,
    }
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(ROOT)]))
    return folder


@pytest.fixture
def settings(tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    return {"folder": str(model), "name": "tiny", "dtype": "float32", "runner": "pooling", "architecture": "Head"}


@pytest.fixture
def log(tmp_path):
    return log_for(tmp_path / "ws", "org/tiny")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary files go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(vllm_child, "_LONGEST_FOLDER", 1000)
    return folder


def engine_of(log):
    return int(log.read_text().rpartition("engine ")[2].split()[0])


def gone(pid):
    """Whether a process ends within seconds."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_it_starts_says_what_it_is_and_ends_with_all_that_it_started(
    stand_in, settings, log, monkeypatch, tmp_path, temporary
):
    monkeypatch.setenv("PRM_INSPECT_API_KEY_HOST", "hunter2")
    monkeypatch.setenv("VLLM_API_KEY", "hunter2")
    child = VllmChild(settings, log)
    told = vllm_child._asked(child.url, 5.0).decode()
    assert child.name("float32") == "vllm 9.9, torch 8, cpu, float32"
    words = json.loads(told.removeprefix("200 "))["told"]
    assert {("--generation-config", "vllm"), ("--load-format", "safetensors")} < set(pairwise(words))
    assert "--enforce-eager" in words
    assert "--trust-remote-code" not in words
    assert json.loads(words[words.index("--pooler-config") + 1])["tok_pooling_type"] == "ALL"
    assert "API_KEY" not in told
    (folder,) = temporary.iterdir()
    assert list(folder.iterdir()), "it has its temporary files elsewhere"
    child.check()
    engine = engine_of(log)
    child.close()
    assert gone(engine)
    assert log == tmp_path / "ws" / "logs" / "vllm-org-tiny.log"
    assert list(temporary.iterdir()) == []


def test_what_it_says_while_it_starts_is_told(stand_in, settings, log, monkeypatch):
    monkeypatch.setattr(vllm_child, "_TELLING", 0.0)
    told = []
    VllmChild(settings, log, told.append).close()
    assert told[0] == "vLLM is starting (0 s): nothing yet"


def test_why_it_does_not_start_is_said_with_its_own_words(stand_in, settings, log, monkeypatch):
    monkeypatch.setenv("STAND_IN", "fails")
    with pytest.raises(EngineError, match=rf"cannot load tiny \(exit code 3\): ValueError: no such head\. .*{log}"):
        VllmChild(settings, log)


def test_a_refusal_of_ours_is_said_in_our_words(stand_in, settings, log):
    (stand_in / "vllm" / "platforms.py").write_text("class current_platform: device_type = ''")
    with pytest.raises(EngineError, match=r"vLLM 9\.9 is installed and finds no device"):
        VllmChild(settings, log)


def test_one_that_says_nothing_is_ended(stand_in, settings, log, monkeypatch):
    monkeypatch.setenv("STAND_IN", "silent")
    monkeypatch.setattr(vllm_child, "SILENCE", 1.0)
    with pytest.raises(EngineError, match="has said nothing for 1 s while it loads tiny; its last words: nothing yet"):
        VllmChild(settings, log)


def test_a_port_that_somebody_else_takes_is_told_and_nobody_else_is_taken_for_ours(
    stand_in, settings, log, monkeypatch
):
    with running(Behaviour(owner="vllm")) as other:
        monkeypatch.setattr(vllm_child, "_free_port", lambda: other.port)
        with pytest.raises(EngineError, match=f"port {other.port} was free, and taken before"):
            VllmChild(settings, log)


def test_there_is_no_place_for_its_log(stand_in, settings, tmp_path):
    (tmp_path / "ws").write_text("a file")
    with pytest.raises(UnwritableWorkspace, match=r"vllm-tiny\.log cannot be written"):
        VllmChild(settings, log_for(tmp_path / "ws", "tiny"))


def test_it_is_not_installed(tmp_path, settings, log, monkeypatch):
    monkeypatch.setattr(vllm_child, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"prm-inspect\[vllm\]"):
        VllmChild(settings, log)


def test_killed_it_leaves_nothing_behind_and_is_told(stand_in, settings, log):
    child = VllmChild(settings, log)
    os.kill(child._process.pid, signal.SIGKILL)
    child._process.wait()
    assert gone(engine_of(log))
    with pytest.raises(EngineError, match=r"ended while it ran \(signal 9\); its last words: engine \d+\."):
        child.check()


def test_one_that_hangs_is_ended_and_told(stand_in, settings, log, monkeypatch):
    monkeypatch.setattr(vllm_child, "_LOOKING", 0.1)
    monkeypatch.setattr(vllm_child, "_DEAF", 0.5)
    child = VllmChild(settings, log)
    os.kill(child._process.pid, signal.SIGSTOP)
    assert gone(engine_of(log))
    with pytest.raises(EngineError, match="no longer says that it is well, and was ended"):
        child.check()


def test_whoever_started_it_is_killed_and_nothing_stays(stand_in, settings, log):
    script = STARTS.format(settings=settings)
    with subprocess.Popen([sys.executable, "-c", script, str(log)], stdout=subprocess.PIPE, text=True) as us:
        assert us.stdout.readline() == "up\n"
        us.kill()
    assert gone(engine_of(log))


@pytest.mark.parametrize(
    ("device", "visible", "expected"),
    [
        ("auto", "2,3", None),
        ("cpu", None, None),
        ("cuda", None, "0"),
        ("cuda:3", None, "3"),
        ("cuda:1+cuda:2", None, "1,2"),
        ("cuda:1", "4, 6", "6"),
        ("cuda:0+cuda:1", "GPU-5,GPU-7", "GPU-5,GPU-7"),
    ],
)
def test_it_sees_the_gpus_that_were_chosen_of_those_that_are_visible(device, visible, expected):
    assert visible_to(device, visible) == ({} if expected is None else {"CUDA_VISIBLE_DEVICES": expected})


@pytest.mark.parametrize(("device", "visible"), [("gpu", None), ("cuda:x", None), ("cpu+cuda", None), ("cuda:1", "3")])
def test_a_device_that_is_not_there_is_a_sentence(device, visible):
    with pytest.raises(EngineError, match=r"vLLM has no device"):
        visible_to(device, visible)
