"""A place on object storage: what can be done with the objects below its address.

Credentials are found where the stores' own programs look for them (environment, profile, instance) and are kept by
nobody here. A request that fails for a while is tried again for some seconds. Whatever fails for good becomes one
sentence of ours: what libraries raise holds the server's whole answer, and may hold what was sent.
"""

import configparser
import os
import random
import re
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scoring.data.errors import MissingExtra, StoreError
from scoring.data.storage.hub_store import HubStore
from scoring.data.storage.store_address import (
    RETRY_SECONDS,
    Address,
    LostRaceError,
    StoredObject,
    endpoint_setting,
    is_loopback,
)

if TYPE_CHECKING:
    from obstore.store import ObjectStore


_PAUSE, _LONGEST_PAUSE = 0.1, 3.0
_STALLED, _SLOW_UPLOAD = "10s", "15m"
_AT_ONCE = 16 << 20
"""Bytes that one request fetches; more are fetched piece by piece, so that a cut connection loses one piece."""
_SMALL_UPLOAD = 4 << 20
ResultT = TypeVar("ResultT")


class Store(Protocol):
    """The objects below an address, by their path there. Everything raises StoreError where the store fails.

    `patience` is for how many seconds a request is tried again.
    """

    address: Address
    patience: float

    def list(self, under: str = "") -> dict[str, StoredObject]:
        """List all objects, or those in a folder `under` (without a slash at its end)."""
        ...

    def head(self, path: str) -> StoredObject | None:
        """Look at one; None where it is not there."""
        ...

    def read(self, path: str) -> tuple[bytes, str] | None:
        """Return the bytes and the etag of one; None where it is not there."""
        ...

    def fetch(self, path: str, size: int, target: Path) -> str | None:
        """Write the bytes of one to a file, and give its etag; None where it is not there any more."""
        ...

    def write(self, path: str, data: bytes | Path, etag: str | None) -> str:
        """Put an object in the place of the one with this etag, None = of none; its etag. Raises LostRaceError."""
        ...

    def overwrite(self, path: str, data: bytes) -> None:
        """Put an object that nobody else writes."""
        ...

    def copy(self, path: str, to: str) -> str | None:
        """Copy an object within the store, and give its etag; None where it is not there."""
        ...

    def delete(self, paths: Iterable[str]) -> None:
        """Remove objects that may be gone already."""
        ...

    def check_writable(self, path: str) -> None:
        """Make sure that objects may be written here, and write none; `path` is one that is there."""
        ...


def open_store(address: Address) -> Store:
    """Open the store that an address is of.

    Raises:
        MissingExtra: its client is not installed.
        StoreError: there are no credentials, or settings that it takes from the environment make no sense.
    """
    if address.scheme == "hf":
        return HubStore(address)
    try:
        import obstore  # noqa: F401  # only looked for
    except ImportError:
        raise MissingExtra("obstore", "remote") from None
    return Bucket(address)


