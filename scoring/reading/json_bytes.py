"""What bytes of JSON hold, counted without decoding them. The bytes must be valid JSON, or several lines of it."""

import numpy as np
import numpy.typing as npt
import polars as pl

CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]"
"""For polars: the control characters that are noted wherever a row is read field by field."""

_BACKSLASH, _QUOTE, _U = b'\\"u'
_CONTROLS = np.zeros(0x10000, dtype=np.bool_)
_CONTROLS[[*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F)]] = True
_CONTROLS[0x2066:0x206A] = True
_DIGITS = np.zeros(256, dtype=np.uint32)
_DIGITS[list(b"0123456789abcdef")] = range(16)
_DIGITS[list(b"ABCDEF")] = range(10, 16)


def strings_in(raw: bytes) -> int:
    """How many strings there are: keys and values, at any depth."""
    quotes = raw.count(b'"')
    if b"\\" in raw:
        codes = np.frombuffer(raw, dtype=np.uint8)
        quotes -= int(np.count_nonzero(codes[_escaped(codes)] == _QUOTE))
    return quotes // 2


def holds_control(raw: bytes) -> bool:
    """Whether one of the strings holds one of the characters of `CONTROL`, as it is or escaped."""
    if raw.isascii():
        # JSON has none below a blank within a string, and between strings those are no such characters.
        if b"\x7f" in raw:
            return True
    elif pl.Series([raw.decode()]).str.contains(CONTROL).item():
        return True
    if b"\\" not in raw:
        return False
    codes = np.frombuffer(raw, dtype=np.uint8)
    at = _escaped(codes)
    names = codes[at]
    if np.isin(names, list(b"bf")).any():
        return True
    at = at[names == _U]
    value = np.zeros(at.size, dtype=np.uint32)
    for place in range(1, 5):
        value = value * 16 + _DIGITS[codes[at + place]]
    return bool(_CONTROLS[value].any())


def _escaped(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Where the characters are that a backslash escapes, the backslash itself among them."""
    at = np.flatnonzero(codes == _BACKSLASH)
    number = np.arange(at.size)
    first = np.concatenate([[True], np.diff(at) != 1])
    # Within a run of backslashes every other one, from the first on, escapes what follows it.
    start = np.maximum.accumulate(np.where(first, number, 0))
    escaped: npt.NDArray[np.int64] = at[(number - start) % 2 == 0] + 1
    return escaped
