"""Which column of a table is probably what, by common names and by what is in them."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.label_checks import says_wrong
from scoring.formats.reading.reward_checks import better_named
from scoring.formats.reading.rows import Rows
from scoring.formats.results.scorer_names import scorer_name
from scoring.formats.tables.cell_kinds import (
    FIELD_KINDS,
    are_flags,
    are_numbers,
    is_answer,
    is_flag,
    is_fraction,
    is_index,
    is_label,
    is_number,
    is_one_list,
    is_solution,
    is_text,
    is_whole,
    is_whole_index,
    judges_steps,
    step_count,
)
from scoring.formats.tables.cell_values import at, listed, number, steps, text, whole, without_padding
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.gold_labels import index_of

_SAMPLE = 200
_BROKEN = 20
COLUMN_NAMES: dict[str, str] = {
    "problem": "problem question prompt query instruction input",
    "steps": (
        "steps solution_steps reasoning_steps model_steps process response model_output model_response completion "
        "output reasoning chain_of_thought chain_of_thoughts cot solution answer"
    ),
    "id": "id uid uuid unique_id case_id case idx index problem_id question_id",
    "earliest_error": (
        "earliest_error first_error first_error_step first_error_index earliest_error_step error_step error_index label"
    ),
    "error_steps": "error_steps wrong_steps error_indices",
    "step_labels": (
        "step_labels labels label ratings rating step_ratings process_correctness process_labels step_correctness "
        "step_correct is_correct correctness correct"
    ),
    "subset": "subset split domain task category",
    "generator": "generator model model_name policy policy_model",
    "final_answer_correct": "final_answer_correct answer_correct is_correct final_correct correct",
    "error_type": "error_type classification",
    "error_category": "error_category",
    "error_kind": "error_kind",
    "pattern": "pattern reasoning_pattern",
    "reason": "reason explanation comment",
    "problem_id": "problem_id question_id",
    "agreement": "agreement annotator_agreement",
    "reference_answer": "reference_answer ground_truth_answer ground_truth gold_answer final_answer answer target",
    "language": "language lang",
    "origin": "origin source dataset data_source",
}
"""Field -> names of its column, the likeliest first. A column is taken once, by the first field that it fits."""

_REWARDS = "step_rewards rewards reward step_scores prm_scores prm_rewards scores probs"
_REWARD = "step_reward reward step_score prm_score prm_reward score prob"
_VERDICT = (
    "verdict predicted_error predicted_step predicted_index predicted_label pred_label pred_error pred_step pred_index "
    "prediction predicted pred"
)
_ANSWER = (
    "answer answers response responses critique critiques judgement judgment raw_response model_response model_output "
    "generation generations output completion completions text"
)
SCORER_NAMES = "scorer scorer_name prm prm_name reward_model judge critic model model_name method system"
_OF_CASES = ("problem", "steps", "step_labels", "error_steps", "earliest_error")
_LISTS_OF_STEPS = frozenset({"steps", "solution_steps", "reasoning_steps", "model_steps", "process"})
"""Names of columns whose lists of texts are steps; under other names they may be several solutions."""
_OFTEN_REFERENCES = frozenset({"solution", "answer", "output", "completion"})
"""Names of columns that as often hold a reference, or an answer in a word, as a solution in steps."""
_INNER = {
    "steps": frozenset({"steps", "solution_steps", "reasoning_steps", "model_steps"}),
    "earliest_error": frozenset({"earliest_error", "first_error", "first_error_step", "earliest_error_step"}),
    "error_steps": frozenset({"error_steps", "wrong_steps"}),
    "step_labels": frozenset({"step_labels", "step_ratings", "process_correctness", "process_labels"}),
    "generator": frozenset({"policy_model"}),
}
"""Names that say enough to be taken inside an object, too."""
_STEP_TEXT = ("step", "text", "content", "step_text")
_STEP_LABEL = ("label", "rating", "correct", "is_correct")
_STEP_REWARD = ("reward", "prm_reward", "score", "prm_score", "step_score", "prob", "mc_value", "value")
"""Keys of a step, where the solution is a list of objects."""
_WORDS_OF_CRITICS = frozenset(["critique", "critiques", "judgement", "judgment", "raw_response"])
GENERIC_INDICES = frozenset({"label", "prediction", "predicted", "pred"})
"""Names of columns that often say whether the whole is right, in 0 and 1."""
_STEP_NUMBER = "step step_index step_idx step_id step_number"
_MARKS = (" ки", "ки", "<extra_0>")
"""What stands after every step in texts that were made for a PRM."""
GOLD_FIELDS = ("earliest_error", "error_steps", "step_labels")
GENERIC_LABELS = frozenset({"label", "labels", "rating", "ratings", "correct", "is_correct", "correctness"})
"""Names of columns that are gold labels of steps only if each cell fits."""
_BOTH = 2
_SEVERAL = 10
"""Rows from which on it says something that there are no others."""
_REPEATING = 4


def propose(rows: Rows, stated: ColumnMapping | None = None) -> ColumnMapping | None:
    """Propose the mapping that the columns suggest: of cases, of a scorer's results, or of both.

    Cases need a problem and a solution. Results need an id (or both of these) and, in this order of preference: lists
    of numbers, one number a step where there is a row a step, the number of a step, an answer in words. A column is
    taken only if what is in it fits the field in every one of the first rows. Index bases are left open: they are
    inferred, or assumed with a warning.

    Args:
        rows: the table's.
        stated: what is known of the columns already; it is taken as it is.

    Returns:
        None where the columns suggest neither.
    """
    return _Guess(rows, stated or ColumnMapping()).mapping()


class TableSample:
    """The first rows of a table, by column."""

    def __init__(self, rows: Rows) -> None:
        self.source = rows.source
        self.rows = [value for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping)]
        self.columns: dict[str, str] = {}
        """Name as it is looked for -> column."""
        self.inner: dict[str, str] = {}
        """The same for what stands inside an object of the rows."""
        for value in self.rows:
            for name, cell in value.items():
                if name:
                    self.columns.setdefault(_normal(name), name)
                    if isinstance(cell, Mapping):
                        self.inner |= {_normal(key): f"{name}.{key}" for key in cell if isinstance(key, str) and key}

    def cells(self, column: str) -> list[Any]:
        """Return the cells of a column, None where a row lacks it."""
        return [at(value, column) for value in self.rows]

    def held(self, column: str) -> list[Any]:
        """Return the cells that hold something."""
        return [cell for cell in self.cells(column) if text(cell) is not None]

    def called(self, column: str) -> list[str]:
        """Return the cells as texts, by which rows are told apart: what leads to a list is one, too."""
        return [str(text(cell)) for cell in self.cells(column)]

    def nearly_all(self, fits: Callable[[Any], bool], column: str, misfits: int = 0) -> bool:
        """Return whether all cells fit except one in `_BROKEN`, or `misfits` cells if at least two others fit."""
        held = self.held(column)
        allowed = max(len(held) // _BROKEN, misfits if len(held) >= misfits + 2 else 0)
        return bool(held) and sum(not fits(cell) for cell in held) <= allowed

    def lowest(self, column: str) -> int:
        """Return the lowest index in a column that has one."""
        return min(int(index_of(cell)) for cell in self.held(column) if is_whole_index(cell))

    def repeats(self, column: str) -> bool:
        """Return whether the values are those of a problem, which several rows have, and no row's own."""
        cells = self.called(column)
        return len(cells) >= _REPEATING and 2 * len(set(cells)) <= len(cells)

    def is_binary(self, column: str) -> bool:
        """Return whether enough cells are all 0 or 1, which says right or wrong as well as a step."""
        cells = [whole(cell) for cell in self.cells(column) if cell is not None]
        return len(cells) >= _SEVERAL and {*cells} <= {0, 1}

    def is_outcome(self, column: str, mapping: ColumnMapping) -> bool:
        """Return whether cells are all 0 or 1 though most solutions have further steps."""
        sizes = [] if mapping.steps is None else self.sizes(mapping.steps, mapping.separator)
        both = len({whole(cell) for cell in self.held(column)}) >= _BOTH
        return both and self.is_binary(column) and 2 * sum((size or 0) > _BOTH for size in sizes) >= len(sizes)

    def is_per_step(self, column: str, mapping: ColumnMapping) -> bool:
        """Return whether at least half of the lists hold one value a step."""
        if mapping.steps is None:
            return False
        sizes = zip(map(listed, self.cells(column)), self.sizes(mapping.steps, mapping.separator), strict=True)
        pairs = [(len(cell), size) for cell, size in sizes if isinstance(cell, list)]
        return bool(pairs) and 2 * sum(count == size for count, size in pairs) >= len(pairs)

    def wrong_flags(self, mapping: ColumnMapping) -> str | None:
        """Return the column with a flag a step whose name says that true means wrong; None where there is none."""
        if mapping.steps is None:
            return None
        if "[]." in mapping.steps:
            column = mapping.steps.partition("[]")[0]
            parts = (part for cell in self.cells(column) if isinstance(cell, list) for part in cell)
            keys = next((tuple(part) for part in parts if isinstance(part, Mapping)), ())
            return self.key_of_steps(column, tuple(key for key in keys if says_wrong(str(key))), is_flag)
        paths = [*self.columns.values(), *self.inner.values()]
        named = [column for column in paths if says_wrong(column) and _storable(column)]
        return next(
            (column for column in named if self.nearly_all(are_flags, column) and self.is_per_step(column, mapping)),
            None,
        )

    def is_solutions(self, column: str) -> bool:
        """Return whether nearly all cells are solutions."""
        return _storable(column) and self.nearly_all(is_solution, column)

    def sizes(self, column: str, separator: str | None) -> list[int | None]:
        """Count the steps of each cell; None where it holds nothing."""
        return [step_count(cell, separator) for cell in self.cells(column)]

    def divided(self, column: str, separator: str | None = None) -> bool:
        """Return whether most cells are solutions of several steps: a reference or a final answer is one text."""
        sizes = [size for size in self.sizes(column, separator) if size is not None]
        return 2 * sum(size > 1 for size in sizes) > len(sizes)

    def counts(self, columns: Mapping[str, str], stated: ColumnMapping) -> list[list[int | None]]:
        """Count, for each column with something a step (labels, numbers), how many a row has; None = none."""
        names = [self.inner[name] for name in _INNER["step_labels"] if name in self.inner]
        names += [columns[name] for name in f"{COLUMN_NAMES['step_labels']} {_REWARDS}".split() if name in columns]
        names += [column for column in (stated.step_labels, *stated.rewards.values()) if column is not None]
        counts = []
        for column in names:
            lists = [cell if isinstance(cell, list) else None for cell in map(listed, self.cells(column))]
            parts = [part for cell in lists for part in cell or ()]
            if any(cell is not None for cell in lists) and not any(isinstance(part, list | Mapping) for part in parts):
                counts.append([None if cell is None else len(cell) for cell in lists])
        return counts

    def confirmed(self, column: str, counts: list[list[int | None]], separator: str | None) -> bool:
        """Return whether some column has, in every row that has both, as many values as there are steps."""
        sizes = self.sizes(column, separator)
        pairs = ([pair for pair in zip(sizes, several, strict=True) if None not in pair] for several in counts)
        return any(both and all(size == count for size, count in both) for both in pairs)

    def key_of_steps(self, column: str, keys: tuple[str, ...], fits: Callable[[Any], bool]) -> str | None:
        """Return the path to what the steps, a list of objects, hold under the first of the keys that all have."""
        cells = [cell for cell in self.cells(column) if cell is not None]
        parts = [part for cell in cells if isinstance(cell, list) for part in cell]
        if not parts or not all(isinstance(cell, list) for cell in cells):
            return None
        if not all(isinstance(part, Mapping) for part in parts):
            return None
        fitting = (key for key in keys if all(key in part and fits(part[key]) for part in parts))
        return next((f"{column}[].{key}" for key in fitting), None)


