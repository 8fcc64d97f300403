"""What a scorer is called where only its file's name says it."""

import re
from pathlib import PurePath

from scoring.reading.compressed import plain_name

_SUFFIX = re.compile(r"\.(jsonl?|ndjson|parquet|csv|tsv|txt|eval|arrow|feather|zip)\Z", re.IGNORECASE)
_ARCHIVE = re.compile(r"\.zip\Z", re.IGNORECASE)
_ENDING = re.compile(r"_(eval_results?|details|results?|checkpoint|ckpt|error|correct)\Z", re.IGNORECASE)
_GENERIC = re.compile(
    r"((prm|llm|eval|final|model)[_-])?(results?|samples?|predictions?|outputs?|scores?|rewards?|details|checkpoint|ckpt)"
    r"|eval|error|correct",
    re.IGNORECASE,
)


def scorer_name(source: str) -> str:
    """The source's file name without its suffixes and without endings that only say what kind of file it is.

    Where nothing else is left ("results.jsonl"), the nearest folder whose name says more; where there is none, the
    file's own name. Works on the words alone: nothing is looked up on the disk.
    """
    stem, *folders = _parts(source)
    named = (name for part in (stem, *folders) if (name := _telling(part)))
    return next(named, stem or source)


def folder_name(source: str) -> str:
    """What the nearest folder that says more than what kind of files it holds is called; the file's name without one.

    For formats whose files are called after what was judged, and their folders after who judged it.
    """
    _, *folders = _parts(source)
    return next(filter(None, map(_telling, folders)), scorer_name(source))


def named_after_folder(source: str, name: str) -> bool:
    """Whether a scorer of that name is called as a folder of its source is, and not as the file."""
    stem, *folders = _parts(source)
    return name not in {stem, _telling(stem)} and name in map(_telling, folders)


def _parts(source: str) -> list[str]:
    """The file's name without its suffix, then the folders, the nearest first."""
    file, *folders = reversed(PurePath(plain_name(source).replace("\\", "/")).parts or ("",))
    # A member of an archive lies in it as in a folder.
    return [_SUFFIX.sub("", file), *(_ARCHIVE.sub("", folder) for folder in folders)]


def _telling(part: str) -> str:
    """What a part of a path says beside what kind of file it is; "" where it says nothing else."""
    name = _without_endings(part)
    return name if name.strip("._-/ ") and not _GENERIC.fullmatch(name) else ""


def _without_endings(name: str) -> str:
    while not _GENERIC.fullmatch(name) and (shorter := _ENDING.sub("", name)) != name:
        name = shorter
    return name
