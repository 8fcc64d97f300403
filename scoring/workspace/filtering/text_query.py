r"""What a person searches texts for: words, phrases or a regular expression, and in which texts.

    premise triangle       both words, in any order, anywhere in the texts of a case
    "the premise of"       this phrase; blanks in it are any run of white space; at the end the quote may be missing
    /step [0-9]+ fails/    a regular expression, in the dialect of Rust's `regex` crate: no look-around, never slow

A query without a capital letter ignores case (`smart case`); `/.../c` minds it all the same, `/.../i` never does.
Everything becomes regular expressions of one engine, which filters cases and finds what to highlight: the two agree.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

import polars as pl
from msgspec import Struct

from scoring.data.errors import SearchError

SCOPES = ("problem", "steps", "context", "reason", "answers", "notes")
"""Which texts: the problem in all its wordings; the steps; the messages of a trajectory that are no steps, with the
names of their tools; why the gold labels are so and the reference answer; what critics answered and reasoned; and
people's notes."""

_REGEX = re.compile(r"/(.+)/([ic]?)\Z", re.DOTALL)
# A phrase that is being typed has no closing quote yet.
_TOKEN = re.compile(r'"((?:[^"]|"")*)(?:"(?!\S)|\Z)|(\S+)')
# Letters in these are no capitals of a text: \S, \x{E9}, (?U), (?P<name>. A class of letters such as \p{Lu} may be.
_ESCAPES = re.compile(r"\\[xuU]\{[^}]*\}|\\[^pP]|\(\?[A-Za-z-]*[:)]|\(\?P?<[^>]*>", re.DOTALL)
# ASCII has no other forms: a run of it is taken as it is.
_CHARACTERS = re.compile(r"[\x00-\x7f]+|.", re.DOTALL)
_TOLD = re.compile(r"(?:\n|^)error: (.+)", re.DOTALL)
LONGEST = 4_000
"""Characters of a query: with some times as many the engine may have no room for it."""
MOST_WORDS = 64
"""Words of a query that are looked for one by one."""
_EXAMPLE = 'Examples: premise, "the premise of", /step [0-9]+ fails/'
_SHORTER = "Search for a part of it; in double quotes it is one phrase."


class TextQuery(Struct, frozen=True):
    """What is searched for. `patterns` are regular expressions that must all occur; `scopes` some of SCOPES, in order.

    Falsy where nothing is searched for.
    """

    text: str
    scopes: tuple[str, ...]
    patterns: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, scopes: tuple[str, ...] = ()) -> "TextQuery":
        """Read a query as it is typed; no scopes are all of them.

        Raises:
            SearchError: an unknown scope; too many words or characters; a regular expression that cannot be read, with
                the place in it.
        """
        try:
            text.encode()
        except UnicodeEncodeError:
            raise SearchError(f"{text!r} holds a byte that is not UTF-8.", "Write it in UTF-8.") from None
        if len(text) > LONGEST:
            raise SearchError(f"the search has {len(text):,} characters, more than {LONGEST:,}.", _SHORTER)
        chosen = {scope for word in scopes for scope in _scopes(word)} or set(SCOPES)
        ordered = tuple(scope for scope in SCOPES if scope in chosen)
        patterns = tuple(dict.fromkeys(_patterns(text)))
        if len(patterns) > MOST_WORDS:
            raise SearchError(f"the search has {len(patterns)} words, more than {MOST_WORDS}.", _SHORTER)
        return cls(text, ordered, patterns)

    @property
    def is_pattern(self) -> bool:
        """Whether it is a regular expression, which may take long on long texts."""
        return _REGEX.match(self.text.strip()) is not None

    @property
    def words(self) -> str:
        """The query and its scope as a person reads them."""
        where = "" if self.scopes == SCOPES else f" in {', '.join(self.scopes)}"
        return f"{self.text}{where}"

    def __bool__(self) -> bool:
        return bool(self.patterns)


