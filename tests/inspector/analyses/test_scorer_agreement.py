"""`agreement --scorers`: verdicts held against each other and against gold, against slow reckoning on columns."""

from itertools import combinations

import pytest
from msgspec.structs import replace

import making
from inspector.analyses import Params
from inspector.analyses.agreement.agreement import agreement
from inspector.analyses.agreement.scorer_agreement import NO_CASE, SCORER_AGREEMENT
from inspector.cli import main
from published_spaces import mr_math
from reference import Case
from scoring.data.errors import UsageError
from scoring.metrics.annotator_agreement import ONE_VALUE
from scoring.selection.loading import load
from scoring.selection.query import Query
from slow_agreement import slow_alpha, slow_kappa
from thoroughness import THOROUGH
from views import agreement_view, lines_of, pairs_view, table_of


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three scorers with gaps and refusals, on cases that share problems and of which some have no gold label."""
    root = tmp_path_factory.mktemp("study") / "w"
    cases, scorers = making.study(n=80)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return Query(workspace=str(root))


def view(query):
    return agreement_view(load(query), "scorers")


def slow(query):
    """By scope and names what is to come out, from the columns of the cases: share, coefficient and n."""
    results = load(query)
    frame = results.evaluated.table(results.evaluated.columns)[results.shown].to_dicts()
    names = [one.scorer.name for one in results.chosen_evaluations if one.coverage.count]
    labels = {name: [case[f"{name}.verdict"] for case in frame] for name in names}
    labels["gold"] = [case["earliest_error"] for case in frame]
    found = {}
    for one, other in [*((name, "gold") for name in names), *combinations(names, 2)]:
        pairs = [pair for pair in zip(labels[one], labels[other], strict=True) if None not in pair]
        same = sum(a == b for a, b in pairs) / len(pairs) if pairs else None
        key = ("gold", one, None) if other == "gold" else ("pair", one, other)
        found[key] = same, slow_kappa(pairs), len(pairs)
    units = [[labels[name][at] for name in names if labels[name][at] is not None] for at in range(len(frame))]
    found["all", None, None] = slow_alpha(units, ordinal=False), sum(len(unit) > 1 for unit in units)
    return found


def held(query):
    made = view(query)
    rows = made.rows
    expected = slow(query)
    assert dict(rows.schema) == SCORER_AGREEMENT
    for scope, scorer, other in rows.select("scope", "scorer", "other").unique().iter_rows():
        own = [row for row in rows.iter_rows(named=True) if (row["scorer"], row["other"]) == (scorer, other)]
        observed, coefficient = (row for row in own if row["scope"] == scope)
        if scope == "all":
            assert (coefficient["metric"], coefficient["n"]) == ("alpha", expected["all", None, None][1])
            assert coefficient["value"] == pytest.approx(float(expected["all", None, None][0]), abs=1e-12)
            continue
        same, kappa, n = expected[scope, scorer, other]
        assert (observed["metric"], coefficient["metric"]) == ("observed", "kappa")
        assert observed["n"] == coefficient["n"] == n
        assert observed["value"] == pytest.approx(same)
        assert coefficient["value"] == (None if kappa is None else pytest.approx(float(kappa), abs=1e-12))
    assert rows.height == 2 * len(expected)
    return made


@pytest.mark.parametrize(
    "asked", [{}, {"thresholds": ((None, "0.3"),)}, {"where": ("n_steps > 2",)}, {"baselines": True}]
)
def test_figures_are_those_of_slow_reckoning(study, asked):
    held(Query(workspace=study.workspace, **asked))


def test_so_they_are_on_published_scores(tmp_path, data_folder):
    names = ("gpt4", "math-shepherd", "abel", "llama2", "roscoe-sa", "roscoe-ss")
    made = held(replace(mr_math(tmp_path / "w", data_folder), scorers=() if THOROUGH else names))
    assert made.rows.filter(scope="pair", metric="kappa").height == (45 if THOROUGH else 6)
    notes = made.provenance["notes"]
    assert [note for note in notes if "no verdict" in note] == [
        f"mrmath: {name} has no verdict and is left out" for name in ("roscoe-sa", "roscoe-ss")
    ]


def test_what_two_observe_is_what_compare_observes(study):
    """`compare --pairs` is of cases with gold labels alone."""
    results = load(Query(workspace=study.workspace, where=("earliest_error >= -1",)))
    pairs = pairs_view(results).rows.filter(metric="same_verdict", side="all")
    ours = agreement_view(results, "scorers").rows.filter(scope="pair", metric="observed")
    assert ours.height == pairs.height == 3
    for row in ours.iter_rows(named=True):
        both = {row["scorer"], row["other"]}
        (same,) = (one for one in pairs.iter_rows(named=True) if {one["scorer"], one["other"]} == both)
        assert (row["value"], row["n"]) == (pytest.approx(same["value"]), same["n"])


def test_intervals_are_of_whole_problems_and_come_last(tmp_path):
    def scored(verdicts):
        return [Case(3, number % 3, tuple(0.1 if at == said else 0.9 for at in range(3))) for number, said in verdicts]

    gold = [(number, number % 3) for number in range(60)]
    # Every fifth problem is judged wrongly in all of its solutions.
    wrong = [(number, number % 3 if number // 6 % 5 else (number + 1) % 3) for number in range(60)]
    for place, size in (("apart", 1), ("together", 6)):
        problems = [f"problem {number // size}" for number in range(60)]
        making.workspace(tmp_path / place, scored(gold), [(making.scorer("a"), scored(wrong))], problem_id=problems)
    apart, together = (
        view(Query(workspace=str(tmp_path / place))).rows.filter(metric="kappa").row(0, named=True)
        for place in ("apart", "together")
    )
    assert apart["value"] == together["value"]
    assert together["high"] - together["low"] > 1.5 * (apart["high"] - apart["low"])
    results = load(Query(workspace=str(tmp_path / "apart")))
    bare = agreement.view(results, Params("scorers"), intervals=False).rows
    assert bare["low"].null_count() == bare.height
    assert bare["value"].equals(agreement_view(results, "scorers").rows["value"])


def test_a_case_apart_from_all_others_says_why_there_is_no_figure(tmp_path):
    """Two scorers that have no case in common; gold says one thing everywhere, and so does the first of them."""
    first = [Case(1, -1, (0.9,)), Case(1, -1, None)]
    second = [Case(1, -1, None), Case(1, -1, (0.1,))]
    making.workspace(tmp_path, first, [(making.scorer("a"), first), (making.scorer("b"), second)])
    rows = {
        (row["scope"], row["scorer"]): row
        for row in view(Query(workspace=str(tmp_path))).rows.iter_rows(named=True)
        if row["metric"] != "observed"
    }
    assert (rows["gold", "a"]["value"], rows["gold", "a"]["reason"]) == (None, ONE_VALUE)
    assert rows["gold", "b"]["value"] == 0
    assert (rows["pair", "a"]["n"], rows["pair", "a"]["reason"]) == (0, NO_CASE["pair"])
    assert (rows["all", None]["n"], rows["all", None]["reason"]) == (0, NO_CASE["all"])
    assert all(row["small"] for row in rows.values())


def test_people_see_gold_first_and_those_that_agree_most(study):
    found = view(study)
    assert (found.provenance["seed"], found.provenance["resamples"]) == (0, 1000)
    gold, pairs = table_of(found, "With gold"), table_of(found, "With each other")
    assert len(gold) == 3
    assert (pairs[0]["scorer"], pairs[0]["other"]) == ("all 3", "")
    for lines in (gold, pairs[1:]):
        values = [float(next(line[name] for name in line if name.startswith("kappa")).split()[0]) for line in lines]
        assert values == sorted(values, reverse=True)
    assert any("same earliest error" in line for line in lines_of(found))


def test_without_a_verdict_there_is_a_sentence(study, tmp_path, capsys):
    making.workspace(tmp_path, [Case(1, -1)] * 2, [])
    with pytest.raises(UsageError, match="no scorer has a verdict on any of these cases"):
        view(Query(workspace=str(tmp_path)))
    assert main(["agreement", "--scorers", "-w", study.workspace, "--where", "n_steps > 99"]) == 2
    assert "nothing to agree on" in capsys.readouterr().err
