import json
import shutil
from hashlib import blake2b

import polars as pl
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from msgspec.structs import replace

import authored
from results_and_cases import case, cases_of, results, texts
from saved_results import CASES, cached, folder_of, given
from scoring.data.errors import DamagedWorkspace, NoWorkspace, ScorerConflict, UnreadableFile
from scoring.data.schema import REWARDS
from scoring.data.scorer import Scorer
from scoring.data.training_point import TrainingPoint
from scoring.importing import batch as module
from scoring.importing import ledger, saving
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.join import join
from scoring.importing.saving import SavedResults, save
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.workspace import Workspace
from thoroughness import up_to

DAMAGE = {
    "no JSON": b"{",
    "a list": b"[]",
    "another format": b'{"format": 2, "sources": {}}',
    "no sources": b'{"format": 1}',
    "sources of no kind": b'{"format": 1, "sources": {"x": 1}}',
    "parts of no kind": b'{"format": 1, "sources": {"x": {"digest": "", "parts": 7}}}',
    "parts in one text": b'{"format": 1, "sources": {"x": {"digest": "", "parts": "ab"}}}',
    "a part elsewhere": b'{"format": 1, "sources": {"x": {"digest": "", "parts": ["../../workspace.json"]}}}',
    "a part that is none": b'{"format": 1, "sources": {"x": {"digest": "", "parts": ["scorer.json"]}}}',
    "a digest of no kind": b'{"format": 1, "sources": {"x": {"digest": null, "parts": []}}}',
    "nested": b"[" * 100_000,
}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_results_become_a_scorer_with_its_parts(workspace):
    joined = given({"a": 0.1, "b": 0.2}, threshold=0.3, threshold_source="its paper", comparison="<=")
    assert save(workspace, joined) == SavedResults("a-prm", "new")
    folder = folder_of(workspace, joined)
    assert cached(folder) == {"a": 0.1, "b": 0.2}
    scorer = Scorer.load(folder)
    assert (scorer.name, scorer.threshold, scorer.threshold_source, scorer.comparison) == (
        *("a-prm", 0.3, "its paper", "<="),
    )
    assert scorer.about == "imported, made"


def test_a_critic_gets_votes(workspace):
    rows = [{"id": "a", "answer": "x", "ballot": "0", "verdict": 0}, {"id": "b", "answer": "?", "reason": "no box"}]
    joined = join(results(*rows, kind="critic"), CASES)
    save(workspace, joined)
    folder = folder_of(workspace, joined)
    assert VoteParts(folder).read()[0].select("verdict", "answer").rows() == [(0, "x"), (None, "?")]
    assert RewardParts(folder).parts() == []


def test_the_same_file_again_changes_nothing(workspace):
    save(workspace, given({"a": 0.1}))
    folder = folder_of(workspace, given({"a": 0.1}))
    before = files(folder)
    assert save(workspace, given({"a": 0.1})) == SavedResults("a-prm", "unchanged")
    assert files(folder) == before


def test_the_digest_of_a_file_does_not_depend_on_which_checkpoint_it_is_of(workspace):
    plain = given({"a": 0.1})
    named = replace(plain, results=replace(plain.results, training=TrainingPoint("RUN", 100)))
    save(workspace, plain)
    folder = folder_of(workspace, plain)
    before = files(folder)
    assert save(workspace, named) == SavedResults("a-prm", "unchanged")
    after = files(folder)
    assert {name: after[name] for name in before if name != "scorer.json"} == {
        name: before[name] for name in before if name != "scorer.json"
    }
    assert Scorer.load(folder).training == TrainingPoint("RUN", 100)


def test_what_is_refused_leaves_the_checkpoint_as_it_was(workspace):
    save(workspace, given({"a": 0.1}))
    other = given({"a": 0.2}, "other.jsonl")
    with pytest.raises(ScorerConflict):
        save(workspace, replace(other, results=replace(other.results, training=TrainingPoint("RUN", 100))))
    assert not Scorer.load(folder_of(workspace, other)).training.known


