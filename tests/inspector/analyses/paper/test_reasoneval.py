"""ReasonEval's own figures, which are computed and have no printed ones beside."""

import json

import making
import reference


def mr_math(root, *scorers):
    cases = [
        reference.Case(2, 1, (0.9, 0.2), "", None),
        reference.Case(2, 0, (0.5, 0.9), "", None),
        reference.Case(2, -1, (0.8, 0.7), "", None),
        reference.Case(1, -1, (0.4,), "", None),
    ]
    making.workspace(root, cases, [(one, cases) for one in scorers or [making.scorer("a-prm")]], benchmark="mrmath")


def test_figures_by_hand(called, rows, root):
    mr_math(root)
    found = rows("mrmath", "1")
    # Of solutions: one wrong one is found, the other's 0.5 is neither; of right ones 0.7 is found and 0.4 is not.
    # Of steps: right are 0.9, 0.8, 0.7 and 0.4, wrong 0.2 and 0.5, at the threshold, which is wrong.
    right, wrong = 2 * 3 / (2 * 3 + 1), 2 * 2 / (2 * 2 + 1)
    assert dict(found.select("metric", "value").rows()) == {
        "solution_f1": 0.5,
        "step_f1": (right + wrong) / 2,
        "solution_auc": 3 / 4,
        "step_auc": 7 / 8,
    }
    assert found["n"].to_list() == [4, 6, 4, 6]
    assert found["published"].null_count() == found["agrees"].null_count() == 4
    assert set(found["unchecked"]) == {"what the paper prints is not held here"}
    code, out, _ = called("mrmath", "1")
    assert code == 0
    assert all(word in out for word in ("solution F1", "step AUC", "50.0", "87.5"))
    assert "published" not in out
    assert "the solution neither right nor wrong" in out


def test_the_threshold_and_a_condition_count(rows, root):
    mr_math(root)
    moved = dict(rows("mrmath", "1", "--threshold", "0.3").select("metric", "value").rows())
    assert moved["solution_auc"] == 3 / 4
    assert moved["solution_f1"] != 0.5
    fewer = rows("mrmath", "1", "--where", "n_steps = 2")
    assert fewer["n"].to_list() == [3, 5, 3, 5]


def test_a_check_finds_nothing_printed(called, root):
    mr_math(root)
    code, _, err = called("mrmath", "1", "--check")
    assert code == 0
    assert "Checked 0 of 0 printed cells" in err


def test_one_scorer_is_left_out_of_nothing(called, root):
    mr_math(root, making.scorer("a-prm"), making.scorer("b-prm", threshold=0.75))
    document = json.loads(called("mrmath", "1", "--json")[1])
    assert [row["scorer"] for row in document["rows"]] == ["a-prm"] * 4 + ["b-prm"] * 4


def test_figures_of_critics_that_the_script_computes_otherwise_are_named(called, root):
    mr_math(root, making.scorer("a-prm"))
    assert "not the script's" not in called("mrmath", "1")[1]
    mr_math(root, making.scorer("judge", kind="critic"))
    assert "solution_f1 of critics is not the script's" in called("mrmath", "1")[1]


def test_step_f1_of_the_redundant_set_is_named(called, root):
    cases = [reference.Case(2, 1, (0.9, 0.2), "", None)]
    scorers = [(making.scorer("judge", kind="critic"), cases)]
    making.workspace(root, cases, scorers, benchmark="mrmath_redundant")
    notes = json.loads(called("mrmath_redundant", "1", "--json")[1])["provenance"]["notes"]
    assert any(note.startswith("step_f1 and solution_f1 of critics are not") for note in notes)
