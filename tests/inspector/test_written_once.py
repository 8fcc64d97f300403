"""Shares are written as percent in one module, so that they look alike everywhere."""

import ast
import re
from pathlib import Path

import pytest

import inspector

ROOT = Path(inspector.__file__).parent
FILES = [path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT / "render"]


LIKELY = re.compile(r"\{.*(?:100|%)")
"""Only sources with such a line are parsed: that takes most of the time."""


def percentages(source: str) -> list[int]:
    """The lines of a source that write a number as percent."""
    if not LIKELY.search(source):
        return []
    return [
        node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FormattedValue) and percent(node)
    ]


def percent(node: ast.FormattedValue) -> bool:
    spec = "" if node.format_spec is None else ast.unparse(node.format_spec)
    products = [one for one in ast.walk(node.value) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)]
    factors = [side.value for one in products for side in (one.left, one.right) if isinstance(side, ast.Constant)]
    return 100 in factors or spec.rstrip("'\"").endswith("%")


@pytest.mark.parametrize("source", ["f'{100 * x:.1f}'", "f'{x * 100}'", "f'{x:.1%}'", "f'{abs(100 * (a - b)):+.1f}'"])
def test_it_is_seen(source):
    assert percentages(source) == [1]


def test_no_module_outside_render_writes_a_share():
    found = {str(path.relative_to(ROOT)): percentages(path.read_text(encoding="utf-8")) for path in FILES}
    assert len(found) > 100
    assert {name: lines for name, lines in found.items() if lines} == {}
