import errno
import multiprocessing
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import writers
from failing import failing
from scoring.data.errors import FrameError, UnwritableWorkspace
from scoring.data.schema import REWARDS, conform
from scoring.workspace import cache
from scoring.workspace.cache import RewardParts
from thoroughness import up_to
from writers import cached, part

# Processes are forked from one that has imported what they need, and has done nothing yet.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["polars", "scoring.workspace.cache"])


def test_what_is_appended_is_cached(parts):
    path = parts.append(part(("k", 0, [0.1, float("nan"), -1.0]), ("l", 0, None)))
    assert parts.parts() == [path]
    frame, problems = parts.read()
    assert not problems
    assert frame["key"].to_list() == ["k", "l"]
    assert frame["rewards"][0].equals(pl.Series([0.1, float("nan"), -1.0]))
    assert frame["reason"].to_list() == [None, "refused"]


def test_nothing_cached_is_an_empty_frame(parts):
    assert cached(parts) == {}
    parts.compact()
    assert not parts.folder.exists()


def test_rows_come_in_the_order_they_were_written(parts):
    for keys in ("dc", "ba", "e"):
        parts.append(part(*((key, 0, [1.0]) for key in keys)))
    assert [key for key, _ in cached(parts)] == list("dcbae")


def test_the_later_part_wins(parts):
    parts.append(part(("k", 0, [0.1])))
    parts.append(part(("k", 0, [0.2])))
    assert cached(parts) == {("k", 0): [0.2]}


@pytest.mark.parametrize("first_refused", [True, False])
def test_success_beats_refusal_whichever_is_later(parts, first_refused):
    rows = [("k", 0, None), ("k", 0, [0.2])]
    for row in rows if first_refused else reversed(rows):
        parts.append(part(row))
    assert cached(parts) == {("k", 0): [0.2]}


def test_a_row_with_neither_rewards_nor_reason_is_no_success(parts):
    parts.append(part(("k", 0, [0.2])))
    parts.append(part(("k", 0, None)).with_columns(reason=pl.lit(None, dtype=pl.String)))
    assert cached(parts) == {("k", 0): [0.2]}


def test_votes_are_rows_of_their_own(parts):
    parts.append(part(("k", 0, [0.1]), ("k", 1, [0.2])))
    parts.append(part(("k", 1, [0.3])))
    assert cached(parts) == {("k", 0): [0.1], ("k", 1): [0.3]}


def test_duplicates_within_a_part_are_one_row(parts):
    parts.append(part(("k", 0, None), ("k", 0, [0.1]), ("k", 0, [0.2]), ("k", 0, None)))
    assert cached(parts) == {("k", 0): [0.2]}


ROW = st.tuples(st.sampled_from("abc"), st.integers(0, 1), st.none() | st.lists(st.floats(0, 1), max_size=2))


@up_to(100, 12)
@given(st.lists(ROW, max_size=12))
def test_one_row_an_identity(rows):
    wanted = {}
    for key, vote, rewards in rows:
        if rewards is not None or (key, vote) not in wanted or wanted[key, vote] is None:
            wanted[key, vote] = rewards
    frame = conform(part(*rows), REWARDS, "rows")
    found = RewardParts(Path("unused")).unique(frame)
    assert {(key, vote): rewards for key, vote, rewards in found.select("key", "vote", "rewards").iter_rows()} == wanted
    again = RewardParts(Path("unused")).unique(found)
    assert again.equals(found)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rewards": pl.Series([[1]], dtype=pl.List(pl.Float32))},
        {"key": pl.Series([1])},
        {"key": pl.Series([None], dtype=pl.String)},
        {"vote": pl.Series([0], dtype=pl.Int64)},
    ],
)
def test_rows_of_other_dtypes_are_refused_before_anything_is_written(parts, wrong):
    with pytest.raises(FrameError, match=f"column '{next(iter(wrong))}' of step rewards"):
        parts.append(part(("k", 0, [0.1])).with_columns(**wrong))
    assert not parts.folder.exists()


def test_compaction_keeps_every_row(parts):
    for rewards in ([0.1], [0.2], None):
        parts.append(part(("k", 0, rewards), (f"{rewards}", 1, rewards)))
    before = cached(parts)
    parts.compact()
    assert len(parts.parts()) == 1
    assert cached(parts) == before
    [path] = parts.parts()
    parts.compact()
    assert parts.parts() == [path]


SAVES = st.lists(st.tuples(st.lists(ROW, max_size=3), st.none() | st.integers(0, 4)), max_size=12)


