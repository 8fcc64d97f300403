"""What works around Textual 8.2.8 and the terminals that it runs in, so that it can go where Textual does it itself.

| here | what Textual does | its issue |
| --- | --- | --- |
| `KeyOrder` | a key may overtake the one before it, or reach a screen that has gone | none; #4704 is near it |
| `SizeCheck` | of two changes of the size at once the older may be told last | none |
| `catch_signals` | a signal ends the process and leaves the terminal as it is | #5140, open |
| `run`, `leave_behind` | quitting waits for every thread | #3966, open |
| `heedful_driver` | a terminal that is gone reads as empty for ever, or as a fault | #6690, open |
| `lasting_output` | writing to a terminal that is gone waits for ever | none |
| `orderly_driver` | to a browser packets are written from two threads, one amid the other | none |
| `inert_pastes` | what a paste holds of escape sequences is pressed as keys; an absurd number ends reading | none |
| `FrameCache` | the frame of a widget is made anew for each of its lines | none |
| `painted` | what is on screen can be had as a picture, and not as lines | none |
| `EndingNotifications` | a toast that is made as its time ends stops the app for ever; toasts pile up | none |
| `without_colours` | `NO_COLOR` makes sixteen colours black on black | none |

Screens have more of it: `inspector.screens.base` and `inspector.screens.dialog`, and
`inspector.widgets.span_writing` writes only what changed on screen.
"""

import asyncio
import os
import select
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TextIO, cast

from textual import on
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.actions import SkipAction
from textual.app import App
from textual.color import Color
from textual.css.styles import StylesBase
from textual.driver import Driver
from textual.events import Compose, Event, Key, Paste, Resize, ScreenResume
from textual.filter import LineFilter, Monochrome, NoColor
from textual.geometry import Size, Spacing
from textual.message import Message
from textual.message_pump import MessagePump
from textual.notifications import Notification, Notifications
from textual.strip import Strip
from textual.worker import get_current_worker

from inspector.widgets.span_writing import SpanCompositor

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.timer import Timer

# -- keys

LOOK = 0.01
"""Seconds between looks whether the widget that has a key is still there: it may go, and never pass it on."""
PATIENCE = 1.0
"""Seconds after which a key counts as done whatever was said."""
ROUNDS = 5
"""How often it is followed up again what a key set going; what paints the screen never ends."""
AT_ONCE = frozenset({"ctrl+c", "ctrl+z"})
"""Keys that wait for nothing."""


