"""Which column of a table is probably what, by the names that columns commonly have and by what is in them."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from scoring.reading.file_bytes import printable
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.base import scorer_name
from scoring.tables.cells import at, listed, number, steps, text, truth, whole
from scoring.tables.column_mapping import ColumnMapping

_SAMPLE = 200
_NAMES: dict[str, str] = {
    "problem": "problem question prompt query instruction input",
    "steps": (
        "steps solution_steps reasoning_steps model_steps process response model_output model_response completion "
        "output reasoning chain_of_thought chain_of_thoughts cot solution answer"
    ),
    "id": "id uid uuid unique_id case_id idx index problem_id question_id",
    "earliest_error": (
        "earliest_error first_error first_error_step first_error_index earliest_error_step error_step error_index label"
    ),
    "error_steps": "error_steps wrong_steps error_indices",
    "step_labels": "step_labels labels label ratings rating step_ratings process_correctness process_labels",
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
_SCORER = "scorer scorer_name prm prm_name reward_model judge critic model model_name method system"
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
_GENERIC = frozenset({"label", "prediction", "predicted", "pred"})
"""Names of columns that often say whether the whole is right, in 0 and 1."""
_STEP = "step step_index step_idx step_id step_number"
_MARKS = (" ки", "ки", "<extra_0>")
"""What stands after every step in texts that were made for a PRM."""
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
    stated = stated or ColumnMapping()
    sample = sampled(rows)
    named = {column for _, column in stated.named}
    free = {name: column for name, column in _by_normal_name(sample).items() if column not in named}
    if {"chosen", "rejected"} <= free.keys() and stated.steps is None:
        # Pairs of answers to choose between, and no solutions in steps.
        free = {}
    whole = stated.overridden(_propose_cases(free, sample, stated))
    cases = whole.problem is not None and whole.steps is not None
    if stated.scorers:
        return _told_apart(whole, sample) if whole.id is not None or cases else None
    if stated.step is None:
        if cases:
            return replace(whole, rewards=_rewards_of_steps(free, sample, whole, rows.source))
        lists = [free[name] for name in _REWARDS.split() if name in free and _mostly(_judges, free[name], sample)]
        lists = lists or [column for column in free.values() if _are_fractions(column, sample) and _storable(column)]
        if whole.id is not None and lists and not _of_solutions(free, sample, lists):
            return _told_apart(ColumnMapping(id=whole.id, rewards=_by_scorer(lists, rows.source)), sample)
    if steps := _propose_steps(rows, sample, stated):
        return steps
    verdicts = _propose_verdicts(rows, sample, stated)
    return _told_apart(verdicts, sample) if verdicts else _propose_steps_in_order(rows, free, sample, stated)


def _told_apart(mapping: ColumnMapping, sample: list[Mapping[str, Any]]) -> ColumnMapping:
    """The mapping with the column that says which scorer a row is of, where only that tells rows of one id apart."""
    if mapping.id is None or (mapping.scorer, mapping.step, mapping.run) != (None, None, None):
        return mapping
    cases = [text(at(value, mapping.id)) for value in sample]
    if len(set(cases)) == len(cases):
        return mapping
    free = _by_normal_name(sample)
    named = {column for _, column in mapping.named}
    for column in (free[name] for name in _SCORER.split() if name in free and free[name] not in named):
        if _storable(column) and _all(_is_text, column, sample):
            pairs = {(case, text(at(value, column))) for case, value in zip(cases, sample, strict=True)}
            if len(pairs) == len(cases):
                return replace(mapping, scorer=column)
    return mapping


def _propose_steps_in_order(
    rows: Rows, free: Mapping[str, str], sample: list[Mapping[str, Any]], stated: ColumnMapping
) -> ColumnMapping | None:
    """An id that rows share, each row with a number called like a step's: whether in order, the cases show."""
    case = stated.id or _named("id", _NAMES["id"], _by_normal_name(sample), sample)
    # A column of step numbers that cannot be read is no sign that the order of the rows says them.
    if case is None or free.keys() & {*_STEP.split()} or stated.step is not None or not _repeats(case, sample):
        return None
    names = f"{_REWARD} {_REWARDS}".split()
    rewards = [free[name] for name in names if name in free and _all(_is_number, free[name], sample)]
    return ColumnMapping(id=case, rewards=_by_scorer(rewards, rows.source)) if rewards else None


