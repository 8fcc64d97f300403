import json
import random
import re
from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace

import making
import reference
from inspector.cli import main
from inspector.screens.threshold_bar.rail_lines import why_unmovable
from inspector.state.opening import inspect
from inspector.state.thresholds.ways import THRESHOLDS
from reference import Case
from scoring.metrics.deciding import EACH
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.threshold_curves import metric_curve
from scoring.selection.loading import load
from scoring.selection.query import Query
from thoroughness import together
from views import metrics_view, table_of, thresholds_view

COUNTED = ["n", "excluded"]
KINDS = ["default", "best", "best-per-subset", "dev", "dev:kept", "from:one", "from:two"]


def cases(seed=0):
    """Two subsets large enough for dev sets, one that is not."""
    draw = random.Random(seed)
    found = []
    for subset, each in (("one", 26), ("two", 24), ("few", 3)):
        for gold in [-1] * each + [draw.randrange(3) for _ in range(each)]:
            rewards = tuple(
                draw.choice((0.1, 0.2, 0.4)) if step == gold else round(draw.random(), 2) for step in range(3)
            )
            found.append(Case(3, gold, rewards, subset=subset))
    return found


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("thresholds")
    making.workspace(
        root,
        cases(),
        [
            (making.scorer("abel"), cases()),
            (making.scorer("bert", threshold=0.25, comparison="<="), cases(1)),
        ],
    )
    return str(root)


@cache
def rows_of(root, **asked):
    return thresholds_view(load(Query(workspace=root, **asked))).rows


@cache
def f1_of(root, **asked):
    rows = metrics_view(load(Query(workspace=root, **asked))).rows
    return rows.filter(rows["metric"] == "f1").drop("reason")


@pytest.mark.parametrize(("scorer", "where"), together(["abel", "bert"], [(), ("n_steps = 3 AND id <> 'c1'",)]))
def test_a_kind_gives_the_digits_of_metrics_at_that_threshold(root, scorer, where):
    rows = rows_of(root, scorers=(scorer,), where=where, seed=3)
    for kind in ("default", "best", "dev", "dev:kept", "from:two"):
        same = f1_of(root, scorers=(scorer,), where=where, thresholds=((None, kind),), seed=3)
        assert rows.filter(rows["kind"] == kind).select(same.columns).equals(same), kind


def test_rows_are_in_order_and_every_way_is_there(root):
    rows = rows_of(root)
    assert rows.schema == THRESHOLDS
    for scorer in ("abel", "bert"):
        kinds = rows.filter(rows["scorer"] == scorer)["kind"].unique(maintain_order=True).to_list()
        assert kinds[:5] == KINDS[:5]
        assert set(kinds) == {*KINDS, "from:few"}
    assert set(rows["subset"]) == {"one", "two", "few", "all", "average"}


def test_the_matrix_is_that_of_plain_counting_and_its_diagonal_is_optimistic(root):
    rows = rows_of(root, scorers=("abel",))
    found = cases()
    for tuned in ("one", "two", "few"):
        part = rows.filter(rows["kind"] == f"from:{tuned}")
        threshold = part["threshold"][0]
        assert (part["threshold"] == threshold).all()
        own = [case for case in found if case.subset == tuned]
        best = reference.metrics(own, threshold, "<")[tuned, "f1"]
        assert best == pytest.approx(reference.best_f1(own, "<"))
        expected = reference.metrics(found, threshold, "<")
        for row in part.iter_rows(named=True):
            assert row["value"] == pytest.approx(expected[row["subset"], "f1"])
            assert row["optimistic"] == (row["subset"] in {tuned, "all", "average"})


def test_the_best_of_each_subset_bounds_every_other_way_that_reports_on_all_cases(root):
    rows = rows_of(root)
    whole = rows.filter(rows["excluded"] == 0)
    top = whole.filter(whole["kind"] == "best-per-subset")
    joined = whole.join(top, on=["scorer", "subset"])
    # A pooled F1 is no mean of the subsets', so that their best thresholds do not bound it.
    for row in joined.filter(joined["subset"] != "all").iter_rows(named=True):
        assert row["value"] <= row["value_right"] + 1e-12
    diagonal = whole.filter(whole["kind"] == "from:" + whole["subset"])
    for row in diagonal.join(top, on=["scorer", "subset"]).iter_rows(named=True):
        assert (row["value"], row["threshold"]) == (row["value_right"], row["threshold_right"])