class _Guess(TableSample):
    """A proposal in the making: `free` are the columns that nobody has taken yet."""

    def __init__(self, rows: Rows, stated: ColumnMapping) -> None:
        super().__init__(rows)
        self.stated = stated
        named = {column for _, column in stated.named}
        # Pairs of answers to choose between are no solutions in steps.
        self.pairs = {"chosen", "rejected"} <= self.columns.keys()
        self.free = {name: column for name, column in self.columns.items() if column not in named}
        if {"chosen", "rejected"} <= self.free.keys() and stated.steps is None:
            self.free = {}

    def mapping(self) -> ColumnMapping | None:
        proposed = self.stated.overridden(self._cases())
        has_cases = proposed.problem is not None and proposed.steps is not None
        if self.stated.scorers:
            return self._told_apart(proposed) if proposed.id is not None or has_cases else None
        if self.stated.step is None:
            if has_cases:
                return replace(proposed, rewards=self._rewards_of_steps(proposed))
            lists = [self.free[name] for name in _REWARDS.split() if name in self.free]
            lists = [column for column in lists if self._mostly_judges(column)]
            lists = lists or [*self._inside()]
            lists = lists or better_named([column for column in self.free.values() if self._are_fractions(column)])
            if proposed.id is not None and lists and not self._of_solutions(lists):
                return self._told_apart(ColumnMapping(id=proposed.id, rewards=_by_scorer(lists, self.source)))
        case = self.stated.id or self._first_fitting("id")
        if case is None:
            return None
        return self._row_a_step(case) or self._verdicts(case) or self._row_a_step_in_order(case)

    def _cases(self) -> ColumnMapping:
        taken: dict[str, str] = {}
        for field, names in COLUMN_NAMES.items():
            if getattr(self.stated, field) is not None or (self.stated.step is not None and field in _OF_CASES):
                continue
            so_far = self.stated.overridden(ColumnMapping(**taken))  # type: ignore[arg-type]  # of texts
            if field == "steps":
                column, separator = self._solutions()
                if separator is not None:
                    taken["separator"] = separator
            else:
                columns = self._candidates(field, names)
                column = next((column for _, column in columns if self._fits(field, column, so_far)), None)
            if column is not None:
                taken[field] = column
                self.free.pop(_normal(column), None)
        cases = ColumnMapping(**taken)  # type: ignore[arg-type]  # of texts
        inside = cases.steps if cases.steps is not None and "[]." in cases.steps else None
        if inside is not None and not {*GOLD_FIELDS} & taken.keys():
            cases = replace(cases, step_labels=self.key_of_steps(inside.partition("[]")[0], _STEP_LABEL, is_label))
        if self.stated.wrong is not None and cases.step_labels is None and self.stated.step_labels is None:
            # Whoever says which flags mean wrong means these.
            flags = self.wrong_flags(self.stated.overridden(cases))
            return replace(
                cases, step_labels=flags, error_steps=None if flags == cases.error_steps else cases.error_steps
            )
        return cases

    def _candidates(self, field: str, names: str) -> list[tuple[str, str]]:
        """(name, column) of the columns of these names, those inside objects only where the name says enough."""
        inner = {name: column for name, column in self.inner.items() if name in _INNER.get(field, ())}
        known = {**inner, **self.free}
        return [(name, known[name]) for name in names.split() if name in known]

    def _solutions(self) -> tuple[str | None, str | None]:
        """The column of solutions in steps, and what stands between the steps of a text if that is not a blank line."""
        counts = self.counts(self.free, self.stated)
        for name, column in self._candidates("steps", COLUMN_NAMES["steps"]):
            texts = self.key_of_steps(column, _STEP_TEXT, is_text) if name in _LISTS_OF_STEPS else None
            if texts is not None:
                return texts, None
            if not self.is_solutions(column):
                continue
            separator = self.stated.separator or self._separator(column, counts)
            confirmed = self.confirmed(column, counts, separator)
            located = self.stated.earliest_error is not None or any(map(self._locates, self.free))
            lists = sum(isinstance(listed(cell), list) for cell in self.cells(column))
            if 2 * lists > len(self.rows) and not (confirmed or located) and name not in _LISTS_OF_STEPS:
                continue
            if name in _OFTEN_REFERENCES and not confirmed and not (located and self.divided(column, separator)):
                continue
            return column, None if self.stated.separator else separator
        return None, None

    def _separator(self, column: str, counts: list[list[int | None]]) -> str | None:
        """What stands between the steps of texts: what the counts show, else a mark, blank lines, or line breaks."""
        texts = [cell for cell in self.cells(column) if isinstance(cell, str) and isinstance(listed(cell), str)]
        if not texts:
            return None
        marks = [mark for mark in _MARKS if 2 * sum(mark in cell for cell in texts) > len(texts)]
        candidates: list[str | None] = [*marks, None, "\n"]
        confirmed = [separator for separator in candidates if self.confirmed(column, counts, separator)]
        if confirmed or marks:
            return (confirmed or marks)[0]
        lines = [cell.strip() for cell in texts]
        blank = any(len(steps(cell)[0]) > 1 for cell in lines)
        return "\n" if not blank and 2 * sum("\n" in cell for cell in lines) > len(lines) else None

    def _locates(self, name: str) -> bool:
        """Whether a column most likely holds indices of steps: by its name, or because some are -1 and none lower."""
        column = self.free[name]
        if name not in COLUMN_NAMES["earliest_error"].split() or not self.nearly_all(is_index, column):
            return False
        if not any(map(is_whole_index, self.held(column))):
            return False
        return name not in GENERIC_INDICES or self.lowest(self.free[name]) == -1

    def _rewards_of_steps(self, cases: ColumnMapping) -> dict[str, str]:
        """Scorer -> column of rewards beside cases: at least half of the lists are as long as the solution."""
        assert cases.steps is not None  # noqa: S101  # there are cases
        if "[]." in cases.steps:
            path = self.key_of_steps(cases.steps.partition("[].")[0], _STEP_REWARD, is_number)
            return {} if path is None else {path.rpartition(".")[2]: path}
        rewards = []
        sizes = self.sizes(cases.steps, cases.separator)
        for column in (self.free[name] for name in _REWARDS.split() if name in self.free):
            pairs = [(cell, size) for cell, size in zip(self.cells(column), sizes, strict=True) if cell is not None]
            lists = [(without_padding(listed(cell)), size) for cell, size in pairs if are_numbers(cell)]
            if lists and 2 * sum(len(cell) == size for cell, size in lists) >= len(pairs):
                rewards.append(column)
        return _by_scorer(rewards, self.source)

    def _inside(self) -> Iterator[str]:
        """Paths to rewards in columns called so or like steps: what each step holds, or the only list of a list."""
        for name in (*_REWARDS.split(), *_LISTS_OF_STEPS):
            if (column := self.free.get(name)) is None:
                continue
            # A "value" may be of anything, as the scores of a trace are.
            if (path := self.key_of_steps(column, _STEP_REWARD[:-1], is_number)) is not None:
                yield path
            elif name in _REWARDS.split() and self.nearly_all(is_one_list, column):
                yield f"{column}[0]"

    def _mostly_judges(self, column: str) -> bool:
        """Whether at least half of the cells say something of each step: of the others it is said that they do not."""
        held = self.held(column)
        return 2 * sum(map(judges_steps, held)) >= max(1, len(held))

    def _are_fractions(self, column: str) -> bool:
        """Whether a column holds lists of numbers that are not all whole, as places and counts are."""
        if not self.nearly_all(are_numbers, column) or not _storable(column):
            return False
        return any(any(map(is_fraction, listed(cell))) for cell in self.cells(column) if are_numbers(cell))

    def _of_solutions(self, lists: list[str]) -> bool:
        """Whether the numbers are one a solution: some column holds a list of as many texts in every row."""
        for column in (column for column in self.free.values() if column not in lists):
            cells = zip(map(listed, self.cells(column)), map(listed, self.cells(lists[0])), strict=True)
            pairs = [pair for pair in cells if all(isinstance(cell, list) for cell in pair)]
            texts = [part for several, _ in pairs for part in several]
            if texts and all(isinstance(part, str) for part in texts) and all(len(a) == len(b) for a, b in pairs):
                return _normal(column) not in _LISTS_OF_STEPS
        return False

    def _row_a_step(self, case: str) -> ColumnMapping | None:
        """A table with one row a step: an id that several rows have, the step's index, and a number."""
        numbers = [self.columns[name] for name in _STEP_NUMBER.split() if name in self.columns]
        step = self.stated.step or next((column for column in numbers if self.nearly_all(is_whole, column)), None)
        if step is None or (self.stated.step is None and len({*self.called(case)}) == len(self.rows)):
            return None
        others = [column for column in self.columns.values() if column not in {case, step} and _storable(column)]
        numbers = [column for column in others if self.nearly_all(is_number, column)]
        rewards = [self.columns[name] for name in _REWARD.split() if self.columns.get(name) in numbers]
        fractions = [column for column in numbers if any(map(is_fraction, self.cells(column)))]
        rewards = rewards or better_named(fractions)
        proposed = ColumnMapping(id=case, step=step, rewards=_by_scorer(rewards, self.source))
        return self.stated.overridden(proposed) if rewards else None

    def _verdicts(self, case: str) -> ColumnMapping | None:
        """A table of verdicts or of answers: an id, and what a scorer said of the case."""
        if self.stated.step is not None or self.pairs:
            return None
        # Beside a problem, a text may be its solution as well as what a critic says of one, and a number its answer.
        problem = self.stated.problem is not None or self._first_fitting("problem") is not None
        names = [name for name in _VERDICT.split() if name in self.columns]
        verdict = next((self.columns[name] for name in names if self._names_steps(name, alone=not problem)), None)
        scorer = scorer_name(self.source)
        if verdict is not None:
            return self._told_apart(ColumnMapping(id=case, verdicts={scorer: verdict}))
        names = [name for name in _ANSWER.split() if name in _WORDS_OF_CRITICS or not problem]
        columns = [self.columns[name] for name in names if name in self.columns]
        answer = next((column for column in columns if self.nearly_all(is_answer, column)), None)
        return None if answer is None else self._told_apart(ColumnMapping(id=case, answers={scorer: answer}))

    def _names_steps(self, name: str, *, alone: bool) -> bool:
        """Whether a column may hold the indices of steps; `alone` without a problem beside it."""
        column = self.columns[name]
        if not self.nearly_all(is_whole, column):
            return False
        lowest = self.lowest(column)
        return name not in GENERIC_INDICES or lowest == -1 or (alone and lowest >= 0 and not self.is_binary(column))

    def _row_a_step_in_order(self, case: str) -> ColumnMapping | None:
        """An id that rows share, each row with a number called like a step's: whether in order, the cases show."""
        # A column of step numbers that cannot be read is no sign that the order of the rows says them.
        if self.free.keys() & {*_STEP_NUMBER.split()} or self.stated.step is not None or not self.repeats(case):
            return None
        columns = [self.free[name] for name in f"{_REWARD} {_REWARDS}".split() if name in self.free]
        rewards = [column for column in columns if self.nearly_all(is_number, column)]
        proposed = ColumnMapping(id=case, rewards=_by_scorer(rewards, self.source))
        return self.stated.overridden(proposed) if rewards else None

    def _told_apart(self, mapping: ColumnMapping) -> ColumnMapping:
        """The mapping with the column that says which scorer a row is of, where only that tells rows of an id apart."""
        mapping = self.stated.overridden(mapping)
        if mapping.steps is None and mapping.subset is None:
            mapping = replace(mapping, subset=self._subset())
        if mapping.id is None or (mapping.scorer, mapping.step, mapping.run) != (None, None, None):
            return mapping
        cases = self.called(mapping.id)
        if len(set(cases)) == len(cases):
            return mapping
        named = {column for _, column in mapping.named}
        for column in (self.columns[name] for name in SCORER_NAMES.split() if name in self.columns):
            usable = column not in named and _storable(column) and self.nearly_all(is_text, column)
            if usable and len(set(zip(cases, self.called(column), strict=True))) == len(cases):
                return replace(mapping, scorer=column)
        return mapping

    def _subset(self) -> str | None:
        """The column that says which part of a benchmark a result is of, where ids alone may not."""
        columns = [self.columns[name] for name in ("subset", "classification") if name in self.columns]
        return next((column for column in columns if self._fits("subset", column)), None)

    def _first_fitting(self, field: str) -> str | None:
        columns = [self.columns[name] for name in COLUMN_NAMES[field].split() if name in self.columns]
        return next((column for column in columns if self._fits(field, column)), None)

    def _fits(self, field: str, column: str, so_far: ColumnMapping | None = None) -> bool:
        # Columns of ids are known by their names, so that one of a few rows may have a broken id.
        if not (_storable(column) and self.nearly_all(FIELD_KINDS.get(field, is_text), column, int(field == "id"))):
            return False
        if field == "id" and so_far is not None and so_far.steps is not None:
            return not self.repeats(column)
        if field == "earliest_error":
            outcome = (
                self.is_binary
                if _normal(column) in GENERIC_INDICES
                else partial(self.is_outcome, mapping=so_far or self.stated)
            )
            return any(map(is_whole_index, self.held(column))) and not outcome(column)
        return field != "step_labels" or so_far is None or so_far.steps is None or self.is_per_step(column, so_far)


