"""Workspaces of published files; whoever asks for one skips without the data."""

from pathlib import Path

from inspector.cli import main
from inspector.query import Query


def mr_math(root: Path, data: Path) -> Query:
    """MR-MATH with its ten scorers and the two that give one number a solution; `data` is the data folder."""
    folder = data / "mr-math"
    files = (folder / "mr-math_invalid_errors.json", folder / "eval_results")
    # Some answers of critics cannot be read, which is told and no failure.
    assert main(["import", "-q", "-w", str(root), *map(str, files)]) in {0, 1}
    return Query(workspace=str(root))
