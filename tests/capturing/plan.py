"""What is captured: workspaces, and the commands that are run on each.

Workspaces are made by the old commit, so that both read what it wrote; how they import is compared by itself.
"""

import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEMO, KEPT, MR_MATH, PUBLISHED = "demo", "kept", "mr-math", "published"
SPACE = "workspace"


@dataclass(frozen=True)
class Command:
    """One command: in which workspace's folder, and its words as one would type them."""

    space: str
    line: str

    @property
    def name(self) -> str:
        """What it is called where captures are chosen and compared, such as `demo: metrics --json`."""
        return f"{self.space}: {self.line}"

    @property
    def words(self) -> list[str]:
        """The arguments of the program."""
        return shlex.split(self.line)


def commands(space: str, benchmarks: dict[str, Sequence[str]]) -> Iterator[Command]:
    """The commands for a workspace that holds these benchmarks with these scorers, best known first."""
    lines = [*_on_all(space), *(line for name, scorers in benchmarks.items() for line in _on(name, scorers))]
    place = "" if space == DEMO else f" -w {SPACE}"
    for line in dict.fromkeys(lines):
        yield Command(space, line + place)


def _on_all(space: str) -> Iterator[str]:
    """What is asked of a whole workspace."""
    if space == DEMO:
        yield from ("demo --no-app", "prms --json", "prms qwen", "keys --json", "keys", "--help", "metrics --help")
        return
    for what in ("scorers", "benchmarks", "board", "metrics", "triage", "agreement", "taxonomy", "votes", "best-of-n"):
        yield f"{what} --json"
        yield what
    yield from ("triage --gone --json", "agreement --confusion --json", "agreement --disagreements --json")
    yield from ("taxonomy --notes --json", "taxonomy --saturation --json", "taxonomy --by scorer --json")
    yield from ("export triage --to csv", "export triage --to jsonl")


def _on(benchmark: str, scorers: Sequence[str]) -> Iterator[str]:
    """What is asked of one benchmark with its scorers."""
    here = f"--benchmark {benchmark}"
    for form in ("--json", "", "--csv", "--markdown", "--latex", "--jsonl"):
        yield f"metrics {here} {form}"
        yield f"board {here} {form}"
        yield f"stats {here} {form}"
    yield from _of_cases(here, scorers)
    yield from (f"export cases {here} --to {form}" for form in ("processbench", "prmbench", "prm800k", "trl"))
    if scorers:
        yield from _of_scorers(here, scorers)
    for protocol in ("processbench", "prmbench", "socratic", "grben"):
        yield f"metrics {here} --protocol {protocol} --json"
    for name in ("processbench", "prmbench", "socratic", "grben"):
        if name in {benchmark, "grben"}:
            yield f"paper {name} 2 --json"
            yield f"paper {name} 3 --all --json"


def _of_cases(here: str, scorers: Sequence[str]) -> Iterator[str]:
    yield f"cases {here} --jsonl"
    yield f"cases {here} --csv"
    yield f"cases {here} --where 'n_steps > 6' --sort n_steps:desc"
    yield f"cases {here} --search 'the total' --in steps --json"
    yield f"cases {here} --where 'no_such > 6'"
    yield f"breakdown {here} --json"
    yield f"breakdown {here}"
    for of in ("offset", "position", "step_position", "aligned", "rewards", "reliability", "length"):
        yield f"breakdown {here} --of {of} --json"
    for scorer in scorers[:1]:
        yield f"cases {here} --scorer {scorer} --sort instructive --columns margin,rewards,verdict,outcome --jsonl"


