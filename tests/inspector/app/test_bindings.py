import importlib
import pkgutil

from textual.binding import Binding
from textual.dom import DOMNode

import inspector.screens
import inspector.widgets
from inherited import action_of
from inspector.app.app import InspectApp
from inspector.app.terminal.keymap import usual
from inspector.screens.case import CaseScreen
from inspector.screens.trees import StepTable, TreeScreen
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.rail import RAIL


def nodes():
    names = ["inspector.app.app"]
    for package in (inspector.screens, inspector.widgets):
        names += [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    for name in names:
        for one in vars(importlib.import_module(name)).values():
            if isinstance(one, type) and issubclass(one, DOMNode) and one.__module__ == name:
                yield one


def bindings(node):
    for entry in vars(node).get("BINDINGS", ()):
        yield from Binding.make_bindings([entry])


def test_every_binding_says_what_it_does():
    found = [(node, binding) for node in nodes() for binding in bindings(node)]
    assert len(found) > 100
    assert [(node.__name__, binding.key) for node, binding in found if not binding.description] == []
    assert all(callable(_action(node, binding)) for node, binding in found)


def _action(node, binding):
    screen = TreeScreen if node is StepTable else CaseScreen
    return action_of({"app": InspectApp, "screen": screen}.get(binding.action.partition(".")[0], node), binding.action)


def test_an_id_is_one_command_everywhere():
    titles = {}
    for node in nodes():
        for binding in bindings(node):
            if binding.id:
                titles.setdefault(binding.id, set()).add(binding.description)
    assert {name: said for name, said in titles.items() if len(said) > 1} == {}


def test_every_command_can_have_other_keys():
    assert {one.id for one in (*COMMANDS, *RAIL)} <= {one.id for one in usual()}
