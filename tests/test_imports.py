"""What is loaded when: asked of fresh processes, because this one has loaded everything."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINES = {"torch", "transformers", "vllm", "ray", "datasets", "safetensors"}


def loaded(program: str) -> set[str]:
    """The top-level packages that a fresh Python has loaded after the program."""
    return {name.partition(".")[0] for name in loaded_modules(program)}


def loaded_modules(program: str) -> set[str]:
    """The modules that a fresh Python has loaded after the program."""
    tail = "\nimport sys, json; print('\\n' + json.dumps(sorted(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", program + tail],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return set(json.loads(answer.stdout.splitlines()[-1]))


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_load_neither_the_terminal_nor_the_data(flag):
    program = f"""
import contextlib
from inspector.cli import main
with contextlib.suppress(SystemExit):
    main(["{flag}"])
"""
    modules = loaded_modules(program)
    assert "argparse" in modules
    assert not modules & {"textual", "rich", "polars", "numpy", "msgspec", "importlib.metadata", *ENGINES}


def test_help_of_a_command_that_is_no_analysis_is_as_quick():
    program = """
import contextlib
from inspector.analysis_list import summaries
from inspector.cli import main
from inspector.command_flags import COMMANDS
for command in COMMANDS.keys() - summaries().keys():
    with contextlib.suppress(SystemExit):
        main([command, "--help"])
with contextlib.suppress(SystemExit):
    main(["prms", "--threshold", "0.3"])
"""
    assert not loaded(program) & {"textual", "polars", "numpy", *ENGINES}


def test_opening_the_app_loads_no_engine():
    program = """
import asyncio
from inspector.app import InspectApp
from inspector.query import Query
from inspector.screens.base import AppScreen

async def look():
    app = InspectApp(Query(benchmarks=("demo",)))
    async with app.run_test(size=(100, 30)) as pilot:
        while not isinstance(app.screen, AppScreen):
            await pilot.pause(0.05)
        await pilot.press("enter", "enter")

asyncio.run(look())
"""
    packages = loaded(program)
    assert {"textual", "polars"} <= packages
    assert not packages & ENGINES


def test_the_first_paint_waits_for_no_data_library():
    packages = loaded("import inspector.app")
    assert "textual" in packages
    assert not packages & {"polars", "numpy", *ENGINES}


def test_the_screens_load_nothing_of_a_run():
    modules = loaded_modules(
        "import inspector.app, inspector.result_set, inspector.screens.board, inspector.screens.case"
    )
    assert "scoring.evaluations.evaluation" in modules
    assert not modules & {"scoring.runs.run", "scoring.runs.events", "scoring.runs.critic_runs", "scoring.engines"}


def test_nothing_of_scoring_but_its_engines_loads_a_terminal_or_an_engine():
    program = """
import importlib, pkgutil, scoring
for module in pkgutil.walk_packages(scoring.__path__, "scoring."):
    if not module.name.startswith(("scoring.engines.", "scoring.__main__", "scoring.runs.ray_workers")):
        importlib.import_module(module.name)
"""
    packages = loaded(program)
    assert {"scoring", "polars"} <= packages
    assert not packages & {"textual", "rich", *ENGINES}


def test_listing_prms_loads_no_engine_and_no_tokenizer():
    packages = loaded("from inspector.cli import main\nmain(['prms', '--json'])")
    assert {"scoring", "polars"} <= packages
    assert not packages & {*ENGINES, "tokenizers", "textual"}