def _of_scorers(here: str, scorers: Sequence[str]) -> Iterator[str]:
    first, second = scorers[0], scorers[1] if len(scorers) > 1 else scorers[0]
    pair = f"{first} {second} {here}"
    yield from (f"board {here} --rows {rows} --json" for rows in ("benchmark", "scorer", "subset"))
    yield from (
        f"board {here} --against {first} --json",
        f"board {here} --baselines",
        f"board {here} --published --json",
    )
    yield from (f"metrics {here} --threshold {how} --json" for how in ("0.3", "best", "dev"))
    yield from (
        f"metrics {here} --by n_steps --json",
        f"metrics {here} --baselines --json",
        f"metrics {here} --seed 7 --json",
    )
    yield from (f"metrics {here} --labels both --json", f"metrics {here} --unparsed drop --json")
    yield from (f"metrics {here} --rule 'diff<=' --json", f"metrics {here} --where 'n_steps > 4' --json")
    for flags in ("", "--curve 21", "--flips 0.3 0.6"):
        yield f"thresholds {here} --scorer {first} {flags} --json"
        yield f"thresholds {here} --scorer {first} {flags}"
    if second != first:
        yield from (f"compare {pair} {form}" for form in ("--json", "", "--markdown", "--cascade --json"))
        yield from (
            f"card {pair} --json",
            f"card {pair}",
            f"breakdown {here} --scorer {first} --scorer {second} --difference --json",
        )
        yield from (f"check {first} --baseline {second} {here} --json", f"check {first} --baseline {second} {here}")
    for flags in ("", "--pairs", "--upset"):
        yield from (f"compare {here} {flags} --json", f"compare {here} {flags}")
    yield from (f"{what} {here} --json" for what in ("bias", "contested", "highlights", "votes"))
    yield from (f"{what} {here}" for what in ("bias", "contested", "highlights"))
    yield f"report {here} --cases 3 --markdown"
    yield from (f"export rewards {here} --scorer {first} --to {form}" for form in ("mr_eval", "grben"))


def import_space(space: str) -> str:
    """The folder in which both sides import what `space` holds."""
    return f"import-{space}"


def importing(files: dict[str, Sequence[str]]) -> Iterator[Command]:
    """Imports of files into a workspace of their own, and what then is in it."""
    for space, paths in files.items():
        quoted = " ".join(map(shlex.quote, paths))
        yield Command(import_space(space), f"doctor {quoted}")
        yield Command(import_space(space), f"import {quoted} -w {SPACE}")
        yield Command(import_space(space), f"import {quoted} -w {SPACE}")
        for what in ("scorers --json", "benchmarks --json", "cases --jsonl", "metrics --json"):
            yield Command(import_space(space), f"{what} -w {SPACE}")


def invented(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rewards of two scorers that have read nothing, for cases of which `case`, `id`, `n_steps` are known.

    Most first errors have a low reward, so that metrics are neither 0 nor undefined; drawn from the case's name alone.
    """
    scored = []
    for row in rows:
        gold = row["earliest_error"]
        draws = [[_draw(f"{scorer}/{row['case']}/{step}") for step in range(row["n_steps"])] for scorer in "ab"]
        for rewards, share in zip(draws, (0.7, 0.4), strict=True):
            rewards[:] = [round(0.4 + 0.6 * draw, 4) for draw in rewards]
            if gold is not None and 0 <= gold < len(rewards) and _draw(f"{share}/{row['case']}") < share:
                rewards[gold] = round(0.5 * rewards[gold], 4)
        scored.append({"id": row["id"], "a": draws[0], "b": draws[1]})
    return scored


def redundant(lines: Iterable[str]) -> Iterator[str]:
    """Lines of PRMBench's toolkit with invented numbers for redundancy beside those for validity."""
    for line in lines:
        row = json.loads(line)
        scores = row["results"]["scores"]
        steps = range(len(scores["step_level_validity_scores"]))
        drawn = [round(_draw(f"{row['results']['idx']}/{step}"), 4) for step in steps]
        scores["step_level_redundancy_scores"] = drawn
        scores["step_level_redundancy_labels"] = [value > 0.8 for value in drawn]
        yield json.dumps({**row, "model_name": "with-redundancy"})


def _draw(name: str) -> float:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=6).digest()) / 2**48


def published(data: Path) -> dict[str, list[str]]:
    """The files of published benchmarks that are there, by the workspace that they go into."""
    wanted = {
        MR_MATH: [data / "mr-math" / "mr-math_invalid_errors.json", data / "mr-math" / "eval_results"],
        PUBLISHED: [data / "processbench", data / "prmbench", data / "socratic-prmbench"],
    }
    return {space: [str(path) for path in paths] for space, paths in wanted.items() if all(map(Path.exists, paths))}
