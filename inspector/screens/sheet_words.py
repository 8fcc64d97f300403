"""What a sheet says of the number under its cursor."""

from inspector.render.lines import CaseLink
from inspector.sentences import counted


def opens_words(drill: CaseLink | None, key: str) -> str:
    """What a key opens there; "" where there is no number."""
    if drill is None:
        return ""
    if not drill.n:
        return f"no case: {drill.words}"
    return f"{key}: {counted(drill.n, 'case')}: {drill.words}"
