"""A signal as a wish: granted at once where nothing is half done, and not lost in a library that hides it."""

import os
import signal

import pytest

from scoring.runs.interrupt import Interrupt, Stopped


@pytest.fixture
def interrupt():
    with Interrupt() as found:
        yield found


def ask(signum=signal.SIGINT):
    os.kill(os.getpid(), signum)


def test_a_first_signal_is_noted_and_a_second_one_raises(interrupt):
    ask()
    assert interrupt.signum == signal.SIGINT
    with pytest.raises(Stopped) as stopped:
        ask(signal.SIGTERM)
    assert stopped.value.signum == signal.SIGTERM


def test_where_nothing_is_half_done_the_first_one_raises(interrupt):
    with pytest.raises(Stopped), interrupt.at_once():
        ask()


def test_one_that_came_before_ends_what_may_be_ended(interrupt):
    ask()
    with pytest.raises(Stopped), interrupt.at_once():
        pytest.fail("it began")


def test_a_library_that_makes_another_error_of_it_does_not_hide_it(interrupt):
    def library():
        try:
            ask()
        except Stopped:
            raise ImportError("initialization failed") from None

    with pytest.raises(Stopped), interrupt.at_once():
        library()


def test_errors_of_their_own_stay_what_they_are(interrupt):
    with pytest.raises(ImportError), interrupt.at_once():
        raise ImportError("no such module")
