import errno
import os
from pathlib import Path

import pytest

from failing import failing
from scoring.errors import InputError, UnreadableFile
from scoring.reading.files_in import expand, is_pattern, passed_over


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
    return [str(path) for path in expand([Path(name) for name in names])]


def test_a_folder_stands_for_its_files_in_order(here):
    here("in/b.jsonl", "in/a.JSON", "in/c.parquet", "in/d.csv", "in/e.tsv", "in/f.eval")
    here("in/notes.txt", "in/.hidden.json", "in/._b.jsonl", "one.txt")
    Path("in/folder.json").mkdir()
    whole = ["in/a.JSON", "in/b.jsonl", "in/c.parquet", "in/d.csv", "in/e.tsv", "in/f.eval"]
    assert found("in", "one.txt", "gone.json") == [*whole, "one.txt", "gone.json"]


def test_what_a_folder_does_not_stand_for_is_told(here):
    here("in/a.ndjson", "in/b.zip", "in/notes.txt", "in/sub/c.xlsx", "in/.hidden.txt", "in/.git/d.txt")
    assert found("in") == ["in/a.ndjson", "in/b.zip"]
    assert [str(path) for path in passed_over(Path("in"))] == ["in/notes.txt", "in/sub/c.xlsx"]


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
