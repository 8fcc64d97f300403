"""The analyses that there are: the files of `inspector.analyses`, which are listed here and not imported.

An analysis of several files is a folder that has a file of its own name. Only what `--help` can afford is imported.
"""

import os
from functools import cache

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120  # pathlib costs more than --help
OWN: dict[str, str] = {}
"""Those of the user's own that were loaded, likewise."""


def summaries() -> dict[str, str]:
    """Return the analyses by name with what each tells: the first line of its file, without its full stop."""
    return {**_titles(), **OWN}


def module_of(name: str) -> str:
    """Return the module of an analysis by its name.

    Raises:
        KeyError: there is no such analysis.
    """
    return _modules()[name]


@cache
def _titles() -> dict[str, str]:
    titles = {}
    for name, module in _modules().items():
        file_name = os.path.join(_ROOT, *module.split(".")) + ".py"  # noqa: PTH118
        with open(file_name, encoding="utf-8") as file:  # noqa: PTH123
            titles[name] = file.readline().strip().strip('"').rstrip(".")
    return titles


@cache
def _modules() -> dict[str, str]:
    """The module of each analysis by its name, in the order of names."""
    folder = os.path.join(_ROOT, "inspector", "analyses")  # noqa: PTH118
    modules = {}
    for entry in sorted(os.listdir(folder)):  # noqa: PTH208
        name, suffix = os.path.splitext(entry)  # noqa: PTH122
        if suffix == ".py" and not name.startswith("_"):
            modules[name.replace("_", "-")] = f"inspector.analyses.{name}"
        elif os.path.exists(os.path.join(folder, name, f"{name}.py")):  # noqa: PTH110, PTH118
            modules[name.replace("_", "-")] = f"inspector.analyses.{name}.{name}"
    return modules
