import json
from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace

import making
import reference
import rows_out
from authored import write
from benchmark_rows import grben
from inspector.cli import main
from refusals import sentence_of
from scoring.data.schema import REWARDS
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.benchmarks.own import cases_frame
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace

BENCH = [
    reference.Case(2, 1, (0.9, 0.1), subset="one", error_steps=(1,)),
    reference.Case(3, 0, (0.5, 0.5, 0.7), subset="two"),
    reference.Case(2, -1, (0.9, 0.8), subset="two", error_steps=()),
    reference.Case(2, None, (0.9, 0.8), subset="two"),
    reference.Case(4, 1, None, subset="two", refused="over length"),
    reference.Case(1, 0, None, subset="two"),
]
DEMO = ("--benchmark", "demo")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def bench():
    """A workspace with six cases and two scorers."""
    beginning = [BENCH[0], *(replace(case, rewards=None, refused="") for case in BENCH[1:])]
    scorers = [(making.scorer("alpha"), BENCH), (making.scorer("beta"), beginning)]
    kinds = ["slip", "slip", "none", None, "gap", "gap"]
    return making.workspace(Path(".prm-inspect"), BENCH, scorers, error_type=kinds)


@pytest.fixture
def export(capsysbinary):
    """Runs `export`; gives exit code, the rows on stdout, the lines on stderr."""

    def run(*words):
        try:
            code = main(["export", *words])
        except SystemExit as left:
            code = left.code
        said = capsysbinary.readouterr()
        return code, rows(said.out), said.err.decode().splitlines()

    return run


def here():
    return sorted(path.name for path in Path().iterdir())


def rows(raw):
    assert raw == b"" or raw.endswith(b"\n")
    return [json.loads(line) for line in raw.splitlines()]


# -- cases


@pytest.mark.parametrize(
    ("name", "ids", "notes"),
    [
        ("processbench", [0, 1, 2, 4, 5], ["Cases left out, no earliest error is labelled: 1"]),
        ("grben", [0, 1, 2, 4, 5], ["Cases left out, no earliest error is labelled: 1"]),
        ("prmbench", [0, 2], ["Cases left out, not every step is labelled: 4"]),
    ],
)
def test_the_cases_go_to_stdout_and_what_was_left_out_to_stderr(bench, export, name, ids, notes):
    code, found, err = export("cases", "--to", name)
    assert code == 0
    assert [row.get("id", row.get("idx")) for row in found] == [f"c{index}" for index in ids]
    assert err == notes


def test_the_steps_that_trl_cannot_label_are_counted(bench, export):
    code, found, err = export("cases", "--to", "trl")
    assert code == 0
    assert [len(row["completions"]) for row in found] == [2, 1, 2, 2, 1]
    assert err == [
        "Steps left out by those cuts: 4",
        "Cases cut after their earliest error, for what follows is not labelled: 2",
        "Cases left out, no earliest error is labelled: 1",
    ]


def test_the_texts_are_those_of_the_cases_chosen_in_any_way(bench, export):
    code, found, _ = export("cases", "--to", "processbench", "--subset", "two", "--where", "n_steps < 4")
    assert code == 0
    assert [row["id"] for row in found] == ["c1", "c2", "c5"]
    assert [(row["problem"], row["steps"]) for row in found] == [making.texts(n, BENCH[n]) for n in (1, 2, 5)]


def test_a_file_is_the_same_bytes_as_stdout_and_quiet_says_nothing(bench, export):
    _, found, err = export("cases", "--to", "grben")
    assert export("cases", "--to", "grben", "-o", "rows.jsonl") == (0, [], [*err, "Wrote 5 rows to rows.jsonl"])
    assert rows(Path("rows.jsonl").read_bytes()) == found
    assert export("cases", "--to", "grben", "-o", "-", "-q") == (0, found, [])
    assert here() == [".prm-inspect", "rows.jsonl"]


def test_hostile_texts_arrive(export):
    steps = [*rows_out.HOSTILE]
    case = {"id": "x-1", "problem": "\u2028", "steps": steps, "earliest_error": 0, "line": 1, "subset": "x"}
    frame = cases_frame("bench", "made.jsonl", [case])
    Workspace.create(Path(".prm-inspect")).add([Imported("bench", "made.jsonl", "made", "0-based", 1, frame, ())])
    code, found, _ = export("cases", "--to", "processbench")
    assert code == 0
    assert [row["steps"] for row in found] == [steps]