def _propose_cases(free: dict[str, str], sample: list[Mapping[str, Any]], stated: ColumnMapping) -> ColumnMapping:
    """The columns of cases; what is taken goes out of `free`."""
    taken: dict[str, str] = {}
    inner = _inside_objects(sample)
    for field, names in _NAMES.items():
        if getattr(stated, field) is not None or (stated.step is not None and field in _OF_CASES):
            continue
        so_far = stated.overridden(ColumnMapping(**taken))  # type: ignore[arg-type]  # of texts
        if field == "steps":
            column, separator = _solution_column(free, inner, sample, stated)
            if separator is not None:
                taken["separator"] = separator
        else:
            known = {**inner, **free} if field in _INNER else free
            columns = [known[name] for name in names.split() if _may_be(field, name, known, free)]
            column = next((one for one in columns if _fits(field, one, sample, so_far)), None)
        if column is not None:
            taken[field] = column
            free.pop(_normal(column), None)
    found = ColumnMapping(**taken)  # type: ignore[arg-type]  # of texts
    inside = found.steps if found.steps is not None and "[]." in found.steps else None
    if inside is not None and not {"earliest_error", "error_steps", "step_labels"} & taken.keys():
        labels = _key_of_steps(inside.partition("[]")[0], _STEP_LABEL, _is_label, sample)
        found = replace(found, step_labels=labels)
    return found


def _may_be(field: str, name: str, known: Mapping[str, str], free: Mapping[str, str]) -> bool:
    return name in known and (name in free or name in _INNER.get(field, ()))


def _inside_objects(sample: list[Mapping[str, Any]]) -> dict[str, str]:
    """Normal name -> path of what stands inside an object of the rows."""
    found: dict[str, str] = {}
    for value in sample:
        for outer, inner in value.items():
            if isinstance(inner, Mapping) and outer:
                found |= {_normal(key): f"{outer}.{key}" for key in inner if isinstance(key, str) and key}
    return found


def _solution_column(
    free: Mapping[str, str], inner: Mapping[str, str], sample: list[Mapping[str, Any]], stated: ColumnMapping
) -> tuple[str | None, str | None]:
    """The column of solutions in steps, and what stands between the steps of a text if that is not a blank line."""
    counts = _counts(free, inner, sample, stated)
    known = {**inner, **free}
    for name in _NAMES["steps"].split():
        if not _may_be("steps", name, known, free):
            continue
        column = known[name]
        texts = _key_of_steps(column, _STEP_TEXT, _is_text, sample) if name in _LISTS_OF_STEPS else None
        if texts is not None:
            return texts, None
        if not (_storable(column) and _all(_is_solution, column, sample)):
            continue
        separator = stated.separator or _separator(column, sample, counts)
        confirmed = _confirmed(column, sample, counts, separator)
        located = stated.earliest_error is not None or any(_locates(name, free, sample) for name in free)
        lists = sum(isinstance(listed(at(value, column)), list) for value in sample)
        if 2 * lists > len(sample) and not (confirmed or located) and name not in _LISTS_OF_STEPS:
            continue
        if name in _OFTEN_REFERENCES and not confirmed and not (located and _divided(column, sample, separator)):
            continue
        return column, None if stated.separator else separator
    return None, None


def _locates(name: str, free: Mapping[str, str], sample: list[Mapping[str, Any]]) -> bool:
    """Whether a column most likely holds indices of steps: by its name, or because some are -1 and none lower."""
    if name not in _NAMES["earliest_error"].split() or not _all(_is_whole, free[name], sample):
        return False
    cells = [whole(cell) for value in sample if text(cell := at(value, free[name])) is not None]
    return name not in _GENERIC or min(cells) == -1


