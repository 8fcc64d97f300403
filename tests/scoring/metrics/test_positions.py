import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import judged
import making
import reference
from reference import Case
from scoring.evaluation.evaluation import columns_of
from scoring.metrics.positions import all_position_rows, first_position_rows, offset_rows, step_position_rows
from scoring.metrics.step_bins import PRESETS
from scoring.workspace.filtering.filters import passing
from thoroughness import up_to

SOME = up_to(50, 6, suppress_health_check=[HealthCheck.too_slow])
PLAIN = PRESETS["processbench"]


def everything(evaluation):
    return np.ones(evaluation.codes.size, dtype=bool)


def values(rows, metric, *names):
    return {tuple(row[name] for name in names): row["value"] for row in rows if row["metric"] == metric}


@st.composite
def answered(draw):
    """Cases with any verdicts: of steps, -1, below it, and beyond the last step."""
    cases = draw(making.benches())
    return cases, [draw(st.none() | st.integers(-2, 6)) for _ in cases]


@SOME
@given(study=answered(), taken=st.lists(st.booleans(), min_size=10, max_size=10))
def test_offsets_are_what_is_counted_one_by_one_and_add_up(study, taken):
    cases, verdicts = study
    evaluation, mask = judged.critic(*study), np.array(taken[: len(cases)], dtype=bool)
    expected = Counter()
    for case, verdict, inside in zip(cases, verdicts, mask, strict=True):
        if inside and verdict is not None and case.gold is not None and case.gold >= 0:
            outcome = reference.outcome_of(verdict, case.gold, case.n_steps)
            expected[outcome, verdict - case.gold if 0 <= verdict < case.n_steps else None] += 1
    rows = list(offset_rows(evaluation, mask))
    counts = values(rows, "count", "outcome", "offset")
    assert {key: count for key, count in counts.items() if count} == expected
    assert {row["n"] for row in rows} == {sum(counts.values())} == {expected.total()}
    frame = pl.concat([evaluation.gold.cases, columns_of(evaluation)], how="horizontal")
    for row in rows:
        assert (passing(frame, [row["where"]]).to_numpy() & mask).sum() == counts[row["outcome"], row["offset"]]
        if row["metric"] == "share":
            assert (row["value"] is None) == (expected.total() == 0) == bool(row["reason"])
            assert row["value"] is None or 0 <= row["low"] <= row["value"] <= row["high"] <= 1


def test_offsets_by_hand():
    cases = [Case(4, 2)] * 5 + [Case(4, -1), Case(4, 9), Case(4, 2)]
    rows = list(offset_rows(found := judged.critic(cases, [2, 0, 3, -1, 7, 1, 3, -2]), everything(found)))
    assert values(rows, "count", "outcome", "offset") == {
        ("early", -6): 1,  # the label is beyond the last step
        ("early", -2): 1,
        ("exact", 0): 1,
        ("late", 1): 1,
        ("missed", None): 1,
        ("early", None): 1,
        ("late", None): 1,
    }
    assert values(rows, "share", "outcome", "offset")["exact", 0] == pytest.approx(1 / 7)


