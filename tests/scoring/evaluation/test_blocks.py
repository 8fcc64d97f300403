"""What is gone through a block at a time is what it is where all of it is held."""

import random
from itertools import product
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
from inspector.analyses import Params
from inspector.analyses import load as analysis
from scoring.data.errors import UnwritableWorkspace
from scoring.data.progress import told_to
from scoring.data.schema import METADATA, REWARDS, VOTES, conform
from scoring.data.storage import stored_frame
from scoring.data.storage.stored_frame import StoredFrame, StoredPart, frame_blocks, group_numbers, held_part
from scoring.evaluation import blocks
from scoring.evaluation.derived import FOLDER, EvaluationCache
from scoring.evaluation.single_case import judged_wrong
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.benchmarks.own import cases_frame
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.generation import Generation
from scoring.workspace.workspace import Workspace
from thoroughness import THOROUGH, also, together, up_to

SIZES = (1, 2, 3, 5, 7, 11)
ANALYSES = {
    "metrics": Params(form="json"),
    "board": Params(form="json"),
    "breakdown": Params(options={"rows": "subset", "cols": "generator"}, form="json"),
    "thresholds": Params(form="json"),
}


def in_blocks(size):
    return patch.object(stored_frame, "BLOCK", size)


# -- a workspace of everything that there is, and of nothing that is tidy


def untidy(root, seed):
    """A workspace of two benchmarks whose scorers gave everything that a reader has to bear with."""
    rng = random.Random(seed)
    workspace = Workspace.create(root)
    frames = [_cases(name, rng, rng.randint(7, 12)) for name in ("bench", "prmbench")]
    for name, (cases, twins) in zip(("bench", "prmbench"), frames, strict=True):
        workspace.add([Imported(name, "made.jsonl", "made", "0-based", cases.height, cases, (), twins=twins)])
    every = pl.concat([frame.select(list(METADATA)) for both in frames for frame in both])
    for number in range(3):
        scorer = making.scorer(f"prm-{number}", redundancy_threshold=rng.choice((None, 0.5)))
        parts = RewardParts(root / "rewards" / scorer.folder)
        scorer.save(parts.folder)
        for _ in range(rng.randint(1, 4)):
            parts.append(_rewards(every, rng, number))
    critic = making.scorer("critic", kind="critic")
    critic.save(root / "rewards" / critic.folder)
    VoteParts(root / "rewards" / critic.folder).append(_votes(every, rng))
    return root


def _cases(name, rng, n):
    rows = []
    for index in range(n):
        content = rng.choice((index, index, rng.randint(0, 3)))
        steps = [f"step {step} of {content}" for step in range(content % 4 + 1)]
        wrong = sorted(rng.sample(range(len(steps) + 1), rng.randint(0, len(steps))))
        listed = name == "prmbench" or rng.random() < 0.3
        gold = (wrong[0] if wrong else -1) if rng.random() < 0.9 else None
        error_type = rng.choice(("redundency", "circular", "confidence", "multi_solutions"))
        rows.append(
            {
                "id": f"{error_type}_{index // 2}-{index}" if rng.random() < 0.5 else f"c{index}",
                "problem": f"problem {content}",
                "steps": steps,
                "subset": rng.choice(("one", "two", "two", None)),
                "error_type": error_type,
                "error_steps": wrong if listed else None,
                "earliest_error": gold,
                "problem_id": rng.choice((None, None, "shared", f"p{index}")),
                "generator": rng.choice(("a", "b", None)),
                "final_answer_correct": rng.choice((True, False, None)),
                "line": index + 1,
            }
        )
    cases = cases_frame(name, "made.jsonl", rows)
    twins = [
        {**row, "id": f"correct_{row['id']}", "error_steps": [], "earliest_error": -1, "problem": f"twin {index}"}
        for index, row in enumerate(rows)
        if name == "prmbench" and index % 2
    ]
    of = [f"{name}/{row['id'].removeprefix('correct_')}" for row in twins]
    made = cases_frame(name, "made.jsonl", twins) if twins else cases.clear()
    return cases, made.with_columns(twin_of=pl.Series(of, dtype=pl.String))


