"""Files whose rows hold several responses: from a file alone to cases and step rewards."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from any_json import rows_near
from authored import json_lines
from response_making import math_aps_row, rewardbench_rows_of_prompts, search_and_learn_row, versa_row
from scoring.data.errors import UnknownFormat
from scoring.formats.reading import math_verify
from scoring.formats.reading.rows import Rows
from scoring.formats.tables import response_answers, table
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.response_answers import BY_RULES, BY_TEXT
from scoring.formats.tables.response_lists import RESPONSE_LISTS, response_list, unfold
from scoring.formats.tables.results import results
from scoring.importing import ledger
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.sources import ReadOptions, read_source
from scoring.workspace.workspace import Workspace
from thoroughness import up_to

ROWS = {
    "search_and_learn": [search_and_learn_row(number) for number in range(3)],
    "versaprm": [versa_row(number) for number in range(3)],
    "rewardbench2": rewardbench_rows_of_prompts(),
    "math_aps": [math_aps_row(number) for number in range(3)],
    "skywork": [
        {
            "problem": "How much?",
            "response": f"Add.\nIt is \\boxed{{{place}}}.",
            "step_rewards": [0.5, 0.25],
            "answer": "1",
        }
        for place in range(2)
    ],
}


REFERENCES = {"answer", "final_answer", "reference_answer", "gt_answer", "ground_truth"}


def write(tmp_path, rows, name="file.jsonl"):
    path = tmp_path / name
    path.write_bytes(json_lines(rows) if name.endswith("l") else json.dumps(rows).encode())
    return str(path)


def imported(tmp_path, rows, name="file.jsonl", options=None):
    """The cases of a file, the rows of its one scorer and that scorer's name, and the codes of what was noticed."""
    source = read_source(write(tmp_path, rows, name), options)
    (cases,), scorers = source.imported, source.results
    assert source.mapping is None
    codes = [finding.code for finding in cases.findings if finding.code != "empty-step"]
    return cases.cases, scorers[0].rows if scorers else None, scorers[0].name if scorers else None, codes


@pytest.mark.parametrize("name", ROWS)
def test_every_kind_is_recognised_and_by_no_other(name):
    rows = ROWS[name]
    assert response_list(rows) == name
    assert [other for other, kind in RESPONSE_LISTS.items() if all(map(kind.recognises, rows))] == [name]
    for odd in (
        None,
        [],
        {},
        {"problem": 1, "completions": 2, "scores": 3},
        {"text": 1, "scores": [], "num_correct": 1},
    ):
        assert response_list([odd]) is None


@pytest.mark.parametrize("name", ROWS)
def test_a_file_alone_gives_cases_that_join_their_own_rewards(tmp_path, name):
    batch = read_sources([write(tmp_path, ROWS[name])], ImportOptions(), None, None)
    (cases,), (joined,) = batch.imported, batch.joined
    assert joined.joined == cases.cases.height > 0
    assert cases.cases["problem_id"].null_count() == 0
    assert cases.cases["id"].n_unique() == cases.cases.height


def test_search_and_learn_s_completions_are_cut_and_judged_as_it_does(tmp_path):
    row = search_and_learn_row(answers=("12", "\\dfrac{1}{2}", None, "12"), scores=((0.1, 0.2),) * 4)
    cases, rewards, name, codes = imported(tmp_path, [row], "best_of_n_completions.jsonl")
    assert cases["id"].to_list() == [f"test/pears/0.json/{place}" for place in range(4)]
    assert cases["problem_id"].unique().to_list() == ["test/pears/0.json"]
    assert cases["steps"][0].to_list() == row["completions"][0].split("\n\n")
    # The third states no answer, but its step has a number, and the last one counts there.
    assert cases["final_answer_correct"].to_list() == [True, False, False, True]
    assert rewards["rewards"].to_list() == [[0.1, 0.2]] * 4
    assert name == "best_of_n_completions"
    assert codes == ["responses", "answers-compared"]
    source = read_source(write(tmp_path, [row]))
    columns = source.imported[0].metadata
    assert columns["pred"].to_list() == [True, False, False, False]
    assert columns["completion_tokens"].to_list() == [20, 21, 22, 23]
    assert columns["parsed_answer"].to_list() == ["12", "\\dfrac{1}{2}", "2", "12"]


