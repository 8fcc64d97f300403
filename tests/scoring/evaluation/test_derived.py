import json
import os
import shutil
import threading
from hashlib import blake2b
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from msgspec.structs import replace

import example
import judged
import making
import reference
from imports import import_source
from scoring.data.schema import VOTES, conform
from scoring.data.scorer import Scorer
from scoring.evaluation import derived
from scoring.evaluation.array_folder import DamagedPack, discard
from scoring.evaluation.derived import (
    FOLDER,
    EvaluationCache,
    RefusalReasons,
    packed_evaluation,
    remove_unasked,
    unpacked_evaluation,
)
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.instructive import instructive
from scoring.evaluation.scorer_columns import SPENT
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from thoroughness import THOROUGH, up_to
from views import metrics_view

SOME = up_to(40, 5)


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch):
    monkeypatch.setattr(derived, "WORTH", 0)


@pytest.fixture
def query(tmp_path):
    return example.write(tmp_path)


def kept(query):
    """The selection, after what had to be computed for it was kept."""
    found = load(query)
    for one in found.loaded.unkept:
        one.keep()
    return found


def same(found, other):
    """Two selections that nobody can tell apart."""
    assert found.problems == other.problems
    # What it took to score is read from the parts alone.
    derived = [name for name in found.evaluated.columns if name.rpartition(".")[2] not in SPENT]
    assert found.evaluated.table(derived).equals(other.evaluated.table(derived))
    for one, two in zip(found.evaluations, other.evaluations, strict=True):
        assert list(one.coverage.reasons) == list(two.coverage.reasons)
        assert one.rewards.lists.equals(two.rewards.lists)
        assert one.rewards.range == two.rewards.range
        for threshold in (0.2, 0.5, 0.7):
            assert columns_of(one.at(threshold)).equals(columns_of(two.at(threshold)))
    assert metrics_view(found).rows.equals(metrics_view(other).rows)


def places(query):
    return sorted(path for path in (Workspace.open(root(query)).root / FOLDER).glob("*/*-*") if path.is_dir())


def root(query):
    return Path(query.workspace)


def no_reading(monkeypatch):
    def refuse(*_):
        raise AssertionError("the rewards were read")

    monkeypatch.setattr(RewardParts, "read", refuse)


def test_what_is_kept_gives_every_number_that_the_rewards_give(query, monkeypatch):
    first = kept(query)
    assert len(first.loaded.unkept) == len(first.evaluations) == 2
    no_reading(monkeypatch)
    again = load(query)
    assert again.loaded.unkept == ()
    same(first, again)


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_an_evaluation_is_the_same_after_it_was_kept(cases, rule):
    whole = making.evaluation(cases)
    found = unpacked_evaluation(whole.gold, whole.scorer, *packed_evaluation(whole))
    for one, two in ((whole, found), (whole.at(rule[0]), found.at(rule[0]))):
        assert columns_of(one).equals(columns_of(two))
        assert list(one.coverage.reasons) == list(two.coverage.reasons)
        assert instructive(one.margins, one.codes).tolist() == instructive(two.margins, two.codes).tolist()
        assert str(one.rule) == str(two.rule)
    compared = [columns_of(one.compared("<=", "differences")) for one in (whole, found)]
    assert compared[0].equals(compared[1])


def test_labels_and_numbers_are_kept_too():
    cases = making.frame(judged.CASES)
    keys = cases["key"].to_list()
    longer = [(*row, False, True) for row in judged.LABELS]
    for rewards in (
        judged.labels(keys, judged.LABELS),
        judged.labels(keys, longer),
        judged.solutions(keys, judged.NUMBERS),
    ):
        whole = evaluate(Gold(cases), making.scorer(), rewards)
        found = unpacked_evaluation(whole.gold, whole.scorer, *packed_evaluation(whole))
        assert columns_of(found).equals(columns_of(whole))
        assert (found.rule, list(found.coverage.reasons)) == (whole.rule, list(whole.coverage.reasons))
        assert found.judged_steps.beyond.values.tolist() == whole.judged_steps.beyond.values.tolist()
        np.testing.assert_array_equal(found.rewards.solutions, whole.rewards.solutions)


def test_rewards_that_come_later_are_in_it_and_what_was_kept_before_goes(query, monkeypatch):
    kept(query)
    before = places(query)
    folder = load(query).loaded.folders["alpha"]
    case = load(query).cases["key"][0]
    rows = pl.DataFrame({"key": [case], "rewards": [[0.01, 0.01]]}).with_columns(vote=pl.lit(0, dtype=pl.Int32))
    RewardParts(folder).append(rows)
    later = load(query)
    assert [one.evaluation.scorer.name for one in later.loaded.unkept] == ["alpha"]
    same(later, kept(query))
    after = places(query)
    assert len(after) == len(before) == 2
    assert len(set(after) & set(before)) == 1
    no_reading(monkeypatch)
    same(later, load(query))


