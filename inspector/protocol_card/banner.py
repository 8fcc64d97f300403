"""The line that warns where two figures on screen are not comparable."""

from collections.abc import Sequence

from inspector.commands.key_words import KeyWords
from inspector.phrases import Phrase
from inspector.protocol_card.incomparable import Incomparable, remedy_of

SHORT = {
    "cases": "other cases",
    "unparsed": "unparsed ones left out",
    "threshold": "other threshold sources",
    "boundary": "another boundary",
    "runs": "other numbers of runs",
    "votes": "other numbers of votes",
    "filter": "chosen by an outcome",
}
"""Each reason in a few words."""


def banner(reasons: Sequence[Incomparable], keys: KeyWords, *, common: bool = False, labels: str = "") -> list[Phrase]:
    """The phrases of the line; none where there is nothing to warn of.

    `labels` says why the figures are not those of the benchmark's own labels, "" where they are. `common` says that all
    figures are on the common cases because somebody asked for it: then the line says how to go back, whatever the
    reasons.
    """
    if labels:
        told = f"Not comparable with figures of the benchmark's own labels: {labels}"
        return [Phrase((told, f"Not comparable: {labels}", labels)), *banner(reasons, keys, common=common)]
    key = keys.of("common-cases")
    back = [Phrase((f"All on the common cases; {key}: each on its own", "On the common cases"), rank=2)]
    if not reasons:
        return back if common else []
    short = ", ".join(SHORT[one.why] for one in reasons)
    first = reasons[0].sentence + (f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else "")
    phrases = [Phrase((f"Not comparable: {first}", f"Not comparable: {short}", "Not comparable"), rank=3)]
    if remedy_of(reasons):
        phrases.append(Phrase((f"{key}: all on the common cases", f"{key}: common cases", ""), rank=2))
    elif common:
        phrases += back
    return [*phrases, Phrase((f"{keys.of('card')}: why", ""), rank=1)]
