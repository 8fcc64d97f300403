import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
import reference
from inspector.case_pages import CaseDocument, case_document
from inspector.case_table import CaseTable, Judgement, ScorerColumn, case_table
from inspector.cli import main
from inspector.loading import load
from inspector.request import Request
from scoring.cache import RewardParts
from scoring.export import Document
from thoroughness import up_to

GOLDEN = Path(__file__).parent.parent / "golden"
HOSTILE = "a | b\nc \\ $x & \\input{/etc/x} <script>alert(1)</script> 50% #1 a_b^c ~ `d` [e](f) **g**\\\\ -- {"
STEPS = [
    ["Let $x = \\frac{1}{2}$ | so $x^2 = \\frac{1}{4}$.", HOSTILE, "Then \\(x \\le 1\\), about $5 or $7."],
    *(making.texts(row, case)[1] for row, case in enumerate(judged.CASES) if row),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("pages") / "w"
    reasons = [HOSTILE, *[None] * 5]
    problems = [f"Find x. {HOSTILE}", *(making.texts(row, case)[0] for row, case in enumerate(judged.CASES) if row)]
    judged.workspace(root, steps=STEPS, reason=reasons, problem=problems)
    return str(root)


@pytest.fixture(scope="module")
def selection(root):
    return load(Request(workspace=root))


def table_of(selection, row):
    return {column.name: column for column in case_document(selection, row).table.columns}


def texts_of(column):
    return [judgement.text for judgement in column.judgements]


@pytest.mark.parametrize(("form", "ending"), [("markdown", "md"), ("latex", "tex")])
def test_the_page_of_a_hostile_case(selection, form, ending):
    document = case_document(selection, 0)
    facts = {"command": "prm-inspect show bench/c0", "seed": 0}
    kept = {name: document.provenance[name] for name in ("problem", "reason_of_gold", "outcome")}
    page = CaseDocument(document.rows, {**facts, **kept}, table=document.table).render(form)
    assert page == (GOLDEN / f"case.{ending}").read_text()


def test_what_a_page_leaves_out_of_its_footer_stands_around_its_table(selection):
    for form in ("markdown", "latex"):
        page = case_document(selection, 0, form).render(form)
        assert page.count("Find x.") == 1
        assert not re.search(r"^(>|%) (problem|reason of gold):", page, re.MULTILINE)
        assert re.search(r"^(>|%) outcome: ", page, re.MULTILINE)


def test_a_threshold_a_label_and_a_verdict_by_hand(selection):
    found = table_of(selection, 0)
    assert texts_of(found["moving"]) == ["0.90", "0.20", "0.80"]
    assert [(one.wrong, one.verdict) for one in found["moving"].judgements] == [
        (False, False),
        (True, True),
        (False, False),
    ]
    assert texts_of(found["labels"]) == ["right", "wrong", "right"]
    assert texts_of(found["critic"]) == ["", "", ""]
    assert [one.verdict for one in found["critic"].judgements] == [False, True, False]
    assert [one.verdict for one in found["number"].judgements] == [False] * 3
    assert {name: column.verdict for name, column in found.items()} == {
        "moving": "1",
        "labels": "1",
        "critic": "1",
        "number": "-",
    }
    # Gold says nothing of the step after the earliest error.
    assert {name: column.step_accuracy for name, column in found.items()} == {
        "moving": "100%",
        "labels": "100%",
        "critic": "-",
        "number": "-",
    }


def test_no_verdict_no_error_and_no_step_are_words(selection):
    assert table_of(selection, 2)["moving"].verdict == "none"
    assert table_of(selection, 5)["moving"].verdict == "-"
    assert table_of(selection, 4)["moving"].step_accuracy == "100%"
    assert table_of(selection, 3)["moving"].step_accuracy == "50.0%"
    nowhere = table_of(selection, 3)["critic"]
    assert nowhere.verdict == str(int(selection.evaluation("critic").verdicts[3]))


def test_the_rows_of_csv_and_json_are_not_those_of_the_page(selection):
    document = case_document(selection, 0)
    rows = list(csv.DictReader(io.StringIO(document.render("csv"))))
    assert [row["moving.reward"] for row in rows] == ["0.9", "0.2", "0.8"]
    assert [row["moving.wrong"] for row in rows] == ["false", "true", "false"]
    assert rows[1]["text"] == HOSTILE
    plain = Document(document.rows, document.provenance)
    assert all(document.render(form) == plain.render(form) for form in ("csv", "json", "jsonl"))


def test_a_reward_has_as_many_digits_as_tell_it_from_the_threshold(tmp_path):
    cases = [reference.Case(2, 0, (0.4996, 0.5))]
    making.workspace(tmp_path, cases, [(making.scorer("near"), cases)])
    selection = load(Request(workspace=str(tmp_path)))
    assert texts_of(table_of(selection, 0)["near"]) == ["0.4996", "0.50"]


def test_a_case_without_scorers_and_one_without_steps(tmp_path):
    making.workspace(tmp_path, [reference.Case(2, 0), reference.Case(0, -1)], [])
    selection = load(Request(workspace=str(tmp_path)))
    for row in (0, 1):
        assert "step accuracy" not in case_document(selection, row).render("markdown")
        assert "\\end{tabular}" in case_document(selection, row).render("latex")


def test_many_scorers_have_numbers_in_latex_and_their_names_beneath(selection):
    page = case_document(selection, 0).render("latex")
    assert "step & text & gold & (1) & (2) & (3) & (4) \\\\" in page
    assert "(1) critic; (2) labels; (3) moving; (4) number." in page
    few = load(Request(workspace=selection.request.workspace, scorers=("labels", "moving")))
    assert "gold & labels & moving \\\\" in case_document(few, 0).render("latex")


def test_a_step_that_labels_do_not_reach_is_empty(tmp_path):
    case = reference.Case(3, 1)
    made = making.workspace(tmp_path, [case], [])
    one = making.scorer("short")
    folder = made.root / "rewards" / one.folder
    RewardParts(folder).append(judged.labels(making.full_frame([case])["key"], [(True, False)]))
    one.save(folder)
    column = table_of(load(Request(workspace=str(tmp_path))), 0)["short"]
    assert texts_of(column) == ["right", "wrong", ""]
    assert (column.judgements[2].wrong, column.verdict) == (None, "1")


# -- nothing of the data acts

TEXT = st.text(st.sampled_from("\\{}$&%#_^~[]*<>|`'\"-ab \n\r\t\x00é题\u2028"), max_size=12) | st.text(max_size=8)
SCORERS = st.lists(TEXT, min_size=0, max_size=5)


def page_of(form, texts, names, problem, reason):
    judgements = tuple(Judgement("0.10", wrong=True, verdict=step == 0) for step in range(len(texts)))
    columns = tuple(ScorerColumn(name, judgements, "0", "50.0%", "") for name in names)
    table = CaseTable(tuple(texts), tuple(["error", *["right"] * len(texts)][: len(texts)]), columns)
    facts = {"command": "c", "problem": problem, "reason_of_gold": reason}
    return CaseDocument(Document(making.frame([]), {}).rows, facts, table=table).render(form)


@up_to(150)
@given(st.lists(TEXT, min_size=1, max_size=4), SCORERS, TEXT, TEXT)
def test_markdown_has_a_line_a_step_with_all_its_cells(texts, names, problem, reason):
    page = page_of("markdown", texts, names, problem, reason)
    lines = page.split("\n")
    table = lines[2 : 4 + len(texts) + (2 if names else 0)]
    assert all(line.startswith("|") and line.endswith("|") for line in table)
    cells = [re.findall(r"(?:\\.|[^|\\])*(?=\|)", line[1:])[::2] for line in table]
    bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table}
    assert bars == {4 + len(names)}
    assert cells
    prose = [lines[0].removeprefix("**Problem.** "), *(line for line in lines if line.startswith("**Reason"))]
    for text in [prose[0], *(line.removeprefix("**Reason of the gold label.** ") for line in prose[1:])]:
        assert re.findall(r"(?<!\\)[`*\[\]|$#]", re.sub(r"\\\\", "", text)) == []
        assert re.findall(r"(?<!\\)<(?!br>)", re.sub(r"\\\\", "", text)) == []


