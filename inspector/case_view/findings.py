"""What the import noticed about one case."""

from functools import lru_cache

from inspector.case_view.open_case import OpenCase
from scoring.errors import DamagedWorkspace
from scoring.workspace import Workspace

Place = tuple[str | None, int | str | None]


def findings_of(shown: OpenCase) -> tuple[str, ...]:
    """A sentence a finding, with its severity; or why they cannot be read."""
    case = shown.case
    try:
        found = _by_place(shown.inspection.selection.workspace, case["benchmark"])
    except DamagedWorkspace as error:
        return (str(error),)
    places = {(case["source"], case["line"]), (case["source"], case["id"])}
    return tuple(dict.fromkeys(sentence for place in places for sentence in found.get(place, ())))


@lru_cache(maxsize=4)
def _by_place(workspace: Workspace, benchmark: str) -> dict[Place, list[str]]:
    """The findings by source and line, and by source and id; those about a whole file are left out.

    Cases are read once, so what is kept here is of the same import as they are.
    """
    found: dict[Place, list[str]] = {}
    for one in workspace.imports(benchmark):
        for finding in one.get("findings", ()):
            sentence = f"{finding['severity']}: {finding['message']}"
            for where in (finding["line"], finding["case"]):
                if where is not None:
                    found.setdefault((finding["source"], where), []).append(sentence)
    return found
