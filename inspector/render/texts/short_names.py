"""Names in fewer cells than they need: what they share gives way first, then their middles.

`scoring.data.errors.shortened` shortens names in sentences. `short_names` shortens a list of names so that they remain
distinct.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count

from rich.cells import cell_len, get_character_cell_size

from inspector.render.texts.text import clean

LEFT_OUT = "…"
"""Stands where some of a name is left out, but for what all names begin or end with."""
_SEPARATOR = re.compile(r"[-_/:@| ]+")


def short_names(names: Iterable[str], width: int) -> dict[str, str]:
    """Fit names that stand beside each other into at most `width` cells each; the forms are cleaned text.

    Where all fit, all stay as they are. Otherwise what all begin with, up to a separator, is left out of all, as little
    of it as makes them fit, and then what all end with. Of a name that is still too long what most others begin with
    gives way to LEFT_OUT, then its middle. Names that differ keep forms that differ, in whatever order they come: where
    nothing else tells them apart, they end in a number.
    """
    cleaned = {name: clean(name) for name in names}
    forms = _forms(tuple(sorted(set(cleaned.values()))), width)
    return {name: forms[text] for name, text in cleaned.items()}


def short_name(name: str, width: int, among: Iterable[str] = ()) -> str:
    """Fit one name into `width` cells, as `short_names` does beside the names `among`; alone it loses its middle."""
    text, names = clean(name), tuple(among)
    if not names:
        return _middle(text, width)
    return _forms(_sorted(names if name in names else (*names, name)), width)[text]


@lru_cache(maxsize=64)
def _sorted(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(map(clean, names))))


@lru_cache(maxsize=256)
def _forms(texts: tuple[str, ...], width: int) -> dict[str, str]:
    if _fit(texts, width):
        return {text: text for text in texts}
    bare = _without_shared(texts, width)
    forms = _shortened(tuple(bare.values()), frozenset(texts), width)
    return {text: forms[rest] for text, rest in bare.items()}


def _fit(texts: Iterable[str], width: int) -> bool:
    return all(cell_len(text) <= width for text in texts)


# -- what all share


def _without_shared(texts: Sequence[str], width: int) -> dict[str, str]:
    """The texts without what all begin with, and where that is not enough, without what all end with."""
    kept = {text: text for text in texts}
    if len(texts) < 2:
        return kept
    begins = _boundaries(_common_beginning(texts))
    ends = _boundaries(_common_beginning([text[::-1] for text in texts]))
    for cuts in ([(start, 0) for start in begins], [(0, end) for end in ends]):
        before = dict(kept)
        for start, end in cuts:
            cut = {text: rest[start : len(rest) - end] for text, rest in before.items()}
            if all(rest == rest.strip() and rest for rest in cut.values()) and not _misleads(cut):
                kept = cut
            if _fit(kept.values(), width):
                return kept
    return kept


def _misleads(cut: dict[str, str]) -> bool:
    """Whether what is left of a name is another's name, or what is left of another."""
    return len(set(cut.values())) < len(cut) or any(rest in cut and rest != text for text, rest in cut.items())


def _common_beginning(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    same = (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    return first[: next(same, len(first))]


def _boundaries(text: str) -> list[int]:
    """The places behind the separators of a text, the first one first."""
    return [separator.end() for separator in _SEPARATOR.finditer(text)]


# -- what is still too long


def _shortened(texts: Sequence[str], names: frozenset[str], width: int) -> dict[str, str]:
    family = _family(texts, width)
    endings = Counter(text[place:] for text in texts for place in (0, *_boundaries(text)))
    touched = [text for text in texts if cell_len(text) > width or (family and text.startswith(family))]
    forms = {text: text for text in set(texts).difference(touched)}
    taken = {*names, *texts}

    def without_family(text: str) -> str:
        rest = text.removeprefix(family)
        # What another ends with as well would mean both.
        return f"{LEFT_OUT}{rest}" if endings[rest] == 1 and cell_len(rest) < width else ""

    def whole(text: str) -> str:
        return text if cell_len(text) <= width else ""

    def cut_without_family(text: str) -> str:
        rest = text.removeprefix(family)
        return LEFT_OUT + _middle(rest, width - 1) if len(rest) < len(text) and endings[rest] == 1 else ""

    def cut(text: str) -> str:
        return _middle(text, width)

    for way in (without_family, whole, cut_without_family, cut):
        touched = _settle({text: way(text) for text in touched}, forms, taken)
    touched = _settle(_from_difference(touched, width), forms, taken)
    touched = _settle(_numbered(touched, taken, width), forms, taken)
    # There is no room for anything that could tell them apart.
    return {**forms, **{text: cut(text) for text in touched}}


def _family(texts: Sequence[str], width: int) -> str:
    """What most names begin with, half of them at least, if any of these is too long: LEFT_OUT stands for it alone."""
    starts = Counter(text[:place] for text in texts for place in _boundaries(text) if place < len(text))
    most = max(starts.values(), default=0)
    if most < 2 or 2 * most < len(texts):
        return ""
    family = ""
    for start in sorted((start for start in starts if starts[start] == most), key=len):
        members = [text for text in texts if text.startswith(start)]
        if _fit(members, width):
            break
        family = start
        if _fit((text[len(start) :] for text in members), width - 1):
            break
    return family


def _settle(made: dict[str, str], forms: dict[str, str], taken: set[str]) -> list[str]:
    """Take the forms that are no other's; give the texts that have none yet."""
    times = Counter(made.values())
    settled = {
        text: form for text, form in made.items() if form and times[form] == 1 and (form == text or form not in taken)
    }
    forms.update(settled)
    taken.update(settled.values())
    return [text for text in made if text not in settled]


def _from_difference(texts: Sequence[str], width: int) -> dict[str, str]:
    """Of texts that are alike without their middles, what begins where they differ."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(_middle(text, width), []).append(text)
    shared = {text: len(_common_beginning(group)) for group in alike.values() for text in group}
    return {text: LEFT_OUT + _middle(text[same:], width - 1) for text, same in shared.items()}


def _numbered(texts: Sequence[str], taken: set[str], width: int) -> dict[str, str]:
    """Texts that end in a number of their own; "" where not even that fits."""
    numbers = (number for number in count(1) if not any(form.endswith(f"#{number}") for form in taken))
    ends = {text: f"{LEFT_OUT}#{number}" for text, number in zip(texts, numbers, strict=False)}
    return {text: _begin(text, width - len(end)) + end if len(end) <= width else "" for text, end in ends.items()}


def _middle(text: str, width: int) -> str:
    """The text without its middle where it is too long: names differ at their ends."""
    if cell_len(text) <= width:
        return text
    if width < 2:
        return _begin(text, width)
    head = (width - 1) // 3
    return f"{_begin(text, head)}{LEFT_OUT}{_end(text, width - 1 - head)}"


def _begin(text: str, cells: int) -> str:
    """As much of the beginning of a text as fits into some cells."""
    return text[: _fitting(text, cells)]


def _end(text: str, cells: int) -> str:
    return text[len(text) - _fitting(text[::-1], cells) :]


def _fitting(characters: str, cells: int) -> int:
    """How many of the characters fit, from the first one on."""
    used = 0
    for place, character in enumerate(characters):
        used += get_character_cell_size(character)
        if used > cells:
            return place
    return len(characters)
