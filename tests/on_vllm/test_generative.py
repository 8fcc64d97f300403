"""Each family of generative PRMs asks a tiny random model through a real vLLM, one of ours and a server."""

import json

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scoring.engines.server.chat import ChatServers  # noqa: E402  # stands with the ones below
from scoring.models.asking import Answered, GenerationRequest, Message, Sampling  # noqa: E402  # stands with the ones below
from scoring.runs.generative.decision_words import LIKELIEST, DecisionWords  # noqa: E402  # stands with the ones below
from scoring.runs.generative.dialogues import Dialogues  # noqa: E402  # stands with the ones below
from scoring.runs.generative.generative_catalogue import FAMILIES  # noqa: E402  # stands with the ones below
from scoring.runs.generative.talk import DECIDING  # noqa: E402  # stands with the ones below
from scoring.runs.plan import MissingAnswers  # noqa: E402  # stands with the ones below
from scoring.runs.run_cases import RunCase  # noqa: E402  # stands with the ones below
from vllm_rewards import TOLERANCE  # noqa: E402  # needs torch

pytestmark = pytest.mark.vllm

CASE = RunCase("b/1", "key", "1 + 1?", ["It is 2.", "So 2."], ())
SAMPLING = Sampling(temperature=1.0, max_tokens=6)
WRITTEN = (Message("user", "1 + 1?"), Message("assistant", "It is 2. Is the step correct (Yes/No)?"))
SHORT = {"genprm": "{problem}\n{step}", "thinkprm": "{problem} {steps}", "rprm": "{problem} {previous} {step}"}


@pytest.fixture
def loaded(chat_child):
    chat_child.sampling = SAMPLING
    return chat_child


@pytest.fixture
def prm(tmp_path):
    def made(name, **options):
        found = FAMILIES[name]
        every, path = found.chosen_options(options), tmp_path / "short.txt"
        path.write_text(SHORT[name])
        return found.make(found.wording(path, every), every, SAMPLING)

    return made


def rows(engine, family, votes):
    """The rows of some votes, and how many calls they took."""
    asker, calls = Dialogues(family, 1), 0
    for one in engine.answers(asker.asks(iter([(MissingAnswers(0, 0, tuple(range(votes))), CASE)]))):
        if isinstance(one, Answered):
            calls += one.calls
            asker.take(one)
    return [row for settled in asker.settled() for row in settled.rows], calls


@pytest.mark.parametrize("name", FAMILIES)
def test_every_vote_ends_with_rewards_or_with_a_reason(loaded, prm, name):
    found, calls = rows(loaded, prm(name), votes=3)
    assert len(found) == 3
    assert calls >= 3
    for row in found:
        assert row["answer"] is not None
        texts = json.loads(row["answer"])
        assert len(texts) == (1 if name == "genprm" else 2)
        assert (row["rewards"] is None) != (row["reason"] is None)
        assert row["tokens_in"] > 0
        assert row["tokens_out"] > 0


def logits(folder):
    """Of the token behind WRITTEN, by transformers, with the tokenizer."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    asked, written = ({"role": message.role, "content": message.text} for message in WRITTEN)
    begun = tokenizer.apply_chat_template([asked], add_generation_prompt=True, return_dict=False)
    ids = begun + tokenizer.encode(written["content"], add_special_tokens=False)
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0, -1], tokenizer


@pytest.mark.parametrize("where", ["of ours", "on a server"])
def test_the_reward_is_that_of_transformers(where, loaded, chat_folder, critic_folder, request):
    """A random model's likeliest tokens are no words, so two of them stand for Yes and No."""
    engine, folder = loaded, chat_folder
    if where == "on a server":
        folder = critic_folder
        engine = ChatServers.connect([request.getfixturevalue("generate_server")], SAMPLING)
    answers = engine.answers(iter([GenerationRequest(0, WRITTEN, sampling=DECIDING)]))
    ((answer,),) = [one.answers for one in answers if isinstance(one, Answered)]
    (place,) = answer.logprobs
    values, tokenizer = logits(folder)
    likeliest = values.topk(LIKELIEST).indices
    assert [number for _, number in place.top] == pytest.approx(
        values.log_softmax(-1)[likeliest].tolist(), abs=10 * TOLERANCE
    )
    # Tokens that are parts of a letter share one text.
    whole = [index for index in likeliest.tolist() if "\ufffd" not in tokenizer.decode([index])][:2]
    yes, no = map(tokenizer.decode, ([index] for index in whole))
    assert DecisionWords(yes, no).probability(place) == pytest.approx(
        values[whole].softmax(-1)[0].item(), abs=TOLERANCE
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_a_server_is_asked_as_well(name, generate_server, prm):
    found, calls = rows(ChatServers.connect([generate_server], SAMPLING), prm(name), votes=2)
    assert len(found) == 2
    assert calls >= 2
    assert all((row["rewards"] is None) != (row["reason"] is None) for row in found)
    assert not any((row["reason"] or "").startswith(("no log-probabilities", "no answer")) for row in found)
