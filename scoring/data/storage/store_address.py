"""The address of a place on object storage, and what is known of an object below it.

s3://BUCKET/PREFIX   gs://BUCKET/PREFIX   az://CONTAINER/PREFIX   hf://[datasets/]OWNER/NAME[@REVISION]/PREFIX
"""

import os
import re
from contextlib import suppress
from hashlib import blake2b
from urllib.parse import urlsplit

from msgspec import Struct

from scoring.data.errors import UsageError

RETRY_SECONDS = 20.0
"""How long a request is tried again that fails by a fault of the store or of the way to it."""


SCHEMES = ("s3", "gs", "az", "hf")
_BUCKETS = {
    "s3": re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]"),
    "gs": re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]"),
    "az": re.compile(r"[a-z0-9](?:-?[a-z0-9]){2,62}"),
    "hf": re.compile(r"(?:(?:datasets|models)/)?[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(?:@[A-Za-z0-9][\w.-]*)?"),
}
_SEGMENT = re.compile(r"[^\x00-\x1f\x7f\\/?#*]{1,200}")
_LOOPBACK = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|::1)\Z")


class LostRaceError(Exception):
    """An object is not what whoever writes it has read: another has changed, made or removed it meanwhile."""


class Address(Struct, frozen=True):
    """Where the objects of a workspace are: `prefix` has no slash at either end, "" = the whole bucket."""

    scheme: str
    bucket: str
    prefix: str

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read an address as a person wrote it.

        Raises:
            UsageError: it is none, or of no scheme that is known. Nothing of it is repeated: it may hold a secret.
        """
        scheme, _, rest = text.partition("://")
        known = ", ".join(f"{scheme_name}://" for scheme_name in SCHEMES)
        if scheme not in SCHEMES:
            raise UsageError(
                "this is an address of no kind that a workspace can have.", f"Name a folder, or one of: {known}."
            )
        if scheme != "hf" and "@" in rest.partition("/")[0]:
            raise UsageError(
                "a workspace's address has no user and no password in it.",
                "Leave them out: credentials are taken from the environment or from a profile.",
            )
        parts = rest.removesuffix("/").split("/")
        length = 1 if scheme != "hf" else 3 if parts[0] in {"datasets", "models"} else 2
        bucket, segments = "/".join(parts[:length]), parts[length:]
        sound = all(_SEGMENT.fullmatch(segment) and segment not in {".", ".."} for segment in segments)
        if bucket.count("/") != length - 1 or not _BUCKETS[scheme].fullmatch(bucket) or not sound:
            form = "hf://datasets/OWNER/NAME" if scheme == "hf" else f"{scheme}://BUCKET/PATH"
            raise UsageError(f"this {scheme}:// address cannot be read.", f"Write it as {form}.")
        return cls(scheme, bucket, "/".join(segments))

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}{'/' if self.prefix else ''}{self.prefix}"

    @property
    def file_name(self) -> str:
        """A file's name for it: readable, and another one for every other place, endpoint and account included."""
        where = [str(self), endpoint_setting() or "", os.environ.get("AZURE_STORAGE_ACCOUNT_NAME", "")]
        digest = blake2b("\n".join(where).encode(), digest_size=6).hexdigest()
        return f"{re.sub(r'[^A-Za-z0-9.]+', '-', str(self))[:80].strip('-.')}-{digest}"


class StoredObject(Struct, frozen=True):
    """What a listing says of an object; `modified` is seconds since 1970 by the store's own clock."""

    etag: str
    size: int
    modified: float


def endpoint_setting() -> str | None:
    """Return the endpoint of S3 that the environment names."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or None


def is_loopback(endpoint: str | None) -> bool:
    """Return whether an endpoint is on this machine."""
    with suppress(ValueError):
        return endpoint is not None and bool(_LOOPBACK.match(urlsplit(endpoint).hostname or ""))
    return False
