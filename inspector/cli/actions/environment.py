"""`doctor`: what is installed and usable here, or what files hold; it looks and changes nothing."""

import argparse
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polars as pl

from inspector.render.texts.text import clean
from inspector.state.processes.job import LOG
from scoring import __version__
from scoring.data.errors import InspectError
from scoring.data.own_code import installed, package_of
from scoring.data.python_child import run_python
from scoring.data.secrets import KEY_LIKE, keep_secret, key_like
from scoring.data.storage.parquet import read_parquet
from scoring.engines.server.address import GENERAL, OPENAI
from scoring.formats.benchmarks.own import GROUP as BENCHMARKS
from scoring.formats.reading.compressed_streams import size_words
from scoring.metrics.plugins import GROUPS as PLUGINS
from scoring.models.prms.own import GROUP as ADAPTERS
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import find_workspace

PACKAGES = ("textual", "rich", "polars", "numpy")
ENGINES: dict[str, tuple[tuple[str, ...], str]] = {
    "transformers": (("torch", "transformers"), "score"),
    "vllm": (("vllm",), "vllm"),
    "server": (("httpx", "httpx_retries"), "server"),
    "ray": (("ray",), "ray"),
    "hf: names": (("datasets",), "score"),
    "serve": (("textual_serve",), "serve"),
    "object storage": (("obstore",), "remote"),
    "final answers": (("math_verify",), "answers"),
}
"""Engine -> the packages it needs and the extra that brings them."""

_PROBE_SECONDS = 180


def run(args: argparse.Namespace) -> int:
    """Print what was found; 1 where something is installed and broken, or a file has a warning."""
    if args.paths:
        from inspector.cli.actions import importing

        return importing.examine(args)
    probed, broken = _probe()
    workspace, about = _workspace(args)
    exposed = list(_exposed(workspace.root)) if workspace and workspace.root else []
    for line in [*_host(), about, *exposed, *_engines(probed), *_own_code()]:
        print(clean(line))
    return 1 if broken or exposed else 0


def _probe() -> tuple[dict[str, dict[str, Any]], bool]:
    """Facts a package from a process of its own; whether one that is installed cannot be used."""
    try:
        answer = run_python("scoring.engines.probe", timeout=_PROBE_SECONDS)
        probed: dict[str, dict[str, Any]] = json.loads(answer.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return {}, True
    return probed, any(facts["installed"] and not facts["usable"] for facts in probed.values())


def _host() -> Iterator[str]:
    host = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield f"prm-inspect {__version__}, {host}"
    yield "  " + ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = f", {size_words(os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE'))} of memory"
    yield f"  {os.cpu_count()} processors{memory}, {size_words(shutil.disk_usage(Path.cwd()).free)} free on this disk"


def _workspace(args: argparse.Namespace) -> tuple[Workspace | None, str]:
    """The workspace, if there is one, and a line about it."""
    try:
        workspace = find_workspace(args.workspace)
    except InspectError as error:
        return None, f"workspace: none ({error.sentence})"
    names = ", ".join(workspace.default_benchmarks()) or "nothing imported"
    scorers = len(workspace.reward_folders())
    writable = "" if workspace.root and os.access(workspace.root, os.W_OK) else ", not writable"
    return workspace, f"workspace: {workspace.place}: {names}; {scorers} scorers{writable}"


def _exposed(root: Path) -> Iterator[str]:
    """A line for every file with words of servers that hold a key, or what looks like one: nothing of it is shown."""
    for _, secret in _key_variables():
        keep_secret(secret)
    # What was removed keeps what it holds until the trash is emptied.
    homes = [*sorted(root.glob("rewards/*")), *sorted(root.glob("trash/*/*"))]
    parts = [part for home in homes for part in sorted(home.glob("*.parquet"))]
    others = [path for path in (*(home / "scorer.json" for home in homes), root / LOG) if path.is_file()]
    for path in [*parts, *others]:
        count = _rows_with_keys(path) if path.suffix == ".parquet" else key_like(path.read_text(errors="replace"))
        if count:
            place = path.relative_to(root)
            yield f"  {place} holds what looks like an API key ({count} {'text' if count == 1 else 'texts'}). Revoke it"
            yield "  where it was issued, and keep this workspace to yourself."


def _rows_with_keys(part: Path) -> int:
    """How many rows of a part hold a key; 0 where it cannot be read, which whoever reads its rewards says."""
    texts, known = pl.selectors.string(), [secret for _, secret in _key_variables()]
    like = [texts.str.contains(KEY_LIKE), *(texts.str.contains(secret, literal=True) for secret in known)]
    try:
        rows = read_parquet(part, texts, where=pl.any_horizontal(*like))
    except OSError:
        return 0
    return sum(any(isinstance(text, str) and key_like(text) for text in row) for row in rows.iter_rows())


def _engines(probed: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    if not probed:
        yield f"engines: asking them took more than {_PROBE_SECONDS} seconds or ended without an answer"
        return
    yield "engines"
    for engine, (packages, extra) in ENGINES.items():
        facts = [probed[name] for name in packages]
        if all(fact["usable"] for fact in facts):
            versions = ", ".join(f"{name} {probed[name]['version']}" for name in packages)
            device = probed[packages[-1]].get("device")
            on, keys = f" on {device}" if device else "", _keys() if engine == "server" else ""
            yield f"  {engine}: usable{on} ({versions}){keys}"
            if pooling := probed[packages[-1]].get("pooling"):
                yield f"    {pooling}; a run checks with its first case that a reward comes for every step"
        elif any(fact["installed"] and not fact["usable"] for fact in facts):
            errors = "; ".join(
                str(fact.get("error") or "no device") for fact in facts if fact["installed"] and not fact["usable"]
            )
            yield f"  {engine}: installed but not usable: {errors}"
        else:
            yield f"  {engine}: not installed. Run: pip install 'prm-inspect[{extra}]'"
    torch = probed["torch"]
    if torch["usable"]:
        none = f"CPU only ({torch['no_card']})" if torch["no_card"] else "CPU only"
        yield f"  devices: {', '.join(map(_card, torch['devices'])) or none}, {torch['threads']} threads"


def _card(device: Mapping[str, Any]) -> str:
    """A card by name, with its memory and what has to be known of it before a model is put on it."""
    if error := device.get("error"):
        return f"{device['name']} (does not compute: {error})"
    slow = "" if device["bfloat16"] else "; it has no bfloat16 of its own, --dtype float16 is faster"
    return f"{device['name']} ({size_words(device['free'])} free of {size_words(device['memory'])}{slow})"


def _own_code() -> Iterator[str]:
    """What installed packages add, by name and not imported."""
    names = {"adapter": ADAPTERS, "benchmark": BENCHMARKS, **PLUGINS}
    entries = [(kind, name, entry) for kind, group in names.items() for name, entry in installed(group).items()]
    if entries:
        yield "code of your own"
    for kind, name, entry in entries:
        yield f"  {kind} {name}: {entry.value} of the package {package_of(entry)}"


def _keys() -> str:
    """Which variables hold a key for servers, by name alone."""
    named = sorted(name for name, _ in _key_variables() if name.startswith(GENERAL))
    return f"; keys in {', '.join(f'${name}' for name in named)}" if named else f"; no key in ${GENERAL}"


def _key_variables() -> list[tuple[str, str]]:
    """The environment variables that hold keys of servers, and the keys. One that is set to nothing is no key."""
    named = [(name, value.strip()) for name, value in os.environ.items() if name.startswith(GENERAL) or name == OPENAI]
    return [(name, value) for name, value in named if value]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
