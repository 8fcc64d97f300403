import pytest

from scoring.formats.benchmarks import benchmark_registry as benchmarks
from scoring.formats.results.result_registry import FORMATS, result_reader
from typical_rows import BENCHMARKS, RESULTS

ROWS = [(name, row) for rows in (RESULTS, BENCHMARKS) for name, each in rows.items() for row in each]


def recognisers():
    readers = {name: result_reader(name).recognises for name in FORMATS}
    return readers | {name: benchmarks.benchmark_module(name).recognises for name in BENCHMARKS}


def test_there_is_a_row_of_every_result_format():
    assert RESULTS.keys() >= FORMATS.keys()


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[name for name, _ in ROWS])
def test_one_reader_and_no_other_recognises_a_row(name, row):
    assert [reader for reader, recognises in recognisers().items() if recognises(row)] == [name]
