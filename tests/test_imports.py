"""What is loaded when: asked of fresh processes, because this one has loaded everything."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENGINES = {"torch", "transformers", "vllm", "ray", "datasets", "safetensors"}
DATA = {"polars", "numpy"}


def loaded(*programs: str) -> list[set[str]]:
    """The modules, and their packages, that a fresh Python has loaded after each of the programs, run in turn."""
    tail = "\nimport sys, json; print('\\nLOADED ' + json.dumps(sorted(sys.modules)))\n"
    answer = subprocess.run(
        [sys.executable, "-c", "".join(program + tail for program in programs)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    lists = [json.loads(line[7:]) for line in answer.stdout.splitlines() if line.startswith("LOADED ")]
    assert len(lists) == len(programs)
    return [{*modules, *(name.partition(".")[0] for name in modules)} for modules in lists]


CALLED = """
import contextlib
from inspector.cli import main

def call(*words):
    with contextlib.suppress(SystemExit):
        main([*words])

"""
EVERY_HELP = """
from inspector.render.analysis_list import summaries
from inspector.cli.command_flags import COMMANDS
for command in COMMANDS.keys() - summaries().keys():
    call(command, "--help")
call("prms", "--threshold", "0.3")
"""


def test_help_and_version_load_neither_the_terminal_nor_the_data():
    """Help of a command that is no analysis is as quick."""
    *whole, commands = loaded(f"{CALLED}call('--version')", "call('--help')", EVERY_HELP)
    for modules in whole:
        assert "argparse" in modules
        assert not modules & {"textual", "rich", "msgspec", "importlib.metadata", *DATA, *ENGINES}
    assert not commands & {"textual", *DATA, *ENGINES}


OPENED = """
import asyncio
from inspector.app.app import InspectApp
from scoring.selection.query import Query
from inspector.screens.base import AppScreen

async def look():
    app = InspectApp(Query(benchmarks=("demo",)))
    async with app.run_test(size=(100, 30)) as pilot:
        while not isinstance(app.screen, AppScreen):
            await pilot.pause(0.05)
        await pilot.press("enter", "enter")

asyncio.run(look())
"""


def test_the_first_paint_waits_for_no_data_and_the_app_for_no_run_and_no_engine():
    screens = "import scoring.selection.result_set, inspector.screens.board, inspector.screens.case"
    first, imported, opened = loaded("import inspector.app.app", screens, OPENED)
    assert "textual" in first
    assert not first & {*DATA, *ENGINES}
    assert "scoring.evaluation.evaluation" in imported
    assert not imported & {"scoring.runs.run", "scoring.runs.events", "scoring.runs.critic_runs", "scoring.engines"}
    assert {"textual", "polars"} <= opened
    assert not opened & ENGINES


ALL_OF_SCORING = """
import importlib, pkgutil, scoring
for module in pkgutil.walk_packages(scoring.__path__, "scoring."):
    if not module.name.startswith(("scoring.engines.", "scoring.__main__", "scoring.runs.ray_workers")):
        importlib.import_module(module.name)
"""


def test_nothing_of_scoring_but_its_engines_loads_a_terminal_or_an_engine():
    """What works on frames is lighter still; and PRMs are listed without an engine or a tokenizer."""
    api, scoring, listing = loaded("import scoring.api", ALL_OF_SCORING, f"{CALLED}call('prms', '--json')")
    assert "scoring.api" in api
    assert not api & {"textual", "rich", "pandas", "pyarrow", "inspector", "httpx", *ENGINES}
    assert "polars" in scoring
    assert not scoring & {"textual", "rich", *ENGINES}
    assert "inspector" in listing
    assert not listing & {"textual", "tokenizers", *ENGINES}
