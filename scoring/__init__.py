from scoring import moved_modules  # noqa: F401  # gives modules of earlier versions by their paths

__version__ = "0.2.0"
"""Here, because asking the installed package for it takes longer than all of `--help`."""
