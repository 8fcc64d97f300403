"""Results whose rows repeat the texts and the label are opened alone, unless a case that is here has these texts."""

import json

import pytest

import authored
from scoring.errors import NotJoined
from scoring.importing.found import Wish, find
from scoring.workspace import Workspace

N = 12
CASES = authored.rows(N)


def answered(row):
    return {**row, "generated_critique": f"\\boxed{{{row['label']}}}", "prediction": row["label"], "match": True}


def judged(row):
    return {**row, "responses": [0.9, 0.4, 0.6][: len(row["steps"])], "PRM_CoT": ["x"] * len(row["steps"])}


def of_grben(row):
    label = row["label"] + 1 if row["label"] >= 0 else -1
    return {
        **row,
        "domain": "physics",
        "label": label,
        "pred_error_idx": label,
        "raw_response": f"\\boxed{{{label}}}",
        "model_key": "a-critic",
    }


def like_skywork(row):
    return {
        "problem": row["problem"],
        "response": "\n".join(row["steps"]),
        "step_rewards": [0.9, 0.4, 0.6],
        "label": row["label"],
    }


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


def write(folder, make, rows=CASES, name="my-scorer.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(make(row)) + "\n" for row in rows))
    return path


FORMATS = {
    "processbench": (answered, "processbench"),
    "r-prm": (judged, "processbench"),
    "gr-ben": (of_grben, "grben"),
    "skywork": (like_skywork, "my-scorer"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_cases_are_made_of_the_rows_where_none_is_here(workspace, tmp_path, name):
    make, benchmark = FORMATS[name]
    found = find([str(write(tmp_path, make))], Wish(), workspace, None)
    found.put(workspace)
    cases, _ = workspace.cases()
    assert cases["benchmark"].unique().to_list() == [benchmark]
    assert cases["earliest_error"].to_list() == [row["label"] for row in CASES]
    (joined,) = found.joined
    assert (joined.joined, joined.by) == (N, "content")
    (imported,) = found.imported
    if name != "skywork":
        assert [finding.code for finding in imported.findings][:1] == ["opened-alone"]
        assert not {"prediction", "match", "raw_response"} & {*imported.fates.kept}
    # Once more: the cases are here now, and so are the results.
    again = find([str(tmp_path / "my-scorer.jsonl")], Wish(), workspace, None)
    assert (again.imported, again.joined[0].joined) == ((), N)


@pytest.mark.parametrize("name", ["processbench", "r-prm", "skywork"])
def test_results_of_a_case_that_is_here_make_no_cases(workspace, tmp_path, name):
    found = find([str(authored.write(tmp_path / "sums.json", CASES))], Wish(), workspace, None)
    found.put(workspace)
    found = find([str(write(tmp_path, FORMATS[name][0]))], Wish(), workspace, None)
    assert (found.imported, [joined.joined for joined in found.joined]) == ((), [N])


def test_cases_of_the_same_command_are_known(tmp_path):
    words = [write(tmp_path, answered), authored.write(tmp_path / "sums.json", CASES)]
    found = find([str(word) for word in words], Wish(), None, None)
    assert [one.source for one in found.imported] == [str(words[1])]
    assert found.joined[0].joined == N


def test_two_results_of_the_same_cases_make_them_once(tmp_path):
    words = [write(tmp_path, answered, name="first.jsonl"), write(tmp_path, judged, name="second.jsonl")]
    found = find([str(word) for word in words], Wish(), None, None)
    assert [one.source for one in found.imported] == [str(words[0])]
    assert [joined.joined for joined in found.joined] == [N, N]


def test_rows_without_a_label_are_of_a_benchmark_that_is_to_be_imported_first(workspace, tmp_path):
    path = write(tmp_path, lambda row: {**answered(row), "label": None})
    with pytest.raises(NotJoined):
        find([str(path)], Wish(), workspace, None)


def test_a_benchmark_that_was_named_is_not_made(workspace, tmp_path):
    path = write(tmp_path, answered)
    with pytest.raises(Exception, match="no cases of a benchmark 'processbench'"):
        find([str(path)], Wish(join_to="processbench"), workspace, None)