class KeyOrder:
    """Keeps a key until the one before it has gone through every widget, and the screen that it opened is there.

    Textual looks for a key that comes before those of widgets as soon as it arrives, while the key before it may still
    be on its way through the widgets, and gives the next one to a screen that is not there yet. A note written after a
    ruling would then be one on another case.
    """

    def __init__(
        self,
        app: App[Any],
        pass_on: Callable[[Event], Awaitable[None]],
        is_second: Callable[[Event], Awaitable[bool]],
    ) -> None:
        """Of a key whose turn it is, `is_second` is asked whether it took it; `pass_on` gets everything else."""
        self._app = app
        self._pass_on = pass_on
        self._is_second = is_second
        self.kept: deque[Event] = deque()
        self.under_way = False
        self._number = 0
        self._began = 0.0
        self._is_at: MessagePump = app
        self._screen: Screen[object] | None = None
        self._watching: Timer | None = None

    async def take(self, event: Event) -> None:
        """Take an event that came to the app."""
        waits = isinstance(event, (Key, Paste)) and not event.is_forwarded
        if not waits or (isinstance(event, Key) and event.key in AT_ONCE):
            await self._pass_on(event)
        elif self.under_way:
            self.kept.append(event)
            if self._watching is None:
                self._watching = self._app.set_interval(LOOK, self._see_who_has_it)
            self._watching.resume()
        else:
            await self._begin(event)

    async def _begin(self, event: Event) -> None:
        app = self._app
        self._number += 1
        self.under_way, self._began, self._screen = True, time.monotonic(), app.screen
        at = app.focused or app.screen
        if not await self._is_second(event):
            await self._pass_on(event)
        self.follow(self._number, ROUNDS, at)

    def follow(self, number: int, rounds: int, at: MessagePump) -> None:
        """Follow a key behind it in the queue of every widget that it comes to, up to the app."""
        above = at._parent  # noqa: SLF001  # what it bubbles to; `parent` is for widgets alone
        if number == self._number:
            self._is_at = at
        if at is self._app or above is None or not at.call_later(self.follow, number, rounds, above):
            self._app.call_later(self._came_through, number, rounds)

    async def _see_who_has_it(self) -> None:
        """Whoever has the key may be gone."""
        if self.under_way:
            gone = self._is_at is not self._app and not (self._is_at.is_running and self._is_at.is_attached)
            if time.monotonic() > self._began + PATIENCE:
                await self._let_go(self._number)
            elif gone:
                self._is_at = self._app
                self._app.call_later(self._came_through, self._number, ROUNDS)
        if not self.kept and self._watching is not None:
            self._watching.pause()

    async def _came_through(self, number: int, rounds: int) -> None:
        """The key is through; what it set going comes first: messages of widgets, another screen."""
        at: MessagePump = self._app.focused or self._app.screen
        waits = number == self._number and rounds > 0 and _is_busy(at)
        if waits and at.call_later(self.follow, number, rounds - 1, at):
            return
        screen = self._app.screen
        if number == self._number and screen is not self._screen:
            # What a new screen shows may come with its first refresh.
            self._screen = screen
            if screen.call_after_refresh(self.follow, number, ROUNDS, self._app.focused or screen):
                return
        await self._let_go(number)

    async def _let_go(self, number: int) -> None:
        if number == self._number and self.under_way:
            self.under_way = False
            if self.kept:
                await self._begin(self.kept.popleft())


def _is_busy(at: MessagePump) -> bool:
    """Whether anything waits for this or what is above it, or it is about to be there."""
    pump: MessagePump | None = at
    while pump is not None:
        if pump.message_queue_size or not pump.is_running:
            return True
        pump = pump._parent  # noqa: SLF001
    return False


# -- sizes

REST = 0.15
"""Seconds without another size after which the terminal is asked for its own."""


class SizeCheck:
    """Has the terminal's own size hold once sizes have stopped coming, and every cell of it painted.

    Textual reads the size in a signal handler, which another signal may interrupt: then the older size is told last.
    And a terminal that shrank and grew again has lost cells although its size is what it was.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._timer: Timer | None = None

    def soon(self) -> None:
        """Check it when no other size comes any more."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.set_timer(REST, self._check)

    def _check(self) -> None:
        app, size = self._app, terminal_size()
        if size is not None and size != app.size and not app.is_headless:
            app.post_message(Resize(size, size))
        elif app.screen_stack:  # none is left while the app ends
            app.screen.refresh(layout=True)


def terminal_size() -> Size | None:
    """Return the columns and lines of the terminal that is written to; None where there is none."""
    if sys.__stdout__ is None:
        return None
    try:
        return Size(*os.get_terminal_size(sys.__stdout__.fileno()))
    except (OSError, ValueError):
        return None


# -- the end

_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")
_THREADS = "prm-inspect-work"
GRACE = 0.3
"""Seconds that work in threads may take to end by itself."""


def catch_signals(end: Callable[[int], object]) -> None:
    """Have a signal call `end` with the exit code that says which it was, so that the terminal is given back."""
    for name in _SIGNALS:
        if number := getattr(signal, name, None):
            asyncio.get_running_loop().add_signal_handler(number, end, 128 + number)


