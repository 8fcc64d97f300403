"""Files of JSON Lines that are nearly sound: what every way of reading them must read alike."""

import json
import random

from hypothesis import strategies as st

from any_json import ANY_JSON

TEXTS_ODD = [
    *("", " ", "\u00a0", "\u2003x ", "a-1\n", "math-7", "math-٣", "a\nb-2", "x-", "é", "日本語", "\U0001f600", "\\"),
    *('"', '\\"', 'ends in \\\\"', "\\frac{1}{2} \\b \\u0041", "tab\t\r\n", "\x00", "\x08", "\x0c", "\x1f", "\x7f"),
    *("\x80", "\x9f", "\xa0", "\u202a", "\u202e", "\u2026", "\u2066", "\u2069", "\ud800", "\udfff", "a \ud83d b"),
    *('"problem":', '{"steps": [', "\u2028", "\x85", "\ufeff", "1e5", "null", "\\u0007"),
]
TEXT = st.sampled_from(TEXTS_ODD) | st.text(st.characters(exclude_categories=()), max_size=6)


class Verbatim(str):
    """A number as it is written in JSON."""

    __slots__ = ()


NUMBERS = [0, -1, 1, 2, 3, -2, 2**31 - 1, 2**31, -(2**31), 2**63, 10**400, 1.0, -1.0, 0.5, 1e300]
NUMBERS += map(Verbatim, ("1e400", "-1E+999", "1.0e0", "-0", "-0.0", "1" * 400 + ".5", "1" * 5000, "1e-400"))
LISTS = [[], [None], [1], [True, False, True], [True], [True, None, False], [1, 0, 1], ["a", ""], ["a", " ", "b"]]
NESTED = [{}, {"problem": "p", "id": {"id": 1, "steps": []}}, [{"steps": ["s"]}], [[[]]], {"a": ['"', {"b": "\\"}]}]
ODD = st.sampled_from([None, True, False, *NUMBERS, *LISTS, *NESTED])
VALUE = TEXT | ODD | st.lists(TEXT, max_size=4) | ANY_JSON


class Pairs(list):
    """The keys and values of an object, in which a key may stand several times."""


def written(value, draw):
    """The value as JSON, in one of the ways in which it can be written."""
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        blank = draw.choice(["", "", " ", "\t"])
        pairs = [f"{written(key, draw)}{blank}:{blank}{written(one, draw)}" for key, one in value]
        return f"{{{blank}{(',' + blank).join(pairs)}{blank}}}"
    if isinstance(value, Verbatim):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(written(one, draw) for one in value)}]"
    return draw.choice(WAYS)(value) if isinstance(value, str) else json.dumps(value)


def _as_it_is(text):
    """Control characters that JSON wants escaped stay as they are, but line breaks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _escaped(text):
    return '"' + "".join(f"\\u{one:04X}" for one in _code_units(text)) + '"'


def _code_units(text):
    raw = text.encode("utf-16-be", errors="surrogatepass")
    return [int.from_bytes(raw[at : at + 2]) for at in range(0, len(raw), 2)]


WAYS = (json.dumps, lambda text: json.dumps(text, ensure_ascii=False), _as_it_is, _escaped)


@st.composite
def lines(draw, sound, values=VALUE):
    """Give the bytes of one line: a row like `sound` with something odd, or something else, without its break."""
    kind = draw(st.integers(0, 11))
    if kind == 0:
        odd = [b"", b" ", b"\t\r", "\u2003".encode(), b"[1]", b"5", b"null", b'"x"', b"{", b'{"problem": "cut', b"\xff"]
        odd += [b"\xef\xbb\xbf{}", b"\xff\xfe{}", b'{"a": 1} {"b": 2}', b'{"a":', b"1}", b"[" * 5000, b'{"x": NaN}']
        return draw(st.sampled_from(odd))
    pairs = Pairs(sound.items())
    if kind < 9:
        keys = st.sampled_from([*sound, "extra", "other", "pröblem"])
        for _ in range(draw(st.integers(1, 2))):
            key = draw(keys)
            way = draw(st.integers(0, 4))
            if way == 0:
                pairs = Pairs(pair for pair in pairs if pair[0] != key)
            elif way == 1 and key in sound:
                pairs.append((key, sound[key]))
            elif way == 2:
                pairs.insert(draw(st.integers(0, len(pairs))), (key, draw(values)))
            else:
                at = next((at for at, pair in enumerate(pairs) if pair[0] == key), len(pairs))
                pairs[at : at + 1] = [(key, draw(values))]
    elif kind == 9:
        pairs.append(("nested", Pairs([("a", 1), ("a", draw(ODD))])))
    else:
        pairs = Pairs(
            (key, f"sums-{draw(st.integers(0, 30))}" if key in {"id", "idx"} else value) for key, value in pairs
        )
    raw = written(pairs, random.Random(draw(st.integers(0, 5)))).encode(errors="surrogatepass")
    if draw(st.integers(0, 15)) == 0:
        at = draw(st.integers(0, len(raw) - 1))
        raw = (
            raw[:at]
            + draw(st.sampled_from([b"", b"\xff", b"\x00", b"\\", b'"', b"\xe2\x80", b"}", b" "]))
            + raw[at + 1 :]
        )
    return raw


@st.composite
def files(draw, sound, values=VALUE):
    """Give the bytes of a file of such lines; what is put in the place of values is one of `values`."""
    extra = draw(st.sampled_from([{}, {"extra": 1, "other": "x"}, {"extra": {"a": ['"'], "b": {"a": "\\"}}}]))
    raw = draw(st.lists(lines({**sound, **extra}, values), min_size=1, max_size=9))
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    mark = draw(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf"]))
    return mark + end.join(raw) + draw(st.sampled_from([b"", end, end + b" " + end]))
