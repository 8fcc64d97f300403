"""What a person does is logged, so that it can be played again: keys, what they did, and what the screen then said."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from textual.events import Event, InputEvent, Key, MouseDown, Paste, Resize

from inspector.messages import Loaded
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.timer import Timer

    from inspector.session.lines import Said
    from inspector.session.log import SessionLog

REST = 0.3
"""Seconds in which a screen that has nothing more to say says the same, with nothing under way."""
LOOKS = 10
"""How often that is looked at after a key."""
_GOES_ON = frozenset({"job", "keep", "remember"})
"""Groups of work in threads that changes no title, or never ends."""


class Logging(Wired):
    """Writes the log of a session, where there is a folder for it."""

    sessions: Path | None = None
    """The folder of the logs; None: nothing is logged."""

    _session_log: "SessionLog | None" = None
    _began = 0.0
    _resting: "Timer | None" = None
    _last_said: "Said | None" = None
    _just_said: "Said | None" = None
    _looks = 0

    def on_loaded(self, message: Loaded) -> None:
        """The workspace was read: from here on there is something to do. The file is begun after the first paint."""
        if self.sessions is None:
            return
        from inspector.session.log import SessionLog
        from inspector.session.starting import start_of

        self._began = time.monotonic()
        self._session_log = SessionLog(self.sessions, start_of(self, message.selection))
        self.set_timer(REST, self._session_log.begin)
        self._await_rest()

    async def on_event(self, event: Event) -> None:
        """Log what comes from outside, then pass it on."""
        if self._session_log is not None and (told := _input(event)):
            self._note_down(told)
            self._await_rest()
        await super().on_event(event)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: "DOMNode | None" = None,
        namespaces: "Mapping[str, DOMNode] | None" = None,
    ) -> bool:
        screen = self.front.NAME if self._session_log is not None and self.front is not None else ""
        done = await super().run_action(action, default_namespace, namespaces)
        if done and screen and isinstance(action, str):
            from inspector.session.starting import command_id

            if (command := command_id(action, screen)) is not None:
                self._note_down({"screen": screen, "command": command})
        return done

    def on_unmount(self) -> None:
        if self._session_log is not None:
            self._session_log.close()

    def _note_down(self, line: "Mapping[str, Any]") -> None:
        """A line with its time, for the file."""
        log = self._session_log
        if log is None:
            return
        log.write({"at": round(time.monotonic() - self._began, 3), **line})
        if log.problem:
            self._session_log = None
            self.notify(clean(log.problem), severity="warning", markup=False)

    def _await_rest(self) -> None:
        """Look for a while whether the screen says something else."""
        self._looks, self._just_said = LOOKS, None
        if self._resting is None:
            self._resting = self.set_interval(REST, self._look_what_is_said)
        else:
            self._resting.reset()
            self._resting.resume()

    def _look_what_is_said(self) -> None:
        from inspector.session.showing import said

        before, self._just_said = self._just_said, said(self)
        now = self._just_said
        working = any(not one.is_finished and one.group not in _GOES_ON for one in self.workers)
        # A screen that was just opened has no title yet.
        rests = now == before and not working and now is not None and now.title.strip() != ""
        if now is not None and rests and now != self._last_said:
            self._last_said = now
            self._note_down({"screen": now.screen, "title": now.title})
        self._looks -= not working
        if self._looks <= 0 and self._resting is not None:
            self._resting.pause()


def _input(event: Event) -> "dict[str, Any] | None":
    """What of an event can be played again; None of those that cannot, and of those that were logged already."""
    if isinstance(event, Resize):
        return {"size": [event.size.width, event.size.height]}
    if isinstance(event, Paste):
        return {"paste": event.text}
    if not isinstance(event, InputEvent) or event.is_forwarded:
        return None
    if isinstance(event, Key):
        return {"key": event.key, "character": event.character}
    return {"click": [event.x, event.y]} if isinstance(event, MouseDown) else None
