import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

import example
from inspector.state.case_list.case_rows import LEVELS, CaseRows
from inspector.state.filtering.facets import FACETS, FacetColumn, facet_counts
from inspector.state.opening import inspect
from scoring.evaluation.evaluated_cases import MEASURES
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.selection.loading import load
from scoring.workspace.filtering.filters import Facet, Filter, passing


@pytest.fixture
def results(tmp_path):
    return load(example.write(tmp_path))


def whole_frame(results, scorer):
    """Every column of every case, made at once."""
    rewards = results.evaluation(scorer).rewards
    columns = [one.column(name) for one in results.evaluations for name in EVERY_COLUMN]
    columns += [
        results.evaluated.column(name)
        for name in (*results.evaluated.triage_columns, *results.evaluated.further, *MEASURES)
    ]
    own = [rewards.lists.alias("rewards"), pl.Series("solution", rewards.solutions).fill_nan(None)]
    return results.cases.hstack([*columns, *own])


@pytest.mark.parametrize("scorer", ["alpha", "beta"])
def test_the_rows_on_screen_are_those_of_the_whole_frame(results, scorer):
    frame, source = whole_frame(results, scorer), CaseRows(results, scorer)
    # The levels colour the sparkline of the rewards.
    assert dict(source.schema) == {**frame.schema, LEVELS: pl.String()}
    for ids in (np.arange(frame.height), np.array([3, 0, 5]), np.empty(0)):
        rows = ids.astype(np.int32)
        assert source.rows(frame.columns, rows) == frame[rows.astype(np.int64)].rows()
        for name in frame.columns:
            assert source.rows((name,), rows) == frame.select(name)[rows.astype(np.int64)].rows()
    for name in frame.columns:
        assert source.get_column(name).to_list() == frame[name].to_list()


def test_a_threshold_that_moves_makes_the_rows_on_screen_and_no_column(results):
    start = inspect(results)
    rows = np.array([1, 2], dtype=np.int32)
    names = tuple(whole_frame(results, start.focus.scorer).columns)
    for threshold in (0.1, 0.55, 0.9):
        moved = start.moved(threshold)
        assert (
            moved.rows.rows(names, rows) == whole_frame(moved.results, moved.focus.scorer)[[1, 2]].select(names).rows()
        )


def test_further_columns_stand_beside_the_others(results):
    notes = pl.Series("note", [None, *["seen"] * (results.evaluated.height - 1)])
    noted = replace(results, evaluated=replace(results.evaluated, further={"note": notes}))
    assert noted.evaluated.columns.count("note") == 1
    assert noted.evaluated.passing(("note = 'seen'",)).tolist() == [False, *[True] * (results.evaluated.height - 1)]
    assert CaseRows(noted, None).rows(("note", "id"), np.array([1, 0])) == [
        ("seen", noted.cases["id"][1]),
        (None, noted.cases["id"][0]),
    ]
    # The same column with other values is another Series.
    other = replace(noted, evaluated=replace(noted.evaluated, further={"note": notes.reverse()}))
    assert other.evaluated.passing(("note = 'seen'",)).tolist() == [*[True] * (results.evaluated.height - 1), False]
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        noted.evaluated.column("nothing")


@pytest.mark.parametrize(
    "chosen",
    [
        Filter(),
        Filter((Facet("alpha.outcome", ("exact", "late")),)),
        Filter((Facet("alpha.outcome", ("late",)), Facet("error_type", (None,), keep=False)), ("n_steps > 1",)),
        Filter((Facet("subset", ("nowhere",)),)),
    ],
)
def test_facets_count_what_the_other_conditions_leave(results, chosen):
    frame = results.evaluated.table(results.evaluated.columns)
    within = (results.cases["benchmark"] == results.cases["benchmark"][0]).to_numpy()
    offered = [FacetColumn("alpha.outcome", "outcome", "outcomes"), *(FacetColumn(name, name) for name in FACETS)]
    found = facet_counts(results, within, offered, ("n_steps > 0",), chosen)
    for column in ("alpha.outcome", *FACETS):
        values = frame.select(column).filter(pl.Series(within))[column].unique().to_list()
        if len(values) < 2 and not chosen.facet(column):
            assert column not in found
            continue
        left = pl.Series(within) & passing(frame, ("n_steps > 0", *chosen.without(column).conditions))
        counted = dict(frame.filter(left).group_by(column).len().iter_rows())
        asked = [] if column == "alpha.outcome" or not chosen.facet(column) else chosen.facet(column).values
        assert dict(found[column]) == {value: counted.get(value, 0) for value in (*values, *asked)}
