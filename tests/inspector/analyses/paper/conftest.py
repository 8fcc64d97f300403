"""Calls of `prm-inspect paper` in this process."""

import json

import polars as pl
import pytest

from inspector import cli


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def root(tmp_path):
    return tmp_path / ".prm-inspect"


@pytest.fixture
def called(capsys):
    """Calls `paper`; gives exit code, stdout, stderr."""

    def call(*words):
        try:
            code = cli.main(["paper", *words])
        except SystemExit as left:
            code = left.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def rows(called):
    """The rows of a table as a frame."""

    def call(*words):
        code, out, _ = called(*words, "--json")
        assert code == 0
        found = json.loads(out)["rows"]
        return pl.DataFrame(found, schema=list(found[0]), infer_schema_length=None)

    return call
