"""`tests/captures`: makes both sides, runs the commands, tells the differences."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from zipfile import ZipFile

from capturing import plan
from capturing.comparing import Difference, Intended, Renaming, Said, differences
from capturing.plan import SPACE, Command

ROOT = Path(__file__).resolve().parents[2]
DIFFERENCES = Path(__file__).with_name("differences.toml")
_SHOWN = 6


@dataclass(frozen=True)
class Side:
    """One version: its tree, the interpreter that has what it needs, and the folder in which it works."""

    tree: Path
    python: Path
    folder: Path

    def start(self, commands: Sequence[Command], names: Sequence[str]) -> "subprocess.Popen[bytes]":
        """Run the commands one after another in a process of its own; what they say goes to `said/NAME.*`."""
        (self.folder / "said").mkdir(exist_ok=True)
        named = zip(commands, names, strict=True)
        asked = [{"name": name, "folder": command.space, "words": command.words} for command, name in named]
        process = subprocess.Popen(
            [self.python, ROOT / "tests" / "capturing" / "running.py", self.folder / "said"],
            stdin=subprocess.PIPE,
            cwd=self.folder,
            env=self._environment(),
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(asked).encode())
        process.stdin.close()
        return process

    def run(self, *words: str, space: str) -> str:
        """What one command prints, which has to succeed."""
        command = [self.python, "-m", "inspector.cli", *words]
        done = subprocess.run(
            command, cwd=self.folder / space, env=self._environment(), capture_output=True, text=True, check=False
        )
        if done.returncode not in {0, 1}:
            raise SystemExit(f"{' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def said(self, name: str) -> Said:
        """What the command of this name said, the folder of this side by the same name as that of the other."""
        at = self.folder / "said" / name
        texts = (at.with_suffix(suffix).read_text(errors="replace") for suffix in (".out", ".err"))
        out, err = (text.replace(str(self.folder), "(folder)") for text in texts)
        return Said(int(at.with_suffix(".code").read_text()), out, err)

    def _environment(self) -> dict[str, str]:
        homes = {f"XDG_{name}_HOME": str(self.folder / "home" / name.lower()) for name in ("DATA", "STATE", "CONFIG")}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PRM_INSPECT")}
        known = {"PYTHONPATH": str(self.tree), "HF_HUB_OFFLINE": "1", "COLUMNS": "120", "NO_COLOR": "1", "USER": "ann"}
        return {**kept, **known, **homes}


def main() -> int:
    """Compare, and tell; the exit code."""
    args = _arguments()
    began = time.monotonic()
    rules = tomllib.loads(DIFFERENCES.read_text())
    renamings = [Renaming(**rule) for rule in rules.get("renaming", ())]
    intended = [Intended(**rule) for rule in rules.get("difference", ())]
    with ExitStack() as stack:
        folder = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="captures-")))
        old = Side(*old_version(args.commit), folder / "old")
        new = Side(ROOT, _present(), folder / "new")
        commands = [command for command in _prepared(old, new, args.only) if fnmatchcase(command.name, args.only)]
        if not commands:
            raise SystemExit(f"no command matches {args.only!r}; they are called as 'demo: metrics --benchmark demo'")
        print(f"Prepared in {time.monotonic() - began:.0f} s; {len(commands)} commands", flush=True)
        names = [f"{number:04d}" for number in range(len(commands))]
        for process in [side.start(commands, names) for side in (old, new)]:
            if process.wait():
                raise SystemExit(f"a side ended with exit code {process.returncode}")
        code = 0
        for command, name in zip(commands, names, strict=True):
            before, after = old.said(name), new.said(name)
            if args.show and fnmatchcase(command.name, args.show):
                print(f"== {command.name}\n-- old\n{before.out}{before.err}\n-- new\n{after.out}{after.err}")
            code |= _report(command.name, list(differences(before, after, renamings)), intended)
    _summary(intended, whole=args.only == "*")
    print(f"{'Differences' if code else 'No difference that is not named'}, after {time.monotonic() - began:.0f} s")
    return code


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("tests/captures", description="Compare what this tree says with an old commit.")
    parser.add_argument("commit", help="the old commit")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="commands whose `SPACE: WORDS` match")
    parser.add_argument("--show", default="", metavar="PATTERN", help="also print what both sides say to these")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in this new folder and leave it")
    args = parser.parse_args()
    for name in ("only", "show"):
        given = getattr(args, name)
        if given and "*" not in given:
            setattr(args, name, f"*{given}*")
    return args


def workspace_zip(version: str) -> Path:
    """Return the path of the zip that holds a workspace which an old version wrote."""
    return ROOT / "tests" / "data" / f"workspace-{version}.zip"


def old_version(commit: str) -> tuple[Path, Path]:
    """The old commit's tree and interpreter, made where they are not there yet."""
    try:
        whole = _git("rev-parse", f"{commit}^{{commit}}")
    except subprocess.CalledProcessError:
        raise SystemExit(f"{commit} is not a commit of this checkout; git log names them") from None
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "prm-inspect-captures" / whole
    tree, python = home / "tree", home / "env" / "bin" / "python"
    if not (home / "ready").exists():
        shutil.rmtree(home, ignore_errors=True)
        tree.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", whole], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x"], cwd=tree, input=archive, check=True)
        print(f"Building an environment for {commit}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", home / "env"], check=True)
        wanted = ["-c", ".ci/constraints.txt", ".[score,server,agreement]"]
        command = [python, "-m", "pip", "install", "--quiet", *wanted]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"no environment for {commit}: {done.stderr}")
        (home / "ready").touch()
    return tree, python