class Bucket:
    """A prefix of a bucket of S3 (or what speaks its protocol), Google Cloud Storage or Azure."""

    def __init__(self, address: Address) -> None:
        """Take the settings from the environment; nothing is asked of the store yet.

        Raises:
            StoreError: there are no credentials, or no sound settings.
        """
        self.address, self.patience = address, RETRY_SECONDS
        settings = _s3_settings(address) if address.scheme == "s3" else {}
        try:
            self._store = _made(address, {"timeout": "2m", "read_timeout": _STALLED}, settings)
            # While a body is sent nothing is read: an upload that takes long would count as one that stands still.
            self._uploads = _made(address, {"timeout": _SLOW_UPLOAD}, settings)
        except Exception as error:  # noqa: BLE001  # the client raises those of several kinds
            raise self._error(error) from None

    def list(self, under: str = "") -> dict[str, StoredObject]:
        """List all objects, or those in a folder. A name that the client cannot read spoils a listing as a whole."""
        import obstore

        def listed() -> dict[str, StoredObject]:
            pages = obstore.list(self._store, under or None, chunk_size=1000)
            return {meta["path"]: _described(meta) for page in pages for meta in page}

        return self._tried(listed)

    def head(self, path: str) -> StoredObject | None:
        """Look at one."""
        import obstore

        return self._tried(lambda: _there(lambda: _described(obstore.head(self._store, path))))

    def read(self, path: str) -> tuple[bytes, str] | None:
        """Return bytes and etag of one."""
        import obstore

        def read() -> tuple[bytes, str]:
            answer = obstore.get(self._store, path)
            return bytes(answer.bytes()), _plain(answer.meta["e_tag"])

        return self._tried(lambda: _there(read))

    def fetch(self, path: str, size: int, target: Path) -> str | None:
        """Write one to a file, piece by piece where it is large."""
        if size <= _AT_ONCE:
            read = self.read(path)
            if read is None:
                return None
            target.write_bytes(read[0])
            return read[1]
        import obstore

        etag = None
        with target.open("wb") as file:
            for start in range(0, size, _AT_ONCE):
                # All pieces are of one object: another that has taken its place meanwhile is a lost race.
                options: Any = {"range": (start, min(size, start + _AT_ONCE))} | (
                    {"if_match": f'"{etag}"'} if etag else {}
                )

                def piece(options: Any = options) -> tuple[bytes, str]:
                    answer = obstore.get(self._store, path, options=options)
                    return bytes(answer.bytes()), _plain(answer.meta["e_tag"])

                read = self._tried(lambda: _there(piece))
                if read is None:
                    return None
                file.write(read[0])
                etag = read[1]
        return etag

    def write(self, path: str, data: bytes | Path, etag: str | None) -> str:
        """Put an object in the place of one with this etag, or of none."""
        import obstore

        size = len(data) if isinstance(data, bytes) else data.stat().st_size
        store = self._store if size <= _SMALL_UPLOAD else self._uploads
        mode: Any = "create" if etag is None else self._version(path, etag)
        put = partial(obstore.put, store, path, data, mode=mode, use_multipart=False)
        if (made := self._tried(lambda: _there(put))) is None:
            # What was to be replaced has gone.
            raise LostRaceError
        return _plain(made["e_tag"])

    def _version(self, path: str, etag: str) -> dict[str, Any]:
        """What says that an object is the one with an etag."""
        if self.address.scheme != "gs":
            return {"e_tag": f'"{etag}"'}
        # Google's store compares numbers of its own, which no listing tells.
        import obstore

        meta = self._tried(lambda: _there(lambda: obstore.head(self._store, path)))
        if meta is None or _plain(meta["e_tag"]) != etag:
            raise LostRaceError
        return {"e_tag": meta["e_tag"], "version": meta["version"]}

    def overwrite(self, path: str, data: bytes) -> None:
        """Put an object that nobody else writes."""
        import obstore

        self._tried(lambda: obstore.put(self._store, path, data, use_multipart=False))

    def copy(self, path: str, to: str) -> str | None:
        """Copy an object within the store."""
        import obstore

        def copied() -> bool:
            obstore.copy(self._store, path, to)
            return True

        made = self.head(to) if self._tried(lambda: _there(copied)) else None
        return None if made is None else made.etag

    def delete(self, paths: Iterable[str]) -> None:
        """Remove objects."""
        import obstore

        if names := sorted(paths):
            self._tried(lambda: _there(lambda: obstore.delete(self._store, names)))

    def check_writable(self, path: str) -> None:
        """Try a write that can never come to pass: who may not write is told so before anything is compared."""
        import obstore

        never: Any = {"e_tag": '"00000000000000000000000000000000"', "version": "1"}
        with suppress(LostRaceError):
            self._tried(lambda: _there(lambda: obstore.put(self._store, path, b"", mode=never, use_multipart=False)))

    def _tried(self, call: Callable[[], ResultT]) -> ResultT:
        """The result of a call; one that fails by a passing fault is repeated for a while.

        A write that is repeated may have been done the first time. Then it is found to have lost against itself, and
        whoever writes compares what is there with what was to be written.
        """
        end, pause = time.monotonic() + self.patience, _PAUSE
        while True:
            try:
                return call()
            except Exception as error:  # noqa: BLE001  # as above
                if _is(error, "AlreadyExistsError", "PreconditionError"):
                    raise LostRaceError from None
                failure = self._error(error)
                if not failure.passing or time.monotonic() + pause > end:
                    raise failure from None
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  # so that many do not come back at once
            pause = min(_LONGEST_PAUSE, pause * 2)

    def _error(self, error: Exception) -> StoreError:
        return _sentence(self.address, error)


