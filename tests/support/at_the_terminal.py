"""A person at a terminal: the app to press keys in, the shell beside it to hold its numbers against."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from scoring_process import commanded_here
from terminal import Terminal

T = TypeVar("T")
ROOT = str(Path(__file__).parents[2])
RUN = [sys.executable, "-m", "inspector.cli"]


def app(*words: str, cwd: Path, size: tuple[int, int] = (120, 36), **env: str) -> Terminal:
    """The app in a folder; `env` is added to the environment, which has no NO_COLOR unless it is given."""
    columns, lines = size
    known = {"PYTHONPATH": ROOT, "NO_COLOR": "", **env}
    return Terminal([*RUN, *words], columns=columns, lines=lines, env=known, cwd=cwd)


def shown(terminal: Terminal, *texts: str, gap: float = 0.2) -> str:
    """Wait until all of it stands there at once and nothing moves any more; the screen."""
    for text in texts:
        terminal.wait_for(text)
    terminal.settle(gap)

    def all_of_it(screen: str) -> str:
        assert all(text in screen for text in texts), screen
        return screen

    return eventually(terminal, all_of_it)


def eventually(terminal: Terminal, check: Callable[[str], T], *, timeout: float = 15) -> T:
    """What `check` gives for the screen, as soon as it holds there; raises what it raised at last.

    Of a screen that is half painted it may also look for what is not there yet.
    """
    end = time.monotonic() + timeout
    while True:
        terminal.settle(0.02, timeout=1)
        try:
            return check(terminal.screen_text())
        except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
            if time.monotonic() > end:
                raise


def pressed(terminal: Terminal, *keys: str) -> None:
    """Press keys one after another, each when the one before has been answered."""
    for key in keys:
        assert terminal.press(key, gap=0.05) is not None, f"{key} was not answered:\n{terminal.screen_text()}"
        # A key that follows Escape at once would be read as Alt and that key.
        if key == "escape":
            terminal.settle(0.2)


def go_to(terminal: Terminal, text: str) -> None:
    """The cursor of the facets or of a menu, a `>`, to the line with this choice, which is on screen."""
    marked = re.compile(rf">\[.\] {re.escape(text)} ")
    for _ in range(60):
        screen = terminal.screen_text()
        if marked.search(screen):
            return
        lines = screen.splitlines()
        (target,) = (at for at, line in enumerate(lines) if re.search(rf"[ >]\[.\] {re.escape(text)} ", line))
        (cursor,) = (at for at, line in enumerate(lines) if re.search(r">\[.\] |>- ", line))
        pressed(terminal, "j" if target > cursor else "k")
        terminal.settle(0.05)
    raise AssertionError(f"the cursor never came to {text}:\n{terminal.screen_text()}")


def unframed(screen: str) -> str:
    """Return the text of a screen without frames and scroll bars; the left of two panes comes first."""
    rows = [re.split(r"(?<=[│┃╮┓╯┛])(?=[│┃╭┏╰┗])", line.rstrip(" ▁▂▃▄▅▆▇█")) for line in screen.splitlines()]
    panes = [[re.sub(r"^[│┃]|[▁-█]? ?[│┃]$", "", part).rstrip() for part in row] for row in rows]
    return "\n".join(row[at] for at in range(max(map(len, panes))) for row in panes if at < len(row))


def typed(terminal: Terminal, text: str) -> None:
    """Type into an open line, all at once."""
    terminal.send(text.encode())


def shell(*words: str, cwd: Path, code: int = 0, **env: str) -> bytes:
    """What a command prints; its exit code has to be `code`. With an `env`, which is added to the environment, it is a
    process of its own; without one it is run in this one, which says the same much sooner."""
    if not env:
        done = commanded_here(*words, cwd=cwd)
        assert done.returncode == code, done.stderr
        return done.stdout.encode()
    known = {**os.environ, "PYTHONPATH": ROOT, **env}
    whole = subprocess.run([*RUN, *words], capture_output=True, check=False, cwd=cwd, env=known)
    assert whole.returncode == code, whole.stderr.decode()
    return whole.stdout


def printed(*words: str, cwd: Path, **env: str) -> list[dict[str, Any]]:
    """The rows of a command's JSON."""
    return json.loads(shell(*words, "--json", cwd=cwd, **env))["rows"]


def import_rewards(folder: Path, space: str, given: Sequence[dict[str, Any]], *scorers: str, **flags: str) -> None:
    """Import rows with an `id` and a list of rewards by the name of each scorer, as a table of one's own."""
    (folder / "rewards.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given))
    mapping = {"format": 1, "id": "id", "rewards": {name: name for name in scorers}}
    (folder / "mapping.json").write_text(json.dumps(mapping))
    more = [word for name, value in flags.items() for word in (f"--{name}", value)]
    shell("import", "rewards.jsonl", "--mapping", "mapping.json", "-w", space, *more, cwd=folder)
