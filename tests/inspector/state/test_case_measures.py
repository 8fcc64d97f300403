import numpy as np
import pytest
from msgspec.structs import replace

import example
import making
from inspector.state.opening import inspect
from scoring.evaluation.evaluated_cases import MEASURES, CaseMeasures, disagreement
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import Filter


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("measures")
    cases, scorers = making.study()
    making.workspace(root, cases, scorers)
    return str(root)


def test_scorers_are_compared_and_baselines_left_out(root):
    found = load(Query(workspace=root))
    verdicts = [one.verdicts for one in found.evaluations]
    expected = [None if np.isnan(value) else value for value in disagreement(verdicts, 30)]
    assert found.evaluated.column("disagreement").to_list() == expected
    assert len(set(expected)) > 2
    assert load(Query(workspace=root, baselines=True)).evaluated.column("disagreement").to_list() == expected


def test_it_is_made_again_when_a_threshold_moves_and_not_otherwise(root):
    found = load(Query(workspace=root))
    measures, one = CaseMeasures(), found.evaluations
    first = measures.column("disagreement", one, 30)
    assert measures.column("disagreement", one, 30) is first
    moved = tuple(each.at(0.95) for each in one[:1]) + one[1:]
    assert measures.column("disagreement", moved, 30) is not first
    with pytest.raises(KeyError):
        measures.column("nothing", one, 30)


def test_a_condition_on_it_is_left_out_of_the_metric_as_those_on_outcomes_are(tmp_path):
    now = inspect(load(example.write(tmp_path / "ws")))
    some = now.selected(chosen=Filter(where=("disagreement > 0",)))
    assert 0 < some.shown.size < now.shown.size
    assert some.summary.headline == now.summary.headline
    assert some.data_filter != some.filter
    assert all(now.results.evaluated.said_by_scorers(name) for name in (*MEASURES, "alpha.lowest_reward"))
    assert not replace(now.results).evaluated.said_by_scorers("n_steps")