def column_called(names: str, rows: Rows) -> str | None:
    """Return the first column that is called as one of the names; None where none is."""
    columns = TableSample(rows).columns
    return next((columns[name] for name in names.split() if name in columns), None)


# -- step rewards that rows of a benchmark hold beside its own fields


def rewards_beside(
    rows: Rows, steps: str = "steps", claimed: Collection[str] = (), *, by_column: bool = False
) -> ColumnMapping | None:
    """Propose a mapping for step rewards that rows of a benchmark hold beside its own fields.

    Such a column holds lists of as many numbers as there are steps, and not only whole numbers, which labels may be: in
    every one of the first rows that has something in it or, if it is called like rewards, in half of these.

    Args:
        rows: the benchmark's.
        steps: the key of a solution's steps.
        claimed: keys that the benchmark reads.
        by_column: whether a scorer is called after its column whatever that is called; else the only one of a file
            whose column just says that it holds rewards is called after the file.

    Returns:
        None where no column does.
    """
    columns = better_named([column for column, _, are_rewards in _beside(rows, steps, claimed) if are_rewards])
    if not columns:
        return None
    return ColumnMapping(rewards={name: name for name in columns} if by_column else _by_scorer(columns, rows.source))


def doubtful_rewards(rows: Rows, steps: str = "steps", claimed: Collection[str] = ()) -> list[Finding]:
    """Return which columns of a benchmark's rows are called like rewards and were not taken for such.

    See `rewards_beside` for the arguments.
    """
    findings = []
    for column, cells, are_rewards in _beside(rows, steps, claimed):
        lists = [cell for cell in map(listed, cells) if isinstance(cell, list)]
        if are_rewards or not lists or _normal(column) not in _REWARDS.split():
            continue
        why = "as many numbers as steps in less than half of the rows"
        if all(is_whole(part) for cell in lists for part in cell):
            why = "nothing but whole numbers, which may be labels"
        name = printable(column)
        message = f"the column {name!r} holds {why}; --rewards {name} takes it for rewards"
        findings.append(Finding("note", "two-readings", message, rows.source))
    return findings