def _counts(
    free: Mapping[str, str], inner: Mapping[str, str], sample: list[Mapping[str, Any]], stated: ColumnMapping
) -> list[list[int | None]]:
    """For each column with something a step (labels, numbers) how many there are in each row; None = none."""
    columns = [inner[name] for name in _INNER["step_labels"] if name in inner]
    columns += [free[name] for name in f"{_NAMES['step_labels']} {_REWARDS}".split() if name in free]
    columns += [column for column in (stated.step_labels, *stated.rewards.values()) if column is not None]
    found = []
    for column in columns:
        cells = [listed(at(value, column)) for value in sample]
        if any(isinstance(cell, list) for cell in cells):
            flat = all(
                not isinstance(part, list | Mapping) for cell in cells if isinstance(cell, list) for part in cell
            )
            if flat:
                found.append([len(cell) if isinstance(cell, list) else None for cell in cells])
    return found


def _split(cell: Any, separator: str | None) -> int | None:
    """How many steps a cell has; None where it holds nothing."""
    if text(cell) is None:
        return None
    found = steps(cell, separator)[0]
    return len(found) if isinstance(found, list) else None


def _confirmed(
    column: str, sample: list[Mapping[str, Any]], counts: list[list[int | None]], separator: str | None
) -> bool:
    """Whether some column has, in every row that has both, as many values as there are steps."""
    sizes = [_split(at(value, column), separator) for value in sample]
    for several in counts:
        both = [(size, count) for size, count in zip(sizes, several, strict=True) if None not in {size, count}]
        if both and all(size == count for size, count in both):
            return True
    return False


def _separator(column: str, sample: list[Mapping[str, Any]], counts: list[list[int | None]]) -> str | None:
    """What stands between the steps of texts: what the counts show, else a mark, blank lines, or line breaks."""
    texts = [cell for value in sample if isinstance(cell := at(value, column), str) and isinstance(listed(cell), str)]
    if not texts:
        return None
    marks = [mark for mark in _MARKS if 2 * sum(mark in cell for cell in texts) > len(texts)]
    candidates: list[str | None] = [*marks, None, "\n"]
    confirmed = [separator for separator in candidates if _confirmed(column, sample, counts, separator)]
    if confirmed:
        return confirmed[0]
    if marks:
        return marks[0]
    lines = [cell.strip() for cell in texts]
    blank = any(len(steps(cell)[0]) > 1 for cell in lines)
    return "\n" if not blank and 2 * sum("\n" in cell for cell in lines) > len(lines) else None


def _key_of_steps(
    column: str, keys: tuple[str, ...], fits: Callable[[Any], bool], sample: list[Mapping[str, Any]]
) -> str | None:
    """The path to what each step of a list of objects holds under the first of the keys that all of them have."""
    cells = [cell for value in sample if (cell := at(value, column)) is not None]
    parts = [part for cell in cells if isinstance(cell, list) for part in cell]
    if not parts or not all(isinstance(cell, list) for cell in cells):
        return None
    if not all(isinstance(part, Mapping) for part in parts):
        return None
    fitting = (key for key in keys if all(key in part and fits(part[key]) for part in parts))
    return next((f"{column}[].{key}" for key in fitting), None)


def _rewards_of_steps(
    free: Mapping[str, str], sample: list[Mapping[str, Any]], cases: ColumnMapping, source: str
) -> dict[str, str]:
    """Scorer -> column of rewards beside cases: at least half of the lists are as long as the solution."""
    assert cases.steps is not None  # noqa: S101  # there are cases
    inside = cases.steps.partition("[].")[0] if "[]." in cases.steps else None
    if inside is not None:
        path = _key_of_steps(inside, _STEP_REWARD, _is_number, sample)
        return {} if path is None else {path.rpartition(".")[2]: path}
    found = []
    for name in _REWARDS.split():
        cells = [(value, cell) for value in sample if (cell := at(value, free.get(name, ""))) is not None]
        lists = [(value, listed(cell)) for value, cell in cells if _numbers(cell)]
        as_many = sum(_split(at(value, cases.steps), cases.separator) == len(cell) for value, cell in lists)
        if lists and 2 * as_many >= len(cells):
            found.append(free[name])
    return _by_scorer(found, source)


