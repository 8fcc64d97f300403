"""What holds for every benchmark module: nobody else's rows are recognised, and no row whatever raises."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import authored
import modified
from benchmark_rows import (
    encrypted,
    grben,
    hard2verify,
    math_shepherd,
    mrmath,
    mrmath_redundant,
    prm800k,
    reasoneval_pair,
    rows_of,
    stepwise,
    visualprocessbench,
)
from scoring.data.schema import CASES
from scoring.formats.benchmarks import demo
from scoring.formats.benchmarks.benchmark_registry import MODULES, benchmark_module
from scoring.importing.sources import recognised
from thoroughness import up_to

TYPICAL = {
    "processbench": authored.row(),
    "prmbench": modified.row(),
    "socratic": modified.row(classification="regather_imprecision"),
    "grben": grben(),
    "mrmath": mrmath(),
    "mrmath_redundant": mrmath_redundant(),
    "reasoneval_pairs": reasoneval_pair(),
    "prm800k": prm800k(),
    "stepwise": stepwise(),
    "math_shepherd": math_shepherd(),
    "hard2verify": encrypted(hard2verify()),
    "visualprocessbench": visualprocessbench(),
    "demo": demo.read().cases.row(0, named=True),
}
SURROGATES = st.text(st.characters(exclude_categories=()), max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | SURROGATES | st.sampled_from(["ки", "Step 1: ", "? +\n"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SURROGATES, inner, max_size=3),
    max_leaves=8,
)


def replaced(value, draw):
    """The value with any of its parts, at any depth, replaced by anything."""
    if draw(st.integers(0, 7)) == 0:
        return draw(VALUES)
    if isinstance(value, dict):
        return {key: replaced(part, draw) for key, part in value.items()}
    return [replaced(part, draw) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", TYPICAL)
def test_a_row_is_recognised_by_its_own_benchmark_alone(name):
    assert [other for other in MODULES if benchmark_module(other).recognises(TYPICAL[name])] == [name]
    assert recognised(rows_of([TYPICAL[name]])) == ("benchmark", name)


@pytest.mark.parametrize(
    "name", ["grben", "mrmath", "mrmath_redundant", "reasoneval_pairs", "prm800k", "stepwise", "math_shepherd"]
)
@up_to(100, usually=8)
@given(data=st.data())
def test_any_rows_become_cases_or_findings(name, data):
    values = [replaced(TYPICAL[name], data.draw) for _ in range(2)]
    module = benchmark_module(name)
    assert all(isinstance(module.recognises(value), bool) for value in values)
    imported = module.load(rows_of(values))
    assert imported.cases.schema == CASES
    assert imported.cases["case"].n_unique() == imported.cases.height
    assert imported.cases.height == imported.read or "error" in {finding.severity for finding in imported.findings}
    assert imported.cases.filter((pl.col("earliest_error") < -1) | (pl.col("n_steps") < 1)).is_empty()
    for errors, earliest in imported.cases.select("error_steps", "earliest_error").iter_rows():
        assert errors is None or (errors or [-1])[0] == earliest
    str(imported.findings).encode(errors="replace")
