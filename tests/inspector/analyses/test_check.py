import json
import shlex
from functools import cache

import polars as pl
import pytest

import checked_pairs
import making
import reference
from inspector.analyses import Params
from inspector.analyses.check.check import CHECK, LISTED, cases_command, check, default_rule, result_of
from inspector.analyses.compare.compare import compare
from inspector.cli import main
from inspector.render.cells import signed
from scoring.data.errors import UsageError
from scoring.metrics.outcome_conditions import tried
from scoring.metrics.resampling import SMALL
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import compare_view, panels_of, table_of, words_of


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("pairs")
    cases = checked_pairs.plain()
    gaps = [
        checked_pairs.replaced(case, None if at % 10 == 3 else checked_pairs.old(at, case))
        for at, case in enumerate(cases)
    ]
    few = [checked_pairs.replaced(case, at % 3 == 0 if at % 40 < 4 else None) for at, case in enumerate(cases)]
    refusals = [reference.Case(3, case.gold, None, "over length", case.subset) for case in cases[:20]]
    refused = [*refusals, *checked_pairs.right(cases, checked_pairs.old)[20:]]
    named = zip(("gaps", "few", "refused"), (gaps, few, refused), strict=True)
    checked_pairs.write(root, extra=[(making.scorer(name), rows) for name, rows in named])
    return str(root)


def check_view(results, old="old", fail_if=None):
    told = {"baseline": old, "fail_if": fail_if}
    return check.view(results, Params("", {name: value for name, value in told.items() if value is not None}))


@cache
def selected(root, **asked):
    return load(Query(workspace=root, **asked))


@cache
def made(root, new, old="old", fail_if=None, **asked):
    return check_view(selected(root, scorers=(new, old), **asked), old, fail_if)


def row(found):
    (only,) = found.rows.iter_rows(named=True)
    return only


def test_the_official_difference_of_each_pair_and_what_it_says(root):
    found = {name: made(root, name) for name in ("worse", "same", "better", "slightly")}
    assert {name: one.exit_code for name, one in found.items()} == {"worse": 1, "same": 0, "better": 0, "slightly": 0}
    assert {name: row(one)["result"] for name, one in found.items()} == {
        "worse": "regression",
        "same": "no evidence",
        "better": "improvement",
        "slightly": "no evidence",
    }
    told = row(found["worse"])
    change, low, high = (signed(told[name]) for name in ("difference", "low", "high"))
    assert found["worse"].because == (f"bench: worse against old: a regression, F1 {change} ({low} to {high}) points",)
    assert found["same"].because == ()
    assert found["same"].rows.columns == list(CHECK)


def test_figures_equal_a_count_by_hand(root):
    cases = checked_pairs.plain()
    worse = [checked_pairs.worse(at, case) for at, case in enumerate(cases)]
    old = [checked_pairs.old(at, case) for at, case in enumerate(cases)]
    told = row(made(root, "worse"))
    erroneous = [at for at, case in enumerate(cases) if case.gold >= 0]
    lost = [at for at in range(len(cases)) if old[at] and not worse[at]]
    assert told["newly_wrong"] == len(lost) == told["erroneous_newly_wrong"]
    assert (told["newly_right"], told["clean_newly_wrong"]) == (0, 0)
    assert told["erroneous_both_right"] == sum(worse[at] for at in erroneous)
    assert told["error_acc"] == pytest.approx(sum(worse[at] for at in erroneous) / len(erroneous))
    assert told["baseline_error_acc"] == pytest.approx(sum(old[at] for at in erroneous) / len(erroneous))

    def f1(right):
        a, b = (
            sum(right[at] for at in side) / len(side)
            for side in (erroneous, [at for at in range(len(cases)) if at not in erroneous])
        )
        return 2 * a * b / (a + b)

    # Both subsets are alike, so that their mean is the figure of all.
    assert told["difference"] == pytest.approx(f1(worse) - f1(old))
    assert (told["value"], told["baseline_value"]) == (pytest.approx(f1(worse)), pytest.approx(f1(old)))
    assert (told["n"], told["left_out"], told["cases"], told["coverage"]) == (160, 0, 160, 1.0)


