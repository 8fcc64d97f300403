"""The events of a scoring run (see `scoring.runs.events`) in words, the same in the shell and in the app."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.render.cells import share
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from scoring.data.errors import InspectError
from scoring.data.readout import FAILED
from scoring.formats.reading.compressed_streams import size_words
from scoring.runs.plan import REFUSED

# -- seconds in the unit people count in, and how far something is that takes many


_NAME = 24
"""Cells of the name of what is being read."""


def duration(seconds: float) -> str:
    """Write seconds up to two minutes, minutes up to two hours, then hours."""
    if seconds <= 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds <= 7200 else f"{seconds / 3600:.1f} h"


def progress_words(done: int, to_do: int, what: str, seconds: float, unit: str = "") -> str:
    """Say how many of how many are done after so many seconds, how fast, how long it will take, and what.

    `unit` is what is counted; "" = bytes that are read.
    """
    name = short_name(what.rpartition("/")[2], _NAME)
    if not to_do or done >= to_do:
        return f"{name}, {duration(seconds)}"
    rate = done / seconds if seconds else 0.0
    left = f"{duration((to_do - done) / rate)} left" if rate else ""
    if unit:
        pace = f"  {rate:,.0f}/s, {left}" if rate else ""
        return f"{done:,} of {to_do:,} {unit}{pace}  {name}"
    pace = f"  {size_words(rate)}/s, {left}" if rate else ""
    return f"{size_words(done)} of {size_words(to_do)}{pace}  {name}"


# -- what only a critic's run says, in words: answers, tokens, money. The same in the shell and in the app


Told = Mapping[str, Any]
"""An event as its JSON object."""
RECENT, LEAST_TOLD = 10.0, 2
"""Window of a rate in seconds, and the least number of events that it needs."""


def parts_done(event: Told) -> tuple[int, int]:
    """Return how much of a run is done, and of how much: a critic's answers, else cases.

    A case is done when the last of its runs is, so that cases alone would stand still and then leap.
    """
    counts = event.get("asked")
    return (counts["answers"], counts["wanted"]) if counts else (event["done"], event["to_do"])


class RecentRate:
    """Recent rate of a run in parts per second, so that loading a model does not distort it."""

    def __init__(self) -> None:
        self._told: deque[tuple[float, int]] = deque()

    def after(self, event: Told) -> float:
        """Add a `progress` event; return the rate over the last RECENT seconds, or 0.0 while it is unknown."""
        seconds, done = event["seconds"], parts_done(event)[0]
        self._told.append((seconds, done))
        while len(self._told) > LEAST_TOLD and seconds - self._told[1][0] >= RECENT:
            self._told.popleft()
        first_seconds, first_done = self._told[0]
        passed = seconds - first_seconds
        return (done - first_done) / passed if passed > 0 else 0.0


def answering(event: Told, rate: float) -> str:
    """Return what a `progress` says beside its counts; what matters least comes last, where a narrow line is cut."""
    counts, seconds = event["asked"], event["seconds"]
    answers, wanted = counts["answers"], counts["wanted"]
    words = ["answers"]
    if rate:
        words.append(f"{duration((wanted - answers) / rate)} left")
    if counts["tokens_out"] and seconds:
        words.append(f"{_short(counts['tokens_out'] / seconds)} tokens/s")
    return ", ".join([*words, *_troubles(counts), f"{event['done']:,} of {counted(event['to_do'], 'case')}"])


def lacking(event: Told) -> str:
    """Return what a `case_refused` of a critic says, and whether the same command asks again."""
    reason = event["reason"]
    if reason.startswith(FAILED):
        return f"no answer: {event['case']}: {reason.removeprefix(FAILED)} (the same command asks again)"
    if reason.startswith(REFUSED):
        return f"refused: {event['case']}: {reason.removeprefix(REFUSED)} (--retry-refused asks again)"
    return f"refused: {event['case']}: {reason}"


def estimated(event: Told) -> Iterator[str]:
    """Yield what an `estimate` says: a line a subset, the whole, and what the answers may come to."""
    for subset_estimate in event["subsets"]:
        subset = f"/{subset_estimate['subset']}" if subset_estimate["subset"] else ""
        yield f"  {subset_estimate['benchmark']}{subset}: {_asked(subset_estimate)}"
    yield f"In all: {_asked(event)}"
    most = event["max_tokens"]
    if most is None:
        yield "No limit is set on the tokens of an answer (--max-tokens)."
    else:
        yield f"The answers have at most {counted(event['answers'] * most, 'token')}, {most:,} each."
    if event["money"] is not None:
        whole = event["money_at_most"]
        longest = "" if whole is None else f", with the longest answers {_money(whole, event)}"
        yield f"Cost: the prompts about {_money(event['money'], event)}{longest}."
        if most is None:
            yield "What the answers cost is not known: nothing limits them."


def answered(event: Told) -> Iterator[str]:
    """Yield what an `end` says of answers, tokens and money, where any were asked for."""
    totals = event["asked"]
    if not totals["answers"]:
        return
    troubles = ", ".join(_troubles({**totals, "retries": 0, "unanswered": 0}))
    came = totals["answers"] - totals["unanswered"]
    read = f": {troubles}" if troubles else ", and all could be read"
    yield f"{came:,} of {counted(totals['wanted'], 'answer')} came{read if came else ''}"
    calls = f"{counted(totals['calls'], 'call')}, {totals['retries']:,} of them again after a failure"
    if flawed := totals.get("flawed"):
        calls += f", {flawed:,} with a field that could not be used"
    tokens = f"{counted(totals['tokens_in'], 'token')} in, {totals['tokens_out']:,} out (as the server counts them)"
    yield f"{tokens}; {calls}"
    if event["money"] is not None:
        yield f"Cost: {_money(event['money'], event)}"


def _asked(estimate: Told) -> str:
    prompts, answers = counted(estimate["prompts"], "prompt"), counted(estimate["answers"], "answer")
    characters, tokens = counted(estimate["characters"], "character"), counted(estimate["tokens_in"], "token")
    return f"{prompts} for {answers}, {characters}, about {tokens}"


def _troubles(counts: Told) -> list[str]:
    """Counts of what went wrong, those that are not 0."""
    words = {
        "unparsed": "unparsed",
        "cut": "cut at the token limit",
        "unanswered": "unanswered",
        "retries": "retry" if counts["retries"] == 1 else "retries",
    }
    return [f"{counts[name]:,} {word}" for name, word in words.items() if counts[name]]


def _money(amount: float, event: Told) -> str:
    """An amount with two digits, or four where it is small, in its currency's own word."""
    digits = 2 if amount >= 1 or not amount else 4
    return f"{amount:,.{digits}f} {event['currency']}".strip()


