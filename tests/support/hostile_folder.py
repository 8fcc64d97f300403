"""A current folder whose modules write their name to a log when they are imported."""

import sys
from pathlib import Path

from scoring_process import ROOT

MODULES = (
    *("json", "queue", "struct", "pprint", "numpy", "polars", "msgspec", "httpx"),
    *("torch", "transformers", "tokenizers", "jinja2", "sitecustomize"),
)
PACKAGES = ("scoring", "inspector", "ray", "vllm")
RUN = [sys.executable, "-P", "-m", "inspector.cli"]
"""The command as it is installed: the current folder is not on its path."""


def enter(parent, monkeypatch) -> Path:
    """Make the folder in `parent` and enter it; return the path of the log."""
    folder, log = parent / "hostile", parent / "imported.log"
    for name in PACKAGES:
        write_module(folder / name / "__init__.py", log)
    for name in MODULES:
        write_module(folder / f"{name}.py", log)
    monkeypatch.chdir(folder)
    for name, value in {
        "XDG_STATE_HOME": str(parent / "state"),
        "XDG_DATA_HOME": str(parent / "data"),
        "PRM_INSPECT_WORKSPACE": "",
        "PYTHONPATH": str(ROOT),
    }.items():
        monkeypatch.setenv(name, value)
    return log


def write_module(path: Path, log: Path) -> None:
    """Write a module that notes its import."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"with open({str(log)!r}, 'a') as log:\n    log.write(__name__ + '\\n')\n")


def imported(log: Path) -> list[str]:
    """Return the modules of the folder that were imported."""
    return log.read_text().split() if log.exists() else []
