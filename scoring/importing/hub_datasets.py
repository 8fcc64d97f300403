"""Data sets from the Hugging Face hub, through the `datasets` package."""

import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from scoring.data.errors import HubUnavailable, MissingExtra
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.rows import Rows

_NAMELESS_SPLITS = {"train", "test", "validation"}
_ANSWER_SECONDS = 3.0
"""How long the hub may take to answer at all before it counts as out of reach."""


def hub_rows(name: str) -> Rows:
    """Read all rows of all splits of a hub data set (or of a local folder that `datasets` can read).

    A split's name becomes the `subset` of rows that have none, unless it is one of the names that say nothing (train).
    Where the hub does not answer, only what was downloaded before is looked at.

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
    why_offline = "" if Path(name).exists() else _why_offline()
    try:
        with _only_downloaded() if why_offline else nullcontext():
            for split, values in load_dataset(name).items():
                named = {} if split in _NAMELESS_SPLITS else {"subset": str(split)}
                for value in values:
                    rows.add({**named, **value})
    except Exception as error:  # noqa: BLE001  # datasets, hub and HTTP client each raise classes of their own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        cause = (
            f"{why_offline}, and it was not downloaded before" if why_offline else f"{type(error).__name__}: {reason}"
        )
        raise HubUnavailable(
            f"{rows.source} could not be loaded ({cause}).",
            "Without a network, download the files elsewhere and import their path.",
        ) from None
    return rows


def _why_offline() -> str:
    """Why nothing can be had from the hub now; empty = it answers.

    The hub's own client tries a host that does not answer again and again, which takes half a minute.
    """
    try:
        from huggingface_hub import constants
    except ImportError:
        return ""
    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    request = Request(constants.ENDPOINT, method="HEAD")  # noqa: S310  # the hub's own address
    try:
        with urlopen(request, timeout=_ANSWER_SECONDS):  # noqa: S310
            return ""
    except HTTPError:
        return ""
    except OSError as error:
        # The hub's client has certificates of its own.
        refused = isinstance(getattr(error, "reason", error), ssl.SSLError)
        return "" if refused else f"{constants.ENDPOINT} does not answer"


@contextmanager
def _only_downloaded() -> Iterator[None]:
    """Keep the hub's client and `datasets` from the network."""
    import datasets
    from huggingface_hub import constants

    settings = [constants, *filter(None, [getattr(datasets, "config", None)])]
    before = [place.HF_HUB_OFFLINE for place in settings]
    for place in settings:
        place.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        for place, value in zip(settings, before, strict=True):
            place.HF_HUB_OFFLINE = value
