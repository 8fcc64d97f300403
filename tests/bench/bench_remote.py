"""How long opening a workspace on object storage takes beside one in a folder: `python tests/bench/bench_remote.py`.

The store is moto's server on this machine, an emulator: what a network adds is not measured. Each time is of a process
of its own, from its start until the cases and all scorers are read and decided: in a folder, from the store for the
first time, and from the store when the mirror is there. Requests are counted. Reported and never asserted.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "bench")]

from large_workspace import make_workspace  # noqa: E402  # after the path is set

from object_stores import FaultyProxy, StoreServer  # noqa: E402

OPEN = """import sys
from scoring.selection.query import Query
from scoring.selection.loading import load
load(Query(sys.argv[1]))
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=3_400)
    parser.add_argument("--scorers", type=int, default=10)
    parser.add_argument("--times", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = make_workspace(Path(home) / "folder", args.cases, args.scorers)
        server = StoreServer(Path(home))
        proxy = FaultyProxy(server.port)
        try:
            bucket = server.bucket("bench")
            for path in sorted(folder.rglob("*")):
                if path.is_file() and "derived" not in path.parts:
                    key = f"ws/{path.relative_to(folder).as_posix()}"
                    server.s3.upload_file(str(path), bucket, key)
            os.environ |= {**server.environment, server.endpoint: proxy.url, "XDG_CACHE_HOME": f"{home}/cache"}
            _measure(str(folder), f"s3://{bucket}/ws", args.times, proxy, Path(home) / "cache")
        finally:
            proxy.close()
            server.close()


def _measure(folder: str, address: str, times: int, proxy: FaultyProxy, cache: Path) -> None:
    local = statistics.median(_seconds(folder) for _ in range(times + 1))
    first = []
    for _ in range(2):
        shutil.rmtree(cache, ignore_errors=True)
        proxy.requests.clear()
        first.append(_seconds(address))
    asked = len(proxy.requests)
    proxy.requests.clear()
    again = statistics.median(_seconds(address) for _ in range(times))
    print(f"in a folder            {local:6.2f} s")
    print(f"from the store, first  {min(first):6.2f} s  {asked} requests")
    requests = len(proxy.requests) / times
    print(f"from the store, again  {again:6.2f} s  {requests:g} requests, {again / local:.2f} x a folder")


def _seconds(place: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", OPEN, place], check=True, cwd=ROOT)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
