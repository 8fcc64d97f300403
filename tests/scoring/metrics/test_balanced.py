"""Hard2Verify's figures, against its authors' grading written out answer by answer."""

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
from scoring.metrics.balanced import NAMES
from scoring.metrics.official_rows import CountingRules, figures_of
from thoroughness import up_to

UNREADABLE = "unreadable"


def evaluated(answers):
    """One scorer on responses: (gold labels, judgements: truth values, None = not readable; UNREADABLE; or None)."""
    rows = [
        {
            "id": f"c{number}",
            "problem": f"problem {number}",
            "steps": [f"step {step} of {number}" for step in range(len(gold))],
            "earliest_error": next((step for step, right in enumerate(gold) if not right), -1),
            "error_steps": [step for step, right in enumerate(gold) if not right],
        }
        for number, (gold, _) in enumerate(answers)
    ]
    cases = cases_frame("hard2verify", "made.jsonl", rows).select(list(METADATA))
    said = [
        {"key": key, "vote": 0, **row_of(judged)}
        for key, (_, judged) in zip(cases["key"], answers, strict=True)
        if judged is not None
    ]
    schema = {name: REWARDS[name] for name in ("key", "vote", "labels", "rewards", "reason")}
    rewards = conform(pl.DataFrame(said, schema=schema), REWARDS, "labels")
    return evaluate(Gold(cases), making.scorer(), rewards, Rule(0.5, "<", "chosen"))


def row_of(judged):
    """What the reader of verifiers makes of a list; see `scoring.formats.results.hard2verify_results`."""
    if judged == UNREADABLE:
        return {"labels": None, "rewards": None, "reason": "no verdict"}
    if None not in judged:
        return {"labels": list(judged), "rewards": None, "reason": None}
    rated = [None if right is None else 2.0 * right - 1 for right in judged]
    return {"labels": None, "rewards": rated, "reason": "1 verdict cannot be read"}


def values(answers, protocol=None):
    evaluation = evaluated(answers)
    rows = figures_of(evaluation, "hard2verify", evaluation.gold.known, CountingRules(protocol, seed=None))
    return {row["metric"]: row for row in rows if row["subset"] == "all"}


def graded(answers, *, official):
    """As `grade_step_level_responses` grades, in its own words: 1 = right, 0 = wrong, -2 = not readable."""
    steps, responses = [], []
    for labels, judged in answers:
        if judged is None:
            continue
        gold = [int(right) for right in labels]
        parsed = [-2] if judged == UNREADABLE else [-2 if right is None else int(right) for right in judged]
        parsed = parsed[: len(gold)]
        known = 0 if 0 in parsed else 1
        parsed = [1 - gold[at] if said == -2 else said for at, said in enumerate(parsed)]
        response = (0 if 0 in parsed else 1) if official else known
        if judged == UNREADABLE and not official:
            response = None
        parsed += [1 - label for label in gold[len(parsed) :]]
        steps += zip(gold, parsed, strict=True)
        responses.append((int(all(gold)), response))
    return {
        "step_balanced_acc": both(steps)[0],
        "step_balanced_f1": both(steps)[1],
        "response_balanced_acc": both(responses)[0],
        "response_balanced_f1": both(responses)[1],
    }


def both(pairs):
    """Balanced accuracy and F1 of (gold, judged); None where undefined."""
    sides = [[said == side for gold, said in pairs if gold == side] for side in (1, 0)]
    if not all(sides):
        return None, None
    tpr, tnr = (sum(side) / len(side) for side in sides)
    return (tpr + tnr) / 2, 2 * tpr * tnr / (tpr + tnr) if tpr + tnr else None


def test_by_hand():
    # Three responses: 2 + 1 + 2 right steps and 1 + 2 + 0 wrong ones.
    answers = [
        ([True, True, False], [True, False, False]),
        ([True, False, False], [True, True]),
        ([True, True], [True, True, False]),
    ]
    found = values(answers)
    # Right steps: 1 of 2, 1 of 1, 2 of 2. Wrong ones: 1 of 1, then one missed and one not judged.
    tpr, tnr = 4 / 5, 1 / 3
    assert found["step_balanced_acc"]["value"] == pytest.approx((tpr + tnr) / 2)
    assert found["step_balanced_f1"]["value"] == pytest.approx(2 * tpr * tnr / (tpr + tnr))
    assert found["step_balanced_acc"]["n"] == 8
    # The one right response is called right, and one of two wrong ones wrong: what is beyond the last step is cut.
    assert found["response_balanced_acc"]["value"] == pytest.approx((1 + 1 / 2) / 2)
    assert found["response_balanced_f1"]["value"] == pytest.approx(2 * 1 * 0.5 / 1.5)
    # First errors: the clean one is left alone, and of two neither is named.
    assert found["error_id_balanced_acc"]["value"] == pytest.approx((1 + 0) / 2)
    assert found["f1"]["value"] == 0.0


