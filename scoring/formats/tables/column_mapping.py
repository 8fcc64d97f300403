"""Which column of a table is what: stated once, kept in a small JSON file, read back with every mistake named."""

import json
import re
import shlex
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from scoring.data.errors import InputError, UsageError
from scoring.data.storage.files import write_atomically
from scoring.formats.reading.fields import Field, Fields
from scoring.formats.reading.file_bytes import decoded, file_bytes, printable
from scoring.formats.reading.reward_checks import implies_worse
from scoring.formats.tables.cell_values import at, listed, number, single_at, steps, text, truth, whole

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

FLAGS = {
    "id": "--id",
    "rewards": "--rewards",
    "step": "--step",
    "scorer": "--scorer-column",
    "verdicts": "--verdict",
    "verdict_base": "--base",
    "answers": "--answers",
    "problem": "--problem",
    "steps": "--steps",
    "separator": "--separator",
    "earliest_error": "--earliest-error",
    "error_steps": "--error-steps",
    "step_labels": "--step-labels",
    "label_base": "--label-base",
    "clean": "--clean",
    "wrong_below": "--wrong-below",
    "wrong": "--wrong",
    "higher_is": "--higher-is",
}
"""Fields of a mapping that a flag of `import` states, and the flag."""
HIGHER_IS = ("better", "worse")
"""What a higher value in a column of rewards can mean."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


class ColumnMapping(Struct, frozen=True):
    """Which column of a table is what. A column is named as in the data, one inside an object by its path (`meta.id`).

    Paths go through lists of objects, too (`sections[].content`, `messages[role=assistant].content`, see
    `scoring.formats.tables.cell_values.at`).

    Fields without a column are null; what they mean is said in `scoring.data.schema`. Of the gold labels any may be
    given: `earliest_error` one index, `error_steps` a list of indices, `step_labels` one truth value or rating a step.

    Attributes:
        benchmark: The name under which cases are imported: a word that can be a folder. Null = the file's name.
        separator: Where `steps` is one text, or a path through a list to one: what stands between two steps. Null =
            blank lines.
        label_base: What the first step is called in `earliest_error` and `error_steps`, 0 or 1. Null = to be inferred.
        clean: What `earliest_error` and `verdicts` hold where no step is wrong, besides -1: words separated by commas.
            `null` is an empty cell, `steps` the index after the last step of the row.
        wrong_below: A step whose rating is below this is wrong. Null = 0.5.
        wrong: The words of `step_labels` that mean wrong, separated by commas; all other labels mean right. True is 1
            and false is 0, however they are written. Null = the words that are known, and `wrong_below`.
        rewards: Scorer's name -> column of its step rewards.
        verdicts: Scorer's name -> column of the earliest error that it predicts.
        answers: Scorer's name -> column of its answer in words, or of a list of answers that vote, which the parser of
            the case's benchmark reads.
        step: Which step a row is of, in a table with one row a step: then a reward is one number. Null = a row a case.
        run: Which of several independent repetitions a row's verdicts are of: a whole number. Null = there is one.
        scorer: Which scorer a row is of, in a table with a row a case and scorer. Null = of all that are named.
        verdict_base: As `label_base`, for `verdicts`. Null = 1 where `clean` is 0, else as `label_base`.
        higher_is: What a higher value in the columns of `rewards` means, `better` or `worse`. Worse = each reward is
            read as 1 - value, and a truth value as its opposite; thresholds apply to that. Null = better, unsaid.

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
    wrong: str | None = None
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
    higher_is: str | None = None

    def __post_init__(self) -> None:
        for name in (*COLUMNS, "step", "separator", "clean", "wrong", "benchmark"):
            value = getattr(self, name)
            if value is not None and not _is_word(value):
                raise UsageError(
                    f"{name} of a mapping is not text or an empty one.", "Give it a name, or leave it out."
                )
        if self.benchmark is not None and not is_benchmark_name(self.benchmark):
            raise UsageError("the benchmark's name cannot be a folder's.", "Use letters, digits, dots and hyphens.")
        self._check_meanings()
        for name in SCORERS:
            value = getattr(self, name)
            pairs = value.items() if isinstance(value, Mapping) else [(None, None)]
            if not all(map(_is_word, (part for pair in pairs for part in pair))):
                raise UsageError(
                    f"{name} of a mapping is not an object of names and columns.", "Name scorer and column."
                )

    def _check_meanings(self) -> None:
        for name in ("label_base", "verdict_base"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value not in {0, 1}):
                raise UsageError(f"{name} of a mapping is neither 0 nor 1.", "Say what the first step is called.")
        if self.higher_is not in {None, *HIGHER_IS}:
            raise UsageError(
                f"higher_is of a mapping is neither {' nor '.join(HIGHER_IS)}.", "Say what a higher reward means."
            )
        if self.wrong_below is not None and not _is_finite(self.wrong_below):
            raise UsageError(
                "wrong_below of a mapping is not a finite number.", "Say below which rating a step is wrong."
            )
        if self.wrong is not None and self.wrong_below is not None:
            raise UsageError("wrong and wrong_below both say which step labels mean wrong.", "State one of them.")

    @property
    def named(self) -> list[tuple[str, str]]:
        """(field, column) of every column that is named, scorers' as `rewards of NAME` and so on."""
        columns = [(name, getattr(self, name)) for name in (*COLUMNS, "step") if getattr(self, name) is not None]
        for kind in SCORERS:
            columns += [(f"{kind} of {scorer}", column) for scorer, column in getattr(self, kind).items()]
        return columns

    def restricted(self, columns: Collection[str]) -> "ColumnMapping":
        """Return the mapping without the columns that are not among these."""
        single = {name: None for name in (*COLUMNS, "step") if getattr(self, name) not in columns}
        of_scorers = {
            kind: {scorer: column for scorer, column in getattr(self, kind).items() if column in columns}
            for kind in SCORERS
        }
        return replace(self, **single, **of_scorers)

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
        stated_values = {name: getattr(stated, name) for name in self.__struct_fields__}
        return replace(self, **{name: value for name, value in stated_values.items() if value not in (None, {})})

    def save(self, path: Path) -> None:
        """Write the mapping as JSON, whole or not at all; fields without a value are left out.

        Raises:
            UnwritableWorkspace: read-only, full, not allowed.
        """
        values = {name: value for name, value in asdict(self).items() if value not in (None, {})}
        text = json.dumps({"format": FORMAT, **values}, ensure_ascii=False, indent=2)
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
            raise InputError(f"{source} is not valid JSON ({error}).", "Write the mapping again.") from None
        if not isinstance(document, dict):
            raise InputError(f"{source} is not an object of fields and columns.", "Write the mapping again.")
        return cls.of(document, source)

    @classmethod
    def of(cls, document: Mapping[str, Any], source: str) -> "ColumnMapping":
        """Return the mapping that an object of fields states, such as the content of a file that `save` wrote.

        Args:
            document: fields and columns, and perhaps the `format` of the file.
            source: what messages call it.

        Raises:
            InputError: it is of another format.
            UsageError: a key is unknown, or a value is not what it must be.
        """
        if document.get("format", FORMAT) != FORMAT:
            raise InputError(f"{source} has a format this version does not know.", "Update prm-inspect.")
        fields, known = {key: value for key, value in document.items() if key != "format"}, cls.__struct_fields__
        for key in fields:
            if key not in known:
                named = printable(str(key)[:40])
                raise UsageError(f"{source} maps {named!r}, which is not a field.", f"Known are {', '.join(known)}.")
        return cls(**fields)


