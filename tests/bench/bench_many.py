"""How long commands take over very many cases and four scorers, and the most memory that each holds.

    python tests/bench/bench_many.py [--cases 100000 1000000 10000000] [--folder DIR] [--beside CHECKOUT]

Each command is asked twice: of a workspace of which nothing is kept yet, and again. With `--beside`, another checkout
with the same environment is asked in turn with this one, and what it took stands beside, as a ratio; of what is
kept it makes what it can. Ten million cases take 20 GB of disk and half an hour to make, and a version that holds all
of them takes more memory than most machines have: leave `--beside` out there. Reported, never asserted; the target is
2 GB for `metrics` of ten million cases.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "bench")]

from bench_app import RUN  # noqa: E402  # after the path is set
from large_workspace import make_workspace  # noqa: E402

COMMANDS = ("metrics", "board", "breakdown", "thresholds")
SCORERS = 4


def main() -> None:
    """Measure every command and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--commands", nargs="+", default=list(COMMANDS))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "prm-inspect-bench-many")
    parser.add_argument("--beside", type=Path, help="another checkout")
    chosen = parser.parse_args()
    checkouts = [ROOT, *([chosen.beside] if chosen.beside else [])]
    print(f"{'cases':>11}  {'command':<11} {'':<6} {'seconds':>8} {'MB':>6}" + ("   beside" if chosen.beside else ""))
    for cases in chosen.cases:
        root = make_workspace(chosen.folder / str(cases), cases, SCORERS)
        for command in chosen.commands:
            first = [taken(checkout, root, command, fresh=True) for checkout in checkouts]
            again = [taken(checkout, root, command, fresh=False) for checkout in checkouts]
            for when, measured in (("first", first), ("again", again)):
                told = [f"{seconds:>8.1f} {megabytes:>6.0f}" for seconds, megabytes in measured]
                ratios = [f"x{one / other:.2f}" for one, other in zip(*measured, strict=True)] if chosen.beside else []
                print(f"{cases:>11,}  {command:<11} {when:<6} {'   '.join([*told, *ratios])}", flush=True)


def taken(checkout: Path, root: Path, command: str, *, fresh: bool) -> tuple[float, float]:
    """Seconds of a command in a process of its own, and the most megabytes that were resident."""
    if fresh:
        shutil.rmtree(root / "derived", ignore_errors=True)
    words = [*RUN, command, "-w", str(root), "--json"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(checkout)
    begin = time.perf_counter()
    with subprocess.Popen(
        words, cwd=checkout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return time.perf_counter() - begin, resident(usage)


def resident(usage: resource.struct_rusage) -> float:
    """The most megabytes: Linux counts kilobytes, macOS bytes."""
    return usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()
