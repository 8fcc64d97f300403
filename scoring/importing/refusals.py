"""Refusals of sources: what their rows look like, and the flags that would read them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import CommandEdit, Correction, InputError, MissingColumn, UnknownFormat, UsageError
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import some_of
from scoring.formats.reading.rows import Rows, read_rows
from scoring.formats.results.result_format import TABLE, ExternalResults
from scoring.formats.tables.cell_values import NO_NAME, at, columns_of, has, listed, number, text, whole
from scoring.formats.tables.column_guess import SCORER_NAMES, column_called, propose
from scoring.formats.tables.column_mapping import FLAGS, ColumnMapping, flags_of
from scoring.importing.bringing import bring
from scoring.importing.join import JoinedResults
from scoring.importing.source_locations import HUB, is_elsewhere

_SAMPLE = 100
_KEYS = 12
_LISTED = 3
_EXAMPLE = 40
_LONGEST_ID = 80
RUN_NAMES = "run run_id seed trial repeat repetition"
"""Names of columns that tell runs apart."""
_PRINTED = re.compile(
    r"\b(?:np\.(?:float\d*|array)|array|[Tt]ensor)\(|\[[^\[\]a-zA-Z]*\d\s*\.\.\.\s*\d[^\[\]a-zA-Z]*\]"
)
"""A list as `str` of an array or of a list of its numbers writes it, and one that was cut in the middle."""
_COMMAS = re.compile(r"[\[(]?\s*[+-]?\d+,\d+(?:[;|\s]+[+-]?\d+,\d+)*\s*[\])]?")
_FRACTION = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_NUMBERED = re.compile(r"(.*?)(\d{1,3})")
_A_ROW_A_STEP = """Write a row a step (id, step, score), or a row a case with its rewards in one list: \
{"id": "...", "rewards": [0.9, 0.2]}."""
_OF_RESULTS = ("--name", "--run", "--series", "--at", "--threshold", "--rule")
"""Flags of `import` that files of cases do not take."""
_OPTIONS = ("separator", "label_base", "verdict_base", "clean", "wrong_below")
_A_ROW_A_CASE = """Write a row a case: {"id": "...", "rewards": [...]} on a line of JSON Lines each; with pandas, \
frame.to_json(FILE, orient="records", lines=True)."""


class RefusedFile(Struct, frozen=True):
    """One of many files that could not be read, recognised or joined: where it is, and why, in a sentence."""

    place: str
    sentence: str


def unknown_format(rows: Rows, stated: ColumnMapping | None = None) -> UnknownFormat:
    """Return the refusal of rows that nothing recognises: what they look like, and which flags may read them.

    Args:
        rows: the source's.
        stated: what flags say of the columns already.
    """
    if rows.source.endswith(".py"):
        return UnknownFormat(
            f"{rows.source} is a Python file.",
            f"If it declares a benchmark, name it first: prm-inspect import {rows.source} ROWS.",
        )
    values: list[object] = rows.sample()[:_SAMPLE]
    if shape := _other_shape(values):
        return UnknownFormat(f"{rows.source} is {shape}.", _A_ROW_A_CASE)
    records = [value for value in values if isinstance(value, dict)]
    if layout := _unread_layout(rows.source, records):
        return layout
    outer = (str(key) for record in records for key in record)
    # Paths that lead into objects and lists can be stated as well.
    keys = list(dict.fromkeys([*outer, *(path for record in records for path in columns_of(record))]))
    nothing = "its rows are not objects" if values else "it holds no rows"
    seen = f"its rows have the keys {some_of([shown(key) for key in keys], _KEYS)}" if keys else nothing
    if keys and not any(
        isinstance(part, str | int | dict) for row in values if isinstance(row, dict) for part in row.values()
    ):
        seen += ", and nothing in them says which case a row is of: an id, or problem and steps"
    return UnknownFormat(
        f"{rows.source} is none of the formats known here; {seen}.",
        "Say which column is what with --id, --rewards, --step, --verdict, --answers (results), --problem, --steps "
        "(cases) or --mapping FILE; prm-inspect import --help has examples.",
        instead=list(_likely_flags(rows, records, stated or ColumnMapping()))[:_LISTED],
    )


# -- layouts that are recognised and not read


def check_layout(rows: Rows, mapping: ColumnMapping) -> None:
    """Refuse a mapping whose rewards are in a layout that no reader knows: all of them would be missing.

    Raises:
        UnknownFormat: a column of rewards holds such a layout.
    """
    records = [value for value in rows.sample()[:_SAMPLE] if isinstance(value, dict)]
    for column in mapping.rewards.values():
        if refusal := _unread_cells(rows.source, column, [at(record, column) for record in records]):
            raise refusal
    columns = list(dict.fromkeys(str(key) for record in records for key in record))
    steps = [column for column in _numbered(columns) if "step" in column.lower()]
    if mapping.step is None and not {*mapping.rewards.values()}.isdisjoint(steps):
        raise UnknownFormat(f"{rows.source} has one column a step: {_first_and_last(steps)}.", _A_ROW_A_STEP)


def check_one_scorer(rows: Rows, mapping: ColumnMapping, scorers: Sequence[ExternalResults]) -> None:
    """Refuse a table with one row a step that holds every step once for each of several scorers, or runs.

    Args:
        rows: the table's.
        mapping: which of its columns is what.
        scorers: what was read by it.

    Raises:
        UsageError: a column tells rows of one id and step apart.
    """
    if not any(finding.code == "step-rows" for scorer in scorers for finding in scorer.findings):
        return
    named = {column for _, column in mapping.named}
    candidates = [column_called(names, rows) for names in (SCORER_NAMES, RUN_NAMES)]
    places = Counter[tuple[str, ...]]()
    apart: dict[str, set[tuple[str, ...]]] = {column: set() for column in candidates if column and column not in named}
    for row in rows.rows if apart else ():
        if isinstance(row.value, dict):
            place = (str(at(row.value, mapping.id or "")), str(at(row.value, mapping.step or "")))
            places[place] += 1
            for column, seen in apart.items():
                seen.add((*place, str(row.value.get(column))))
    for column, seen in apart.items():
        if len(seen) > len(places):
            names = list(dict.fromkeys(name for *_, name in sorted(seen)))
            raise UsageError(
                f"{rows.source} has one row a step, and the column {printable(column)!r} names "
                f"{some_of(list(map(printable, names)), _LISTED)}: cases have steps more than once.",
                "Write a file for each of them.",
            )


def _unread_layout(source: str, records: Sequence[Mapping[str, Any]]) -> UnknownFormat | None:
    """The refusal of rows with values in a layout that no reader knows; None if they have none."""
    columns = dict.fromkeys(str(key) for record in records for key in record)
    for column in columns:
        cells = [record.get(column) for record in records]
        if refusal := _unread_cells(source, column, cells):
            return refusal
    numbers = [name for name in columns if _are_numbers([record.get(name) for record in records])]
    steps = _numbered(numbers)
    # Another column says which case a row is of.
    if steps and len(steps) < len(columns):
        return UnknownFormat(f"{source} has one column a step: {_first_and_last(steps)}.", _A_ROW_A_STEP)
    return None


def _unread_cells(source: str, column: str, cells: Sequence[Any]) -> UnknownFormat | None:
    held = [cell for cell in cells if cell is not None and cell != ""]
    if not held:
        return None
    name = printable(shown(column))
    parts = [part for cell in held for part in (cell if isinstance(cell, list) else [cell])]
    if any(isinstance(part, Decimal) for part in parts):
        return UnknownFormat(
            f"the column {name!r} of {source} holds decimals (decimal128).",
            "Cast it to float64: CAST(... AS DOUBLE) in SQL, cast(pl.List(pl.Float64)) in polars.",
        )
    texts = [part for part in parts if isinstance(part, str)]
    if any(map(_PRINTED.search, texts)):
        example = next(part for part in texts if _PRINTED.search(part))
        library = "PyTorch" if "tensor" in example.lower() else "NumPy"
        return UnknownFormat(
            f"the column {name!r} of {source} holds lists as {library} prints them, such as {example[:_EXAMPLE]!r}.",
            "Write numbers: json.dumps(values.tolist()), or [float(value) for value in values] of a list.",
        )
    if 2 * sum(_COMMAS.fullmatch(part) is not None for part in texts) > len(held):
        example = next(part for part in texts if _COMMAS.fullmatch(part))
        return UnknownFormat(
            f"the column {name!r} of {source} holds numbers with decimal commas, such as {example[:_EXAMPLE]!r}.",
            "Write them with points: pandas.read_csv(FILE, sep=';', decimal=',').to_csv(NEW, index=False).",
        )
    objects = [cell for cell in held if isinstance(cell, dict)]
    if objects and len(objects) == len(held) and all(_are_numbers(list(cell.values())) for cell in objects):
        keys = list(dict.fromkeys(str(key) for cell in objects for key in cell))
        if steps := _numbered(keys):
            what = f"an object of steps: {_first_and_last(steps)}"
            return UnknownFormat(f"the column {name!r} of {source} holds {what}.", _A_ROW_A_STEP)
    return None


def _are_numbers(cells: Sequence[Any]) -> bool:
    """Whether cells hold numbers, or nothing where a solution has fewer steps."""
    held = [cell for cell in cells if cell is not None and cell != ""]
    return bool(held) and all(isinstance(number(cell), float) for cell in held)


def _numbered(names: Sequence[str]) -> list[str]:
    """The names that differ in a number alone, which counts from 0 or 1: those of most steps, two at least."""
    groups: dict[str, dict[int, str]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            groups.setdefault(match[1], {})[int(match[2])] = name
    counted = [group for group in groups.values() if len(group) > 1 and [*sorted(group)] in _runs(len(group))]
    largest: dict[int, str] = max(counted, key=len, default={})
    return [largest[place] for place in sorted(largest)]


def _runs(length: int) -> list[list[int]]:
    return [list(range(length)), list(range(1, length + 1))]


def _first_and_last(names: Sequence[str]) -> str:
    first, last = (printable(shown(name)) for name in (names[0], names[-1]))
    return f"{first} ... {last}"


# -- flags that may read a table whose columns have names of their own


def _likely_flags(rows: Rows, records: Sequence[Mapping[str, Any]], stated: ColumnMapping) -> Iterator[tuple[str, str]]:
    """Flags that state which column is what, by what the columns hold; the likeliest first."""
    for likely, meaning in _likely_mappings(records, stated):
        mapping = likely.overridden(stated)
        if propose(rows, mapping) is not None:
            yield flags_of(mapping), meaning


def _likely_mappings(
    records: Sequence[Mapping[str, Any]], stated: ColumnMapping
) -> Iterator[tuple[ColumnMapping, str]]:
    names = dict.fromkeys(str(key) for record in records for key in record if key == printable(str(key)))
    cells = {name: [record.get(name) for record in records] for name in names if name}
    ids = [stated.id] if stated.id else [name for name, held in cells.items() if _are_ids(held)]
    groups = [stated.id] if stated.id else [name for name, held in cells.items() if _are_ids(held, repeated=True)]
    lists = [name for name, held in cells.items() if all(map(_is_list_of_numbers, held))]
    numbers = [name for name, held in cells.items() if all(isinstance(number(cell), float) for cell in held)]
    counts = [name for name, held in cells.items() if all(type(whole(cell)) is int for cell in held)]
    for case in ids:
        for name in (name for name in lists if name != case):
            yield ColumnMapping(id=case, rewards={name: name}), f"ids in {case!r}, step rewards in {name!r}"
    for case in groups:
        steps = [name for name in counts if name != case and _counts_steps(cells[case], cells[name])]
        for step in steps:
            for name in (name for name in numbers if name not in {case, step, *counts}):
                mapping = ColumnMapping(id=case, step=step, rewards={name: name})
                yield mapping, f"a row a step: ids in {case!r}, steps in {step!r}, rewards in {name!r}"
    for case in ids:
        for name in (name for name in counts if name != case and not lists):
            if min(map(whole, cells[name])) >= -1:
                yield ColumnMapping(id=case, verdicts={name: name}), f"ids in {case!r}, predicted steps in {name!r}"
        for name in (name for name, held in cells.items() if name != case and all(map(_is_prose, held))):
            yield ColumnMapping(id=case, answers={name: name}), f"ids in {case!r}, a critic's answers in {name!r}"


def _are_ids(cells: Sequence[Any], *, repeated: bool = False) -> bool:
    words = [text(cell) for cell in cells]
    if not words or not all(isinstance(word, str) and len(word) <= _LONGEST_ID for word in words):
        return False
    # Numbers with a fraction are no ids.
    if any(isinstance(cell, float) or (isinstance(cell, str) and _FRACTION.fullmatch(cell)) for cell in cells):
        return False
    return 2 * len(set(words)) <= len(words) if repeated else len(set(words)) == len(words)


def _is_list_of_numbers(cell: Any) -> bool:
    values = listed(cell)
    return isinstance(values, list) and bool(values) and all(isinstance(number(value), float) for value in values)


def _is_prose(cell: Any) -> bool:
    return isinstance(cell, str) and isinstance(listed(cell), str) and len(cell.split()) > 1


def _counts_steps(ids: Sequence[Any], steps: Sequence[Any]) -> bool:
    """Whether the numbers of each id are those of its steps, each once."""
    of_case: dict[str, list[int]] = {}
    for case, step in zip(ids, steps, strict=True):
        of_case.setdefault(str(text(case)), []).append(whole(step))
    # The last case of a sample may go on.
    return all(sorted(numbers) in _runs(len(numbers)) for numbers in list(of_case.values())[:-1])


def _other_shape(values: Sequence[object]) -> str:
    """What one object is that holds all rows; "" where rows are rows."""
    if len(values) != 1 or not isinstance(values[0], dict) or not values[0]:
        return ""
    parts = list(values[0].values())
    if all(isinstance(part, dict) for part in parts) and all(set(part) == set(parts[0]) for part in parts):
        return "one object with a column a key, as pandas' to_json writes it unless told otherwise"
    if len(parts) > 1 and all(isinstance(part, list) and part and not isinstance(part[0], dict) for part in parts):
        same = len({len(part) for part in parts}) == 1
        return "one object with a column a key" if same and len(parts) < _KEYS else "one object with an id a key"
    inside = [str(key) for key, part in values[0].items() if _are_rows(part)]
    return f"one object that holds its rows in a list, {inside[0][:40]!r}" if len(inside) == 1 else ""


def _are_rows(part: Any) -> bool:
    # The steps of one solution are objects too, yet hold no lists.
    objects = isinstance(part, list) and len(part) > 1 and all(isinstance(row, dict) for row in part)
    return objects and all(any(isinstance(cell, list) for cell in row.values()) for row in part)


def shown(column: str) -> str:
    """Return a column's name as a sentence shows it."""
    return column[:40] or NO_NAME


