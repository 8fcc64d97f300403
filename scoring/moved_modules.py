"""Earlier paths of modules that users' files import: they work through 0.3, with a DeprecationWarning.

The guide and the examples of 0.1 and 0.2 named them. Version 0.4 removes this file and its line in
`scoring/__init__.py`.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

MODULES = {
    "scoring.benchmarks": "scoring.formats.benchmarks",
    "scoring.benchmarks.base": "scoring.formats.benchmarks.case_format",
    "scoring.benchmarks.by_field": "scoring.formats.benchmarks.own",
    "scoring.checkpoint": "scoring.models.checkpoint",
    "scoring.prms": "scoring.models.prms",
    "scoring.prms.catalogue": "scoring.models.prms.prm_catalogue",
    "scoring.reading": "scoring.formats.reading",
    "scoring.readout": "scoring.data.readout",
}
"""Earlier path -> path of today. Modules of a package that has moved have their names in its new place."""


def path_of_today(name: str) -> str | None:
    """Return where the module of an earlier path is today; None where it has not moved."""
    if name in MODULES:
        return MODULES[name]
    package, _, last = name.rpartition(".")
    return f"{MODULES[package]}.{last}" if package in MODULES else None


class MovedModules:
    """Finds a module by its earlier path and gives the one of today: its classes are the same under both paths."""

    def __init__(self) -> None:
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(self, name: str, *_: Sequence[str] | ModuleType | None) -> ModuleSpec | None:
        """Return a spec for an earlier path."""
        return ModuleSpec(name, self) if path_of_today(name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the module of today, with a warning unless it is a package: then one of its modules follows."""
        import warnings

        today = path_of_today(spec.name)
        assert today is not None  # noqa: S101  # it was found by it
        module = import_module(today)
        if not hasattr(module, "__path__"):
            words = f"{spec.name} is {today} now; version 0.4 has no {spec.name}."
            warnings.warn(words, DeprecationWarning, stacklevel=2)
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back: it is loaded already."""
        assert module.__spec__ is not None  # noqa: S101  # importlib has just set it
        module.__spec__ = self._specs.pop(module.__spec__.name)


# Before Python's own finders, which would load a file once more under its second path.
sys.meta_path.insert(0, MovedModules())
