import signal
import sys
from io import StringIO

import pytest

from inspector.widgets.textual_compat import Output, lasting_output


class Failing(StringIO):
    """Takes some writes, then none."""

    def __init__(self, takes: int) -> None:
        super().__init__()
        self.takes = takes

    def write(self, text: str) -> int:
        if not self.takes:
            raise OSError(5, "Input/output error")
        self.takes -= 1
        return super().write(text)


def test_what_is_written_arrives_and_the_rest_is_the_files_own():
    file, lost = StringIO(), []
    output = Output(file, lambda: lost.append(1))
    assert output.write("one") == 3
    output.flush()
    assert file.getvalue() == "one"
    assert output.isatty() is False
    assert not lost


def test_the_first_failure_is_told_once_and_nothing_is_tried_again():
    file, lost = Failing(1), []
    output = Output(file, lambda: lost.append(1))
    for text in ("one", "two", "three"):
        assert output.write(text) == len(text)
    file.takes = 1
    output.write("four")
    output.flush()
    assert file.getvalue() == "one"
    assert lost == [1]


def test_other_faults_are_no_loss():
    closed = StringIO()
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        Output(closed, list).write("x")


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no hang-up signal")
def test_the_loss_is_a_signal_and_the_output_comes_back(monkeypatch):
    file, told = Failing(0), []
    monkeypatch.setattr(sys, "__stderr__", file)
    before = signal.signal(signal.SIGHUP, lambda number, _frame: told.append(number))
    try:
        with lasting_output():
            sys.__stderr__.write("x")
        assert told == [signal.SIGHUP]
        assert sys.__stderr__ is file
    finally:
        signal.signal(signal.SIGHUP, before)
