import pytest

import example
from inspector.state.renewing import held_filter, held_order
from scoring.selection.loading import load
from scoring.workspace.filtering.filters import Facet, Filter


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return load(example.write(tmp_path_factory.mktemp("w")))


def test_facets_of_the_old_scorer_become_the_new_ones_and_what_reads_nothing_goes(results):
    chosen = Filter(
        (Facet("gone.outcome", ("late",)), Facet("other.outcome", ("late",)), Facet("subset", ("sums",), keep=False)),
        ('"gone.margin" < 0', "n_steps > 2", 'n_steps > 2 AND "gone.margin" < 0'),
    )
    assert held_filter(chosen, results, "gone.outcome", "alpha.outcome") == Filter(
        (Facet("alpha.outcome", ("late",)), Facet("subset", ("sums",), keep=False)), ("n_steps > 2",)
    )
    without = held_filter(chosen, results, "gone.outcome", "None.outcome")
    assert [facet.column for facet in without.facets] == ["subset"]


@pytest.mark.parametrize(
    ("sort", "held"),
    [("", ""), ("n_steps:desc", "n_steps:desc"), ("gone.margin:desc", ""), ("alpha.margin", "alpha.margin")],
)
def test_an_order_holds_where_its_column_is_there(results, sort, held):
    assert held_order(sort, results) == held
