from scoring import moved_modules as moved_modules

__version__ = "0.2.0"
"""Here, because asking the installed package for it takes longer than all of `--help`."""