def test_an_answer_nobody_can_read_or_compare_is_unknown_and_counted(tmp_path):
    silent = search_and_learn_row(0)
    silent["completions"] = ["Let us see.\n\nIt is so.", "It is \\boxed{12}.\n\nYes."]
    without = search_and_learn_row(1)
    del without["answer"]
    source = read_source(write(tmp_path, [silent, without]))
    assert source.imported[0].cases["final_answer_correct"].to_list() == [None, True, None, None]
    counted = [finding.message for finding in source.imported[0].findings if finding.code == "no-final-answer"]
    assert [message.partition(" responses")[0] for message in counted] == ["1", "of 2"]


def test_answers_are_compared_as_mathematics(tmp_path, monkeypatch):
    monkeypatch.setattr(math_verify, "find_spec", lambda _: None)
    answers = ("12", "12.0", r"\text{12 pears}", "13", r"\sqrt{144}", "pears")
    row = search_and_learn_row(answers=answers, scores=((0.1, 0.2),) * 6)
    source = read_source(write(tmp_path, [row]))
    assert source.imported[0].cases["final_answer_correct"].to_list() == [True, True, True, False, False, False]
    assert source.imported[0].metadata["answer_compared_by"].to_list() == [BY_RULES] * 4 + [BY_TEXT] * 2
    messages = {finding.code: finding.message for finding in source.imported[0].findings}
    assert messages["answers-compared"].startswith("6 final answers were compared with the reference and 3 equal it")
    assert messages["answers-as-text"].startswith("2 of 6 final answers count as wrong by their text alone")


@pytest.mark.skipif(math_verify.math_verify_version() is None, reason="math-verify is not installed")
def test_math_verify_decides_what_the_rules_cannot_tell(tmp_path):
    answers = (r"\sqrt{144}", r"\sqrt{12}", r"2\sqrt{3}", "pears", "13")
    row = search_and_learn_row(answers=answers, scores=((0.1, 0.2),) * 5)
    source = read_source(write(tmp_path, [row]))
    assert source.imported[0].cases["final_answer_correct"].to_list() == [True, False, False, False, False]
    by = f"math-verify {math_verify.math_verify_version()}"
    assert source.imported[0].metadata["answer_compared_by"].to_list() == [by, by, by, BY_TEXT, BY_RULES]
    # What equals the reference votes with it, and wrong answers that are equal vote together.
    assert source.imported[0].metadata["equal_answer"].to_list() == ["12", None, r"\sqrt{12}", None, None]


def test_cases_of_older_rules_are_judged_anew_when_their_file_is_imported_again(tmp_path, monkeypatch):
    workspace = Workspace(tmp_path / "w")
    row = search_and_learn_row(answers=("12.0", "13"), scores=((0.1, 0.2),) * 2)
    path = write(tmp_path, [row])

    def right():
        read_sources([path], ImportOptions(), workspace, None, skip_unchanged=True).put(workspace)
        return workspace.cases()[0]["final_answer_correct"].to_list()

    with monkeypatch.context() as older:
        older.setattr(response_answers, "same_answer", str.__eq__)
        older.setattr(response_answers, "BY_RULES", "rules 0")
        older.setattr(ledger, "ANSWER_RULES", 0)
        assert right() == [False, False]
    assert right() == [True, False]
    (report,) = workspace.imports("file")
    assert "1 equal it" in next(found["message"] for found in report["findings"] if found["code"] == "answers-compared")


def test_what_the_file_says_of_answers_counts(tmp_path):
    row = search_and_learn_row(final_answer_correct=[False, True])
    cases, _, _, codes = imported(tmp_path, [row])
    assert cases["final_answer_correct"].to_list() == [False, True]
    assert "answers-compared" not in codes


