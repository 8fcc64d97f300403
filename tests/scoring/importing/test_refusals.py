"""What is not taken over, because it would do harm or is nothing."""

import json

import pytest

from authored import json_lines, row, rows
from scoring.errors import InputError, UnknownFormat, UsageError
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.sources import read_source


def shifted(number=30):
    """Cases whose labels count from 1: none is 0, and some are beyond the end."""
    return [row(index, label=1 + index % 3) for index in range(number)]


def sound(number=30):
    return [row(index, label=index % 3) for index in range(number)]


def test_labels_that_look_shifted_do_not_take_the_place_of_others(workspace, processbench_file):
    read_sources([str(processbench_file(sound()))], ImportOptions(), workspace, None).put(workspace)
    before = workspace.cases()[0]
    path = processbench_file(shifted(), "again.jsonl")
    with pytest.raises(InputError, match=r"labels of .*again\.jsonl look shifted, and 30 of its cases are here"):
        read_sources([str(path)], ImportOptions(), workspace, None)
    folder = read_sources([str(path.parent / "*.jsonl")], ImportOptions(), workspace, None)
    assert [one.source for one in folder.imported] == [str(path.parent / "sums.jsonl")]
    assert len(folder.skipped) == 1
    assert "Nothing of it was taken over" in folder.skipped[0]
    assert workspace.cases()[0].equals(before)


def test_they_are_read_where_there_are_no_others(workspace, processbench_file):
    path = str(processbench_file(shifted()))
    for _ in range(2):
        found = read_sources([path], ImportOptions(), workspace, None)
        assert found.grave
        found.put(workspace)
    assert workspace.cases()[0].height == 30


def test_a_source_without_one_usable_row_is_refused(processbench_file):
    bad = str(processbench_file([row(index, steps="text") for index in range(3)]))
    with pytest.raises(InputError, match=r"not one of the 3 rows of .* could be read as processbench \(steps is text"):
        read_sources([bad], ImportOptions(benchmark="processbench"), None, None)


def test_csv_with_the_columns_of_a_benchmark_is_a_table(processbench_file):
    lines = ["id,problem,steps,label"]
    for value in rows(4):
        cells = [value["id"], value["problem"], json.dumps(value["steps"]), str(value["label"])]
        lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    (one,) = read_source(str(processbench_file("\n".join(lines).encode(), "mine.csv"))).imported
    assert one.benchmark == "mine"
    assert one.cases["steps"].to_list() == [value["steps"] for value in rows(4)]
    assert one.cases["earliest_error"].to_list() == [value["label"] for value in rows(4)]


def test_a_mapping_is_not_taken_for_data(processbench_file):
    path = processbench_file(json_lines([{"format": 1, "problem": "question", "steps": "response"}]), "map.json")
    with pytest.raises(UnknownFormat, match="is a mapping and holds no rows"):
        read_source(str(path))


def test_a_table_cannot_take_the_name_of_a_benchmark(processbench_file):
    path = processbench_file(b"problem,steps\np,s\n", "mine.csv")
    with pytest.raises(UsageError, match="'demo' is the name of a benchmark"):
        read_sources([str(path)], ImportOptions(name="demo"), None, None)
