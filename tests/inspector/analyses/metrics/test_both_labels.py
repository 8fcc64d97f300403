"""`metrics --labels both`: every figure under both label sets, in every form."""

import json
import random
from pathlib import Path

import polars as pl
import pytest

import example
from inspector.analyses.metrics.both_labels import BOTH, NOT_UNDER, OTHER_CASES, both_view, load_both
from inspector.cli import main
from inspector.cli.command_flags import FORMS
from scoring.metrics.official_rows import METRICS
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.actions import RATE, RULE
from scoring.workspace.triage.journal import Author, Journal
from views import metrics_view

FIGURES = ("value", "low", "high", "n", "reason", "small", "sd", "runs")


def rule(root, case, ruling="gold wrong", who="ann", **ratings):
    """A ruling on a case, and ratings by step."""
    rated = [(RATE, [case], f"{name[1:]} {rating}") for name, rating in ratings.items()]
    Journal(Path(root) / "triage", Author(who, "gpu")).do([(RULE, [case], ruling), *rated])


@pytest.fixture
def root(tmp_path):
    example.write(tmp_path / "w")
    rule(tmp_path / "w", "bench/late-one", s2=-1)
    rule(tmp_path / "w", "bench/alarm-one", s1=-1)
    rule(tmp_path / "w", "bench/clean-two", "import problem", "bob")
    return tmp_path / "w"


def both(root, **asked):
    return both_view(*load_both(Query(workspace=str(root), labels="both", **asked)))


def each(root, labels, **asked):
    return metrics_view(load(Query(workspace=str(root), labels=labels, **asked)))


def test_the_figures_are_those_of_each_set_by_itself(root):
    document = both(root)
    assert dict(document.rows.schema) == BOTH
    assert document.rows.select(list(METRICS)).equals(each(root, "original").rows)
    second = document.rows.select(
        *(name for name in METRICS if name not in FIGURES), *(f"adjudicated_{name}" for name in FIGURES)
    )
    renamed = second.rename({f"adjudicated_{name}": name for name in FIGURES}).select(list(METRICS))
    assert renamed.equals(each(root, "adjudicated").rows)


def test_a_difference_is_adjudicated_less_original_and_null_where_either_is(root):
    rows = both(root, scorers=("alpha",)).rows
    told = {row["metric"]: row for row in rows.filter(subset="sums").iter_rows(named=True)}
    assert (told["error_acc"]["value"], told["error_acc"]["adjudicated_value"]) == (1 / 3, 3 / 4)
    assert told["error_acc"]["difference"] == 3 / 4 - 1 / 3
    assert (told["correct_acc"]["adjudicated_value"], told["correct_acc"]["difference"]) == (None, None)
    assert told["correct_acc"]["adjudicated_reason"]
    words = rows.filter(subset="words")
    assert words["difference"].to_list() == [0.0] * words.height


def test_where_no_label_is_changed_nothing_differs(tmp_path):
    example.write(tmp_path)
    rows = both(tmp_path).rows
    for name in FIGURES:
        assert rows[f"adjudicated_{name}"].equals(rows[name].alias(f"adjudicated_{name}"), null_equal=True)
    assert set(rows["difference"]) <= {0.0, None}


def test_provenance_says_which_labels_and_what_else_is_another(tmp_path):
    example.write(tmp_path)
    rule(tmp_path, "bench/missed-two", s1=-1)
    rule(tmp_path, "bench/exact-one", s0=1, s1=1, s2=1)
    best = {"scorers": ("alpha",), "thresholds": (("alpha", "best"),)}
    facts = both(tmp_path, **best).provenance
    assert facts["labels"] == "both: original, and adjudicated: 2 of 9 cases changed, by ann"
    assert facts["command"].endswith("--threshold alpha=best --labels both")
    own, other = (each(tmp_path, labels, **best) for labels in ("original", "adjudicated"))
    assert facts["threshold"] == own.provenance["threshold"]
    assert facts["adjudicated_threshold"] == other.provenance["threshold"] != own.provenance["threshold"]
    assert "adjudicated_coverage" not in facts