def refuse_unusable(joined: JoinedResults) -> None:
    """Refuse a file none of whose results can be used: figures of such a scorer would be 0 and mean nothing.

    A critic's answers that could not be parsed are results, and count as wrong.

    Raises:
        InputError: not one can be used.
    """
    results, counts, votes = joined.results, joined.row_counts, joined.votes
    read = pl.col("verdict").is_not_null() | pl.col("rewards").is_not_null()
    answered = pl.col("answer").is_not_null() | pl.col("ballot").is_not_null()
    # A column of verdicts holds no answers: where none is an index, it is another column.
    is_used = read if results.format == TABLE and not results.reads_answers else read | answered
    numbers = sum(counts[name] for name in ("rewards", "labels", "redundancy", "solution"))
    if numbers or votes.select(is_used.any()).item() or not joined.joined:
        return
    refused = [finding for finding in joined.findings if finding.severity != "note" and finding.code != "not-joined"]
    first = min(refused, key=lambda finding: finding.code != "number-of-rewards", default=None)
    line = f" (line {first.line})" if first is not None and first.line is not None else ""
    why = f": {first.message}{line}" if first is not None else ""
    raise InputError(
        f"not one of the {joined.joined:,} results of {results.source} can be used{why}.",
        "Correct the file, or name another column with --rewards, --verdict or --answers.",
    )


