"""What reading in blocks leaves behind in the process: nothing, however it ends."""

import gc
import sys
import threading

import pytest

import authored
from scoring.benchmarks import processbench
from scoring.reading.rows import read_rows
from scoring.reading.typed import chunks


def reading(folder, work=lambda chunk: chunk):
    rows = read_rows(authored.write(folder / "sums.jsonl", authored.rows(40)))
    rows.block_size = 300
    return chunks(rows, processbench.FORMAT.layout, work)


def process():
    return gc.isenabled(), sys.getswitchinterval(), threading.active_count()


def refused(_):
    raise OSError(28, "No space left on device")


def test_the_process_is_as_it_was_after_an_error(tmp_path):
    before = process()
    with pytest.raises(OSError, match="No space left"):
        list(reading(tmp_path, refused))
    assert process() == before


def test_the_process_is_as_it_was_after_readers_that_end_early_in_any_order(tmp_path):
    before = process()
    first, second = reading(tmp_path), reading(tmp_path)
    next(first)
    next(second)
    assert not gc.isenabled()
    first.close()
    assert not gc.isenabled()
    second.close()
    assert process() == before


def test_a_collector_that_was_off_stays_off(tmp_path):
    gc.disable()
    try:
        assert sum(chunk.frame.height for chunk in reading(tmp_path)) == 40
        assert not gc.isenabled()
    finally:
        gc.enable()