# -- rewards


def test_the_rewards_of_one_scorer_as_grben_details(bench, export):
    code, found, err = export("rewards", "--to", "grben", "--scorer", "alpha")
    assert code == 0
    assert [(row["id"], row["domain"], row["gt_label"], row["pred_label"], row["probs"]) for row in found] == [
        ("c0", "one", 2, 2, [0.9, 0.1]),
        ("c1", "two", 1, -1, [0.5, 0.5, 0.7]),
        ("c2", "two", -1, -1, [0.9, 0.8]),
    ]
    assert err[0] == "alpha: threshold 0.5 (default)"
    assert set(err[1:]) == {
        "Cases left out, no earliest error is labelled: 1",
        "Cases left out, refused by the scorer: 1",
        "Cases left out, no step rewards: 1",
    }


def test_the_threshold_is_the_one_asked_for(bench, export):
    code, found, err = export("rewards", "--to", "grben", "--scorer", "alpha", "--threshold", "0.6")
    assert code == 0
    assert [(row["threshold"], row["pred_label"]) for row in found] == [(0.6, 2), (0.6, 1), (0.6, -1)]
    assert err[0] == "alpha: threshold 0.6 (chosen)"


def test_the_rewards_of_one_scorer_as_a_checkpoint_of_mr_eval(bench, export):
    code, found, err = export("rewards", "--to", "mr_eval", "--scorer", "alpha")
    assert code == 0
    assert {row["model_name"] for row in found} == {"alpha"}
    labels = {row["results"]["idx"]: row["results"]["scores"].get("step_level_validity_labels") for row in found}
    assert labels == {
        "slip_c0": [True, False],
        "slip_c1": [False, False, True],
        "none_c2": [True, True],
        "c3": [True, True],
        "gap_c4": None,
    }
    assert "Steps exactly on the threshold, wrong to mr_eval: 2" in err
    assert "Cases marked invalid, refused by the scorer: 1" in err
    assert "Cases left out, no step rewards: 1" in err


def test_mr_eval_may_call_the_model_otherwise(bench, export):
    _, found, _ = export("rewards", "--to", "mr_eval", "--scorer", "beta", "--name", "qwen_prm")
    assert [row["model_name"] for row in found] == ["qwen_prm"]


def test_twins_that_were_scored_come_along_for_mr_eval_alone(export):
    solution = {"problem": "2 + 2?", "steps": ["It is 4."], "line": 1}
    labelled = {**solution, "earliest_error": 0, "error_steps": [0], "error_type": "redundency"}
    frame = cases_frame("prmbench", "made.jsonl", [{**labelled, "id": f"redundency_{n}"} for n in (1, 2, 3)])
    twins = [
        {"id": f"correct_{n}", **solution, "problem": f"{n} + 2?", "earliest_error": -1, "error_steps": []}
        for n in (1, 2, 3)
    ]
    twins_frame = cases_frame(
        "prmbench", "made.jsonl", [{**twin, "twin_of": f"prmbench/redundency_{n}"} for n, twin in enumerate(twins, 1)]
    )
    root = Path(".prm-inspect")
    made = Workspace.create(root)
    made.add([Imported("prmbench", "made.jsonl", "made", "1-based", 3, frame, (), twins_frame)])
    scorer = making.scorer("alpha")
    scorer.save(root / "rewards" / scorer.folder)
    keys = [frame["key"][0], *twins_frame["key"][:2]]
    given = [{"key": key, "vote": 0, "rewards": [0.9]} for key in keys]
    RewardParts(root / "rewards" / scorer.folder).append(pl.DataFrame(given, schema=REWARDS, orient="row"))
    words = ("--to", "mr_eval", "--where", "case <> 'prmbench/redundency_2'")
    code, found, err = export("rewards", *words)
    assert code == 0
    assert [row["results"]["idx"] for row in found] == ["redundency_1", "redundency_3", "correct_1"]
    assert "Twins left out, no step rewards: 1" in err
    assert [row["idx"] for row in export("cases", "--to", "prmbench")[1]] == ["1", "2", "3"]


