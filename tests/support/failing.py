"""System calls that fail."""

import os


def failing(number):
    """A function that fails as a system call does, with this errno."""

    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    return fail


def interrupted(*_, **__):
    """A function during which the reader presses Ctrl+C."""
    raise KeyboardInterrupt
