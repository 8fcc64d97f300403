"""The `prm-inspect` command: its parser, a file for each command that is not an analysis, and serving in a browser.

It imports all of `inspector` and `scoring`, each where a command needs it, so that `--help` is quick.
Read `entry.py` first, then `command_flags.py`: which commands there are, and which flags they take.
"""

from inspector.cli.entry import main, parse

__all__ = ["main", "parse"]
