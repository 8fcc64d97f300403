"""Reports in a real browser: no script of the data runs, and nothing of it becomes an element."""

import pytest

import chromium
import hostile_space
import markup_space
from inspector.render.html import POLICY
from inspector.report.document import Choices, report_document
from inspector.request import Request
from inspector.selection import load
from report_parts import Parts

pytestmark = [pytest.mark.browser, chromium.needed]
TITLE = "what a colleague sees"


@pytest.fixture(scope="module", params=[markup_space, hostile_space], ids=["markup", "controls"])
def page(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    selection = load(Request(workspace=str(request.param.make(folder / "w")), sort="n_steps"))
    file = folder / "report.html"
    report_document(selection, Choices(cases=100, title=TITLE)).write(file, "html")
    return file


def test_a_script_would_be_seen(tmp_path):
    file = tmp_path / "canary.html"
    file.write_text(f"<!DOCTYPE html><title>{TITLE}</title><p><script>{markup_space.CANARY}</script>")
    assert Parts(chromium.browse(file, tmp_path / "profile")).title == "31337"


def test_no_script_runs_and_nothing_breaks_out(page, tmp_path):
    written, made = Parts(page.read_text()), Parts(chromium.browse(page, tmp_path / "profile"))
    assert made.title == TITLE
    assert made.wrong == []
    assert made.elements == written.elements
    assert made.text.split() == written.text.split()


def test_a_script_that_came_in_by_mistake_would_not_run(page, tmp_path):
    file = tmp_path / "mistake.html"
    script = f'<script>{markup_space.CANARY}</script><img src="x" onerror="{markup_space.CANARY}">'
    file.write_text(page.read_text().replace("<main>", f"<main>{script}"))
    assert Parts(chromium.browse(file, tmp_path / "profile")).title == TITLE
    # It is the policy that forbids it.
    file.write_text(file.read_text().replace(f'content="{POLICY.replace(chr(39), "&#x27;")}"', 'content=""'))
    assert Parts(chromium.browse(file, tmp_path / "other")).title == "31337"


def test_it_is_printed(page, tmp_path):
    file = tmp_path / "report.pdf"
    chromium.browse(page, tmp_path / "profile", f"--print-to-pdf={file}", "--no-pdf-header-footer")
    assert file.read_bytes().startswith(b"%PDF")
