"""What `prm-inspect completion` gives is what a shell completes by; bash is asked itself."""

import shutil
import subprocess

import pytest

from inspector.cli import main
from inspector.cli.command_flags import commands
from inspector.cli.commands.completion import SHELLS

ASKED = """
source "$1"
COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
$(complete -p prm-inspect | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def completed(tmp_path, capsys):
    """Give what bash offers in the place of the last of some words."""
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out)

    def completed(*words):
        argv = ["bash", "-c", ASKED, "bash", script, "prm-inspect", *words]
        done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=tmp_path)
        assert done.stderr == ""
        return done.stdout.split()

    return completed


def test_bash_completes_commands_flags_values_and_files(completed, tmp_path):
    assert completed("met") == ["metrics"]
    assert {*commands()} <= {*completed("")}
    assert completed("metrics", "--lab") == ["--labels"]
    assert completed("metrics", "--labels", "adj") == ["adjudicated"]
    assert completed("score", "x", "--engine", "") == ["transformers", "vllm", "ray"]
    (tmp_path / "scores.jsonl").touch()
    assert completed("import", "sco") == ["scores.jsonl"]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_knows_every_command(shell, capsys):
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in commands())
