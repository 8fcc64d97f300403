"""Child processes that run a module of this program in the same Python.

They never import code from the current folder: a user's own `queue.py` breaks nothing, and a hostile `json.py` does not
run. `tests/test_house.py` checks that no other module starts one.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SAFE_PATH = {"PYTHONSAFEPATH": "1"}
"""The variable that says the same as `-P`; processes that a child starts, such as those of vLLM, inherit it."""
_ROOT = str(Path(__file__).resolve().parents[2])
_LAUNCH = """\
import runpy, sys
sys.path.insert(0, {root!r})
import {packages}
del sys.path[0]
if {root!r} not in sys.path:
    sys.path.append({root!r})
runpy.run_module({module!r}, run_name="__main__", alter_sys=True)
"""
"""The child runs the same copy of this program, installed or not, and everything else comes from where it usually does:
with the folder of site-packages in front, a package there could replace a module of the standard library.
"""


def start_python(
    module: str, *arguments: str, environment: Mapping[str, str] | None = None, **options: Any
) -> "subprocess.Popen[bytes]":
    """Start `python -m module arguments`.

    Args:
        module: a module of `scoring` or `inspector`.
        arguments: its `sys.argv[1:]`.
        environment: the variables of the child; this process's own if None.
        options: further arguments of `subprocess.Popen`.

    Raises:
        OSError: the system cannot start a process.
    """
    command, variables = _command(module, arguments), _variables(environment)
    return subprocess.Popen(command, env=variables, **options)


def run_python(module: str, *arguments: str, timeout: float | None = None) -> "subprocess.CompletedProcess[bytes]":
    """Run `python -m module arguments` without input to its end, and capture what it prints.

    Raises:
        OSError: the system cannot start a process.
        subprocess.TimeoutExpired: it did not end within `timeout` seconds, and was killed.
    """
    command, variables = _command(module, arguments), _variables(None)
    return subprocess.run(
        command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False
    )


async def start_python_async(
    module: str, *arguments: str, environment: Mapping[str, str] | None = None, **options: Any
) -> asyncio.subprocess.Process:
    """Start `python -m module arguments` for an event loop; arguments and errors are those of `start_python`."""
    command, variables = _command(module, arguments), _variables(environment)
    return await asyncio.create_subprocess_exec(*command, env=variables, **options)


def _command(module: str, arguments: tuple[str, ...]) -> list[str]:
    packages = ", ".join(sorted({"scoring", module.partition(".")[0]}))
    # -P: the current folder is not on the path.
    return [sys.executable, "-P", "-c", _LAUNCH.format(root=_ROOT, packages=packages, module=module), *arguments]


def _variables(environment: Mapping[str, str] | None) -> dict[str, str]:
    variables = {**(os.environ if environment is None else environment), **SAFE_PATH}
    # An empty entry, as in PYTHONPATH=$PYTHONPATH:/a, is the current folder even then.
    folders = [folder for folder in variables.pop("PYTHONPATH", "").split(os.pathsep) if folder]
    return {**variables, "PYTHONPATH": os.pathsep.join(folders)} if folders else variables