@up_to(150)
@given(st.lists(TEXT, min_size=1, max_size=4), SCORERS, TEXT, TEXT)
def test_latex_has_a_line_a_step_with_all_its_cells_and_closes_what_it_opens(texts, names, problem, reason):
    page = page_of("latex", texts, names, problem, reason)
    body, _, _ = page.rpartition("\n% command")
    lines = body.split("\n")
    rows = [line for line in lines if line.endswith(r" \\")]
    assert len(rows) == 1 + len(texts) + (2 if names else 0)
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*&", row)) for row in rows} == {2 + len(names)}
    assert lines[0].startswith("% needs")
    assert not any(re.search(r"(?<!\\)(?:\\\\)*%", line) for line in lines[1:])
    depth = 0
    for brace in re.findall(r"\\\\|\\[{}]|([{}])", body):
        depth += {"{": 1, "}": -1, "": 0}[brace]
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", body)


# -- the command


def printed(words, capture):
    capture.readouterr()
    assert main(words) == 0
    return capture.readouterr()


@pytest.mark.parametrize("form", ["markdown", "latex", "csv", "json", "jsonl"])
def test_the_command_prints_the_document_and_its_footer_makes_it_again(root, selection, capsys, form):
    out = printed(["show", "bench/c0", "-w", root, f"--{form}"], capsys).out
    document = case_document(selection, 0, form)
    assert out == document.render(form)
    assert printed(shlex.split(document.provenance["command"])[1:], capsys).out == out


