"""Names of scorers where only a file's name says what they are called."""

import re
from pathlib import PurePath

from scoring.formats.reading.compressed_streams import plain_name

_SUFFIX = re.compile(r"\.(jsonl?|ndjson|parquet|csv|tsv|txt|eval|arrow|feather|zip)\Z", re.IGNORECASE)
_ARCHIVE = re.compile(r"\.zip\Z", re.IGNORECASE)
_ENDING = re.compile(r"_(eval_results?|details|results?|checkpoint|ckpt|error|correct)\Z", re.IGNORECASE)
_GENERIC = re.compile(
    r"((prm|llm|eval|final|model)[_-])?(results?|samples?|predictions?|outputs?|scores?|rewards?|details|checkpoint|ckpt)"
    r"|evals?|error|correct|gsm8k|math|olympiadbench|omnimath|data-\d+-of-\d+",
    re.IGNORECASE,
)
"""What says nothing of who judged: kinds of files, ProcessBench's subsets, shards of a data set that was saved."""


def scorer_name(source: str) -> str:
    """Return the source's file name without its suffixes and endings that only say what kind of file it is.

    Where nothing else is left ("results.jsonl"), the nearest folder whose name says more; where there is none, the
    file's own name. Works on the words alone: nothing is looked up on the disk.
    """
    stem, *folders = _parts(source)
    named = (name for part in (stem, *folders) if (name := _telling(part)))
    return next(named, _short(stem) or stem or source)


def folder_name(source: str) -> str:
    """Name the nearest folder that says more than what kind of files it holds; the file where there is none.

    For formats whose files are called after what was judged, and their folders after who judged it.
    """
    _, *folders = _parts(source)
    return next(filter(None, map(_telling, folders)), scorer_name(source))


def name_by_place(source: str, of_what_was_judged: re.Pattern[str]) -> str:
    """Name a scorer whose files may be called after what was judged, in a folder called after who judged it."""
    file = PurePath(plain_name(source).replace("\\", "/")).name
    return folder_name(source) if of_what_was_judged.fullmatch(file) else scorer_name(source)


def named_after_folder(source: str, name: str) -> bool:
    """Return whether a scorer of that name is called as a folder of its source is, and not as the file."""
    stem, *folders = _parts(source)
    return name not in {stem, _telling(stem)} and name in map(_telling, folders)


def _parts(source: str) -> list[str]:
    """The file's name without its suffix, then the folders, the nearest first."""
    file, *folders = reversed(PurePath(plain_name(source).replace("\\", "/")).parts or ("",))
    # A member of an archive lies in it as in a folder.
    return [_SUFFIX.sub("", file), *(_ARCHIVE.sub("", folder) for folder in folders)]


def _telling(part: str) -> str:
    """What a part of a path says beside what kind of file it is; "" where it says nothing else."""
    part = _short(part)
    return part if part.strip("._-/ ") and not _GENERIC.fullmatch(part) else ""


def _short(part: str) -> str:
    """A part of a path without endings that only say what kind of file it is."""
    while not _GENERIC.fullmatch(part) and (shorter := _ENDING.sub("", part)) != part:
        part = shorter
    return part