def run(app: App[int], *, mouse: bool) -> int:
    """Run an app to its end and return its exit code; what its threads still do is left to `leave_behind`."""
    loop, executor = asyncio.new_event_loop(), ThreadPoolExecutor(thread_name_prefix=_THREADS)
    # asyncio.run would wait for whatever a thread is doing.
    loop.set_default_executor(executor)
    try:
        with lasting_output():
            value = app.run(mouse=mouse, loop=loop)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
    return app.return_code or value or 0


def leave_behind(code: int) -> int:
    """Return the exit code, after work in threads had its grace; what then still runs does not keep a person waiting.

    Files are written whole or not at all, so nothing is half done.
    """
    end = time.monotonic() + GRACE
    while (busy := _at_work()) and time.monotonic() < end:
        busy[0].join(0.02)
    if busy:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def _at_work() -> list[threading.Thread]:
    """Threads of workers that have not ended; idle ones have."""
    return [thread for thread in threading.enumerate() if thread.name.startswith(_THREADS)]


# -- a terminal that goes away: a connection is lost, a window is closed


def heedful_driver(driver: type[Driver]) -> type[Driver]:
    """Return the driver, but for one thing: a terminal that nothing can be read from any more is a hang-up signal.

    The thread in which Textual reads keys ends with an error then, which may end the app with a fault; or it reads that
    there is nothing, again and again, and the app goes on for ever.
    """
    if not hasattr(driver, "run_input_thread") or not hasattr(signal, "SIGHUP"):
        return driver

    class HeedfulDriver(driver):  # type: ignore[misc, valid-type]  # a class that is only known here
        _heeds = False

        def run_input_thread(self) -> None:
            # After a suspension there is another thread for keys; who heeds the terminal goes on.
            if not self._heeds and hasattr(select, "poll"):
                self._heeds = True
                threading.Thread(target=_heed, args=(self.fileno,), daemon=True, name="prm-inspect-heed").start()
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
        ready = poller.poll()
    except OSError:
        return
    if any(events & (select.POLLHUP | select.POLLERR) for _, events in ready):
        _hang_up()


def _hang_up() -> None:
    signal.raise_signal(signal.SIGHUP)


class Output:
    """A text file that writing to never fails: of the first failure `lost` is told, and what follows is dropped."""

    def __init__(self, file: TextIO, lost: Callable[[], object]) -> None:
        self._file = file
        self._lost = lost
        self._gone = False

    def write(self, text: str) -> int:
        """Write it; return the number of its characters, written or not."""
        self._try(self._file.write, text)
        return len(text)

    def flush(self) -> None:
        """Hand on what was written."""
        self._try(self._file.flush)

    def _try(self, act: Callable[..., object], *arguments: str) -> None:
        if self._gone:
            return
        try:
            act(*arguments)
        except OSError:
            self._gone = True
            self._lost()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def lasting_output() -> Iterator[None]:
    """Have `sys.__stderr__`, to which Textual writes, be an `Output` meanwhile, and its loss a hang-up signal.

    Textual writes in a thread that an error ends; whoever writes then waits for it for ever, and so the process stays.
    """
    whole = sys.__stderr__
    if whole is None or not hasattr(signal, "SIGHUP"):
        yield
        return
    # Its type says that nobody is meant to give it another value.
    setattr(sys, "__stderr__", Output(whole, _hang_up))  # noqa: B010
    try:
        yield
    finally:
        setattr(sys, "__stderr__", whole)  # noqa: B010


def orderly_driver(driver: type[Driver]) -> type[Driver]:
    """Return the driver, but one for browsers writes packet after packet, and its loss is a hang-up signal."""
    if not hasattr(driver, "write_meta"):
        return driver

    class OrderlyDriver(driver):  # type: ignore[misc, valid-type]  # a class that is only known here
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._write = Packets(self.fileno, lambda: signal.raise_signal(signal.SIGHUP)).write

    return OrderlyDriver


