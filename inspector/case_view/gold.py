"""The gold labels, and the texts that stand beside the problem."""

import re
from collections.abc import Iterator

from inspector.case_view.manner import Stop
from inspector.case_view.open_case import OpenCase
from inspector.case_view.page import StopLine
from inspector.case_view.prose import paragraph
from inspector.widgets.line_view import Line

FROM_ONE = frozenset({"prmbench", "socratic"})
"""Benchmarks whose reasons number the steps from 1, as their labels did before they were read."""
_NAMES_A_STEP = re.compile(r"\bsteps?\s*\d|步骤?\s*\d|第\s*\d+\s*步", re.IGNORECASE)


def gold_lines(shown: OpenCase) -> Iterator[Line]:
    """The gold labels and, unless hidden, why."""
    manner, case, texts = shown.manner, shown.case, shown.texts
    if manner.blind:
        return
    kinds = [case["error_category"], case["error_type"], case["error_kind"], case["pattern"]]
    dot = " | " if manner.brush.ascii_only else " · "
    told = dot.join([_said(shown), *(kind for kind in kinds if kind)])
    first, *rest = paragraph("Gold  ", "gold", told, manner)
    yield StopLine(first.parts, stop=Stop("gold"))
    yield from rest
    if texts["reason"] and manner.reason:
        yield from paragraph("Why   ", "gold", texts["reason"], manner, scope="reason")
        if case["benchmark"] in FROM_ONE and _NAMES_A_STEP.search(texts["reason"]):
            yield Line([("      ", ""), ("(this text counts steps from 1, the screen from 0)", "dim")])
    elif texts["reason"]:
        yield Line([("Why   ", "gold"), (f"hidden; {manner.keys.of('reason')} shows it", "dim")])


def _said(shown: OpenCase) -> str:
    earliest = shown.case["earliest_error"]
    if earliest is None:
        return "the labels name no step of this solution"
    if earliest == -1:
        return "no wrong step"
    others = [str(step) for step in shown.case["error_steps"] or [] if step != earliest]
    return f"step {earliest}" + (f" (also wrong: {', '.join(others)})" if others else "")


def other_texts(shown: OpenCase) -> Iterator[Line]:
    """Other wordings of the problem, where they are another, and the reference answer."""
    texts, manner = shown.texts, shown.manner
    for label, name in (("Question  ", "question"), ("Original  ", "original_problem")):
        if texts[name] not in {None, texts["problem"]}:
            yield from paragraph(label, "dim", texts[name], manner, scope="problem")
    if texts["reference_answer"] is not None and not manner.blind:
        yield from paragraph("Answer    ", "dim", texts["reference_answer"], manner, scope="reason")
