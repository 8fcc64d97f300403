import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

import judged
import making
import reference
from inspector.analyses import Params
from inspector.analyses.report.document import Choices, report_document
from inspector.analyses.show.show import show
from inspector.cli import main
from inspector.render.blocks import CaseBlock, Judged, Section, Step
from inspector.render.documents.row_documents import Document
from inspector.render.view import View
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from thoroughness import together, up_to
from views import case_of, lines_of, show_view, words_of

GOLDEN = Path(__file__).parents[2] / "golden"
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
def results(root):
    return load(Query(workspace=root))


def by_scorer(view):
    """What a case's scorers have beside its steps, by name: judgements, verdict, step accuracy."""
    block = case_of(view)
    judged = zip(*(step.judged for step in block.steps), strict=True)
    return dict(zip(block.scorers, zip(judged, block.verdicts, block.accuracies, strict=True), strict=True))


def texts_of(judgements):
    return [judgement.text for judgement in judgements]


@pytest.mark.parametrize(("form", "ending"), [("markdown", "md"), ("latex", "tex")])
def test_the_page_of_a_hostile_case(results, form, ending):
    view = show_view(results, 0, form)
    kept = {name: view.provenance[name] for name in ("problem", "reason_of_gold", "outcome")}
    page = replace(view, provenance={"command": "prm-inspect show bench/c0", "seed": 0, **kept}).render(form)
    assert page == (GOLDEN / f"case.{ending}").read_text()


def test_what_a_page_leaves_out_of_its_footer_stands_around_its_table(results):
    for form in ("markdown", "latex"):
        page = show_view(results, 0, form).render(form)
        assert page.count("Find x.") == 1
        assert not re.search(r"^(>|%) (problem|reason of gold):", page, re.MULTILINE)
        assert re.search(r"^(>|%) outcome: ", page, re.MULTILINE)


def test_a_threshold_a_label_and_a_verdict_by_hand(results):
    found = by_scorer(show_view(results, 0))
    judged = {name: judgements for name, (judgements, _, _) in found.items()}
    assert texts_of(judged["moving"]) == ["0.90", "0.20", "0.80"]
    assert [(one.wrong, one.verdict) for one in judged["moving"]] == [(False, False), (True, True), (False, False)]
    assert [one.share for one in judged["moving"]] == [0.9, 0.2, 0.8]
    assert texts_of(judged["labels"]) == ["right", "wrong", "right"]
    assert texts_of(judged["critic"]) == ["", "", ""]
    assert [one.verdict for one in judged["critic"]] == [False, True, False]
    assert [one.verdict for one in judged["number"]] == [False] * 3
    verdicts = {name: verdict for name, (_, verdict, _) in found.items()}
    assert verdicts == {"moving": "1", "labels": "1", "critic": "1", "number": "-"}
    # Gold says nothing of the step after the earliest error.
    accuracies = {name: accuracy for name, (_, _, accuracy) in found.items()}
    assert accuracies == {"moving": "100%", "labels": "100%", "critic": "-", "number": "-"}


def test_no_verdict_no_error_and_no_step_are_words(results):
    found = [by_scorer(show_view(results, row)) for row in range(6)]
    assert [found[row]["moving"][1] for row in (2, 5)] == ["none", "-"]
    assert [found[row]["moving"][2] for row in (3, 4)] == ["50.0%", "100%"]
    assert found[3]["critic"][1] == str(int(results.evaluation("critic").verdicts[3]))


def test_the_rows_of_csv_and_json_are_not_those_of_the_page(results):
    view = show_view(results, 0)
    rows = list(csv.DictReader(io.StringIO(view.render("csv"))))
    assert [row["moving.reward"] for row in rows] == ["0.9", "0.2", "0.8"]
    assert [row["moving.wrong"] for row in rows] == ["false", "true", "false"]
    assert rows[1]["text"] == HOSTILE
    plain = Document(view.rows, view.provenance)
    assert all(view.render(form) == plain.render(form) for form in ("csv", "json", "jsonl"))


def test_a_reward_has_as_many_digits_as_tell_it_from_the_threshold(tmp_path):
    cases = [reference.Case(2, 0, (0.4996, 0.5))]
    making.workspace(tmp_path, cases, [(making.scorer("near"), cases)])
    results = load(Query(workspace=str(tmp_path)))
    assert texts_of(by_scorer(show_view(results, 0))["near"][0]) == ["0.4996", "0.50"]


