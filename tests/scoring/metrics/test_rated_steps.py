"""Answers that rate steps, from their text to PRMBench's counts: held against its toolkit's walk through the labels."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import step_making
from reference import Case
from scoring.data.schema import VOTES
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.formats.reading.rated_answers import read_prmbench
from scoring.metrics.step_contributions import step_contributions
from step_making import FACTS
from step_reference import SWAPPED, Step
from thoroughness import up_to

CRITIC = {"kind": "critic", "threshold": 0.0, "comparison": "<=", "low": -1.0, "redundancy_threshold": 0.0}
RATINGS = st.lists(st.sampled_from((-1, -0.5, 0, 0.5, 1, 5, True, False)), max_size=5)


def item(n_steps, wrong, name):
    first = min((step for step in wrong if step < n_steps), default=None if wrong else -1)
    return Step(Case(n_steps, first, error_steps=tuple(wrong)), name)


def evaluated(items, texts):
    cases = step_making.frame(items)
    rows = []
    for key, one, text in zip(cases["key"], items, texts, strict=True):
        found = read_prmbench(text, one.case.n_steps)
        said = {name: getattr(found, name) for name in ("rewards", "redundancy", "reason")}
        rows.append({"key": key, "vote": 0, "run": 0, "answer": text} | said)
    votes = pl.DataFrame(rows, schema=VOTES, orient="row")
    return evaluate(Gold(cases), making.scorer(**CRITIC), making.rewards([]), votes=votes)


def toolkit(items, texts):
    """TP, FN, FP, TN as the toolkit counts them."""
    found = [0, 0, 0, 0]
    for one, text in zip(items, texts, strict=True):
        said = json.loads(text)
        labels = [value > 0 for value in said["validity"]]
        if one.name in SWAPPED:
            labels = [not value > 0 for value in said["redundancy"]]
        for step, right in enumerate(labels):
            found[2 * (step in one.case.error_steps) + (not right)] += 1
    return found


@up_to(100, 12)
@given(st.data())
def test_counts_are_the_toolkits_whatever_the_lists_are(data):
    items, texts = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        n_steps = data.draw(st.integers(1, 4))
        wrong = data.draw(st.lists(st.integers(0, n_steps - 1), unique=True).map(sorted))
        items.append(item(n_steps, wrong, data.draw(st.sampled_from(step_making.CLASSES))))
        lists = {"validity": data.draw(RATINGS.filter(bool)), "redundancy": data.draw(RATINGS.filter(bool))}
        texts.append(json.dumps(lists))
    parts = step_contributions(evaluated(items, texts), FACTS)
    assert parts[:, :4].sum(axis=0).tolist() == toolkit(items, texts)


@pytest.mark.parametrize(
    ("validity", "verdict", "reason"),
    [
        ([1, -1, 1], 1, None),
        ([1, 1, 1], -1, None),
        ([1, 0, 1], 1, None),
        ([1, -1], 1, None),
        # Whether there is an error in what was not rated was not said.
        ([1, 1], NO_VERDICT, "labels for 2 of 3 steps"),
        ([1, 1, 1, -1], -1, None),
        ([1, -9, 1], 1, None),
        (["1", 1, 1], NO_VERDICT, "not a number (validity of step 0 is text)"),
        ([], NO_VERDICT, "list too short (0 of 3)"),
    ],
)
def test_verdicts(validity, verdict, reason):
    text = json.dumps({"validity": validity, "redundancy": [0, 0, 0]})
    found = evaluated([item(3, [1], "counterfactual")], [text])
    assert found.verdicts.tolist() == [verdict]
    assert list(found.coverage.reasons) == [reason]
