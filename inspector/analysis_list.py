"""The analyses that there are: the files of `inspector.analyses`, which are listed here and not imported.

Only what `--help` can afford is imported.
"""

import os
from functools import cache

OWN: dict[str, str] = {}
"""Those of the user's own that were loaded, likewise."""


def summaries() -> dict[str, str]:
    """Return the analyses by name with what each tells: the first line of its file, without its full stop."""
    return {**_listed(), **OWN}


@cache
def _listed() -> dict[str, str]:
    folder = os.path.join(os.path.dirname(__file__), "analyses")  # noqa: PTH118, PTH120  # pathlib costs more than --help
    titles = {}
    for name in sorted(os.listdir(folder)):  # noqa: PTH208
        if name.endswith(".py") and not name.startswith("_"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
                titles[name[:-3].replace("_", "-")] = file.readline().strip().strip('"').rstrip(".")
    return titles