def test_the_same_file_by_another_path_is_the_same_file(workspace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    save(workspace, given({"a": 0.1}))
    for source in (str(tmp_path / "runs" / "a.jsonl"), "runs/../runs/a.jsonl"):
        assert save(workspace, given({"a": 0.1}, source)).state == "unchanged"


def test_a_changed_file_replaces_its_own_rows_only(workspace):
    save(workspace, given({"a": 0.1, "b": 0.2}))
    save(workspace, given({"c": 0.3}, "runs/other.jsonl"))
    assert save(workspace, given({"a": 0.5, "d": 0.4})) == SavedResults("a-prm", "changed", gone=1, otherwise=1)
    folder = folder_of(workspace, given({"a": 0.1}))
    assert cached(folder) == {"c": 0.3, "a": 0.5, "d": 0.4}
    assert len(RewardParts(folder).parts()) == 2


def test_a_result_that_became_a_refusal_is_no_result_any_more(workspace):
    save(workspace, given({"a": 0.1, "b": 0.2}))
    assert save(workspace, given({"a": None, "b": 0.2})).gone == 1
    assert cached(folder_of(workspace, given({"a": 0.1}))) == {"a": None, "b": 0.2}


def test_another_threshold_for_the_same_numbers_is_a_change(workspace):
    save(workspace, given({"a": 0.1}))
    later = given({"a": 0.1}, threshold=0.7)
    assert save(workspace, later).state == "changed"
    assert Scorer.load(folder_of(workspace, later)).threshold == 0.7


def test_another_file_of_the_same_scorer_adds(workspace):
    save(workspace, given({"a": 0.1}))
    assert save(workspace, given({"b": 0.2, "a": 0.1}, "runs/b.jsonl")) == SavedResults("a-prm", "new")
    assert cached(folder_of(workspace, given({"a": 0.1}))) == {"a": 0.1, "b": 0.2}


def test_a_file_with_other_numbers_is_refused_and_a_name_is_the_way_out(workspace):
    save(workspace, given({"a": 0.1, "b": 0.2, "c": 0.3}))
    folder = folder_of(workspace, given({"a": 0.1}))
    before = files(folder)
    other = given({"a": 0.1, "b": 0.9, "c": 0.8}, "runs/b.jsonl")
    said = r"/runs/a\.jsonl gave 'a-prm' other results for 2 of the cases of runs/b\.jsonl\..* --name NAME$"
    with pytest.raises(ScorerConflict, match=said):
        save(workspace, other)
    assert files(folder) == before
    assert save(workspace, other, "a-prm, second run") == SavedResults("a-prm, second run", "new")
    assert cached(folder_of(workspace, other, "a-prm, second run")) == {"a": 0.1, "b": 0.9, "c": 0.8}
    assert files(folder) == before


def test_verdicts_conflict_as_rewards_do(workspace):
    def judged(verdict, source):
        return join(results({"id": "a", "verdict": verdict}, source=source, kind="critic"), CASES)

    save(workspace, judged(0, "runs/a.jsonl"))
    assert save(workspace, judged(0, "runs/b.jsonl")).state == "new"
    with pytest.raises(ScorerConflict):
        save(workspace, judged(-1, "runs/c.jsonl"))


@pytest.mark.parametrize("values", [(None, 0.1), (0.1, None)])
def test_a_refusal_in_one_file_and_a_result_in_another_are_no_conflict(workspace, values):
    for number, value in enumerate(values):
        assert save(workspace, given({"a": value}, f"runs/{number}.jsonl")).state == "new"
    assert cached(folder_of(workspace, given({"a": 0.1}))) == {"a": 0.1}


def test_another_kind_of_settings_is_another_scorer(workspace):
    save(workspace, given({"a": 0.1}, settings={"votes": 1}))
    with pytest.raises(ScorerConflict, match=r"differ in votes\. \(votes: 1 there, 8 now\)"):
        save(workspace, given({"b": 0.1}, "runs/b.jsonl", settings={"votes": 8}))


def test_two_tasks_in_one_file_are_one_scorers_and_both_stay(workspace):
    one = given({"a": 0.1}, settings={"task_name": "one", "reported": {"f1": 1}})
    two = given({"b": 0.2}, settings={"task_name": "two"})
    assert [save(workspace, joined).state for joined in (one, two)] == ["new", "new"]
    assert [save(workspace, joined).state for joined in (one, two)] == ["unchanged", "unchanged"]
    assert cached(folder_of(workspace, one)) == {"a": 0.1, "b": 0.2}


def test_results_without_a_row_are_saved_as_nothing(workspace):
    joined = given({"a": 0.1})
    nothing = replace(joined, rewards=joined.rewards.clear())
    assert save(workspace, nothing).state == "new"
    assert save(workspace, nothing).state == "unchanged"


@pytest.mark.parametrize("gone", ["part", "scorer.json", "imports.json"])
def test_what_was_removed_comes_back(workspace, gone):
    joined = given({"a": 0.1})
    save(workspace, joined)
    folder = folder_of(workspace, joined)
    next(folder.glob(f"{gone}*")).unlink()
    assert save(workspace, joined).state in {"new", "changed"}
    assert cached(folder) == {"a": 0.1}
    assert Scorer.load(folder).name == "a-prm"
    assert save(workspace, joined).state == "unchanged"


def test_a_damaged_list_of_imports_is_one_sentence_and_nothing_is_touched(workspace):
    first, second = given({"a": 0.1}), given({"a": 0.2})
    save(workspace, first)
    folder = folder_of(workspace, first)
    for what, raw in DAMAGE.items():
        (folder / "imports.json").write_bytes(raw)
        before = files(folder)
        with pytest.raises(DamagedWorkspace, match=r"imports\.json is not a list of imports\. Remove "):
            save(workspace, second)
        assert files(folder) == before, what
        assert (workspace.root / "workspace.json").exists()


@pytest.mark.parametrize("raw", [b"", b"PAR1", None], ids=["empty", "cut", "other columns"])
def test_a_damaged_part_of_another_file_is_one_sentence(workspace, raw):
    save(workspace, given({"a": 0.1}))
    (part,) = RewardParts(folder_of(workspace, given({"a": 0.1}))).parts()
    if raw is None:
        pl.DataFrame({"x": [1]}).write_parquet(part)
    else:
        part.write_bytes(raw)
    with pytest.raises(DamagedWorkspace, match=part.name):
        save(workspace, given({"b": 0.2}, "runs/b.jsonl"))


def test_a_workspace_without_a_folder(workspace):
    with pytest.raises(NoWorkspace):
        save(Workspace(None), given({"a": 0.1}))


def test_a_second_file_with_another_threshold_does_not_move_the_first_ones_and_it_is_said(workspace):
    save(workspace, given({"a": 0.1}, threshold=0.4, low=-1.0))
    later = given({"b": 0.2}, "runs/b.jsonl", threshold=0.6, high=2.0)
    told = "Here a step is judged wrong iff its reward < 0.6; "
    told += "as in the files imported before, it stays its reward < 0.4."
    assert save(workspace, later) == SavedResults("a-prm", "new", told)
    assert save(workspace, later) == SavedResults("a-prm", "unchanged", told)
    assert save(workspace, given({"a": 0.1}, threshold=0.4, low=-1.0)) == SavedResults("a-prm", "unchanged")
    scorer = Scorer.load(folder_of(workspace, later))
    assert (scorer.threshold, scorer.low, scorer.high) == (0.4, -1.0, 2.0)


EQUAL = cases_of("sums", *({**case("a", 1), "id": name} for name in ("a", "b")))


def of_equal(values, source="runs/a.jsonl", **more):
    """Results of two cases of equal text, by id; the id None repeats the text instead."""
    rows = [{"id": name, "rewards": [value], **(texts(case("a", 1)) if name is None else {})} for name, value in values]
    return join(results(*rows, source=source, **more), EQUAL)


def stored(folder):
    frame, problems = RewardParts(folder).read()
    assert not problems
    return sorted(frame.select("case", "rewards").rows(), key=repr)


def test_a_second_import_puts_the_cases_in_the_place_of_what_version_0_1_kept(workspace):
    joined = of_equal([("a", 0.1), ("b", 0.2)])
    other = of_equal([("a", 0.1), ("b", 0.2)], "runs/copy.jsonl")
    for one in (joined, other):
        save(workspace, one)
    folder = folder_of(workspace, joined)
    imports = json.loads((folder / "imports.json").read_bytes())
    for source in imports["sources"].values():
        # Version 0.1 kept the first result of the content, and other digests.
        (name,) = source["parts"]
        RewardParts(folder).part(folder / name)[:1].drop("case").write_parquet(folder / name)
        source["digest"] = "0" * 32
    (folder / "imports.json").write_text(json.dumps(imports))
    assert stored(folder) == [(None, [0.1])]
    assert [save(workspace, one).state for one in (joined, joined, other, other)] == [
        *("changed", "unchanged", "changed", "unchanged"),
    ]
    assert stored(folder) == [("sums/a", [0.1]), ("sums/b", [0.2])]
    assert len(RewardParts(folder).parts()) == 2


@pytest.mark.parametrize(
    ("before", "after", "conflicts"),
    [
        # Each file says what it says of its own cases.
        ([("a", 0.1)], [("b", 0.2)], False),
        ([("a", 0.1)], [("a", 0.2)], True),
        ([(None, 0.1)], [(None, 0.2)], True),
        # What names no case is said of one of them at least.
        ([(None, 0.1)], [("a", 0.2)], True),
        ([("a", 0.2)], [(None, 0.1)], True),
        ([(None, 0.1)], [("a", 0.1), ("b", 0.2)], False),
        ([("a", 0.1), ("b", 0.2)], [(None, 0.1)], False),
        ([("a", 0.1), ("b", 0.2)], [(None, 0.3)], True),
        ([("a", 0.1), (None, 0.2)], [("a", 0.1), ("b", 0.2)], False),
    ],
)
def test_two_files_contradict_each_other_case_by_case(workspace, before, after, conflicts):
    first, second = of_equal(before, "runs/first.jsonl"), of_equal(after, "runs/second.jsonl")
    save(workspace, first)
    if conflicts:
        with pytest.raises(ScorerConflict, match=r"first\.jsonl gave 'a-prm' other results for \d of the cases"):
            save(workspace, second)
    else:
        assert save(workspace, second).state == "new"


DIGESTED = ("rewards", "labels", "solution", "reason")
NUMBERS = st.none() | st.just(float("nan")) | st.floats(allow_nan=False)
ROWS = st.lists(
    st.tuples(
        st.none() | st.lists(NUMBERS, max_size=3),
        st.none() | st.lists(st.none() | st.booleans(), max_size=3),
        NUMBERS,
        st.none() | st.text(max_size=3),
    ),
    max_size=4,
)


SAVED = given({"a": 0.1})


def digest_of(rows):
    columns = [pl.Series(name, [row[at] for row in rows], dtype=REWARDS[name]) for at, name in enumerate(DIGESTED)]
    joined = replace(SAVED, rewards=pl.DataFrame(columns))
    return saving._digest(Scorer("a", "b", settings={}), joined)


@up_to(150, usually=20)
@drawn(ROWS, ROWS)
def test_digests_are_equal_where_the_rows_are_and_nowhere_else(some, others):
    assert (digest_of(some) == digest_of(others)) == (repr(some) == repr(others))


def test_values_have_the_bytes_that_they_always_had():
    """With others every file that is imported again would seem to have changed: harmless, but not by accident."""
    digest = blake2b(digest_size=8)
    for column in (
        pl.Series([[0.25, None], None, []], dtype=pl.List(pl.Float64)),
        pl.Series([[True, None, False]]),
        pl.Series(["é", None, ""]),
        pl.Series([1, None, -2], dtype=pl.Int32),
    ):
        saving._add_values(digest, column)
    assert digest.hexdigest() == "7111b066bd0a2ef3"


def test_how_many_rows_are_digested_at_once_tells_no_files_apart(monkeypatch):
    joined = given({name: number / 8 for number, name in enumerate("abcde")})
    shifted = replace(joined, rewards=joined.rewards.reverse())
    for at_once in (2, 65_536):
        monkeypatch.setattr(saving, "_AT_ONCE", at_once)
        one, other = (saving._digest(Scorer("a", "b", settings={}), some) for some in (joined, shifted))
        assert one != other


CASES_UNCHANGED = authored.rows(12)
REWARDS_UNCHANGED = [{"id": row["id"], "rewards": [0.9, 0.25, 0.6]} for row in CASES_UNCHANGED]


@pytest.fixture
def place(tmp_path):
    """A workspace with a benchmark and a scorer, and their files."""
    authored.write(tmp_path / "cases.jsonl", CASES_UNCHANGED)
    authored.write(tmp_path / "mine.jsonl", REWARDS_UNCHANGED)
    assert again(tmp_path) == []
    return tmp_path


def again(folder, wish=None, names=("cases.jsonl", "mine.jsonl")):
    """Import the files once more; the names of those that were left unread."""
    workspace = Workspace.create(folder / "ws")
    found = read_sources(
        [str(folder / name) for name in names], wish or ImportOptions(), workspace, None, skip_unchanged=True
    )
    found.put(workspace)
    return [one.source.rpartition("/")[2] for one in found.unchanged]


def test_what_would_change_nothing_is_not_read(place, monkeypatch):
    monkeypatch.setattr(module, "read_source", lambda *_: pytest.fail("it was read"))
    assert again(place) == ["cases.jsonl", "mine.jsonl"]
    workspace = Workspace.open(place / "ws")
    (cases, results) = read_sources(
        [str(place / "cases.jsonl"), str(place / "mine.jsonl")], ImportOptions(), workspace, None, skip_unchanged=True
    ).unchanged
    assert (cases.held, results.held) == ("12 cases of processbench", "12 results of mine")
    assert (cases.grave, results.grave) == (False, False)


def rewritten(place):
    authored.write(place / "mine.jsonl", [{**row, "rewards": [0.9, 0.25, 0.5]} for row in REWARDS_UNCHANGED])


def touched(place):
    (place / "mine.jsonl").write_bytes((place / "mine.jsonl").read_bytes())


def scorer_removed(place):
    shutil.rmtree(next((place / "ws" / "rewards").glob("mine-*")))


def part_removed(place):
    next((place / "ws" / "rewards").glob("mine-*/part-*")).unlink()


def other_cases(place):
    authored.write(place / "more.jsonl", [authored.row(99, "more")])
    again(place, names=("more.jsonl",))


def forgotten(place):
    (place / "ws" / ledger.LEDGER).write_text("{")


def older_version(place):
    path = place / "ws" / ledger.LEDGER
    document = json.loads(path.read_text())
    for source in document["sources"].values():
        source["how"] = "another"
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (touched, ["cases.jsonl", "mine.jsonl"]),
        (rewritten, ["cases.jsonl"]),
        (scorer_removed, ["cases.jsonl"]),
        (part_removed, ["cases.jsonl"]),
        (other_cases, []),
        (forgotten, []),
        (older_version, []),
    ],
)
def test_whatever_could_make_a_difference_has_it_read(place, change, left):
    change(place)
    assert again(place) == left
    workspace = Workspace.open(place / "ws")
    (folder,) = workspace.reward_folders()
    assert len(list(folder.glob("part-*"))) == 1


