"""The app and its screens are put together from parts: none may take a private name that another one has.

A name that two parts give to different things is no error in Python: the one that comes first wins, and the other part
goes on with a value that is not its own.
"""

import ast
import inspect
import pkgutil
import textwrap
from functools import cache
from importlib import import_module
from itertools import chain, combinations

import pytest
from textual.screen import Screen

from inspector import screens
from inspector.app.app import InspectApp
from inspector.widgets.themes import Themed

ON_PURPOSE = {
    # Textual's own, which the app answers in its own way.
    "_fatal_error",
    "_notifications",
    "_return_code",
}


def whole():
    """The app and every screen that is no part of another."""
    modules = [import_module(found.name) for found in pkgutil.walk_packages(screens.__path__, f"{screens.__name__}.")]
    kinds = {kind for module in modules for kind in vars(module).values() if inspect.isclass(kind)}
    ours = {kind for kind in kinds if issubclass(kind, Screen) and kind.__module__.startswith("inspector.")}
    above = {parent for kind in ours for parent in kind.__mro__[1:]}
    return [InspectApp, *sorted(ours - above, key=lambda kind: kind.__qualname__)]


@cache
def private(kind):
    """The private names that the body of a class binds, and that its methods bind on `self`, as they are written.

    `vars` would tell of what Textual puts on every class, too.
    """
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body
    names = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    names |= {target.id for node in body for target in _targets(node) if isinstance(target, ast.Name)}
    for node in chain.from_iterable(map(ast.walk, body)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= {node.attr} if getattr(node.value, "id", None) == "self" else set()
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def _targets(node):
    return node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]


@pytest.mark.parametrize("kind", whole(), ids=lambda kind: kind.__name__)
def test_no_part_has_a_private_name_of_another(kind):
    parts = [part for part in kind.__mro__ if part.__module__.startswith(("inspector.", "textual."))]
    of_part = {part: private(part) for part in parts}
    clashes = {
        name: (one.__qualname__, other.__qualname__)
        for one, other in combinations(parts, 2)
        if one.__module__.startswith("inspector.")
        and not (other.__module__.startswith("inspector.") and issubclass(one, other))
        for name in of_part[one] & of_part[other]
    }
    assert {name: parts for name, parts in clashes.items() if name not in ON_PURPOSE} == {}


def test_what_a_message_does_stands_in_one_place():
    """Textual calls a handler of every base: a reader of the app would have to look through all of them."""
    bases = [base for base in InspectApp.__mro__[1:] if base.__module__.startswith("inspector.")]
    assert bases == [Themed]
    assert not [name for name in vars(Themed) if name.startswith("on_")]


def test_a_screen_has_one_base_of_ours_at_most():
    """What it has beside that are widgets, controllers and functions: one class is read, not eight."""
    kinds = {above for kind in whole() for above in kind.__mro__ if above.__module__.startswith("inspector.")}
    several = {
        kind.__qualname__: ours
        for kind in kinds
        if len(ours := [base.__qualname__ for base in kind.__bases__ if base.__module__.startswith("inspector.")]) > 1
    }
    assert several == {}


def test_a_clash_is_found():
    class One:
        def begin(self):
            self._began, self._ended = 1, 2

    class Other:
        _began: int | None = None

        async def _own(self):
            one = self
            one._no_name_of_this = 2

    assert private(One) == {"_began", "_ended"}
    assert private(Other) == {"_began", "_own"}