class Packets:
    """A pipe into which each packet is written whole; of the first failure `lost` is told, what follows is dropped."""

    def __init__(self, descriptor: int, lost: Callable[[], object]) -> None:
        self._descriptor, self._lost = descriptor, lost
        self._lock, self._gone = Lock(), False

    def write(self, packet: bytes) -> None:
        """Write one, however many are writing."""
        with self._lock:
            left = memoryview(packet)
            while left and not self._gone:
                try:
                    left = left[os.write(self._descriptor, left) :]
                except OSError:
                    self._gone = True
                    self._lost()


# -- what is pasted


def inert_pastes(driver: type[Driver]) -> type[Driver]:
    """Return the driver, but that nothing in what is pasted is a key: `[31m` of a coloured word would press four."""
    module = sys.modules[driver.__module__]
    if not hasattr(module, "XTermParser"):
        return driver

    class InertDriver(driver):  # type: ignore[misc, valid-type]  # a class that is only known here
        def run_input_thread(self) -> None:
            # The driver makes its parser by this name, and there is no other way to hand it one.
            setattr(module, "XTermParser", _InertParser)  # noqa: B010
            super().run_input_thread()

    return InertDriver


class InertPastes:
    """Takes the escapes out of what is pasted, whatever pieces it arrives in; no key is held back."""

    BEGIN, END = "\x1b[200~", "\x1b[201~"

    def __init__(self) -> None:
        self._inside = False
        # The end of what was read: outside of a paste it is passed on already, inside it may be how the paste ends.
        self._last = ""

    def __call__(self, data: str) -> str:
        """Give what was read, with a picture in the place of each escape within a paste."""
        read: list[str] = []
        while data:
            passed = len(self._last)
            known = self._last + data
            mark = self.END if self._inside else self.BEGIN
            before, marked, data = known.partition(mark)
            if self._inside:
                begun = 0 if marked else _begun(before, mark)
                self._last = before[len(before) - begun :] if begun else ""
                read += before[: len(before) - begun].replace("\x1b", "\N{SYMBOL FOR ESCAPE}"), marked
            else:
                read.append((before + marked)[passed:])
                self._last = "" if marked else known[1 - len(mark) :]
            self._inside ^= bool(marked)
        return "".join(read)


def _begun(text: str, mark: str) -> int:
    """How many characters at the end of a text begin a mark."""
    return next((length for length in range(len(mark) - 1, 0, -1) if text.endswith(mark[:length])), 0)


class _InertParser(XTermParser):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._begin_anew = partial(super().__init__, *args, **options)
        self._inert = InertPastes()

    def feed(self, data: str) -> Iterable[Message]:
        # The empty text says that there is no more.
        if data and not (data := self._inert(data)):
            return
        try:
            yield from super().feed(data)
        except (ValueError, OverflowError):
            # A number that no terminal sends: Textual would read no key any more.
            self._begin_anew()


# -- colours


def without_colours(filters: Sequence[LineFilter], *, sixteen: bool) -> list[LineFilter]:
    """Return Textual's filters with the right one of those for `NO_COLOR`, where there is one.

    Textual decides before the theme is known, and greys are all black where a terminal has sixteen colours.
    """
    return [NoColor() if sixteen and isinstance(line_filter, Monochrome) else line_filter for line_filter in filters]


# -- toasts


class _EndingNotification(Notification):
    """One whose toast has time left, however late it is made: a timer of less than none goes round for ever."""

    LEAST = 0.05

    @property
    def time_left(self) -> float:
        return max(self.LEAST, super().time_left)

    @property
    def has_expired(self) -> bool:
        return super().time_left <= 0


class EndingNotifications(Notifications):
    """What an app has to say; it takes the place of Textual's own."""

    AT_ONCE = 2
    """Most notifications on screen, which has two lines for them."""

    def add(self, notification: Notification) -> Self:
        """Add a notification that expires. It replaces one with the same text, and the oldest if `AT_ONCE` are shown.

        Warnings and errors stay longer than the rest.
        """
        values = {field.name: getattr(notification, field.name) for field in fields(notification)}
        super().add(_EndingNotification(**values))
        for toast in [toast for toast in self if toast.message == notification.message][:-1]:
            del self[toast]
        before = sorted(list(self)[:-1], key=lambda toast: toast.severity != "information")
        for toast in before[: max(0, len(self) - self.AT_ONCE)]:
            del self[toast]
        return self


