import importlib
import pkgutil

from textual.screen import Screen

import inspector.screens
from inspector.screens.base import Steady
from inspector.screens.palette import SteadyPalette


def test_every_screen_is_steady():
    found = set()
    for module in pkgutil.iter_modules(inspector.screens.__path__, "inspector.screens."):
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, Screen) and one.__module__ == module.name:
                found.add(one)
    assert SteadyPalette in found
    assert [one.__name__ for one in found if not issubclass(one, Steady)] == []
