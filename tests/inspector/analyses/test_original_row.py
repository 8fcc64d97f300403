import json
from pathlib import Path

import pytest

from authored import rows
from inspector.cli import main


@pytest.fixture
def imported(processbench_file, tmp_path, monkeypatch, capsys):
    """Rows imported from a file given by a relative path, and their values."""
    values = [{**value, "more": {"kept": "\x1b[31m\u202e"}} for value in rows(3)]
    processbench_file(values, "in/sums.jsonl")
    monkeypatch.chdir(tmp_path)
    assert main(["import", "in/sums.jsonl", "-q"]) == 0
    capsys.readouterr()
    return values


def test_a_case_leads_to_its_row_from_any_folder(imported, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir("/")
    assert main(["show", "sums-1", "--row", "--workspace", str(tmp_path / ".prm-inspect")]) == 0
    out = capsys.readouterr().out
    assert json.loads(out) == imported[1]
    assert "\x1b" not in out
    assert "\u202e" not in out


@pytest.mark.usefixtures("imported")
def test_a_file_that_has_gone_is_one_sentence(capsys):
    Path("in/sums.jsonl").unlink()
    assert main(["show", "sums-1", "--row"]) == 2
    assert "there is no file" in capsys.readouterr().err
