from importlib import import_module

import pytest

from scoring.data.errors import UsageError
from scoring.formats.benchmarks.benchmark_registry import MODULES, benchmark_module, error_type_of, error_types


@pytest.mark.parametrize("name", MODULES)
def test_every_benchmark_has_what_the_table_promises(name):
    module = benchmark_module(name)
    assert module is import_module(MODULES[name])
    assert name == module.NAME
    assert name == module.FORMAT.name
    assert all(not module.recognises(value) for value in (None, 5, "x", [], {}, [{}]))


def test_an_unknown_benchmark_is_one_sentence():
    with pytest.raises(UsageError, match=r"there is no benchmark 'bench'\. Known are processbench"):
        benchmark_module("bench")


def test_all_taxonomies_are_there():
    assert len(error_types()) == 9 + 20 + 5


@pytest.mark.parametrize("word", error_types())
def test_every_word_names_itself_however_it_is_written(word):
    assert error_type_of(word) == error_type_of(word.upper()) == error_type_of(word.replace("_", "-")) == word


@pytest.mark.parametrize("tag", ["", "-", "odd", "premise", "premise_unsoundness_2"])
def test_other_tags_are_no_error_types(tag):
    assert error_type_of(tag) is None
