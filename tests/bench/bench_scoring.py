"""What scoring costs, with the demo's PRMs on this machine: `python tests/bench/bench_scoring.py` (needs torch).

The engine alone, against straightforward code, is in `bench_engine.py`. Numbers are reported beside the targets and
never asserted.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "assets" / "demo" / "models"


def run(root: Path, model: Path, *words: str) -> tuple[float, dict[str, Any]]:
    """Seconds that scoring the demo took, start-up included, and its last event."""
    argv = [sys.executable, "-m", "scoring", "score", "demo", f"--workspace={root}", f"--model={model}", *words]
    start = time.perf_counter()
    answer = subprocess.run(
        argv, capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return time.perf_counter() - start, json.loads(answer.stdout.splitlines()[-1])


def main() -> None:
    """Batched, one at a time and resumed, for every bundled PRM."""
    sys.path.insert(0, str(ROOT))
    from scoring.workspace.workspace import Workspace

    for model in sorted(path.parent for path in MODELS.glob("*/config.json")):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            for folder in (first, second):
                Workspace.create(Path(folder))
            wall, batched = run(Path(first), model)
            _, single = run(Path(second), model, "--token-budget=1")
            resumed, _ = run(Path(first), model)
        ratio = batched["tokens"] / batched["case_tokens"]
        padding = batched["padding"] / (batched["tokens"] + batched["padding"])
        print(model.name)
        print(f"  scoring the demo live       {wall:6.1f} s    target under 20 s")
        print(f"  tokens run / tokens of cases {ratio:5.2f}      target at most 1.05; padding besides {padding:.1%}")
        print(f"  batched / one at a time     {single['computing'] / batched['computing']:6.2f} x    reported")
        print(f"  a finished run again        {resumed:6.2f} s    target under 1 s for 3,400 cases")


if __name__ == "__main__":
    main()
