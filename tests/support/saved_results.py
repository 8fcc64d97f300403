"""Results of five cases, for tests of what is saved of them."""

from results_and_cases import case, cases_of, results
from scoring.importing.join import join
from scoring.importing.saving import scorer_of
from scoring.workspace.cache import RewardParts
from scoring.workspace.reservation import reserve_scorer

CASES = cases_of("sums", *(case(name, 1) for name in "abcde"))
NAMES = dict(CASES.select("key", "id").iter_rows())


def given(values, source="runs/a.jsonl", **changes):
    """Results of one number a case, by the case's id; None = refused."""
    rows = [
        {"id": name, "rewards": None if value is None else [value], "reason": "no" if value is None else None}
        for name, value in values.items()
    ]
    return join(results(*rows, source=source, **changes), CASES, "sums")


def folder_of(workspace, joined, name=None):
    return reserve_scorer(workspace, scorer_of(joined, name)).folder


def cached(folder):
    """{id: reward} of all that is cached; nothing may be unreadable."""
    frame, problems = RewardParts(folder).read()
    assert not problems
    return {NAMES[key]: rewards and rewards[0] for key, rewards in frame.select("key", "rewards").iter_rows()}
