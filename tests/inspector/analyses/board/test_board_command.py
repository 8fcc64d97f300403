"""`board`: the table on screen, printed; whatever the arrangement, its own command prints it again."""

import csv
import io
import json
import shlex
from itertools import pairwise

import pytest
from msgspec.structs import replace

import example
import making
import reference
import step_making
from inspector.analyses.board.arrangement import ROWS, Arrangement
from inspector.analyses.board.board import board_view
from inspector.cli import main
from inspector.screens.common_cases import reasons_on_screen
from inspector.state.opening import inspect
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.loading import load
from scoring.selection.query import Query
from step_reference import Step
from thoroughness import together

DEMO = ["--benchmark", "demo"]


def printed(capsys, *words):
    assert main(["board", *words]) == 0
    return capsys.readouterr().out


def rows_of(capsys, *words):
    return json.loads(printed(capsys, *words, "--json"))["rows"]


def test_the_numbers_are_those_of_metrics_bias_and_compare(capsys):
    found = {row["scorer"]: row for row in rows_of(capsys, *DEMO)}
    assert main(["metrics", *DEMO, "--json"]) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        if row["subset"] == "average":
            column = {"f1": "score", "error_acc": "on_wrong", "correct_acc": "on_right"}[row["metric"]]
            assert found[row["scorer"]][column] == row["value"]
            if column == "score":
                assert [found[row["scorer"]][name] for name in ("low", "high")] == [row["low"], row["high"]]
    assert main(["bias", *DEMO, "--json"]) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        if (row["unit"], row["metric"], row["column"]) == ("case", "bias", None):
            assert found[row["scorer"]]["bias"] == row["value"]
    assert main(["compare", *DEMO, "--json"]) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        if row["metric"] == "tied_with_best":
            kind = "best" if row["other"] == row["scorer"] else "tied" if row["value"] else ""
            assert found[row["scorer"]]["standing"] == kind


def test_cases_without_a_subset_have_a_row_beside_those_of_subsets(capsys, tmp_path):
    subsets = ["one", None, "one", None, None, "one"]
    cases = [
        reference.Case(2, at % 2 - 1, (0.9, 0.2) if at % 3 else (0.1, 0.9), subset=name)
        for at, name in enumerate(subsets)
    ]
    making.workspace(tmp_path / "w", cases, [(making.scorer(), cases)])
    words = ("-w", str(tmp_path / "w"))
    assert main(["metrics", *words, "--json"]) == 0
    figures = {
        row["subset"]: (row["value"], row["n"])
        for row in json.loads(capsys.readouterr().out)["rows"]
        if row["metric"] == "f1" and row["subset"] not in {"all", "average"}
    }
    rows = rows_of(capsys, *words, "--rows", "subset")
    assert {row["subset"]: (row["score"], row["cases"]) for row in rows} == figures
    assert set(figures) == {"one", ""}
    shown = printed(capsys, *words, "--rows", "subset").splitlines()
    assert [line.split("  ")[0] for line in shown[2:4]] == ["one", "(no subset)"]
    # The official figure of the whole is the average, and `all` is another one.
    assert "whole" in printed(capsys, *words, "--rows", "scorer")


def test_the_numbers_of_subsets_are_those_of_metrics(capsys, tmp_path):
    making.workspace(tmp_path, *making.study(n=40))
    words = ["-w", str(tmp_path)]
    found = {(row["scorer"], row["subset"]): row for row in rows_of(capsys, *words, "--rows", "subset")}
    assert len(found) == 6
    assert main(["metrics", *words, "--json"]) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        if row["subset"] not in {"all", "average"}:
            line = found[row["scorer"], row["subset"]]
            column = {"f1": "score", "error_acc": "on_wrong", "correct_acc": "on_right"}[row["metric"]]
            assert line[column] == row["value"]
            if column == "score":
                assert [line["low"], line["high"]] == [row["low"], row["high"]]


