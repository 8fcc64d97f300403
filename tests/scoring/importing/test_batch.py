import csv
import os
import shutil
import sys
import time
from types import SimpleNamespace

import pytest

import authored
import modified
from authored import json_lines, rows
from benchmark_rows import grben
from scoring.data.errors import InputError, NotJoined, ScorerConflict, UnknownFormat, UnreadableFile, UsageError
from scoring.data.storage.files import uuid7
from scoring.formats.benchmarks import demo
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.batch import ImportOptions, read_sources, spill_folder
from scoring.workspace.cache import RewardParts

NOTHING = ImportOptions()


def details(count, **changes):
    """GR-Ben details of the rows of `grben`."""
    sound = {"domain": "physics", "gt_label": 2, "pred_label": 2, "threshold": 0.5, "probs": [0.9, 0.2, 0.8]}
    return [{"id": f"physics-{number}", **sound, **changes} for number in range(count)]


def checkpoint(count, model="b-prm"):
    """Lines of a mr_eval checkpoint for the rows of `modified.row`."""
    return [
        {
            "task_name": "prmtest_classified",
            "model_name": model,
            "results": {
                "idx": f"circular_sum_{number}",
                "scores": {"step_level_validity_scores": [0.9, 0.1, 0.8]},
                "validity": True,
            },
        }
        for number in range(count)
    ]


def table(path, count):
    """A CSV table of cases with the rewards of one scorer."""
    with path.open("w", newline="") as file:
        written = csv.writer(file)
        written.writerow(["uid", "question", "solution", "first_error", "c_prm"])
        for number in range(count):
            written.writerow([f"t{number}", f"What is {number}?", "One.\n\nTwo.", number % 3 - 1, "[0.3, 0.4]"])
    return path


@pytest.fixture
def folder(tmp_path):
    """Five formats in one folder; the results come before their benchmarks in the order of files."""
    home = tmp_path / "mixed"
    (home / "a results").mkdir(parents=True)
    (home / "a results" / "A-PRM_details.jsonl").write_bytes(json_lines(details(6)))
    (home / "a results" / "b.jsonl").write_bytes(json_lines(checkpoint(5)))
    (home / "cases.json").write_bytes(authored.json_array(rows(4)))
    (home / "circular.jsonl").write_bytes(json_lines([modified.row(number) for number in range(5)]))
    (home / "grben.jsonl").write_bytes(json_lines([grben(number, problem=f"What is {number}?") for number in range(6)]))
    table(home / "mine.csv", 3)
    return home


def in_words(found):
    """What was found, source by source."""
    cases = {one.source.rpartition("/")[2]: (one.benchmark, one.cases.height) for one in found.imported}
    joined = {one.results.source.rpartition("/")[2]: (one.results.name, one.joined) for one in found.joined}
    return cases, joined


MIXED = (
    {
        "cases.json": ("processbench", 4),
        "circular.jsonl": ("prmbench", 5),
        "grben.jsonl": ("grben", 6),
        "mine.csv": ("mine", 3),
    },
    {"A-PRM_details.jsonl": ("A-PRM", 6), "b.jsonl": ("b-prm", 5)},
)


def test_a_folder_of_five_formats(folder, workspace):
    found = read_sources([str(folder)], NOTHING, workspace, None)
    assert in_words(found) == MIXED
    assert [one.benchmarks for one in found.joined] == [("grben",), ("prmbench",)]
    assert found.skipped == ()
    added, saved = found.put(workspace)
    assert [(one.new, one.changed, one.unchanged) for one in added] == [(4, 0, 0), (5, 0, 0), (6, 0, 0), (3, 0, 0)]
    assert [(one.scorer, one.state) for one in saved] == [("A-PRM", "new"), ("b-prm", "new")]
    assert workspace.benchmarks() == ["grben", "mine", "prmbench", "processbench"]
    assert [RewardParts(place).read()[0].height for place in workspace.reward_folders()] == [6, 5]


