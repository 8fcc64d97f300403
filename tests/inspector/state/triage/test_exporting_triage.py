"""`export triage`: from journals to files that other programs and this one read."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import making
from imports import import_source
from inspector.cli import main
from inspector.cli.actions.triage_export import TEXTS
from inspector.state.triage.annotations import ANNOTATIONS, gone_words
from reference import Case
from refusals import sentence_of
from scoring.formats.benchmarks.case_format import Imported
from scoring.workspace.triage.actions import RATE, RULINGS
from scoring.workspace.triage.journal import Author, Journal
from scoring.workspace.workspace import Workspace

MODEL, GOLD, BOTH, IMPORT, UNSURE = RULINGS
BENCH = [Case(3, number % 4 - 1, subset="ab"[number % 2]) for number in range(8)]
CASES = [f"bench/c{number}" for number in range(8)]
ROOT = Path(".prm-inspect")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def journal(who, root=ROOT):
    return Journal(root / "triage", Author(who, "gpu"), lambda: "2026-01-31T12:34:56.789Z")


def rate(who, case, *ratings):
    who.do([(RATE, [case], f"{step} {rating}") for step, rating in enumerate(ratings) if rating is not None])


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    root = tmp_path_factory.mktemp("untouched")
    making.workspace(root, BENCH, [])
    ann, bob = journal("ann", root), journal("bob", root)
    for case, ruling in zip(CASES, [MODEL, GOLD, GOLD, GOLD, IMPORT, UNSURE], strict=False):
        ann.rule([case], ruling)
    bob.rule([CASES[0]], GOLD)
    bob.rule([CASES[1]], GOLD)
    rate(ann, CASES[1], 1, 1, -1)
    rate(bob, CASES[1], 1, None, -1)
    rate(ann, CASES[2], 1, 0, 1)
    rate(ann, CASES[4], 1)
    rate(bob, CASES[5], None, 1)
    ann.tag(CASES[6:], ["odd"])
    return root


@pytest.fixture
def triaged(untouched):
    """Cases c0 to c5 with one ruling each and some ratings; Bob differs on c0, agrees on c1; nobody on c6 and c7."""
    return Workspace.open(shutil.copytree(untouched, ROOT))


@pytest.fixture
def export(capsysbinary):
    """Runs `export triage`; gives exit code, what is on stdout, the lines on stderr."""

    def run(form, *words):
        try:
            code = main(["export", "triage", "--to", form, *words])
        except SystemExit as left:
            code = left.code
        told = capsysbinary.readouterr()
        return code, told.out.decode(), told.err.decode().splitlines()

    return run


def rows(text):
    return [json.loads(line) for line in text.splitlines()]


def test_labels_after_triage_as_processbench_has_them(triaged, export):
    code, out, err = export("processbench")
    assert code == 0
    assert {row["id"]: row["label"] for row in rows(out)} == {"c1": 2, "c2": -1, "c5": 0}
    assert sorted(err) == [
        "Cases left out, people differ on the ruling: 1",
        "Cases left out, ruled an import problem: 1",
        "Cases left out, ruled gold wrong and no step is rated: 1",
        "Cases with their own label, ruled both defensible or unsure: 1",
        "Labels that people changed: 2",
    ]
    Path("rows.jsonl").write_text(out)
    again = import_source("rows.jsonl", "processbench").cases
    assert dict(again.select("id", "earliest_error").iter_rows()) == {"c1": 2, "c2": -1, "c5": 0}


def test_one_person_alone_differs_from_nobody(triaged, export):
    code, out, _ = export("processbench", "--who", "ann")
    assert code == 0
    assert {row["id"]: row["label"] for row in rows(out)} == {"c0": -1, "c1": 2, "c2": -1, "c5": 0}
    _, out, err = export("processbench", "--who", "bo")
    assert {row["id"]: row["label"] for row in rows(out)} == {"c1": 2}
    assert "Cases left out, nobody rules on them: 1" in err
    assert "Cases left out, ruled gold wrong and no step is rated: 1" in err


def test_ratings_as_prm800k_and_trl_have_them(triaged, export):
    code, out, err = export("prm800k")
    found = {row["question"]["problem"]: row for row in rows(out)}
    assert code == 0
    assert [*found] == ["problem 1", "problem 2", "problem 5"]
    one = found["problem 1"]
    assert [step["completions"][0]["rating"] for step in one["label"]["steps"]] == [1, 1, -1]
    assert (one["labeler"], one["timestamp"]) == ("ann, bob", "2026-01-31T12:34:56.789Z")
    assert found["problem 5"]["labeler"] == "bob"
    assert "Cases left out, ruled an import problem: 1" in err
    assert "Steps without a rating: 2" in err
    code, out, err = export("trl")
    assert [(row["prompt"], row["labels"]) for row in rows(out)] == [
        ("problem 1", [True, True, False]),
        ("problem 2", [True, True, True]),
    ]
    assert "Cases left out, a step before the last rated one has no rating: 1" in err
    # Rulings without a rating: c0 and c3.
    assert "Cases left out, no step is rated: 2" in err


def test_conditions_choose_the_cases(triaged, export):
    _, out, _ = export("processbench", "--where", f"ruling = '{UNSURE}'")
    assert [row["id"] for row in rows(out)] == ["c5"]
    _, out, _ = export("processbench", "--subset", "a")
    assert [row["id"] for row in rows(out)] == ["c2"]


def test_a_table_has_all_words_the_texts_and_the_label_after_triage(triaged, export):
    code, out, _ = export("jsonl")
    assert code == 0
    found = {(row["case"], row["who"]): row for row in rows(out)}
    assert len(found) == 6 + 3 + 2
    one = found[CASES[1], "bob"]
    beside = {*TEXTS, "earliest_error", "adjudicated_error", "adjudication", "generator"}
    assert one.keys() >= ANNOTATIONS.keys() | beside
    assert (one["problem"], one["steps"]) == making.texts(1, BENCH[1])
    assert (one["earliest_error"], one["adjudicated_error"], one["adjudication"]) == (0, 2, "changed")
    labels = {case: (row["adjudicated_error"], row["adjudication"]) for (case, _), row in found.items()}
    assert labels == {
        CASES[0]: (None, "people differ on the ruling"),
        CASES[1]: (2, "changed"),
        CASES[2]: (-1, "changed"),
        CASES[3]: (None, "no step is rated"),
        CASES[4]: (None, "import problem"),
        CASES[5]: (0, None),
        CASES[6]: (1, None),
        CASES[7]: (2, None),
    }
    _, table, _ = export("csv")
    read = list(csv.DictReader(io.StringIO(table)))
    assert [row["case"] for row in read] == [row["case"] for row in found.values()]
    assert json.loads(read[1]["steps"]) == found[read[1]["case"], read[1]["who"]]["steps"]


def test_a_file_is_what_stdout_has_with_its_provenance_beside(triaged, export):
    for form in ("csv", "jsonl", "processbench", "prm800k", "trl"):
        _, out, said = export(form, "--who", "ann")
        code, nothing, err = export(form, "--who", "ann", "-o", f"{form}.rows")
        assert (code, nothing) == (0, "")
        assert Path(f"{form}.rows").read_text() == out
        assert err == [*said, f"Wrote {len(out.splitlines()) - (form == 'csv')} rows to {form}.rows"]
        assert Path(f"{form}.provenance.json").exists() == (form in {"csv", "jsonl"})
    command = json.loads(Path("csv.provenance.json").read_text())["command"]
    assert command == "prm-inspect export triage --to csv --who ann"


def test_what_was_said_of_cases_that_are_gone_is_told(triaged, export):
    journal("ann").rule(["bench/old"], GOLD)
    for form in ("csv", "trl"):
        assert gone_words(1) in export(form)[2]


def test_ids_matter_only_among_the_cases_that_are_written(triaged, export):
    triaged.add([Imported("other", "made.jsonl", "made", "0-based", 8, making.full_frame(BENCH, "other"), ())])
    assert export("processbench")[0] == 0
    journal("ann").rule(["other/c5"], MODEL)
    code, _, err = export("processbench")
    assert code == 2
    assert "some ids are those of several cases in bench, other" in err[0]
    assert export("trl")[0] == 0


def test_hostile_words_arrive_and_no_cell_is_a_formula(triaged, export):
    who = "=1+1 \x1b[2J,\n\u202e"
    journal(who).rule([CASES[1]], GOLD)
    rate(journal(who), CASES[1], 1, 1, -1)
    journal(who).note([CASES[1]], "@SUM(A1)\r\n\u2028{}")
    _, out, _ = export("csv", "--who", "=1")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["who"], row["note"]) == (f"'{who}", "'@SUM(A1)\r\n\u2028{}")
    _, out, _ = export("csv", "--who", "=1", "--raw")
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["who"] == who
    _, out, _ = export("prm800k", "--who", "=1")
    (row,) = rows(out)
    assert row["labeler"] == who


@pytest.mark.parametrize("form", ["csv", "jsonl", "processbench", "prm800k", "trl"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--who", "zoe"), "no person matches 'zoe'. There are: ann, bob."),
        (("-o", "nowhere/rows"), "there is no folder nowhere"),
        (("-o", "."), "is a folder"),
        (("--benchmark", "gsm"), "'gsm'"),
        (("--labels", "adjudicated"), "has the labels after triage beside the cases' own. Leave --labels out."),
    ],
)
def test_what_cannot_be_is_one_sentence_and_nothing_is_written(triaged, export, form, words, said):
    code, out, err = export(form, *words)
    assert (code, out) == (2, "")
    assert said in sentence_of("\n".join(err))
    assert [path.name for path in Path().iterdir()] == [ROOT.name]


def test_without_a_workspace_nobody_has_said_anything_of_the_demo(export):
    code, out, err = export("prm800k", "--benchmark", "demo")
    assert (code, out) == (2, "")
    assert "nothing here can be written as prm800k (nobody rules on them or rates a step)" in err[0]


def test_where_nobody_rules_or_rates_there_are_no_rows_to_write(triaged, export):
    code, _, err = export("processbench", "--where", "id = 'c7'")
    assert code == 2
    assert "nothing here can be written as processbench (nobody rules on them or rates a step)" in err[0]
    code, out, _ = export("jsonl", "--where", "id = 'c7'")
    assert (code, [row["tags"] for row in rows(out)]) == (0, [["odd"]])
    assert export("csv", "--where", "n_steps > 99")[0] == 0
