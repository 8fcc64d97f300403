"""A workspace in a repository of the hub is read; the hub is a small server that answers as it does."""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import making
import reference

pytest.importorskip("huggingface_hub")

CASES = [reference.Case(3, 1, (0.9, 0.2, 0.8)), reference.Case(2, -1, (0.7, 0.9))]
READ = """
import sys
from scoring.workspace.remote import finish
from scoring.workspace.workspace import Workspace, workspace_folder
try:
    workspace = Workspace.open(workspace_folder(sys.argv[1]))
    print(workspace.cases()[0].height, len(workspace.reward_folders()), workspace.place)
    workspace.journal().rule([workspace.cases()[0]["case"][0]], "gold wrong")
    print(finish())
    workspace_folder(sys.argv[1] + "-not-there")
except Exception as error:
    print(error)
"""


class _Hub(http.server.BaseHTTPRequestHandler):
    """One dataset, `lab/prms`, with the files of a folder below `ws`."""

    root: Path

    def log_message(self, *_):
        pass

    def answer(self):
        path = unquote(urlsplit(self.path).path)
        tree, files = "/api/datasets/lab/prms/tree/main/ws", "/datasets/lab/prms/resolve/main/ws/"
        if path.startswith(tree):
            self._tell(json.dumps(list(self._entries())).encode(), "application/json")
        elif path.startswith(files) and (self.root / path.removeprefix(files)).is_file():
            data = (self.root / path.removeprefix(files)).read_bytes()
            self._tell(data, "application/octet-stream", ETag=f'"{hashlib.sha1(data).hexdigest()}"')  # noqa: S324
        else:
            self._tell(b"{}", "application/json", 404, **{"X-Error-Code": "RepoNotFound"})

    do_GET = do_HEAD = answer  # noqa: N815  # http.server calls them so

    def _entries(self):
        for path in sorted(self.root.rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                name = f"ws/{path.relative_to(self.root).as_posix()}"
                oid = hashlib.sha1(data).hexdigest()  # noqa: S324
                yield {"type": "file", "path": name, "size": len(data), "oid": oid}

    def _tell(self, data, kind, status=200, **headers):
        self.send_response(status)
        told = {"Content-Type": kind, "Content-Length": str(len(data)), "X-Repo-Commit": "0" * 40, **headers}
        for name, value in told.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)


def test_a_workspace_on_the_hub_is_read_and_never_written(tmp_path):
    making.workspace(tmp_path / "ws", CASES, [(making.scorer("one"), CASES)])
    hub = type("Hub", (_Hub,), {"root": tmp_path / "ws"})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    env |= {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_address[1]}", "HF_HOME": str(tmp_path / "hub")}
    env |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HUB_DISABLE_XET": "1", "PYTHONPATH": str(Path.cwd())}
    words = [sys.executable, "-c", READ, "hf://datasets/lab/prms/ws"]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False, timeout=60)
    server.shutdown()
    server.server_close()
    lines = done.stdout.splitlines()
    assert lines[0] == "2 1 hf://datasets/lab/prms/ws", done.stdout + done.stderr
    assert "is only read here" in lines[1]
    assert lines[1].endswith("True)")
    assert lines[2].startswith(("No workspace", "Object storage"))
    assert len(lines) == 3
