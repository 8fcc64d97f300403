"""Data sets from the Hugging Face hub, through the `datasets` package."""

import logging

from scoring.errors import HubUnavailable, MissingExtra
from scoring.reading.file_bytes import printable
from scoring.reading.rows import Rows

_NAMELESS_SPLITS = {"train", "test", "validation"}


def hub_rows(name: str) -> Rows:
    """All rows of all splits of a hub data set (or of a local folder that `datasets` can read).

    A split's name becomes the `subset` of rows that have none, unless it is one of the names that say nothing (train).

    Raises:
        MissingExtra: `datasets` is not installed.
        HubUnavailable: the data set cannot be had: offline, no such name, not allowed.
    """
    try:
        from datasets import load_dataset
    except ImportError:
        raise MissingExtra("datasets", "score") from None
    # Its lines about trying again would stand in the middle of the progress; what it comes to is said below.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    rows = Rows(f"hf:{printable(name)}", "hub data set")
    try:
        for split, values in load_dataset(name).items():
            named = {} if split in _NAMELESS_SPLITS else {"subset": str(split)}
            for value in values:
                rows.add({**named, **value})
    except Exception as error:  # noqa: BLE001  # datasets, hub and HTTP client each raise classes of their own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise HubUnavailable(
            f"{rows.source} could not be loaded ({type(error).__name__}: {reason}).",
            "Without a network, download the files elsewhere and import their path.",
        ) from None
    return rows
