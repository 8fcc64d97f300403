"""Texts that SQL might take for something else."""

from hypothesis import strategies as st

NASTY = (
    "",
    "'",
    "''",
    '"',
    "\\",
    "\\'",
    "a\nb",
    "\r",
    "\x00",
    "%",
    "_",
    "--",
    "/*",
    ";",
    "true",
    "NULL",
    "é",
    "题",
    "\u2028",
    "1",
    "a'b\"c\\d",
)
TEXT = st.text(max_size=6) | st.sampled_from(NASTY)
