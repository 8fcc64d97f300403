"""The events of a scoring run (see `scoring.events`) in words, the same in the shell and in the app."""

from collections.abc import Mapping
from typing import Any

Told = Mapping[str, Any]
"""An event as its JSON object."""


def started(event: Told) -> str:
    """What a `start` says: what is there and what is to do."""
    refused = f", {event['refused']:,} refused before" if event["refused"] else ""
    return f"{event['scorer']}: {event['cached']:,} cached{refused}, {event['to_do']:,} to do"


def speed(event: Told) -> str:
    """What a `progress` says beside its counts, short enough for a line with a bar on 80 columns."""
    a_second = event["done"] / event["seconds"] if event["seconds"] else 0.0
    refused = f", {event['refused']:,} refused" if event["refused"] else ""
    left = f", {_duration((event['to_do'] - event['done']) / a_second)} left" if a_second else ""
    return f"{a_second:.1f} cases/s{left}{refused}"


def _duration(seconds: float) -> str:
    """Seconds up to two minutes, minutes up to two hours, then hours."""
    if seconds <= 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds <= 7200 else f"{seconds / 3600:.1f} h"


def refusals(event: Told) -> str:
    """How many are refused, and how many of these have rewards for their first steps."""
    truncated = event.get("truncated", 0)
    return f"{event['refused']:,} refused" + (f" ({truncated:,} of them truncated)" if truncated else "")


def ended(event: Told, again: str) -> str:
    """What an `end` says, unless the run failed: scored, refused and left make up what was to do.

    Args:
        event: the `end`.
        again: how to go on after an interruption, as in "the same command".
    """
    scored, left = event["scored"], event["left"]
    to_do = scored + event["refused"] + left
    counted = f"{scored:,} of {to_do:,} cases scored, {refusals(event)}"
    took = f"in {event['seconds']:.1f} s"
    if event["status"] == "dry_run":
        would = f"{left:,} of {to_do:,} cases would be scored, {refusals(event)}"
        return f"Only looked: {would}, {event['case_tokens']:,} tokens; nothing was run or saved"
    if event["status"] == "interrupted":
        if not to_do:
            return f"Interrupted before anything was computed; {again} starts anew"
        return f"Interrupted: {counted}, {left:,} left, {took}; {again} goes on with what is left"
    if not to_do:
        return f"Nothing to do: {event['cached']:,} cases have rewards, {event['cached_refused']:,} were refused before"
    return f"Done: {counted}, {took}"


def failed(event: Told) -> str:
    """What an `end` says of a run that failed."""
    error = event.get("error") or {}
    return " ".join(error[part] for part in ("title", "sentence", "next_step") if error.get(part))
