"""What becomes of the columns of a table, in words: what each may be, how the first case would look, and what joins."""

import shlex
from collections.abc import Iterator

from inspector.render.texts.sentences import counted
from scoring.data.errors import CommandEdit, InspectError
from scoring.formats.results.scorer_names import scorer_name
from scoring.formats.tables.column_mapping import COLUMNS, FLAGS, SCORERS, ColumnMapping
from scoring.importing.proposal import Proposal

STEPS, TEXT = 12, 100
"""Steps, and characters of a text, that a preview shows."""
FIELDS = {
    "id": "the id of the case",
    "problem": "the problem",
    "steps": "the steps of the solution",
    "rewards": "step rewards of a scorer",
    "verdicts": "the earliest wrong step that a scorer predicts",
    "answers": "a critic's answer in words",
    "earliest_error": "gold: the earliest wrong step",
    "error_steps": "gold: all wrong steps",
    "step_labels": "gold: a label for each step",
    "final_answer_correct": "whether the final answer is right",
    "step": "which step the row is of (a row a step)",
    "scorer": "which scorer the row is of",
    "run": "which run the row is of",
    "subset": "the subset",
    "generator": "who wrote the solution",
    "error_type": "the error type",
    "pattern": "the reasoning pattern",
    "problem_id": "which problem it is a solution of",
    "reference_answer": "the reference answer",
}
"""Fields of a mapping that a person may choose for a column, and how each is called."""


def claim_words(mapping: ColumnMapping, column: str) -> str:
    """Describe what a mapping takes a column for; "" where for nothing."""
    fields = [FIELDS.get(name, name) for name in (*COLUMNS, "step") if getattr(mapping, name) == column]
    fields += [
        f"{FIELDS[kind]}: {scorer}" for kind in SCORERS for scorer, of in getattr(mapping, kind).items() if of == column
    ]
    return " and ".join(fields)


def claimed(mapping: ColumnMapping, column: str, what: str, source: str) -> ColumnMapping:
    """Take a column for a field; a lone scorer is called after the file, one of several after its column."""
    others = {name for kind in SCORERS for name, of in getattr(mapping, kind).items() if of != column}
    name = column if others else scorer_name(source)
    return mapping.claiming(column, what, f"{name}-{len(others) + 1}" if name in others else name)


def refusal_words(error: InspectError) -> str:
    """Say why a mapping is refused, and which columns to choose instead."""
    corrections = [f"Choose {_choice(edit)} ({meaning})." for edit, meaning in error.instead]
    sentence = f"{error.sentence[:1].upper()}{error.sentence[1:]}"
    return " ".join(filter(None, (sentence, error.next_step, *corrections)))


def _choice(edit: str | CommandEdit) -> str:
    """Flags about columns in the words of the list of columns, other changes as they are."""
    fields = {flag: name for name, flag in FLAGS.items()}
    words = shlex.split(edit if isinstance(edit, str) else edit.flags)
    pairs = list(zip(words[::2], words[1::2], strict=False))
    if not pairs or not all(fields.get(flag) in FIELDS for flag, _ in pairs):
        return str(edit)
    return " and ".join(f"{column.partition('=')[0]}: {FIELDS[fields[flag]]}" for flag, column in pairs)


def preview_lines(proposal: Proposal) -> Iterator[str]:
    """Show how the first case would look, and how many of the first rows belong to cases that are here."""
    first = proposal.first
    if first is not None:
        yield f"The first case, {first.case}:"
        yield f"  problem: {_short(first.problem)}"
        wrong = set(first.error_steps or ())
        for place, step in enumerate(first.steps[:STEPS]):
            gold = " (the earliest error)" if place == first.earliest_error else " (wrong)" if place in wrong else ""
            yield f"  step {place}{gold}: {_short(step)}"
        if len(first.steps) > STEPS:
            yield f"  and {counted(len(first.steps) - STEPS, 'more step')}"
        gold = {None: "not known", -1: "no error"}.get(first.earliest_error, f"step {first.earliest_error}")
        yield f"  earliest error, 0-based: {gold}"
    for scorer, rewards in proposal.rewards.items():
        more = " ..." if len(rewards) > STEPS else ""
        yield f"  rewards of {scorer}: {' '.join(f'{reward:g}' for reward in rewards[:STEPS])}{more}"
    # Where a column names the scorers, the mapping does not know them.
    columns = {} if proposal.mapping.scorer is not None and proposal.rewards else proposal.mapping.rewards
    for scorer, column in columns.items():
        if scorer not in proposal.rewards:
            yield f"  rewards of {scorer}: none of these rows holds any in {column} (a list of numbers, or one number)"
    if proposal.joined is not None:
        of = f" ({', '.join(proposal.benchmarks)})" if proposal.benchmarks else ""
        yield f"Tried on {counted(proposal.tried, 'row')}: {proposal.joined:,} of cases that are here{of}"


def _short(words: str) -> str:
    """A text on one line that is no longer than a terminal is wide."""
    line = " ".join(words.split())
    return line if len(line) <= TEXT else f"{line[: TEXT - 3]}..."
