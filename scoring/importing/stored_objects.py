"""Files on object storage as sources: `s3://BUCKET/PATH` of one object, or of all that look readable below a prefix.

The client is imported only when such an address is named. Credentials come from where the store's own tools look
for them; see `scoring.data.storage.object_store`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from scoring.data.errors import InputError
from scoring.data.storage.files import uuid7
from scoring.data.storage.store_address import Address, StoredObject

_STORED = re.compile(r"(s3|gs|az)://", re.IGNORECASE)


def is_stored(word: str) -> bool:
    """Return whether a word is the address of something on object storage."""
    return _STORED.match(word) is not None


def stored_objects(word: str, looks_readable: Callable[[Path], bool]) -> Mapping[str, StoredObject]:
    """List what an address stands for: the object itself, or those below it, by their addresses and in their order.

    Args:
        word: the address.
        looks_readable: says of a path whether it is taken where it is one of many; what is hidden is not.

    Raises:
        InputError: there is nothing, or nothing that looks readable.
        MissingExtra, StoreError, UsageError: the store cannot be asked.
    """
    from scoring.data.storage.object_store import open_store

    address = Address.parse(word)
    parent, _, name = address.prefix.rpartition("/")
    if name and (described := open_store(replace(address, prefix=parent)).head(name)) is not None:
        return {str(address): described}
    below = sorted(open_store(address).list().items())
    taken = {
        f"{address}/{path}": described
        for path, described in below
        if looks_readable(Path(path)) and not any(part.startswith(".") for part in path.split("/"))
    }
    if not taken:
        what = "no file that looks readable" if below else "nothing"
        raise InputError(f"there is {what} at {address}.", "Name the files to import.")
    return taken


@contextmanager
def fetched(word: str, folder: Path) -> Iterator[Path]:
    """Have one object as a file in a folder, until whoever reads it is done.

    Raises:
        InputError: it is not there.
        MissingExtra, StoreError, UsageError: the store cannot be asked.
    """
    from scoring.data.storage.object_store import open_store

    address = Address.parse(word)
    parent, _, name = address.prefix.rpartition("/")
    store = open_store(replace(address, prefix=parent))
    described = store.head(name) if name else None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"source-{uuid7()}{Path(name).suffix if name.endswith('.eval') else ''}"
    try:
        if described is None or store.fetch(name, described.size, path) is None:
            raise InputError(f"there is nothing at {address}.", "Check the address.")
        yield path
    finally:
        path.unlink(missing_ok=True)
