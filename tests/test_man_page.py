"""The manual page is made of what the program knows: `python assets/make_man.py` writes it anew."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import make_man

ROOT = Path(__file__).parent.parent
PAGE = make_man.PAGE.read_text(encoding="utf-8")


def test_the_page_is_what_the_program_knows():
    assert make_man.manual() == PAGE, "run python assets/make_man.py and look at it"


def test_every_variable_of_the_program_is_explained():
    sources = [
        path.read_text(encoding="utf-8") for name in ("inspector", "scoring") for path in (ROOT / name).rglob("*.py")
    ]
    named = {name for source in sources for name in re.findall(r"\bPRM_INSPECT_[A-Z_]+\b", source)}
    assert named <= set(re.findall(r"PRM_INSPECT_[A-Z_]+", PAGE))


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="no mandoc here: apt-get install mandoc")
def test_mandoc_has_nothing_to_say_about_it():
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "all", make_man.PAGE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