@pytest.mark.parametrize("unparsed", ["wrong", "drop"])
def test_bias_is_that_of_bias_with_cases_that_have_no_verdict_and_by_steps(capsys, tmp_path, unparsed):
    making.workspace(tmp_path / "a", *making.study(n=40))
    items = [Step(reference.Case(3, n % 3, (0.9, 0.4, 0.1), error_steps=(n % 3,)), "circular") for n in range(9)]
    step_making.workspace(tmp_path / "b", items, [(making.scorer("one"), items)])
    for folder, unit in (("a", "case"), ("b", "step")):
        words = ["-w", str(tmp_path / folder), "--unparsed", unparsed]
        found = {row["scorer"]: row["bias"] for row in rows_of(capsys, *words)}
        assert main(["bias", *words, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["rows"]
        told = [row for row in rows if (row["unit"], row["metric"], row["column"]) == (unit, "bias", None)]
        assert {row["scorer"]: row["value"] for row in told} == found


def test_fp_and_fn_are_those_of_gr_ben_in_breakdown(capsys):
    found = {row["scorer"]: row for row in rows_of(capsys, *DEMO, "--columns", "scorer,fp,fn")}
    assert list(next(iter(found.values()))) == ["kind", "scorer", "fp", "fn"]
    assert main(["cases", *DEMO, "--scorer", "blend", "--json"]) == 0
    cases = json.loads(capsys.readouterr().out)["rows"]
    wrong = [row["blend.outcome"] for row in cases if row["earliest_error"] >= 0]
    assert found["blend"]["fp"] == pytest.approx(wrong.count("early") / len(wrong))
    assert found["blend"]["fn"] == pytest.approx((wrong.count("late") + wrong.count("missed")) / len(wrong))


@pytest.mark.parametrize(
    ("rows", "sort", "columns", "against"),
    together(
        ROWS,
        ["score:desc", "bias:asc"],
        [(), ("fp", "scorer", "subset", "interval", "outcomes")],
        ["", "beta"],
    ),
)
def test_the_command_of_a_document_makes_it_again(capsys, tmp_path, rows, sort, columns, against):
    query = example.write(tmp_path / "w")
    results = load(Query(workspace=query.workspace, where=("n_steps < 20",)))
    document = board_view(inspect(results), Arrangement(rows, sort, columns, against), "csv")
    command = shlex.split(document.provenance["command"])
    assert command[:2] == ["prm-inspect", "board"]
    capsys.readouterr()
    assert main(command[1:]) == 0
    assert capsys.readouterr().out == document.render("csv")


def test_scorers_by_name_stand_alone_and_their_command_says_so(capsys):
    text = printed(capsys, *DEMO, "--scorer", "tiny-prm-s", "--scorer", "blend", "--csv")
    assert [row["scorer"] for row in csv.DictReader(io.StringIO(text))] == ["blend", "tiny-prm-s"]
    document = json.loads(printed(capsys, *DEMO, "--scorer", "tiny-prm-s", "--scorer", "blend", "--json"))
    again = shlex.split(document["provenance"]["command"])
    capsys.readouterr()
    assert main(again[1:]) == 0
    assert json.loads(capsys.readouterr().out) == document


@pytest.mark.parametrize(
    "words",
    [
        # Of cases that a scorer chooses which has no row, and one that is there only because it is named.
        ("--scorer", "blend", "--where", "\"ledger.outcome\" = 'exact'"),
        ("--where", "\"coin.outcome\" = 'exact'"),
        ("--scorer", "blend", "--scorer", "coin"),
        ("--scorer", "blend", "--baselines"),
        # The number that was found to be the best stands in the command, once.
        ("--threshold", "best"),
        ("--threshold", "best:0.4"),
    ],
)
def test_the_command_of_what_was_asked_for_makes_it_again_and_stays_as_it_is(capsys, words):
    document = json.loads(printed(capsys, *DEMO, *words, "--json"))
    command = shlex.split(document["provenance"]["command"])
    assert main(command[1:]) == 0
    assert json.loads(capsys.readouterr().out) == document
    named = [word for flag, word in pairwise(words) if flag == "--scorer"]
    assert not named or {row["scorer"] for row in document["rows"]} >= set(named)
    assert ("coin" in {row["scorer"] for row in document["rows"]}) == ("coin" in named or "--baselines" in words)


def test_differences_stand_with_their_intervals_and_cases(capsys):
    rows = rows_of(capsys, *DEMO, "--against", "tiny-prm-m", "--columns", "scorer,score,interval")
    assert list(rows[0]) == ["kind", "scorer", "d_score", "d_n", "d_reason", "d_low", "d_high"]
    by_name = {row["scorer"]: row for row in rows}
    assert by_name["tiny-prm-m"]["d_score"] is None
    assert by_name["novelty"]["d_low"] < by_name["novelty"]["d_score"] < by_name["novelty"]["d_high"] < 0
    assert by_name["novelty"]["d_n"] == 240


def test_baselines_and_printed_figures_stand_beside(capsys, tmp_path):
    assert {row["kind"] for row in rows_of(capsys, *DEMO, "--baselines")} == {"scorer", "baseline"}
    cases, scorers = making.study(n=12)
    making.workspace(tmp_path, cases, scorers[:1], benchmark="processbench")
    rows = rows_of(capsys, "-w", str(tmp_path), "--published")
    assert [row["kind"] for row in rows][:2] == ["scorer", "published"]
    assert {row["threshold_source"] for row in rows if row["kind"] == "published"} >= {"published, Table 3"}


def test_the_table_for_people_is_in_percent_with_signs(capsys):
    text = printed(capsys, *DEMO, "--columns", "scorer,score,bias")
    line = next(line for line in text.splitlines() if "novelty" in line)
    assert line.split() == ["novelty", "10.4", "+89.2"] or line.split()[:2] == ["novelty", "10.4"]
    assert "kind" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--columns", "scorer,nonsense"), "the board has no column 'nonsense'"),
        (("--sort", "outcomes"), "the board cannot be sorted by 'outcomes'"),
        (("--against", "nobody"), "nobody"),
    ],
)
def test_what_there_is_not_is_said_in_a_sentence(capsys, words, said):
    assert main(["board", *DEMO, *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "There are: " in error
    assert "Traceback" not in error


def test_without_a_scorer_there_are_only_the_columns(capsys, tmp_path):
    query = example.write(tmp_path / "w", scored=False)
    assert rows_of(capsys, "-w", query.workspace) == []
    assert main(["board", "-w", query.workspace]) == 0


@pytest.fixture(scope="module")
def other_cases(tmp_path_factory):
    """Two scorers of the same cases, and one that lacks some of them."""
    root = tmp_path_factory.mktemp("other-cases")
    cases, scorers = making.study(n=40)
    every = scorers[0][1]
    part = [replace(case, rewards=None) if at % 4 == 0 else case for at, case in enumerate(every)]
    named = (("whole", every), ("same", every), ("part", part))
    making.workspace(root, cases, [(making.scorer(name), rows) for name, rows in named])
    return str(root)


def test_the_page_says_why_figures_are_not_comparable_as_the_app_does(capsys, other_cases):
    page = printed(capsys, "-w", other_cases)
    (reason,) = reasons_on_screen(inspect(load(Query(workspace=other_cases))))
    assert reason.why == "cases"
    assert [line for line in page.splitlines() if line.startswith("Not comparable")] == [f"Not comparable: {reason}."]
    # Best and tied are marks of the same cases as the scores, and so the partial scorer has none.
    standing = {row["scorer"]: row["standing"] for row in rows_of(capsys, "-w", other_cases)}
    assert standing == {"whole": "tied", "same": "best", "part": None}
    (note,) = (line for line in page.splitlines() if line.startswith("bench: standing on the "))
    assert "part tried " in note
    # What it offers mends it.
    again = printed(capsys, "-w", other_cases, *(word for where in reason.where for word in ("--where", where)))
    assert "Not comparable" not in again
    assert "part tried " not in again


def test_the_page_speaks_of_the_scorers_that_it_shows(capsys, other_cases):
    assert "Not comparable" not in printed(capsys, "-w", other_cases, "--scorer", "whole", "--scorer", "same")
    assert "Not comparable: bench: part lacks" in printed(
        capsys, "-w", other_cases, "--scorer", "whole", "--scorer", "part"
    )
    # The reference of differences is one of them.
    page = printed(capsys, "-w", other_cases, "--scorer", "whole", "--against", "part")
    assert "Not comparable: bench: part lacks" in page
    assert "standing on" not in page


def test_a_subset_has_its_own_marks_and_its_benchmark_one_warning(capsys, other_cases):
    page = printed(capsys, "-w", other_cases, "--rows", "scorer")
    assert page.count("Not comparable") == 1
    assert page.count("part tried ") == 1
    rows = rows_of(capsys, "-w", other_cases, "--rows", "subset")
    assert len({row["subset"] for row in rows}) > 1
    assert {row["standing"] for row in rows if row["scorer"] == "part"} == {None}


def test_programs_read_no_warning(capsys, other_cases):
    for form in ("--json", "--jsonl", "--csv"):
        written = printed(capsys, "-w", other_cases, form)
        assert "omparable" not in written
        assert "best and tied are on" not in written


def test_what_differs_on_every_benchmark_is_said_once(capsys, tmp_path):
    cases, scorers = making.study(n=40)
    made = making.workspace(tmp_path / "w", cases, [(making.scorer(name), scorers[0][1]) for name in "ab"])
    frame = making.full_frame(cases, "other")
    made.add([Imported("other", "other.jsonl", "made", "0-based", frame.height, frame, ())])
    page = printed(capsys, "-w", str(tmp_path / "w"), "--threshold", "a=0.3")
    assert page.count("Not comparable: thresholds come from different sources") == 1
