"""Who sits at the app, and what they may do there: a person at a terminal anything, a visitor in a browser not all."""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_NEVER = {
    "elsewhere": "An editor of the server's machine does not open in a browser: write here.",
    "suspend_process": "There is no shell behind a browser to go back to.",
}
"""Actions that a browser has nothing for, each with the sentence that says so."""
_CHANGES = {
    "import": "Files are imported",
    "score": "Cases are scored",
    "score_case": "Cases are scored",
    "tokens": "A PRM's tokens are read",
    "what_if": "Variants of cases are kept",
    **dict.fromkeys(("name", "delete", "put_back"), "Slices are saved and deleted"),
}
"""Actions that change what others see, or start processes, each with what they do."""
_FLAGS = frozenset(
    (
        *(
            "--truncate",
            "--retry-refused",
            "--spread",
            "--sample",
            "--stratify",
            "--limit",
            "--where",
            "--name",
            "--engine",
        ),
        *("--device", "--dtype", "--token-budget", "--revision", "--critic", "--votes", "--runs", "--shots", "--mode"),
        *("--temperature", "--top-p", "--top-k", "--max-tokens", "--effort", "--thinking", "--thinking-budget"),
        *("--logprobs", "--answer-seed"),
    )
)
"""Flags of a run that name no file, no address and no code."""


class Visit(Struct, frozen=True):
    """What the app asks before it does something that not everybody may.

    `who` is the name that a visitor in a browser gave, "" for whoever started the app in a terminal. A visitor writes a
    triage journal; with `writes` also everything else, from files inside the folder `root` alone.
    """

    who: str = ""
    writes: bool = True
    root: str = ""

    def refusal(self, action: str) -> str:
        """Explain why an action (a name of Textual's) is not for this person; "" where it is."""
        if self.who and action in _NEVER:
            return _NEVER[action]
        if not self.writes and action in _CHANGES:
            return f"{_CHANGES[action]} only where the server was started with --allow-write."
        return ""

    def state_folder(self, account: Path) -> Path:
        """Return the folder that keeps how this person leaves workspaces, below the state folder of the account."""
        from scoring.workspace.triage.journal import Author

        return account / "visitors" / Path(Author.me().file).stem if self.who else account

    def reaches(self, path: Path) -> bool:
        """Return whether a file or folder may be read because this person names it; links are followed first."""
        try:
            return not self.who or path.resolve().is_relative_to(Path(self.root).resolve())
        except (OSError, RuntimeError, ValueError):
            return False

    def refused_source(self, source: str) -> str:
        """Explain why a source as typed (see `scoring.importing.source_locations`) is not imported; "" where it is."""
        from scoring.data.storage.files import expand_home
        from scoring.importing.source_locations import HUB, is_elsewhere

        if refusal := self.refusal("import"):
            return refusal
        away = source.startswith(HUB) or is_elsewhere(source)
        return self._inside("is imported") if self.who and (away or not self.reaches(expand_home(source))) else ""

    def refused_model(self, model: str) -> str:
        """Explain why a PRM is not run that was named so: a folder, or the hub's ORG/NAME; "" where it is."""
        from scoring.data.storage.files import expand_home
        from scoring.formats.benchmarks import demo

        if refusal := self.refusal("score"):
            return refusal
        path = expand_home(model)
        hub = _HUB_NAME.fullmatch(model) and not path.exists()
        shipped = path.resolve().is_relative_to(demo.folder().resolve())
        return "" if not model or hub or shipped or self.reaches(path) else self._inside("is run")

    def refused_run(self, model: str, flags: Sequence[str]) -> str:
        """Explain why a run with these words is not started; "" where it is."""
        if refusal := self.refused_model(model):
            return refusal
        names = [flag.partition("=")[0] for flag in flags if flag.startswith("-")]
        other = next((name for name in names if name not in _FLAGS), "") if self.who else ""
        return f"A browser's run takes no {other}: none of its flags names a file, a server or code." if other else ""

    def _inside(self, done: str) -> str:
        return f"From a browser only what lies inside the workspace's folder {done}: {self.root}"


HERE = Visit()
"""Whoever started the app in a terminal."""
