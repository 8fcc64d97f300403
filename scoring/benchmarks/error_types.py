"""The error types of all taxonomies, so that a person can name one of a case whose benchmark has none."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from scoring.benchmarks import grben, prmbench, socratic

_BETWEEN = re.compile(r"[\s_-]+")


def _word(text: str) -> str:
    return _BETWEEN.sub("_", text.casefold()).strip("_")


ERROR_TYPES: Mapping[str, str] = MappingProxyType(
    {
        **{word: f"{one.name} ({prmbench.NAME})" for word, one in prmbench.CLASSES.items()},
        **{word: f"{one.name} ({socratic.NAME})" for word, one in socratic.CLASSES.items()},
        **{word: f"{word} ({grben.NAME})" for word in grben.ERROR_TYPES},
    }
)
"""The word of each error type, spelt as in its benchmark's files, and its full name with that of the benchmark."""
_WORDS = {_word(word): word for word in ERROR_TYPES}


def error_type_of(tag: str) -> str | None:
    """The word of the error type that a tag names, whatever its letters' case and with `-` or `_`; None for others."""
    return _WORDS.get(_word(tag))
