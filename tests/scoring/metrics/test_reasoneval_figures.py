"""ReasonEval's figures against slow code that counts as `mr-math_eval.py` of its repository does, ties and all."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from scoring.data.schema import METADATA, REWARDS, VOTES
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.formats.benchmarks import mrmath, mrmath_redundant
from scoring.formats.benchmarks.own import cases_frame
from scoring.formats.reading.rows import read_rows
from scoring.formats.results import reasoneval
from scoring.importing.join import join
from scoring.metrics.reasoneval_figures import (
    NO_AUC_OF_ANSWERS,
    NO_STEPS,
    NO_THRESHOLD,
    REASONEVAL_METRICS,
    reasoneval_figures,
)
from thoroughness import up_to

CUT, REDUNDANT = 0.5, 0.15
GRID = (0.0, 0.1, REDUNDANT, 0.3, CUT, 0.7, 1.0)
"""Numbers that often meet, and the thresholds among them."""


# -- as the official code counts


def slow_f1(pairs):
    """Of (label, prediction) pairs, 1 = right, 0 = wrong, anything else = neither; None where it would divide by 0."""
    correct_true = sum(label == 1 and prediction == 1 for label, prediction in pairs)
    correct_false = sum(label == 0 and prediction == 0 for label, prediction in pairs)
    total_true = sum(label == 1 for label, _ in pairs)
    total_false = sum(label == 0 for label, _ in pairs)
    found = []
    try:
        for own, total, other, other_total in (
            (correct_true, total_true, correct_false, total_false),
            (correct_false, total_false, correct_true, total_true),
        ):
            precision, recall = own / total, own / (own + other_total - other)
            found.append(2 * precision * recall / (precision + recall))
    except ZeroDivisionError:
        return None
    return sum(found) / 2


def slow_auc(pairs):
    """(label, number) pairs, each right one held against each wrong one."""
    right = [number for label, number in pairs if label == 1]
    wrong = [number for label, number in pairs if label == 0]
    if not right or not wrong:
        return None
    return sum((one > other) + 0.5 * (one == other) for one in right for other in wrong) / (len(right) * len(wrong))


def slow_solution(number, cut):
    return 1 if number > cut else 0 if number < cut else None


def slow_labels(case):
    """The labels of the steps of an invalid or a redundant solution, None = not labelled; and that of the whole."""
    gold, n_steps = case["gold"], len(case["numbers"])
    if isinstance(gold, list):
        return gold, 0 if 0 in gold else 1
    if gold is None:
        return [None] * n_steps, None
    if gold == -1:
        return [1] * n_steps, 1
    return [*[1] * gold, 0, *[None] * n_steps][:n_steps], 0


def slow_figures(cases, cut):
    """Of numbers a step; those of redundancy with a minus."""
    solutions, steps = [], []
    for case in cases:
        labels, whole = slow_labels(case)
        if whole is not None:
            solutions.append((whole, min(case["numbers"])))
        steps += [(label, number) for label, number in zip(labels, case["numbers"], strict=True) if label is not None]
    return {
        "solution_f1": slow_f1([(label, slow_solution(number, cut)) for label, number in solutions]),
        "step_f1": slow_f1([(label, 1 if number > cut else 0) for label, number in steps]),
        "solution_auc": slow_auc(solutions),
        "step_auc": slow_auc(steps),
    }


# -- the same through the program


def gold_of(cases, benchmark):
    rows = []
    for index, case in enumerate(cases):
        gold, steps = case["gold"], [f"step {step} of {index}" for step in range(len(case["numbers"]))]
        listed = [at for at, rating in enumerate(gold) if rating == 0] if isinstance(gold, list) else None
        earliest = min(listed, default=-1) if listed is not None else gold
        row = {"id": str(index), "problem": f"problem {index}", "steps": steps, "line": index + 1}
        error_type = mrmath_redundant.ERROR_TYPE if listed is not None else None
        rows.append({**row, "earliest_error": earliest, "error_steps": listed, "error_type": error_type})
    return Gold(cases_frame(benchmark, "made.jsonl", rows).select(list(METADATA)))


def evaluated(gold, scorer, **columns):
    rows = [
        {"key": key, "vote": 0, **{name: values[row] for name, values in columns.items()}}
        for row, key in enumerate(gold.cases["key"])
    ]
    return evaluate(gold, scorer, pl.DataFrame(rows, schema=REWARDS, orient="row"))


def figures(evaluation, **options):
    within = np.ones(evaluation.codes.size, dtype=np.bool_)
    return reasoneval_figures(evaluation, within, **{"redundancy": False, **options})


def values(found):
    assert tuple(found) == REASONEVAL_METRICS
    assert all((figure.value is None) == (figure.reason is not None) for figure in found.values())
    return {name: figure.value for name, figure in found.items()}


def like(expected):
    return {name: value if value is None else pytest.approx(value, abs=1e-12) for name, value in expected.items()}


NUMBERS = st.lists(st.sampled_from(GRID), min_size=1, max_size=4)
INVALID = NUMBERS.flatmap(
    lambda numbers: st.fixed_dictionaries(
        {"numbers": st.just(numbers), "gold": st.none() | st.integers(-1, len(numbers))}
    )
)
RATED = NUMBERS.flatmap(
    lambda numbers: st.fixed_dictionaries(
        {
            "numbers": st.just(numbers),
            "gold": st.lists(st.sampled_from([0, 1, 1]), min_size=len(numbers), max_size=len(numbers)),
        }
    )
)


@up_to(100, 12)
@given(st.lists(INVALID, min_size=1, max_size=8), st.sampled_from(["<", "<="]))
def test_numbers_a_step_on_the_invalid_set(cases, comparison):
    gold = gold_of(cases, mrmath.NAME)
    scorer = making.scorer(threshold=CUT, comparison=comparison)
    found = figures(evaluated(gold, scorer, rewards=[case["numbers"] for case in cases]))
    assert values(found) == like(slow_figures(cases, CUT))


@up_to(100, 12)
@given(st.lists(RATED, min_size=1, max_size=8), st.booleans())
def test_numbers_a_step_on_the_redundant_set(cases, of_redundancy):
    gold = gold_of(cases, mrmath_redundant.NAME)
    numbers = [case["numbers"] for case in cases]
    columns = {"rewards": numbers}
    cut, expected = CUT, cases
    if of_redundancy:
        columns = {"rewards": [[0.9] * len(one) for one in numbers], "redundancy": numbers}
        cut, expected = -REDUNDANT, [{**case, "numbers": [-one for one in case["numbers"]]} for case in cases]
    evaluation = evaluated(gold, making.scorer(redundancy_threshold=REDUNDANT), **columns)
    assert values(figures(evaluation, redundancy=True)) == like(slow_figures(expected, cut))


@up_to(100, 12)
@given(st.lists(st.tuples(st.integers(-1, 1), st.sampled_from(GRID)), min_size=1, max_size=8))
def test_a_number_a_solution_judges_no_step(pairs):
    cases = [{"numbers": [0.0, 0.0], "gold": gold} for gold, _ in pairs]
    solutions = [number for _, number in pairs]
    found = figures(evaluated(gold_of(cases, mrmath.NAME), making.scorer(threshold=CUT), solution=solutions))
    labelled = [(1 if gold == -1 else 0, number) for gold, number in pairs]
    assert values(found) == like(
        {
            "solution_f1": slow_f1([(label, slow_solution(number, CUT)) for label, number in labelled]),
            "step_f1": None,
            "solution_auc": slow_auc(labelled),
            "step_auc": None,
        }
    )
    assert found["step_f1"].reason == found["step_auc"].reason == NO_STEPS


def voted(cases, verdicts, benchmark=mrmath.NAME, **columns):
    gold = gold_of(cases, benchmark)
    rows = [
        {"key": key, "vote": 0, "run": 0, "answer": "x", "ballot": None if verdict is None else str(verdict)}
        | {"verdict": verdict, "reason": "unread" if verdict is None else None}
        | {name: given_[row] for name, given_ in columns.items()}
        for row, (key, verdict) in enumerate(zip(gold.cases["key"], verdicts, strict=True))
    ]
    votes = pl.DataFrame(rows, schema=VOTES, orient="row")
    return evaluate(gold, making.scorer(kind="critic"), pl.DataFrame(schema=REWARDS), votes=votes)


@up_to(100, 12)
@given(st.lists(st.tuples(INVALID, st.none() | st.integers(-2, 4)), min_size=1, max_size=8))
def test_answers_on_the_invalid_set(pairs):
    cases, verdicts = zip(*pairs, strict=True)
    solutions, steps = [], []
    for case, verdict in pairs:
        labels, whole = slow_labels(case)
        n_steps = len(case["numbers"])
        # What names no step that is there, and what cannot be read, leaves all steps right.
        predicted = [1] * n_steps
        if verdict is not None and 0 <= verdict < n_steps:
            predicted = [*[1] * verdict, 0, *["N/A"] * (n_steps - verdict - 1)]
        if whole is not None:
            solutions.append((whole, None if verdict is None else int(verdict == -1)))
        steps += [pair for pair in zip(labels, predicted, strict=True) if pair[0] is not None]
    found = figures(voted(cases, verdicts))
    expected = {"solution_f1": slow_f1(solutions), "step_f1": slow_f1(steps)}
    assert values(found) == like({**expected, "solution_auc": None, "step_auc": None})
    assert found["step_auc"].reason == NO_AUC_OF_ANSWERS


def test_answers_on_the_redundant_set_by_hand():
    # Named: the first step, none although one is said to be there, nothing at all, and an answer that cannot be read.
    cases = [{"numbers": [0.0] * 2, "gold": gold} for gold in ([0, 1], [0, 1], [1, 1], [1, 0])]
    ratings = [[-1.0, 1.0], None, [1.0, 1.0], None]
    evaluation = voted(cases, [0, -2, -1, None], mrmath_redundant.NAME, rewards=ratings)
    found = figures(evaluation, redundancy=True)
    assert found["solution_f1"].value == pytest.approx(slow_f1([(0, 0), (0, 0), (1, 1), (0, None)]))
    steps = [(0, 0), (1, 1), (0, 1), (1, 1), (1, 1), (1, 1), (1, 1), (0, 1)]
    assert (found["step_f1"].value, found["step_f1"].n) == (pytest.approx(slow_f1(steps)), 8)
    left = figures(evaluation, redundancy=True, unparsed="drop")
    assert left["step_f1"].value == pytest.approx(slow_f1(steps[:6]))
    assert (left["solution_f1"].n, left["step_f1"].n) == (3, 6)


def test_labels_that_a_scorer_gave_itself_have_f1_and_no_auc():
    cases = [{"numbers": [0.0] * 2, "gold": gold} for gold in (1, -1)]
    found = figures(evaluated(gold_of(cases, mrmath.NAME), making.scorer(), labels=[[True, False], [True, True]]))
    assert values(found) == {"solution_f1": 1.0, "step_f1": 1.0, "solution_auc": None, "step_auc": None}
    assert found["step_auc"].reason == "not every step has a number"


def test_redundancy_without_a_threshold_has_auc_alone():
    cases = [{"numbers": [0.0] * 2, "gold": gold} for gold in ([1, 0], [1, 1])]
    columns = {"rewards": [[0.9, 0.9]] * 2, "redundancy": [[0.1, 0.4], [0.2, 0.2]]}
    found = figures(evaluated(gold_of(cases, mrmath_redundant.NAME), making.scorer(), **columns), redundancy=True)
    assert values(found) == {"solution_f1": None, "step_f1": None, "solution_auc": 1.0, "step_auc": 1.0}
    assert found["step_f1"].reason == NO_THRESHOLD


def test_a_moved_threshold_moves_f1_and_no_auc():
    cases = [{"numbers": numbers, "gold": gold} for numbers, gold in (([0.9, 0.6], 1), ([0.8, 0.7], -1))]
    evaluation = evaluated(gold_of(cases, mrmath.NAME), making.scorer(), rewards=[case["numbers"] for case in cases])
    for threshold in (0.5, 0.65, 0.7):
        expected = slow_figures(cases, threshold)
        assert values(figures(evaluation.at(threshold))) == like(expected)
        assert expected["step_auc"] == 1.0


# -- on the published files


RESULTS = ("math-shepherd_mistral-7b", "reasoneval_llemma-34b", "reasoneval_abel-7b-002", "roscoe-sa")


@pytest.mark.parametrize(
    ("folder", "dataset", "module"),
    [
        ("mr-math", "mr-math_invalid_errors.json", mrmath),
        ("mr-math-redundant", "mr-math_redundant_errors.json", mrmath_redundant),
    ],
)
@pytest.mark.parametrize("scorer", RESULTS)
def test_published_results(data_folder, folder, dataset, module, scorer):
    source = data_folder / folder / dataset
    results = data_folder / folder / "eval_results" / f"{scorer}_eval_results.json"
    if not source.is_file() or not results.is_file():
        pytest.skip(f"no published {folder} here; name its folder in PRM_INSPECT_DATA")
    redundancy = module is mrmath_redundant
    imported = module.load(read_rows(source))
    (foreign,) = reasoneval.load_scores(read_rows(results))
    joined = join(foreign, imported.cases.select(list(METADATA)), module.NAME)
    made = making.scorer(threshold=foreign.threshold, redundancy_threshold=foreign.redundancy_threshold)
    evaluation = evaluate(Gold(imported.cases.select(list(METADATA))), made, joined.rewards)
    found = values(figures(evaluation, redundancy=redundancy))
    raw = [[json.loads(line) for line in path.read_text().splitlines()] for path in (source, results)]
    cases, cut = [], foreign.threshold
    for row, result in zip(*raw, strict=True):
        scores, steps = result["scores"], row["model_output_step_format"]
        if not isinstance(scores, list):
            numbers = [scores]
        elif isinstance(scores[0], list):
            numbers = [-neutral if redundancy else neutral + positive for _, neutral, positive in scores]
            cut = -REDUNDANT if redundancy else CUT
        else:
            numbers = scores
        if len(numbers) > 1:
            # Numbers are of sub-steps; a step is as good as its worst one.
            starts = np.cumsum([0, *map(len, steps)])
            numbers = [min(numbers[start : start + len(step)]) for start, step in zip(starts, steps, strict=False)]
        gold = row["rating"] if redundancy else row["model_output_solution_first_error_step"]
        gold = gold if redundancy else -1 if gold == "N/A" else int(gold) - 1
        if not isinstance(scores, list):
            gold = -1 if gold == -1 or (redundancy and 0 not in gold) else 0
        cases.append({"numbers": numbers, "gold": gold})
    expected = slow_figures(cases, cut)
    if not isinstance(raw[1][0]["scores"], list):
        expected |= {"step_f1": None, "step_auc": None}
    assert found == {
        name: value if value is None else pytest.approx(value, abs=1e-9) for name, value in expected.items()
    }


@pytest.mark.parametrize(("scorer", "solution", "step"), [("gpt4", 0.732, 0.610), ("gpt3_5_turbo", 0.597, 0.532)])
def test_published_critics_are_as_its_code_says(data_folder, scorer, solution, step):
    source = data_folder / "mr-math" / "mr-math_invalid_errors.json"
    results = data_folder / "mr-math" / "eval_results" / f"{scorer}_eval_results.json"
    if not source.is_file() or not results.is_file():
        pytest.skip("no published results of MR-MATH here; name their folder in PRM_INSPECT_DATA")
    cases = mrmath.load(read_rows(source)).cases.select(list(METADATA))
    (foreign,) = reasoneval.load_judgements(read_rows(results))
    joined = join(foreign, cases, mrmath.NAME)
    evaluation = evaluate(Gold(cases), making.scorer(kind="critic"), joined.rewards, votes=joined.votes)
    found = figures(evaluation)
    assert found["solution_f1"].value == pytest.approx(solution, abs=5e-4)
    assert found["step_f1"].value == pytest.approx(step, abs=5e-4)