def test_differences_intervals_and_tests_are_those_of_compare(root):
    results = load(Query(workspace=root, scorers=("worse", "old"), seed=5))
    told = row(check_view(results))
    compared = {
        (one["subset"], one["metric"]): one
        for one in compare_view(results).rows.iter_rows(named=True)
        if one["other"] == "old" or one["metric"] == "f1"
    }
    for name, key in {
        "": ("average", "f1"),
        "error_acc_": ("average", "error_acc"),
        "pooled_f1_": ("all", "f1"),
    }.items():
        same = compared[key[0], f"{key[1]}_difference"]
        assert (told[f"{name}difference"], told[f"{name}low"], told[f"{name}high"]) == (
            same["value"],
            same["low"],
            same["high"],
        )
    test = compared["all", "erroneous_mcnemar"]
    assert (told["erroneous_p"], told["erroneous_p_holm"]) == (test["p"], test["p_holm"])


def test_the_command_lists_exactly_what_became_wrong(root, capsys):
    for new, unparsed in (("worse", None), ("refused", None), ("refused", "drop")):
        results = load(Query(workspace=root, scorers=(new, "old"), unparsed=unparsed))
        told = row(check_view(results))
        outcomes = results.evaluated.table(["case", f"{new}.outcome", "old.outcome"])
        right = ["exact", "clean"]
        unread = ["refused", "unparsed"] if unparsed == "drop" else []
        lost = outcomes.filter(
            pl.col("old.outcome").is_in(right), ~pl.col(f"{new}.outcome").is_in([*right, *unread, "unscored"])
        )
        assert lost.height == told["newly_wrong"]
        capsys.readouterr()
        assert main([*shlex.split(cases_command(results, (new, "old"), "bench"))[1:], "--json"]) == 0
        listed = [one["case"] for one in json.loads(capsys.readouterr().out)["rows"]]
        assert len(listed) == told["newly_wrong"]
        assert listed[:LISTED] == told["newly_wrong_cases"]
        assert set(listed) == set(lost["case"])


def test_cases_that_one_lacks_are_a_warning_with_the_filter_that_mends_it(root):
    told = row(made(root, "gaps"))
    assert (told["n"], told["left_out"], told["lacks"], told["baseline_lacks"]) == (144, 16, 16, 0)
    assert told["coverage"] == 0.9
    assert not told["comparable"]
    (warning,) = told["warnings"]
    assert "gaps lacks 16 cases that old has (bench/c3, bench/c13, bench/c23, ...)" in warning
    assert "all on the 144 cases in common" in warning
    mended = row(made(root, "gaps", where=(tried("gaps"),)))
    assert (mended["n"], mended["left_out"], mended["comparable"]) == (144, 0, True)
    assert mended["difference"] == told["difference"]


def test_without_a_common_case_it_cannot_be_decided(root):
    found = made(root, "half", "rest")
    told = row(found)
    assert (found.exit_code, told["result"], told["fails"], told["n"]) == (2, "undefined", None, 0)
    assert told["difference"] is None
    assert found.because == ("bench: half against rest: no interval of F1: no case in common",)
    undecided = made(root, "half", "rest", "newly_wrong > 0")
    assert undecided.exit_code == 2
    assert "newly_wrong > 0 cannot be decided, undefined: newly_wrong (no case in common)" in undecided.because[0]


def test_few_cases_are_marked(root):
    told = row(made(root, "few"))
    assert told["n"] == 16 < SMALL
    assert told["small"]
    assert not row(made(root, "worse"))["small"]


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("difference < -0.02", 1),
        ("difference < -0.9", 0),
        ("high < 0", 1),
        ("newly_wrong > 19", 1),
        ("newly_wrong > 20", 0),
        ("coverage < 1", 0),
        ("prmscore_difference < 0", 2),
        ("prmscore_difference < 0 OR newly_wrong > 5", 1),
    ],
)
def test_a_condition_takes_the_place_of_the_rule(root, condition, code):
    found = made(root, "worse", fail_if=condition)
    assert found.exit_code == code == found.provenance["exit_code"]
    assert found.provenance["decides"] == f"--fail-if {condition}"
    assert row(found)["result"] == "regression"


def test_a_better_scorer_may_fail_a_condition_all_the_same(root):
    assert made(root, "better", fail_if="difference > 0").exit_code == 1


def test_a_threshold_tuned_here_is_a_warning(root):
    told = row(made(root, "worse", thresholds=(("worse", "best"),)))
    assert not told["comparable"]
    assert any("worse is at a threshold tuned on these cases (optimistic), old not" in one for one in told["warnings"])
    both = row(made(root, "worse", thresholds=((None, "best"),)))
    assert both["comparable"]
    assert both["threshold_source"].startswith("optimistic")