def commands_apart(error: MissingColumn, words: Sequence[str], stated: ColumnMapping | None) -> MissingColumn:
    """Return the error with a command for each group of sources, where flags name columns of some of the sources.

    Args:
        error: says that a source has no such column.
        words: the sources of the command, as they were typed.
        stated: what the flags say of columns.
    """
    if stated is None or len(words) < 2:
        return error
    groups: dict[frozenset[str], list[str]] = {}
    for word in words:
        groups.setdefault(_columns_in(word, stated), []).append(word)
    if len(groups) < 2:
        return error
    flags = {FLAGS[name.partition(" of ")[0]] for name, _ in stated.named if name.partition(" of ")[0] in FLAGS}
    edits: list[Correction] = []
    # Results join the cases that are there: files of cases come first.
    for columns, group in sorted(groups.items(), key=lambda item: stated.restricted(item[0]).scorers):
        others = [word for word in words if word not in group]
        kept = replace(stated.restricted(columns), **dict.fromkeys(_OPTIONS))
        about_results = () if kept.scorers else _OF_RESULTS
        edit = CommandEdit(flags_of(kept), without=(*others, *sorted(flags), *about_results))
        edits.append((edit, f"{'then' if edits else 'first'} {some_of(group, _LISTED)}"))
    next_step = "The flags are about other files of this command: import them apart."
    return MissingColumn(error.sentence, next_step, instead=edits)


def _columns_in(word: str, stated: ColumnMapping) -> frozenset[str]:
    """The columns among those that are stated which a source has; none where it cannot be read twice."""
    if word.startswith(HUB) or is_elsewhere(word) or not Path(word).is_file():
        return frozenset()
    try:
        with TemporaryDirectory(prefix="prm-inspect-") as folder:
            samples = [read_rows(file.path, file.name).sample() for file in bring(word, Path(folder))]
    except InputError:
        return frozenset()
    rows = [row for sample in samples for row in sample if isinstance(row, dict)]
    return frozenset(column for _, column in stated.named if any(has(row, column) for row in rows))
