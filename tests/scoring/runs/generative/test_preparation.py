import pytest

import making
import reference
from scoring.data.errors import UsageError
from scoring.models.asking import Sampling
from scoring.models.critics.lint import CaseTexts
from scoring.runs.arguments import GENERATIVE
from scoring.runs.critic_preparation import CriticOptions, prepare_critic
from scoring.runs.generative.generative_catalogue import FAMILIES


@pytest.fixture
def workspace(tmp_path):
    return making.workspace(tmp_path / "ws", [reference.Case(2, 0)], [])


@pytest.fixture
def prepared(workspace):
    def prepare(protocol, **how):
        return prepare_critic(
            workspace, CriticOptions(protocol, **how), "org/Model-7B", {"model": "Model-7B"}, lambda _: None
        )

    return prepare


def test_the_command_line_offers_every_family():
    assert tuple(FAMILIES) == GENERATIVE


@pytest.mark.parametrize(
    ("family", "votes", "options", "sampling", "seed"),
    [
        ("thinkprm", 1, {}, Sampling(0.0, max_tokens=8172), 0),
        ("thinkprm", 4, {}, Sampling(0.4, max_tokens=8172), 0),
        ("rprm", 10, {}, Sampling(0.95, 0.95, max_tokens=8192), 0),
        ("rprm", 8, {"reader": "text"}, Sampling(0.7, 0.8, 20, 32768), 42),
        ("genprm", 1, {}, Sampling(0.6, 0.95, 20, 2048), 0),
    ],
)
def test_how_each_generates(prepared, family, votes, options, sampling, seed):
    found = prepared(family, votes=votes, options=options).asking
    asker = found.asker()
    assert (asker.family.sampling, asker.seed, found.votes, found.max_tokens) == (
        sampling,
        seed,
        votes,
        sampling.max_tokens,
    )


def test_it_is_a_prm_with_rewards_from_0_to_1_cut_at_a_half(prepared):
    scorer = prepared("rprm").scorer
    assert (scorer.name, scorer.kind, scorer.family) == ("Model-7B-rprm-t0.95", "prm", "Model-7B")
    assert (scorer.threshold, scorer.comparison, scorer.low, scorer.high) == (0.5, "<", 0.0, 1.0)


def test_all_that_changes_numbers_makes_another_scorer(prepared, tmp_path):
    own = tmp_path / "own.txt"
    own.write_text("{problem} {previous} {step}")
    found = [
        prepared("rprm"),
        prepared("rprm", options={"reader": "text"}, sampling={"temperature": 0.95, "top_p": 0.95, "max_tokens": 8192}),
        prepared("rprm", options={"first": "none"}),
        prepared("rprm", sampling={"temperature": 0.9}),
        prepared("rprm", sampling={"seed": 1}),
        prepared("rprm", template=own),
        prepared("thinkprm"),
    ]
    assert len({one.scorer.fingerprint for one in found}) == len(found)
    assert prepared("rprm", votes=3).scorer.fingerprint == found[0].scorer.fingerprint


def test_what_is_not_the_papers_is_told(prepared):
    told = "\n".join(prepared("genprm").notes)
    assert "code is not run, and the model imagines what it would print" in told
    assert "not those it was trained on; --template FILE" in told
    assert "--votes N" in told
    assert "first calls alone" not in told
    assert "no verification by code" in "\n".join(prepared("genprm", options={"verify": "off"}).notes)
    assert "first calls alone" in "\n".join(prepared("genprm", dry_run=True).notes)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"mode": "slow"}, "genprm has no mode"),
        ({"shots": 1}, "genprm has no worked examples"),
        ({"options": {"execute": "on"}}, "no option 'execute'.*analyze, verify, rounds"),
        ({"options": {"rounds": "9"}}, "rounds cannot be '9' with genprm.*3 or 1 or 2"),
        ({"sampling": {"thinking": True, "logprobs": 5}}, "says itself what is asked of logprobs and thinking"),
        ({"votes": 2, "sampling": {"temperature": 0.0}}, "all would be the same"),
    ],
)
def test_wishes_that_it_does_not_have(prepared, how, told):
    with pytest.raises(UsageError, match=f"(?s){told}") as error:
        prepared("genprm", **how)
    assert error.value.next_step


def test_critics_have_no_options(workspace):
    with pytest.raises(UsageError, match="processbench has no options"):
        prepare_critic(workspace, CriticOptions("processbench", options={"a": "b"}), "m", {}, lambda _: None)


def test_odd_texts_of_cases_are_told(prepared):
    (found,) = prepared("rprm").lint([CaseTexts("?", ["a", " "]), CaseTexts("?", ["a"])])
    assert (found.severity, found.kind, found.cases) == ("warning", "empty step", 1)
