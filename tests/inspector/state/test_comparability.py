import shlex

import numpy as np
import pytest
from msgspec.structs import replace

import checked_pairs
import making
import reference
from inspector.state.comparability import incomparable, remedy_of
from inspector.state.counted_cases import counted_cases
from scoring.metrics.outcome_conditions import tried
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import select


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Scorers that lack cases, refused some, or call rewards on the threshold wrong."""
    root = tmp_path_factory.mktemp("pairs")
    cases = checked_pairs.plain()

    def without(modulus):
        return [
            checked_pairs.replaced(case, None if at % modulus == 0 else checked_pairs.old(at, case))
            for at, case in enumerate(cases)
        ]

    refusals = [reference.Case(3, case.gold, None, "over length", case.subset) for case in cases[:20]]
    level = [reference.Case(3, case.gold, (0.9, 0.5, 0.9), "", case.subset) for case in cases]
    extra = [
        (making.scorer("tenth"), without(10)),
        (making.scorer("fifteenth"), without(15)),
        (making.scorer("refused"), [*refusals, *checked_pairs.right(cases, checked_pairs.old)[20:]]),
        (making.scorer("level"), level),
        (making.scorer("at-or-below", comparison="<="), checked_pairs.right(cases, checked_pairs.old)),
    ]
    checked_pairs.write(root, extra=extra)
    return str(root)


def found(root, *names, **asked):
    return incomparable(load(Query(workspace=root, scorers=names, **asked)), names, "bench")


def test_scorers_on_the_same_cases_at_their_own_thresholds_are_comparable(root):
    assert found(root, "old", "worse", "better") == []
    assert found(root, "old") == []
    # Each is the other's opposite, but neither has a reward on the threshold.
    assert found(root, "old", "at-or-below") == []


def test_two_scorers_on_other_cases_say_which_and_the_remedy_leaves_the_common_ones(root):
    (reason,) = found(root, "tenth", "fifteenth")
    assert reason.why == "cases"
    assert "tenth lacks 10 cases that fifteenth has (bench/c10, bench/c20, bench/c40, ...)" in reason.sentence
    assert "fifteenth lacks 5 cases that tenth has (bench/c15, bench/c45, bench/c75, ...)" in reason.sentence
    assert reason.remedy.startswith("all on the 139 cases in common: --where ")
    results = load(Query(workspace=root))
    sets = counted_cases(results, ("tenth", "fifteenth"), "bench")
    mended = select(replace(results, query=replace(results.query, where=remedy_of([reason]))))
    assert np.array_equal(mended.mask, sets["tenth"] & sets["fifteenth"])
    assert incomparable(mended, ("tenth", "fifteenth"), "bench") == []
    # The words of the remedy are the flags of a command.
    words = shlex.split(reason.remedy.partition(": ")[2])
    assert words[1::2] == list(reason.where)


def test_of_many_scorers_their_sizes_are_told(root):
    (reason,) = found(root, "tenth", "fifteenth", "old", "same")
    assert "the figures are over different cases, 160 in all: 160 of old and same; 149 of fifteenth; 144 of tenth" in (
        reason.sentence
    )
    assert len(reason.where) == 2


def test_without_a_common_case_there_is_no_filter(root):
    (reason,) = found(root, "half", "rest")
    assert reason.where == ()
    assert "no case in common" in reason.remedy


def test_what_is_refused_is_a_difference_only_where_it_is_left_out(root):
    assert found(root, "old", "refused") == []
    reasons = {one.why: one for one in found(root, "old", "refused", unparsed="drop")}
    assert reasons.keys() == {"cases", "unparsed"}
    assert "old 0, refused 20" in reasons["unparsed"].sentence
    assert reasons["cases"].where == (tried("refused", "drop"),)


def test_thresholds_of_other_sources(root):
    (reason,) = found(root, "old", "worse", thresholds=(("worse", "best"),))
    assert (reason.why, str(reason)) == (
        "threshold",
        "worse is at a threshold tuned on these cases (optimistic), old not; --threshold default or dev for all",
    )
    (reason,) = found(root, "old", "worse", thresholds=(("worse", "0.4"),))
    assert "old is at its own threshold, worse is at a threshold that somebody chose" in reason.sentence
    assert found(root, "old", "worse", thresholds=((None, "best"),)) == []
    assert found(root, "old", "worse", thresholds=((None, "0.4"),)) == []


def test_another_boundary_matters_only_where_a_reward_lies_on_it(root):
    (reason,) = found(root, "level", "at-or-below")
    assert reason.why == "boundary"
    assert "is wrong for at-or-below, right for level; there are 160 of level" in reason.sentence
    assert found(root, "level", "at-or-below", rules=((None, "<"),)) == []


def test_cases_chosen_by_what_one_made_of_them(root):
    (reason,) = found(root, "old", "worse", where=("\"old.outcome\" = 'exact'",))
    assert reason.why == "filter"
    assert reason.drop == ("\"old.outcome\" = 'exact'",)
    assert found(root, "old", "worse", where=("n_steps = 3", tried("old"))) == []


def test_the_cases_may_be_given(root):
    results = load(Query(workspace=root))
    shown = np.zeros(results.evaluated.height, dtype=np.bool_)
    shown[1:9] = True
    assert incomparable(results, ("tenth", "fifteenth"), "bench", shown) == []
