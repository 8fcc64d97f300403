"""What an app under a Pilot shows, as text; pressing its keys, and waiting until it shows something."""

import asyncio
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from textual._compositor import Compositor
from textual.events import Key
from textual.geometry import Region, Size
from textual.pilot import Pilot
from textual.strip import Strip

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import Command
from inspector.widgets.line_view import Line, LineView

CHARACTERS = {
    "space": " ",
    "colon": ":",
    "question_mark": "?",
    "backslash": "\\",
    "comma": ",",
    "full_stop": ".",
    "asterisk": "*",
    "slash": "/",
    "left_parenthesis": "(",
}
ENOUGH = 20
"""Looks before the time counts: a machine that stands still for half a minute stands still for the app as well."""


_PAINTED: WeakKeyDictionary[Compositor, tuple[Size, dict[int, str]]] = WeakKeyDictionary()


def to_be_painted(compositor: Compositor) -> None:
    """Note which lines a terminal would get now, so that a look need not paint the others again: half of a key."""
    size, lines = _PAINTED.get(compositor, (None, {}))
    if size != compositor.size or compositor.size.region in compositor._dirty_regions:
        _PAINTED[compositor] = compositor.size, {}
    else:
        for region in compositor._dirty_regions:
            for line in region.line_range:
                lines.pop(line, None)


def screen_lines(app: Any) -> list[str]:
    """The lines of the screen on top as a terminal has them, blanks at their ends removed."""
    screen = app.screen
    compositor = screen._compositor
    size, lines = _PAINTED.get(compositor, (None, {}))
    under_way = screen._dirty_widgets or screen._repaint_required or screen._layout_required or screen._scroll_required
    if size != compositor.size or under_way or compositor._dirty_regions:
        return [strip.text.rstrip() for strip in compositor.render_strips()]
    missing = [line for line in range(size.height) if line not in lines]
    if missing:
        crop = Region(0, missing[0], size.width, missing[-1] - missing[0] + 1)
        chops = compositor._render_chops(crop, set(missing).__contains__)
        lines |= {line: Strip.join(chops[line].values()).text.rstrip() for line in missing}
    return [lines[line] for line in range(size.height)]


def table_lines(app: Any) -> list[str]:
    """Return the lines of the screen's table without its frame: titles, rows and the lines below them."""
    region = app.screen.query_one("FrameTable").content_region
    return [line[region.x : region.right].rstrip() for line in screen_lines(app)[region.y : region.bottom]]


def screen_text(app: Any) -> str:
    """The same as one text."""
    return "\n".join(screen_lines(app))


def pane_text(app: Any) -> str:
    """Return the text of all line panes on the screen, with runs of blanks joined."""
    panes = (view for view in app.screen.query(LineView) if view.display)
    lines = (line for view in panes for line in view._lines if isinstance(line, Line))
    return " ".join(" ".join("".join(text for text, _ in line.parts) for line in lines).split())


async def settled(pilot: Pilot[Any], *, timeout: float = 20) -> None:
    """Wait until no message is under way; a timer or a thread may still bring one. Raises TimeoutError.

    `Pilot.pause` sends a message to every widget instead, and a screen has a hundred: a third of a test's time.
    """
    app, quiet, end, looks = pilot.app, 0, time.perf_counter() + timeout, 0
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    while quiet < 3 and app.is_running:
        looks += 1
        if looks > ENOUGH and time.perf_counter() > end:
            raise TimeoutError(f"the app never rests; the screen was\n{screen_text(app)}")
        await asyncio.sleep(0)
        if ready:
            quiet = 0
        elif all(map(_waits, (app, *app.screen.walk_children(with_self=True)))):
            quiet += 1
            app.screen._on_timer_update()
        else:
            # A handler waits for a thread.
            quiet = 0
            await asyncio.sleep(0.003)


def _waits(pump: Any) -> bool:
    """Whether a widget has nothing to answer, and is not in the middle of an answer."""
    queue = pump._message_queue
    return queue.empty() and bool(queue.ready_event._waiters)


def under_way(app: Any) -> list[object]:
    """Timers that ring once, in less than a second, and threads that work for a screen: what may still change it."""
    pumps = [app, *(pump for screen in app.screen_stack for pump in screen.walk_children(with_self=True))]
    once = [timer for pump in pumps for timer in pump._timers if timer._repeat is not None]
    timers = [timer for timer in once if timer._interval < 1]
    ringing = [timer for timer in timers if timer._active.is_set() and timer._task and not timer._task.done()]
    return [*ringing, *(worker for worker in app.workers if not worker.is_finished)]


async def rests(pilot: Pilot[Any], *texts: str, timeout: float = 20) -> str:
    """Wait until every text stands on the screen and nothing is under way that would change it; the screen.

    What is compared with a later screen is read with this: `shows` returns a screen that may be half painted.
    """
    await shows(pilot, *texts)
    await until(pilot, lambda: not under_way(pilot.app), timeout=timeout)
    return screen_text(pilot.app)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys (Textual's names), each when the one before has been answered; "g l" are two.

    `Pilot.press` waits until the process is idle instead, which takes a tenth of a second a key.
    """
    for key in keys:
        for stroke in [key] if key == " " else key.split(" "):
            type_ahead(pilot, stroke)
            await settled(pilot)


def strokes(command: Command) -> tuple[str, ...]:
    """The keys of a command; of one without a key, those that find it in the list of everything."""
    return ("question_mark", *command.title, "enter") if command.keys == NO_KEY else (command.keys.partition(",")[0],)


def type_ahead(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys without waiting for anything."""
    for key in keys:
        pilot.app._driver.send_message(Key(key, CHARACTERS.get(key, key if len(key) == 1 else None)))


async def until(pilot: Pilot[Any], holds: Callable[[], object], *, timeout: float = 20) -> None:
    """Let the app work until `holds()` is true. Raises TimeoutError, which shows the screen."""
    end, pause, looks = time.perf_counter() + timeout, 0.005, 0
    await settled(pilot)
    while not holds():
        looks += 1
        if (looks > ENOUGH and time.perf_counter() > end) or not pilot.app.is_running:
            raise TimeoutError(f"never came true; the screen was\n{screen_text(pilot.app)}")
        await asyncio.sleep(pause)
        # Whoever looks all the time keeps the processor from those whom it waits for.
        pause = min(0.04, pause * 1.5)
        await settled(pilot)


async def shows(pilot: Pilot[Any], *texts: str) -> str:
    """Wait until every text stands on the screen; the screen. Raises TimeoutError, which says what is missing."""
    try:
        return await _painted(pilot, lambda screen: all(text in screen for text in texts))
    except TimeoutError as error:
        screen = screen_text(pilot.app)
        raise TimeoutError(f"{[text for text in texts if text not in screen]}: {error}") from None


async def hides(pilot: Pilot[Any], *texts: str) -> str:
    """Wait until none of the texts stands on the screen; the screen. Raises TimeoutError."""
    return await _painted(pilot, lambda screen: not any(text in screen for text in texts))


async def _painted(pilot: Pilot[Any], fits: Callable[[str], bool]) -> str:
    """The first screen that fits: painting one takes as long as half a key."""
    screen = ""

    def painted() -> bool:
        nonlocal screen
        screen = screen_text(pilot.app)
        return fits(screen)

    await until(pilot, painted)
    return screen


async def looks_like(pilot: Pilot[Any], screen: str, *, timeout: float = 20) -> None:
    """Wait until the screen is exactly this one. Raises TimeoutError."""
    await until(pilot, lambda: screen_text(pilot.app) == screen, timeout=timeout)
