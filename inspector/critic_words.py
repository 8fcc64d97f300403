"""What only a critic's run says, in words: answers, tokens, money. The same in the shell and in the app."""

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.durations import duration
from inspector.sentences import counted
from scoring.plan import FAILED, REFUSED

Told = Mapping[str, Any]
"""An event as its JSON object."""


def parts_done(event: Told) -> tuple[int, int]:
    """How much of a run is done, and of how much: a critic's answers, else cases.

    A case is done when the last of its runs is, so that cases alone would stand still and then leap.
    """
    asked = event.get("asked")
    return (asked["answers"], asked["wanted"]) if asked else (event["done"], event["to_do"])


def answering(event: Told) -> str:
    """What a `progress` says beside its counts; what matters least comes last, where a narrow line is cut."""
    asked, seconds = event["asked"], event["seconds"]
    answers, wanted = asked["answers"], asked["wanted"]
    words = ["answers"]
    if answers and seconds:
        words.append(f"{duration((wanted - answers) * seconds / answers)} left")
    if asked["tokens_out"] and seconds:
        words.append(f"{_short(asked['tokens_out'] / seconds)} tokens/s")
    return ", ".join([*words, *_troubles(asked), f"{event['done']:,} of {counted(event['to_do'], 'case')}"])


def lacking(event: Told) -> str:
    """What a `case_refused` of a critic says, and whether the same command asks again."""
    reason = event["reason"]
    if reason.startswith(FAILED):
        return f"no answer: {event['case']}: {reason.removeprefix(FAILED)} (the same command asks again)"
    if reason.startswith(REFUSED):
        return f"refused: {event['case']}: {reason.removeprefix(REFUSED)} (--retry-refused asks again)"
    return f"refused: {event['case']}: {reason}"


def estimated(event: Told) -> Iterator[str]:
    """What an `estimate` says: a line a subset, the whole, and what the answers may come to."""
    for one in event["subsets"]:
        subset = f"/{one['subset']}" if one["subset"] else ""
        yield f"  {one['benchmark']}{subset}: {_asked(one)}"
    yield f"In all: {_asked(event)}"
    most = event["max_tokens"]
    if most is None:
        yield "No limit is set on the tokens of an answer (--max-tokens)."
    else:
        yield f"The answers have at most {counted(event['answers'] * most, 'token')}, {most:,} each."
    if event["money"] is not None:
        whole = event["money_at_most"]
        told = "" if whole is None else f", with the longest answers {_money(whole, event)}"
        yield f"Cost: the prompts about {_money(event['money'], event)}{told}."
        if most is None:
            yield "What the answers cost is not known: nothing limits them."


def answered(event: Told) -> Iterator[str]:
    """What an `end` says of answers, tokens and money, where any were asked for."""
    asked = event["asked"]
    if not asked["answers"]:
        return
    troubles = ", ".join(_troubles({**asked, "retries": 0, "unanswered": 0}))
    came = asked["answers"] - asked["unanswered"]
    read = f": {troubles}" if troubles else ", and all could be read"
    yield f"{came:,} of {counted(asked['wanted'], 'answer')} came{read if came else ''}"
    calls = f"{counted(asked['calls'], 'call')}, {asked['retries']:,} of them again after a failure"
    yield f"{counted(asked['tokens_in'], 'token')} in, {asked['tokens_out']:,} out (as the server counts them); {calls}"
    if event["money"] is not None:
        yield f"Cost: {_money(event['money'], event)}"


def _asked(one: Told) -> str:
    prompts, answers = counted(one["prompts"], "prompt"), counted(one["answers"], "answer")
    characters, tokens = counted(one["characters"], "character"), counted(one["tokens_in"], "token")
    return f"{prompts} for {answers}, {characters}, about {tokens}"


def _troubles(asked: Told) -> list[str]:
    """Counts of what went wrong, those that are not 0."""
    words = {
        "unparsed": "unparsed",
        "cut": "cut at the token limit",
        "unanswered": "unanswered",
        "retries": "retry" if asked["retries"] == 1 else "retries",
    }
    return [f"{asked[name]:,} {word}" for name, word in words.items() if asked[name]]


def _money(amount: float, event: Told) -> str:
    """An amount with two digits, or four where it is small, in its currency's own word."""
    digits = 2 if amount >= 1 or not amount else 4
    return f"{amount:,.{digits}f} {event['currency']}".strip()


def _short(count: float) -> str:
    return f"{count:,.0f}" if count < 10_000 else f"{count / 1000:,.0f}k"