def test_dev_cases_are_counted_and_left_out_and_small_subsets_say_so(root):
    rows = rows_of(root, scorers=("abel",))
    dev = {row["subset"]: row for row in rows.filter(rows["kind"] == "dev").iter_rows(named=True)}
    assert {name: row["excluded"] for name, row in dev.items()} == {
        "one": 2 * EACH,
        "two": 2 * EACH,
        "few": 0,
        "all": 4 * EACH,
        "average": 4 * EACH,
    }
    assert {name: row["n"] for name, row in dev.items()} == {
        "one": 12,
        "two": 8,
        "few": 6,
        "all": 26,
        "average": 26,
    }
    assert dev["few"]["reason"] == "at the default: 3 clean and 3 erroneous cases"
    assert dev["few"]["threshold"] == 0.5
    assert dev["all"]["threshold"] is None
    assert not any(row["optimistic"] for row in dev.values())
    kept = rows.filter(rows["kind"] == "dev:kept")
    assert kept["excluded"].sum() == 0
    assert dict(kept.select("subset", "optimistic").iter_rows()) == {
        "one": True,
        "two": True,
        "few": False,
        "all": True,
        "average": True,
    }


def test_a_number_is_the_chosen_threshold(root):
    rows = rows_of(root, scorers=("abel",), thresholds=((None, "0.3"),))
    chosen = rows.filter(rows["kind"] == "chosen")
    assert set(chosen["threshold"]) == {0.3}
    assert not chosen["optimistic"].any()
    assert "chosen" not in set(rows_of(root, scorers=("abel",))["kind"])
    found = rows_of(root, scorers=("abel",), thresholds=((None, "best:0.3"),))
    assert found.filter(found["kind"] == "chosen")["optimistic"].all()


def test_present_thresholds_change_no_other_row(root):
    plain = rows_of(root, scorers=("abel",))
    for wish in ("best", "dev", "0.3"):
        rows = rows_of(root, scorers=("abel",), thresholds=((None, wish),))
        assert rows.filter(rows["kind"] != "chosen").equals(plain)


def test_a_rule_that_was_asked_for_decides_every_row_and_is_told(root):
    results = load(Query(workspace=root, rules=((None, "<="),)))
    document = thresholds_view(results)
    assert set(document.rows["comparison"]) == {"<="}
    told = [note for note in document.provenance["notes"] if "as asked" in note]
    assert told == ["abel: a step is judged wrong iff its reward <= threshold, as asked; its own rule is <"]
    default = document.rows.filter((document.rows["kind"] == "default") & (document.rows["scorer"] == "abel"))
    expected = reference.metrics(cases(), 0.5, "<=")
    for row in default.iter_rows(named=True):
        assert row["value"] == pytest.approx(expected[row["subset"], "f1"])
    one = load(Query(workspace=root, rules=(("abel", "<="), ("bert", "<"))))
    assert {e.scorer.name: e.rule.comparison for e in one.evaluations} == {"abel": "<=", "bert": "<"}


def test_what_cannot_be_tuned_has_one_row_with_its_reason(root):
    rows = rows_of(root, scorers=("abel",), where=("\"abel.outcome\" <> 'late'",))
    best = rows.filter(rows["kind"] == "best")
    assert best.height == 1
    assert "cannot be tuned under" in best["reason"][0]
    clean = rows_of(root, scorers=("abel",), where=("earliest_error = -1",))
    best = clean.filter(clean["kind"] == "best")
    assert best["reason"].to_list() == ["F1 is undefined on the cases it would be tuned on"]
    assert best["value"].to_list() == [None]


