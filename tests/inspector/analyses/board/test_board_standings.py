"""Who is tied with the best and by how much others differ: the numbers that `compare` gives."""

import numpy as np
import pytest
from msgspec.structs import replace

import example
import making
import reference
import step_making
from inspector.analyses.board.arrangement import Arrangement, arranged
from inspector.analyses.board.board_rows import board_frame, pieces
from inspector.analyses.board.cells import BEST, BUSY, REFERENCE, TIED
from inspector.analyses.board.standings import Standings, standings, waiting
from inspector.analyses.report.document import report_document
from inspector.render.blocks import Bullets
from scoring.formats.benchmarks.case_format import Imported
from scoring.metrics.aligned import align_scorers
from scoring.metrics.baselines import BASELINES, baselines
from scoring.metrics.benchmark_metrics import OWN_METRICS, metrics_of
from scoring.metrics.paired import tied_name
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import with_baselines
from step_reference import Step
from thoroughness import THOROUGH
from views import compare_view

DEMO = Query(benchmarks=("demo",))


def study(root):
    making.workspace(root, *making.study(n=40))
    return Query(workspace=str(root))


def steps(root):
    cases = [reference.Case(3, n % 3, (0.9, 0.4, 0.1), error_steps=(n % 3,)) for n in range(30)]
    items = [Step(case, ("redundency", "circular", "counterfactual")[n % 3]) for n, case in enumerate(cases)]
    others = [
        Step(reference.Case(3, one.case.gold, (0.1, 0.9, 0.3), error_steps=one.case.error_steps), one.name)
        for one in items
    ]
    step_making.workspace(root, items, [(making.scorer("one"), items), (making.scorer("two"), others)])
    return Query(workspace=str(root))


def own(root):
    """The same cases as benchmarks with figures of their own, all steps labelled; one scorer lacks some."""
    cases, scorers = making.study(n=40)
    listed = [
        replace(case, error_steps=() if case.gold < 0 else tuple(range(case.gold, case.n_steps, 2))) for case in cases
    ]
    first, *others = sorted(OWN_METRICS)
    made = making.workspace(root, listed, scorers, benchmark=first)
    for name in others:
        frame = making.full_frame(listed, name)
        made.add([Imported(name, f"{name}.jsonl", "made", "0-based", frame.height, frame, ())])
    return Query(workspace=str(root))


SPACES = {
    "demo": lambda _: DEMO,
    "study": study,
    "steps": steps,
    "example": lambda root: Query(workspace=example.write(root).workspace),
    "own": own,
}


@pytest.fixture(scope="module", params=SPACES)
def query(request, tmp_path_factory):
    return SPACES[request.param](tmp_path_factory.mktemp("standings") / "w")


def told(document, *metrics):
    """The rows of a comparison with these metrics, by scorers."""
    found = {}
    for row in document.rows.iter_rows(named=True):
        if row["metric"] in metrics and row["subset"] in {None, "average", "all"}:
            found.setdefault((row["metric"], row["subset"], row["scorer"], row["other"]), row)
    return found


def test_the_best_and_the_tied_are_those_of_compare(query):
    results = load(query)
    known = standings(results, pieces(results))
    for (benchmark, _), ranks in known.ranks.items():
        every = compare_view(results).rows.filter(benchmark=benchmark, metric=tied_name(metrics_of(benchmark).name))
        whole = with_all_cases(results, benchmark)
        assert ranks.scorers == len(whole)
        for name in set(every["scorer"]) - set(whole):
            assert name not in ranks.kinds
        if len(whole) < 2:
            assert not ranks.kinds
            continue
        rows = compare_view(replace(results, chosen=tuple(whole))).rows.filter(benchmark=benchmark)
        for row in rows.filter(metric=tied_name(metrics_of(benchmark).name)).iter_rows(named=True):
            kind = BEST if row["scorer"] == row["other"] else TIED if row["value"] else ""
            assert ranks.kinds.get(row["scorer"]) == (None if row["value"] is None else kind)
            assert row["value"] is None or (ranks.n, 0) == (row["n"], row["left_out"])
        assert list(ranks.kinds.values()).count(BEST) == bool(ranks.kinds)


def with_all_cases(results, benchmark):
    """The names of the scorers that tried each case of the benchmark that any of them tried."""
    rows = (results.cases["benchmark"] == benchmark).to_numpy()
    unparsed = results.unparsed(benchmark)
    aligned = metrics_of(benchmark).aligned(results.evaluations, rows, unparsed)
    aligned = aligned or align_scorers(results.evaluations, rows, unparsed)
    sizes, n = aligned.tried.sum(axis=0), int(aligned.tried.any(axis=1).sum())
    return [name for name, size in zip(aligned.names, sizes, strict=True) if size == n]


