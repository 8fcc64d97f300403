"""Tables with one planted misreading each give no wrong figure in silence, and right tables give no warning.

The reported figures are of seeds that no check was tuned on: `--thorough` takes 200 tables of each kind.
"""

import math
from collections import Counter

import pytest

import planted_tables
from scoring.api import open_workspace
from scoring.data.errors import InspectError
from scoring.importing.batch import ImportOptions, read_sources
from scoring.workspace.workspace import Workspace
from thoroughness import THOROUGH

PLANTED = range(10_000, 10_200) if THOROUGH else range(480, 480 + 3 * len(planted_tables.FAULTS))
RIGHT = range(10_000, 10_200) if THOROUGH else range(480, 504)
MOST_FALSE = 2


def imported(table, folder):
    """What the import of a table's files says: a refusal, or a batch that is in a workspace now."""
    folder.mkdir()
    for name, content in table.files.items():
        (folder / name).write_text(content)
    workspace = Workspace.create(folder / "ws")
    sources = [str(folder / name) for name in table.files]
    try:
        batch = read_sources(sources, ImportOptions(), workspace, None)
        batch.put(workspace)
    except InspectError as refusal:
        return refusal, None
    return None, batch


def figures(folder):
    metrics = open_workspace(folder / "ws").metrics()
    metrics = metrics.filter(metrics["subset"] == "all") if (metrics["subset"] == "all").any() else metrics
    values = {row["metric"]: row["value"] for row in metrics.iter_rows(named=True)}
    return tuple(math.nan if values.get(name) is None else values[name] for name in ("f1", "error_acc", "correct_acc"))


def silent(table, folder):
    """Whether neither a warning nor a refusal says that something is odd."""
    refusal, batch = imported(table, folder)
    return refusal is None and not batch.grave


@pytest.mark.parametrize("fault", planted_tables.FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_no_planted_fault_gives_a_wrong_figure_in_silence(tmp_path, fault):
    wrong = []
    for seed in PLANTED:
        if planted_tables.FAULTS[seed % len(planted_tables.FAULTS)] is not fault:
            continue
        table, folder = planted_tables.planted_table(seed), tmp_path / str(seed)
        if silent(table, folder) and table.evidence:
            found = figures(folder)
            if found != pytest.approx(table.right, nan_ok=True):
                wrong.append((seed, table.size, found, table.right))
    assert not wrong


def test_right_tables_have_no_warning_and_their_own_figures(tmp_path):
    warned = Counter()
    for seed in RIGHT:
        table, folder = planted_tables.right_table(seed), tmp_path / str(seed)
        refusal, batch = imported(table, folder)
        assert refusal is None, (seed, table.size)
        assert figures(folder) == pytest.approx(table.right, nan_ok=True), (seed, table.size)
        if batch.grave:
            parts = [*batch.imported, *batch.joined]
            codes = {finding.code for part in parts for finding in part.findings if finding.severity != "note"}
            warned[table.size, *sorted(codes)] += 1
    assert warned.total() <= MOST_FALSE, warned
