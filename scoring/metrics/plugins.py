"""Files and installed plugins of the user's own, named on the command line: metrics, columns, rules and analyses.

They are imported when somebody names them, and never because they lie somewhere. What they hold is kept by its kind,
and stands from then on beside what the program brings.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from scoring.data import own_code
from scoring.data.errors import PluginError
from scoring.data.own_code import OwnCode
from scoring.data.own_columns import OwnColumn, keep_own_column
from scoring.data.reward_transforms import RewardTransform
from scoring.data.rules import GROUP as RULES
from scoring.data.rules import keep_own_rule
from scoring.data.storage.files import expand_home
from scoring.metrics.own import OwnMetric, keep_own_metric

Keep = Callable[[Any, OwnCode], None]
_KINDS: dict[type, tuple[str, Keep]] = {
    OwnMetric: ("a metric", keep_own_metric),
    OwnColumn: ("a column", keep_own_column),
    RewardTransform: ("a rule", keep_own_rule),
}
"""What a file may hold: its type, what it is called, and what keeps it."""
GROUPS = {
    "metric": "prm_inspect.metrics",
    "column": "prm_inspect.columns",
    "analysis": "prm_inspect.analyses",
    "rule": RULES,
}
"""Groups of entry points of installed packages, whose names may stand where a file may: name -> "module:object"."""


def keep_with(kind: type, called: str, keep: Keep) -> None:
    """Let files hold things of a further kind.

    Args:
        kind: their type.
        called: one of them in words, as `a metric`.
        keep: is called with each of them and the code that it comes from.
    """
    _KINDS[kind] = called, keep


def load_plugins(files: Sequence[str]) -> None:
    """Import files, or installed plugins by name, and keep what they hold; a file that did not change once.

    Raises:
        PluginError: a file cannot be imported, or holds nothing of a known kind.
    """
    for name in dict.fromkeys(files):
        code, own = _of_file(name) if own_code.is_file(name) else _of_package(name)
        if not own:
            kinds = ", ".join(called for called, _ in _KINDS.values())
            raise PluginError(
                f"{name} holds nothing that --plugin brings.",
                f"It may hold {kinds}: see `prm-inspect guide plugins`. A benchmark's file is named before its rows: "
                f"prm-inspect import {name} ROWS.",
            )
        for value in own:
            _KINDS[type(value)][1](value, code)


def installed_plugins() -> dict[str, EntryPoint]:
    """Return what installed packages name in one of GROUPS, by name; none is imported."""
    return {name: entry for group in GROUPS.values() for name, entry in own_code.installed(group).items()}


def _of_file(name: str) -> tuple[OwnCode, list[Any]]:
    path = expand_home(name)
    stamp = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else (0, 0)
    code = _imported(name, str(path.absolute()), stamp)
    own = [value for value in vars(code.module).values() if type(value) in _KINDS]
    return code, list({id(value): value for value in own}.values())


def _of_package(name: str) -> tuple[OwnCode, list[Any]]:
    known = installed_plugins()
    if name not in known:
        listed = ", ".join(known) or "none is installed"
        raise PluginError(f"{name} is neither a Python file nor an installed plugin.", f"There are: {listed}.")
    code, made = own_code.from_entry_point(known[name])
    return code, [made] if type(made) in _KINDS else []


@lru_cache(maxsize=32)
def _imported(name: str, _path: str, _stamp: tuple[int, int]) -> OwnCode:
    return own_code.from_file(Path(name))
