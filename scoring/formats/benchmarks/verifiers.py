"""verifiers' traces, `traces.jsonl`: an episode a line, whose traces are graphs of messages; each path is a rollout.

Episode: `id, env, task, group, errors, traces[]`. Trace: `nodes[{parent, message{role, content, tool_calls}, sampled,
token_ids, mask, logprobs, advantages}], rewards{name: {score, weight} | null}, metrics, is_completed, stop_condition`;
`parent` is the place of a node in `nodes`, null of a root. PrimeIntellect-ai/verifiers 0.3.0 (@a60a606), `v1/trace.py`;
Apache-2.0. Lines in that shape were tried, and no run of anybody's. Its older `results.jsonl` is not read.

The steps of a path from a root to a leaf are its sampled messages of the assistant, one a step, a call of a tool being
written out; the problem is what the user said before the first of them. The other messages, such as what a tool
answered, are context. A trace's rewards, times their weights, are summed as `reward`, and stand
under their own names as `rewards.NAME`; none of them is taken for whether the answer is right, as they may be of
anything. `advantages` are of tokens and no step rewards.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.formats.benchmarks.rollouts import Trajectory, rollout, rollout_format
from scoring.formats.benchmarks.trajectories import context_message, turn_text
from scoring.formats.reading.fields import Fields

NAME = "verifiers"
MOST_PATHS = 1000
"""Paths of a trace that are read: a graph of few nodes may branch into many."""
_OF_TRACES = ("is_completed", "stop_condition")
_OF_EPISODES = ("env", "group")


def recognises(row: Any) -> bool:
    """Return whether a row is an episode: it has traces, and the first has nodes."""
    traces = row.get("traces") if isinstance(row, Mapping) else None
    return isinstance(traces, list) and bool(traces) and isinstance(traces[0], Mapping) and "nodes" in traces[0]


def _rollouts(episode: Fields) -> Iterator[dict[str, Any]]:
    traces = episode.value.get("traces")
    if not isinstance(traces, list) or not traces:
        episode.note("error", "no-traces", "the episode has no traces")
        return
    for at, trace in enumerate(traces):
        if not isinstance(trace, Mapping) or not isinstance(trace.get("nodes"), list):
            episode.note("error", "broken-trace", f"trace {at} (0-based) has no list of nodes")
            continue
        nodes = trace["nodes"]
        paths = list(_paths(episode, at, nodes))
        for place, path in enumerate(paths):
            record = _rollout(
                episode, trace, [nodes[node] if isinstance(nodes[node], Mapping) else {} for node in path]
            )
            if record is None:
                episode.note("warning", "no-steps", f"path {place} of trace {at} (0-based) holds no sampled message")
                continue
            name = _identifier(episode) or record["id"]
            yield {**record, "id": f"{name}#{at}" if len(paths) == 1 else f"{name}#{at}.{place}"}


def _paths(episode: Fields, at: int, nodes: Sequence[Any]) -> Iterator[list[int]]:
    """The places of nodes from a root to each leaf, in the order of the leaves; what leads nowhere is told of."""
    if not nodes:
        episode.note("warning", "no-steps", f"trace {at} (0-based) has no nodes")
    parents = [node.get("parent") if isinstance(node, Mapping) else None for node in nodes]
    inside = {parent for parent in parents if type(parent) is int}
    seen: set[int] = set()
    read = 0
    for leaf in (place for place in range(len(nodes)) if place not in inside):
        path = _path(leaf, parents)
        seen.update(path or [leaf])
        if path is None:
            message = f"node {leaf} of trace {at} (0-based) does not lead back to a root"
            episode.note("warning", "broken-path", message)
            continue
        if read == MOST_PATHS:
            message = f"trace {at} (0-based) has more than {MOST_PATHS:,} paths; the first ones are read"
            episode.note("warning", "too-many-paths", message)
            return
        read += 1
        yield path
    if lost := len(nodes) - len(seen):
        message = f"{lost:,} nodes of trace {at} (0-based) lead to no leaf: their parents go round in a circle"
        episode.note("warning", "broken-path", message)


def _path(leaf: int, parents: Sequence[Any]) -> list[int] | None:
    """The places from the root to a leaf; None where its parents are no nodes, or go round in a circle."""
    path = [leaf]
    while (parent := parents[path[-1]]) is not None:
        if type(parent) is not int or not 0 <= parent < len(parents) or len(path) > len(parents):
            return None
        path.append(parent)
    return path[::-1]


def _rollout(episode: Fields, trace: Mapping[str, Any], path: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    places = [place for place, node in enumerate(path) if _is_step(node)]
    if not places:
        return None
    messages = [node.get("message") for node in path]
    texts = episode.of({"steps": [turn_text(messages[place]) for place in places]}).texts("steps")
    context = [context_message(episode, message) for place, message in enumerate(messages) if place not in places]
    trajectory = Trajectory(texts or [], places, context)
    before = [words for message in messages[: places[0]] if _role(message) == "user" and (words := turn_text(message))]
    beside = {
        **{key: episode.value.get(key) for key in _OF_EPISODES},
        **{key: trace.get(key) for key in _OF_TRACES},
        **_rewards(trace),
        **{f"metrics.{name}": value for name, value in _named(trace.get("metrics"))},
    }
    fields = episode.of({key: value for key, value in beside.items() if value is not None})
    return rollout(fields, "\n\n".join(before), None, None, trajectory)


def _identifier(episode: Fields) -> str | None:
    value = episode.value.get("id")
    return value if isinstance(value, str) and value.strip() else str(value) if type(value) is int else None


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else None


def _is_step(node: Mapping[str, Any]) -> bool:
    return bool(node.get("sampled")) and _role(node.get("message")) == "assistant"


def _named(values: Any) -> Iterator[tuple[str, Any]]:
    return iter(values.items()) if isinstance(values, Mapping) else iter(())


def _rewards(trace: Mapping[str, Any]) -> dict[str, float]:
    scores: dict[str, float] = {}
    total = 0.0
    for name, reward in _named(trace.get("rewards")):
        score = _finite(reward.get("score")) if isinstance(reward, Mapping) else None
        if score is not None:
            weight = _finite(reward.get("weight"))
            scores[f"rewards.{name}"] = score
            total += score * (1.0 if weight is None else weight)
    return {**scores, "reward": total} if scores else {}


def _finite(value: Any) -> float | None:
    fits = isinstance(value, float) and math.isfinite(value)
    return float(value) if fits or (type(value) is int and abs(value) < 2**53) else None


FORMAT = rollout_format(NAME, _rollouts, "")
load = FORMAT.load
