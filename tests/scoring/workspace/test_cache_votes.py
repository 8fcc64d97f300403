import polars as pl
import pytest

import judged
from scoring.data.errors import FrameError
from scoring.data.schema import REWARDS, VOTES
from scoring.workspace.cache import BALLOTS, RewardParts, VoteParts


@pytest.fixture
def votes(parts):
    """The votes of the same scorer."""
    return VoteParts(parts.folder)


def rows(*ballots, key="k", run=0):
    return judged.votes([key], [ballots], run)


def test_votes_and_rewards_lie_side_by_side(parts, votes):
    path = votes.append(rows("1", None))
    parts.append(judged.labels(["k"], [[True]]))
    assert path.name.startswith("votes-")
    assert votes.parts() == [path]
    frame, problems = votes.read()
    assert (frame.schema, problems) == (VOTES, [])
    assert frame["ballot"].to_list() == ["1", None]
    assert parts.read()[0]["labels"].to_list() == [[True]]


def test_nothing_cached_is_an_empty_frame(votes):
    assert votes.read()[0].schema == VOTES
    assert votes.read(BALLOTS)[0].columns == list(BALLOTS)
    assert votes.answers("k").schema == VOTES


@pytest.mark.parametrize("unread_first", [True, False])
def test_a_row_that_votes_beats_one_that_does_not_whichever_is_later(votes, unread_first):
    both = [rows(None), rows("two")]
    for one in both if unread_first else reversed(both):
        votes.append(one)
    assert votes.read()[0]["ballot"].to_list() == ["two"]


def test_a_verdict_alone_beats_neither(votes):
    votes.append(rows("1").with_columns(ballot=pl.lit(None, dtype=pl.String)))
    votes.append(rows(None))
    assert votes.read()[0]["verdict"].to_list() == [1]


def test_the_later_part_wins_and_runs_are_rows_of_their_own(votes):
    votes.append(rows("1"))
    votes.append(rows("2"))
    votes.append(rows("0", run=1))
    frame, _ = votes.read()
    assert frame.select("run", "ballot").rows() == [(0, "2"), (1, "0")]
    votes.compact()
    assert votes.read()[0].equals(frame)
    assert len(votes.parts()) == 1


def test_the_small_columns_are_read_without_the_texts(votes):
    votes.append(rows("1", None, "two"))
    frame, problems = votes.read(BALLOTS)
    assert (frame.columns, problems) == (list(BALLOTS), [])
    assert frame.equals(votes.read()[0].select(BALLOTS))


def test_the_answers_to_one_case_come_in_order(votes):
    votes.append(rows("1", "2", key="other"))
    votes.append(rows("0", "1").sort("vote", descending=True))
    found = votes.answers("k")
    assert found["ballot"].to_list() == ["0", "1"]
    assert all("I think long." in answer for answer in found["answer"])
    assert votes.answers("nobody").is_empty()


def test_votes_that_a_notebook_wrote(votes):
    votes.folder.mkdir()
    columns = {"key": ["k"], "ballot": ["1"], "verdict": [1], "tokens_in": pl.Series([5], dtype=pl.UInt8), "mine": [0]}
    pl.DataFrame(columns).write_parquet(votes.folder / "votes-mine.parquet")
    for frame, problems in (votes.read(), votes.read(BALLOTS)):
        assert not problems
        assert frame.select("key", "vote", "run", "verdict").rows() == [("k", 0, 0, 1)]


@pytest.mark.parametrize(
    "columns", [{"key": ["k"]}, {"key": ["k"], "verdict": ["1"]}, {"key": [1], "ballot": ["1"]}, {"ballot": ["1"]}]
)
def test_a_part_of_something_else_is_reported_and_the_others_are_read(votes, columns):
    votes.append(rows("1"))
    pl.DataFrame(columns).write_parquet(votes.folder / "votes-foreign.parquet")
    for wanted in ((), BALLOTS):
        frame, [problem] = votes.read(wanted)
        assert frame["key"].to_list() == ["k"]
        assert "votes-foreign.parquet was left out: " in problem


def test_rows_of_other_dtypes_are_refused(votes):
    with pytest.raises(FrameError, match="column 'verdict' of votes"):
        votes.append(rows("1").with_columns(verdict=pl.lit("1")))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("labels", [[True, False]]),
        ("solution", [0.5]),
        ("solution", pl.Series([0.5], dtype=pl.Float32)),
        ("solution", [1]),
    ],
)
def test_parts_of_labels_or_numbers_need_no_rewards(parts, column, values):
    parts.folder.mkdir()
    pl.DataFrame({"key": ["k"], column: values}).write_parquet(parts.folder / "part-mine.parquet")
    frame, problems = parts.read()
    assert not problems
    assert frame[column].to_list() == list(values)
    assert frame.schema == REWARDS


def test_labels_that_are_numbers_are_no_labels(parts):
    parts.folder.mkdir()
    pl.DataFrame({"key": ["k"], "labels": [[1, 2]]}).write_parquet(parts.folder / "part-mine.parquet")
    assert "column 'labels'" in parts.read()[1][0]


@pytest.mark.parametrize("frame", [judged.labels(["k"], [[True]]), judged.solutions(["k"], [0.5])])
def test_labels_and_numbers_are_no_refusals(parts, frame):
    refused = judged.solutions(["k"], [None])
    parts.append(frame)
    parts.append(refused)
    assert parts.read()[0].equals(frame)
    assert RewardParts(parts.folder).unique(pl.concat([refused, frame])).equals(frame)