class Killed(BaseException):
    """What stands for a signal that nobody can catch."""


@up_to(100, 12)
@given(SAVES, st.integers(1, 2000))
def test_pieces_stand_where_their_parts_stood_though_a_compaction_is_killed_while_it_deletes(saves, most):
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        parts, whole = RewardParts(Path(folder) / "merged"), RewardParts(Path(folder) / "whole")
        really, left = Path.unlink, 0

        def unlink(path):
            nonlocal left
            if not left:
                raise Killed
            left -= 1
            really(path)

        patch.setattr(Path, "unlink", unlink)
        for rows, deletions in saves:
            for one in (parts, whole):
                one.append(part(*rows))
            if deletions is not None:
                left = deletions
                with suppress(Killed):
                    parts.compact(most)
        assert cached(parts) == cached(whole)


def test_a_piece_is_no_larger_than_it_may_be_and_is_left_alone_then(parts, monkeypatch):
    most, written, really = 1 << 16, [], cache.write_parquet
    for number in range(40):
        parts.append(
            part(*((f"{number}-{row}", 0, np.random.default_rng(row).random(100).tolist()) for row in range(4)))
        )

    def watched(path, frame, **how):
        written.append((frame.estimated_size(), path))
        really(path, frame, **how)

    monkeypatch.setattr(cache, "write_parquet", watched)
    parts.compact(most)
    assert 2 < len(written) < 10
    assert all(size <= most for size, _ in written)
    assert parts.parts() == [path for _, path in written]
    assert len(cached(parts)) == 160
    written.clear()
    parts.compact(most)
    assert written == []


def test_a_part_that_vanishes_while_reading_was_merged_and_is_found(parts, monkeypatch):
    for key in "abc":
        parts.append(part((key, 0, [0.1])))
    really, calls = cache.read_parquet, []

    def compacted_meanwhile(path, *args, **options):
        calls.append(path)
        if len(calls) == 2:
            parts.compact()
        return really(path, *args, **options)

    monkeypatch.setattr(cache, "read_parquet", compacted_meanwhile)
    assert cached(parts).keys() == {(key, 0) for key in "abc"}
    assert len(parts.parts()) == 1


def test_what_was_rewritten_while_reading_does_not_count_beside_what_replaces_it(parts, monkeypatch):
    old = [parts.append(part((key, 0, [0.1]))) for key in "ab"]
    really, calls = cache.read_parquet, []

    def rewritten_meanwhile(path, *args, **options):
        calls.append(path)
        if len(calls) == 2:
            parts.append(part(("a", 0, None), ("b", 0, None)))
            for replaced in old:
                replaced.unlink()
        return really(path, *args, **options)

    monkeypatch.setattr(cache, "read_parquet", rewritten_meanwhile)
    assert cached(parts) == {("a", 0): None, ("b", 0): None}


def test_one_content_is_found_while_its_part_is_merged(parts, monkeypatch):
    for key in "abc":
        parts.append(part((key, 0, [0.1])))
    really, calls = cache.runs_of, []

    def compacted_meanwhile(path, key):
        calls.append(path)
        if len(calls) == 2:
            parts.compact()
        return really(path, key)

    monkeypatch.setattr(cache, "runs_of", compacted_meanwhile)
    assert parts.of("b")["rewards"].to_list() == [[0.1]]


def test_parts_that_keep_vanishing_are_said(parts, monkeypatch):
    parts.append(part(("k", 0, [0.1])))

    def gone(path, *args, **options):
        raise FileNotFoundError(path)

    monkeypatch.setattr(cache, "read_parquet", gone)
    frame, [problem] = parts.read()
    assert frame.is_empty()
    assert "rows may be missing" in problem


def test_compaction_deletes_only_what_it_read(parts, monkeypatch):
    old = [parts.append(part((key, 0, [0.1]))) for key in "ab"]
    really, late = cache.write_parquet, []

    def written_meanwhile(path, frame, **how):
        if not late:
            late.append(None)
            late[0] = parts.append(part(("c", 0, [0.3]), ("a", 0, [0.4])))
        really(path, frame, **how)

    monkeypatch.setattr(cache, "write_parquet", written_meanwhile)
    parts.compact()
    assert late[0] in parts.parts()
    assert not set(old) & set(parts.parts())
    assert cached(parts).keys() == {(key, 0) for key in "abc"}


