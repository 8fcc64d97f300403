"""What the gold labels say, and from which number their reasons count."""

import pytest

import making
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query

CASES = [Case(3, 1, (0.9, 0.2, 0.8), error_steps=(1,))]


def shown(root, benchmark, reason):
    making.workspace(root, CASES, [(making.scorer("s"), CASES)], benchmark, reason=[reason])
    start = inspect(load(Query(workspace=str(root))))
    lines = case_lines(start, 0, DisplayOptions(90, Glyphs(ascii_only=True))).lines
    return ["".join(text for text, _ in line.parts) for line in lines]


@pytest.mark.parametrize(
    ("benchmark", "reason", "told"),
    [
        ("prmbench", "Step 2 asks for something else.", True),
        ("socratic", "第2步有错", True),
        ("prmbench", "The sum is 5.", False),
        ("processbench", "Step 2 asks for something else.", False),
    ],
)
def test_a_reason_that_counts_steps_from_one_says_so(tmp_path, benchmark, reason, told):
    lines = shown(tmp_path, benchmark, reason)
    assert any(line.startswith("Gold  step 1") for line in lines)
    assert any("counts steps from 1" in line for line in lines) == told
