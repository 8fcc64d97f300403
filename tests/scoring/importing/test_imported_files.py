import json

import pytest

from authored import json_array, rows
from benchmark_rows import stepwise
from scoring.data.errors import UnreadableFile
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.imported_files import original_row


@pytest.fixture
def put(workspace, processbench_file):
    """Imports rows and gives the path and every case."""

    def imported(values, name="sums.jsonl"):
        path = processbench_file(values, name)
        read_sources([str(path)], ImportOptions(), workspace, None).put(workspace)
        return path, workspace.cases()[0].rows(named=True)

    return imported


@pytest.mark.parametrize("name", ["sums.jsonl", "sums.json", "sums.parquet"])
def test_each_case_leads_back_to_its_row(workspace, put, name):
    values = [{**value, "extra": number} for number, value in enumerate(rows(5))]
    _, cases = put(values, name)
    assert [original_row(workspace, case) for case in cases] == values


def test_rows_on_one_line_are_told_apart(workspace, put):
    values = rows(4)
    _, cases = put(json.dumps(values).encode(), "flat.json")
    assert {case["line"] for case in cases} == {1}
    assert [original_row(workspace, case) for case in cases] == values


def test_rows_without_ids(workspace, put):
    values = [stepwise(prompt=f"p{number}") for number in range(3)]
    _, cases = put(values, "steps.jsonl")
    assert [original_row(workspace, case) for case in cases] == values


def test_a_table_leads_back_too(workspace, put):
    path, cases = put(b"problem,steps,more\np,a,1\nq,b,2\n", "mine.csv")
    assert original_row(workspace, cases[1]) == {"problem": "q", "steps": "b", "more": "2"}
    path.unlink()
    with pytest.raises(UnreadableFile, match="there is no file"):
        original_row(workspace, cases[1])


def test_a_row_that_changed_is_not_passed_off_as_the_case(workspace, put):
    path, cases = put(rows(3))
    path.write_bytes(json_array(rows(1)))
    with pytest.raises(UnreadableFile, match=r"line 2 of .* is not the row of processbench/sums-1 any more"):
        original_row(workspace, cases[1])


def test_what_came_from_no_file_is_one_sentence(workspace):
    case = workspace.cases(["demo"])[0].row(0, named=True)
    with pytest.raises(UnreadableFile, match="was not imported from a file"):
        original_row(workspace, case)
