"""The expected errors: what went wrong, where, and what to do next.

    InspectError
    ├── InputError            a file or value that was given
    │   ├── UnreadableFile    not there, not allowed, not this kind of file
    │   ├── UnknownFormat     nothing here recognises the content
    │   ├── HubUnavailable    an hf: name or model that cannot be had now
    │   ├── CheckpointError   missing, damaged, half-downloaded, or changed while it was read
    │   │   ├── ForeignCheckpoint  whole, but not one the adapter can read
    │   │   └── PickleRefused  a pickle that is not opened, or that holds more than tensors
    │   ├── PluginError       Python of the user's own that fails or lacks something
    │   ├── NotJoined         results that belong to no case here, or to it is not clear which
    │   └── StrictFindings    --strict was asked and there are findings
    ├── UsageError            a name, column or condition that does not exist
    │   ├── MissingColumn     a column that a mapping names and the table does not have
    │   ├── FilterError       a condition that cannot be read
    │   └── SearchError       a text search that cannot be read
    ├── WorkspaceError        the workspace's folder
    │   ├── NoWorkspace       there is none here
    │   ├── UnwritableWorkspace   read-only, or the disk is full
    │   ├── InUse             another process is at work in a part of it
    │   ├── StoreError        it is on object storage, which refuses something or cannot be reached
    │   └── DamagedWorkspace  a file in it is not what it should be
    ├── FrameError            a frame without the columns it must have
    ├── EngineError           the engine cannot run what it was asked to, here
    ├── ScorerConflict        a scorer's name is taken by another fingerprint
    └── MissingExtra          an optional package is not installed

Whoever catches `InspectError` prints `title: sentence next step` and the corrected commands, and exits with 2.
Everything else is a bug and keeps its traceback.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self
from unicodedata import east_asian_width

LONGEST_NAME, LONGEST_PATH, LONGEST_MESSAGE = 200, 1000, 2000
"""Maximum cells of a name, a path and a message in output for people; longer ones lose their middle."""

_LONG_WORD = re.compile(rf"\S{{{LONGEST_NAME // 2},}}")


def shortened(message: str) -> str:
    """Shorten long names in a message, and the message itself, with an ellipsis in the middle.

    Files, columns, ids and scorers may have names of any length. Both ends stay, because they tell most names apart and
    because a message ends with what to do next. Data for other programs is never shortened.
    """
    return _elided(with_short_names(message), LONGEST_MESSAGE)


def with_short_names(line: str) -> str:
    """Shorten long names in a line that may hold a command, whose length has no limit."""
    if len(line) <= LONGEST_NAME // 2:
        return line
    return _LONG_WORD.sub(lambda word: _shortened_word(word[0]), line)


def _shortened_word(word: str) -> str:
    # A folder's name is never so long that an ordinary path would change.
    return _elided("/".join(_elided(part, LONGEST_NAME) for part in word.split("/")), LONGEST_PATH)


def _elided(text: str, most: int) -> str:
    """Cut the middle out of a text of more than so many cells."""
    if len(text) <= most and (text.isascii() or len(_start(text, most)) == len(text)):
        return text
    tail = len(_start(reversed(text[-most:]), most - most // 2 - 1))
    return f"{_start(text, most // 2)}…{text[len(text) - tail :]}"


def _start(signs: Iterable[str], most: int) -> str:
    """Take as many characters as fit into so many cells."""
    kept: list[str] = []
    cells = 0
    for sign in signs:
        cells += 1 + (east_asian_width(sign) in "WF")
        if cells > most:
            break
        kept.append(sign)
    return "".join(kept)


class CommandEdit(NamedTuple):
    """A change of a command line, for a correction that is more than flags to add.

    Attributes:
        flags: Flags to add, as a shell reads them. They take the place of the same flags with other values.
        replaces: Words of the command, flags' values included, each with the word that takes its place.
        without: Flags and words to leave out; flags with their values.
    """

    flags: str = ""
    replaces: tuple[tuple[str, str], ...] = ()
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        changes = [f"{new} instead of {old}" for old, new in self.replaces]
        changes = [self.flags] if self.flags else changes
        return " ".join(filter(None, (*changes, f"without {' '.join(self.without)}" if self.without else "")))


Correction = tuple[str | CommandEdit, str]
"""A correction of a command: flags to add, or another edit, and what the command then does."""


class InspectError(Exception):
    """Something foreseen: `title` in a few words, `sentence` with the facts, `next_step` with the way out.

    Long names in both are shortened. `instead` lists the flags that would make the same command run, each with what it
    would then do. The command line prints these as commands, other places as words.
    """

    title = "Cannot do that"

    def __init__(self, sentence: str, next_step: str = "", *, instead: Iterable[Correction] = ()) -> None:
        sentence = shortened(sentence)
        super().__init__(sentence)
        self.sentence = sentence
        self.next_step = with_short_names(next_step)
        self.instead = tuple(instead)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Self:
        """Return the error that another process described by its `fields`."""
        edits = [(CommandEdit(*edit), meaning) for edit, meaning in fields.get("instead", ())]
        error = cls(fields["sentence"], fields["next_step"], instead=edits)
        error.title = fields.get("title", "")
        return error

    @property
    def fields(self) -> dict[str, Any]:
        """The error as JSON: `title`, `sentence`, `next_step`; `instead` lists pairs of an edit and its meaning."""
        edits = [(edit if isinstance(edit, CommandEdit) else CommandEdit(edit), words) for edit, words in self.instead]
        fields = {"title": self.title, "sentence": self.sentence, "next_step": self.next_step}
        return fields | ({"instead": edits} if edits else {})

    @property
    def words(self) -> str:
        """The sentence and the way out, for where people asked by a key and not in words."""
        first, space, rest = self.sentence.partition(" ")
        # A sentence may begin with the name of a file or a scorer, which has no other capitals.
        sentence = f"{first.capitalize() if first.isalpha() and first.islower() else first}{space}{rest}"
        return " ".join(filter(None, (sentence, self.next_step, self._correction_words)))

    @property
    def message(self) -> str:
        """The title, the sentence and the way out, for where the corrected commands are printed below."""
        titled = f"{self.title}: {self.sentence}" if self.title else self.sentence
        return " ".join(part for part in (titled, self.next_step) if part)

    @property
    def _correction_words(self) -> str:
        corrections = [f"{edit} ({meaning})" for edit, meaning in self.instead]
        return f"Try {', or '.join(corrections)}." if corrections else ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.message, self._correction_words)))


class InputError(InspectError):
    title = "Bad input"


class UnreadableFile(InputError):
    title = "Cannot read the file"


class UnknownFormat(InputError):
    title = "Unknown format"


class HubUnavailable(InputError):
    title = "Not available from the hub"


class CheckpointError(InputError):
    title = "Cannot use the checkpoint"


class ForeignCheckpoint(CheckpointError):
    title = "Another kind of checkpoint"


class PickleRefused(CheckpointError):
    title = "Pickle refused"


class PluginError(InputError):
    title = "Cannot use the plugin"


class NotJoined(InputError):
    title = "Cannot join the results"


class StrictFindings(InputError):
    title = "Strict import refused"


class UsageError(InspectError):
    title = "Wrong usage"


class MissingColumn(UsageError):
    """A column that a mapping names and a table does not have."""


class FilterError(UsageError):
    """A condition that cannot be read or evaluated.

    `place` says which of its characters are wrong (0-based, the end not included), None = not known; `fault` what is
    wrong with them, for where the condition itself stands beside it; `unknown` is the name that is no column, if it is
    one.
    """

    title = "Bad condition"

    def __init__(
        self,
        sentence: str,
        next_step: str = "",
        *,
        place: tuple[int, int] | None = None,
        fault: str = "",
        unknown: str = "",
        instead: Iterable[Correction] = (),
    ) -> None:
        super().__init__(sentence, next_step, instead=instead)
        self.place = place
        self.unknown = unknown
        self.fault = fault or sentence


class SearchError(UsageError):
    title = "Bad search"


class WorkspaceError(InspectError):
    title = "Workspace"


class NoWorkspace(WorkspaceError):
    title = "No workspace"


class UnwritableWorkspace(WorkspaceError):
    title = "Cannot write"


class InUse(WorkspaceError):
    title = "In use"


class StoreError(WorkspaceError):
    """A failure of object storage.

    `passing` says that it may succeed later, `denied` that it is not allowed, `misnamed` that an object has a name
    that no file can have.
    """

    title = "Object storage"

    def __init__(
        self,
        sentence: str,
        next_step: str = "",
        *,
        passing: bool = False,
        denied: bool = False,
        misnamed: bool = False,
    ) -> None:
        super().__init__(sentence, next_step)
        self.passing = passing
        self.denied = denied
        self.misnamed = misnamed


class DamagedWorkspace(WorkspaceError):
    title = "Damaged workspace"


class FrameError(InspectError):
    title = "Unexpected columns"

    def __init__(self, what: str, column: str, wanted: str, dtype: str) -> None:
        super().__init__(
            f"column {column!r} of {what} should be {wanted} and is {dtype}.",
            "Write it with the dtypes of scoring.data.schema.",
        )


class EngineError(InspectError):
    title = "The engine cannot run"


class ScorerConflict(InspectError):
    title = "Scorer name is taken"


class MissingExtra(InspectError):
    title = "Not installed"

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs the package {package!r}.", f"Run: pip install 'prm-inspect[{extra}]'")