def test_another_rule_in_scorer_json_is_another_key(query):
    kept(query)
    path = load(query).loaded.folders["beta"] / "scorer.json"
    path.write_text(path.read_text().replace('"threshold": 0.0', '"threshold": 0.25'))
    found = load(query)
    assert found.evaluation("beta").rule.threshold == 0.25
    assert [one.evaluation.scorer.name for one in found.loaded.unkept] == ["beta"]


def test_cases_that_are_imported_again_leave_nothing_old(query, processbench_file):
    kept(query)
    old = places(query)
    add(query, processbench_file, "first")
    again = Query(workspace=query.workspace, benchmarks=("bench",))
    assert load(again).loaded.unkept == ()
    both = Query(workspace=query.workspace)
    same(kept(both), load(both))
    remove_unasked(Workspace.open(root(query)))
    # The cases of the first benchmark alone are as they were.
    assert set(old) < set(places(query))
    assert load(again).loaded.unkept == ()
    add(query, processbench_file, "second")
    remove_unasked(Workspace.open(root(query)))
    assert places(query) == old
    same(kept(both), load(both))


def add(query, processbench_file, case):
    """A case in another benchmark."""
    rows = [{"id": case, "problem": "p", "steps": ["a"], "final_answer_correct": True, "label": -1, "generator": "g"}]
    Workspace.open(root(query)).add([import_source(str(processbench_file(rows, f"{case}.jsonl")))])


def test_scorers_that_are_gone_leave_nothing(query):
    kept(query)
    shutil.rmtree(load(query).loaded.folders["alpha"])
    remove_unasked(Workspace.open(root(query)))
    assert [place.name[:4] for place in places(query)] == ["beta"]
    assert load(replace(query, scorers=())).loaded.unkept == ()


def test_only_as_many_folders_of_cases_stay(query, processbench_file, monkeypatch):
    monkeypatch.setattr(derived, "MOST", 1)
    kept(query)
    add(query, processbench_file, "first")
    later = Query(workspace=query.workspace, benchmarks=())
    kept(later)
    assert len(places(query)) == 4
    remove_unasked(Workspace.open(root(query)))
    assert len(places(query)) == 2
    assert load(later).loaded.unkept == ()


def test_what_is_not_ours_or_still_being_made_is_left_alone(query):
    kept(query)
    whole = places(query)
    folder = whole[0].parent
    others = [
        folder.parent / "notes",
        folder.parent / ("0" * 16),
        folder / "letters",
        folder / ".hidden",
        folder / f".{whole[0].name}-{'0' * 32}",
    ]
    for other in others:
        other.mkdir()
    (folder.parent / "read me.txt").write_text("mine")
    (folder / ".cases.json.1-2.tmp").write_text("half")
    remove_unasked(Workspace.open(root(query)))
    assert all(other.is_dir() for other in others)
    assert (folder / ".cases.json.1-2.tmp").exists()
    for path in (*others, folder / ".cases.json.1-2.tmp"):
        os.utime(path, (0, 0))
    remove_unasked(Workspace.open(root(query)))
    # What a process left half made when it was killed goes after a day.
    assert [other.is_dir() for other in others] == [True, False, True, True, False]
    assert not (folder / ".cases.json.1-2.tmp").exists()
    assert (folder.parent / "read me.txt").read_text() == "mine"
    assert places(query) == whole


def test_who_is_reading_sees_all_of_it_or_nothing_while_it_is_removed(query):
    whole = kept(query)
    reading = load(query)
    stop = threading.Event()

    def remove():
        while not stop.is_set():
            for place in places(query):
                discard(place)
            for one in whole.loaded.unkept:
                one.keep()

    thread = threading.Thread(target=remove)
    thread.start()
    try:
        for _ in range(30 if THOROUGH else 10):
            same(whole, load(query))
    finally:
        stop.set()
        thread.join()
    # What was mapped before is there as it was.
    same(whole, reading)


def test_a_workspace_without_a_folder_has_nothing_to_clean(tmp_path):
    remove_unasked(Workspace(None))
    remove_unasked(Workspace.create(tmp_path / "w"))


def test_facts_of_another_kind_are_damage():
    whole = making.evaluation([reference.Case(2, 1, (0.9, 0.1))])
    arrays, facts = packed_evaluation(whole)
    for reasons in ([], None, {"x": "y"}):
        with pytest.raises(DamagedPack):
            unpacked_evaluation(whole.gold, whole.scorer, arrays, {**facts, "reasons": reasons})


@pytest.mark.parametrize(
    "harm",
    [lambda place: (place / "values.npy").write_bytes(b"x"), lambda place: (place / "packed.json").write_text("?")],
)
def test_damage_is_told_once_and_changes_no_number(query, harm):
    whole = kept(query)
    harm(places(query)[0])
    found = load(query)
    assert [sentence for sentence in found.problems if "was damaged" in sentence] == list(found.problems)
    assert len(found.problems) == 1
    assert found.evaluated.table(found.evaluated.columns).equals(whole.evaluated.table(whole.evaluated.columns))
    again = kept(query)
    same(whole, again)
    assert load(query).loaded.unkept == ()


