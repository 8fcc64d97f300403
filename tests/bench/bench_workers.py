"""What several workers make of a run, here and on a Ray cluster: `python tests/bench/bench_workers.py [CASES]`.

Needs torch, and Ray for its rows. A body of 33M random weights scores invented cases on one thread a worker, so that
two workers need two processors. Times begin when the last worker is ready, and only the tokens of from then on count;
the start is told beside. The simulation is given the speed that the run's own rows say. Numbers are reported beside the
targets and never asserted.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import checkpoints  # noqa: E402  # of this checkout

CASES = 1200
SEED = 5


class Timed(NamedTuple):
    """A run: seconds from its start until all workers were ready, from then to the end, and the tokens of these."""

    start: float
    seconds: float
    tokens: int

    @property
    def rate(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds


def written(folder: Path, number: int) -> tuple[Path, Path]:
    """A model of 33M numbers, and a workspace with so many cases of 3 to 12 steps."""
    checkpoints.HIDDEN, checkpoints.LAYERS, checkpoints.HEADS = 512, 12, 8
    checkpoints.INNER, checkpoints.POSITIONS = 1408, 4096
    model = checkpoints.write(folder / "model")
    chance, rows = random.Random(SEED), []
    for case in range(number):
        total, steps = 0, []
        for _ in range(chance.randrange(3, 13)):
            more = chance.randrange(100)
            steps.append(f"{total} + {more} = {total + more}")
            total += more
        rows.append(json.dumps({"id": f"sum-{case}", "problem": f"Add list {case}.", "steps": steps, "label": -1}))
    (folder / "sums.jsonl").write_text("\n".join(rows) + "\n")
    said("import", folder / "sums.jsonl", "-w", folder / "ws")
    return model, folder / "ws"


def said(*words: object) -> str:
    """What `prm-inspect` says on standard error."""
    argv = [sys.executable, "-m", "inspector.cli", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, check=False).stderr


def timed(workspace: Path, model: Path, workers: int, *words: str, env: Mapping[str, str] | None = None) -> Timed:
    """Score everything, and throw the rewards away."""
    shutil.rmtree(workspace / "rewards", ignore_errors=True)
    argv = [sys.executable, "-m", "scoring", "score", "processbench", f"--workspace={workspace}", f"--model={model}"]
    began, ready, done, at_ready = time.perf_counter(), [], 0, 0
    with subprocess.Popen(
        [*argv, *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "ready":
                ready.append(time.perf_counter())
                at_ready = done
            elif event["event"] == "progress":
                done = event["tokens"]
        end = time.perf_counter()
    assert process.returncode == 0
    assert len(ready) == workers, "more cases are needed: a worker was not ready before the end"
    return Timed(ready[-1] - began, end - ready[-1], done - at_ready)


def simulated(workspace: Path, model: Path, workers: int, run: Timed) -> float:
    """How much longer the simulation takes than the run, as a share: for the run's tokens at its rows' own speed."""
    from scoring.runs.sizing import measured_speed
    from scoring.workspace.cache import RewardParts

    (folder,) = (workspace / "rewards").glob("*/")
    measured = measured_speed(RewardParts(folder))
    assert measured is not None
    speed = measured[0]
    looked = workspace.parent / "looked"
    shutil.rmtree(looked, ignore_errors=True)
    shutil.copytree(workspace, looked, ignore=shutil.ignore_patterns("rewards"))
    size = f"--cluster=1x{workers}@{speed}"
    argv = ["score", "processbench", f"--workspace={looked}", f"--model={model}", "--dry-run", size]
    out = subprocess.run(
        [sys.executable, "-m", "scoring", *argv], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    (told,) = (event for line in out.splitlines() if (event := json.loads(line))["event"] == "cluster_estimate")
    return told["seconds"] * run.tokens / told["tokens"] / run.seconds - 1


def main() -> None:
    """One and two workers here and on Ray, and four on Ray."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        model, workspace = written(folder, number)
        found: dict[str, Timed] = {}

        def measure(name: str, workers: int, *words: str, env: Mapping[str, str] | None = None) -> None:
            found[name] = run = timed(workspace, model, workers, *words, env=env)
            off = simulated(workspace, model, workers, run)
            told = f"{run.rate:8,.0f} tokens/s, ready after {run.start:5.1f} s"
            print(f"{name:12} {told}; the simulation is {off:+.1%} off (target 10%)", flush=True)

        measure("here, 1", 1, "--device=cpu")
        measure("here, 2", 2, "--device=cpu,cpu")
        print(f"  two workers to one: {found['here, 2'].rate / found['here, 1'].rate:.2f} x (target 1.8)")
        if find_spec("ray") is None:
            print("no Ray here")
            return
        from servers.ray_cluster import RayCluster

        cluster = stack.enter_context(RayCluster(OMP_NUM_THREADS="1"))
        # Each node takes 2% of a processor for itself, which here is one of ours.
        cluster.add(cpus=2)
        on = ("--engine=ray", f"--address={cluster.address}")
        for workers in (1, 2, 4):
            if workers > 2:
                cluster.add(2)
            measure(f"Ray, {workers}", workers, *on, f"--workers={workers}", env=cluster.environment)
        for workers in (1, 2):
            over = found[f"here, {workers}"].rate / found[f"Ray, {workers}"].rate - 1
            print(f"  Ray to {workers} here: {over:+.1%} time (target under 10%, its start left out)")
        print(f"  two workers of Ray to one: {found['Ray, 2'].rate / found['Ray, 1'].rate:.2f} x (target 1.8)")


if __name__ == "__main__":
    main()
