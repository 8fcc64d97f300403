"""What the app reads from, which may go away: a connection is lost, a window is closed.

The thread in which Textual 8.2 reads keys ends with an error then, which may end the app with a fault; or it reads that
there is nothing, again and again, and the app goes on for ever.
"""

import select
import signal
from threading import Thread

from textual.driver import Driver


def heedful_driver(driver: type[Driver]) -> type[Driver]:
    """The driver, but for one thing: a terminal from which nothing can be read any more is a hang-up signal."""
    if not hasattr(driver, "run_input_thread") or not hasattr(signal, "SIGHUP"):
        return driver

    class HeedfulDriver(driver):  # type: ignore[misc, valid-type]  # a class that is only known here
        _heeds = False

        def run_input_thread(self) -> None:
            # After a suspension there is another thread for keys; who heeds the terminal goes on.
            if not self._heeds and hasattr(select, "poll"):
                self._heeds = True
                Thread(target=_heed, args=(self.fileno,), daemon=True, name="prm-inspect-heed").start()
            try:
                super().run_input_thread()
            except OSError:
                _hang_up()

    return HeedfulDriver


def _heed(descriptor: int) -> None:
    """Wait until the other side of a terminal is gone, and say so."""
    # Asked for nothing else, it wakes for nothing else: keys cost nothing here.
    poller = select.poll()
    poller.register(descriptor, 0)
    try:
        found = poller.poll()
    except OSError:
        return
    if any(events & (select.POLLHUP | select.POLLERR) for _, events in found):
        _hang_up()


def _hang_up() -> None:
    signal.raise_signal(signal.SIGHUP)
