"""What is copied of a case: always the text as it was given, formulas and all."""

from inspector.case_view.manner import Stop
from inspector.case_view.open_case import OpenCase


def copied(shown: OpenCase, stop: Stop | None) -> tuple[str, str]:
    """The raw text at a stop of the step cursor, and what it is in words."""
    texts = shown.texts
    name = shown.case["case"]
    if stop is None or stop.kind == "problem":
        return texts["problem"], f"the problem of {name}"
    if stop.kind in {"step", "run"}:
        return texts["steps"][stop.step], f"step {stop.step} of {name}"
    if stop.kind == "gold" and texts["reason"] and not shown.manner.blind:
        return texts["reason"], f"the gold reason of {name}"
    return name, "the name of the case"


def whole(shown: OpenCase) -> tuple[str, str]:
    """The whole case: problem, numbered steps (0-based) and, unless hidden, the gold labels."""
    case, texts = shown.case, shown.texts
    parts = [case["case"], "", texts["problem"], ""]
    parts += [f"[{step}] {text}" for step, text in enumerate(texts["steps"])]
    if not shown.manner.blind:
        parts += ["", f"earliest error: {case['earliest_error']}"]
        if texts["reason"]:
            parts.append(f"reason: {texts['reason']}")
    return "\n".join(parts), f"the whole case {case['case']}"
