"""Azurite, Microsoft's emulator of Azure's blobs, as a process with an account of its own, whose key is asked for."""

import base64
import hashlib
import hmac
import os
import secrets
import shutil
import socket
import subprocess
import time
import urllib.request
from email.utils import formatdate

PROGRAM = "azurite-blob"
ACCOUNT = "lab"


class Azurite:
    """The same as `object_stores.StoreServer`, with one user, who may write."""

    scheme = "az"
    endpoint = "AZURITE_BLOB_STORAGE_URL"

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        words = ["--blobPort", str(self.port), "--location", str(folder)]
        words += ["--disableTelemetry", "--skipApiVersionCheck", "--silent"]
        self._key = secrets.token_bytes(32)
        key = base64.b64encode(self._key).decode()
        self.environment = {
            "AZURE_STORAGE_USE_EMULATOR": "true",
            self.endpoint: self.url,
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": key,
        }
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [shutil.which(PROGRAM), *words],
                env={"PATH": os.environ["PATH"], "AZURITE_ACCOUNTS": f"{ACCOUNT}:{key}"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                assert self._process.poll() is None
                time.sleep(0.05)

    def bucket(self, name):
        """Make a container. Azure's protocol signs a request's verb, its headers, and what it is about."""
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02", "Content-Length": "0"}
        signed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers) if name.startswith("x-ms-"))
        text = "PUT" + "\n" * 12 + signed + f"/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
        mark = base64.b64encode(hmac.digest(self._key, text.encode(), hashlib.sha256)).decode()
        request = urllib.request.Request(  # noqa: S310  # of our own
            f"{self.url}/{ACCOUNT}/{name}?restype=container",
            method="PUT",
            headers={**headers, "Authorization": f"SharedKey {ACCOUNT}:{mark}"},
        )
        urllib.request.urlopen(request).close()  # noqa: S310
        return name

    def objects(self, bucket):
        """Every object's bytes, by its name; asked as the environment says."""
        from obstore.store import AzureStore

        store = AzureStore(bucket)
        names = [one["path"] for page in store.list() for one in page]
        return {name: bytes(store.get(name).bytes()) for name in names}

    def close(self):
        self._process.terminate()
        self._process.wait()