def test_without_dev_sets_the_row_says_which_subsets_are_too_small(tmp_path):
    found, scorers = making.study()
    making.workspace(tmp_path, found, scorers)
    rows = rows_of(str(tmp_path))
    reasons = set(rows.filter(rows["kind"] == "dev")["reason"])
    assert len(reasons) == 1
    assert next(iter(reasons)).startswith("no subset has a dev set: it's (")


def test_documents_say_that_the_case_sets_differ(root):
    document = metrics_view(load(Query(workspace=root, thresholds=(("abel", "dev"),))))
    notes = document.provenance["notes"]
    assert "dev cases left out: abel 80" in notes
    assert "so the scorers are reported on different cases" in notes[-1]
    assert document.provenance["threshold"]["abel"].keys() == {"one", "two"}
    common = ("\"abel.outcome\" <> 'dev'",)
    same = metrics_view(load(Query(workspace=root, thresholds=(("abel", "dev"),), where=common)))
    sizes = same.rows.filter(same.rows["subset"] == "all").group_by("scorer", maintain_order=True).agg("n")
    assert sizes["n"][0].to_list() == sizes["n"][1].to_list()
    assert not any("dev cases" in note for note in same.provenance["notes"])
    both = metrics_view(load(Query(workspace=root, thresholds=((None, "dev"),))))
    assert not any("different cases" in note for note in both.provenance["notes"])


def test_two_benchmarks_are_tuned_apart(tmp_path, root):
    space = making.workspace(tmp_path, cases(), [(making.scorer("abel"), cases())])
    from scoring.formats.benchmarks.case_format import Imported

    other = making.full_frame(cases(7), "other")
    space.add([Imported("other", "made.jsonl", "made", "0-based", other.height, other, ())])
    alone = rows_of(root, scorers=("abel",))
    rows = rows_of(str(tmp_path), scorers=("abel",))
    assert rows.filter(rows["benchmark"] == "bench").equals(alone)
    assert "other" in set(rows["benchmark"])


def test_people_see_a_line_a_way_with_a_column_a_subset(root):
    lines = {
        line["way"]: line for line in table_of(thresholds_view(load(Query(workspace=root, scorers=("abel",)))), "Ways")
    }
    assert list(lines["default"]) == ["way", "threshold", "F1", "one", "two", "few", *COUNTED, "wrong"]
    row = lines["best of each subset"]
    assert row["threshold"] == "by subset"
    assert re.fullmatch(r"\d+\.\d\* \(\d+\.\d to \d+\.\d\) at 0\.\d+", row["one"])
    default = lines["default"]
    assert (default["threshold"], default["n"], default["excluded"]) == ("0.500 (present)", "106", "")
    assert re.fullmatch(r"\d+\.\d \(\d+\.\d to \d+\.\d\)", default["one"])
    assert default["few"].endswith(" ~")
    dev = lines["dev-tuned, seed 0"]
    assert (dev["n"], dev["excluded"]) == (str(106 - 4 * EACH), str(4 * EACH))


def test_the_command_says_what_its_marks_mean_and_which_subsets_stay_at_the_default(root, capsys):
    assert main(["thresholds", "-w", root, "--scorer", "abel"]) == 0
    said = capsys.readouterr().out
    assert "* optimistic: tuned on cases that the value is of" in said
    assert "~ fewer than 20 cases" in said
    assert "which are excluded from what is reported" in said
    assert "at the default: few (" in said


def test_the_command_prints_a_table_and_json_has_null_where_undefined(root, capsys):
    assert main(["thresholds", "-w", root, "--where", "earliest_error = -1"]) == 0
    assert "F1 is undefined" in capsys.readouterr().out
    assert main(["thresholds", "-w", root, "--where", "earliest_error = -1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["value"] for row in rows if row["kind"] == "best"] == [None, None]
    assert np.all([row["reason"] for row in rows if row["value"] is None])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rule", ">"], "'>' is not a rule"),
        (["--rule", "nobody=<"], "no scorer matches 'nobody'"),
        (["--threshold", "dev:some"], "'dev:some' is not a threshold"),
        (["--flips", "0.1"], "--flips compares two thresholds, not 1"),
        (["--flips", "much", "0.1"], "'much' is not a threshold"),
    ],
)
def test_wrong_words_are_one_sentence(root, words, said, capsys):
    assert main(["thresholds", "-w", root, *words]) == 2
    assert said in capsys.readouterr().err


