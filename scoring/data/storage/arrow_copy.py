"""Copy an Arrow file, in a process of its own: `python -m scoring.data.storage.arrow_copy SOURCE COPY file|stream`.

Where the length in a damaged file is believed, polars asks for more memory than there is, and the process ends.
"""

import sys

import polars as pl


def main() -> int:
    """Write the copy, uncompressed; print one line and return 3 if the source cannot be read."""
    source, copy, layout = sys.argv[1:]
    try:
        with open(source, "rb") as file:  # noqa: PTH123  # polars maps a path, and this file may change meanwhile
            frame = pl.read_ipc_stream(file) if layout == "stream" else pl.read_ipc(file)
        frame.write_ipc(copy, compression="uncompressed")
    except BaseException as error:  # noqa: BLE001  # a panic of polars is no Exception
        print(str(error).strip() or type(error).__name__)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