def test_raw_keeps_the_page_and_frees_the_cells(root, capsys):
    page = printed(["show", "bench/c0", "-w", root, "--markdown", "--raw"], capsys).out
    assert page.startswith("**Problem.**")
    assert "--raw`" in page


def test_a_terminal_shows_the_texts_the_judgements_and_a_line_a_scorer(root, capsys):
    out = printed(["show", "bench/c0", "-w", root], capsys).out
    lines = out.splitlines()
    heads = [line.split() for line in lines if line.startswith(("step ", "    scorer"))]
    assert heads[0] == ["step", "text", "gold"]
    assert heads[1] == ["step", "gold", "1", "2", "3", "4"]
    (accuracy,) = [line.split() for line in lines if line.startswith("accuracy ")]
    assert accuracy == ["accuracy", "-", "100%", "100%", "-"]
    assert any(re.match(r"1 +error +< +wrong x< +0\.20 x<", line) for line in lines)
    assert any(re.match(r"4 +number +no verdict, one number", line) for line in lines)


def test_few_scorers_stand_beside_the_texts_under_their_names(root, capsys):
    lines = printed(["show", "bench/c3", "-w", root, "--scorer", "moving"], capsys).out.splitlines()
    assert ["step", "text", "gold", "moving"] in [line.split() for line in lines]
    assert ["accuracy", "50.0%"] in [line.split() for line in lines]


def test_ten_scorers_fit_eighty_columns(tmp_path, capsys, monkeypatch):
    cases = [reference.Case(3, 1, (0.4996, 0.1, 0.9))]
    names = [f"a-scorer-with-a-rather-long-name-{number}" for number in range(10)]
    making.workspace(tmp_path, cases, [(making.scorer(name), cases) for name in names])
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    out = re.sub(r"\x1b\[[\d;]*m", "", printed(["show", "bench/c0", "-w", str(tmp_path)], capsys).out)
    tables = [line for line in out.splitlines() if line.startswith("0 ")]
    assert [line.count("0.4996 x<") for line in tables] == [5, 5]
    assert max(map(len, out.splitlines())) <= 80


def test_json_is_as_it_was(root, capsys):
    rows = json.loads(printed(["show", "bench/c0", "-w", root, "--json", "--scorer", "moving"], capsys).out)["rows"]
    assert list(rows[0]) == ["step", "text", "gold", "moving.reward", "moving.wrong"]


def test_the_table_is_made_of_rows_and_evaluations(selection):
    document = case_document(selection, 1)
    assert case_table(document.rows, selection.chosen_evaluations, 1) == document.table
    assert document.table.gold == ("right", "right", "error")
