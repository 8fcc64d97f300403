"""A folder or a pattern stands for its files, each once, and never for what a workspace writes."""

import errno
import os
from pathlib import Path

import pytest

import authored
import example
from failing import failing
from inspector.cli import main
from scoring.data.errors import InputError, UnreadableFile
from scoring.importing.source_locations import expanded, is_pattern, not_looked_at
from scoring.workspace.workspace import OWN, Workspace


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to be in; `make` puts files into it."""
    monkeypatch.chdir(tmp_path)

    def make(*names):
        for name in names:
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")

    return make


def found(*names):
    return [file for file, _ in expanded(names)]


def test_a_folder_stands_for_its_files_in_order(here):
    here("in/b.jsonl", "in/a.JSON", "in/c.parquet", "in/d.csv", "in/e.tsv", "in/f.eval")
    here("in/notes.txt", "in/.hidden.json", "in/._b.jsonl", "one.txt")
    Path("in/folder.json").mkdir()
    whole = ["in/a.JSON", "in/b.jsonl", "in/c.parquet", "in/d.csv", "in/e.tsv", "in/f.eval"]
    assert found("in", "one.txt", "gone.json") == [*whole, "one.txt", "gone.json"]


def test_what_libraries_write_beside_rows_is_no_row(here):
    here("saved/dataset_dict.json", "saved/a/data-00000-of-00001.arrow", "saved/a/dataset_info.json")
    here("saved/a/state.json", "lm/results_2026.json", "lm/samples_sums_2026.jsonl")
    assert found("saved", "lm") == ["saved/a/data-00000-of-00001.arrow", "lm/samples_sums_2026.jsonl"]
    here("other/state.json", "other/results_2026.json", "other/samples_2025.jsonl")
    assert found("other") == ["other/results_2026.json", "other/samples_2025.jsonl", "other/state.json"]
    assert found("saved/a/state.json") == ["saved/a/state.json"]


def test_what_a_folder_does_not_stand_for_is_told(here):
    here("in/a.ndjson", "in/b.zip", "in/notes.txt", "in/sub/c.xlsx", "in/.hidden.txt", "in/.git/d.txt")
    assert found("in") == ["in/a.ndjson", "in/b.zip"]
    assert not_looked_at(["in"]) == ("in/notes.txt", "in/sub/c.xlsx")


def test_a_workspace_writes_nothing_that_would_be_taken_for_data(tmp_path):
    """Whatever is written there: cases, rewards, people's words, variants, slices, results that are imported."""
    example.noted(tmp_path / "w")
    example.keep_variant(tmp_path / "w", *example.ALL_KINDS, rewards=example.GIVEN)
    rows = [
        {"id": one.id, "rewards": [0.5, 0.75][: one.n_steps] + [0.25] * (one.n_steps - 2)} for one in example.EXAMPLES
    ]
    (tmp_path / "mine.jsonl").write_bytes(authored.json_lines(rows))
    words = ("-w", str(tmp_path / "w"))
    assert main(["import", str(tmp_path / "mine.jsonl"), *words]) == 0
    assert main(["remove", "scorer", "beta", *words]) == 0
    assert {path.name for path in (tmp_path / "w").iterdir() if not path.name.startswith(".")} <= OWN


def test_what_lies_in_a_workspace_is_only_read_where_it_is_named(here):
    """Neither a folder nor a pattern stands for the files of a workspace, whose folders may be named like data."""
    here("in/a.json", "in/notes.txt", "in/ws/benchmarks/b/gen-1/import.json", "in/ws/triage/notes.txt")
    here("in/deep/own/rewards/c.json", "in/foreign/d.json")
    Workspace.create(Path("in/ws"))
    Workspace.create(Path("in/deep/own"))
    Path("in/foreign/workspace.json").write_text('{"format": "of another tool"}')
    # Whoever has data and workspace in one folder goes on reading the data.
    here("in/ws/mine.json", "in/ws/more/mine.json")
    outside = ["in/a.json", "in/foreign/d.json", "in/foreign/workspace.json", "in/ws/mine.json", "in/ws/more/mine.json"]
    for word in ("in", "in/**", "**/*.json"):
        left = []
        files = [file for file, _ in expanded([word], left.append)]
        assert [file for file in files if not file.endswith(".txt")] == outside, word
        assert sorted(left) == [Path("in/deep/own"), Path("in/ws")], word
    assert not_looked_at(["in"]) == ("in/notes.txt",)
    inside = "in/ws/benchmarks/b/gen-1/import.json"
    for word in (inside, "in/ws/benchmarks", "in/ws/benchmarks/*/gen-1/*.json"):
        assert found(word) == [inside]


