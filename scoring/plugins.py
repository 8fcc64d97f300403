"""Files of the user's own, named on the command line: each brings metrics, columns, rules or analyses.

A file is imported when somebody names it, and never because it lies somewhere. What it holds is kept by its kind, and
stands from then on beside what the program brings.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from scoring import own_code
from scoring.errors import PluginError
from scoring.metrics.own import OwnMetric, keep_own_metric
from scoring.own_code import OwnCode
from scoring.own_columns import OwnColumn, keep_own_column
from scoring.own_rules import keep_own_rule
from scoring.transforms import Transform

Keep = Callable[[Any, OwnCode], None]
_KINDS: dict[type, tuple[str, Keep]] = {
    OwnMetric: ("a metric", keep_own_metric),
    OwnColumn: ("a column", keep_own_column),
    Transform: ("a rule", keep_own_rule),
}
"""What a file may hold: its type, what it is called, and what keeps it."""


def keep_with(kind: type, called: str, keep: Keep) -> None:
    """Let files hold things of a further kind.

    Args:
        kind: their type.
        called: one of them in words, as `a metric`.
        keep: is called with each of them and the code that it comes from.
    """
    _KINDS[kind] = called, keep


def load_plugins(files: Sequence[str]) -> None:
    """Import files of the user's own and keep what they hold; one that did not change is imported once.

    Raises:
        PluginError: a file cannot be imported, or holds nothing of a known kind.
    """
    for name in dict.fromkeys(files):
        path = Path(name).expanduser()
        stamp = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else (0, 0)
        code = _imported(name, str(path.absolute()), stamp)
        own = [value for value in vars(code.module).values() if type(value) in _KINDS]
        if not own:
            kinds = ", ".join(called for called, _ in _KINDS.values())
            raise PluginError(f"{name} holds nothing to use.", f"A file may hold {kinds}: see the README.")
        for value in {id(value): value for value in own}.values():
            _KINDS[type(value)][1](value, code)


@lru_cache(maxsize=32)
def _imported(name: str, _path: str, _stamp: tuple[int, int]) -> OwnCode:
    return own_code.from_file(Path(name))
