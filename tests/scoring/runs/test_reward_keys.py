import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

import fake_scoring
from scoring.data.errors import DamagedWorkspace
from scoring.data.readout import Encoded
from scoring.data.reward_keys import reward_key, reward_keys
from scoring.data.schema import METADATA, READABLE, TEXTS
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.runs.events import End
from scoring.runs.prm_runs import Encoding
from scoring.runs.run import score
from scoring.workspace.cache import RewardParts

READER = replace(fake_scoring.SCORER, settings={"reads": ["reference_answer"]})
ANSWERS = ["12", "13", None, "12", ""]


@pytest.fixture
def frame():
    """Five cases of one content, with other reference answers."""
    whole = fake_scoring.cases(5)
    alike = [pl.lit(whole[name][:1]).first().alias(name) for name in ("key", "problem", "steps", "n_steps")]
    return whole.with_columns(*alike, reference_answer=pl.Series(ANSWERS, dtype=pl.String))


def encode(problem, steps, reference):
    ids = tuple(f"{reference}|{problem}|{steps}".encode())
    return Encoded(ids, tuple(range(len(ids) - len(steps), len(ids))))


def run(folder, frame, scorer=READER, **settings):
    engine = fake_scoring.Engine()
    found = list(
        score(
            frame,
            fake_scoring.texts(frame),
            scorer,
            RewardParts(folder),
            Encoding(lambda: encode),
            engine=lambda: engine,
            **settings,
        )
    )
    return engine, next(event for event in found if isinstance(event, End))


def judged(folder, frame, scorer=READER):
    rewards, _ = RewardParts(folder).read()
    keyed = reward_keys(frame, fake_scoring.texts(frame), scorer.reads)
    found = evaluate(Gold(frame.select(list(METADATA))), scorer, rewards, cases=keyed).rewards
    return [found.of(row) for row in range(frame.height)]


def test_equal_contents_share_rewards_where_the_further_text_is_equal_and_only_there(tmp_path, frame):
    engine, end = run(tmp_path, frame)
    assert (len(engine.ran), end.scored, end.saved) == (4, 4, 4)
    found = judged(tmp_path, frame)
    assert all(found)
    assert found[0] == found[3]
    assert len({tuple(rewards) for rewards in found}) == 4
    again, end = run(tmp_path, frame)
    assert (again.ran, end.cached) == ([], 4)


def test_a_case_that_comes_later_does_not_get_the_rewards_of_another_text(tmp_path, frame):
    run(tmp_path, frame, rows=[0, 3])
    found = judged(tmp_path, frame)
    assert [rewards is not None for rewards in found] == [True, False, False, True, False]
    engine, _ = run(tmp_path, frame, rows=[1])
    assert len(engine.ran) == 1
    assert judged(tmp_path, frame)[1] is not None


def test_rewards_that_read_further_texts_are_nobodys_without_them(tmp_path, frame):
    run(tmp_path, frame, rows=[0])
    rewards, _ = RewardParts(tmp_path).read()
    assert not evaluate(Gold(frame.select(list(METADATA))), READER, rewards).rewards.present.any()


def test_a_scorer_that_reads_no_more_has_the_keys_of_the_contents(frame):
    texts = fake_scoring.texts(frame)
    assert reward_keys(frame, texts, ()) is frame
    keys = reward_keys(frame, texts, READER.reads)["key"].to_list()
    assert keys[2] == frame["key"][2]
    assert len(set(keys)) == 4
    shuffled = np.array([4, 0, 2])
    assert reward_keys(frame[shuffled], texts.gather(shuffled), READER.reads)["key"].to_list() == [
        keys[row] for row in shuffled
    ]


def test_names_and_texts_are_told_apart():
    assert reward_key("k", [("a", None)]) == "k"
    pairs = [[("a", "bc")], [("ab", "c")], [("a", "b"), ("c", "")], [("a", "")], [("a", "b"), ("c", "d")]]
    assert len({reward_key("k", pair) for pair in pairs} | {reward_key("ka", [("", "bc")])}) == 6


def test_what_a_scorer_reads_is_kept_and_checked(tmp_path):
    READER.save(tmp_path)
    assert Scorer.load(tmp_path).reads == ("reference_answer",)
    assert all(TEXTS[name] == pl.String for name in READABLE - {"context"})
    for reads in (["steps"], "reference_answer", [[1]], None):
        replace(READER, settings={"reads": reads}).save(tmp_path)
        with pytest.raises(DamagedWorkspace, match="reads"):
            Scorer.load(tmp_path)
