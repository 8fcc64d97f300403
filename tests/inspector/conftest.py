"""Fixtures of tests that look at the app."""

import pytest

import example


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    """The small workspace of `example`, one for all tests of a file: whoever changes what is in it makes its own."""
    return example.write(tmp_path_factory.mktemp("example") / "workspace")