def _scopes(word: str) -> tuple[str, ...]:
    """The scopes of a word: `all`, `critiques` for answers, a scope's name or the beginning of it."""
    name = word.strip().lower()
    if name == "all":
        return SCOPES
    name = "answers" if name in {"critique", "critiques"} else name
    scopes = tuple(scope for scope in SCOPES if name and scope.startswith(name))
    if len(scopes) != 1:
        raise SearchError(f"there is no scope {word!r}.", f"Search in: {', '.join(SCOPES)}, or all.")
    return scopes


def _patterns(text: str) -> Iterator[str]:
    """One regular expression a word or phrase, or the one that was given."""
    stripped = text.strip()
    if regex := _REGEX.match(stripped):
        pattern, flag = regex.groups()
        ignore = flag == "i" or (flag != "c" and not _has_capital(_ESCAPES.sub("", pattern)))
        start = text.index("/") + 1
        _check(pattern, start)
        if ignore:
            # Both cases of every letter may make it too large.
            _check(f"(?i){pattern}", start - len("(?i)"))
        yield f"(?i){pattern}" if ignore else pattern
        return
    ignore = not _has_capital(stripped)
    for phrase, word in _TOKEN.findall(stripped):
        literal = phrase.replace('""', '"') or word
        if literal.strip():
            yield ("(?i)" if ignore else "") + _literal(literal)


def _has_capital(text: str) -> bool:
    return any(character.isupper() or character.istitle() for character in text)


def _literal(text: str) -> str:
    """A word or phrase as a regular expression: each character composed or decomposed, any white space a blank."""
    composed = unicodedata.normalize("NFC", text)
    either = _spaced(composed, lambda part: "".join(map(_either, _CHARACTERS.findall(part))))
    # As it was typed as well: there are signs that have another form of themselves.
    return either if composed == text else f"(?:{either}|{_spaced(text, pl.escape_regex)})"


def _spaced(text: str, written: Callable[[str], str]) -> str:
    return r"\s+".join(written(part) for part in re.split(r"\s+", text))


def _either(characters: str) -> str:
    """ASCII, or one composed character, as a regular expression of all its forms."""
    forms = [characters]
    while parts := _parts(forms[-1][0]):
        forms.append(parts + forms[-1][1:])
    forms.append(unicodedata.normalize("NFD", characters))
    ways = [pl.escape_regex(form) for form in dict.fromkeys(forms)]
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


def _parts(character: str) -> str:
    """What a character is canonically composed of; "" where that is only itself."""
    decomposition = unicodedata.decomposition(character)
    return "" if decomposition.startswith("<") else "".join(chr(int(code, 16)) for code in decomposition.split())


def _check(pattern: str, start: int) -> None:
    """Let the engine read a pattern that stands at `start` (0-based) in the query.

    Raises:
        SearchError: it cannot be read.
    """
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError as error:
        message = str(error).split("\n\nThis error occurred")[0]
        reason = _TOLD.search(message)
        why = (reason[1] if reason else message.removeprefix("regex error: ")).strip().splitlines()[0].rstrip(".")
        place = _place(message, pattern)
        where = "" if place is None else f" at character {start + place + 1}"
        raise SearchError(f"the regular expression cannot be read{where}: {why}.", _EXAMPLE) from None


def _place(message: str, pattern: str) -> int | None:
    """The 0-based place in the pattern under which the engine put its first caret; None where it put none."""
    lines = message.splitlines()
    for above, line in pairwise(lines):
        if not line.strip() or set(line) - {" ", "^"}:
            continue
        column = line.index("^")
        # Numbered lines of a pattern with line breaks: `2: text`.
        numbered = re.match(r"\s*(\d+): ", above) if "\n" in pattern else None
        if numbered is None:
            return min(len(pattern), column - 4)
        before = pattern.split("\n")[: int(numbered[1]) - 1]
        return sum(len(line) + 1 for line in before) + column - len(numbered[0])
    return None