def test_it_may_be_deleted_at_any_time(query):
    whole = kept(query)
    shutil.rmtree(whole.loaded.workspace.root / FOLDER)
    found = load(query)
    same(whole, found)
    assert len(found.loaded.unkept) == 2


def test_where_nothing_can_be_written_nothing_is_said(query):
    (root(query) / FOLDER).write_text("in the way")
    same(kept(query), load(query))
    assert (root(query) / FOLDER).read_text() == "in the way"


def test_few_cases_are_not_worth_it(query, monkeypatch):
    monkeypatch.setattr(derived, "WORTH", 2_000)
    kept(query)
    assert not (root(query) / FOLDER).exists()


@pytest.mark.parametrize("rows", [[(0, 0), (0, 1)], [(0, 0), (1, 0), (1, 1)]])
def test_what_is_said_of_uneven_answers_is_not_lost_by_keeping_it(query, rows):
    """Of answers that rate steps rewards alone would be kept. `rows`: run and vote of what the first case got."""
    workspace = Workspace.open(root(query))
    cases, _ = workspace.cases()
    rated = cases.select("key", rewards=pl.lit([0.5]).repeat_by("n_steps").list.eval(pl.element().explode()))
    every = [rated.with_columns(run=pl.lit(0), vote=pl.lit(0))]
    first = [rated[:1].with_columns(run=pl.lit(run), vote=pl.lit(vote)) for run, vote in rows if (run, vote) != (0, 0)]
    ballots = pl.concat([*every, *first]).cast({"run": pl.Int32, "vote": pl.Int32})
    found = evaluate(Gold(cases), making.scorer(), making.rewards([]), votes=conform(ballots, VOTES, "votes"))
    assert found.votes is None
    EvaluationCache.of(workspace, ()).write(found, Path("generative"), "key")
    assert places(query) == []


def test_several_may_keep_the_same_at_once(query):
    several_results = [load(query) for _ in range(4)]
    threads = [threading.Thread(target=one.keep) for found in several_results for one in found.loaded.unkept]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(places(query)) == 2
    same(several_results[0], load(query))


def test_what_changes_while_it_is_read_is_not_kept(query, monkeypatch):
    read = RewardParts.read

    def slow(parts, columns=()):
        found = read(parts, columns)
        path = parts.folder / "scorer.json"
        path.write_text(path.read_text() + " ")
        return found

    monkeypatch.setattr(RewardParts, "read", slow)
    assert load(query).loaded.unkept == ()


def test_the_demo_has_no_place(tmp_path):
    assert EvaluationCache.of(Workspace(None), ("demo",)).name == ""
    assert EvaluationCache.of(Workspace.create(tmp_path / "w"), ("demo",)).name == ""


def test_reasons_are_a_sequence():
    found = RefusalReasons(4, {1: "x", 3: "y"})
    assert list(found) == [None, "x", None, "y"]
    assert (len(found), found[1], found[-1], found[1:]) == (4, "x", "y", ["x", None, "y"])
    with pytest.raises(IndexError):
        found[4]
    assert pl.Series(found, dtype=pl.String).to_list() == list(found)


def test_a_rule_that_is_changed_within_a_tick_of_the_clock_is_seen(query):
    kept(query)
    path = load(query).loaded.folders["beta"] / "scorer.json"
    times, text = path.stat().st_mtime_ns, path.read_text()
    path.write_text(text.replace('"threshold": 0.0', '"threshold": 0.5'))
    assert path.stat().st_size == len(text.encode())
    os.utime(path, ns=(times, times))
    assert [one.evaluation.scorer.name for one in load(query).loaded.unkept] == ["beta"]


def test_a_rule_that_changes_before_the_rewards_are_read_is_not_kept_as_the_new_one(query, monkeypatch):
    load_scorer = Scorer.load.__func__

    def slow(cls, folder):
        found = load_scorer(cls, folder)
        path = folder / "scorer.json"
        path.write_text(path.read_text().replace('"threshold": 0.0', '"threshold": 0.5'))
        return found

    monkeypatch.setattr(Scorer, "load", classmethod(slow))
    assert "beta" not in [one.evaluation.scorer.name for one in load(query).loaded.unkept]


def test_how_it_is_computed_has_a_version():
    cases = making.frame(judged.CASES)
    keys = cases["key"].to_list()
    bits = blake2b(digest_size=8)
    rated = [reference.Case(3, 1, (0.9, 0.2, 0.4)), reference.Case(2, -1, (0.9, 0.5)), reference.Case(1, 0, None)]
    labelled = evaluate(Gold(cases), making.scorer(), judged.labels(keys, judged.LABELS))
    for whole in (making.evaluation(rated), labelled):
        arrays, facts = packed_evaluation(whole)
        for name, array in sorted(arrays.items()):
            bits.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
        bits.update(json.dumps(facts, sort_keys=True).encode())
    # What is kept by the version before would be shown as if it were computed: count
    # scoring.evaluation.derived.VERSION up.
    assert (derived.VERSION, bits.hexdigest()) == (5, "916820511fc03445")
