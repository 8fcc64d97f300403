import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.results.names import named_after_folder, scorer_name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("some/where/gpt4_eval_results.json", "gpt4"),
        ("reasoneval_wizardmath-7b-v1.1_eval_results.json", "reasoneval_wizardmath-7b-v1.1"),
        ("physics/prm_result/Qwen2.5-Math-PRM-7B_details.jsonl", "Qwen2.5-Math-PRM-7B"),
        ("judge_result.jsonl", "judge"),
        ("judge_results.JSONL", "judge"),
        ("judge_checkpoint.jsonl", "judge"),
        ("judge_error.jsonl", "judge"),
        ("judge_correct.jsonl", "judge"),
        ("judge_checkpoint_results.jsonl", "judge"),
        # Only what follows a name is an ending.
        ("results_of_judge.jsonl", "results_of_judge"),
        ("self_correct_judge.jsonl", "self_correct_judge"),
        ("R-PRM/prm_result.jsonl", "R-PRM"),
        ("judge/results.jsonl", "judge"),
        ("judge/eval_results/samples.json", "judge"),
        ("judge_details/predictions.parquet", "judge"),
        (r"C:\runs\judge\results.jsonl", "judge"),
        ("results.jsonl", "results"),
        ("/results.jsonl", "results"),
        ("./results.jsonl", "results"),
        ("results/prm_result.jsonl", "prm_result"),
        # As if it had been unpacked; an archive is a folder of its members.
        ("a/judge_details.jsonl.gz", "judge"),
        ("judge.arrow.ZST", "judge"),
        ("runs.zip/judge.jsonl", "judge"),
        ("judge.zip/results.jsonl.bz2", "judge"),
        ("https://host/judge.feather", "judge"),
        ("-", "stdin"),
        # A folder says nothing where the file does, whatever the folder is called.
        ("results/mine.jsonl", "mine"),
        ("judge/mine.parquet", "mine"),
        ("judge/mine_results.csv", "mine"),
        ("results/mine.jsonl.gz", "mine"),
        ("judge/my-rewards.csv.zst", "my-rewards"),
        ("judge/gsm8k.jsonl", "gsm8k"),
        ("judge/step_rewards.jsonl", "step_rewards"),
        ("judge/rewards.jsonl", "judge"),
        ("judge/model_scores.jsonl", "judge"),
        ("judge/results/rewards.jsonl.gz", "judge"),
        # A dot in a name is no suffix.
        ("hf:someone/Judge-2.5-7B", "Judge-2.5-7B"),
        ("Judge-2.5", "Judge-2.5"),
        ("", ""),
    ],
)
def test_names(source, name):
    assert scorer_name(source) == name


@given(st.text())
def test_any_source_has_a_name(source):
    assert bool(scorer_name(source)) == bool(source)


@pytest.mark.parametrize(
    ("source", "name", "after_folder"),
    [
        ("judge/results.jsonl", "judge", True),
        ("judge/eval_results/samples.json", "judge", True),
        ("judge_details/gsm8k_error.jsonl", "judge", True),
        ("judge/mine.jsonl", "mine", False),
        ("mine/mine.jsonl", "mine", False),
        ("judge/results.jsonl", "called by --name", False),
        ("results.jsonl", "results", False),
        ("results/results.jsonl", "results", False),
    ],
)
def test_a_name_that_is_the_folders_is_known_as_such(source, name, after_folder):
    assert named_after_folder(source, name) is after_folder


@given(st.text())
def test_a_name_is_the_files_or_a_folders(source):
    name = scorer_name(source)
    assert name in source.replace("\\", "/")
    assert not named_after_folder(f"somewhere/{name}/mine.jsonl", "mine")
