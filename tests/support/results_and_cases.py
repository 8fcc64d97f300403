"""Cases and foreign results, authored for tests of what brings them together."""

import polars as pl

from scoring.data.schema import METADATA
from scoring.formats.benchmarks.own import cases_frame
from scoring.formats.results.result_format import ExternalResults, results_frame

SOURCE = "runs/a-prm.jsonl"


def case(name, n_steps=3, **changes):
    """A case of its own text; `changes` are further columns."""
    steps = [f"Step {place} of {name}." for place in range(n_steps)]
    return {"id": str(name), "problem": f"What is {name}?", "steps": steps, "earliest_error": -1, "line": 1, **changes}


def cases_of(benchmark, *rows):
    """The metadata of a benchmark's cases."""
    return cases_frame(benchmark, f"{benchmark}.jsonl", rows).select(list(METADATA))


def together(*frames):
    return pl.concat(frames)


def texts(row):
    """What a file that repeats the content of a case holds of it."""
    return {"problem": row["problem"], "steps": row["steps"]}


def results(*rows, source=SOURCE, name="a-prm", **changes):
    """One scorer's results, a row a line."""
    numbered = [{"line": line, **row} for line, row in enumerate(rows, start=1)]
    return ExternalResults("made", source, name, results_frame(numbered), len(rows), **changes)


def codes(joined):
    """(severity, code) of every finding."""
    return [(finding.severity, finding.code) for finding in joined.findings]


def rewards(joined):
    """{key: step rewards}."""
    return dict(joined.rewards.select("key", "rewards").iter_rows())
