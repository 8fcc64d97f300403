"""`demo`: the bundled benchmark with its scorers, in the app or as a printed board."""

import argparse
import tempfile
from pathlib import Path

from msgspec.structs import replace

from inspector.cli.query_arguments import query_from


def run(args: argparse.Namespace) -> int:
    """Open the app on the demo; with `--no-app` print its board. `--rescore` first runs its PRMs for real."""
    code = 0
    if args.rescore:
        code = _rescore(args)
        if code > 1:
            return code
    query = replace(query_from(args), workspace=None, benchmarks=("demo",))
    if args.no_app:
        from inspector.analyses.board.board import board
        from inspector.cli.actions.view_page import print_view
        from scoring.selection.loading import load

        print_view(board.view(load(query)), ascii_only=args.ascii, pager=not args.quiet)
        return code
    from inspector.app.app import run_app

    return run_app(query, ascii_only=args.ascii, mouse=not args.no_mouse, demo=True) or code


def _rescore(args: argparse.Namespace) -> int:
    """Score the demo with every bundled PRM and compare with the cached rewards; 1 where a verdict differs."""
    from inspector.cli.actions.scoring_run import follow
    from inspector.state.processes.job import Job
    from scoring.formats.benchmarks import demo
    from scoring.workspace.workspace import Workspace

    different = 0
    with tempfile.TemporaryDirectory(prefix="prm-inspect-") as folder:
        workspace = Workspace.create(Path(folder))
        for model in sorted(path.parent for path in (demo.folder() / "models").glob("*/config.json")):
            code = follow(Job(["score", "demo", f"--workspace={folder}", f"--model={model}"]), quiet=args.quiet)
            if code:
                return code if code > 1 else 2
        for fresh in workspace.reward_folders():
            different += _compare(demo.folder() / "rewards" / fresh.name, fresh)
    return 1 if different else 0


def _compare(cached: Path, fresh: Path) -> int:
    """Say how far two caches of one scorer differ; how many verdicts do."""
    import numpy as np

    from scoring.data.scorer import Scorer
    from scoring.evaluation.evaluation import evaluate
    from scoring.evaluation.gold import Gold
    from scoring.formats.benchmarks import demo
    from scoring.workspace.cache import RewardParts

    scorer = Scorer.load(fresh)
    if not cached.is_dir():
        print(f"{scorer.name}: the demo holds no rewards of exactly this scorer ({scorer.fingerprint[:8]}).")
        return 1
    gold = Gold(demo.read().cases)
    now, then = (evaluate(gold, scorer, RewardParts(folder).read()[0]) for folder in (fresh, cached))
    changed = int((now.verdicts != then.verdicts).sum())
    same_cases = np.array_equal(now.rewards.offsets, then.rewards.offsets)
    gap = float(np.abs(now.rewards.values - then.rewards.values).max(initial=0.0)) if same_cases else float("nan")
    print(f"{scorer.name}: {changed} of {gold.known.size} verdicts differ from the cache; rewards by at most {gap:.1g}")
    return changed