# -- what is on screen


def painted(screen: "Screen[Any]") -> list[Strip]:
    """Return the lines that a screen shows now; in the app's own thread."""
    return screen._compositor.render_strips()  # noqa: SLF001  # Textual exports pictures alone


# -- the frame of a widget


class FrameCache(StylesCache):
    """Adds the sides of a frame to lines. Textual 8.2 makes the sides anew for each line."""

    _sides: tuple[tuple[object, ...], Strip, Strip] = (), Strip([]), Strip([])

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Size,
        content_size: Size,
        padding: Spacing,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        *others: Any,
    ) -> Strip:
        gutter, width = styles.gutter, content_size.width
        inside = gutter.top <= y < gutter.top + content_size.height
        arguments = (styles, y, size, content_size, padding, base_background, background)
        framed = styles.border_left[0] and styles.border_right[0]
        faded = others[2] != 1.0 or styles.tint.a or styles.text_opacity != 1.0
        if not inside or not framed or faded:
            return super().render_line(*arguments, render_content_line, *others)
        made_for = size, width, gutter, styles.border, base_background, background, others[2:]
        if made_for != self._sides[0]:
            empty = Strip([*super().render_line(*arguments, lambda _: Strip([]), *others)])
            self._sides = made_for, empty.crop(0, gutter.left), empty.crop(gutter.left + width)
        _, left, right = self._sides
        inner, _ = self.get_inner_outer(base_background, background)
        line = render_content_line(y - gutter.top).adjust_cell_length(width, inner.rich_style)
        return Strip([*left, *line, *right], size.width)


# -- sizes that are no longer true are not laid out


class Steady(MessagePump):
    """Comes before `Screen` or `ModalScreen` among the bases of every screen.

    A screen of Textual 8.2 that lays itself out tells itself its new size. With two sizes on their way at once each of
    them makes the other come again, for ever. Only the terminal's own size counts. And it styles all its widgets three
    times before it is seen; here, once.
    """

    _is_new = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        cast("Screen[object]", self)._compositor = SpanCompositor()  # noqa: SLF001  # Textual offers no other way

    @on(Resize)
    def _only_the_present_size(self, event: Resize) -> None:
        if event.size != self.app.size:
            event.prevent_default()

    @on(Compose)
    def _styled_for_its_height(self) -> None:
        """Have the classes of the terminal's height before there are widgets, all of which they style anew."""
        screen = cast("Screen[object]", self)
        screen.add_class(*screen._get_breakpoint_classes(self.app.size.height, screen.VERTICAL_BREAKPOINTS or []))  # noqa: SLF001

    @on(ScreenResume)
    def _styled_once(self, event: ScreenResume) -> None:
        """A screen that has just been made has been styled: Textual styles every one again that it puts on top."""
        if self._is_new:
            event.refresh_styles = self._is_new = False

    def action_copy_text(self) -> None:
        """Copy the text selected with the mouse and clear the selection, so that the key quits the next time."""
        screen = cast("Screen[object]", self)
        selected = screen.get_selected_text()
        if not selected:
            raise SkipAction
        screen.app.copy_to_clipboard(selected)
        screen.clear_selection()

    def show_if_open(self, show: Callable[..., object], *values: object) -> None:
        """Show what a thread of this screen has found (in that thread), unless it is closed or asks anew meanwhile."""
        if not get_current_worker().is_cancelled:
            self.call_later(self._if_open, show, *values)

    def _if_open(self, show: Callable[..., object], *values: object) -> None:
        # One that was closed gets messages to its end, when it has lost some of its widgets.
        if any(cast("Screen[object]", self) in stack for stack in self.app._screen_stacks.values()):  # noqa: SLF001
            show(*values)