def _of_solutions(free: Mapping[str, str], sample: list[Mapping[str, Any]], lists: list[str]) -> bool:
    """Whether the numbers are one a solution: some column holds a list of as many texts in every row."""
    for column in (one for one in free.values() if one not in lists):
        pairs = [(listed(at(value, column)), listed(at(value, lists[0]))) for value in sample]
        held = [(texts, numbers) for texts, numbers in pairs if isinstance(texts, list) and isinstance(numbers, list)]
        texts = [part for several, _ in held for part in several]
        if texts and all(isinstance(part, str) for part in texts) and all(len(a) == len(b) for a, b in held):
            return _normal(column) not in _LISTS_OF_STEPS
    return False


def _propose_steps(rows: Rows, sample: list[Mapping[str, Any]], stated: ColumnMapping) -> ColumnMapping | None:
    """A table with one row a step: an id that several rows have, the step's index, and a number."""
    free = _by_normal_name(sample)
    case = stated.id or _named("id", _NAMES["id"], free, sample)
    step = stated.step or next(
        (free[name] for name in _STEP.split() if name in free and _all(_is_whole, free[name], sample)), None
    )
    if case is None or step is None:
        return None
    if stated.step is None and len({text(value.get(case)) for value in sample}) == len(sample):
        return None
    others = [column for column in free.values() if column not in {case, step} and _storable(column)]
    numbers = [column for column in others if _all(_is_number, column, sample)]
    rewards = [free[name] for name in _REWARD.split() if free.get(name) in numbers]
    rewards = rewards or [
        column for column in numbers if any(float(number(at(value, column)) or 0) % 1 for value in sample)
    ]
    return ColumnMapping(id=case, step=step, rewards=_by_scorer(rewards, rows.source)) if rewards else None


def _propose_verdicts(rows: Rows, sample: list[Mapping[str, Any]], stated: ColumnMapping) -> ColumnMapping | None:
    """A table of verdicts or of answers: an id, and what a scorer said of the case."""
    free = _by_normal_name(sample)
    case = stated.id or _named("id", _NAMES["id"], free, sample)
    if case is None or stated.step is not None or {"chosen", "rejected"} <= free.keys():
        return None
    scorer = scorer_name(rows.source)
    # Beside a problem, a text may be its solution as well as what a critic says of one, and a number its answer.
    problem = stated.problem is not None or _named("problem", _NAMES["problem"], free, sample) is not None
    verdict = next(
        (
            free[name]
            for name in _VERDICT.split()
            if name in free and _names_steps(name, free, sample, alone=not problem)
        ),
        None,
    )
    if verdict is not None:
        return ColumnMapping(id=case, verdicts={scorer: verdict})
    names = [name for name in _ANSWER.split() if name in _WORDS_OF_CRITICS or not problem]
    answer = next((free[name] for name in names if name in free and _all(_is_answer, free[name], sample)), None)
    return None if answer is None else ColumnMapping(id=case, answers={scorer: answer})


