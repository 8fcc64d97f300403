"""The gold labels, and the texts that stand beside the problem."""

from collections.abc import Iterator

from inspector.case_view.manner import Stop
from inspector.case_view.open_case import OpenCase
from inspector.case_view.page import StopLine
from inspector.case_view.prose import paragraph
from inspector.gold_words import counts_from_one, gold_words
from inspector.label_set import changed_words
from inspector.widgets.line_view import Line


def gold_lines(shown: OpenCase) -> Iterator[Line]:
    """The gold labels and, unless hidden, why."""
    manner, case, texts = shown.manner, shown.case, shown.texts
    if manner.blind:
        return
    kinds = [case["error_category"], case["error_type"], case["error_kind"], case["pattern"]]
    dot = " | " if manner.brush.ascii_only else " · "
    changed = changed_words(shown.inspection.selection.adjudicated, case["case"])
    told = dot.join([gold_words(case), *([changed] if changed else []), *(kind for kind in kinds if kind)])
    first, *rest = paragraph("Gold  ", "gold", told, manner)
    yield StopLine(first.parts, stop=Stop("gold"))
    yield from rest
    if texts["reason"] and manner.reason:
        yield from paragraph("Why   ", "gold", texts["reason"], manner, scope="reason")
        if counts_from_one(case["benchmark"], texts["reason"]):
            yield Line([("      ", ""), ("(this text counts steps from 1, the screen from 0)", "dim")])
    elif texts["reason"]:
        yield Line([("Why   ", "gold"), (f"hidden; {manner.keys.of('reason')} shows it", "dim")])


def other_texts(shown: OpenCase) -> Iterator[Line]:
    """Other wordings of the problem, where they are another, and the reference answer."""
    texts, manner = shown.texts, shown.manner
    for label, name in (("Question  ", "question"), ("Original  ", "original_problem")):
        if texts[name] not in {None, texts["problem"]}:
            yield from paragraph(label, "dim", texts[name], manner, scope="problem")
    if texts["reference_answer"] is not None and not manner.blind:
        yield from paragraph("Answer    ", "dim", texts["reference_answer"], manner, scope="reason")
