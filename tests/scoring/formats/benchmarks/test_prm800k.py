import pytest

from benchmark_rows import PROBLEM, STEPS, prm800k, rated, rows_of
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.prm800k import load, recognises

HUMAN = {"text": "A person wrote this.", "rating": None, "source": "human", "flagged": False}


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(*args, **changes):
    imported = load(rows_of([prm800k(*args, **changes)]))
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True), imported


def untaken(*ratings, human=None):
    """A step none of whose completions was chosen."""
    completions = [{"text": f"alternative {place}", "rating": rating} for place, rating in enumerate(ratings)]
    return {"completions": completions, "human_completion": human, "chosen_completion": None}


def gold(case):
    return case["earliest_error"], case["error_steps"]


def test_a_row_becomes_a_case():
    case, imported = one()
    assert imported.cases.schema == CASES
    assert not imported.findings
    name = case["id"]
    assert case == {
        **dict.fromkeys(CASES),
        "case": f"prm800k/{name}",
        "key": content_key(PROBLEM, STEPS[:2]),
        "benchmark": "prm800k",
        "id": name,
        "subset": "phase 2",
        "n_steps": 2,
        "earliest_error": 1,
        "error_steps": [1],
        "origin": "MATH",
        "problem_id": problem_id(PROBLEM),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS[:2],
        "reference_answer": "12",
    }
    assert imported.label_base == "ratings of steps: -1 = wrong, 0 and 1 = right"


def test_a_finished_solution_without_a_wrong_step_is_clean():
    case, imported = one(steps=[rated("a"), rated("b", 0), rated("c")], finish="solution")
    assert (gold(case), case["final_answer_correct"]) == ((-1, []), True)
    assert not imported.findings


def test_all_steps_rated_wrong_are_error_steps():
    case, _ = one(steps=[rated("a"), rated("b", -1), rated("c"), rated("d", -1)], finish="solution")
    assert gold(case) == (1, [1, 3])


def test_the_path_is_what_was_chosen_or_written():
    second = {**rated("not this one", -1), "chosen_completion": 1}
    second["completions"].append({"text": "but this one", "rating": 1})
    case, imported = one(steps=[rated("a"), second, untaken(-1, -1, human=HUMAN), rated("d")], finish="solution")
    assert case["steps"] == ["a", "but this one", "A person wrote this.", "d"]
    assert gold(case) == (-1, [])
    assert not imported.findings


def test_where_nothing_was_chosen_the_path_ends_with_the_error_that_was_seen():
    case, imported = one(steps=[rated("a"), untaken(0, -1, -1)])
    assert case["steps"] == ["a", "alternative 1"]
    assert (gold(case), case["final_answer_correct"]) == ((1, [1]), None)
    assert not imported.findings


@pytest.mark.parametrize("last", [untaken(0, 1), untaken(), {**untaken(), "completions": None}])
@pytest.mark.parametrize("finish", ["give_up", "bad_problem"])
def test_an_unfinished_labelling_without_error_has_no_gold_label(last, finish):
    case, imported = one(steps=[rated("a"), last], finish=finish)
    assert case["steps"] == ["a"]
    assert gold(case) == (None, None)
    assert codes(imported) == [("note", "unfinished")]
    assert finish in imported.findings[0].message


def test_an_unfinished_labelling_keeps_the_error_it_found():
    case, imported = one(steps=[rated("a", -1), rated("b")], finish="give_up")
    assert gold(case) == (0, [0])
    assert not imported.findings


@pytest.mark.parametrize("finish", ["found_error", None, "tired"])
def test_no_error_where_the_labelling_should_have_one_is_a_warning(finish):
    case, imported = one(steps=[rated("a"), rated("b")], finish=finish)
    assert gold(case) == (None, None)
    assert codes(imported) == [("warning", "unfinished")]


def test_a_step_without_rating_leaves_it_open_whether_it_is_right():
    case, imported = one(steps=[rated("a"), rated("b", None), rated("c")], finish="solution")
    assert gold(case) == (None, None)
    assert codes(imported) == [("note", "unrated-step")]
    assert "steps [1]" in imported.findings[0].message
    assert gold(one(steps=[rated("a", None), rated("b", -1)], finish="solution")[0]) == (1, None)


@pytest.mark.parametrize("rating", [2, "1", True, 0.5, float("nan"), [1]])
def test_another_rating_is_a_warning(rating):
    case, imported = one(steps=[rated("a", rating), rated("b")], finish="solution")
    assert gold(case) == (None, None)
    assert ("warning", "bad-label") in codes(imported)


def test_a_rating_may_be_a_float():
    assert gold(one(steps=[rated("a", 1.0), rated("b", -1.0)], finish="found_error")[0]) == (1, [1])


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (untaken(1), None),
        ("a text", "wrong-type"),
        *(({**rated("x"), "chosen_completion": chosen}, "bad-choice") for chosen in (3, -1, "0", False)),
    ],
)
def test_what_follows_a_step_that_cannot_be_followed_is_left_out_with_a_warning(step, code):
    case, imported = one(steps=[rated("a"), step, rated("c"), rated("d")], finish="solution")
    assert case["steps"] == ["a"]
    assert codes(imported) == [("warning", one) for one in (code, "path-cut") if one]
    assert "the 2 steps after it are left out" in imported.findings[-1].message


@pytest.mark.parametrize(
    "changes",
    [
        {"question": {"problem": 5}},
        {"question": "a text"},
        {"label": None},
        {"label": {"steps": "a text", "finish_reason": "solution"}},
        {"label": {"steps": [], "finish_reason": "bad_problem"}},
        {"label": {"steps": [rated(5)], "finish_reason": "solution"}},
    ],
)
def test_a_row_without_usable_text_is_left_out(changes):
    imported = load(rows_of([prm800k(1), prm800k(2, **changes)]))
    assert imported.cases.height == 1
    assert "error" in {finding.severity for finding in imported.findings}
    assert {finding.line for finding in imported.findings} == {2}


def test_names_are_the_same_wherever_a_row_stands():
    values = [prm800k(1), prm800k(2), prm800k(3, question={"problem": "Another?"})]
    names = load(rows_of(values)).cases["id"].to_list()
    assert len(set(names)) == 3
    assert load(rows_of(values[::-1], "other.jsonl")).cases["id"].to_list() == names[::-1]
    assert names[0].startswith(f"{problem_id(PROBLEM)}-")


def test_solutions_of_one_problem_are_grouped():
    grouped = load(rows_of([prm800k(1), prm800k(2), prm800k(3, question={"problem": "Another?"})])).cases["problem_id"]
    assert grouped[0] == grouped[1] != grouped[2]


@pytest.mark.parametrize("missing", ["labeler", "timestamp"])
def test_a_row_that_cannot_be_named_by_its_labelling_is_named_by_its_place(missing):
    case, imported = one(**{missing: ...})
    assert case["id"] == "made#1"
    assert not imported.findings


@pytest.mark.parametrize(("generation", "phase"), [(None, "phase 1"), (9, "phase 2"), (-1, "phase 2"), (..., None)])
def test_the_phase_is_told_by_the_generation(generation, phase):
    assert one(generation=generation)[0]["subset"] == phase


def test_recognition():
    assert recognises(prm800k())
    for value in (None, [], {}, prm800k(label=...), prm800k(label="x"), prm800k(question="x"), prm800k(label={})):
        assert not recognises(value)
