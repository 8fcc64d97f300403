"""Who names no address pays nothing for them."""

import subprocess
import sys

import pytest

LOOK = """
import sys
from inspector import cli
try:
    cli.main(sys.argv[1:])
except SystemExit:
    pass
stores = ("obstore", "scoring.storage.remote", "scoring.storage.object_store")
print("FOUND", sorted(name for name in sys.modules if name.startswith(stores)), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["--help"], ["metrics", "--benchmark", "demo"], ["import", "x.jsonl", "-w", "here"]])
def test_no_command_on_a_folder_imports_the_client(words, tmp_path):
    code = [sys.executable, "-c", LOOK, *words]
    done = subprocess.run(code, capture_output=True, text=True, cwd=tmp_path, check=False, env=None)
    assert "FOUND []" in done.stderr, done.stderr