def test_what_the_file_names_of_the_first_n_is_held_against_its_completions(tmp_path):
    answers, scores = ("13", "12", "12", None), ((0.1, 0.9), (0.5, 0.6), (0.5, 0.5), (0.1, 0.1))
    named = {"pred_naive@4": "13", "pred_weighted@4": "12", "pred_maj@4": "12", "pred_naive@1": "13"}
    row = search_and_learn_row(0, answers, scores, **{key: f"\\boxed{{{answer}}}" for key, answer in named.items()})
    assert "other-answer" not in imported(tmp_path, [row])[3]
    odd = search_and_learn_row(1, answers, scores, **dict.fromkeys(("pred_naive@4", "pred_maj@2"), "\\boxed{7}"))
    (finding,) = [
        finding
        for finding in read_source(write(tmp_path, [row, odd])).imported[0].findings
        if finding.code == "other-answer"
    ]
    assert finding.message.endswith("give in 1 of 4 pred_naive, 0 of 1 pred_weighted, 1 of 2 pred_maj")


@pytest.mark.parametrize(
    ("completion", "counts", "steps"),
    [
        ("a\n\nb\n\n", 3, ["a", "b", ""]),
        ("a\n\nb\n\n", 2, ["a", "b"]),
        ("a\nb\n\nc", 4, ["a", "b", "", "c"]),
        # No cut fits: the first one is taken, and the rewards are refused where they join.
        ("a\n\nb", 5, ["a", "b"]),
    ],
)
def test_the_cut_is_the_one_that_fits_the_scores(tmp_path, completion, counts, steps):
    row = search_and_learn_row(completions=[completion] * 2, scores=[[0.5] * counts] * 2)
    cases, rewards, *_ = imported(tmp_path, [row])
    assert cases["steps"].to_list() == [steps] * 2
    assert rewards["rewards"].list.len().to_list() == [counts] * 2


def test_scores_that_are_not_one_list_a_completion_are_not_read(tmp_path):
    row = search_and_learn_row(scores=[[0.5, 0.5]])
    cases, rewards, _, codes = imported(tmp_path, [search_and_learn_row(1), row])
    assert cases.height == 4
    assert rewards["reason"].is_null().to_list() == [True, True, False, False]
    assert "length-mismatch" in codes


def test_the_scorer_is_called_as_it_is_stated(tmp_path):
    stated = ReadOptions(columns=ColumnMapping(rewards={"my-prm": "scores"}))
    assert imported(tmp_path, ROWS["search_and_learn"], options=stated)[2] == "my-prm"


def test_versa_s_chains_are_as_the_file_says(tmp_path):
    cases, rewards, name, _ = imported(tmp_path, ROWS["versaprm"], "leaves_with_VersaPRM_rewards.json")
    assert name == "VersaPRM"
    assert cases["subset"].unique().to_list() == ["botany"]
    assert cases["final_answer_correct"].to_list() == [True, False, True] * 3
    assert rewards["rewards"].to_list() == [[0.5, 0.25], [0.5, 0.5], None] * 3
    assert rewards["reason"].drop_nulls().unique().to_list() == ["there are no rewards here"]
    assert cases["problem_id"].n_unique() == 3
    assert cases["reference_answer"].unique().to_list() == ["A"]


@pytest.mark.parametrize("key", ["gt_answer", "ground_truth", "reference_answer"])
@pytest.mark.parametrize("name", ["search_and_learn", "versaprm", "math_aps", "skywork"])
def test_the_reference_that_answers_are_compared_with_is_the_case_s(tmp_path, name, key):
    """Whatever the row calls it: a PRM that reads the reference answer is given it."""
    rows = [{name: value for name, value in row.items() if name not in REFERENCES} | {key: "12"} for row in ROWS[name]]
    if name == "versaprm":
        # The answer of a chain is none.
        for row in rows:
            row["chain_of_thoughts"] = [chain | {"answer": "7"} for chain in row["chain_of_thoughts"]]
    (read,) = read_sources([write(tmp_path, rows)], ImportOptions(), None, None).imported
    assert read.cases["reference_answer"].unique().to_list() == ["12"]


def as_columns(rows):
    return {
        **{key: [row[key] for row in rows] for key in ("text", "scores", "results", "subset", "id", "num_correct")},
        "model": "org/judge",
    }


