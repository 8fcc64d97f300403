"""Score the demo's cases with the baselines and write their reward parts: `python assets/make_rewards.py`.

`--prms` runs the bundled PRMs as well, which takes the `score` extra; `prm-inspect demo --rescore` compares them with
what is written. `--check` writes nothing and exits with 1 if the rewards in `assets/demo/rewards` are not what the
baselines give now. A part's name is the hash of its scorer, so that the same rewards are the same files.
"""

import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from msgspec.structs import replace

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import polars as pl  # noqa: E402  # after the path is set

from baselines import BASELINES  # noqa: E402
from scoring.data.python_child import start_python  # noqa: E402
from scoring.data.schema import REWARDS, conform  # noqa: E402
from scoring.data.scorer import Scorer  # noqa: E402
from scoring.formats.benchmarks import demo  # noqa: E402
from scoring.workspace.cache import RewardParts  # noqa: E402
from scoring.workspace.workspace import Workspace  # noqa: E402

REWARD_FOLDER = HERE / "demo" / "rewards"
PRM_ABOUT = (
    "A real but tiny process reward model, trained on this demo's own generator (other seeds): at home in the template"
    " cases, lost in those written by hand and in real benchmarks. assets/tiny_prm holds how."
)


def scorer_of(module: ModuleType) -> Scorer:
    """The scorer that a baseline is; its fingerprint is the source text of all baselines."""
    sources = sorted((HERE / "baselines").glob("*.py"))
    digest = sha256(module.NAME.encode() + b"".join(path.read_bytes() for path in sources)).hexdigest()
    about = f"Baseline, reads the text and learns nothing. {module.ABOUT}"
    return Scorer(
        module.NAME, digest, kind="baseline", family="baseline", about=about, settings={"code": "assets/baselines"}
    )


def rewards_of(module: ModuleType) -> pl.DataFrame:
    """The rewards frame of a baseline on the demo's cases, one row a distinct content."""
    cases = demo.read().cases.unique("key", keep="first", maintain_order=True)
    rewards = [module.rewards(problem, steps) for problem, steps in cases.select("problem", "steps").iter_rows()]
    frame = cases.select("key").with_columns(
        vote=pl.lit(0, dtype=pl.Int32),
        rewards=pl.Series(rewards, dtype=pl.List(pl.Float64)),
        engine=pl.lit("assets/make_rewards.py"),
    )
    return conform(frame, REWARDS, "rewards")


def main() -> int:
    """Write the rewards, or check them."""
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--prms", action="store_true")
    asked = parser.parse_args()
    wanted = {
        scorer.folder: (scorer, rewards_of(module)) for module in BASELINES.values() for scorer in [scorer_of(module)]
    }
    if asked.check:
        stale = [name for name, (scorer, frame) in wanted.items() if not _same(REWARD_FOLDER / name, scorer, frame)]
        print(
            f"stale: {', '.join(stale)}; run assets/make_rewards.py" if stale else f"{len(wanted)} scorers up to date"
        )
        return 1 if stale else 0
    for folder in REWARD_FOLDER.glob("*"):
        if Scorer.load(folder).kind == "baseline":
            _remove(folder)
    for scorer, frame in [*wanted.values(), *(prm_rewards() if asked.prms else ())]:
        folder = REWARD_FOLDER / scorer.folder
        scorer.save(folder)
        frame.write_parquet(folder / f"part-{scorer.fingerprint[:32]}.parquet", compression="zstd")
        print(f"{scorer.name}: {frame.height} cases")
    return 0


def prm_rewards() -> Iterator[tuple[Scorer, pl.DataFrame]]:
    """The bundled PRMs' rewards, from real runs of the scoring process; their old folders are removed."""
    for folder in REWARD_FOLDER.glob("*"):
        if Scorer.load(folder).kind == "prm":
            _remove(folder)
    with tempfile.TemporaryDirectory() as temporary:
        workspace = Workspace.create(Path(temporary))
        for model in sorted(path.parent for path in (HERE / "demo" / "models").glob("*/config.json")):
            words = ["score", "demo", f"--workspace={temporary}", f"--model={model}"]
            if start_python("scoring", *words).wait():
                raise SystemExit(f"{model} could not be scored")
        for folder in workspace.reward_folders():
            scorer = replace(Scorer.load(folder), about=PRM_ABOUT)
            yield scorer, RewardParts(folder).read()[0].sort("key")


def _remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def _same(folder: Path, scorer: Scorer, frame: pl.DataFrame) -> bool:
    return folder.is_dir() and Scorer.load(folder) == scorer and RewardParts(folder).read()[0].equals(frame)


if __name__ == "__main__":
    sys.exit(main())
