from importlib import import_module

import pytest

from scoring.benchmarks.catalogue import MODULES, benchmark_module
from scoring.errors import UsageError


@pytest.mark.parametrize("name", MODULES)
def test_every_benchmark_has_what_the_table_promises(name):
    module = benchmark_module(name)
    assert module is import_module(MODULES[name])
    assert name == module.NAME
    assert all(isinstance(getattr(module, fact), str) for fact in ("TITLE", "PAPER", "LICENCE"))
    assert all(not module.recognises(value) for value in (None, 5, "x", [], {}, [{}]))


def test_an_unknown_benchmark_is_one_sentence():
    with pytest.raises(UsageError, match=r"there is no benchmark 'bench'\. Known are processbench"):
        benchmark_module("bench")