def test_an_answer_that_cannot_be_read_is_wrong_and_the_authors_code_is_followed_only_where_it_is_asked_for():
    answers = [
        ([True, True], [True, True]),
        ([True, False], UNREADABLE),
        ([False, False], UNREADABLE),
        ([True, True], UNREADABLE),
        ([True, True], None),
    ]
    found = values(answers)
    # Unscored: in no denominator. Right steps 2 of 5, wrong ones 0 of 3: the second response has one of each.
    assert found["step_balanced_acc"]["value"] == pytest.approx((2 / 5 + 0) / 2)
    assert (found["response_balanced_acc"]["value"], found["response_balanced_acc"]["n"]) == (1 / 4, 4)
    assert found["error_id_balanced_acc"]["value"] == 1 / 4
    # There the first step of the second response, which is right, is called wrong, and with it the response.
    official = values(answers, "hard2verify")
    assert official["response_balanced_acc"]["value"] == (1 / 2 + 1 / 2) / 2
    assert official["step_balanced_acc"] == found["step_balanced_acc"]


def test_what_can_be_read_of_an_answer_that_is_short_and_has_gaps_counts():
    found = values([([True, False, True], [True, None]), ([True, False], [True, False])])
    # Right steps 2 of 3, the last one not judged; wrong ones 1 of 2, for what cannot be read is missed.
    assert found["step_balanced_acc"]["value"] == pytest.approx((2 / 3 + 1 / 2) / 2)


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([([True, False], [False, True])], "no right step was judged right and no wrong one wrong"),
        ([([True, True], [True, True])], "no wrong step was judged"),
        ([([False], [False])], "no right step was judged"),
        ([([False], None)], "no right step was judged"),
    ],
)
def test_why_there_is_no_figure(answers, reason):
    assert (values(answers)["step_balanced_f1"]["value"], values(answers)["step_balanced_f1"]["reason"]) == (
        None,
        reason,
    )


def test_verdicts_say_nothing_of_single_steps_and_all_of_a_response():
    answers = [([True, True], [True, True]), ([True, False], [True, False])]
    evaluation = evaluated(answers)
    keys = evaluation.gold.cases["key"]
    votes = pl.DataFrame(
        {"key": keys, "case": None, "vote": 0, "run": 0, "ballot": ["-1", "0"], "verdict": [-1, 0], "reason": None},
        schema_overrides={"case": pl.String, "reason": pl.String},
    )
    nothing = pl.DataFrame(schema=REWARDS)
    critic = evaluate(evaluation.gold, making.scorer(kind="critic"), nothing, votes=votes)
    rows = figures_of(critic, "hard2verify", critic.gold.known, CountingRules(seed=None))
    found = {row["metric"]: row for row in rows if row["subset"] == "all"}
    assert found["step_balanced_acc"]["value"] is None
    assert found["response_balanced_acc"]["value"] == 1.0
    assert found["error_id_balanced_acc"]["value"] == 1 / 2


labels = st.lists(st.booleans(), min_size=1, max_size=4)
judgements = st.none() | st.just(UNREADABLE) | st.lists(st.none() | st.booleans(), min_size=1, max_size=6)


def usable(gold, judged):
    """The judgements; of an answer with gaps in it nothing is kept where it is longer than its steps."""
    if not isinstance(judged, list) or None not in judged:
        return judged if judged is None or judged == UNREADABLE else tuple(judged)
    return tuple(judged) if len(judged) <= len(gold) and {True, False} & {*judged} else UNREADABLE


@up_to(100, 12)
@given(st.lists(st.tuples(labels, judgements), max_size=8), st.booleans())
def test_every_figure_is_that_of_the_authors_grading(answers, official):
    answers = [(gold, usable(gold, judged)) for gold, judged in answers]
    judged = any(isinstance(said, tuple) for _, said in answers)
    found = values(answers, "hard2verify" if official else None)
    assert set(NAMES) <= set(found)
    for name, expected in graded(answers, official=official).items():
        undefined = expected is None or (name.startswith("step") and not judged)
        assert found[name]["value"] == (None if undefined else pytest.approx(expected, abs=1e-12)), name
        assert (found[name]["value"] is None) == bool(found[name]["reason"])