def _beside(rows: Rows, steps: str, claimed: Collection[str]) -> Iterator[tuple[str, list[Any], bool]]:
    """(column, cells, whether they are rewards) of the columns that nobody reads, in rows with a list of steps."""
    sample = [value for value in TableSample(rows).rows if isinstance(value.get(steps), list)]
    for column in dict.fromkeys(key for value in sample for key in value):
        if not _storable(column) or column in claimed:
            continue
        pairs = [(value[column], value[steps]) for value in sample if value.get(column) is not None]
        lists = [(cell, solution) for cell, solution in pairs if isinstance(cell, list) and are_numbers(cell)]
        unpadded = [(without_padding(cell), solution) for cell, solution in lists]
        fit = [cell for cell, solution in unpadded if len(cell) == len(solution)]
        enough = 2 * len(fit) >= len(pairs) if _normal(column) in _REWARDS.split() else len(fit) == len(pairs)
        are_rewards = enough and any(float(number(part)) % 1 for cell in fit for part in cell)
        yield column, [value.get(column) for value in sample], are_rewards


def _by_scorer(columns: list[str], source: str) -> dict[str, str]:
    """Scorer's name -> column: the column's own, unless it is the only one and only says that it holds rewards."""
    # Of a path the innermost key says what is there.
    inner = [column.rpartition("[].")[2].partition("[")[0] for column in columns]
    if len(columns) == 1 and _normal(inner[0]) in {*f"{_REWARDS} {_REWARD}".split(), *_STEP_REWARD}:
        return {scorer_name(source): columns[0]}
    return {column: column for column in columns}


def _normal(name: str) -> str:
    return re.sub(r"[\s.-]+", "_", name.strip().lower())


def _storable(column: str) -> bool:
    return column == column.encode(errors="replace").decode()