def _present() -> Path:
    """The interpreter that has what this tree needs: that of the checkout, else the one that runs this."""
    there = ROOT / ".venv" / "bin" / "python"
    return there if there.exists() else Path(sys.executable)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _prepared(old: Side, new: Side, only: str) -> list[Command]:
    """Make the workspaces of both sides that the pattern may mean; the commands to run in them."""
    data = Path(os.environ.get("PRM_INSPECT_DATA") or ROOT.parent / "shared" / "data")
    files = plan.published(data)
    possible = (plan.DEMO, plan.KEPT, *files, *map(plan.import_space, files))
    meant = [space for space in possible if _may_mean(only, space)]
    for space in meant:
        for side in (old, new):
            (side.folder / space).mkdir(parents=True)
    spaces = [space for space in meant if space in {plan.DEMO, plan.KEPT, *files}]
    if plan.KEPT in spaces:
        with ZipFile(workspace_zip("0.1")) as packed:
            packed.extractall(old.folder / plan.KEPT)
    for space in (space for space in spaces if space in files):
        old.run("import", "-q", *files[space], "-w", SPACE, space=space)
    for benchmark in ("processbench", "prmbench", "socratic") if plan.PUBLISHED in spaces else ():
        _score(old, benchmark)
    commands = []
    for space in spaces:
        if space != plan.DEMO:
            shutil.copytree(old.folder / space, new.folder / space, dirs_exist_ok=True)
        commands += plan.commands(space, _benchmarks(old, space))
    return [
        *commands,
        *plan.importing({space: paths for space, paths in files.items() if plan.import_space(space) in meant}),
    ]


def _may_mean(pattern: str, space: str) -> bool:
    return pattern.startswith("*") or fnmatchcase(f"{space}: ", f"{pattern.split(':', maxsplit=1)[0]}: ")


def _score(old: Side, benchmark: str) -> None:
    """Give a benchmark of the published ones invented scorers."""
    space, here = plan.PUBLISHED, ("--benchmark", benchmark, "-w", SPACE)
    columns = ("--columns", "case,id,n_steps,earliest_error")
    rows = [json.loads(line) for line in old.run("cases", *here, *columns, "--jsonl", space=space).splitlines()]
    folder = old.folder / space
    file, mapping = folder / f"{benchmark}.jsonl", folder / f"{benchmark}-mapping.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in plan.invented(rows)))
    mapping.write_text(json.dumps({"format": 1, "id": "id", "rewards": {f"{benchmark}-a": "a", f"{benchmark}-b": "b"}}))
    old.run("import", "-q", file.name, "--mapping", mapping.name, *here, space=space)
    if benchmark == "prmbench":
        lines = old.run("export", "rewards", *here, "--scorer", "prmbench-a", "--to", "mr_eval", space=space)
        more = folder / "with-redundancy.jsonl"
        more.write_text("".join(f"{line}\n" for line in plan.redundant(lines.splitlines())))
        old.run("import", "-q", more.name, *here, space=space)


def _benchmarks(old: Side, space: str) -> dict[str, list[str]]:
    """The benchmarks of a workspace with the scorers that have rewards for them."""
    if space == plan.DEMO:
        return {"demo": ["tiny-prm-m", "blend", "tiny-prm-s"]}
    rows = json.loads(old.run("metrics", "-w", SPACE, "--json", space=space))["rows"]
    scorers: dict[str, list[str]] = {}
    for line in json.loads(old.run("benchmarks", "-w", SPACE, "--json", space=space))["rows"]:
        scorers.setdefault(line["benchmark"], [])
    for row in rows:
        names = scorers.setdefault(row["benchmark"], [])
        if row["scorer"] not in names and row["n"]:
            names.append(row["scorer"])
    return scorers


def _report(name: str, observed: list[Difference], intended: Sequence[Intended]) -> int:
    """Print what is not meant to differ; 1 where there is any."""
    left = []
    for difference in observed:
        rule = next((rule for rule in intended if rule.covers(name, difference)), None)
        if rule is None:
            left.append(difference)
        else:
            rule.count += 1
    if left:
        print(f"{name}: {len(left)} differences")
        print("".join(f"    {difference}\n" for difference in left[:_SHOWN]), end="", flush=True)
    return int(bool(left))


def _summary(intended: Sequence[Intended], *, whole: bool) -> None:
    for rule in intended:
        if rule.count or whole:
            print(f"Named: {rule.name} ({rule.count} differences): {rule.reason}")
