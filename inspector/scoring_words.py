"""The events of a scoring run (see `scoring.events`) in words, the same in the shell and in the app."""

from collections.abc import Iterator

from inspector.critic_words import Told, answered, answering, estimated, lacking
from inspector.durations import duration
from inspector.render.cells import share
from inspector.sentences import counted


def words_of(event: Told, again: str) -> Iterator[str]:
    """The lines that an event is worth, but for `progress`; none where it only counts.

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
    """What a `start` says: what is there and what is to do."""
    refused = f", {event['refused']:,} refused before" if event["refused"] else ""
    return f"{event['scorer']}: {event['cached']:,} cached{refused}, {event['to_do']:,} to do"


def noticed(event: Told) -> str:
    """What a `notice` says, so that it is not overlooked: it changes what the numbers mean."""
    return f"NOTICE: {event['sentence']}"


def speed(event: Told) -> str:
    """What a `progress` says beside its counts, short enough for a line with a bar on 80 columns."""
    if event.get("asked"):
        return answering(event)
    a_second = event["done"] / event["seconds"] if event["seconds"] else 0.0
    refused = f", {event['refused']:,} refused" if event["refused"] else ""
    left = f", {duration((event['to_do'] - event['done']) / a_second)} left" if a_second else ""
    return f"{a_second:.1f} cases/s{left}{refused}"


def sized(event: Told) -> Iterator[str]:
    """What a `cluster_estimate` says."""
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
    """What `nodes` says of each machine, where there are several."""
    nodes = event["nodes"]
    if len(nodes) < 2:
        return
    width = max(len(node["name"]) for node in nodes)
    for node in nodes:
        workers = counted(node["working"], "worker") if node["working"] else "no worker now"
        a_second = f", {node['tokens'] / node['computing']:,.0f} tokens/s" if node["computing"] else ""
        yield f"{node['name']:{width}}  {workers}, {counted(node['done'], 'case')}{a_second}"


def refusals(event: Told) -> str:
    """How many are refused, and how many of these have rewards for their first steps."""
    truncated = event.get("truncated", 0)
    return f"{event['refused']:,} refused" + (f" ({truncated:,} of them truncated)" if truncated else "")


def ended(event: Told, again: str) -> str:
    """What an `end` says first, unless the run failed: scored, refused and left make up what was to do.

    Args:
        event: the `end`.
        again: how to go on after an interruption, as in "the same command".
    """
    asked, scored, left = event.get("asked"), event["scored"], event["left"]
    to_do = scored + event["refused"] + left
    if asked:
        without = f", {event['refused']:,} lack some" if event["refused"] else ""
        scored_of = f"{scored:,} of {to_do:,} cases have all their answers{without}"
    else:
        scored_of = f"{scored:,} of {to_do:,} cases scored, {refusals(event)}"
    took = f"in {event['seconds']:.1f} s"
    if event["status"] == "dry_run":
        if asked:
            return f"Only looked: {left:,} cases lack {asked['wanted']:,} answers; nothing was asked or saved"
        would = f"{left:,} of {to_do:,} cases would be scored, {refusals(event)}"
        return f"Only looked: {would}, {event['case_tokens']:,} tokens; nothing was run or saved"
    if event["status"] == "interrupted":
        if not to_do:
            return f"Interrupted before anything was computed; {again} starts anew"
        return f"Interrupted: {scored_of}, {left:,} left, {took}; {again} goes on with what is left"
    if not to_do:
        have = "all their answers" if asked else "rewards"
        return f"Nothing to do: {event['cached']:,} cases have {have}, {event['cached_refused']:,} were refused before"
    return f"Done: {scored_of}, {took}"


def failed(event: Told) -> str:
    """What an `end` says of a run that failed."""
    error = event.get("error") or {}
    title = f"{error['title']}:" if error.get("title") else ""
    return " ".join(filter(None, (title, error.get("sentence"), error.get("next_step"))))
