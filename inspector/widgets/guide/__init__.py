"""The guide: a page a topic, written in Markdown and shipped with the program; `key_page` makes the one about keys."""

from functools import cache
from pathlib import Path

FIRST = "start"
KEYS, KEYS_TITLE = "keys", "Keys"
"""The page that `key_page` makes from the table of commands."""


@cache
def pages() -> dict[str, str]:
    """Return the pages' titles by their names, the first one first and the others in order."""
    files = sorted(Path(__file__).parent.glob("*.md"), key=lambda path: (path.stem != FIRST, path.stem))
    titles = {path.stem: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for path in files}
    return {**titles, KEYS: KEYS_TITLE}


def page(name: str) -> str:
    """Return the text of a page that is a file. Raises FileNotFoundError for another name."""
    return (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")
