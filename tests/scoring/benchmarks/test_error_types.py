import pytest

from scoring.benchmarks.error_types import ERROR_TYPES, error_type_of


def test_all_taxonomies_are_there():
    assert len(ERROR_TYPES) == 9 + 20 + 5
    assert ERROR_TYPES["premise_unsoundness"] == "Premise Unsoundness (socratic)"


@pytest.mark.parametrize("word", ERROR_TYPES)
def test_every_word_names_itself_however_it_is_written(word):
    assert error_type_of(word) == error_type_of(word.upper()) == error_type_of(word.replace("_", "-")) == word


@pytest.mark.parametrize("tag", ["", "-", "odd", "premise", "premise_unsoundness_2"])
def test_other_tags_are_no_error_types(tag):
    assert error_type_of(tag) is None
