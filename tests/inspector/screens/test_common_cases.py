"""Two benchmarks in one workspace, of which a scorer lacks cases in one: the remedy leaves the other alone."""

import pytest
from msgspec.structs import replace

import checked_pairs
import making
import reference
from inspector.analyses import Params
from inspector.analyses.check.check import check
from inspector.screens.common_cases import is_on_common_cases, on_all_cases, on_common_cases, reasons_on_screen
from inspector.state.comparability import incomparable, remedy_of
from inspector.state.focusing import on_benchmark
from inspector.state.opening import inspect
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import select


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """On `first` the scorer `part` lacks every tenth case; `second`, of other cases, it never saw."""
    root = tmp_path_factory.mktemp("several")
    cases = checked_pairs.plain()
    old, worse = (checked_pairs.right(cases, rule) for rule in (checked_pairs.old, checked_pairs.worse))
    part = [checked_pairs.replaced(case, None if at % 10 == 0 else True) for at, case in enumerate(cases)]
    named = [(making.scorer("old"), old), (making.scorer("new"), worse), (making.scorer("part"), part)]
    making.workspace(root, cases, named, benchmark="first")
    longer = [reference.Case(4, case.gold, (0.9,) * 4, "", case.subset) for case in cases]
    making.workspace(root, longer, [(making.scorer("old"), longer), (making.scorer("new"), longer)], benchmark="second")
    return str(root)


def test_the_condition_speaks_of_one_benchmark_alone(root):
    results = load(Query(workspace=root))
    (reason,) = incomparable(results, ("old", "part"), "first")
    assert reason.where[0].startswith("benchmark <> 'first' OR ")
    mended = select(replace(results, query=replace(results.query, where=remedy_of([reason]))))
    shown = mended.cases[mended.shown]["benchmark"].value_counts().sort("benchmark")["count"].to_list()
    assert shown == [144, 160]
    assert incomparable(mended, ("old", "part"), "first") == []


def test_on_screen_it_is_put_there_and_taken_away(root):
    state = inspect(load(Query(workspace=root)))
    first = state if state.focus.benchmark == "first" else on_benchmark(state, "first")
    there = on_common_cases(first, reasons_on_screen(first))
    assert there is not None
    assert is_on_common_cases(there)
    assert int(there.slice.sum()) == 144
    assert int(on_benchmark(there, "second").slice.sum()) == 160
    back = on_all_cases(there)
    assert back is not None
    assert (back.base, int(back.slice.sum())) == ((), 160)
    assert on_all_cases(back) is None


def test_a_check_has_a_row_a_benchmark_and_fails_on_any(root):
    against = Params("", {"baseline": "old"})
    found = check.view(load(Query(workspace=root, scorers=("new", "old"))), against)
    results = dict(found.rows.select("benchmark", "fails").iter_rows())
    assert results["first"] is True
    assert found.exit_code == 1
    # On the other they gave the same, so that the interval of their difference is 0 to 0, which holds 0.
    assert results["second"] is False
    assert "about 4.9% of checks (on 2 benchmarks" in found.provenance["notes"][0]
    alone = check.view(load(Query(workspace=root, scorers=("new", "old"), benchmarks=("second",))), against)
    assert alone.exit_code == 0