StatedMapping = ColumnMapping | Mapping[str, Any] | str | Path
"""A mapping, its fields, or the path of a file of them."""


def flags_of(mapping: ColumnMapping) -> str:
    """Return the flags of `import` that state a mapping, as words of a shell; fields without a flag are left out."""
    words: list[str] = []
    for name, flag in FLAGS.items():
        value = getattr(mapping, name)
        if name in SCORERS:
            columns = (column if scorer == column else f"{column}={scorer}" for scorer, column in value.items())
            words += [word for column in columns for word in (flag, column)]
        elif value is not None:
            words += [flag, str(value).replace("\n", "\\n").replace("\t", "\\t")]
    return shlex.join(words)


def guessed_worse(mapping: ColumnMapping, stated: ColumnMapping | None) -> list[str]:
    """List the columns of rewards that nobody named and whose names say that higher values mean worse.

    Empty where a person said what a higher value means.
    """
    stated = stated or ColumnMapping()
    if mapping.higher_is is not None:
        return []
    guessed = (column for scorer, column in mapping.rewards.items() if scorer not in stated.rewards)
    return [column for column in guessed if implies_worse(column)]


def is_benchmark_name(name: str) -> bool:
    """Return whether a name can be a benchmark's: a word that can be a folder."""
    return _NAME.match(name) is not None


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value != "" and value == printable(value)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


SPLIT = "(split)"
"""The field of `flat_row` that says whether a solution was one text."""


def flat_row(mapping: ColumnMapping, fields: Fields) -> dict[str, Any]:
    """Put a row's cells under the mapping's fields; texts that say numbers, truth values or lists have become these."""
    row = fields.value
    named = {name: column for name in COLUMNS if (column := getattr(mapping, name)) is not None}
    cells = {name: (at if name in _LIST_FIELDS else single_at)(row, column) for name, column in named.items()}
    flat = {name: _READ[name](cell) if name in _READ else cell for name, cell in cells.items()}
    if mapping.steps is not None and mapping.separator is not None:
        # A path through a list may lead to the one text of the whole solution, which is to be split as stated.
        cells["steps"] = single_at(row, mapping.steps)
    flat["steps"], flat[SPLIT] = steps(cells.get("steps"), mapping.separator)
    return flat


_LIST_FIELDS = frozenset({"steps", "error_steps", "step_labels"})
"""Fields whose cells are lists."""


def _wholes(cell: Any) -> Any:
    parts = listed(cell)
    return [whole(part) for part in parts] if isinstance(parts, list) else parts


_READ: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "scorer", *TEXTS), text),
    "error_steps": _wholes,
    "step_labels": listed,
    "final_answer_correct": truth,
    "agreement": number,
    "run": whole,
}


def mapped(field: Field, column: str) -> Field:
    """Put a field under its column's name; one inside an object can only be found by reading value by value."""
    return replace(field, key=column, needed=field.needed or "." in column or "[" in column)
