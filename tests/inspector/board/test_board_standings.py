"""Who is tied with the best and by how much others differ: the numbers that `compare` gives."""

import numpy as np
import pytest

import example
import making
import reference
import step_making
from inspector.boards.arrangement import Arrangement, arranged
from inspector.boards.board import Standings, board_frame, pieces, standings, waiting
from inspector.boards.cells import BEST, BUSY, REFERENCE, TIED
from inspector.request import Request
from inspector.selection import load, with_baselines
from scoring.metrics.statistics import BASELINES, baselines
from step_reference import Step
from views import compare_view

DEMO = Request(benchmarks=("demo",))


def study(root):
    making.workspace(root, *making.study(n=40))
    return Request(workspace=str(root))


def steps(root):
    cases = [reference.Case(3, n % 3, (0.9, 0.4, 0.1), error_steps=(n % 3,)) for n in range(30)]
    items = [Step(case, ("redundency", "circular", "counterfactual")[n % 3]) for n, case in enumerate(cases)]
    others = [
        Step(reference.Case(3, one.case.gold, (0.1, 0.9, 0.3), error_steps=one.case.error_steps), one.name)
        for one in items
    ]
    step_making.workspace(root, items, [(making.scorer("one"), items), (making.scorer("two"), others)])
    return Request(workspace=str(root))


SPACES = {
    "demo": lambda _: DEMO,
    "study": study,
    "steps": steps,
    "example": lambda root: Request(workspace=example.write(root).workspace),
}


@pytest.fixture(scope="module", params=SPACES)
def request_(request, tmp_path_factory):
    return SPACES[request.param](tmp_path_factory.mktemp("standings") / "w")


def told(document, *metrics):
    """The rows of a comparison with these metrics, by scorers."""
    found = {}
    for row in document.rows.iter_rows(named=True):
        if row["metric"] in metrics and row["subset"] in {None, "average", "all"}:
            found.setdefault((row["metric"], row["subset"], row["scorer"], row["other"]), row)
    return found


def test_the_best_and_the_tied_are_those_of_compare(request_):
    selection = load(request_)
    known = standings(selection, pieces(selection))
    for (benchmark, _), ranks in known.ranks.items():
        rows = [
            row
            for row in compare_view(selection).rows.filter(benchmark=benchmark).iter_rows(named=True)
            if row["metric"] in {"tied_with_best", "prmscore_tied_with_best"}
        ]
        of_steps = [row for row in rows if row["metric"].startswith("prmscore")]
        for row in of_steps or rows:
            kind = BEST if row["scorer"] == row["other"] else TIED if row["value"] else ""
            assert ranks.kinds.get(row["scorer"]) == (None if row["value"] is None else kind)
            assert row["value"] is None or (ranks.n, ranks.left_out) == (row["n"], row["left_out"])
        assert list(ranks.kinds.values()).count(BEST) == bool(ranks.kinds)


def test_differences_are_those_of_compare(request_):
    selection = load(request_)
    names = [one.scorer.name for one in selection.evaluations]
    for against in names[:2]:
        known = standings(selection, pieces(selection), against)
        rows = compare_view(selection).rows
        assert known.differences.keys() == {
            row for row, name in board_frame(selection).select("row", "scorer").rows() if name != against
        }
        for row in board_frame(selection).iter_rows(named=True):
            if row["scorer"] == against:
                continue
            metric, subset = ("prmscore", "all") if row["metric"] == "PRMScore" else ("f1", "average")
            pair = {row["scorer"], against}
            (found,) = (
                one
                for one in rows.filter(metric=f"{metric}_difference", subset=subset).iter_rows(named=True)
                if {one["scorer"], one["other"]} == pair
            )
            sign = 1 if found["other"] == against else -1
            score = known.differences[row["row"]].score
            ends = (found["low"], found["high"]) if sign == 1 else (found["high"], found["low"])
            expected = [None if one is None else pytest.approx(sign * one) for one in (found["value"], *ends)]
            assert [score.value, score.low, score.high] == expected
            assert known.differences[row["row"]].n == found["n"] or score.value is None


def test_of_a_subset_they_are_those_of_the_subset_alone():
    selection = load(DEMO)
    known = standings(selection, pieces(selection, subsets=True), "blend")
    assert len(known.ranks) == 5
    for (benchmark, subset), ranks in known.ranks.items():
        only = selection if subset is None else load(Request(benchmarks=("demo",), subsets=(subset,)))
        rows = compare_view(only).rows.filter(metric="tied_with_best").iter_rows(named=True)
        kinds = {row["scorer"]: BEST if row["scorer"] == row["other"] else TIED if row["value"] else "" for row in rows}
        assert kinds == ranks.kinds
        assert (benchmark, ranks.n, ranks.scorers) == ("demo", 240 if subset is None else 60, 7)


def test_baselines_are_no_rivals_and_can_be_compared_with():
    selection = load(DEMO)
    plain = standings(selection, pieces(selection))
    added = with_baselines(selection, baselines(selection.evaluations[0].gold))
    assert added.chosen[-3:] == tuple(BASELINES)
    assert added.request.baselines
    assert standings(added, pieces(added)).ranks == plain.ranks
    known = standings(added, pieces(added), "coin")
    assert len(known.differences) == 9
    taken = with_baselines(added, ())
    assert taken.evaluations == selection.evaluations
    assert not taken.request.baselines


def test_what_is_not_known_yet_shows_no_mark():
    selection = load(DEMO)
    frame = waiting("blend").beside(board_frame(selection))
    assert frame["standing"].null_count() == frame.height
    assert frame["d_score"].null_count() == frame.height
    about = dict(frame.select("scorer", "d_standing").rows())
    assert about["blend"] == REFERENCE
    assert set(about.values()) == {REFERENCE, BUSY}
    # Rows stand as they would without differences until these are there.
    how = Arrangement(against="blend")
    assert arranged(frame, how)["scorer"].to_list() == board_frame(selection)["scorer"].to_list()


def test_a_stop_ends_it():
    selection = load(DEMO)
    assert standings(selection, pieces(selection), stop=lambda: True) == Standings()


def test_one_scorer_has_no_rank(tmp_path):
    cases = [reference.Case(1, 0, (0.1,)), reference.Case(1, -1, (0.9,))]
    making.workspace(tmp_path, cases, [(making.scorer("one"), cases)])
    selection = load(Request(workspace=str(tmp_path)))
    assert standings(selection, pieces(selection), "one") == Standings(against="one")


def test_without_a_common_case_nobody_is_the_best(tmp_path):
    cases = [reference.Case(1, 0, (0.1,)), reference.Case(1, -1, (0.9,))]
    first = [cases[0], reference.Case(1, -1)]
    second = [reference.Case(1, 0), cases[1]]
    making.workspace(tmp_path, cases, [(making.scorer("a"), first), (making.scorer("b"), second)])
    selection = load(Request(workspace=str(tmp_path)))
    known = standings(selection, pieces(selection), "a")
    (ranks,) = known.ranks.values()
    assert (dict(ranks.kinds), ranks.n) == ({}, 0)
    (difference,) = known.differences.values()
    assert difference.score.value is None
    assert difference.score.reason == "no case in common"
    assert not np.isnan(known.beside(board_frame(selection))["d_n"].to_numpy()).all()