def test_results_join_to_cases_that_were_imported_before(folder, workspace):
    results = [str(folder / "a results")]
    with pytest.raises(InputError, match=r"nothing was recognised\. .*A-PRM_details.* \(1 more file was left out\)$"):
        read_sources(results, NOTHING, workspace, None)
    read_sources([str(folder)], NOTHING, workspace, None).put(workspace)
    found = read_sources(results, NOTHING, workspace, None)
    assert in_words(found) == ({}, MIXED[1])
    assert [saved.state for saved in found.put(workspace)[1]] == ["unchanged", "unchanged"]


def test_a_file_that_was_named_must_join_and_one_of_many_need_not(folder):
    results = folder / "a results" / "b.jsonl"
    with pytest.raises(NotJoined):
        read_sources([str(results)], NOTHING, None, None)
    (folder / "circular.jsonl").unlink()
    for words in ([str(folder)], [str(folder / "**" / "*.*")]):
        found = read_sources(words, NOTHING, None, None)
        assert in_words(found)[1] == {"A-PRM_details.jsonl": ("A-PRM", 6)}
        (skipped,) = found.skipped
        assert "b.jsonl" in skipped
        assert found.grave


def test_twins_are_cases_that_results_belong_to(folder, workspace):
    both = [modified.row(0), modified.row(9, "redundency")]
    (folder / "circular.jsonl").write_bytes(json_lines(both))
    lines = checkpoint(1)
    for name in ("redundency_sum_9", "correct_sum_9"):
        lines.append({**lines[0], "results": {**lines[0]["results"], "idx": name}})
    (folder / "a results" / "b.jsonl").write_bytes(json_lines(lines))
    found = read_sources([str(folder)], NOTHING, workspace, None)
    assert found.joined[1].joined == 3
    twins = next(one for one in found.imported if one.benchmark == "prmbench").twins
    assert twins["key"].is_in(found.joined[1].rewards["key"].to_list()).all()
    assert twins.height == 1


def test_of_cases_imported_twice_the_later_is_the_one_that_results_join_to(tmp_path, workspace):
    first, second, answers = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "out_details.jsonl"))
    first.write_bytes(json_lines([grben(number, steps=["One."], label=1) for number in range(6)]))
    second.write_bytes(json_lines([grben(number) for number in range(6)]))
    answers.write_bytes(json_lines(details(6)))
    found = read_sources([str(tmp_path)], NOTHING, workspace, None)
    assert found.joined[0].joined == 6
    assert not [one for one in found.joined[0].findings if one.code == "length-mismatch"]


def test_a_file_is_read_once_however_many_words_lead_to_it(folder, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folder)
    words = [str(folder), str(folder / "cases.json"), str(folder / "*.json"), str(link), str(folder / "." / "mine.csv")]
    assert in_words(read_sources(words, NOTHING, None, None)) == MIXED


def test_hub_names_are_read_once_and_join_like_files(monkeypatch, tmp_path):
    asked = []

    def load(name):
        asked.append(name)
        return {"train": [grben(number) for number in range(6)]}

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load))
    answers = tmp_path / "out_details.jsonl"
    answers.write_bytes(json_lines(details(6)))
    found = read_sources([str(answers), "hf:someone/something", "hf:someone/something"], NOTHING, None, None)
    assert asked == ["someone/something"]
    assert [(one.source, one.benchmark) for one in found.imported] == [("hf:someone/something", "grben")]
    assert found.joined[0].joined == 6


def test_labels_of_results_that_count_from_another_base_are_told(tmp_path):
    cases, answers = tmp_path / "cases.jsonl", tmp_path / "out_details.jsonl"
    cases.write_bytes(json_lines([grben(number, problem=f"What is {number}?") for number in range(6)]))
    answers.write_bytes(json_lines(details(6, gt_label=3, pred_label=3, probs=[0.9, 0.9, 0.1])))
    (joined,) = read_sources([str(tmp_path)], NOTHING, None, None).joined
    assert ("warning", "gold-shifted") in [(one.severity, one.code) for one in joined.findings]


