import pytest

from scoring.benchmarks.listed_base import ListedBase, first_difference


def gathered(*rows):
    base = ListedBase()
    for row in rows:
        base.add(*row)
    return base


@pytest.mark.parametrize(
    ("original", "steps", "differs"),
    [
        (["a", "b"], ["a", "b"], None),
        (["a", "b"], ["x", "b"], 0),
        (["a", "b", "c"], ["a", "x", "b", "c"], 1),
        (["a", "b"], ["a", "b", "c"], 2),
        (["a", "b"], ["a"], 1),
        ([], [], None),
        ([], ["a"], 0),
    ],
)
def test_where_a_solution_leaves_its_original(original, steps, differs):
    assert first_difference(original, steps) == differs


def test_the_base_is_said_with_its_evidence():
    base = gathered(([1, 3, 4], ["x", "b", "c"], ["a", "b", "c"]), ([2], ["a", "b"], None), ([], ["a"], ["a"]))
    assert str(base) == (
        "1-based, [] = no error (of 4 listed steps 0 are 0, 1 are 1, 2 the last, 1 beyond it; "
        "the text leaves the original at the first one in 1 of 1 cases)"
    )
    assert str(gathered()).endswith("(of 0 listed steps 0 are 0, 0 are 1, 0 the last, 0 beyond it)")


ROW = (["a", "x", "c", "d"], ["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("base", "said"),
    [
        (gathered(*[([2], *ROW)] * 3), None),
        (gathered(([0], *ROW)), "1 of the listed steps are 0"),
        (gathered(*[([1], *ROW)] * 3), "in 3 of 3 cases"),
        (gathered(*[([1], *ROW)] * 3), "they look one too low"),
        (gathered(*[([3], *ROW)] * 3), "they look one too high"),
        (gathered(*[([3], *ROW)] * 2), None),
        (gathered(*[([3], *ROW)] * 3, *[([2], *ROW)] * 3), None),
        (gathered(*[([3], *ROW)] * 4, *[([2], *ROW)] * 3), "in 4 of 7 cases"),
        (gathered(*[([5], ROW[0], None)] * 3), "3 of 3 listed steps lie beyond the last step"),
        (gathered(*[([5], ROW[0], None)] * 2), None),
        (gathered(*[([5], ROW[0], None)] * 3, *[([2], ROW[0], None)] * 27), None),
        (gathered(*[([5], ROW[0], None)] * 3, *[([2], ROW[0], None)] * 26), "3 of 29"),
    ],
)
def test_another_base_is_suspected_on_evidence_only(base, said):
    found = base.suspicion("rows.jsonl")
    assert bool(found) == (said is not None)
    if said is not None:
        assert (found[0].severity, found[0].code, found[0].source) == ("warning", "label-base", "rows.jsonl")
        assert said in found[0].message
