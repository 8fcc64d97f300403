"""Fixtures for tests of readers of foreign results."""

import pytest

from scoring.formats.reading.rows import Rows, read_rows


@pytest.fixture
def rows():
    """Makes a source of these row values; the file is said to be the one that `source` names."""

    def make(*values, source="runs/judge_details.jsonl"):
        made = Rows(source, "JSON Lines")
        for value in values:
            made.add(value)
        return made

    return make


@pytest.fixture(scope="session")
def mr_math_results(data_folder):
    """Reads a published result file of MR-MATH by its scorer's name; skips where it is absent."""

    def read(scorer):
        path = data_folder / "mr-math" / "eval_results" / f"{scorer}_eval_results.json"
        if not path.is_file():
            pytest.skip("no published results of MR-MATH here; name their folder in PRM_INSPECT_DATA")
        return read_rows(path)

    return read