# -- what cannot be


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("cases", "--to", "mr_eval"),
            "in the format mr_eval. Cases can be written as processbench, prmbench,",
        ),
        (("cases", "--to", "csv"), "triage as csv, jsonl, processbench, prm800k, trl; variants as jsonl."),
        (("triage", "--to", "grben"), "there is no triage in the format grben."),
        (("cases", "--to", "trl", "--who", "ann"), "--who says whose triage is written. Leave it out for cases."),
        (("triage", "--to", "trl"), "(nobody rules on them or rates a step)"),
        (("rewards", "--to", "trl"), "there are no rewards in the format trl."),
        (("rewards", "--to", "grben"), "Choose it with --scorer: alpha, beta."),
        (("rewards", "--to", "grben", "--scorer", "gamma"), "no scorer matches 'gamma'"),
        (("cases", "--to", "trl", "--benchmark", "gsm"), "'gsm'"),
        (("cases", "--to", "trl", "-o", "nowhere/rows.jsonl"), "there is no folder nowhere"),
        (("cases", "--to", "trl", "-o", "."), "Cannot write"),
        (("cases", "--to", "prmbench", "--where", "id = 'c1'"), "nothing here can be written as prmbench"),
        (("cases", "--to", "prmbench", "--where", "id = 'c1'"), "(Cases left out, not every step is labelled: 1)"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_code_2_and_nothing_is_written(bench, export, words, said):
    before = here()
    code, found, err = export(*words)
    assert (code, found) == (2, [])
    assert said in sentence_of("\n".join(err))
    assert here() == before


def test_without_a_scorer_there_are_no_rewards(export):
    making.workspace(Path(".prm-inspect"), BENCH, [])
    code, _, err = export("rewards", "--to", "grben")
    assert code == 2
    assert "no scorer has rewards for these cases" in err[0]


def test_a_file_that_is_there_stays_when_nothing_can_be_written(bench, export):
    Path("rows.jsonl").write_text("mine")
    assert export("cases", "--to", "prmbench", "--where", "id = 'c1'", "-o", "rows.jsonl")[0] == 2
    assert Path("rows.jsonl").read_text() == "mine"


def test_no_case_chosen_gives_no_row_and_no_error(bench, export):
    assert export("cases", "--to", "grben", "--where", "n_steps > 99") == (0, [], [])


def test_ids_that_two_benchmarks_share_would_hide_each_other(export):
    root = Path(".prm-inspect")
    made = making.workspace(root, BENCH[:1], [])
    again = making.full_frame(BENCH[:1], "other")
    made.add([Imported("other", "made.jsonl", "made", "0-based", 1, again, ())])
    code, _, err = export("cases", "--to", "processbench")
    assert code == 2
    assert "bench, other" in err[0]
    assert export("cases", "--to", "processbench", "--benchmark", "other")[0] == 0
    assert len(export("cases", "--to", "trl")[1]) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "prm-inspect export needs cases|rewards|triage|variants and --to."),
        (("cases",), "prm-inspect export needs --to."),
        (("metrix", "--to", "trl"), "prm-inspect export takes no 'metrix'."),
        (("cases", "--to", "docx"), "'docx' is not a value of --to."),
    ],
)
def test_wrong_usage_is_a_sentence(export, words, sentence):
    code, found, err = export(*words)
    assert (code, found, len(err)) == (2, [], 1)
    assert err[0].startswith(sentence)


def test_the_demo_can_be_exported_from_nowhere(export):
    for what, name in (("cases", "processbench"), ("cases", "trl"), ("rewards", "grben")):
        code, found, _ = export(what, "--to", name, *DEMO, *(("--scorer", "blend") if what == "rewards" else ()))
        assert (code, len(found)) == (0, 240)
    assert list(Path().iterdir()) == []


def test_grben_gets_back_the_error_types_that_it_gave(export, tmp_path, capsysbinary):
    kinds = ["Logical error", "factual", "Knowledge error", "Spelling error", None]
    given = [grben(number, problem=f"What is {number}?", error_type=kind) for number, kind in enumerate(kinds)]
    write(tmp_path / "given.jsonl", given)
    assert main(["import", "-q", "given.jsonl"]) in {0, 1}
    capsysbinary.readouterr()
    code, written, _ = export("cases", "--benchmark", "grben", "--to", "grben")
    assert code == 0
    assert written == given