def test_a_case_without_scorers_and_one_without_steps(tmp_path):
    making.workspace(tmp_path, [reference.Case(2, 0), reference.Case(0, -1)], [])
    results = load(Query(workspace=str(tmp_path)))
    for row in (0, 1):
        assert "step accuracy" not in show_view(results, row).render("markdown")
        assert "\\end{tabular}" in show_view(results, row).render("latex")
        assert not [line for line in lines_of(show_view(results, row)) if "reward" in line or "accuracy" in line]
    steps = ["0 ▲ error step 0 of 0", "1 step 1 of 0"]
    assert [" ".join(line.split()) for line in lines_of(show_view(results, 0)) if " of 0" in line] == steps
    assert "0 steps" in words_of(show_view(results, 1))
    assert "Gold no wrong step" in words_of(show_view(results, 1))


def test_labels_that_name_no_step_say_so(tmp_path):
    making.workspace(tmp_path, [reference.Case(2, None)], [])
    view = show_view(load(Query(workspace=str(tmp_path))), 0)
    assert "Gold no gold label names a step of this solution" in words_of(view)
    assert [step.gold for step in case_of(view).steps] == [None, None]


def test_many_scorers_have_numbers_in_latex_and_their_names_beneath(results):
    page = show_view(results, 0).render("latex")
    assert "step & text & gold & (1) & (2) & (3) & (4) \\\\" in page
    assert "(1) critic; (2) labels; (3) moving; (4) number." in page
    few = load(Query(workspace=results.query.workspace, scorers=("labels", "moving")))
    assert "gold & labels & moving \\\\" in show_view(few, 0).render("latex")


def test_a_step_that_labels_do_not_reach_is_empty(tmp_path):
    case = reference.Case(3, 1)
    made = making.workspace(tmp_path, [case], [])
    one = making.scorer("short")
    folder = made.root / "rewards" / one.folder
    RewardParts(folder).append(judged.labels(making.full_frame([case])["key"], [(True, False)]))
    one.save(folder)
    judgements, verdict, _ = by_scorer(show_view(load(Query(workspace=str(tmp_path))), 0))["short"]
    assert texts_of(judgements) == ["right", "wrong", ""]
    assert ([one.wrong for one in judgements], verdict) == ([False, True, False], "1")


def test_the_case_is_named_in_full_by_its_id_or_by_a_part_that_only_it_has(results):
    for word in ("bench/c3", "c3", "h/c3"):
        assert show.view(results, Params(options={"case": word})).provenance["case"] == "bench/c3"
    with pytest.raises(UsageError, match="no case matches 'c9'"):
        show.view(results, Params(options={"case": "c9"}))
    with pytest.raises(UsageError, match="show needs case"):
        show.view(results)


def test_a_report_and_show_have_the_same_case(results):
    few = load(Query(workspace=results.query.workspace, scorers=("moving",)))
    report = report_document(few, Choices(cases=1)).report
    (section,) = next(one for one in report.sections if one.anchor == "cases").parts
    row = few.cases["case"].to_list().index(section.blocks[0].title)
    assert section.blocks == (case_of(show_view(few, row)),)


# -- nothing of the data acts

TEXT = st.text(st.sampled_from("\\{}$&%#_^~[]*<>|`'\"-ab \n\r\t\x00é题\u2028"), max_size=12) | st.text(max_size=8)
SCORERS = st.lists(TEXT, min_size=0, max_size=5)


def page_of(form, texts, names, problem, reason):
    judgement = Judged("0.10", 0.1, wrong=True, verdict=False)
    gold = ["error", *["right"] * len(texts)]
    block = CaseBlock(
        title="bench/c0",
        facts=(),
        problem=problem,
        steps=tuple(Step(n, text, gold[n], (judgement,) * len(names)) for n, text in enumerate(texts)),
        scorers=tuple(names),
        verdicts=("0",) * len(names),
        accuracies=("50.0%",) * len(names),
        outcomes=(),
        gold="step 0",
        reason=reason,
    )
    sections = (Section("", "case", (block,)),)
    return View(making.frame([]), {"command": "c"}, lay_out=lambda: sections).render(form)


@up_to(150)
@given(st.lists(TEXT, min_size=1, max_size=4), SCORERS, TEXT, TEXT)
def test_markdown_has_a_line_a_step_with_all_its_cells(texts, names, problem, reason):
    page = page_of("markdown", texts, names, problem, reason)
    lines = page.split("\n")
    start = lines.index("") + 1
    while not lines[start].startswith("| step"):
        start += 1
    table = lines[start : start + 2 + len(texts) + (2 if names else 0)]
    assert all(line.startswith("|") and line.endswith("|") for line in table)
    assert not lines[start + len(table)]
    cells = [re.findall(r"(?:\\.|[^|\\])*(?=\|)", line[1:])[::2] for line in table]
    bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table}
    assert bars == {4 + len(names)}
    assert cells
    prose = [
        re.sub(r"^\*\*(Problem|Why)\.\*\* ", "", line) for line in lines if line.startswith(("**Problem", "**Why"))
    ]
    assert len(prose) == 1 + bool(reason)
    for text in prose:
        assert re.findall(r"(?<!\\)[`*\[\]|$#]", re.sub(r"\\\\", "", text)) == []
        assert re.findall(r"(?<!\\)<(?!br>|!-- -->)", re.sub(r"\\\\", "", text)) == []


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