def _made(address: Address, client: dict[str, Any], settings: dict[str, Any]) -> "ObjectStore":
    """The client of a store; its own tries again are few, since all is tried again here."""
    from obstore.store import AzureStore, GCSStore, S3Store

    retry: Any = {
        "max_retries": 2,
        "retry_timeout": timedelta(seconds=RETRY_SECONDS / 2),
        "backoff": {"init_backoff": timedelta(milliseconds=50), "max_backoff": timedelta(seconds=1), "base": 2},
    }
    options: Any = {"connect_timeout": "5s", **client}
    if address.scheme == "s3" and is_loopback(endpoint_setting()):
        options["allow_http"] = True
    kinds: dict[str, Any] = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}
    store: ObjectStore = kinds[address.scheme](
        address.bucket, prefix=address.prefix or None, client_options=options, retry_config=retry, **settings
    )
    return store


def _described(meta: Any) -> StoredObject:
    return StoredObject(_plain(meta["e_tag"]), int(meta["size"]), meta["last_modified"].timestamp())


def _plain(etag: Any) -> str:
    """An etag as it can be compared: listings and answers of one store may differ in the quotes around it."""
    return str(etag).removeprefix("W/").strip('"')


def _there(call: Callable[[], ResultT]) -> ResultT | None:
    try:
        return call()
    except FileNotFoundError as error:
        if "NoSuchBucket" in str(error):
            raise
        return None


def _is(error: Exception, *names: str) -> bool:
    """Whether it is one of these errors of obstore, which need not be installed for it to be asked."""
    return type(error).__name__ in names


def _s3_settings(address: Address) -> dict[str, Any]:
    """What the client does not take from the environment by itself: an endpoint, a region, and a profile's keys.

    Raises:
        StoreError: there are no credentials, or the endpoint is not encrypted.
    """
    endpoint, settings = endpoint_setting(), dict[str, Any]()
    if endpoint is not None:
        allowed = os.environ.get("AWS_ALLOW_HTTP", "").lower() in {"1", "true", "yes"}
        if endpoint.startswith("http://") and not is_loopback(endpoint) and not allowed:
            raise StoreError(
                f"{address} would be asked without encryption: AWS_ENDPOINT_URL begins with http://.",
                "Use https://, or set AWS_ALLOW_HTTP=true.",
            )
        settings["endpoint"] = endpoint
    named = any(os.environ.get(name) for name in ("AWS_REGION", "AWS_DEFAULT_REGION"))
    profile = {} if os.environ.get("AWS_ACCESS_KEY_ID") else _profile()
    if not named:
        settings["region"] = profile.get("region") or "us-east-1"
    if "aws_access_key_id" in profile and "aws_secret_access_key" in profile:
        settings["access_key_id"] = profile["aws_access_key_id"]
        settings["secret_access_key"] = profile["aws_secret_access_key"]
        if "aws_session_token" in profile:
            settings["session_token"] = profile["aws_session_token"]
    elif not _others_give_keys():
        raise StoreError(f"there are no credentials for {address}.", _GIVE_KEYS[address.scheme])
    return settings


def _profile() -> dict[str, str]:
    """The keys and the region of the profile that is meant, from the files that S3's own programs read."""
    name, home = os.environ.get("AWS_PROFILE") or "default", Path("~/.aws").expanduser()
    files = (("AWS_CONFIG_FILE", "config", f"profile {name}"), ("AWS_SHARED_CREDENTIALS_FILE", "credentials", name))
    profile: dict[str, str] = {}
    for variable, usual, section in files:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        with suppress(OSError, configparser.Error, UnicodeDecodeError):
            parser.read(os.environ.get(variable) or home / usual)
            for title in (name, section):
                if parser.has_section(title):
                    profile |= dict(parser.items(title))
    return profile


_GIVE_KEYS = {
    "s3": "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.",
    "gs": "Set GOOGLE_APPLICATION_CREDENTIALS to a key file, or log in with: gcloud auth application-default login",
    "az": "Set AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY.",
}
_GIVING = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
)
"""Variables by which the client finds credentials itself."""
_INSTANCE = ("169.254.169.254", 80)


def _others_give_keys() -> bool:
    """Whether the client can find keys by itself; the machine's own service is asked for a second, not for twenty."""
    if any(os.environ.get(name) for name in _GIVING) or os.environ.get("AWS_SKIP_SIGNATURE"):
        return True
    if os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true":
        return False
    try:
        socket.create_connection(_INSTANCE, timeout=1.0).close()
    except OSError:
        return False
    return True


# -- what went wrong, in a sentence of ours