def test_a_threshold_that_there_is_under_one_set_alone_is_refused_with_its_name(root, capsys):
    words = ["metrics", "-w", str(root), "--threshold", "best", "--labels"]
    assert main([*words, "original"]) == 0
    capsys.readouterr()
    assert main([*words, "both"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "under adjudicated labels alpha has no best threshold" in err


def test_groups_that_the_labels_make_are_under_one_set_alone(root):
    rows = both(root, scorers=("alpha",), by=("earliest_error",)).rows
    assert "earliest_error" in rows.columns
    lost = rows.filter(earliest_error="2", metric="error_acc").row(0, named=True)
    # early-one and, once it is adjudicated, late-one.
    assert (lost["n"], lost["adjudicated_n"]) == (1, 2)
    gone = rows.filter(pl.col("earliest_error") == "0", metric="error_acc").row(0, named=True)
    assert (gone["n"], gone["adjudicated_n"]) == (2, 1)
    rule(root, "bench/missed-two", s1=-1)
    rows = both(root, scorers=("alpha",), by=("earliest_error",)).rows
    only = rows.filter(earliest_error="0", metric="error_acc").row(0, named=True)
    assert (only["adjudicated_value"], only["adjudicated_n"], only["adjudicated_reason"]) == (None, 0, NOT_UNDER)
    assert only["difference"] is None


def test_conditions_that_speak_of_labels_keep_other_cases_and_say_so(root, capsys):
    words = ["metrics", "-w", str(root), "--labels", "both", "--where", "earliest_error >= 0"]
    assert main(words) == 0
    assert OTHER_CASES in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["provenance"]["notes"]
    told = "0 cases under the original ones alone and 1 case under the adjudicated ones alone"
    assert notes[0] == f"{OTHER_CASES}, {told}: differences are of these cases too"
    assert main([*words[:-2], "--where", "n_steps > 1"]) == 0
    assert OTHER_CASES not in capsys.readouterr().err


def test_the_cases_whose_labels_changed_can_be_asked_for_alone(root):
    rows = both(root, scorers=("alpha",), where=("adjudication = 'changed'",)).rows
    told = {row["metric"]: row for row in rows.filter(subset="all").iter_rows(named=True)}
    # late-one was late and is exact; alarm-one was a false alarm and is exact.
    assert (told["error_acc"]["value"], told["error_acc"]["n"]) == (0.0, 1)
    assert (told["error_acc"]["adjudicated_value"], told["error_acc"]["adjudicated_n"]) == (1.0, 2)
    rows = both(root, scorers=("alpha",), where=("adjudication = 'import problem'",)).rows
    row = rows.filter(subset="all", metric="correct_acc").row(0, named=True)
    assert (row["value"], row["n"], row["adjudicated_value"], row["adjudicated_n"]) == (1.0, 1, None, 0)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_both(root, capsys, form):
    words = ["metrics", "-w", str(root), "--labels", "both", f"--{form}"]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert main(words) == 0
    assert capsys.readouterr().out == first
    assert "adjudicated" in first
    assert "difference" in first


def test_a_terminal_has_both_beside_each_other_in_percent(root, capsys):
    assert main(["metrics", "-w", str(root), "--labels", "both", "--scorer", "alpha"]) == 0
    out, err = capsys.readouterr()
    _, head, *lines = out.splitlines()
    assert head.split() == ["scorer", "subset", "metric", "original", "adjudicated", "difference", "n"]
    (line,) = [line for line in lines if line.split()[1:4] == ["sums", "error", "acc"]]
    assert line.split()[4] == "33.3"
    assert "75.0" in line
    assert "+41.7" in line
    assert "3 / 4" in line
    assert "Labels are adjudicated: 2 of 9 cases changed" in err


def test_a_workspace_without_scorers_says_so(tmp_path, capsys):
    example.write(tmp_path, scored=False)
    assert main(["metrics", "-w", str(tmp_path), "--labels", "both"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "there is no metric" in err
    assert main(["metrics", "-w", str(tmp_path), "--labels", "both", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == []


# -- MR-MATH


@pytest.fixture(scope="module")
def mr_math(data_folder, tmp_path_factory):
    folder = data_folder / "mr-math"
    if not folder.is_dir():
        pytest.skip("no MR-MATH here; name the folder that holds it in PRM_INSPECT_DATA")
    root = tmp_path_factory.mktemp("mr-math") / "w"
    assert main(["import", str(folder), "-w", str(root), "-q"]) == 1
    return root


def f1_of(frame):
    """F1, and the cases in its denominators, by plain polars: a verdict that is the label is right."""
    counted = frame.filter(pl.col("label").is_not_null(), pl.col("tried"))
    right = (pl.col("verdict") == pl.col("label")).fill_null(value=False)
    erroneous = counted.filter(pl.col("label") >= 0).select(right.mean()).item()
    clean = counted.filter(pl.col("label") == -1).select(right.mean()).item()
    return 2 * erroneous * clean / (erroneous + clean), counted.height


def test_metrics_of_mr_math_under_both_sets_are_those_of_a_plain_computation(mr_math):
    own = load(Query(workspace=str(mr_math)))
    draw = random.Random(3)
    made = own.cases.select("case", "n_steps", label="earliest_error")
    labels = dict(made.select("case", "label").iter_rows())
    gold = {path: path.read_bytes() for path in (mr_math / "benchmarks").rglob("*") if path.is_file()}
    for case, n_steps, _ in draw.sample(made.rows(), 60):
        step = draw.randrange(-1, n_steps)
        what = draw.choice(("ann", "both", "differ", "denied", "import"))
        rule(mr_math, case, "import problem" if what == "import" else "gold wrong", **rated(step, n_steps))
        if what == "both":
            rule(mr_math, case, who="bob", **rated(step, n_steps))
        elif what == "differ":
            rule(mr_math, case, who="bob", **rated(step + 1 if step + 1 < n_steps else -1 if step >= 0 else 0, n_steps))
        elif what == "denied":
            rule(mr_math, case, "model wrong", who="bob")
        if what in {"ann", "both"}:
            labels[case] = step
        elif what == "import":
            labels[case] = None
    document = both(mr_math)
    changed = pl.DataFrame(
        {"case": list(labels), "label": list(labels.values())}, schema={"case": pl.String, "label": pl.Int32}
    )
    seen = 0
    for one in own.evaluations:
        if not one.coverage.count:
            continue
        judged = made.with_columns(
            verdict=own.evaluated.column(f"{one.scorer.name}.verdict"), tried=pl.Series(one.coverage.tried)
        )
        row = document.rows.filter(scorer=one.scorer.name, subset="all", metric="f1").row(0, named=True)
        value, n = f1_of(judged)
        assert (row["value"], row["n"]) == (pytest.approx(value), n)
        value, n = f1_of(judged.drop("label").join(changed, on="case"))
        assert (row["adjudicated_value"], row["adjudicated_n"]) == (pytest.approx(value), n)
        assert row["difference"] == row["adjudicated_value"] - row["value"] != 0
        seen += 1
    assert seen == 10
    assert {path: path.read_bytes() for path in (mr_math / "benchmarks").rglob("*") if path.is_file()} == gold


def rated(step, n_steps):
    """The ratings of who says that this is the earliest error; -1 = there is none."""
    return {f"s{right}": 1 for right in range(n_steps)} if step == -1 else {f"s{step}": -1}
