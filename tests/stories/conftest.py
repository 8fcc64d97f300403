"""Data that several stories look at."""

import pytest

import many_cases


@pytest.fixture(scope="module")
def cases():
    return many_cases.made_cases()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, cases):
    folder = tmp_path_factory.mktemp("many")
    many_cases.import_cases(folder, "space", cases)
    return folder
