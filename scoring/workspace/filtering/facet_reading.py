"""Conditions read back as facets, so that a saved or given filter stands on screen as it was chosen there."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from scoring.workspace.filtering.filters import Facet, FacetChoice, Filter, NumberRange
from scoring.workspace.filtering.sql_words import Word, words_of

_LIST_WORDS = {"ARRAY_CONTAINS", "ARRAY_LENGTH"}


def filter_of(conditions: Iterable[str]) -> Filter:
    """Return the filter that states these conditions: facets where they are written as facets are, the others as they
    stand.
    """
    kept = Filter()
    for condition in conditions:
        facet = facet_of(condition)
        if facet is None or kept.facet(facet.column, keep=facet.keep):
            kept = kept.plus(condition)
        else:
            kept = Filter((*kept.facets, facet), kept.where)
    return kept


@lru_cache(maxsize=512)
def facet_of(condition: str) -> Facet | None:
    """Return the facet whose SQL is exactly this condition; None where it is none's."""
    words = list(words_of(condition))
    names = (word.value for word in words if word.kind in {"name", "quoted"} and word.text not in {"NOT", *_LIST_WORDS})
    column = next(names, None)
    if column is None:
        return None
    listed = any(word.text in _LIST_WORDS for word in words)
    values = tuple(_choices(words))
    tried = (Facet(column, (*values, *more), keep, listed) for keep in (True, False) for more in ((), (None,)))
    return next((facet for facet in tried if facet.values and facet.sql == condition), None)


def _choices(words: Sequence[Word]) -> Iterator[FacetChoice]:
    """The values in a facet's condition, in their order; of a condition of another form, anything."""
    texts = ["", *(word.text for word in words)]
    low = 0
    for ahead, word in zip(texts, words, strict=False):
        if word.kind == "text":
            yield word.value
        elif word.text in {"true", "false"}:
            yield word.text == "true"
        elif word.kind == "number" and word.text.lstrip("-").isdigit():
            number = int(word.text)
            if ahead == "BETWEEN":
                low = number
            elif ahead == "AND":
                yield NumberRange(low, number)
            elif ahead in {">=", "<"}:
                yield NumberRange(number, None)
            elif ahead in {"(", ","}:
                yield number
