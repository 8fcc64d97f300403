"""Views in a real browser: what is written is what is there, charts have a size, and nothing of the data acts."""

import pytest

import chromium
import hostile_space
import markup_space
import scenes
from inspector.analyses import Params, load
from inspector.request import Request
from inspector.selection import load as load_request
from report_parts import Parts

pytestmark = [pytest.mark.browser, chromium.needed]
PAGES = [
    ("metrics", ""),
    ("compare", "scorers"),
    ("compare", "upset"),
    ("thresholds", "ways"),
    ("thresholds", "rewards"),
]


@pytest.fixture(scope="module", params=["demo", "markup", "controls"])
def selection(request, tmp_path_factory):
    if request.param == "demo":
        return load_request(scenes.demo())
    space = {"markup": markup_space, "controls": hostile_space}[request.param]
    return load_request(Request(workspace=str(space.make(tmp_path_factory.mktemp("browser") / "w"))))


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_it_says_in_a_browser_what_it_says(selection, name, page, tmp_path):
    view = load(name).view(selection, Params(page), intervals=False)
    file = tmp_path / "view.html"
    file.write_text(view.render("html"))
    written, made = Parts(file.read_text()), Parts(chromium.browse(file, tmp_path / "profile"))
    assert made.title == written.title
    assert made.title.startswith(view.title)
    assert made.wrong == []
    assert made.elements == written.elements
    assert made.text.split() == written.text.split()


def test_in_a_notebook_it_is_a_part_of_the_page(tmp_path):
    view = load("compare").view(load_request(scenes.demo()), Params("upset"), intervals=False)
    file = tmp_path / "notebook.html"
    around = "<!DOCTYPE html><html><head><title>notebook</title></head><body>{}</body></html>"
    file.write_text(around.format(view._repr_html_()))
    written, made = Parts(file.read_text()), Parts(chromium.browse(file, tmp_path / "profile"))
    assert made.title == "notebook"
    assert made.wrong == []
    assert made.elements == written.elements
    assert "scorer" in made.text