@pytest.mark.parametrize("columns", [False, True])
def test_rewardbench_s_texts_are_parted_at_the_answer(tmp_path, columns):
    rows = rewardbench_rows_of_prompts(right=2)
    name = "scores.json" if columns else "file.jsonl"
    cases, rewards, scorer, codes = imported(tmp_path, as_columns(rows) if columns else rows, name)
    assert scorer == "org/judge"
    problems = [f"<|user|>\nName fruit {number}.\n<|assistant|>" for number in range(2)]
    assert cases["problem"].unique(maintain_order=True).to_list() == problems
    assert cases["steps"][0].to_list() == ["\nA good fruit."]
    assert cases["final_answer_correct"].to_list() == [True, True, False] * 2
    # One number a text, also where it is in a list of one.
    assert rewards["solution"].to_list() == [0.5, 0.25, 0.5] * 2
    assert codes == ["responses"]


def test_messages_are_parted_before_the_last(tmp_path):
    row = rewardbench_rows_of_prompts(prompts=1)[0]
    ask = {"role": "user", "content": "Name a fruit."}
    row["text"] = [[ask, {"role": "assistant", "content": name}] for name in ("Fig", "Kelp", "Stone")]
    cases, *_ = imported(tmp_path, [row])
    assert cases["problem"].unique().to_list() == ["Name a fruit."]
    assert cases["steps"].to_list() == [["Fig"], ["Kelp"], ["Stone"]]


def test_math_aps_s_prefixes_become_steps(tmp_path):
    cases, rewards, name, _ = imported(tmp_path, ROWS["math_aps"])
    assert name == "mc_value"
    assert cases["steps"].to_list() == [["Take two. ", "So \\boxed{7}."], ["Take two. ", "So \\boxed{8}."]] * 3
    assert rewards["rewards"].to_list() == [[0.5, 1.0], [0.5, 0.0]] * 3
    assert cases["final_answer_correct"].to_list() == [True, False] * 3


@given(
    ends=st.lists(st.text("ab", max_size=4), min_size=1, max_size=8, unique=True),
)
def test_a_response_is_a_prefix_that_no_other_continues(ends):
    row = {"question": "q", "reasoning_steps": [{"solution_prefix": end, "mc_value": len(end)} for end in ends]}
    rows = Rows("file", "made")
    rows.add(row)
    whole = [end for end in ends if end and not any(other != end and other.startswith(end) for other in ends)]
    made = [response.value for response in unfold(rows, "math_aps").rows.rows] if whole else []
    assert ["".join(record["reasoning_steps"]) for record in made] == whole
    for record, end in zip(made, whole, strict=True):
        chain = sorted((other for other in ends if other and end.startswith(other)), key=len)
        assert record["mc_value"] == list(map(len, chain))