@pytest.mark.parametrize("going", ["ab", "bc", "c"])
def test_what_another_takes_away_while_it_is_merged_is_left_to_that_one(parts, going, monkeypatch):
    old = {key: parts.append(part((key, 0, [0.1]))) for key in "abc"}
    really = cache.write_parquet

    def replaced_meanwhile(path, frame, **how):
        monkeypatch.setattr(cache, "write_parquet", really)
        parts.append(part(*((key, 0, None) for key in going)))
        for key in going:
            old[key].unlink()
        really(path, frame, **how)

    monkeypatch.setattr(cache, "write_parquet", replaced_meanwhile)
    parts.compact()
    assert cached(parts) == {(key, 0): None if key in going else [0.1] for key in "abc"}
    assert sum(pl.read_parquet(path, glob=False).height for path in parts.parts()) == 3


def test_a_part_with_columns_that_are_not_ours_is_not_merged(parts):
    frames = [part(("a", 0, [0.1])), part(("b", 0, [0.2])), part(("c", 0, [0.3]))]
    for number, frame in enumerate((frames[0], frames[1].with_columns(mine=7), frames[2], frames[0])):
        conform(frame, REWARDS, "rows").hstack(
            frame.select(pl.selectors.by_name("mine", require_all=False))
        ).write_parquet(parts.folder / f"part-{number}.parquet", mkdir=True)
    parts.compact()
    assert len(parts.parts()) == 3
    assert pl.read_parquet(parts.folder / "part-1.parquet", glob=False)["mine"].to_list() == [7]
    assert cached(parts) == {("b", 0): [0.2], ("c", 0): [0.3], ("a", 0): [0.1]}


def test_a_compaction_that_cannot_write_deletes_nothing(parts, monkeypatch):
    old = [parts.append(part((key, 0, [0.1]))) for key in "ab"]

    monkeypatch.setattr(Path, "write_bytes", failing(errno.ENOSPC))
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        parts.compact()
    assert parts.parts() == old


def test_a_part_that_cannot_be_deleted_is_read_twice_and_counts_once(parts, monkeypatch):
    for key in "ab":
        parts.append(part((key, 0, [0.1])))

    monkeypatch.setattr(Path, "unlink", failing(errno.EACCES))
    parts.compact()
    assert len(parts.parts()) == 3
    assert cached(parts) == {("a", 0): [0.1], ("b", 0): [0.1]}


def test_an_append_on_a_full_disk_leaves_no_part(small_disk):
    parts = RewardParts(small_disk / "scorer")
    parts.append(part(("k", 0, [0.1])))
    noise = np.random.default_rng(0).random(300_000)
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        parts.append(part(("l", 0, noise.tolist())))
    assert cached(parts) == {("k", 0): [0.1]}
    assert len(list(parts.folder.iterdir())) == 1


def test_writers_and_a_compaction_at_once_lose_nothing(parts, tmp_path):
    end = tmp_path / "end"
    compacting = PROCESSES.Process(target=writers.compact_until, args=(parts.folder, end))
    writing = [PROCESSES.Process(target=writers.append_parts, args=(parts.folder, number, 12)) for number in range(2)]
    for process in (compacting, *writing):
        process.start()
    while any(process.is_alive() for process in writing):
        assert not [problem for problem in parts.read()[1] if "was left out" in problem]
    end.touch()
    for process in (compacting, *writing):
        process.join(30)
        assert process.exitcode == 0
    wanted = {(f"{writer}-{number}", 0): [writer, number] for writer in range(2) for number in range(12)}
    assert cached(parts) == {**wanted, **{(f"all-{number}", 0): [number] for number in range(12)}}
    assert not [path for path in parts.folder.iterdir() if path.name.startswith(".")]


def test_a_notebook_reads_the_same_rows(parts):
    for rewards in ([0.1], [0.2]):
        parts.append(part(("k", 0, rewards)))
    parts.compact()
    frame = pl.concat(pl.read_parquet(path, glob=False) for path in parts.parts()).unique(["key", "vote"])
    assert frame["rewards"].to_list() == [[0.2]]


def test_engines_are_told_from_all_parts_that_can_be_read(tmp_path):
    parts = RewardParts(tmp_path)
    assert parts.engines() == []
    for engine in ("transformers 5.23", "vllm 0.32", None, "transformers 5.23"):
        row = {"key": "k", "vote": 0, "rewards": [0.5], "engine": engine}
        parts.append(pl.DataFrame([row], schema=REWARDS))
    (tmp_path / "part-broken.parquet").write_bytes(b"nothing")
    assert parts.engines() == ["transformers 5.23", "vllm 0.32"]