def _short(count: float) -> str:
    return f"{count:,.0f}" if count < 10_000 else f"{count / 1000:,.0f}k"


def words_of(event: Told, again: str) -> Iterator[str]:
    """Yield the lines that an event is worth, but for `progress`; none where it only counts.

    Args:
        event: as its JSON object. One that is not known says nothing.
        again: how to go on after an interruption, as in "the same command".
    """
    kind = event["event"]
    if kind == "start":
        yield started(event)
        yield from event["notes"]
    elif kind == "ready":
        # An engine that is a server tells its address; it had loaded its model before.
        served = "://" in event["engine"]
        yield f"connected to {event['engine']}" if served else f"{event['engine']} loaded in {event['seconds']:.1f} s"
    elif kind == "estimate":
        yield from estimated(event)
    elif kind == "cluster_estimate":
        yield from sized(event)
    elif kind == "notice":
        yield noticed(event)
    elif kind == "case_refused":
        truncated = event.get("scored_steps")
        yield f"truncated: {event['case']}: {event['reason']}" if truncated else lacking(event)
    elif kind == "end" and event["status"] != "failed":
        # Of a failure the process has said why on its own standard error.
        yield f"{ended(event, again)}."
        yield from _told_besides(event)


def _told_besides(event: Told) -> Iterator[str]:
    """What an `end` says after its first line."""
    if event.get("asked"):
        yield from answered(event)
    elif event["tokens"]:
        padding = event["padding"] / (event["tokens"] + event["padding"])
        other = f", {event['case_tokens']:,} of them for these cases" if event["case_tokens"] != event["tokens"] else ""
        yield f"{event['tokens']:,} tokens run{other}, {share(padding)}% padding besides"


