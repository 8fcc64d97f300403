"""`benchmarks` and `scorers`: what the workspace holds."""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from inspector.cli.actions.output import form_of, put
from inspector.cli.query_arguments import query_from
from inspector.render.documents.row_documents import Document
from inspector.state.kept_answers import answer_counts, listed, unparsed_notes
from scoring import __version__
from scoring.data.storage.files import DiskUse
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import REFUSED, UNPARSED
from scoring.formats.reading.compressed_streams import size_words
from scoring.selection.loading import load
from scoring.selection.result_set import ResultSet
from scoring.workspace.workspace_place import find_workspace_or_demo

BENCHMARKS = {
    "benchmark": pl.String(),
    "source": pl.String(),
    "format": pl.String(),
    "read": pl.Int64(),
    "kept": pl.Int64(),
    "erroneous": pl.Int64(),
    "clean": pl.Int64(),
    "findings": pl.Int64(),
    "label_base": pl.String(),
    # What the workspace's files of the whole benchmark take, the same in each of its rows; null of what is bundled.
    "bytes": pl.Int64(),
    # When something was written there last (ISO 8601, UTC): imported, scored, read again. Who looks leaves no mark.
    "used": pl.String(),
}
SCORERS = {
    "scorer": pl.String(),
    "kind": pl.String(),
    "scored": pl.Int64(),
    "refused": pl.Int64(),
    "unparsed": pl.Int64(),
    # A critic's answers, votes and runs one by one: those that came, those of them that cannot be read or do not fit
    # the steps, by kind in words, and those that did not come. Null of others.
    "answers": pl.Int64(),
    "unparsed_answers": pl.Int64(),
    "misfit_answers": pl.Int64(),
    "answer_faults": pl.String(),
    "lacking_answers": pl.Int64(),
    "cases": pl.Int64(),
    "threshold": pl.Float64(),
    "threshold_source": pl.String(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "fingerprint": pl.String(),
    "about": pl.String(),
    # As of a benchmark.
    "bytes": pl.Int64(),
    "used": pl.String(),
}

BESIDE = ("answers", "unparsed_answers", "misfit_answers", "answer_faults", "lacking_answers")
"""Columns that a person reads as a sentence above the table."""
NO_SCORER = "No scorer has rewards for these cases yet."


def run(args: argparse.Namespace) -> int:
    """Print the table of `args.command`."""
    rows, problems = _benchmarks(args) if args.command == "benchmarks" else _scorers(args)
    schema = BENCHMARKS if args.command == "benchmarks" else SCORERS
    command = query_from(args).command(args.command, form=form_of(args))
    provenance = {"command": command, "version": __version__}
    document = Document(pl.DataFrame(rows, schema=schema, orient="row"), provenance)
    put(document, args, problems, _for_people(document.rows.drop(BESIDE, strict=False)))
    return 0


def _for_people(rows: pl.DataFrame) -> pl.DataFrame:
    """Sizes and times as people write them, those of a benchmark of several sources once."""
    name = rows.columns[0]
    again = pl.Series(rows[name].is_duplicated() & ~rows[name].is_first_distinct())
    sizes = pl.Series("bytes", [None if size is None else size_words(size) for size in rows["bytes"]], dtype=pl.String)
    table = rows.with_columns(sizes, pl.col("used").str.replace("T", " ").str.slice(0, 16))
    table = table.with_columns(pl.when(again).then(None).otherwise(pl.col("bytes", "used")).name.keep())
    # The last columns are as wide as a line.
    last = [name for name in ("label_base", "fingerprint", "about") if name in table.columns]
    return table.select(pl.exclude(last), *last)


def _use(folder: Path | None) -> dict[str, Any]:
    """The columns about files; nothing of what lies in no workspace."""
    if folder is None:
        return {}
    use = DiskUse.of(folder)
    when = None if use.written is None else datetime.fromtimestamp(use.written, UTC)
    return {"bytes": use.bytes, "used": when and when.isoformat(timespec="seconds").replace("+00:00", "Z")}


def _benchmarks(args: argparse.Namespace) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows, and what there is to say."""
    workspace = find_workspace_or_demo(args.workspace, args.benchmark)
    names = list(args.benchmark) or workspace.default_benchmarks()
    rows = [
        {"benchmark": name, **source, "findings": len(source["findings"]), **use}
        for name in names
        for use in [_use(next((folder.parent for folder in workspace.generations([name])), None))]
        for source in workspace.imports(name)
    ]
    return rows, [] if rows else ["No benchmark was imported here."]


def _scorers(args: argparse.Namespace) -> tuple[list[dict[str, Any]], list[str]]:
    """The same for scorers."""
    results = load(query_from(args))
    rows = [
        {
            "scorer": evaluation.scorer.name,
            "kind": evaluation.scorer.kind,
            "scored": evaluation.coverage.count,
            "refused": int((evaluation.codes == REFUSED).sum()),
            "unparsed": int((evaluation.codes == UNPARSED).sum()),
            **_answers(results, evaluation),
            "cases": results.cases.height,
            "rule": None if not evaluation.rule.by_threshold else evaluation.rule.spelled,
            "threshold": evaluation.rule.threshold,
            "threshold_source": evaluation.rule.source,
            "low": evaluation.scorer.low,
            "high": evaluation.scorer.high,
            "fingerprint": evaluation.scorer.fingerprint,
            "about": evaluation.scorer.about,
            **_use(_own(results, evaluation.scorer.name)),
        }
        for evaluation in results.chosen_evaluations
    ]
    notes = unparsed_notes(results) if not form_of(args) else ()
    return rows, [*results.problems, *notes, *([] if rows else [NO_SCORER])]


def _own(results: ResultSet, name: str) -> Path | None:
    """A scorer's folder in the workspace; None of the demo's own and of baselines."""
    folder, root = results.loaded.folders.get(name), results.loaded.workspace.root
    return folder if folder is not None and root is not None and folder.is_relative_to(root) else None


def _answers(results: ResultSet, evaluation: Evaluation) -> dict[str, Any]:
    """The columns about a critic's answers."""
    name = evaluation.scorer.name
    if evaluation.scorer.kind != "critic" or name not in results.loaded.folders:
        return {}
    totals = answer_counts(results.loaded.folders[name], results.loaded.keyed(evaluation.scorer))
    counts = (totals.answers, sum(totals.unparsed.values()), sum(totals.misfit.values()))
    faults = listed({**totals.unparsed, **totals.misfit}) or None
    return dict(zip(BESIDE, (*counts, faults, totals.lacking), strict=True))
