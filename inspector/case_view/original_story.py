"""What was changed in a case's original, in sentences."""

from collections.abc import Iterator, Sequence

from inspector.case_view.open_case import OpenCase
from inspector.case_view.original import Pair
from inspector.case_view.tracks import Track
from inspector.sentences import counted, outcome_sentence
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap

WORDS = (("changed", "changed"), ("added", "added"), ("removed", "removed"), ("same", "as they were"))


def story_lines(
    shown: OpenCase, pairs: Sequence[Pair], problems: tuple[str, str], original: Track | None
) -> Iterator[Line]:
    """How much was changed, what the benchmark says of that, and what the scorer made of the original."""
    told = [(summary(pairs, asked_anew=problems[0] != problems[1]), "strong")]
    if disagreement := against_list(pairs, shown.texts["modified_steps"]):
        told.append((disagreement, "dim"))
    if shown.focus is not None:
        name = shown.focus.scorer.name
        said = "no rewards for it" if original is None else outcome_sentence(original.evaluation, 0)
        told.append((f"On the original: {said}  [{name}]", "dim"))
    for text, style in told:
        for line in wrap(clean(text), shown.manner.width):
            yield Line([(line, style)])


def summary(pairs: Sequence[Pair], *, asked_anew: bool) -> str:
    """How many steps were changed, added, removed and left as they were, and whether the question was changed."""
    kinds = [pair.kind for pair in pairs]
    found = [f"{counted(kinds.count(kind), 'step')} {word}" for kind, word in WORDS if kind in kinds]
    question = "the question is another" if asked_anew else "the question is the same"
    return f"Original against modified: {', '.join(found)}; {question}."


def against_list(pairs: Sequence[Pair], listed: Sequence[int] | None) -> str:
    """A sentence where the benchmark's own list of modified steps (0-based) is not what differs; else ""."""
    differing = [pair.after for pair in pairs if pair.after is not None and pair.kind != "same"]
    if listed is None or sorted(set(listed)) == differing:
        return ""
    return f"The benchmark lists {_steps(sorted(set(listed)))} as modified; what differs is {_steps(differing)}."


def _steps(steps: Sequence[int]) -> str:
    if not steps:
        return "no step"
    return ("step " if len(steps) == 1 else "steps ") + ", ".join(map(str, steps))