def _rewards(cases, rng, number):
    """Rows in any order: of a content, of one case, refused, cut off, of another length, labels, a number."""
    rows = []
    for case, key, n_steps in (
        cases.select("case", "key", "n_steps").sample(fraction=0.8, seed=rng.randint(0, 99)).rows()
    ):
        row = {"key": key, "case": case if rng.random() < 0.3 else None, "vote": rng.choice((0, 0, 0, 1))}
        length = rng.choice((n_steps, n_steps, n_steps, n_steps, max(0, n_steps - 1), n_steps + 1))
        numbers = [rng.choice(making.TIED) for _ in range(length)]
        kind = rng.choice(("rewards",) * 5 + ("refused", "cut", "labels", "solution", "broken", "nothing"))
        match kind:
            case "refused":
                row["reason"] = "over length"
            case "cut":
                row |= {"rewards": numbers[:-1], "redundancy": numbers[:-1], "reason": "cut off"}
            case "labels":
                row["labels"] = [rng.random() < 0.6 for _ in range(length)]
            case "solution":
                row["solution"] = rng.choice((0.5, float("inf")))
            case "broken":
                row["rewards"] = [float("nan"), *numbers[1:]]
            case "rewards":
                row["rewards"] = numbers
                if number:
                    row["redundancy"] = [rng.random() for _ in range(length)]
                if number == 2:
                    row["redundancy_labels"] = [rng.random() < 0.5 for _ in range(length)]
        rows.append(row)
    frame = pl.DataFrame(rows, schema_overrides=REWARDS, infer_schema_length=None) if rows else pl.DataFrame()
    return conform(frame.unique(["key", "case", "vote"], maintain_order=True).cast({"vote": pl.Int32}), REWARDS, "made")


def _votes(cases, rng):
    keys = cases["key"].unique(maintain_order=True).to_list()
    ballots = [[rng.choice(("-1", "0", "1", "two", None)) for _ in range(3)] for _ in keys]
    return conform(pl.concat([judged.votes(keys, ballots, run) for run in (0, 1)]), VOTES, "made")


def answers(root, names=tuple(ANALYSES), **asked):
    """Every column, and what the analyses say with their intervals and where all of it comes from."""
    found = load(Query(workspace=str(root), **asked))
    views = [analysis(name).view(found, ANALYSES[name]) for name in names]
    return found, [(view.rows, view.provenance) for view in views]


def loaded(root, **asked):
    """Every column alone: what the analyses say follows from them."""
    return load(Query(workspace=str(root), **asked)), []


def same(one, other):
    (found, views), (expected, expected_views) = one, other
    assert found.problems == expected.problems
    assert found.evaluated.table(found.evaluated.columns).equals(expected.evaluated.table(expected.evaluated.columns))
    assert found.loaded.texts.frame().equals(expected.loaded.texts.frame())
    for mine, theirs in zip(found.evaluations, expected.evaluations, strict=True):
        assert list(mine.coverage.reasons) == list(theirs.coverage.reasons)
        assert mine.rewards.range == theirs.rewards.range
        assert mine.rewards.lists.equals(theirs.rewards.lists)
        assert str(mine.rule) == str(theirs.rule)
        for row in range(0, found.evaluated.height, 1 if THOROUGH else 3):
            assert mine.rewards.first_of(row) == theirs.rewards.first_of(row)
            assert mine.rewards.redundancies_of(row) == theirs.rewards.redundancies_of(row)
            assert judged_wrong(mine, row) == judged_wrong(theirs, row)
    for (rows, provenance), (expected_rows, expected_provenance) in zip(views, expected_views, strict=True):
        assert rows.equals(expected_rows)
        assert provenance == expected_provenance


@pytest.mark.parametrize(("seed", "size"), [(9, 5), *also(*product(range(10, 13), SIZES))])
def test_all_that_is_said_of_blocks_is_what_is_said_of_all_at_once(tmp_path, seed, size):
    root, names = untidy(tmp_path, seed), [*ANALYSES] if THOROUGH else ["metrics"]
    expected = answers(root, names)
    with in_blocks(size):
        first = answers(root, names)
        assert first[0].evaluated.height > size
        assert isinstance(first[0].cases, StoredFrame)
        same(first, expected)
        # The second time what was kept is read.
        assert list((root / FOLDER).glob("*/prm-0*"))
        same(loaded(root), (expected[0], []))


@pytest.mark.parametrize(
    ("benchmark", "names"), together(["bench", "prmbench"], [("metrics", "thresholds"), ("board", "breakdown")])
)
def test_conditions_and_thresholds_are_of_the_same_cases(tmp_path, benchmark, names):
    root = untidy(tmp_path, 7)
    asked = {"benchmarks": (benchmark,), "where": ("n_steps > 1", "\"prm-1.outcome\" <> 'exact'"), "by": ("generator",)}
    expected = answers(root, names, **asked)
    with in_blocks(3):
        same(answers(root, names, **asked), expected)


def test_where_nothing_can_be_kept_the_columns_are_the_same(tmp_path, monkeypatch):
    root = untidy(tmp_path, 11)
    expected = loaded(root, benchmarks=("prmbench",))

    def refuse(*_):
        raise UnwritableWorkspace("read-only", "Make it writable.")

    monkeypatch.setattr(EvaluationCache, "name_benchmarks", refuse)
    with in_blocks(4):
        same(loaded(root, benchmarks=("prmbench",)), expected)
    assert not (root / FOLDER).exists()