@SOME
@given(study=answered(), preset=st.sampled_from(sorted(PRESETS)))
def test_first_positions_of_both_sides_are_over_the_same_cases(study, preset):
    cases, verdicts = study
    evaluation, bins = judged.critic(*study), PRESETS[preset]
    rows = list(first_position_rows(evaluation, everything(evaluation), bins))
    counts = values(rows, "count", "side", "position")
    there = [
        (case, verdict)
        for case, verdict in zip(cases, verdicts, strict=True)
        if verdict is not None and case.gold is not None and case.gold >= 0
    ]
    for side in ("gold", "predicted"):
        assert sum(count for (one, _), count in counts.items() if one == side) == len(there)
    if preset == "processbench":
        expected = Counter()
        for case, verdict in there:
            for side, step in (("gold", case.gold), ("predicted", verdict)):
                word = "names no step" if step < -1 else "no step" if step == -1 else str(step)
                expected[side, "beyond the last step" if step >= case.n_steps else word] += 1
        assert {key: count for key, count in counts.items() if count} == expected
    frame = pl.concat([evaluation.gold.cases, columns_of(evaluation)], how="horizontal")
    for row in rows:
        assert row["n"] == len(there)
        assert passing(frame, [row["where"]]).sum() == counts[row["side"], row["position"]]


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_all_error_steps_are_counted_where_all_are_labelled(cases, rule):
    evaluation = making.evaluation(cases, *rule)
    expected = Counter()
    for case in cases:
        rewards = reference.usable(case)
        if rewards is None or case.error_steps is None or case.gold is None or case.gold < 0:
            continue
        for step, reward in enumerate(rewards):
            expected["gold", str(step)] += step in case.error_steps
            expected["predicted", str(step)] += reference.is_wrong(reward, *rule)
    rows = list(all_position_rows(evaluation, everything(evaluation), PLAIN))
    counts = values(rows, "count", "side", "position")
    assert {key: count for key, count in counts.items() if count} == +expected
    shares = values(rows, "share", "side", "position")
    for side in ("gold", "predicted"):
        total = sum(count for (one, _), count in expected.items() if one == side)
        assert sum(share or 0 for (one, _), share in shares.items() if one == side) == pytest.approx(int(total > 0))
    assert all(bool(row["reason"]) == (row["value"] is None) for row in rows)
    assert {row["where"] for row in rows} == {None}


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_accuracy_by_step_is_counted_one_by_one(cases, rule):
    evaluation = making.evaluation(cases, *rule)
    judgements = {}
    for case in cases:
        for step, reward in enumerate(reference.usable(case) or ()):
            label = reference.step_label(case, step)
            if label is not None:
                judgements.setdefault(str(step), []).append((label, not reference.is_wrong(reward, *rule)))
    rows = list(step_position_rows(evaluation, everything(evaluation), PLAIN))
    for position in {row["position"] for row in rows}:
        said = judgements.get(position, [])
        expected = {
            "acc": reference.share([label == right for label, right in said]),
            "positive_acc": reference.share([right for label, right in said if label]),
            "negative_acc": reference.share([not right for label, right in said if not label]),
        }
        found = {row["metric"]: row for row in rows if row["position"] == position}
        for metric, value in expected.items():
            row = found[metric]
            assert row["value"] == (None if value is None else pytest.approx(value))
            assert (row["low"] is None) == (value is None) == bool(row["reason"])
        halves = [
            reference.harmonic(
                reference.share([label == side for label, right in said if right == side]),
                reference.share([right == side for label, right in said if label == side]),
            )
            for side in (True, False)
        ]
        whole = None if None in halves else pytest.approx(sum(halves) / 2)
        assert found["prmscore"]["value"] == whole


def test_a_bin_with_several_steps_of_a_case_has_no_interval():
    cases = [Case(20, -1, (0.9,) * 18 + (0.1, 0.9)), Case(20, -1, (0.9,) * 20)]
    evaluation = making.evaluation(cases)
    rows = {
        (row["position"], row["metric"]): row for row in step_position_rows(evaluation, everything(evaluation), PLAIN)
    }
    assert rows["15", "acc"]["low"] is not None
    assert (rows["16 or more", "acc"]["value"], rows["16 or more", "acc"]["low"]) == (7 / 8, None)


def test_what_cannot_be_said_says_why():
    cases = [Case(2, 0, (0.1, 0.9)), Case(2, 1, (0.9, 0.9))]
    evaluation, silent = making.evaluation(cases), judged.critic(cases, [0, 1])
    for rows, word in (
        (all_position_rows(evaluation, everything(evaluation), PLAIN), "not labelled"),
        (all_position_rows(silent, everything(silent), PLAIN), "one by one"),
        (step_position_rows(silent, everything(silent), PLAIN), "one by one"),
    ):
        found = list(rows)
        assert found
        assert all(word in row["reason"] and row["value"] is None and row["n"] == 0 for row in found)
    nobody = list(itertools.islice(offset_rows(evaluation, np.zeros(2, dtype=bool)), 2))
    assert [(row["value"], row["reason"]) for row in nobody] == [(0, None), (None, "no erroneous case has a verdict")]
