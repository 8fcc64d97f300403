"""Which column of a table is what: stated once, kept in a small JSON file, read back with every mistake named."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, fields, replace

from scoring.errors import InputError, UsageError
from scoring.files import write_atomically
from scoring.reading.file_bytes import decoded, file_bytes, printable

FORMAT = 1
TEXTS = (
    *("subset", "generator", "error_type", "error_category", "error_kind", "pattern", "reason"),
    *("problem_id", "reference_answer", "language", "origin"),
)
"""Fields that are taken over as texts."""

COLUMNS = (
    *("id", "problem", "steps", "earliest_error", "error_steps", "step_labels", "run", "scorer"),
    *("final_answer_correct", "agreement", *TEXTS),
)
"""Fields of a mapping that name a column each."""

SCORERS = ("rewards", "verdicts", "answers")
"""Fields of a mapping that name a column for every scorer."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


class ColumnMapping(Struct, frozen=True):
    """Which column of a table is what. A column is named as in the data, one inside an object by its path (`meta.id`).

    Paths go through lists of objects, too (`sections[].content`, `messages[role=assistant].content`, see
    `scoring.tables.cells.at`).

    Fields without a column are null; what they mean is said in `scoring.schema`. Of the gold labels any may be given:
    `earliest_error` one index, `error_steps` a list of indices, `step_labels` one truth value or rating a step.

    Attributes:
        benchmark: The name under which cases are imported: a word that can be a folder. Null = the file's name.
        separator: Where `steps` is one text, or a path through a list to one: what stands between two steps. Null =
            blank lines.
        label_base: What the first step is called in `earliest_error` and `error_steps`, 0 or 1. Null = to be inferred.
        clean: What stands in `earliest_error` where no step is wrong, beside -1: any word, or `null` for nothing.
        wrong_below: A step whose rating is below this is wrong. Null = 0.5.
        rewards: Scorer's name -> column of its step rewards.
        verdicts: Scorer's name -> column of the earliest error that it predicts.
        answers: Scorer's name -> column of its answer in words, or of a list of answers that vote, which the parser of
            the case's benchmark reads.
        step: Which step a row is of, in a table with one row a step: then a reward is one number. Null = a row a case.
        run: Which of several independent repetitions a row's verdicts are of: a whole number. Null = there is one.
        scorer: Which scorer a row is of, in a table with a row a case and scorer. Null = of all that are named.
        verdict_base: As `label_base`, for `verdicts`. Null = 0 is assumed, and said.

    Raises:
        UsageError: a value is not what it must be.
    """

    benchmark: str | None = None
    id: str | None = None
    problem: str | None = None
    steps: str | None = None
    separator: str | None = None
    earliest_error: str | None = None
    error_steps: str | None = None
    step_labels: str | None = None
    label_base: int | None = None
    clean: str | None = None
    wrong_below: float | None = None
    subset: str | None = None
    generator: str | None = None
    final_answer_correct: str | None = None
    error_type: str | None = None
    error_category: str | None = None
    error_kind: str | None = None
    pattern: str | None = None
    reason: str | None = None
    problem_id: str | None = None
    agreement: str | None = None
    reference_answer: str | None = None
    language: str | None = None
    origin: str | None = None
    rewards: Mapping[str, str] = field(default_factory=dict)
    verdicts: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    step: str | None = None
    run: str | None = None
    scorer: str | None = None
    verdict_base: int | None = None

    def __post_init__(self) -> None:
        for name in (*COLUMNS, "step", "separator", "clean", "benchmark"):
            value = getattr(self, name)
            if value is not None and not _is_word(value):
                raise UsageError(f"{name} of a mapping is no text or an empty one.", "Give it a name, or leave it out.")
        if self.benchmark is not None and not is_benchmark_name(self.benchmark):
            raise UsageError("the benchmark's name cannot be a folder's.", "Use letters, digits, dots and hyphens.")
        for name in ("label_base", "verdict_base"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value not in {0, 1}):
                raise UsageError(f"{name} of a mapping is neither 0 nor 1.", "Say what the first step is called.")
        if self.wrong_below is not None and not _is_finite(self.wrong_below):
            raise UsageError("wrong_below of a mapping is no finite number.", "Say below which rating a step is wrong.")
        for name in SCORERS:
            value = getattr(self, name)
            pairs = value.items() if isinstance(value, Mapping) else [(None, None)]
            if not all(map(_is_word, (part for pair in pairs for part in pair))):
                raise UsageError(f"{name} of a mapping is no object of names and columns.", "Name scorer and column.")

    @property
    def named(self) -> list[tuple[str, str]]:
        """(field, column) of every column that is named, scorers' as `rewards of NAME` and so on."""
        columns = [(name, getattr(self, name)) for name in (*COLUMNS, "step") if getattr(self, name) is not None]
        for kind in SCORERS:
            columns += [(f"{kind} of {scorer}", column) for scorer, column in getattr(self, kind).items()]
        return columns

    @property
    def scorers(self) -> int:
        """How many columns of scorers are named."""
        return sum(len(getattr(self, kind)) for kind in SCORERS)

    def claiming(self, column: str, what: str, scorer: str = "") -> "ColumnMapping":
        """Name a column as one field and no other.

        Args:
            column: as it is called in the data.
            what: the field; "" = none.
            scorer: whose rewards, verdicts or answers it holds, where the field is one of SCORERS.
        """
        free = {name: None for name in (*COLUMNS, "step") if getattr(self, name) == column}
        others = {kind: {name: of for name, of in getattr(self, kind).items() if of != column} for kind in SCORERS}
        if what in SCORERS:
            others[what] = {**others[what], scorer: column}
        elif what:
            free[what] = column  # type: ignore[assignment]  # a field that was freed may be named anew
        return replace(self, **free, **others)

    def overridden(self, stated: "ColumnMapping") -> "ColumnMapping":
        """Put what another mapping states in the place of what this one says."""
        given = {field.name: getattr(stated, field.name) for field in fields(self)}
        return replace(self, **{name: value for name, value in given.items() if value not in (None, {})})

    def save(self, path: Path) -> None:
        """Write the mapping as JSON, whole or not at all; fields without a value are left out.

        Raises:
            UnwritableWorkspace: read-only, full, not allowed.
        """
        given = {name: value for name, value in asdict(self).items() if value not in (None, {})}
        text = json.dumps({"format": FORMAT, **given}, ensure_ascii=False, indent=2)
        write_atomically(path, text.encode() + b"\n")

    @classmethod
    def read(cls, path: Path) -> "ColumnMapping":
        """Read the mapping in a file that `save` wrote or a person did.

        Raises:
            InputError: it cannot be read, is no JSON object, or is of another format.
            UsageError: a key is unknown, or a value is not what it must be.
        """
        source = printable(path)
        text, _ = decoded(file_bytes(path), source)
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source} is no valid JSON ({error}).", "Write the mapping again.") from None
        if not isinstance(document, dict):
            raise InputError(f"{source} is no object of fields and columns.", "Write the mapping again.")
        if document.pop("format", FORMAT) != FORMAT:
            raise InputError(f"{source} has a format this version does not know.", "Update prm-inspect.")
        known = [field.name for field in fields(cls)]
        for key in document:
            if key not in known:
                named = printable(key[:40])
                raise UsageError(f"{source} maps {named!r}, which is no field.", f"Known are {', '.join(known)}.")
        return cls(**document)


def is_benchmark_name(name: str) -> bool:
    """Tell whether a name can be a benchmark's: a word that can be a folder."""
    return _NAME.match(name) is not None


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value != "" and value == printable(value)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