def test_parts_that_are_damaged_are_left_out_whole_and_named(tmp_path):
    root = untidy(tmp_path, 3)
    folder, cases = next((root / "rewards").glob("prm-1*")), load(Query(workspace=str(root))).cases
    cut, other, keyless = (RewardParts(folder).append(_rewards(cases, random.Random(seed), 1)) for seed in (5, 6, 7))
    cut.write_bytes(cut.read_bytes()[:-60])
    pl.DataFrame({"key": ["x"], "vote": [0], "rewards": ["no list"]}).write_parquet(other)
    pl.DataFrame({"vote": [0], "rewards": [[0.5]]}).write_parquet(keyless)
    expected = loaded(root)
    for part in (cut, other, keyless):
        assert any(str(part) in problem for problem in expected[0].problems)
    with in_blocks(4):
        same(loaded(root), expected)
        # Nothing of it is kept: who repairs the parts has their rows.
        assert not list((root / FOLDER).glob("*/prm-1*"))
        assert list((root / FOLDER).glob("*/prm-0*"))


def test_a_part_whose_middle_is_damaged_gives_none_of_its_rows(tmp_path, monkeypatch):
    root = untidy(tmp_path, 3)
    read, asked = RewardParts.part, []

    def failing(self, path, columns=(), rows=None):
        asked.append((path, rows))
        if self.folder.name.startswith("prm-1") and path == self.parts()[0] and len(asked) > 6:
            raise OSError("the content is damaged")
        return read(self, path, columns, rows)

    folder = next((root / "rewards").glob("prm-1*"))
    first = RewardParts(folder).parts()[0]
    with in_blocks(2), monkeypatch.context() as patched:
        patched.setattr(RewardParts, "part", failing)
        found = load(Query(workspace=str(root)))
    assert [problem for problem in found.problems if str(first) in problem]
    first.rename(first.with_suffix(".gone"))
    expected = load(Query(workspace=str(root)))
    for name in ("prm-1.outcome", "prm-1.rewards"):
        if name in found.evaluated.columns and name in expected.evaluated.columns:
            assert found.evaluated.column(name).equals(expected.evaluated.column(name))


def test_who_listens_hears_how_far_it_is(tmp_path):
    root, heard = untidy(tmp_path, 3), []
    with in_blocks(4), told_to(lambda *told: heard.append(told)):
        found = load(Query(workspace=str(root)))
    assert {unit for *_, unit in heard} == {"cases"}
    assert {to_do for _, to_do, *_ in heard} == {len(found.evaluations) * found.evaluated.height}
    assert [done for done, *_ in heard] == sorted(done for done, *_ in heard)
    assert {name for *_, name, _ in heard} == {"prm-0", "prm-1", "prm-2"}


def test_a_part_that_is_merged_meanwhile_is_read_where_it_went(tmp_path, monkeypatch):
    root = untidy(tmp_path, 3)
    expected = loaded(root)
    read, merged = RewardParts.part, []

    def merging(self, path, columns=(), rows=None):
        if not merged:
            merged.append(path)
            self.compact()
        return read(self, path, columns, rows)

    with in_blocks(3), monkeypatch.context() as patched:
        patched.setattr(RewardParts, "part", merging)
        same(loaded(root), expected)
    assert merged


def test_parts_that_go_again_and_again_are_told_of(tmp_path, monkeypatch):
    root = untidy(tmp_path, 3)
    monkeypatch.setattr(RewardParts, "part", lambda *_: (_ for _ in ()).throw(FileNotFoundError))
    with in_blocks(3):
        found = load(Query(workspace=str(root)))
    assert [one.scorer.name for one in found.evaluations] == ["critic"]
    assert len([problem for problem in found.problems if "vanished while they were read" in problem]) == 3


# -- frames whose columns are read when they are asked for


def stored(frame, pieces, asked=None):
    """The frame in pieces of these heights, some of whose rows are not listed; `asked` hears what is read."""
    parts, start = [], 0
    for height in pieces:
        piece = frame.slice(start, height)
        doubled = pl.concat([piece, piece]).with_row_index("_at").sort("_at").drop("_at")

        def read(names, rows, doubled=doubled):
            if asked is not None:
                asked.extend(names)
            found = doubled.select(names)
            return found if rows is None else found.slice(*rows)

        parts.append(StoredPart(read, height, np.arange(height)))
        start += height
    return StoredFrame(frame.schema, parts)


FRAME = pl.DataFrame(
    {
        "name": ["a", "b", None, "d", "e", "f", "g"],
        "number": [1, 2, 3, None, 5, 6, 7],
        "list": [[1], [], None, [2, 3], [4], [5], [6]],
    }
)


