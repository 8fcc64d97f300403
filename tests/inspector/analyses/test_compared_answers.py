r"""Final answers from a file to the figures of `best-of-n`: equal ones count and vote together, others are counted."""

import pytest

from authored import json_lines
from inspector.analyses import Params
from inspector.analyses.best_of_n.best_of_n import best_of_n
from inspector.cli import main
from scoring.formats.reading import math_verify
from scoring.formats.tables import response_answers
from scoring.selection.loading import load
from scoring.selection.query import Query

SPELLINGS = [
    ("1000", "1,000"),
    ("A", r"\text{A}"),
    (r"\frac{1}{2}", r"\frac12"),
    (r"3\sqrt{2}", r"3 \sqrt 2"),
    ("90", r"90^\circ"),
    ("2", "2.0"),
    ("A", "(A)"),
    ("-3", "\u22123"),
]


@pytest.fixture(autouse=True)
def rules_alone(monkeypatch):
    monkeypatch.setattr(math_verify, "find_spec", lambda _: None)


def document(tmp_path, rows):
    path = tmp_path / "bon.jsonl"
    path.write_bytes(json_lines(rows))
    assert main(["import", str(path), "-w", str(tmp_path / "w"), "--quiet"]) == 0
    return best_of_n.view(load(Query(workspace=str(tmp_path / "w"))), Params("choice", {}))


def completions(number, reference, answers, scores=(0.9, 0.1, 0.05), **more):
    return {
        "problem": f"Sum {number}?",
        "answer": reference,
        "completions": [f"So.\n\nThe answer is $\\boxed{{{answer}}}$." for answer in answers],
        "scores": [[score, score] for score, _ in zip(scores, answers, strict=False)],
        **more,
    }


def figures(view):
    rows = view.rows.filter(subset="all").iter_rows(named=True)
    return {(row["aggregation"], row["metric"], row["of"]): row["value"] for row in rows}


def test_right_answers_that_are_spelled_otherwise_count_as_right(tmp_path):
    rows = [completions(number, right, (spelled, "777")) for number, (right, spelled) in enumerate(SPELLINGS)]
    view = document(tmp_path, rows)
    values = figures(view)
    assert values["product", "prm@n", 2] == values["last", "prm@n", 2] == 1.0
    assert values[None, "mean@1", 1] == 0.5
    # 777 against A, A and an expression.
    assert view.provenance["answers_told_apart_by_text"] == {"bon": 3}
    assert "bon: 3 of 16 responses have an answer that is told apart by its text alone" in view.provenance["oddities"]


def test_equal_answers_vote_together_also_if_they_are_wrong(tmp_path):
    # Two spellings of one half outvote the right answer; as texts, each had one vote of three.
    rows = [completions(0, "7", ("0.5", "7", r"\frac12"), scores=(0.2, 0.3, 0.2))]
    values = figures(document(tmp_path, rows))
    assert values[None, "maj@n", 3] == 0.0
    assert values["last", "weighted@n", 3] == 0.0
    assert values["last", "prm@n", 3] == 1.0


def test_what_a_file_states_of_answers_stays_and_their_votes_are_told_apart_by_text(tmp_path):
    rows = [completions(0, "7", ("7", "7.0", "x+1"), final_answer_correct=[True, False, False])]
    view = document(tmp_path, rows)
    assert figures(view)[None, "mean@1", 1] == pytest.approx(1 / 3)
    assert view.provenance["answers_told_apart_by_text"] == {"bon": 1}


def test_figures_that_an_older_version_compared_as_texts_say_so(tmp_path, monkeypatch):
    codes = {"answers-compared": response_answers.OLD_COMPARISON}
    made = response_answers.Finding

    def older(severity, code, *place):
        return made(severity, codes.get(code, code), *place)

    monkeypatch.setattr(response_answers, "Finding", older)
    view = document(tmp_path, [completions(0, "7", ("7", "8"))])
    assert (
        sum("an older version compared the final answers of" in oddity for oddity in view.provenance["oddities"]) == 1
    )
