"""A column of one's own, in one file: how many digits a problem has."""

from scoring.api import column


@column("digits")
def digits(cases):
    return cases["problem"].str.count_matches(r"[0-9]")
