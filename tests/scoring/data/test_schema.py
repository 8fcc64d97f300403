from hashlib import blake2b

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import FrameError
from scoring.data.schema import CASES, METADATA, NEVER_NULL, REWARDS, TEXTS, VOTES, conform, content_key

TEXT = st.text(max_size=8)
CONTENT = st.tuples(TEXT, st.lists(TEXT, max_size=4), st.lists(TEXT, max_size=2))


def key(content):
    problem, steps, also = content
    return content_key(problem, steps, *also)


def test_the_key_of_a_content_never_changes():
    # Rewards are cached under it: another key would orphan every workspace.
    parts = [b"2+2?", b"2", b"It is 4.", "Ответ 4".encode()]
    digest = blake2b(b"".join(len(part).to_bytes(8, "little") + part for part in parts), digest_size=16)
    assert content_key("2+2?", ["It is 4.", "Ответ 4"]) == digest.hexdigest() == "6b6878d2ad1bc40c4d2806fcda45f78e"


@given(CONTENT, CONTENT)
def test_keys_are_equal_iff_contents_are(one, other):
    assert (key(one) == key(other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("p", ["a", "b"]), ("p", ["ab"])),
        (("p", ["a"], "b"), ("p", ["a", "b"])),
        (("pa", []), ("p", ["a"])),
        (("p", [""]), ("p", [])),
        (("1", ["p"]), ("p", ["1"])),
        (("é", []), ("e\u0301", [])),
    ],
)
def test_contents_that_look_alike_have_keys_of_their_own(one, other):
    assert content_key(*one) != content_key(*other)


def test_half_a_character_has_no_key():
    with pytest.raises(UnicodeEncodeError):
        content_key("\ud800", [])


def test_columns_are_small_or_large_and_named_once():
    assert list(CASES) == [*METADATA, *TEXTS]
    assert not METADATA.keys() & TEXTS.keys()
    assert {*CASES, *REWARDS, *VOTES} >= NEVER_NULL


def test_conforming_orders_completes_and_drops():
    frame = pl.DataFrame({"rewards": [[0.5]], "extra": [1], "key": ["k"], "reason": [None]})
    frame = frame.with_columns(vote=pl.lit(0, dtype=pl.Int32))
    found = conform(frame, REWARDS, "rewards")
    assert found.schema == REWARDS
    assert found.rows() == [("k", None, 0, [0.5], *[None] * 9)]


def test_conforming_keeps_no_rows_as_no_rows():
    assert conform(pl.DataFrame(schema={"key": pl.String, "vote": pl.Int32}), REWARDS, "rewards").shape == (
        0,
        len(REWARDS),
    )


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"rewards": ["no"]}, "'rewards' of these rows should be List(Float64) and is String"),
        ({"rewards": [[1]]}, "and is List(Int64)"),
        ({"vote": ["0"]}, "'vote' of these rows should be Int32 and is String"),
        ({"key": ...}, "'key' of these rows should be String and is missing"),
        ({"vote": ...}, "'vote' of these rows should be Int32 and is missing"),
        ({"key": [None]}, "'key' of these rows should be String and is null in some rows"),
    ],
)
def test_what_does_not_conform_is_one_sentence(columns, said):
    sound = {"key": ["k"], "vote": pl.Series([0], dtype=pl.Int32), "rewards": [[0.5]]}
    frame = pl.DataFrame({name: value for name, value in {**sound, **columns}.items() if value is not ...})
    with pytest.raises(FrameError) as caught:
        conform(frame, REWARDS, "these rows")
    assert said in caught.value.sentence


def test_a_frame_of_other_columns_does_not_become_one_row_of_nulls():
    with pytest.raises(FrameError, match="is missing"):
        conform(pl.DataFrame({"x": [1, 2, 3]}), METADATA, "cases")