_CODE = re.compile(r"<Code>(\w+)</Code>|(?<!status )code: \"?([A-Za-z]\w+)|\"error\":\s*\"(\w+)\"")
_STATUS = re.compile(r"status code: (\d{3})|status: (\d{3})")
_KEYS = "Look at the credentials in the environment, or at the profile."
_SENTENCES: dict[str, tuple[str, str]] = {
    "NoSuchBucket": ("there is no such bucket: {}.", "Look at the address, and at AWS_ENDPOINT_URL."),
    "ContainerNotFound": ("there is no such container: {}.", "Look at the address and the account."),
    "ExpiredToken": ("the credentials for {} have expired.", "Renew them and do the same again; nothing is lost."),
    "InvalidToken": ("the credentials for {} are not accepted.", _KEYS),
    "InvalidAccessKeyId": ("the credentials for {} are not accepted.", _KEYS),
    "SignatureDoesNotMatch": ("the credentials for {} are not accepted.", _KEYS),
    "AuthenticationFailed": ("the credentials for {} are not accepted.", _KEYS),
    "AuthorizationHeaderMalformed": ("{} is in another region.", "Set AWS_REGION to the bucket's."),
    "PermanentRedirect": ("{} is in another region.", "Set AWS_REGION to the bucket's."),
    "AccessDenied": ("these credentials do not allow that at {}.", "Ask for the right to, or use other credentials."),
    "QuotaExceeded": ("{} is full.", "Make room there and do the same again; nothing is lost."),
}
_ALIKE = {
    "TokenRefreshRequired": "ExpiredToken",
    "RequestExpired": "ExpiredToken",
    "ExpiredTokenException": "ExpiredToken",
    "AllAccessDisabled": "AccessDenied",
    "AccountProblem": "AccessDenied",
    "AuthorizationPermissionMismatch": "AccessDenied",
    "InsufficientAccountPermissions": "AccessDenied",
    "XMinioStorageFull": "QuotaExceeded",
    "XMinioAdminBucketQuotaExceeded": "QuotaExceeded",
    "InsufficientStorage": "QuotaExceeded",
    "EntityTooLarge": "QuotaExceeded",
}
_BY_STATUS = {401: "InvalidToken", 403: "AccessDenied", 507: "QuotaExceeded"}
_NO_KEYS = re.compile(r"169\.254\.|metadata\.google|[Tt]oken ?[Rr]equest|MissingAccount")
"""In what a client says that found none: the last places that it asks are services of the machine itself. No word that
the name of an object may hold is among these.
"""
_NAMED = re.compile(r"path: \"((?:[^\"\\]|\\.)*)\"")
_SHOWN = 60


def _sentence(address: Address, error: Exception) -> StoreError:  # noqa: PLR0911  # each way out is a kind of error
    """What an error of the client means; whatever it says itself stays out, but for a code that is known."""
    if isinstance(error, StoreError):
        return error
    text = str(error)
    code = next((group for match in _CODE.finditer(text) for group in match.groups() if group), "")
    status = next((int(group) for match in _STATUS.finditer(text) for group in match.groups() if group), 0)
    kind = _ALIKE.get(code, code)
    if kind not in _SENTENCES and _NO_KEYS.search(text):
        return StoreError(f"there are no credentials for {address}.", _GIVE_KEYS[address.scheme])
    if "InvalidAccessKey" in text:
        kind = "InvalidToken"
    if kind not in _SENTENCES:
        kind = _BY_STATUS.get(status, "")
    if not kind and _is(error, "PermissionDeniedError", "UnauthenticatedError"):
        kind = "AccessDenied" if _is(error, "PermissionDeniedError") else "InvalidToken"
    if kind:
        sentence, step = _SENTENCES[kind]
        return StoreError(sentence.format(address), step, denied=kind == "AccessDenied")
    if _is(error, "InvalidPathError"):
        name = next(iter(_NAMED.findall(text)), "")[:_SHOWN]
        return StoreError(
            f"{address} holds an object whose name is not a path of a file ({name!a}).",
            "Rename or remove it there.",
            misnamed=True,
        )
    if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
        return StoreError(f"a file for {address} cannot be read or written here ({error.strerror}).", "Free space.")
    if 400 <= status < 500 and status not in {408, 409, 425, 429}:
        return StoreError(f"{address} refuses the request ({code or status}).", "Look at the address and its settings.")
    why = f"it answers {status}" if status else "no answer"
    return StoreError(f"{address} cannot be reached now ({why}).", "Try again later; nothing is lost.", passing=True)