@pytest.mark.parametrize("word", ["in", "in/**", "in/ws", "in/ws/*"])
def test_where_there_is_nothing_beside_a_workspace_the_sentence_names_it(here, word):
    Path("in").mkdir()
    Workspace.create(Path("in/ws"))
    with pytest.raises(InputError, match=r"outside of the workspace in/ws\."):
        found(word)


def test_compressed_files_tables_and_archives_are_among_them(here):
    here("in/a.jsonl.gz", "in/b.csv.ZST", "in/c.parquet.bz2", "in/d.json.xz", "in/e.zip", "in/f.arrow", "in/g.feather")
    whole = found("in")
    here("in/x.tar.gz", "in/x.gz", "in/x.txt.gz", "in/.x.jsonl.gz", "in/.x.zip")
    assert found("in") == whole
    assert [name[3] for name in whole] == list("abcdefg")


def test_a_folder_stands_for_what_is_below_it_too_but_for_hidden_folders(here):
    here("in/z.json", "in/sub/deep/a.json", "in/sub/b.json", "in/.git/c.json", "in/sub/.d/e.json")
    assert found("in") == ["in/sub/b.json", "in/sub/deep/a.json", "in/z.json"]
    assert found(".") == ["in/sub/b.json", "in/sub/deep/a.json", "in/z.json"]


def test_links_are_followed_and_loops_of_them_end(here):
    here("in/sub/a.json", "other/b.json")
    Path("in/sub/up").symlink_to("..")
    Path("in/sub/self").symlink_to(".")
    Path("in/there").symlink_to("../other")
    Path("in/broken.json").symlink_to("nowhere")
    Path("in/loop.json").symlink_to("loop.json")
    assert found("in") == ["in/sub/a.json", "in/there/b.json"]


def test_a_file_counts_once_by_whatever_path_it_is_named(here):
    here("in/a.json", "in/b.json")
    Path("in/c.json").symlink_to("a.json")
    assert found("in/b.json", "in", "in/../in/a.json", "in/*.json") == ["in/b.json", "in/a.json"]


def test_patterns(here):
    here("in/b.json", "in/a.json", "in/c.txt", "in/.d.json", "in/sub/e.json", "in/sub/deep/f.json", ".g/h.json")
    assert found("in/*.json") == ["in/a.json", "in/b.json"]
    assert found("in/[ab].json") == ["in/a.json", "in/b.json"]
    assert found("in/?.txt") == ["in/c.txt"]
    assert found("*/b.json") == ["in/b.json"]
    assert found("in/**/*.json") == ["in/a.json", "in/b.json", "in/sub/deep/f.json", "in/sub/e.json"]
    assert found("in/sub/**") == ["in/sub/deep/f.json", "in/sub/e.json"]
    assert found("in/.*") == ["in/.d.json"]
    assert found(f"{Path.cwd()}/in/[a]*") == [f"{Path.cwd()}/in/a.json"]


def test_what_exists_by_that_very_name_is_no_pattern(here):
    here("run [v2].json", "run v.json", "all*/a.json", "allow/b.json")
    assert found("run [v2].json") == ["run [v2].json"]
    assert found("all*") == ["all*/a.json"]
    assert is_pattern(Path("run [v].json"))
    assert not is_pattern(Path("all*"))
    assert not is_pattern(Path("gone.json"))


@pytest.mark.parametrize("pattern", ["*.json", "gone/*", "[", "**", "in/*.txt"])
def test_a_pattern_that_matches_nothing_is_one_sentence(here, pattern):
    Path("in").mkdir()
    with pytest.raises(InputError, match="no file matches"):
        found(pattern)


def test_two_loops_of_links_do_not_hold_a_pattern_up(here):
    here("in/a.json")
    for name in ("one", "two"):
        Path("in", name).symlink_to(".")
    assert found("in/**/*.json") == ["in/a.json"]


def test_a_folder_without_files_is_one_sentence(here):
    Path("in").mkdir()
    with pytest.raises(InputError, match=r"holds no \.json, .* or \.eval file"):
        found("in")


def test_a_folder_that_cannot_be_listed_is_one_sentence(here, monkeypatch):
    Path("in").mkdir()
    monkeypatch.setattr(os, "scandir", failing(errno.EACCES))
    with pytest.raises(UnreadableFile, match="Permission denied"):
        found("in")


@pytest.mark.parametrize("name", ["a\0b", "a\0*", "x" * 5000, "x" * 5000 + "*", "a**b", os.fsdecode(b"\xff*")])
def test_odd_names_are_left_alone_or_one_sentence(here, name):
    try:
        assert found(name) == [name]
    except InputError as error:
        str(error).encode()
