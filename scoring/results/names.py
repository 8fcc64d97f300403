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
    stem, *folders = reversed(PurePath(plain_name(source).replace("\\", "/")).parts or ("",))
    stem = _SUFFIX.sub("", stem)
    # A member of an archive lies in it as in a folder.
    for part in (stem, *(_ARCHIVE.sub("", folder) for folder in folders)):
        name = _without_endings(part)
        if name.strip("._-/ ") and not _GENERIC.fullmatch(name):
            return name
    return stem or source


def _without_endings(name: str) -> str:
    while not _GENERIC.fullmatch(name) and (shorter := _ENDING.sub("", name)) != name:
        name = shorter
    return name
