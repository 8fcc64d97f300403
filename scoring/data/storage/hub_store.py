"""A repository of the Hugging Face hub as a store that is only read."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scoring.data.errors import MissingExtra, StoreError, UnwritableWorkspace
from scoring.data.storage.store_address import RETRY_SECONDS, Address, StoredObject


class HubStore:
    """The files of one revision of a repository, below a folder in it. Its tokens are those of the hub's own client."""

    def __init__(self, address: Address) -> None:
        """Import the client; nothing is asked yet.

        Raises:
            MissingExtra: it is not installed.
        """
        try:
            import huggingface_hub
        except ImportError:
            raise MissingExtra("huggingface_hub", "score") from None
        self.address, self.patience = address, RETRY_SECONDS
        self._hub = huggingface_hub
        kind, _, name = (
            address.bucket.partition("/") if address.bucket.count("/") > 1 else ("models", "", address.bucket)
        )
        name, _, revision = name.partition("@")
        self._repository: dict[str, Any] = {
            "repo_id": name,
            "repo_type": kind.removesuffix("s"),
            "revision": revision or None,
        }
        self._before = f"{address.prefix}/" if address.prefix else ""
        self._listed: dict[str, StoredObject] = {}

    def list(self, under: str = "") -> dict[str, StoredObject]:
        """List the files; each has the digest of its content for an etag, and no time."""
        inside = f"{self._before}{under}".strip("/") or None
        api = self._hub.HfApi()
        try:
            entries = list(api.list_repo_tree(**self._repository, path_in_repo=inside, recursive=True))
        except self._hub.errors.EntryNotFoundError:
            return {}
        except Exception as error:  # noqa: BLE001  # its client raises those of several libraries
            raise self._error(error) from None
        files = [file for file in entries if isinstance(file, self._hub.hf_api.RepoFile)]
        listed = {file.path[len(self._before) :]: StoredObject(str(file.blob_id), file.size, 0.0) for file in files}
        self._listed |= listed
        return listed

    def head(self, path: str) -> StoredObject | None:
        """Look at one."""
        return self.list(path.rpartition("/")[0]).get(path)

    def read(self, path: str) -> tuple[bytes, str] | None:
        """Return bytes and etag of one."""
        described = self._listed.get(path) or self.head(path)
        return None if described is None else (self._file(path).read_bytes(), described.etag)

    def fetch(self, path: str, size: int, target: Path) -> str | None:
        """Copy one out of the hub's own cache, where its client puts it."""
        described = self._listed.get(path)
        if described is None or described.size != size:
            return None
        shutil.copyfile(self._file(path), target)
        return described.etag

    def _file(self, path: str) -> Path:
        try:
            return Path(self._hub.hf_hub_download(**self._repository, filename=f"{self._before}{path}"))
        except Exception as error:  # noqa: BLE001  # as above
            raise self._error(error) from None

    def write(self, path: str, data: bytes | Path, etag: str | None) -> str:  # noqa: ARG002  # whatever it is
        """Refuse it."""
        raise self._refusal()

    def overwrite(self, path: str, data: bytes) -> None:  # noqa: ARG002  # as above
        """Refuse it."""
        raise self._refusal()

    def copy(self, path: str, to: str) -> str | None:  # noqa: ARG002  # as above
        """Refuse it."""
        raise self._refusal()

    def delete(self, paths: Iterable[str]) -> None:
        """Refuse it, unless it is nothing."""
        if list(paths):
            raise self._refusal()

    def check_writable(self, path: str) -> None:  # noqa: ARG002  # as above
        """Refuse it.

        Raises:
            UnwritableWorkspace: always.
        """
        raise UnwritableWorkspace(
            f"{self.address} is only read here.", "Write to a folder, or to s3://, gs:// or az://."
        )

    def _refusal(self) -> StoreError:
        return StoreError(
            f"{self.address} is only read here.", "Write to a folder, or to s3://, gs:// or az://.", denied=True
        )

    def _error(self, error: Exception) -> StoreError:
        names = {kind.__name__ for kind in type(error).__mro__}
        if names & {"GatedRepoError"}:
            return StoreError(f"{self.address} asks who you are.", "Run: hf auth login")
        if names & {"RepositoryNotFoundError", "RevisionNotFoundError", "HFValidationError"}:
            return StoreError(
                f"there is no {self.address}, or it is private.", "Look at the name, or run: hf auth login"
            )
        if "OfflineModeIsEnabled" in names:
            return StoreError(f"{self.address} cannot be read offline.", "Unset HF_HUB_OFFLINE.")
        return StoreError(f"{self.address} cannot be reached now.", "Try again later.", passing=True)