def test_another_way_to_read_it_has_it_read(place):
    assert again(place, ImportOptions(threshold=0.25), names=("mine.jsonl",)) == []
    assert again(place, names=("cases.jsonl",)) == ["cases.jsonl"]


def test_files_that_would_be_read_as_something_else_now_are_read(place, monkeypatch):
    monkeypatch.setattr(ledger, "READING", ledger.READING + 1)
    assert again(place) == []
    assert sorted(again(place)) == ["cases.jsonl", "mine.jsonl"]


def test_warnings_are_remembered(place):
    authored.write(place / "mine.jsonl", [*REWARDS_UNCHANGED[1:], {**REWARDS_UNCHANGED[0], "rewards": []}])
    assert again(place) == ["cases.jsonl"]
    workspace = Workspace.open(place / "ws")
    found = read_sources([str(place / "mine.jsonl")], ImportOptions(), workspace, None, skip_unchanged=True)
    assert [one.grave for one in found.unchanged] == [True]
    assert found.grave


def look(folder, *names):
    workspace = Workspace.create(folder / "ws")
    return read_sources([str(folder / name) for name in names], ImportOptions(), workspace, None, skip_unchanged=True)


def test_a_file_that_was_left_out_is_left_out_with_its_reason_again(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    authored.write(folder / "right.jsonl", rows := [authored.row(number, label=number % 3) for number in range(60)])
    look(tmp_path, "many").put(Workspace.open(tmp_path / "ws"))
    authored.write(folder / "shifted.jsonl", [{**row, "label": row["label"] + 1} for row in rows])
    for _ in range(2):
        found = look(tmp_path, "many")
        found.put(Workspace.open(tmp_path / "ws"))
        assert [one.held for one in found.unchanged] == ["60 cases of processbench"]
        assert "look shifted" in found.skipped[0]
        assert found.grave


def test_a_file_that_has_gone_is_one_sentence(place):
    (place / "mine.jsonl").unlink()
    with pytest.raises(UnreadableFile, match="there is no file"):
        look(place, "mine.jsonl")


def test_a_file_that_is_written_while_it_is_read_is_read_again(place, monkeypatch):
    read = module.read_source

    def meanwhile(*args):
        found = read(*args)
        authored.write(place / "mine.jsonl", [{**row, "rewards": [0.9, 0.25, 0.5]} for row in REWARDS_UNCHANGED])
        return found

    authored.write(place / "mine.jsonl", [{**row, "rewards": [0.9, 0.25, 0.7]} for row in REWARDS_UNCHANGED])
    with monkeypatch.context() as patch:
        patch.setattr(module, "read_source", meanwhile)
        assert again(place, names=("mine.jsonl",)) == []
    assert again(place, names=("mine.jsonl",)) == []


def test_cases_that_are_imported_meanwhile_have_the_results_read_again(place):
    rewritten(place)
    found = look(place, "mine.jsonl")
    authored.write(place / "more.jsonl", [authored.row(99, "more")])
    look(place, "more.jsonl").put(Workspace.open(place / "ws"))
    found.put(Workspace.open(place / "ws"))
    assert again(place, names=("mine.jsonl",)) == []
    assert again(place, names=("mine.jsonl",)) == ["mine.jsonl"]