def test_the_best_mark_does_not_move_when_a_partial_scorer_comes(tmp_path):
    """Two scorers of all cases, with the best among the first half's losers; a third one of that half alone."""
    golds = [0, -1] * 20
    right, wrong = {0: (0.1,), -1: (0.9,)}, {0: (0.9,), -1: (0.1,)}

    def scored(decide):
        return [reference.Case(1, gold, decide(at, gold)) for at, gold in enumerate(golds)]

    first = scored(lambda at, gold: right[gold] if at >= 12 else wrong[gold])
    second = scored(lambda at, gold: right[gold] if at < 20 else wrong[gold])
    part = scored(lambda at, gold: right[gold] if at < 12 else None)
    cases = [reference.Case(1, gold) for gold in golds]
    scorers = [(making.scorer("first"), first), (making.scorer("second"), second)]
    kinds = []
    for number, more in enumerate(([], [(making.scorer("part"), part)])):
        making.workspace(tmp_path / str(number), cases, [*scorers, *more])
        results = load(Query(workspace=str(tmp_path / str(number))))
        (ranks,) = standings(results, pieces(results)).ranks.values()
        kinds.append(dict(ranks.kinds))
        assert (ranks.n, ranks.scorers) == (40, 2)
    assert kinds[0] == kinds[1]
    assert kinds[0]["first"] == BEST
    assert "part tried 12 of 40 cases" in ranks.why
    # Neither does a report call the higher figure of fewer cases the highest.
    items = [
        item for block in report_document(results).report.about if isinstance(block, Bullets) for item in block.items
    ]
    (highest,) = (item for item in items if item.startswith("Highest"))
    assert highest.startswith("Highest F1 of 2 scorers with one: first, ")
    assert "part tried 12 of 40 cases" in highest


def test_differences_are_those_of_compare(query):
    results = load(query)
    names = [one.scorer.name for one in results.evaluations]
    for against in names[:2]:
        known = standings(results, pieces(results), against)
        rows = compare_view(results).rows
        assert known.differences.keys() == {
            row for row, name in board_frame(results).select("row", "scorer").rows() if name != against
        }
        for row in board_frame(results).iter_rows(named=True):
            if row["scorer"] == against:
                continue
            metric = metrics_of(row["benchmark"]).name
            subset = "average" if metric == "f1" else "all"
            pair = {row["scorer"], against}
            (found,) = (
                one
                for one in rows.filter(
                    metric=f"{metric}_difference", subset=subset, benchmark=row["benchmark"]
                ).iter_rows(named=True)
                if {one["scorer"], one["other"]} == pair
            )
            sign = 1 if found["other"] == against else -1
            score = known.differences[row["row"]].score
            ends = (found["low"], found["high"]) if sign == 1 else (found["high"], found["low"])
            expected = [None if one is None else pytest.approx(sign * one) for one in (found["value"], *ends)]
            assert [score.value, score.low, score.high] == expected
            assert known.differences[row["row"]].n == found["n"] or score.value is None


def test_of_a_subset_they_are_those_of_the_subset_alone():
    results = load(DEMO)
    known = standings(results, pieces(results, subsets=True), "blend")
    assert len(known.ranks) == 5
    # Of all cases, and usually of two of the four subsets.
    for (benchmark, subset), ranks in [*known.ranks.items()][: 5 if THOROUGH else 3]:
        only = results if subset is None else load(Query(benchmarks=("demo",), subsets=(subset,)))
        rows = compare_view(only).rows.filter(metric="tied_with_best").iter_rows(named=True)
        kinds = {row["scorer"]: BEST if row["scorer"] == row["other"] else TIED if row["value"] else "" for row in rows}
        assert kinds == ranks.kinds
        assert (benchmark, ranks.n, ranks.scorers) == ("demo", 240 if subset is None else 60, 7)


def test_baselines_are_no_rivals_and_can_be_compared_with():
    results = load(DEMO)
    plain = standings(results, pieces(results))
    added = with_baselines(results, baselines(results.evaluations[0].gold))
    assert added.chosen[-3:] == tuple(BASELINES)
    assert added.query.baselines
    assert standings(added, pieces(added)).ranks == plain.ranks
    known = standings(added, pieces(added), "coin")
    assert len(known.differences) == 9
    taken = with_baselines(added, ())
    assert taken.evaluations == results.evaluations
    assert not taken.query.baselines


def test_what_is_not_known_yet_shows_no_mark():
    results = load(DEMO)
    frame = waiting("blend").beside(board_frame(results))
    assert frame["standing"].null_count() == frame.height
    assert frame["d_score"].null_count() == frame.height
    about = dict(frame.select("scorer", "d_standing").rows())
    assert about["blend"] == REFERENCE
    assert set(about.values()) == {REFERENCE, BUSY}
    # Rows stand as they would without differences until these are there.
    how = Arrangement(against="blend")
    assert arranged(frame, how)["scorer"].to_list() == board_frame(results)["scorer"].to_list()


def test_a_stop_ends_it():
    results = load(DEMO)
    assert standings(results, pieces(results), stop=lambda: True) == Standings()


def test_one_scorer_has_no_rank(tmp_path):
    cases = [reference.Case(1, 0, (0.1,)), reference.Case(1, -1, (0.9,))]
    making.workspace(tmp_path, cases, [(making.scorer("one"), cases)])
    results = load(Query(workspace=str(tmp_path)))
    assert standings(results, pieces(results), "one") == Standings(against="one")


def test_without_a_common_case_nobody_is_the_best(tmp_path):
    cases = [reference.Case(1, 0, (0.1,)), reference.Case(1, -1, (0.9,))]
    first = [cases[0], reference.Case(1, -1)]
    second = [reference.Case(1, 0), cases[1]]
    making.workspace(tmp_path, cases, [(making.scorer("a"), first), (making.scorer("b"), second)])
    results = load(Query(workspace=str(tmp_path)))
    known = standings(results, pieces(results), "a")
    (ranks,) = known.ranks.values()
    assert (dict(ranks.kinds), ranks.n) == ({}, 0)
    (difference,) = known.differences.values()
    assert difference.score.value is None
    assert difference.score.reason == "no case in common"
    assert not np.isnan(known.beside(board_frame(results))["d_n"].to_numpy()).all()
