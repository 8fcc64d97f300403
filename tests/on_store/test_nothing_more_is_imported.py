"""Who names no address pays nothing for them."""

import subprocess
import sys

LOOK = """
import sys
from inspector import cli
for words in (["--help"], ["metrics", "--benchmark", "demo"], ["import", "x.jsonl", "-w", "here"]):
    try:
        cli.main(words)
    except SystemExit:
        pass
stores = ("obstore", "scoring.workspace.remote", "scoring.data.storage.object_store")
print("FOUND", sorted(name for name in sys.modules if name.startswith(stores)), file=sys.stderr)
"""


def test_no_command_on_a_folder_imports_the_client(tmp_path):
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "FOUND []" in done.stderr, done.stderr