def _by_normal_name(sample: list[Mapping[str, Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in sample:
        for name in filter(None, value):
            found.setdefault(_normal(name), name)
    return found


def _named(field: str, names: str, free: Mapping[str, str], sample: list[Mapping[str, Any]]) -> str | None:
    return next((free[name] for name in names.split() if name in free and _fits(field, free[name], sample)), None)


def sampled(rows: Rows) -> list[Mapping[str, Any]]:
    """Give the first rows that are objects: what a mapping is proposed by."""
    return [value for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping)]


def settles(sample: list[Mapping[str, Any]], mapping: ColumnMapping) -> bool:
    """Say whether labels or rewards are as many as the steps, so that these are split where they are meant to be."""
    assert mapping.steps is not None  # noqa: S101  # whoever asks knows it
    counts = _counts(_by_normal_name(sample), _inside_objects(sample), sample, mapping)
    return _confirmed(mapping.steps, sample, counts, mapping.separator)


def may_be_solutions(sample: list[Mapping[str, Any]], mapping: ColumnMapping) -> list[str]:
    """Give the other columns that hold texts in several steps, under a name that solutions have as well."""
    free = _by_normal_name(sample)
    columns = [free[name] for name in _NAMES["steps"].split() if name in free and free[name] != mapping.steps]
    fitting = [column for column in columns if _storable(column) and _all(_is_solution, column, sample)]
    return [column for column in fitting if _divided(column, sample, None)]


def rewards_beside(rows: Rows, steps: str = "steps", claimed: Collection[str] = ()) -> ColumnMapping | None:
    """Propose a mapping for step rewards that rows of a benchmark hold beside its own fields.

    Such a column holds lists of as many numbers as there are steps, and not only whole numbers, which labels may be: in
    every one of the first rows that has something in it or, if it is called like rewards, in half of these.

    Args:
        rows: the benchmark's.
        steps: the key of a solution's steps.
        claimed: keys that the benchmark reads.

    Returns:
        None where no column does.
    """
    sample = _beside(rows, steps)
    found = [column for column in _columns_beside(sample, claimed) if _are_rewards(column, steps, sample)]
    return ColumnMapping(rewards=_by_scorer(found, rows.source)) if found else None


def doubtful_rewards(rows: Rows, steps: str = "steps", claimed: Collection[str] = ()) -> list[Finding]:
    """Say which columns of a benchmark's rows are called like rewards and were not taken for such.

    See `rewards_beside` for the arguments.
    """
    sample = _beside(rows, steps)
    found = []
    for column in _columns_beside(sample, claimed):
        if _normal(column) not in _REWARDS.split() or _are_rewards(column, steps, sample):
            continue
        lists = [cell for value in sample if isinstance(cell := listed(value.get(column)), list)]
        if lists:
            why = "as many numbers as steps in less than half of the rows"
            if all(_is_whole(part) for cell in lists for part in cell):
                why = "nothing but whole numbers, which may be labels"
            message = (
                f"the column {printable(column)!r} holds {why}; --rewards {printable(column)} takes it for rewards"
            )
            found.append(Finding("note", "two-readings", message, rows.source))
    return found


def _beside(rows: Rows, steps: str) -> list[Mapping[str, Any]]:
    """The first rows that hold a list of steps."""
    return [value for value in sampled(rows) if isinstance(value.get(steps), list)]


def _columns_beside(sample: list[Mapping[str, Any]], claimed: Collection[str]) -> list[str]:
    """The columns that nobody reads."""
    columns = dict.fromkeys(key for value in sample for key in value)
    return [column for column in columns if _storable(column) and column not in claimed]


def _are_rewards(column: str, steps: str, sample: list[Mapping[str, Any]]) -> bool:
    lists = [(value[column], value[steps]) for value in sample if value.get(column) is not None]
    fit = [cell for cell, solution in lists if isinstance(cell, list) and _numbers(cell) and len(cell) == len(solution)]
    enough = 2 * len(fit) >= len(lists) if _normal(column) in _REWARDS.split() else len(fit) == len(lists)
    return enough and any(float(number(part)) % 1 for cell in fit for part in cell)


def _by_scorer(columns: list[str], source: str) -> dict[str, str]:
    """Scorer's name -> column: the column's own, unless it is the only one and only says that it holds rewards."""
    if len(columns) == 1 and _normal(columns[0]) in f"{_REWARDS} {_REWARD}".split():
        return {scorer_name(source): columns[0]}
    return {column: column for column in columns}


def _normal(name: str) -> str:
    return re.sub(r"[\s.-]+", "_", name.strip().lower())


def _fits(field: str, column: str, sample: list[Mapping[str, Any]], so_far: ColumnMapping | None = None) -> bool:
    if not (_storable(column) and _all(_KINDS.get(field, _is_text), column, sample)):
        return False
    if field == "id" and so_far is not None and so_far.steps is not None:
        return not _repeats(column, sample)
    if field == "earliest_error" and _normal(column) in _GENERIC:
        return not _is_binary(column, sample)
    if field == "step_labels" and so_far is not None and so_far.steps is not None:
        pairs = [(listed(at(value, column)), at(value, so_far.steps)) for value in sample]
        sizes = [(len(cell), _split(given, so_far.separator)) for cell, given in pairs if isinstance(cell, list)]
        return 2 * sum(count == size for count, size in sizes) >= len(sizes)
    return True


def _repeats(column: str, sample: list[Mapping[str, Any]]) -> bool:
    """Whether the values are those of a problem, which several rows have, and no row's own."""
    cells = [text(at(value, column)) for value in sample]
    return len(cells) >= _REPEATING and 2 * len(set(cells)) <= len(cells)


def _is_binary(column: str, sample: list[Mapping[str, Any]]) -> bool:
    """Whether enough cells are all 0 or 1, which says right or wrong as well as a step."""
    cells = [whole(cell) for value in sample if (cell := at(value, column)) is not None]
    return len(cells) >= _SEVERAL and {*cells} <= {0, 1}


def _names_steps(name: str, free: Mapping[str, str], sample: list[Mapping[str, Any]], *, alone: bool) -> bool:
    """Whether a column may hold the indices of steps; `alone` without a problem beside it."""
    if not _all(_is_whole, free[name], sample):
        return False
    cells = [whole(cell) for value in sample if text(cell := at(value, free[name])) is not None]
    likely = min(cells) == -1 or (alone and min(cells) >= 0 and not _is_binary(free[name], sample))
    return name not in _GENERIC or likely


def _are_fractions(column: str, sample: list[Mapping[str, Any]]) -> bool:
    """Whether a column holds lists of numbers that are not all whole, as places and counts are."""
    if not _all(_numbers, column, sample):
        return False
    cells = [listed(at(value, column)) for value in sample]
    return any(float(part) % 1 for cell in cells if isinstance(cell, list) for part in cell)


def _divided(column: str, sample: list[Mapping[str, Any]], separator: str | None) -> bool:
    """Whether most cells are solutions of several steps: a reference or a final answer is one text."""
    sizes = [size for value in sample if (size := _split(at(value, column), separator)) is not None]
    return 2 * sum(size > 1 for size in sizes) > len(sizes)


def _all(fits: Callable[[Any], bool], column: str, sample: list[Mapping[str, Any]]) -> bool:
    """Whether every cell fits that holds something, and one does."""
    cells = [at(value, column) for value in sample]
    held = [cell for cell in cells if text(cell) is not None]
    return bool(held) and all(map(fits, held))


def _mostly(fits: Callable[[Any], bool], column: str, sample: list[Mapping[str, Any]]) -> bool:
    """Whether at least half of the cells fit that hold something: of the others it is said that they do not."""
    held = [cell for value in sample if text(cell := at(value, column)) is not None]
    return 2 * sum(map(fits, held)) >= max(1, len(held))


def _storable(column: str) -> bool:
    return column == column.encode(errors="replace").decode()


def _is_text(cell: Any) -> bool:
    return isinstance(text(cell), str)


def _is_solution(cell: Any) -> bool:
    found = listed(cell)
    return isinstance(found, str) or (isinstance(found, list) and all(isinstance(part, str) for part in found))


def _is_whole(cell: Any) -> bool:
    return type(whole(cell)) is int


def _wholes(cell: Any) -> bool:
    found = listed(cell)
    return isinstance(found, list) and all(map(_is_whole, found))


def _is_label(cell: Any) -> bool:
    """Whether a cell may say of a step whether it is right."""
    return cell is None or isinstance(cell, bool | int | float | str)


def _is_number(cell: Any) -> bool:
    return type(number(cell)) is float


def _is_answer(cell: Any) -> bool:
    return (isinstance(cell, str) and bool(cell.strip())) or (
        isinstance(cell, list) and bool(cell) and all(isinstance(part, str) for part in cell)
    )


def _numbers(cell: Any) -> bool:
    found = listed(cell)
    return isinstance(found, list) and all(map(_is_number, found))


def _judges(cell: Any) -> bool:
    """Whether a cell has something to say of each step: a number, or right and wrong."""
    found = listed(cell)
    right_or_wrong = isinstance(found, list) and bool(found) and all(isinstance(part, bool) for part in found)
    return right_or_wrong or _numbers(cell)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "steps": _is_solution,
    "earliest_error": _is_whole,
    "error_steps": _wholes,
    "step_labels": lambda cell: isinstance(listed(cell), list) and all(map(_is_label, listed(cell))),
    "final_answer_correct": lambda cell: isinstance(truth(cell), bool),
    "agreement": lambda cell: isinstance(number(cell), float),
}
