"""What an import noticed: one finding a fact, with its place in the file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from scoring.data.errors import LONGEST_NAME, shortened

Severity = Literal["note", "warning", "error"]
"""note: known to occur or harmless; warning: something the reader should look at; error: a row was left out."""


class Finding(Struct, frozen=True):
    """One thing noticed while reading.

    `code` is a stable word to count by, `line` the 1-based line (or row, for Parquet) of the file, `case` the id where
    it is known.
    """

    severity: Severity
    code: str
    message: str
    source: str
    line: int | None = None
    case: str | None = None

    def __post_init__(self) -> None:
        """Shorten long names in the message; the source and the id are data and stay."""
        if len(self.message) > LONGEST_NAME // 2:
            force_setattr(self, "message", shortened(self.message))

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line is not None else self.source
        return shortened(f"{place}: {self.severity}: {self.message}")


def worst(findings: Iterable[Finding]) -> Severity | None:
    """Return the gravest severity among the findings; None if there are none."""
    seen = {finding.severity for finding in findings}
    return next((severity for severity in ("error", "warning", "note") if severity in seen), None)


def counted(findings: Iterable[Finding]) -> list[tuple[Severity, str, int, Finding]]:
    """Count findings by kind: (severity, code, how many, the first one), gravest and most frequent first."""
    first: dict[tuple[Severity, str], Finding] = {}
    count: Counter[tuple[Severity, str]] = Counter()
    for finding in findings:
        kind = (finding.severity, finding.code)
        first.setdefault(kind, finding)
        count[kind] += 1
    gravity = {"error": 0, "warning": 1, "note": 2}
    kinds = sorted(count, key=lambda kind: (gravity[kind[0]], -count[kind], kind[1]))
    return [(*kind, count[kind], first[kind]) for kind in kinds]


def some_of(names: Sequence[str], most: int) -> str:
    """List the first of some names: `a, b and 3 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
