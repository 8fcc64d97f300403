"""How commands are reached: by their usual keys or by a person's own, and through the palette."""

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App, SystemCommand
from textual.events import Event, Key

from inspector.app.services.host import ServiceHost
from inspector.render.analysis_list import summaries
from inspector.render.texts.text import clean
from inspector.widgets.key_spelling import plain_key, written
from inspector.widgets.key_table.command import SCREENS, place_words
from inspector.widgets.key_table.key_words import KeyWords
from inspector.widgets.themes import choose_theme, chosen_theme

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.screen import Screen
    from textual.theme import Theme

    from inspector.screens.base import AppScreen
    from inspector.state.screen_state import ScreenState


ONE_ANSWER = 1.0
"""Seconds without such a key after which the next one is answered again."""


class Keys:
    """Follows the keymap file, and answers keys that nobody has; `words` are those that sentences name."""

    def __init__(self, host: ServiceHost) -> None:
        self._host = host
        self.words = KeyWords(plain=host.ascii_only)
        self._changed: Mapping[str, tuple[str, ...]] = {}
        """Ids of commands whose keys are not the usual ones, with their keys."""
        self.answered = float("-inf")
        """When a key that nobody has was pressed last."""

    def follow_keymap(self, folder: "Path | None") -> None:
        """Read the file in a person's settings folder, once, and say what in it cannot be followed."""
        if folder is None:
            return
        from inspector.app.terminal.keymap import FILE, read

        keymap = read(folder / FILE)
        self._changed = keymap.changed
        if keymap.changed:
            self._host.app.set_keymap(keymap.textual)
            own = {name: self.display(keys[0]) if keys else "" for name, keys in keymap.changed.items()}
            self.words = KeyWords(own, self._host.ascii_only)
        for problem in keymap.problems:
            self._host.warn(problem, title="Keymap")

    def display(self, key: str) -> str:
        """Write a key as the footer and sentences do."""
        return plain_key(written(key)) if self._host.ascii_only else written(key)

    async def is_second(self, event: Event) -> bool:
        """Return whether an event is the second key of two; then all is done."""
        screen = _inspecting(self._host.app)
        if not isinstance(event, Key) or screen is None or not screen.two_keys.first:
            return False
        await screen.two_keys.second(event.key)
        return True

    def answer(self, event: Key) -> None:
        """Answer a key that nobody has, and say where it has something to do."""
        screen = _inspecting(self._host.app)
        if not event.is_printable or screen is None or event.key in screen.active_bindings:
            return
        now = time.monotonic()
        # A path that somebody types here by mistake is one answer.
        if now - self.answered > ONE_ANSWER:
            screen.say(self._elsewhere(event.key))
        self.answered = now

    def _elsewhere(self, key: str) -> str:
        from inspector.widgets.key_table import COMMANDS

        command = next(
            (command for command in COMMANDS if key in self._changed.get(command.id, command.keys.split(","))), None
        )
        there = "" if command is None else f"; on {place_words(command.screens)} it is {command.title}"
        return f"{self.display(key)} does nothing here{there}. {self.words.of('help')} lists what does."


def palette_commands(app: App[object], words: KeyWords, screen: "Screen[object]") -> "Iterator[SystemCommand]":
    """Yield the commands of the screen beneath the palette, the analyses that have no key, and the guide's pages."""
    # Imported here: analyses need the data, which the first paint does not wait for.
    from inspector.analyses import load
    from inspector.screens.base import AppScreen
    from inspector.widgets.guide import pages

    if not isinstance(screen, AppScreen):
        return
    for command in screen.commands:
        key = words.written(command.id)
        about = f"{key}: {command.help}" if key else command.help
        yield SystemCommand(command.title, about, partial(screen.run_action, command.action))
    for name, summary in summaries().items():
        # A screen can show those that do not need to be told anything.
        if name not in SCREENS and not any(option.required for option in load(name).options):
            yield SystemCommand(load(name).title, f"{summary}.", partial(screen.run_action, f"go({name!r})"))
    for name, title in pages().items():
        yield SystemCommand(f"Guide: {title}", "A page of the guide", partial(_open_guide, app, name))


def _open_guide(app: App[object], name: str) -> None:
    from inspector.screens.help_pages import guide_page

    app.push_screen(guide_page(name))


def _inspecting(app: App[object]) -> "AppScreen | None":
    from inspector.screens.base import AppScreen

    return app.screen if isinstance(app.screen, AppScreen) else None


# -- how the app looks, and what its terminal is called: the theme is chosen and kept, the title says what is open


LONGEST = 120
"""Characters of a title."""
WITHOUT = {"", "dumb", "linux"}
"""Terminals that would show the sequence instead of following it."""
KEEP, GIVE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""What has a terminal keep the title that it had, and take it again."""


class Appearance:
    """Keeps the theme that a person chooses, and names the workspace and the filter in the terminal's title."""

    def __init__(self, host: ServiceHost) -> None:
        self._host = host
        self._title = ""

    def keep_theme(self) -> None:
        """Keep what a person chooses from now on."""
        self._host.app.theme_changed_signal.subscribe(self._host.app, self._keep, immediate=True)

    def _keep(self, theme: "Theme") -> None:
        state_folder = self._host.state_folder
        if state_folder is not None and theme.name != chosen_theme(state_folder):
            self._host.run_in_thread(partial(self._write_theme, state_folder, theme.name), "theme")

    def _write_theme(self, state_folder: Path, name: str) -> None:
        if problem := choose_theme(state_folder, name):
            self._host.tell(problem, "warning")

    def entitle(self, state: "ScreenState") -> None:
        """Write the title where it changed."""
        title = title_of(state, ascii_only=self._host.ascii_only)
        if title == self._title or self._host.app.is_headless or os.environ.get("TERM", "") in WITHOUT:
            return
        # The first time the terminal keeps the title that it had.
        self._host.write(f"{'' if self._title else KEEP}\x1b]2;{title}\x1b\\")
        self._title = title

    def give_title_back(self) -> None:
        """Have the terminal take the title that it had."""
        if self._title:
            self._host.write(GIVE_BACK)


def title_of(state: "ScreenState", *, ascii_only: bool = False) -> str:
    """Return the title: cleaned of everything by which it could act, and no longer than a title should be."""
    from inspector.state.filtering.filter_words import filter_words

    root = state.results.loaded.workspace.root
    name = "demo" if root is None else (root.resolve().parent if root.name.startswith(".") else root.resolve()).name
    filtered = filter_words(state)
    parts = ["prm-inspect", name, state.focus.benchmark, *([filtered] if filtered != "no filter" else [])]
    title = clean(" - ".join(part for part in dict.fromkeys(parts) if part))
    if ascii_only:
        title = title.encode("ascii", "replace").decode("ascii")
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 3]}..."
