"""Views in a real browser: what is written is what is there, charts have a size, and nothing of the data acts."""

import pytest

import chromium
import hostile_space
import markup_space
import scenes
from inspector.analyses import Params, load
from report_parts import Parts
from scoring.selection.loading import load as load_query
from scoring.selection.query import Query
from thoroughness import also, together

pytestmark = [pytest.mark.browser, chromium.needed]
SPACES = {"markup": markup_space, "controls": hostile_space}
PAGES = [
    ("compare", "upset"),
    ("thresholds", "ways"),
    ("thresholds", "rewards"),
    *also(("metrics", ""), ("compare", "scorers")),
]


@pytest.fixture(scope="module")
def several_results(tmp_path_factory):
    spaces = {name: space.make(tmp_path_factory.mktemp(name) / "w") for name, space in SPACES.items()}
    made = {name: load_query(Query(workspace=str(root))) for name, root in spaces.items()}
    return {"demo": load_query(scenes.demo()), **made}


@pytest.mark.parametrize(("whose", "of"), together(["demo", *SPACES], PAGES))
def test_it_says_in_a_browser_what_it_says(several_results, whose, of, tmp_path):
    name, page = of
    view = load(name).view(several_results[whose], Params(page), intervals=False)
    file = tmp_path / "view.html"
    file.write_text(view.render("html"))
    written, made = Parts(file.read_text()), Parts(chromium.browse(file, tmp_path / "profile"))
    assert made.title == written.title
    assert made.title.startswith(view.title)
    assert made.wrong == []
    assert made.elements == written.elements
    assert made.text.split() == written.text.split()


def test_in_a_notebook_it_is_a_part_of_the_page(tmp_path):
    view = load("compare").view(load_query(scenes.demo()), Params("upset"), intervals=False)
    file = tmp_path / "notebook.html"
    around = "<!DOCTYPE html><html><head><title>notebook</title></head><body>{}</body></html>"
    file.write_text(around.format(view._repr_html_()))
    written, made = Parts(file.read_text()), Parts(chromium.browse(file, tmp_path / "profile"))
    assert made.title == "notebook"
    assert made.wrong == []
    assert made.elements == written.elements
    assert "scorer" in made.text