BROKEN = [
    (search_and_learn_row(completions=["a", None]), "completions[1] is null, not text"),
    (search_and_learn_row(completions=[]), "the row holds no completions"),
    (versa_row(chain_of_thoughts=7), "chain_of_thoughts is a number, not a list"),
    ({**rewardbench_rows_of_prompts()[0], "scores": [1.0]}, "text and scores are not lists of the same length"),
    ({**rewardbench_rows_of_prompts()[0], "num_correct": "two"}, "num_correct is not a number of texts"),
    ({**rewardbench_rows_of_prompts()[0], "text": ["a", "b", "c"]}, "the texts of the row share no prompt"),
    ({**math_aps_row(), "reasoning_steps": [{"mc_value": 1}]}, "reasoning_steps is not a list of objects"),
    (["no object"], "the row is a list, not an object"),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_a_broken_row_costs_itself_alone_and_is_told(tmp_path, broken, message):
    name = next((name for name, kind in RESPONSE_LISTS.items() if set(ROWS[name][0]) == set(broken)), "math_aps")
    sound = ROWS[name]
    source = read_source(write(tmp_path, [*sound, broken]))
    told = [(finding.message, finding.line) for finding in source.imported[0].findings if finding.severity == "error"]
    assert len(told) == 1
    assert told[0][0].startswith(message)
    assert told[0][1] == len(sound) + 1
    alone = read_source(write(tmp_path, sound))
    assert source.imported[0].cases.drop("line").equals(alone.imported[0].cases.drop("line"))


def test_a_file_of_broken_rows_is_refused_in_a_sentence(tmp_path):
    rows = [search_and_learn_row(number, completions=[]) for number in range(2)]
    with pytest.raises(UnknownFormat, match="holds responses that can be read \\(the row holds no completions\\)"):
        read_source(write(tmp_path, rows))


def test_completions_of_equal_text_are_cases_of_their_own(tmp_path):
    # Beam search fills up with copies.
    row = search_and_learn_row(completions=["Same.\n\nIt is \\boxed{12}."] * 3, scores=[[0.5, 0.25]] * 3)
    batch = read_sources([write(tmp_path, [row])], ImportOptions(), None, None)
    assert batch.imported[0].cases.height == batch.joined[0].joined == 3
    assert "equal-texts" not in {finding.code for finding in batch.joined[0].findings}


def test_another_scorer_s_file_of_the_same_responses_makes_no_cases(tmp_path):
    rows = ROWS["search_and_learn"]
    again = [{**row, "scores": [[0.1, 0.2]] * 2} for row in rows]
    broken = search_and_learn_row(9, completions=[])
    paths = [write(tmp_path, rows, "first.jsonl"), write(tmp_path, [*again, broken], "second.jsonl")]
    batch = read_sources(paths, ImportOptions(), None, None)
    assert [part.benchmark for part in batch.imported] == ["first"]
    assert [(part.results.name, part.joined) for part in batch.joined] == [("first", 6), ("second", 6)]
    assert [finding.message for finding in batch.joined[1].findings] == ["the row holds no completions"]
    # One response that is of no case that is here, and it is a file of its own.
    paths[1] = write(tmp_path, [*again, search_and_learn_row(7)], "second.jsonl")
    batch = read_sources(paths, ImportOptions(), None, None)
    assert [(part.benchmark, part.cases.height) for part in batch.imported] == [("first", 6), ("second", 8)]


def test_a_file_that_grew_gives_its_new_cases(tmp_path):
    rows, workspace = ROWS["search_and_learn"], Workspace(tmp_path / "w")
    for count in (2, 3, 3):
        path = write(tmp_path, rows[:count])
        read_sources([path], ImportOptions(), workspace, None).put(workspace)
        assert workspace.cases()[0].height == 2 * count


def test_skywork_s_rows_join_cases_that_are_there(tmp_path):
    rows = ROWS["skywork"]
    known = [
        {"id": f"k{place}", "problem": row["problem"], "steps": row["response"].split("\n")}
        for place, row in enumerate(rows)
    ]
    paths = [write(tmp_path, known, "known.jsonl"), write(tmp_path, rows, "prm.jsonl")]
    batch = read_sources(paths, ImportOptions(), None, None)
    assert [part.benchmark for part in batch.imported] == ["known"]
    assert batch.joined[0].joined == 2


def test_the_same_rows_as_parquet_give_the_same_cases(tmp_path):
    rows = ROWS["search_and_learn"]
    pl.DataFrame(rows).write_parquet(tmp_path / "file.parquet")
    table = read_source(str(tmp_path / "file.parquet")).imported[0].cases
    lines = read_source(write(tmp_path, rows)).imported[0].cases
    assert table.drop("source", "line").equals(lines.drop("source", "line"))


@up_to(100, 10)
@given(name=st.sampled_from(sorted(ROWS)), data=st.data())
def test_rows_that_may_hold_anything_become_cases_or_findings(name, data):
    sound = ROWS[name][0]
    near = data.draw(rows_near(sound))
    inner = {"versaprm": "chain_of_thoughts", "math_aps": "reasoning_steps"}.get(name)
    if inner is not None:
        near += [{**sound, inner: data.draw(rows_near(sound[inner][0]))}]
    rows = Rows("file", "made")
    # The sound one says which kind of file it is.
    for row in [sound, *near]:
        rows.add(row)
    made = unfold(rows, name)
    cases = table.load(made.rows, replace(made.mapping, benchmark="made")).cases
    read = results(made.rows, made.mapping)[0].rows
    assert cases.height >= 1
    assert set(read["id"]) >= set(cases["id"])
    assert cases["final_answer_correct"].dtype == pl.Boolean
    lost = [finding for finding in made.findings if finding.severity == "error"]
    assert {finding.line for finding in lost} <= set(range(2, len(near) + 2))
