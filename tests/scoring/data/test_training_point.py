"""Which checkpoint of which run a scorer is: guessed from a path, stated, kept in `scorer.json`."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import UsageError
from scoring.data.scorer import Scorer
from scoring.data.training_point import (
    LARGEST,
    NOWHERE,
    TrainingPoint,
    checkpoints_in,
    guessed_point,
    point_of_model,
    stated_point,
)
from scoring.workspace.reservation import as_checkpoint

PATHS = {
    "/runs/RUN/checkpoint-1200": ("RUN", 1200),
    "/runs/RUN/checkpoint-1200/": ("RUN", 1200),
    "/runs/RUN/checkpoint-100.jsonl": ("RUN", 100),
    "/runs/RUN/checkpoint-100.jsonl.gz": ("RUN", 100),
    "/runs/RUN/checkpoint-100_results.json": ("RUN", 100),
    "/runs/RUN/checkpoint-7/gsm8k.jsonl": ("RUN", 7),
    "/runs/RUN/checkpoint-7/evals/gsm8k.jsonl": ("RUN", 7),
    "/runs/RUN/checkpoints/checkpoint-7/gsm8k.jsonl": ("RUN", 7),
    "/evals/my-prm-checkpoint-300.jsonl": ("my-prm", 300),
    "/evals/my.prm_checkpoint-300/x.jsonl": ("my.prm", 300),
    "/runs/RUN/Checkpoint-5/x.jsonl": ("RUN", 5),
    "/runs/RUN/checkpoint-5/other/checkpoint-6/x.jsonl": ("other", 6),
    "/data/evals.zip#RUN/checkpoint-100.jsonl": ("RUN", 100),
    "/data/RUN.zip#checkpoint-100.jsonl": ("RUN", 100),
    r"C:\runs\RUN\checkpoint-100\x.jsonl": ("RUN", 100),
    "https://host.example/RUN/checkpoint-100/x.jsonl": ("RUN", 100),
    "https://host.example/checkpoint-100.jsonl": (None, None),
    "/checkpoint-100.jsonl": (None, None),
    "-": (None, None),
    "/runs/RUN/checkpoint.jsonl": (None, None),
    "/runs/RUN/checkpoint-last/x.jsonl": (None, None),
    "/runs/RUN/mycheckpoint-100/x.jsonl": (None, None),
    "/runs/RUN/checkpoint-1.5/x.jsonl": (None, None),
    "/runs/RUN/checkpoint-100b/x.jsonl": (None, None),
    "/runs/RUN/checkpoint-9/a/b/c.jsonl": (None, None),
}


@pytest.mark.parametrize(("path", "expected"), PATHS.items())
def test_a_path_says_run_and_step_or_nothing(path, expected):
    found = guessed_point(path)
    assert (found.series, found.at) == expected
    assert found.guessed == found.known == (expected[0] is not None)


@given(st.text(max_size=60))
def test_whatever_a_path_is_something_or_nothing_is_seen(path):
    found = guessed_point(path)
    assert found.known or found == NOWHERE
    assert not found.known or found.words.startswith("step ")


def test_a_model_is_told_by_its_folder_and_by_a_link_to_it(tmp_path, monkeypatch):
    folder = tmp_path / "RUN" / "checkpoint-1200"
    folder.mkdir(parents=True)
    (tmp_path / "latest").symlink_to(folder)
    (tmp_path / "best").mkdir()
    (tmp_path / "NEW").mkdir()
    (tmp_path / "NEW" / "checkpoint-3").symlink_to(tmp_path / "best")
    for model, expected in {
        str(folder): ("RUN", 1200),
        str(tmp_path / "latest"): ("RUN", 1200),
        str(tmp_path / "NEW" / "checkpoint-3"): ("NEW", 3),
        str(tmp_path / "best"): (None, None),
        "RUN/checkpoint-1300": (None, None),
        "ORG/checkpoint-1200": (None, None),
    }.items():
        assert (point_of_model(model).series, point_of_model(model).at) == expected, model
    monkeypatch.chdir(folder)
    assert (point_of_model(".").series, point_of_model(".").at) == ("RUN", 1200)


def test_what_is_stated_wins_over_a_guess_part_by_part():
    guess = TrainingPoint("RUN", 100, guessed=True)
    assert stated_point(None, None, guess) is guess
    assert stated_point("other", None, guess) == TrainingPoint("other", 100)
    assert stated_point(None, 0, guess) == TrainingPoint("RUN", 0)
    assert stated_point("other", 7, NOWHERE) == TrainingPoint("other", 7)


@pytest.mark.parametrize(
    ("series", "at", "said"),
    [
        ("RUN", None, "--series RUN does not say at which training step. Add --at STEP."),
        (None, 5, "--at 5 does not say of which training run. Add --series NAME."),
        (" ", 5, "--series is empty."),
        ("RUN", -1, "--at -1 is not a number of training steps."),
        ("RUN", LARGEST + 1, "is not a number of training steps."),
    ],
)
def test_half_of_it_is_an_error_in_one_sentence(series, at, said):
    with pytest.raises(UsageError) as caught:
        stated_point(series, at, NOWHERE)
    assert said in str(caught.value)


POINTS = (NOWHERE, TrainingPoint("a", 1), TrainingPoint("b", 2), TrainingPoint("b", 2, guessed=True))


@pytest.mark.parametrize(("now", "before"), product(POINTS, POINTS))
def test_a_guess_fills_what_is_empty_and_a_statement_overrules(now, before, tmp_path):
    scorer = Scorer("a", "f" * 16, settings={"x": 1})
    scorer.as_checkpoint(before).save(tmp_path)
    written = (tmp_path / "scorer.json").read_bytes()
    expected = before if not now.known or (now.guessed and before.known) else now
    for keep in (False, True):
        made = as_checkpoint(scorer, tmp_path, now, keep=keep)
        assert made.training.same(expected)
        kept = Scorer.load(tmp_path)
        assert kept.training.same(expected if keep else before)
    assert kept == scorer.as_checkpoint(expected)
    assert ((tmp_path / "scorer.json").read_bytes() == written) == expected.same(before)


def test_the_checkpoints_of_a_run_are_found_in_the_order_of_their_steps(tmp_path):
    def made(name, file):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / file).touch()

    for step, file in ((1000, "model.safetensors"), (200, "adapter_model.bin"), (30, "model.safetensors.index.json")):
        made(f"checkpoint-{step}", file)
    made("checkpoint-5", "optimizer.bin")
    made("checkpoint-last", "model.safetensors")
    made("runs", "model.safetensors")
    (tmp_path / "checkpoint-6").touch()
    (tmp_path / "training_args.bin").touch()
    assert [path.name for path in checkpoints_in(tmp_path)] == [f"checkpoint-{step}" for step in (30, 200, 1000)]
    assert checkpoints_in(tmp_path / "checkpoint-30") == ()
    assert checkpoints_in(tmp_path / "none") == ()
    # What was saved at the end is the model.
    (tmp_path / "model.safetensors").touch()
    assert checkpoints_in(tmp_path) == ()