def started(event: Told) -> str:
    """Return what a `start` says: what is there and what is to do."""
    refused = f", {event['refused']:,} refused before" if event["refused"] else ""
    return f"{event['scorer']}: {event['cached']:,} cached{refused}, {event['to_do']:,} to do"


def noticed(event: Told) -> str:
    """Return what a `notice` says, so that it is not overlooked: it changes what the numbers mean."""
    return f"NOTICE: {event['sentence']}"


def speed(event: Told, rate: float) -> str:
    """Describe a `progress` event without its counts, short enough for a line with a bar on 80 columns.

    `rate` comes from a `RecentRate`.
    """
    if event.get("asked"):
        return answering(event, rate)
    left = f"{rate:.1f} cases/s, {duration((event['to_do'] - event['done']) / rate)} left" if rate else ""
    refused = f"{event['refused']:,} refused" if event["refused"] else ""
    return ", ".join(filter(None, (left, refused)))


def sized(event: Told) -> Iterator[str]:
    """Yield what a `cluster_estimate` says."""
    workers, speed = counted(event["workers"], "worker"), f"{event['speed']:,.0f} tokens/s"
    cost = "" if event["cost"] is None else f"; {event['cost']:,.2f} at that price"
    yield (
        f"{workers} of {speed} would take {duration(event['seconds'])} for {event['cases']:,} cases of "
        f"{event['tokens']:,} tokens, the start left out; a worker has nothing to do for "
        f"{share(event['idle'])}% of it{cost}"
    )
    if event["measured"]:
        yield f"that speed was measured on {event['measured']}"


def node_lines(event: Told) -> Iterator[str]:
    """Yield what `nodes` says of each machine, where there are several."""
    nodes = event["nodes"]
    if len(nodes) < 2:
        return
    width = max(len(node["name"]) for node in nodes)
    for node in nodes:
        workers = counted(node["working"], "worker") if node["working"] else "no worker now"
        a_second = f", {node['tokens'] / node['computing']:,.0f} tokens/s" if node["computing"] else ""
        yield f"{node['name']:{width}}  {workers}, {counted(node['done'], 'case')}{a_second}"


def refusals(event: Told) -> str:
    """Return how many are refused, and how many of these have rewards for their first steps."""
    truncated = event.get("truncated", 0)
    return f"{event['refused']:,} refused" + (f" ({truncated:,} of them truncated)" if truncated else "")


def ended(event: Told, again: str) -> str:
    """Return what an `end` says first, unless the run failed: scored, refused and left make up what was to do.

    Args:
        event: the `end`.
        again: how to go on after an interruption, as in "the same command".
    """
    counts, scored, left = event.get("asked"), event["scored"], event["left"]
    to_do = scored + event["refused"] + left
    if counts:
        without = f", {event['refused']:,} lack some" if event["refused"] else ""
        scored_of = f"{scored:,} of {to_do:,} cases have all their answers{without}"
    else:
        scored_of = f"{scored:,} of {to_do:,} cases scored, {refusals(event)}"
    took = f"in {event['seconds']:.1f} s"
    if event["status"] == "dry_run":
        if counts:
            return f"Only looked: {left:,} cases lack {counts['wanted']:,} answers; nothing was asked or saved"
        would = f"{left:,} of {to_do:,} cases would be scored, {refusals(event)}"
        return f"Only looked: {would}, {event['case_tokens']:,} tokens; nothing was run or saved"
    if event["status"] == "interrupted":
        if not to_do:
            return f"Interrupted before anything was computed; {again} starts anew"
        return f"Interrupted: {scored_of}, {left:,} left, {took}; {again} goes on with what is left"
    if not to_do:
        have = "all their answers" if counts else "rewards"
        return f"Nothing to do: {event['cached']:,} cases have {have}, {event['cached_refused']:,} were refused before"
    return f"Done: {scored_of}, {took}"


def failed(event: Told) -> str:
    """Return what an `end` says of a run that failed."""
    error = event.get("error")
    return str(InspectError.of(error)) if error else ""
