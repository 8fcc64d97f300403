import pytest
from msgspec.structs import replace

import example
import judged
import making
import taxonomy_spaces
from inspector.state.case_list.listed import cleared, searched
from inspector.state.filtering.filter_words import filter_words
from inspector.state.filtering.slices import ready_slices, size_of, sliced
from inspector.state.focusing import on_benchmark
from inspector.state.opening import inspect
from published_spaces import mr_math
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.saved_slices import SavedSlice
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace

OUTCOMES = {
    "exact-one": ("exact", "refused"),
    "early-one": ("early", "unscored"),
    "late-one": ("late", "exact"),
    "missed-one": ("missed", "exact"),
    "missed-two": ("missed", "exact"),
    "clean-one": ("clean", "clean"),
    "alarm-one": ("false_alarm", "clean"),
    "clean-two": ("clean", "clean"),
    "long-one": ("exact", "exact"),
}
"""What alpha and beta make of the example."""


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("ready") / "workspace")))


def listed(state):
    return {case.removeprefix("bench/") for case in state.cases["case"].gather(state.shown)}


def of_alpha(*outcomes):
    return {case for case, (alpha, _) in OUTCOMES.items() if alpha in outcomes}


def test_every_ready_slice_holds_what_it_says(start):
    expected = {
        "f": of_alpha("early", "late", "missed", "false_alarm"),
        "e": of_alpha("exact"),
        "m": of_alpha("missed"),
        "a": of_alpha("false_alarm"),
        "p": set(),
        "c": {"missed-two"},
        "w": set(),
        "d": {"late-one", "missed-one", "missed-two", "alarm-one"},
        "x": set(),
        "l": {"long-one"},
        "t": set(),
    }
    found = {one.key: one for one in ready_slices(start)}
    assert found.keys() == expected.keys()
    for key, cases in expected.items():
        now = start.selected(chosen=found[key].filter).selected(sort=found[key].sort)
        assert listed(now) == cases
        assert found[key].cases == len(cases)
        assert "SELECT" not in filter_words(now)


@pytest.mark.parametrize("asked", [{"where": ("n_steps > 2",)}, {"search": "missed"}, {"baselines": True}])
def test_they_count_what_they_list_whatever_the_app_was_opened_on(start, asked):
    """Under a search too; and baselines, which look at nothing, are no scorers that are right or wrong."""
    now = inspect(load(replace(start.results.query, scorers=("alpha",), **asked)))
    plain = {one.key: one.cases for one in ready_slices(start)}
    counts = {one.key: one.cases for one in ready_slices(now)}
    assert (counts == plain) == ("baselines" in asked)
    for one in ready_slices(now):
        assert searched(now, now.base_search, one.filter).selected(sort=one.sort).shown.size == one.cases
    saved = SavedSlice("missed", ("\"alpha.outcome\" = 'missed'",))
    assert size_of(now, saved) == sliced(now, saved).shown.size == counts["m"]


def test_a_saved_slice_of_no_benchmark_counts_what_it_lists(tmp_path):
    """It was saved while there was one benchmark: then no condition names it."""
    query = taxonomy_spaces.write(tmp_path / "w")
    start = inspect(load(query))
    short, named = SavedSlice("short", ("n_steps < 4",)), SavedSlice("b", ("benchmark IN ('bench')", "n_steps < 4"))
    for benchmark in ("socratic", "bench"):
        now = on_benchmark(start, benchmark)
        assert size_of(now, short) == sliced(now, short).shown.size
        assert size_of(now, named) == sliced(now, named).shown.size
    assert size_of(on_benchmark(start, "socratic"), short) != size_of(on_benchmark(start, "bench"), short)


def test_conditions_of_ready_slices_are_said_in_words(start):
    found = {one.key: one for one in ready_slices(start)}
    assert filter_words(start.selected(chosen=found["w"].filter)) == (
        "filter final answer right = yes AND the process is wrong"
    )
    assert filter_words(start.selected(chosen=found["d"].filter)) == "filter some scorers right, some wrong"


def test_without_scorers_only_labels_make_slices(tmp_path):
    start = inspect(load(example.write(tmp_path, scored=False)))
    assert [one.key for one in ready_slices(start)] == ["w", "l", "t"]


def test_one_case_alone_has_hardly_any(tmp_path):
    making.workspace(tmp_path, [making.reference.Case(2, 0)], [])
    start = inspect(load(Query(workspace=str(tmp_path))))
    assert [one.key for one in ready_slices(start)] == ["t"]


def every_scorer_wrong(state):
    (found,) = [one for one in ready_slices(state) if one.title == "every scorer wrong"]
    now = cleared(state).selected(chosen=found.filter)
    assert now.shown.size == found.cases
    return set(state.cases["case"].gather(now.shown))


def reckoned(state, names):
    """The cases of which every one of these scorers has a wrong verdict, from their columns."""
    frame = state.results.evaluated.table(state.results.evaluated.columns)
    wrong = ["early", "late", "missed", "false_alarm"]
    return {row["case"] for row in frame.to_dicts() if all(row[f"{name}.outcome"] in wrong for name in names)}


def test_one_number_a_solution_makes_no_scorer_right_or_wrong(tmp_path, monkeypatch, data_home):
    """The demo's scorers, and beside them one that gives a number a solution and no verdict on any case."""
    monkeypatch.chdir(tmp_path)
    plain = inspect(load(Query(benchmarks=("demo",))))
    expected = every_scorer_wrong(plain)
    assert expected == reckoned(plain, [one.scorer.name for one in plain.results.evaluations])
    assert len(expected) > 20
    keys = plain.cases["key"].to_list()
    Workspace.create(tmp_path / "w")
    scorer = making.scorer("number")
    scorer.save(tmp_path / "w" / "rewards" / scorer.folder)
    RewardParts(tmp_path / "w" / "rewards" / scorer.folder).append(judged.solutions(keys, [0.5] * len(keys)))
    beside = inspect(load(Query(workspace=str(tmp_path / "w"), benchmarks=("demo",))))
    (silent,) = (one for one in beside.results.evaluations if one.scorer.name == "number")
    assert silent.coverage.covers("demo")
    assert not silent.coverage.judges("demo")
    assert every_scorer_wrong(beside) == expected
    titles = [[found.title for found in ready_slices(start)] for start in (plain, beside)]
    assert titles[0] == titles[1]


def test_every_scorer_wrong_on_published_scores(tmp_path, data_folder):
    """Two of its twelve scorers give one number a solution."""
    start = inspect(load(mr_math(tmp_path / "w", data_folder)))
    names = [one.scorer.name for one in start.results.evaluations if one.coverage.count]
    assert len(names) == len(start.results.evaluations) - 2 == 10
    assert len(every_scorer_wrong(start)) == 10
    assert every_scorer_wrong(start) == reckoned(start, names)
