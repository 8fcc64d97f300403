import pytest
from hypothesis import given

from any_json import rows_near
from scoring.formats.results import cached_scores
from scoring.formats.results.result_format import RESULT_COLUMNS
from thoroughness import up_to

ROW = {
    "benchmark": "sums",
    "prm_name": "a-prm",
    "problem_id": "sums_000",
    "candidate_index": 0,
    "step_scores": [0.9, 0.2],
    "is_correct": True,
    "n_steps": 2,
}
TEXTS = {"problem": "What is 2 + 2?", "response": "Take 2.\nAdd 2.", "step_rewards": [0.9, 0.8]}


def load(rows, *values):
    assert all(map(cached_scores.recognises, values))
    found = cached_scores.load(rows(*values))
    assert all(one.rows.schema == RESULT_COLUMNS for one in found)
    return found


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_candidates_of_a_problem_are_told_apart(rows):
    (found,) = load(rows, ROW, {**ROW, "candidate_index": 1, "step_scores": [0.5, 0.4]})
    assert found.rows.select("line", "id", "subset", "rewards").rows() == [
        (1, "sums_000/0", "sums", [0.9, 0.2]),
        (2, "sums_000/1", "sums", [0.5, 0.4]),
    ]
    assert (found.name, found.benchmark, found.kind, found.settings) == ("a-prm", None, "prm", {"benchmark": "sums"})
    assert codes(found) == [("note", "made-id", None)]
    assert "{problem_id}/{candidate_index}" in found.findings[0].message


def test_problems_with_their_first_candidate_alone_have_their_own_ids(rows):
    bare = {"prm_name": "a-prm", "problem_id": 7, "step_scores": [0.5]}
    (found,) = load(rows, ROW, {**bare, "benchmark": "sums"})
    assert found.rows["id"].to_list() == ["sums_000", "7"]
    assert "are {problem_id}:" in found.findings[0].message


def test_a_candidate_that_is_the_only_one_and_not_the_first_keeps_its_number(rows):
    (found,) = load(rows, {**ROW, "candidate_index": 3})
    assert found.rows["id"].to_list() == ["sums_000/3"]


def test_prms_and_collections_are_kept_apart(rows):
    found = load(rows, ROW, {**ROW, "prm_name": "b-prm"}, {**ROW, "benchmark": "more"}, {**ROW, "prm_name": None})
    assert [(one.name, one.settings["benchmark"]) for one in found] == [
        ("a-prm", "sums"),
        ("b-prm", "sums"),
        ("a-prm", "more"),
        # Called after the file.
        ("judge", "sums"),
    ]


@pytest.mark.parametrize("scores", [None, [], "0.5", [0.5, None]])
def test_a_row_without_numbers_has_a_reason(rows, scores):
    (found,) = load(rows, {**ROW, "step_scores": scores})
    assert found.rows["reason"].to_list() == ["step_scores is not a list of numbers"]
    assert codes(found)[0][::2] == ("warning", 1)


def test_another_number_of_steps_is_said(rows):
    (found,) = load(rows, {**ROW, "n_steps": 3})
    assert codes(found)[0] == ("warning", "length-mismatch", 1)
    assert found.rows["rewards"].to_list() == [[0.9, 0.2]]


@pytest.mark.parametrize("change", [{"problem_id": None}, {"candidate_index": "first"}])
def test_a_row_that_names_no_case_is_left_out(rows, change):
    (found,) = load(rows, ROW, {**ROW, **change})
    assert (found.rows.height, found.read) == (1, 2)
    assert ("error", "no-id", 2) in codes(found)


def test_lines_of_a_response_are_its_steps(rows):
    (found,) = load(rows, TEXTS)
    assert found.rows.select("id", "problem", "steps", "rewards").row(0) == (
        *(None, "What is 2 + 2?", ["Take 2.", "Add 2."]),
        [0.9, 0.8],
    )
    assert (found.name, found.settings) == ("judge", {})
    assert not found.findings


def test_more_or_fewer_rewards_than_lines_are_no_rewards(rows):
    (found,) = load(rows, {**TEXTS, "step_rewards": [0.9, 0.8, 0.7]}, {**TEXTS, "step_rewards": None})
    assert found.rows["rewards"].null_count() == 2
    assert found.rows["reason"].to_list() == ["3 rewards for 2 lines", "step_rewards is not a list of numbers"]
    assert [code[::2] for code in codes(found)] == [("warning", 1), ("warning", 2)]


def test_both_kinds_in_one_file_keep_their_ids(rows):
    named = {key: value for key, value in ROW.items() if key not in {"prm_name", "benchmark"}}
    (found,) = load(rows, TEXTS, named, {**TEXTS, "id": "x"})
    assert found.rows.select("line", "id").rows() == [(1, None), (2, "sums_000"), (3, "x")]


def test_what_is_recognised():
    for other in (None, [], {}, {"problem_id": 1}, {"problem": "p", "response": "r"}):
        assert not cached_scores.recognises(other)


@pytest.mark.parametrize("row", [ROW, TEXTS])
def test_nothing_escapes(rows, row):
    @up_to(100, 12)
    @given(rows_near(row))
    def run(values):
        found = cached_scores.load(rows(*values))
        assert sum(one.read for one in found) == len(values)
        for one in found:
            assert one.rows.schema == RESULT_COLUMNS
            assert (one.rows["rewards"].is_null() == one.rows["reason"].is_not_null()).all()

    run()
