"""DeltaBench's figures, against its authors' code written out row by row."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from scoring.data.schema import METADATA, REWARDS, conform
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.own import cases_frame
from scoring.metrics.official_rows import CountingRules, figures_of
from scoring.metrics.sections import NAMES
from thoroughness import up_to

N_STEPS = 6


def evaluated(rows):
    """One scorer on cases of N_STEPS sections: (listed, whether all are labelled, named or None, subset), 0-based."""
    made = [
        {
            "id": f"c{number}",
            "problem": f"problem {number}",
            "steps": [f"section {step} of {number}" for step in range(N_STEPS)],
            "subset": subset,
            "earliest_error": min(listed) if listed else -1,
            "error_steps": sorted(listed) if whole or not listed else None,
            "errors_so_far": None if whole or not listed else sorted(listed),
        }
        for number, (listed, whole, _, subset) in enumerate(rows)
    ]
    cases = cases_frame("deltabench", "made.jsonl", made).select(list(METADATA))
    said = [
        {
            "key": key,
            "vote": 0,
            "labels": [step not in named for step in range(max(N_STEPS, *named, 0) + 1)][: length(named)],
        }
        for key, (_, _, named, _) in zip(cases["key"], rows, strict=True)
        if named is not None
    ]
    schema = {name: REWARDS[name] for name in ("key", "vote", "labels")}
    rewards = conform(pl.DataFrame(said, schema=schema), REWARDS, "labels")
    return evaluate(Gold(cases), making.scorer(), rewards, Rule(0.5, "<", "chosen"))


def length(named):
    """Labels of all sections, and of those beyond that are named."""
    return max([N_STEPS, *(step + 1 for step in named)])


def values(rows, protocol=None, subset="all"):
    evaluation = evaluated(rows)
    found = figures_of(evaluation, "deltabench", evaluation.gold.known, CountingRules(protocol, seed=None))
    return {row["metric"]: row for row in found if row["subset"] == subset}


def scored(rows):
    """As `parse_output` and `calculate_accuracies_v2` score, one row after another."""
    per_row, sums = [], [0, 0, 0]
    for listed, _, named, _ in rows:
        if named is None or not listed:
            continue
        kept = {section for section in named if section <= max(listed)}
        hits, alarms, misses = len(kept & listed), len(kept - listed), len(listed - kept)
        per_row.append(prf(hits, alarms, misses))
        sums = [total + more for total, more in zip(sums, (hits, alarms, misses), strict=True)]
    if not per_row:
        return dict.fromkeys(NAMES)
    precision, recall, f1 = (sum(of_row[place] for of_row in per_row) / len(per_row) for place in range(3))
    macro = {"precision_macro": precision, "recall_macro": recall, "f1_macro": f1}
    return macro | dict(zip(("precision_micro", "recall_micro", "f1_micro"), prf(*sums), strict=True))


def prf(hits, alarms, misses):
    precision = hits / (hits + alarms) if hits + alarms > 0 else 0
    recall = hits / (hits + misses) if hits + misses > 0 else 0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0


def test_by_hand():
    rows = [
        # 4 and 5 are beyond the last one listed and cost nothing: 1 of 2 named is right, and 1 of 2 listed is named.
        ({1, 3}, False, {0, 1, 4, 5}, "math"),
        ({2}, True, {2}, "code"),
        # Nothing is named up to the last one listed: all three are 0.
        ({0}, True, {3}, "math"),
        # No section is listed: the row has no figures, whatever is named.
        (set(), True, {0, 1}, "math"),
        # Not scored.
        ({0}, True, None, "code"),
    ]
    found = values(rows)
    assert {found[name]["n"] for name in NAMES} == {3}
    assert found["precision_macro"]["value"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert found["recall_macro"]["value"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert found["f1_macro"]["value"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    # 2 hits of 3 named and of 4 listed.
    assert found["precision_micro"]["value"] == pytest.approx(2 / 3)
    assert found["recall_micro"]["value"] == pytest.approx(2 / 4)
    assert found["f1_micro"]["value"] == pytest.approx(2 * 2 / 3 * 1 / 2 / (2 / 3 + 1 / 2))
    of_math = values(rows, subset="math")
    assert (of_math["f1_macro"]["value"], of_math["f1_macro"]["n"]) == (pytest.approx(1 / 4), 2)
    assert of_math["precision_micro"]["value"] == 1 / 2


def test_a_section_beyond_the_last_step_that_is_listed_can_be_named():
    rows = [({1, 7}, False, {1, 7}, "math"), ({1, 7}, False, {1, 6}, "math")]
    assert values(rows)["recall_micro"]["value"] == 3 / 4
    assert values(rows)["precision_micro"]["value"] == 3 / 4


@pytest.mark.parametrize(
    ("named", "metric", "reason"),
    [
        ({5}, "precision_micro", "no section was named up to the last one listed"),
        ({0}, "f1_micro", "no listed section was named"),
        (None, "f1_macro", "no case that lists a wrong section was judged step by step"),
    ],
)
def test_what_is_undefined_has_a_reason_and_the_authors_number_where_it_is_asked_for(named, metric, reason):
    rows = [({1}, True, named, "math")]
    assert (values(rows)[metric]["value"], values(rows)[metric]["reason"]) == (None, reason)
    official = values(rows, "deltabench")[metric]
    assert official["value"] == (None if named is None else 0.0)


sections = st.frozensets(st.integers(0, N_STEPS - 1), max_size=4)
ROW = st.tuples(sections, st.booleans(), st.none() | sections, st.sampled_from(["math", "code"]))


@up_to(100, 8)
@given(st.lists(ROW, max_size=8))
def test_every_figure_is_that_of_the_authors_code(rows):
    for subset in ("all", "math", "code"):
        inside = [row for row in rows if subset in ("all", row[3])]
        found = values(rows, "deltabench", subset)
        expected = scored(inside)
        if subset != "all" and expected["f1_macro"] is None:
            assert not {*NAMES} & found.keys()
            continue
        for name in NAMES:
            assert found[name]["value"] == (None if expected[name] is None else pytest.approx(expected[name])), name


def test_the_protocol_gives_no_number_to_what_the_authors_code_does_not_have():
    found = values([({1}, True, {1}, "math")], "deltabench")
    assert (found["f1_macro"]["value"], found["error_acc"]["value"]) == (1.0, 1.0)
    assert (found["correct_acc"]["value"], found["correct_acc"]["reason"]) == (None, "no clean case was scored")
