"""What a person does is recorded, so that it can be played again: keys, what they did, and what screens then said."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from textual.events import Event, InputEvent, Key, MouseDown, Paste, Resize

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from textual.timer import Timer

    from inspector.app import InspectApp
    from inspector.result_set import ResultSet
    from inspector.session.log import ScreenTitle, SessionLog

REST = 0.3
"""Seconds in which a screen that has nothing more to say says the same, with nothing under way."""
LOOKS = 10
"""How often that is looked at after a key."""
_GOES_ON = frozenset({"job", "keep", "remember"})
"""Groups of work in threads that changes no title, or never ends."""


class SessionRecorder:
    """Writes the log of a session, from `begin` on."""

    def __init__(self, app: "InspectApp") -> None:
        self._app = app
        self.last_said: ScreenTitle | None = None
        """What the screen said when it was last recorded."""
        self._log: SessionLog | None = None
        self._began = 0.0
        self._resting: Timer | None = None
        self._just_said: ScreenTitle | None = None
        self._looks = 0

    def begin(self, folder: Path | None, results: "ResultSet") -> None:
        """Begin, the workspace being read: there is something to do from here on. Without a folder nothing is recorded.

        The file is begun after the first paint.
        """
        if folder is None:
            return
        from inspector.session.log import SessionLog, start_of

        self._began = time.monotonic()
        self._log = SessionLog(folder, start_of(self._app, results))
        self._app.set_timer(REST, self._log.begin)
        self._await_rest()

    def note_input(self, event: Event) -> None:
        """Record what comes from outside."""
        if self._log is not None and (line := _input(event)):
            self._note_down(line)
            self._await_rest()

    def note_action(self, action: str, screen: str) -> None:
        """Record what was done, where it is a command of the screen of this name."""
        if self._log is None:
            return
        from inspector.session.log import command_id

        if (command := command_id(action, screen)) is not None:
            self._note_down({"screen": screen, "command": command})

    def close(self) -> None:
        """Close the file: nothing more comes."""
        if self._log is not None:
            self._log.close()

    def _note_down(self, line: "Mapping[str, Any]") -> None:
        """A line with its time, for the file."""
        log = self._log
        if log is None:
            return
        log.write({"at": round(time.monotonic() - self._began, 3), **line})
        if log.problem:
            self._log = None
            self._app.tell(log.problem, "warning")

    def _await_rest(self) -> None:
        """Look for a while whether the screen says something else."""
        self._looks, self._just_said = LOOKS, None
        if self._resting is None:
            self._resting = self._app.set_interval(REST, self._look_what_is_said)
        else:
            self._resting.reset()
            self._resting.resume()

    def _look_what_is_said(self) -> None:
        from inspector.session.log import screen_words

        before, self._just_said = self._just_said, screen_words(self._app)
        now = self._just_said
        working = any(not worker.is_finished and worker.group not in _GOES_ON for worker in self._app.workers)
        # A screen that was just opened has no title yet.
        rests = now == before and not working and now is not None and now.title.strip() != ""
        if now is not None and rests and now != self.last_said:
            self.last_said = now
            self._note_down({"screen": now.screen, "title": now.title})
        self._looks -= not working
        if self._looks <= 0 and self._resting is not None:
            self._resting.pause()


def _input(event: Event) -> "dict[str, Any] | None":
    """What of an event can be played again; None of those that cannot, and of those that were recorded already."""
    if event.is_forwarded:
        return None
    if isinstance(event, Resize):
        return {"size": [event.size.width, event.size.height]}
    if isinstance(event, Paste):
        return {"paste": event.text}
    if not isinstance(event, InputEvent):
        return None
    if isinstance(event, Key):
        return {"key": event.key, "character": event.character}
    return {"click": [event.x, event.y]} if isinstance(event, MouseDown) else None
