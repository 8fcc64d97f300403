"""Every family of PRMs scores the demo's cases, each with its own rule, side by side on the board."""

import polars as pl
import pytest

pytest.importorskip("torch")
import every_family  # needs torch
from inspector.analyses.board.board_rows import board_frame
from scoring.formats.benchmarks.demo import NAME
from scoring.models.prms.prm_catalogue import ADAPTERS, family
from scoring.runs.engine_options import EngineOptions
from scoring.runs.events import End
from scoring.runs.preparation import prepare
from scoring.runs.prm_runs import Encoding
from scoring.runs.run import score
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.reservation import reserve_scorer
from scoring.workspace.workspace import Workspace
from views import metrics_view

CASES = 6


def scored(root):
    """What every family gives to the shortest cases."""
    workspace = Workspace.create(root / "w")
    cases, texts = workspace.cases((NAME,))
    # A tiny vocabulary needs more tokens than a tiny checkpoint has places, so these are the shortest cases.
    lengths = texts.frame(["problem", "steps"]).select(
        pl.col("problem").str.len_chars() + pl.col("steps").list.join("").str.len_chars()
    )
    rows = lengths.to_series().arg_sort()[:CASES].to_list()
    for name in ADAPTERS:
        folder = every_family.write(root, name)
        other = every_family.reference(root, name)
        prepared = prepare(
            workspace,
            str(folder),
            reference=other and str(other),
            adapter=name,
            dtype="float32",
            running=EngineOptions(device="cpu"),
        )
        parts = reserve_scorer(workspace, prepared.scorer)
        run = score(
            cases,
            texts,
            prepared.scorer,
            parts,
            Encoding(prepared.encoder),
            engine=prepared.engine,
            rows=rows,
        )
        end = list(run)[-1]
        assert isinstance(end, End)
        assert (end.status, end.scored) == ("done", CASES)
    return load(Query(workspace=str(root / "w"), benchmarks=(NAME,)))


def test_all_of_them_stand_on_the_board_by_their_own_rules_and_have_metrics(tmp_path):
    results = scored(tmp_path)
    rows = {row["scorer"]: row for row in board_frame(results).iter_rows(named=True)}
    assert set(ADAPTERS) <= rows.keys()
    assert all(rows[name]["scored"] == CASES for name in ADAPTERS)
    assert set(ADAPTERS) <= set(metrics_view(results).rows["scorer"])
    for name in ADAPTERS:
        found, made = results.evaluation(name), family(name)
        scale = getattr(made, "SCALE", None) or made.scale
        assert (found.rule.threshold, found.rule.comparison) == (scale.threshold, scale.comparison), name
        assert found.scorer.threshold_source == scale.threshold_source, name
        values = found.rewards.values
        if name not in {"minos", "implicit"}:
            assert scale.low <= values.min() <= values.max() <= scale.high, name
        assert found.verdicts[found.coverage.answered].size == CASES, name
    # That tells redundancy beside validity.
    found = results.evaluation("reasoneval")
    assert found.rewards.redundancy.present.sum() == CASES
    assert found.scorer.redundancy_threshold == 0.15
