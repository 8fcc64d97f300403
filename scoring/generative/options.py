"""Options of a family: names with a few values, one of which holds when nothing is said."""

from collections.abc import Mapping

from scoring.errors import UsageError

Allowed = Mapping[str, tuple[str, ...]]
"""Option -> its values, the default first. One with a single value is a text: any other may be given."""


def chosen(family: str, allowed: Allowed, given: Mapping[str, str]) -> dict[str, str]:
    """Every option with its value.

    Raises:
        UsageError: there is no such option, or it has no such value.
    """
    for name, value in given.items():
        if name not in allowed:
            raise UsageError(f"{family} has no option {name!r}.", f"There are: {', '.join(allowed)}.")
        if len(allowed[name]) > 1 and value not in allowed[name]:
            raise UsageError(f"{name} cannot be {value!r} with {family}.", f"It is {' or '.join(allowed[name])}.")
    return {name: given.get(name, values[0]) for name, values in allowed.items()}