def test_raw_keeps_the_page_frees_the_cells_and_leaves_formulas_as_they_were_written(root, capsys):
    page = printed(["show", "bench/c0", "-w", root, "--markdown", "--raw"], capsys).out
    assert "**Problem.**" in page
    assert "--raw`" in page
    assert "Let x = 1/2 | so x² = 1/4." in printed(["show", "bench/c0", "-w", root], capsys).out
    for flag in ("--raw", "--ascii"):
        assert "Let $x = \\frac{1}{2}$ | so" in printed(["show", "bench/c0", "-w", root, flag], capsys).out


def test_every_scorers_reward_of_every_step_stands_there_by_number_where_they_are_many(root, capsys):
    out = printed(["show", "bench/c0", "-w", root], capsys).out
    assert [name for name in ("Problem", "Gold", "Why") if not re.search(rf"^{name} ", out, re.MULTILINE)] == []
    lines = [line.split() for line in out.splitlines()]
    assert ["step", "gold", "text"] in lines
    # The fourth says nothing of any step.
    at = lines.index(["step", "gold", "(1)", "(2)", "(3)"])
    assert lines[at + 1 : at + 4] == [
        ["0", "right", "right", "0.90"],
        ["1", "▲", "error", "←", "wrong", "✗←", "0.20", "✗←"],
        ["2", "right", "0.80"],
    ]
    told = [line for line in lines if line[:1] in (["(1)"], ["(2)"], ["(3)"], ["(4)"])]
    assert [line[1] for line in told] == ["critic", "labels", "moving", "number"]
    assert [line[-1] for line in told] == ["-", "100%", "100%", "-"]
    assert "no verdict, one number" in " ".join(told[3])


def test_few_scorers_stand_beside_the_texts_under_their_names(root, capsys):
    lines = [
        line.split()
        for line in printed(["show", "bench/c3", "-w", root, "--scorer", "moving"], capsys).out.splitlines()
    ]
    assert ["step", "gold", "text", "moving"] in lines
    assert [line[-1] for line in lines if line[:1] == ["moving"]] == ["50.0%"]


@pytest.mark.parametrize(("page", "number"), together([(), ("--ascii",), ("--raw",)], [1, 3, 10]))
def test_all_scorers_fit_eighty_columns(tmp_path, capsys, monkeypatch, number, page):
    cases = [reference.Case(3, 1, (0.4996, 0.1, 0.9))]
    names = [f"a-scorer-with-a-rather-long-name-{number}" for number in range(number)]
    text = "Thus " + "a word more " * 30
    making.workspace(tmp_path, cases, [(making.scorer(name), cases) for name in names], steps=[[text, "b\n\nc", "d"]])
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    out = re.sub(r"\x1b\[[\d;]*m", "", printed(["show", "bench/c0", "-w", str(tmp_path), *page], capsys).out)
    mark = "x<" if page == ("--ascii",) else "✗←"
    assert out.count(f"0.4996 {mark}") == out.count("0.90") == number
    assert max(map(cell_len, out.splitlines())) <= 80
    assert out.isascii() or page != ("--ascii",)


def test_nothing_of_a_case_acts_on_a_terminal(tmp_path, capsys, monkeypatch):
    acts = "\x1b[2J\x1b]0;x\x07\u202e"
    cases = [reference.Case(2, 1, (0.9, 0.1))]
    scorers = [(making.scorer(f"s{acts}"), cases)]
    making.workspace(tmp_path, cases, scorers, steps=[[acts, f"a\n{acts}"]], problem=[acts], reason=[acts])
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    streams = printed(["show", "bench/c0", "-w", str(tmp_path)], capsys)
    out = re.sub(r"\x1b\[[\d;]*m", "", streams.out)
    assert "␛[2J␛]0;x␇" in out
    assert not set("\x1b\x07\u202e") & set(out + streams.err)


def test_json_is_as_it_was(root, capsys):
    rows = json.loads(printed(["show", "bench/c0", "-w", root, "--json", "--scorer", "moving"], capsys).out)["rows"]
    assert list(rows[0]) == ["step", "text", "gold", "moving.reward", "moving.wrong"]


def test_flags_of_another_page_are_refused(root, capsys):
    assert main(["show", "bench/c0", "-w", root, "--all-tokens"]) == 2
    assert "cannot be told 'all_tokens'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["show", "bench/c0", "-w", root, "--original", "--explain"])
