"""What was changed in a case's original, in sentences."""

from collections.abc import Iterator, Sequence

from inspector.case_view.open_case import OpenCase
from inspector.case_view.original import Pair, against_list, summary
from inspector.case_view.tracks import Track
from inspector.sentences import outcome_sentence
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap


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
