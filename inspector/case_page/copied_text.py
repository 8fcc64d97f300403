"""What is copied of a case: always the text as it was given, formulas and all."""

from inspector.case_page.open_case import OpenCase, Stop, images_of
from scoring.data.context_messages import context_messages, tools_text


def copied(case: OpenCase, stop: Stop | None) -> tuple[str, str]:
    """Return the raw text at a stop of the step cursor, and what it is in words."""
    texts = case.texts
    name = case.case["case"]
    if stop is None or stop.kind == "problem":
        return texts["problem"], f"the problem of {name}"
    if stop.kind == "image" and stop.step < len(images := images_of(case)):
        image = images[stop.step]
        return str(image.path or image.name), f"the place of {image.name}"
    if stop.kind in {"step", "run"}:
        return texts["steps"][stop.step], f"step {stop.step} of {name}"
    if stop.kind in {"context", "tools", "tool"}:
        return _copied_context(case, stop)
    if stop.kind == "gold" and texts["reason"] and not case.display.blind:
        return texts["reason"], f"the gold reason of {name}"
    return name, "the name of the case"


def _copied_context(case: OpenCase, stop: Stop) -> tuple[str, str]:
    texts, name = case.texts, case.case["case"]
    if stop.kind == "tools":
        return tools_text(texts) or "", f"the tools of {name}"
    if stop.kind == "tool":
        return texts["tools"][stop.step]["definition"], f"tool {stop.step} of {name}"
    message = next(message for message in context_messages(case.case, texts) if message.place == stop.step)
    return message.text, f"message {message.place} of {name}"


def whole_case(case: OpenCase) -> tuple[str, str]:
    """Return the whole case: problem, numbered steps (0-based) and, unless hidden, the gold labels."""
    record, texts = case.case, case.texts
    parts = [record["case"], "", texts["problem"], ""]
    parts += [f"[{step}] {text}" for step, text in enumerate(texts["steps"])]
    if not case.display.blind:
        parts += ["", f"earliest error: {record['earliest_error']}"]
        if texts["reason"]:
            parts.append(f"reason: {texts['reason']}")
    return "\n".join(parts), f"the whole case {record['case']}"