def test_rewards_cannot_be_exported_under_thresholds_that_differ(root, capsys):
    assert main(["export", "rewards", "-w", root, "--scorer", "abel", "--threshold", "dev", "--to", "grben"]) == 2
    said = capsys.readouterr().err
    assert "is decided at one threshold, and here they differ by subset" in said
    assert "one 0." in said
    assert main(["export", "rewards", "-w", root, "--scorer", "abel", "--threshold", "0.3", "--to", "grben"]) == 0


def test_the_app_says_why_a_threshold_of_each_subset_cannot_be_moved(root):
    now = inspect(load(Query(workspace=root, scorers=("abel",), thresholds=((None, "dev"),))))
    assert "abel has a threshold for each subset (dev-tuned" in why_unmovable(now)
    assert now.summary.headline.score == pytest.approx(
        f1_of(root, scorers=("abel",), thresholds=((None, "dev"),))["value"][-1]
    )
    assert now.summary.sweep is None
    assert now.summary.outcome_counts["dev"] == 4 * EACH
    moved = inspect(now.results)
    assert moved.results.query.thresholds == ((None, "dev"),)


def test_best_is_tuned_on_the_cases_that_are_shown_when_all_else_is_decided(root):
    where = ("\"bert.outcome\" <> 'late'",)
    asked = {"workspace": root, "scorers": ("abel",), "where": where}
    found = load(Query(thresholds=(("bert", "0.6"), ("abel", "best")), **asked))
    alone = load(Query(thresholds=(("bert", "0.6"),), **asked))
    curve = metric_curve(FIRST_ERRORS, alone.evaluation("abel"), alone.mask)
    assert np.array_equal(found.shown, alone.shown)
    assert found.evaluation("abel").rule.threshold == curve.best[0]


def test_how_a_subset_is_called_changes_no_figure_beside_cases_without_one(tmp_path):
    told = []
    for name in ("zz", "all"):
        listed = [replace(case, subset={"one": name, "two": None}.get(case.subset, case.subset)) for case in cases()]
        making.workspace(tmp_path / name, listed, [(making.scorer("prm"), listed)])
        query = Query(workspace=str(tmp_path / name), thresholds=((None, "dev"),))
        rows = metrics_view(load(query)).rows.filter(metric="f1")
        told.append((rows["value"].to_list(), rows["n"].to_list(), load(query).evaluations[0].rule.thresholds.tolist()))
    assert told[0] == told[1]


def test_why_cases_without_a_subset_stay_at_the_default_is_told_in_their_row_and_in_that_of_all(tmp_path):
    listed = [replace(case, subset=None if case.subset == "few" else case.subset) for case in cases()]
    making.workspace(tmp_path, listed, [(making.scorer("prm"), listed)])
    rows = thresholds_view(load(Query(workspace=str(tmp_path)))).rows.filter(kind="dev", metric="f1")
    reasons = dict(rows.select("subset", "reason").iter_rows())
    assert reasons[""] == "at the default: 3 clean and 3 erroneous cases"
    assert reasons["all"] == "at the default: (no subset) (3 clean and 3 erroneous cases)"
    assert reasons["one"] is None


def test_the_best_of_each_subset_is_never_below_the_best_of_all_cases_without_a_subset_among_them(tmp_path):
    cases, scorers = making.study(n=120)
    nameless = [replace(case, subset=None if case.subset == "it's" else case.subset) for case in cases]
    making.workspace(tmp_path, nameless, scorers[:1])
    rows = thresholds_view(load(Query(workspace=str(tmp_path)))).rows.filter(metric="f1")
    for subset in ("average", "", "two words"):
        best, each = (rows.filter(kind=kind, subset=subset)["value"].item() for kind in ("best", "best-per-subset"))
        assert each >= best
    assert not rows["kind"].is_in(["from:", "from:(no subset)"]).any()