def test_a_filter_on_outcomes_is_a_warning(root):
    told = row(made(root, "worse", where=("\"worse.outcome\" = 'exact'",)))
    assert any("the cases are chosen by what worse made of them" in one for one in told["warnings"])


def test_settings_that_differ_and_how_to_read_it_are_in_the_provenance(root):
    facts = made(root, "worse").provenance
    assert facts["settings_that_differ"] == {"dtype": "float16 | float32", "weights.revision": "b | a"}
    assert facts["command"].startswith("prm-inspect check worse --baseline old --workspace")
    assert "fails this rule by chance in about 2.5% of checks" in facts["notes"][0]
    assert any("no proof of equality" in note for note in made(root, "same").provenance["notes"])


def test_one_scorer_is_not_its_own_baseline_and_nothing_is_no_check(root):
    with pytest.raises(UsageError, match="cannot be its own baseline"):
        made(root, "worse", "worse")
    with pytest.raises(UsageError, match="there is no case to check on"):
        made(root, "worse", where=("n_steps > 99",))


@pytest.mark.parametrize(
    ("names", "baseline", "said"),
    [
        ((), "old", "check needs a scorer: prm-inspect check NEW --baseline OLD."),
        (("worse",), None, "check needs --baseline."),
        (("worse", "same", "better"), "old", "check is about 2 scorers at most."),
        (("worse",), "nobody", "no scorer matches 'nobody'"),
    ],
)
def test_who_is_checked_against_whom_must_be_said(root, names, baseline, said):
    with pytest.raises(UsageError) as error:
        check_view(load(Query(workspace=root, scorers=names)), baseline)
    assert said in str(error.value)


# -- the rule


@pytest.mark.parametrize(
    ("low", "high", "result"),
    [
        (-0.2, -0.1, "regression"),
        (-0.2, 0.0, "no evidence"),
        (-0.2, 0.1, "no evidence"),
        (0.0, 0.1, "no evidence"),
        (0.05, 0.1, "improvement"),
        (None, None, "undefined"),
    ],
)
def test_the_whole_interval_decides(low, high, result):
    assert result_of({"low": low, "high": high}) == result
    expected = {"regression": True, "undefined": None}.get(result, False)
    schema = {"low": pl.Float64, "high": pl.Float64}
    assert default_rule(pl.DataFrame({"low": [low], "high": [high]}, schema=schema)) == [expected]


# -- as people see it


@pytest.mark.parametrize(
    ("new", "old", "words"),
    [
        (
            "worse",
            "old",
            ("A regression: F1 −", "points. This fails the check.", "First 5 of 20 cases that became wrong"),
        ),
        ("same", "old", ("No evidence of a difference: F1 0.0", "This passes.", "no proof of equality")),
        ("better", "old", ("An improvement: F1 +", "This passes.")),
        ("half", "rest", ("No interval: no case in common. Whether this fails cannot be decided.",)),
        ("few", "old", ("of few cases", "lacks 144 cases that old has")),
    ],
)
def test_the_result_is_said_in_words(root, new, old, words):
    said = words_of(made(root, new, old))
    assert all(word in said for word in words), said


def test_what_is_the_same_as_in_compare_is_laid_out_as_there(root):
    results = load(Query(workspace=root, scorers=("worse", "old")))
    pair = compare.view(results, Params("pair"))
    checked, compared = check_view(results), panels_of(pair)
    # `compare` also has the figures of each scorer.
    differences = [list(line.values()) for line in table_of(checked, "Difference, A − B")]
    assert differences == [[line[""], line["A − B"], line[" "]] for line in compared["Difference"]]
    title = "What differs between them"
    assert table_of(checked, title) == compared[title]


def test_every_number_opens_exactly_its_cases(root):
    for new in ("worse", "few", "refused"):
        results = load(Query(workspace=root, scorers=(new, "old")))
        view = check_view(results)
        links = list(view.links())
        assert links
        for link in links:
            assert int((results.mask & results.evaluated.passing(link.where)).sum()) == link.n, link
        became_wrong = sum(link.n for link in links if link.words.startswith("only B right"))
        assert became_wrong == row(view)["newly_wrong"]
