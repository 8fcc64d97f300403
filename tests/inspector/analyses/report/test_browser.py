"""Reports in a real browser: no script of the data runs, and nothing of it becomes an element."""

import pytest

import chromium
import hostile_space
import markup_space
from inspector.analyses.report.document import Choices, report_document
from inspector.render.documents.html import POLICY
from report_parts import Parts
from scoring.selection.loading import load
from scoring.selection.query import Query

pytestmark = [pytest.mark.browser, chromium.needed]
TITLE = "what a colleague sees"


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """What the browser keeps of itself, made once."""
    return tmp_path_factory.mktemp("profile")


def written(folder, module):
    """A report of a workspace in which every text is hostile."""
    results = load(Query(workspace=str(module.make(folder / "w")), sort="n_steps"))
    file = folder / "report.html"
    report_document(results, Choices(cases=100, title=TITLE)).write(file, "html")
    return file


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return written(tmp_path_factory.mktemp("browser"), markup_space)


@pytest.mark.parametrize("module", [markup_space, hostile_space], ids=["markup", "controls"])
def test_no_script_runs_and_nothing_breaks_out(page, profile, tmp_path, module):
    file = page if module is markup_space else written(tmp_path, module)
    wanted, made = Parts(file.read_text()), Parts(chromium.browse(file, profile))
    assert made.title == TITLE
    assert made.wrong == []
    assert made.elements == wanted.elements
    assert made.text.split() == wanted.text.split()


def test_a_script_that_came_in_by_mistake_would_not_run(page, profile, tmp_path):
    file = tmp_path / "mistake.html"
    script = f'<script>{markup_space.CANARY}</script><img src="x" onerror="{markup_space.CANARY}">'
    file.write_text(page.read_text().replace("<main>", f"<main>{script}"))
    assert Parts(chromium.browse(file, profile)).title == TITLE
    # It is the policy that forbids it: without one the script is seen.
    file.write_text(file.read_text().replace(f'content="{POLICY.replace(chr(39), "&#x27;")}"', 'content=""'))
    assert Parts(chromium.browse(file, profile)).title == "31337"


def test_it_is_printed(page, profile, tmp_path):
    file = tmp_path / "report.pdf"
    chromium.browse(page, profile, f"--print-to-pdf={file}", "--no-pdf-header-footer")
    assert file.read_bytes().startswith(b"%PDF")