@pytest.mark.parametrize("pieces", [(7,), (3, 4), (1, 2, 0, 4)])
def test_a_stored_frame_is_the_frame(pieces):
    found = stored(FRAME, pieces)
    assert (found.height, found.width, found.shape, len(found)) == (7, 3, (7, 3), 7)
    assert found.columns == FRAME.columns
    assert found.schema == FRAME.schema
    assert not found.is_empty()
    for name in FRAME.columns:
        assert found[name].equals(FRAME[name])
    for asked in (
        lambda frame: frame.select("number", twice=pl.col("number") * 2),
        lambda frame: frame.select(["name"]),
        lambda frame: frame.select(pl.col(name) for name in ("list", "name")),
        lambda frame: frame.select(pl.len()),
        lambda frame: frame.select(pl.all()),
        lambda frame: frame.filter(pl.col("number") > 2),
        lambda frame: frame.filter(pl.Series([True, False, True, True, False, False, True])).filter(name="d"),
        lambda frame: frame.filter(pl.col("number") > 99),
        lambda frame: frame.with_columns(pl.lit(1).alias("one"), pl.col("name").str.to_uppercase()),
        lambda frame: frame.with_columns(pl.Series("more", range(7))).filter(pl.col("more") > 3).select("more", "name"),
        lambda frame: frame.with_row_index(),
        lambda frame: frame.sort("number", descending=True),
        lambda frame: frame.join(FRAME.select("name", other="number"), on="name"),
        lambda frame: frame[[1, 3]],
        lambda frame: frame[2:5],
        lambda frame: frame["name", "list"],
        lambda frame: frame.group_by("name", maintain_order=True).len(),
        lambda frame: pl.concat([frame, FRAME]),
        lambda frame: frame.drop("list"),
        lambda frame: frame.lazy().select("number").collect(),
        lambda frame: pl.DataFrame([frame.row(4, named=True), frame.row(-1, named=True)]),
    ):
        assert pl.DataFrame(asked(stored(FRAME, pieces))).equals(asked(FRAME))
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        found["nothing"]
    with pytest.raises(pl.exceptions.OutOfBoundsError):
        found.row(7)


def test_a_column_that_is_not_asked_for_is_not_read():
    asked = []
    found = stored(FRAME, (3, 4), asked)
    assert found.filter(pl.col("number") > 2).select("number").height == 4
    assert found.select(pl.col("number").sum()).item() == 24
    assert set(asked) == {"number"}
    assert len(asked) == 2
    assert found.row(1) == FRAME.row(1)
    assert "_df" not in vars(found)


@up_to(100, 12)
@given(
    pieces=st.lists(st.integers(0, 7), min_size=1, max_size=4),
    size=st.integers(1, 9),
    rows=st.sets(st.integers(0, 27)),
    known=st.booleans(),
)
def test_blocks_are_the_rows_in_their_order(pieces, size, rows, known):
    n = sum(pieces)
    frame = pl.DataFrame(
        {"a": np.arange(n), "b": [f"t{row % 3}" for row in range(n)]}, schema={"a": pl.Int64, "b": pl.String}
    )
    kept = np.array(sorted(row for row in rows if row < n), dtype=np.int64)
    found = stored(frame, pieces).only(kept)
    if known:
        found["a"]
    with in_blocks(size):
        every = list(frame_blocks(found, ("b", "a")))
        assert [block.height for block in every] == [min(size, kept.size - at) for at in range(0, kept.size, size)]
        assert pl.concat([frame.clear().select("b", "a"), *every]).equals(frame[kept].select("b", "a"))
        values, numbers = group_numbers(found, ("b",))
    assert [values[number][0] for number in numbers] == frame[kept]["b"].to_list()
    assert len({*values}) == len(values)
    assert held_part(frame).columns(["a"]).equals(frame.select("a"))


def test_keys_are_found_in_every_block_that_has_them():
    cases = pl.DataFrame(
        {"case": list("uvwxyz"), "key": ["k", "l", "k", "m", "m", "n"], "n_steps": 1, "earliest_error": -1}
    )
    with in_blocks(2):
        number, row = blocks.CaseBlocks(cases, None).places(pl.Series(["n", "gone", "k", "m"]), ())
    assert list(zip(number.tolist(), row.tolist(), strict=True)) == [(0, 2), (1, 2), (1, 3), (2, 0), (2, 3)]


def test_a_missing_value_that_every_row_has_is_damage(tmp_path):
    root = untidy(tmp_path, 3)
    folder = next((root / "benchmarks" / "bench").glob("gen-*"))
    path = folder / "cases.parquet"
    frame = pl.read_parquet(path)
    frame.with_columns(key=pl.when(pl.col("line") > 2).then("key")).write_parquet(path)
    with in_blocks(2), pytest.raises(Exception, match="null in some rows"):
        Generation.read(folder).metadata["key"]
