"""Whoever was asked here can be asked again in the words of a run, and is the same scorer."""

import pytest

from scoring.__main__ import _parse
from scoring.models.critics.sampling import MODES, asked_here, flags_again
from scoring.runs.critic_command import _wish
from scoring.runs.critic_preparation import prepare_critic
from scoring.runs.generative.generative_catalogue import FAMILIES
from scoring.runs.prompts import keep_template, kept_template
from scoring.workspace.workspace import Workspace

OWN = "Judge. {problem} {steps} End with a boxed index."
ASKED = [
    *(
        (protocol, *([f"--mode={mode}"] if mode else ()))
        for protocol in MODES
        for mode in ("", *MODES[protocol])
        if mode != "slow"
    ),
    ("processbench", "--votes=8", "--temperature=0.3", "--top-p=0.9", "--top-k=7", "--answer-seed=none"),
    ("processbench", "--runs=3", "--temperature=1", "--answer-seed=5", "--max-tokens=99", "--logprobs=2"),
    ("processbench", "--thinking=on", "--thinking-budget=10"),
    ("grben", "--thinking=off", "--effort=low"),
    ("processbench", "--template"),
    *((name,) for name in FAMILIES),
    *(
        (name, f"--option={option}={values[-1]}")
        for name in FAMILIES
        for option, values in FAMILIES[name].options.items()
    ),
]


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


def prepared(workspace, *flags):
    args = _parse(["score", "bench", f"--workspace={workspace.root}", "--server=http://127.0.0.1:9", *flags])
    return prepare_critic(workspace, _wish(args), "org/gpt-4o", {"model": "org/gpt-4o"}, lambda _: None, name=args.name)


@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_its_flags_make_it_again(workspace, tmp_path, asked):
    protocol, *flags = asked
    if flags == ["--template"]:
        (tmp_path / "own.txt").write_text(OWN)
        flags = [f"--template={tmp_path / 'own.txt'}"]
    first = prepared(workspace, f"--critic={protocol}", *flags)
    keep_template(workspace.root, first.template)
    (tmp_path / "own.txt").unlink(missing_ok=True)
    assert asked_here(first.scorer)
    votes, runs = first.asking.votes, first.asking.runs
    again = prepared(workspace, *flags_again(first.scorer, votes, runs, kept_template(workspace.root, first.scorer)))
    assert again.scorer == first.scorer
    assert (again.asking.votes, again.asking.runs) == (votes, runs)
