import polars as pl

import originals
from inspector.case_page.original_track import original_evaluation, original_of
from inspector.state.opening import inspect
from scoring.data.reward_keys import reward_keys
from scoring.data.schema import REWARDS, content_key
from scoring.evaluation.single_case import judged_wrong
from scoring.selection.loading import load
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace


def seen(tmp_path, row, **settings):
    state = originals.state(tmp_path / "w", **settings)
    original = original_of(state.results.loaded.texts.row(row))
    return state, original_evaluation(state.results, state.evaluation, row, original)


def test_the_original_has_the_rewards_of_its_content(tmp_path):
    for row in (0, 1):
        _, found = seen(tmp_path / str(row), row)
        assert found.rewards.of(0) == list(originals.REWARDS_OF_ORIGINAL)
        assert int(found.verdicts[0]) == 2


def test_an_original_that_nobody_scored_has_none(tmp_path):
    assert seen(tmp_path, 2)[1] is None


def test_a_case_without_an_original_says_so(tmp_path):
    state = originals.state(tmp_path / "w")
    assert original_of(state.results.loaded.texts.row(3)) is None


def test_a_question_that_is_told_once_is_that_of_both():
    texts = {"problem": "Why?", "original_problem": None, "original_steps": ["So."]}
    assert original_of(texts) == ("Why?", ("So.",))


def test_it_is_decided_as_the_case_is(tmp_path):
    state = originals.state(tmp_path / "w")
    original = original_of(state.results.loaded.texts.row(0))
    moved = state.moved(0.85)
    found = original_evaluation(moved.results, moved.evaluation, 0, original)
    assert found.rule.threshold_of(0) == 0.85
    assert judged_wrong(found, 0) == [False, True, True, True]
    strict = moved.evaluation.compared("<=").at(0.8)
    assert judged_wrong(original_evaluation(moved.results, strict, 0, original), 0) == [False, True, True, True]
    loose = moved.evaluation.compared("<").at(0.8)
    assert judged_wrong(original_evaluation(moved.results, loose, 0, original), 0) == [False, False, True, True]


def test_rewards_that_come_later_are_seen(tmp_path):
    state, found = seen(tmp_path, 2)
    assert found is None
    original = original_of(state.results.loaded.texts.row(2))
    rows = [{"key": content_key(*original), "vote": 0, "rewards": [0.1, 0.2, 0.3]}]
    RewardParts(state.results.loaded.folders["alpha"]).append(pl.DataFrame(rows, schema=REWARDS))
    later = original_evaluation(state.results, state.evaluation, 2, original)
    assert later.rewards.of(0) == [0.1, 0.2, 0.3]


def test_a_scorer_that_reads_more_has_read_the_texts_of_the_problem(tmp_path):
    reads = ("question", "reason")
    query = originals.workspace(tmp_path / "w", settings={"reads": list(reads)})
    workspace = Workspace.open(tmp_path / "w")
    cases, texts = workspace.cases(["prmbench"], twins=True)
    keyed = reward_keys(cases, texts, reads)
    rows = [
        {"key": key, "vote": 0, "rewards": [number / 10] * n_steps}
        for number, (key, n_steps) in enumerate(keyed.select("key", "n_steps").iter_rows())
    ]
    RewardParts(next((tmp_path / "w/rewards").iterdir())).append(pl.DataFrame(rows, schema=REWARDS))
    state = inspect(load(query))
    original = original_of(state.results.loaded.texts.row(0))
    (number,) = cases["twin_of"].is_not_null().arg_true()
    found = original_evaluation(state.results, state.evaluation, 0, original)
    assert found.rewards.of(0) == [number / 10] * 4
    # It was scored with the words of its problem, and not with those about the error that it has not.
    assert texts.row(0)["question"]
    assert texts.row(number)["question"] == texts.row(0)["question"]
    assert texts.row(number)["reason"] is None


def test_of_results_that_name_cases_those_of_its_own_twin_go_first(tmp_path):
    state = originals.state(tmp_path / "w")
    results = state.results
    parts = RewardParts(results.loaded.folders["alpha"])
    key = content_key(*original_of(results.loaded.texts.row(0)))

    def say(case, rewards):
        row = {"key": key, "case": case, "vote": 0, "rewards": rewards}
        parts.append(pl.DataFrame([row], schema=REWARDS))

    def read(row):
        original = original_of(results.loaded.texts.row(row))
        return original_evaluation(results, state.evaluation, row, original).rewards.of(0)

    (twin,) = results.loaded.workspace.twins(["prmbench"])["case"]
    say("prmbench/a_clean_case", [0.1] * 4)
    # What holds for the content holds for the original; another case's results do not take its place.
    assert read(0) == read(1) == list(originals.REWARDS_OF_ORIGINAL)
    say(twin, [0.2] * 4)
    assert (read(0), read(1)) == ([0.2] * 4, list(originals.REWARDS_OF_ORIGINAL))
    for part in parts.parts()[:1]:
        part.unlink()
    assert (read(0), read(1)) == ([0.2] * 4, [0.1] * 4)