def test_the_user_says_which_benchmark(tmp_path):
    for name in ("one", "two"):
        values = [authored.row(number, name, id=str(number), label=...) for number in range(3)]
        (tmp_path / f"{name}.jsonl").write_bytes(json_lines(values))
    answers = tmp_path / "out_details.jsonl"
    answers.write_bytes(json_lines([{"id": str(n), "gt_label": -1, "probs": [0.9] * 3} for n in range(3)]))
    with pytest.raises(NotJoined, match=r"two has 3, 3 with.*one has 3, 3 with"):
        read_sources([str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl"), str(answers)], NOTHING, None, None)
    found = read_sources([str(tmp_path)], ImportOptions(join_to="two"), None, None)
    assert found.joined[0].benchmarks == ("two",)
    with pytest.raises(UsageError, match="no cases of a benchmark 'three'"):
        read_sources([str(tmp_path)], ImportOptions(join_to="three"), None, None)


def test_the_bundled_cases_are_known_without_a_workspace(tmp_path):
    cases = demo.read().cases.head(5).select("id", "n_steps").rows()
    answers = [{"id": name, "gt_label": -1, "probs": [0.5] * n_steps} for name, n_steps in cases]
    path = tmp_path / "out_details.jsonl"
    path.write_bytes(json_lines(answers))
    assert read_sources([str(path)], NOTHING, None, None).joined[0].benchmarks == ("demo",)


def test_a_name_is_that_of_the_one_scorer(folder, workspace):
    read_sources([str(folder)], NOTHING, workspace, None).put(workspace)
    other = folder / "b.jsonl"
    other.write_bytes(json_lines(details(6, probs=[0.9, 0.8, 0.8], pred_label=-1)))
    (folder / "a results" / "A-PRM_details.jsonl").rename(folder / "other.jsonl")
    wish = ImportOptions(name="A-PRM again")
    _, saved = read_sources([str(other)], wish, workspace, None).put(workspace, wish.name)
    assert [(one.scorer, one.state) for one in saved] == [("A-PRM again", "new")]


def test_a_name_is_that_of_the_one_table(tmp_path, workspace):
    path = str(table(tmp_path / "mine.csv", 3))
    (guessed,) = read_sources([path], ImportOptions(name="tests"), None, None).imported
    assert (guessed.benchmark, guessed.cases["case"][0]) == ("tests", "tests/t0")
    mapping = ColumnMapping(benchmark="mapped", id="uid", problem="question", steps="solution", label_base=0)
    assert read_sources([path], ImportOptions(mapping=mapping), None, None).imported[0].benchmark == "mapped"
    assert (
        read_sources([path], ImportOptions(mapping=mapping, name="tests"), None, None).imported[0].benchmark == "tests"
    )


@pytest.mark.parametrize("words", [["."], ["cases.json"]], ids=["several", "none"])
def test_a_name_for_nothing_or_for_several_is_refused(folder, words, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError, match=r"--name 'x' is for one scorer or one table, and there are [02]\.") as refusal:
        read_sources(words, ImportOptions(name="x"), None, None)
    together = "Import it alone. If all of it is one scorer's: --rewards COL=x (or --verdict, --answers)."
    advice = together if words == ["."] else "rows of processbench are read as a table."
    assert str(refusal.value).endswith(advice)


def test_a_mapped_table_holds_cases_and_results(tmp_path, workspace):
    path = str(table(tmp_path / "mine.csv", 3))
    mapping = ColumnMapping(
        id="uid", problem="question", steps="solution", earliest_error="first_error", label_base=0,
        rewards={"c-prm": "c_prm"},
    )  # fmt: skip
    found = read_sources([path], ImportOptions(mapping=mapping), workspace, None)
    assert in_words(found) == ({"mine.csv": ("mine", 3)}, {"mine.csv": ("c-prm", 3)})
    assert found.joined[0].by == "content"


def test_one_scorer_whose_name_is_taken_does_not_keep_the_others_out(folder, workspace):
    read_sources([str(folder)], NOTHING, workspace, None).put(workspace)
    (folder / "a results" / "zz_A-PRM").mkdir()
    again = folder / "a results" / "zz_A-PRM" / "A-PRM_details.jsonl"
    again.write_bytes(json_lines(details(6, probs=[0.9, 0.8, 0.8], pred_label=-1)))
    _, saved = read_sources([str(folder)], NOTHING, workspace, None).put(workspace)
    assert [one.state for one in saved] == ["unchanged", "unchanged", "left out"]
    assert "--name NAME" in saved[2].why
    with pytest.raises(ScorerConflict):
        read_sources([str(again)], NOTHING, workspace, None).put(workspace)


@pytest.mark.parametrize(
    ("word", "error"),
    [
        *(("gone.jsonl", UnreadableFile), ("x" * 300, UnreadableFile)),
        *(("a\0b", UnreadableFile), ("gone/*.jsonl", InputError)),
    ],
    ids=["absent", "too long", "NUL", "pattern"],
)
def test_what_is_named_and_cannot_be_read_is_one_sentence(word, error, folder):
    with pytest.raises(error) as caught:
        read_sources([str(folder), word], NOTHING, None, None)
    assert "\n" not in str(caught.value)


def test_one_unknown_file_of_a_folder_is_said_and_costs_only_itself(folder):
    (folder / "odd.json").write_bytes(b'{"prompt": 1}')
    found = read_sources([str(folder)], NOTHING, None, None)
    assert in_words(found) == MIXED
    assert len(found.skipped) == 1
    with pytest.raises(UnknownFormat):
        read_sources([str(folder / "odd.json")], NOTHING, None, None)


OLD = time.time() - 2 * 86_400


def made(folder, age=OLD):
    folder.mkdir(parents=True)
    (folder / "texts.parquet").write_bytes(b"x")
    os.utime(folder, (age, age))
    return folder


@pytest.mark.parametrize("there", [True, False])
def test_the_folder_lies_on_the_workspaces_disk_and_is_made_by_whoever_writes(tmp_path, there):
    root = tmp_path / "workspace"
    if there:
        root.mkdir()
    with spill_folder(root) as folder:
        assert folder.parent == (root if there else tmp_path)
        assert not folder.exists()
        made(folder)
    assert not folder.exists()


def test_it_goes_whatever_happens(tmp_path):
    def killed():
        with spill_folder(tmp_path) as folder:
            made(folder)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        killed()
    assert list(tmp_path.iterdir()) == []


def test_each_import_has_its_own(tmp_path):
    with spill_folder(tmp_path) as one, spill_folder(tmp_path) as two:
        assert one != two


def test_a_workspace_in_a_folder_that_is_not_there(tmp_path):
    with spill_folder(tmp_path / "new" / "workspace") as folder:
        assert folder.parent == tmp_path / "new"
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_import_left_is_removed_a_day_later(tmp_path):
    left = made(tmp_path / f".import-123-{uuid7()}")
    fresh = made(tmp_path / f".import-123-{uuid7()}", time.time())
    with spill_folder(tmp_path):
        assert not left.exists()
        assert fresh.exists()


@pytest.mark.parametrize("name", [".import-notes", ".import-1-x", ".import-", f".import-x-{'0' * 32}"])
def test_what_is_called_otherwise_is_nobodys_business_here(tmp_path, name):
    other = made(tmp_path / name)
    with spill_folder(tmp_path):
        pass
    assert (other / "texts.parquet").exists()


def test_what_another_import_removes_meanwhile_is_gone_and_no_error(tmp_path, monkeypatch):
    left = made(tmp_path / f".import-123-{uuid7()}")
    remove = shutil.rmtree
    glob = type(tmp_path).glob

    def racing(self, pattern):
        found = list(glob(self, pattern))
        remove(left)
        return found

    monkeypatch.setattr(type(tmp_path), "glob", racing)
    with spill_folder(tmp_path):
        assert not left.exists()
