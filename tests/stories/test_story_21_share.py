"""Share: two keys write one HTML file that needs nothing else, and its command writes it again."""

import shlex
from html.parser import HTMLParser
from pathlib import Path

from at_the_terminal import pressed, shell, shown
from under_pilot import app

LOADING = {"script", "iframe", "object", "embed", "link", "img", "video", "audio", "base", "form"}


class Elements(HTMLParser):
    """The elements of a page, where its attributes point to, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.targets: list[str] = []
        self.text = ""
        self.commands: list[str] = []
        self._code = False

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self._code = tag == "code"
        self.targets += [value or "" for name, value in attrs if name in {"src", "href", "srcset", "data", "action"}]

    def handle_data(self, data):
        self.text += data
        if self._code and data.startswith("prm-inspect "):
            self.commands.append(data.removeprefix("prm-inspect "))


def test_one_file_offline_with_the_board_the_comparison_and_cases(tmp_path: Path):
    with app("demo", cwd=tmp_path) as terminal:
        shown(terminal, "7 scorers", "? help")
        pressed(terminal, "e")
        shown(terminal, "HTML report, to mail")
        pressed(terminal, "h")
        shown(terminal, "demo-report.html")
    page = (tmp_path / "demo-report.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 2_000_000
    found = Elements()
    found.feed(page)
    assert not found.names & LOADING
    assert all(target.startswith("#") for target in found.targets), found.targets
    assert "url(" not in page
    for words in ("tiny-prm-m", "McNemar", "44.2"):
        assert words in found.text
    again = next(command for command in found.commands if command.startswith("report "))
    shell(*shlex.split(again), cwd=tmp_path)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
