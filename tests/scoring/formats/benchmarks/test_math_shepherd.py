import pytest

from benchmark_rows import PROBLEM, STEPS, math_shepherd, rows_of
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.math_shepherd import load, recognises

NUMBERED = [f"Step {number}: {step}" for number, step in enumerate(STEPS, start=1)]


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(*args, **changes):
    imported = load(rows_of([math_shepherd(*args, **changes)]))
    assert imported.cases.height == 1, imported.findings
    return imported.cases.row(0, named=True), imported


def gold(case):
    return case["earliest_error"], case["error_steps"]


def test_a_row_becomes_a_case():
    case, imported = one()
    assert imported.cases.schema == CASES
    assert not imported.findings
    assert case == {
        **dict.fromkeys(CASES),
        "case": "math_shepherd/made#1",
        "key": content_key(PROBLEM, NUMBERED),
        "benchmark": "math_shepherd",
        "id": "made#1",
        "subset": "GSM8K",
        "n_steps": 3,
        "earliest_error": 1,
        "error_steps": [1, 2],
        "problem_id": problem_id(PROBLEM),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": NUMBERED,
    }
    assert "+ or - in the place of each" in imported.label_base
    assert 'the problem ends before the last "Step 1:"' in imported.label_base


@pytest.mark.parametrize(
    ("signs", "expected"), [("+++", (-1, [])), ("---", (0, [0, 1, 2])), ("+-+", (1, [1])), ("++-", (2, [2]))]
)
def test_signs(signs, expected):
    case, imported = one(signs)
    assert gold(case) == expected
    assert not imported.findings


def test_signs_and_tags_within_the_text_are_text():
    steps = ["3 + 4 - 1 +", "Носки - носки, коньки", "it is - 5 -\n+ so\nand -"]
    case, imported = one("+-+", steps, "Is 1 + 1 - 2 +\n0 = ки?\nШапки?")
    assert case["problem"] == "Is 1 + 1 - 2 +\n0 = ки?\nШапки?"
    assert case["steps"] == [f"Step {number}: {step}" for number, step in enumerate(steps, start=1)]
    assert gold(case) == (1, [1])
    assert not imported.findings


@pytest.mark.parametrize("end", ["", "\n", " \n"])
def test_blanks_after_the_last_tag_are_nothing(end):
    row = math_shepherd()
    imported = load(rows_of([{**row, "input": row["input"] + end}, {**row, "label": row["label"] + end}]))
    assert [steps.to_list() for steps in imported.cases["steps"]] == [NUMBERED] * 2
    assert not imported.findings


def test_text_after_the_last_tag_is_a_step_without_label():
    row = math_shepherd("+++")
    case, _ = one(input=row["input"] + "\nStep 4: Done.", label=row["label"] + "\nStep 4: Done.")
    assert case["steps"] == [*NUMBERED, "Step 4: Done."]
    assert gold(case) == (None, None)
    row = math_shepherd("++-")
    assert gold(one(input=row["input"] + " x", label=row["label"] + " x")[0]) == (2, None)


def test_a_label_with_other_text_is_laid_beside_the_tags_by_its_lines_with_a_warning():
    label = math_shepherd("+-+")["label"].replace("boxes", "cases")
    case, imported = one(label=label)
    assert (case["steps"], gold(case)) == (NUMBERED, (1, [1]))
    assert codes(imported) == [("warning", "label-differs")]


@pytest.mark.parametrize("label", ["", "+ - +", "a +\nb -", "a +\nb -\nc +\nd +"])
def test_signs_that_are_not_as_many_as_tags_leave_the_row_out(label):
    imported = load(rows_of([math_shepherd(), math_shepherd(label=label)]))
    assert imported.cases.height == 1
    assert codes(imported) == [("error", "label-mismatch")]
    assert "input has 3 step tags" in imported.findings[0].message
    assert imported.findings[0].line == 2


def test_a_tag_before_the_first_step_counts_for_nothing_with_a_warning():
    case, imported = one(
        "+-", ["a", "b"], "Tom has 3. ки\nHow many?", label="Tom has 3. -\nHow many? Step 1: a +\nStep 2: b -"
    )
    assert (case["problem"], case["steps"]) == ("Tom has 3. \nHow many?", ["Step 1: a", "Step 2: b"])
    assert gold(case) == (1, [1])
    assert codes(imported) == [("warning", "tag-in-problem")]


@pytest.mark.parametrize("start", ["Step 1: of a recipe asks for", "In step 1 : of a recipe", "Step 1: or step 1: of"])
def test_a_question_that_says_step_1_stays_whole(start):
    problem = f"{start} 2 eggs. How many?"
    case, imported = one("+-", ["Two.", "The answer is 3."], problem)
    assert (case["problem"], case["steps"]) == (problem, ["Step 1: Two.", "Step 2: The answer is 3."])
    assert gold(case) == (1, [1])
    assert not imported.findings


def test_without_a_first_step_the_problem_ends_with_its_last_question_mark():
    text = "Tom? How many pens? He has 3. {}\nHe has 4. {}"
    case, imported = one(input=text.format("ки", "ки"), label=text.format("+", "-"))
    assert (case["problem"], case["steps"]) == ("Tom? How many pens?", ["He has 3.", "He has 4."])
    assert gold(case) == (1, [1])
    assert codes(imported) == [("warning", "no-first-step")]


@pytest.mark.parametrize("text", ["He has 3. {}\nHe has 4. {}", "How many?{}\nHe has 4. {}"])
def test_a_row_whose_problem_cannot_be_told_is_left_out(text):
    imported = load(rows_of([math_shepherd(input=text.format("ки", "ки"), label=text.format("+", "-"))]))
    assert imported.cases.is_empty()
    assert codes(imported) == [("error", "no-first-step")]


@pytest.mark.parametrize("changes", [{"input": 5}, {"input": ...}, {"label": ["+"]}, {"label": ...}])
def test_a_row_without_usable_text_is_left_out(changes):
    imported = load(rows_of([math_shepherd(), math_shepherd(**changes)]))
    assert imported.cases["id"].to_list() == ["made#1"]
    assert codes(imported) == [("error", "wrong-type")]


def test_recognition():
    assert recognises(math_shepherd())
    for value in (None, [], {}, math_shepherd(input="no tag"), math_shepherd(label=["+"]), math_shepherd(label=...)):
        assert not recognises(value)


def test_russian_texts_with_labels_are_not_recognised():
    assert not recognises({"input": "Где мои носки\nи коньки", "label": "+"})
    assert not recognises({"input": "и ки", "label": "positive"})
