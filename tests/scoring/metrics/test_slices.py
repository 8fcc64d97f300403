import random

import numpy as np
import pytest

import making
from reference import Case
from scoring.metrics.axes import axis
from scoring.metrics.slices import SUPPORT, slice_rows
from scoring.workspace.filtering.filters import passing


def study(n=300, seed=1):
    """Errors of generator b are missed, and nothing else depends on anything."""
    rng = random.Random(seed)
    cases, generators = [], []
    for _ in range(n):
        generator, gold = rng.choice("abbcd"), rng.choice((-1, 0))
        low = gold == 0 and (generator != "b" or rng.random() < 0.2) and rng.random() < 0.9
        cases.append(Case(1, gold, (0.1 if low or (gold < 0 and rng.random() < 0.3) else 0.9,)))
        generators.append(generator if rng.random() < 0.95 else None)
    return cases, generators


def rows_of(cases, columns=("generator",), taken=None, **labels):
    evaluation = making.evaluation(cases, **labels)
    frame = evaluation.gold.cases
    rows = np.ones(len(cases), dtype=bool) if taken is None else taken
    return slice_rows(evaluation, rows, [axis(frame, name) for name in columns]), frame


def test_slices_are_what_is_counted_one_by_one():
    from scipy.stats import fisher_exact

    cases, generators = study()
    rows, frame = rows_of(cases, generator=generators)
    expected = {}
    for name in "abcd":
        for metric, gold in (("error_acc", 0), ("correct_acc", -1)):
            inside, rest = [], []
            for case, generator in zip(cases, generators, strict=True):
                if case.gold == gold and generator is not None:
                    right = (case.rewards[0] < 0.5) == (gold == 0)
                    (inside if generator == name else rest).append(right)
            if len(inside) >= SUPPORT:
                table = [[sum(part), len(part) - sum(part)] for part in (inside, rest)]
                difference = sum(inside) / len(inside) - sum(rest) / len(rest)
                expected[f"{metric}_difference", name] = (difference, len(inside), len(rest), fisher_exact(table)[1])
    found = {(row["metric"], row["slice"]): (row["value"], row["n"], row["rest"], row["p"]) for row in rows}
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name] == pytest.approx(values)
    for row in rows:
        gold = 0 if row["metric"].startswith("error") else -1
        assert passing(frame, [row["where"], f"earliest_error = {gold}"]).sum() == row["n"]
        assert row["low"] <= row["value"] <= row["high"]


def test_the_largest_comes_first_and_p_is_adjusted_for_all_looks():
    cases, generators = study()
    rows, _ = rows_of(cases, ("generator", "subset"), generator=generators)
    assert (rows[0]["metric"], rows[0]["slice"]) == ("error_acc_difference", "b")
    assert rows[0]["p_holm"] < 0.001
    sizes = [abs(row["value"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert {row["looks"] for row in rows} == {len(rows)}
    # Holm, step by step.
    ordered, highest = sorted(rows, key=lambda row: row["p"]), 0
    for place, row in enumerate(ordered):
        highest = max(highest, min(1, row["p"] * (len(rows) - place)))
        assert row["p_holm"] == pytest.approx(highest)


def test_more_clean_cases_alone_are_no_difference():
    """Slice a holds mostly clean cases, b mostly erroneous ones; each kind is right equally often in both."""
    cases, generators = [], []
    for generator, wrong, clean in (("a", 20, 80), ("b", 80, 20)):
        cases += [Case(1, 0, (0.1 if number % 4 == 0 else 0.9,)) for number in range(wrong)]
        cases += [Case(1, -1, (0.9 if number % 4 else 0.1,)) for number in range(clean)]
        generators += [generator] * (wrong + clean)
    rows, _ = rows_of(cases, generator=generators)
    assert [(row["value"], row["p_holm"]) for row in rows] == [(0, 1), (0, 1)]
    # Of two values one is shown: the other says the same.
    assert [row["slice"] for row in rows] == ["b", "a"] or [row["slice"] for row in rows] == ["a", "b"]


def test_few_cases_are_no_slice_and_none_no_error():
    few = [Case(1, 0, (0.1,))] * (SUPPORT - 1) + [Case(1, 0, (0.9,))] * SUPPORT
    generators = ["a"] * (SUPPORT - 1) + ["b"] * SUPPORT
    assert rows_of(few, generator=generators)[0] == []
    assert rows_of([], generator=[])[0] == []
