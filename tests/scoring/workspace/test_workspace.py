import json

import polars as pl
import pytest
from msgspec.structs import replace

import scoring.workspace.workspace
from authored import row, rows
from generations import generations, home, ids
from scoring.data.errors import DamagedWorkspace, NoWorkspace, UnwritableWorkspace, UsageError
from scoring.data.schema import CASES, METADATA, TEXTS, content_key
from scoring.data.scorer import Scorer
from scoring.data.storage.parquet import read_parquet
from scoring.formats.benchmarks import demo
from scoring.formats.benchmarks.own import cases_frame
from scoring.workspace.cache import RewardParts
from scoring.workspace.generation import Added
from scoring.workspace.workspace import Workspace


def test_a_workspace_is_made_once_and_opened(tmp_path):
    root = tmp_path / "deep" / "workspace"
    assert Workspace.create(root) == Workspace.create(root) == Workspace.open(root)
    assert json.loads((root / "workspace.json").read_text()) == {"format": 1}
    assert Workspace.open(root).benchmarks() == []
    frame, texts = Workspace.open(root).cases()
    assert frame.schema == METADATA
    assert texts.frame().is_empty()


def test_a_folder_with_other_files_can_become_a_workspace(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    Workspace.create(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_no_workspace_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    for root in (tmp_path, tmp_path / "gone", tmp_path / "file"):
        with pytest.raises(NoWorkspace, match=r"holds no workspace\.json\. Make one with"):
            Workspace.open(root)


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_a_workspace_where_a_file_is_cannot_be_made(tmp_path, below):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableWorkspace, match="a part of the path is a file"):
        Workspace.create(tmp_path / below)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_damaged_mark_is_one_sentence_and_is_not_overwritten(tmp_path, raw):
    (tmp_path / "workspace.json").write_bytes(raw)
    for use in (Workspace.open, Workspace.create):
        with pytest.raises(DamagedWorkspace, match="cannot be read"):
            use(tmp_path)
    assert (tmp_path / "workspace.json").read_bytes() == raw


def test_a_newer_workspace_asks_for_a_newer_program(tmp_path):
    (tmp_path / "workspace.json").write_text('{"format": 2}')
    with pytest.raises(DamagedWorkspace, match=r"format 2; this version knows 1\. Update"):
        Workspace.create(tmp_path)


ODD = [
    "plain",
    "",
    "nul \x00 and escape \x1b[31m",
    "[bold red]not markup[/] \\[x\\]",
    "line\u2028separator\r\nand\ttab",
    "中文 Русский ≤ 😀 e\u0301 \u202eover",
    "<extra_0> ки <|im_end|>",
    "half \ud800 a character",
    "\ufeff",
    "x" * 100_000,
]


def test_texts_come_back_as_they_went_in(workspace, read):
    imported = read([row(number, problem=text, steps=[text, "", text]) for number, text in enumerate(ODD)])
    workspace.add([imported])
    cases, texts = workspace.cases(["processbench"])
    assert cases.schema == METADATA
    assert cases.equals(imported.cases.select(list(METADATA)))
    assert texts.frame().equals(imported.cases.select(list(TEXTS)))
    for index, (text, key) in enumerate(zip(ODD, cases["key"], strict=True)):
        sound = text.replace("\ud800", "\ufffd")
        found = texts.row(index)
        assert (found["problem"], found["steps"]) == (sound, [sound, "", sound])
        assert content_key(found["problem"], found["steps"]) == key


def test_an_import_again_changes_nothing(workspace, read):
    values = rows(20)
    assert workspace.add([read(values)]) == [Added(new=20, changed=0, unchanged=0)]
    before = workspace.cases()[0]
    assert workspace.add([read(values)]) == [Added(new=0, changed=0, unchanged=20)]
    assert workspace.cases()[0].equals(before)
    assert len(workspace.imports("processbench")) == 1


def test_what_changed_is_counted_and_replaced_in_its_place(workspace, read):
    values = rows(6)
    workspace.add([read(values)])
    label, text, same = {**values[4], "label": 2}, {**values[1], "problem": "changed"}, values[2]
    added = workspace.add([read([row(9), label, text, same, row(8)], "more.jsonl")])
    first = workspace.imports("processbench")[0]["path"]
    assert added == [Added(new=2, changed=2, unchanged=1, elsewhere=(first,))]
    assert ids(workspace) == [*(f"sums-{number}" for number in range(6)), "sums-9", "sums-8"]
    cases, texts = workspace.cases(["processbench"])
    assert cases["earliest_error"][4] == 2
    assert [texts.row(index)["problem"] for index in (0, 1)] == ["What is 0 + 1?", "changed"]
    assert cases["line"].to_list() == [1, 3, 4, 4, 2, 6, 1, 5]


def test_a_source_that_lost_rows_takes_nothing_away(workspace, read):
    workspace.add([read(rows(4))])
    workspace.add([read(rows(2))])
    assert len(ids(workspace)) == 4


def test_files_of_rows_without_ids_do_not_replace_each_other(workspace, read):
    for name in ("a.jsonl", "b.jsonl"):
        workspace.add([read([row(number, id=..., problem=name) for number in range(2)], name)])
    assert ids(workspace) == ["a#1", "a#2", "b#1", "b#2"]


def test_how_a_benchmark_was_imported_is_kept(workspace, read):
    workspace.add([read(rows(3), "a.jsonl"), read([row(7, label=9), {"id": "x"}], "b.jsonl")])
    first, second = workspace.imports("processbench")
    assert first["source"].endswith("a.jsonl")
    assert (first["read"], first["kept"], first["erroneous"], first["clean"]) == (3, 3, 1, 2)
    assert (second["read"], second["kept"]) == (2, 1)
    assert [finding["code"] for finding in second["findings"]] == ["label-beyond-end", "wrong-type", "wrong-type"]
    assert second["findings"][0] == {
        "severity": "warning",
        "code": "label-beyond-end",
        "message": "label 9 is beyond the last step (2, 0-based)",
        "source": second["source"],
        "line": 1,
        "case": "sums-7",
    }
    assert workspace.imports("gone") == []


def test_sources_of_one_import_are_one_generation(workspace, read):
    imported = [read(rows(2), "a.jsonl"), demo.read(), read([row(1, label=2), row(5)], "b.jsonl")]
    added = workspace.add(imported)
    last = Added(new=1, changed=1, unchanged=0, elsewhere=(imported[0].path,))
    assert added == [Added(2, 0, 0), Added(demo.read().cases.height, 0, 0), last]
    assert len(generations(workspace)) == 1
    assert workspace.benchmarks() == ["demo", "processbench"]
    assert ids(workspace) == ["sums-0", "sums-1", "sums-5"]


def test_generations_stay_while_whoever_opened_them_may_follow(workspace, read):
    seen = []
    for count in (1, 2, 3, 4):
        workspace.add([read(rows(count))])
        seen.append(workspace.cases())
    assert [texts.row(0)["problem"] for _, texts in seen] == ["What is 0 + 1?"] * 4


def test_two_generations_are_kept(workspace, read, monkeypatch):
    monkeypatch.setattr(scoring.workspace.workspace, "KEPT_SECONDS", -1)
    seen = []
    for count in (1, 2, 3):
        workspace.add([read(rows(count))])
        seen.append(workspace.cases())
    assert len(generations(workspace)) == 2
    # Whoever opened the generation before still reads its texts.
    assert seen[1][1].row(1)["problem"] == "What is 1 + 1?"
    with pytest.raises(DamagedWorkspace, match="Open the workspace again"):
        seen[0][1].row(0)


def test_cases_come_in_the_order_of_the_names(workspace, read):
    workspace.add([read(rows(2)), demo.read()])
    cases, texts = workspace.cases(["processbench", "demo"])
    assert cases["benchmark"].unique(maintain_order=True).to_list() == ["processbench", "demo"]
    assert texts.frame().height == cases.height
    assert texts.row(2)["problem"] == demo.read().cases["problem"][0]
    assert workspace.cases()[0]["benchmark"][0] == "demo"


def test_a_benchmark_that_is_not_here_is_one_sentence(workspace, read):
    workspace.add([read(rows(1))])
    with pytest.raises(UsageError, match=r"'prmbench' is not in this workspace\. Here are: processbench, demo"):
        workspace.cases(["prmbench"])


def test_the_demo_is_known_everywhere(workspace):
    for place in (workspace, Workspace(None)):
        cases, texts = place.cases(["demo"])
        bundled = demo.read().cases
        assert cases.equals(bundled.select(list(METADATA)))
        assert texts.frame(["problem"])["problem"].to_list() == bundled["problem"].to_list()
        [report] = place.imports("demo")
        assert report["kept"] == bundled.height
        assert place.benchmarks() == []


def test_an_imported_demo_comes_before_the_bundled_one(workspace):
    imported = demo.read()
    shorter = replace(imported, cases=imported.cases[:3])
    workspace.add([shorter])
    assert workspace.cases(["demo"])[0].height == 3
    assert workspace.imports("demo")[0]["kept"] == 3


def test_a_workspace_without_a_folder_cannot_be_written(read):
    with pytest.raises(NoWorkspace, match="no folder to import into"):
        Workspace(None).add([read(rows(1))])


def test_folders_of_rewards_come_in_order_and_the_demos_only_for_the_demo(workspace):
    for name in ("b", "a"):
        scorer = Scorer(name, "0" * 16)
        scorer.save(workspace.root / "rewards" / scorer.folder)
        RewardParts(workspace.root / "rewards" / scorer.folder)
    assert [folder.name for folder in workspace.reward_folders(["processbench"])] == ["a-00000000", "b-00000000"]
    bundled = sorted(path.parent.name for path in (demo.folder() / "rewards").glob("*/scorer.json"))
    assert bundled
    assert [folder.name for folder in Workspace(None).reward_folders(["demo"])] == bundled
    assert len(workspace.reward_folders(["demo"])) == 2 + len(bundled)
    workspace.add([demo.read()])
    assert len(workspace.reward_folders(["demo"])) == 2


def test_nothing_of_an_import_is_left_out_of_the_generation(workspace, read):
    imported = read(rows(3))
    workspace.add([imported])
    folder = home(workspace) / generations(workspace)[0]
    cases, report, texts = sorted(folder.iterdir())
    assert (cases.name, report.name) == ("cases.parquet", "import.json")
    index = read_parquet(cases)
    assert index["_texts"].to_list() == [texts.name] * 3
    assert index["_row"].to_list() == [0, 1, 2]
    whole = pl.concat([index, read_parquet(texts)], how="horizontal")
    assert whole.select(list(CASES)).equals(imported.cases)


def files_of_texts(workspace):
    """The inodes of the newest generation's files of texts, and how many rows they hold together."""
    paths = sorted((home(workspace) / generations(workspace)[-1]).glob("texts-*.parquet"))
    return {path.stat().st_ino for path in paths}, sum(read_parquet(path).height for path in paths)


def test_texts_that_did_not_change_are_linked_and_not_written_again(workspace, read):
    values = rows(6)
    workspace.add([read(values)])
    first, _ = files_of_texts(workspace)
    workspace.add([read(values)])
    assert files_of_texts(workspace) == (first, 6)
    workspace.add([read([{**values[4], "problem": "changed"}, row(9)])])
    second, held = files_of_texts(workspace)
    # Row 4 of the old file is left unused; two rows are new.
    assert first < second
    assert held == 6 + 2
    cases, texts = workspace.cases(["processbench"])
    for index, key in enumerate(cases["key"]):
        assert content_key(texts.row(index)["problem"], texts.row(index)["steps"]) == key
    assert texts.frame(["problem"])["problem"].to_list() == [texts.row(index)["problem"] for index in range(7)]


def test_twins_are_scored_and_neither_listed_nor_counted(workspace, read):
    imported = read(rows(3))
    twins = cases_frame(
        "processbench",
        "x",
        [
            {
                "id": "twin",
                "problem": "p",
                "steps": ["s"],
                "earliest_error": -1,
                "line": 1,
                "twin_of": "processbench/sums-1",
            }
        ],
    )
    added = workspace.add([replace(imported, twins=twins)])
    assert added == [Added(new=3, changed=0, unchanged=0)]
    assert ids(workspace) == ["sums-0", "sums-1", "sums-2"]
    every, texts = workspace.cases(twins=True)
    assert every["id"].to_list() == ["sums-0", "sums-1", "sums-2", "twin"]
    assert texts.row(3)["steps"] == ["s"]
    assert workspace.twins().equals(twins)
    assert workspace.add([replace(imported, twins=twins)]) == [Added(new=0, changed=0, unchanged=3)]
    assert workspace.imports("processbench")[0]["twins"] == 1


def test_many_imports_together_change_what_they_change_one_after_the_other(tmp_path, read):
    """Cases that repeat within them, that move from file to file, and columns that only some have."""
    first = read(rows(6), name="first.jsonl")
    batch = [
        read([row(1, extra=1), row(20)], name="second.jsonl"),
        read([row(2, problem="another")], name="third.jsonl"),
        read([row(1, extra="text"), row(21)], name="fourth.jsonl"),
        read([row(20), row(3)], name="first.jsonl"),
        read([row(21, problem="new"), row(22)], name="fifth.jsonl"),
    ]
    together, alone = Workspace.create(tmp_path / "together"), Workspace.create(tmp_path / "alone")
    assert together.add([first]) == alone.add([first])
    changes = [added for imported in batch for added in alone.add([imported])]
    assert together.add(batch) == changes
    (cases, texts), (expected, expected_texts) = (space.cases(["processbench"]) for space in (together, alone))
    assert cases.equals(expected)
    assert texts.frame().equals(expected_texts.frame())
    assert together.imports("processbench") == alone.imports("processbench")
