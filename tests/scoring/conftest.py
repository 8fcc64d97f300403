"""Fixtures for tests of workspaces."""

import pytest

from imports import import_source
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path):
    """An empty workspace in a folder whose name would be a pattern."""
    return Workspace.create(tmp_path / "a workspace [1]")


@pytest.fixture
def parts(tmp_path):
    """The reward parts of a scorer that has none, in a folder whose name would be a pattern."""
    return RewardParts(tmp_path / "a scorer [v2]-01234567")


@pytest.fixture
def read(processbench_file):
    """Imports authored rows as a source of the given name."""
    return lambda values, name="sums.jsonl": import_source(str(processbench_file(values, name)))
