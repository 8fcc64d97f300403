"""Debian's Chromium without a window: what a page is once its scripts, if it has any, have run."""

import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
needed = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here: apt-get install chromium")
PATIENCE = 90
"""Seconds."""


def browse(page: Path, profile: Path, *flags: str) -> str:
    """The document that the browser has made of a page, as HTML; it reaches nothing but files."""
    assert PROGRAM is not None
    argv = [
        *(PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", "--virtual-time-budget=4000"),
        *(flags or ("--dump-dom",)),
        page.as_uri(),
    ]
    done = subprocess.run(argv, capture_output=True, check=True, timeout=PATIENCE)
    return done.stdout.decode()
