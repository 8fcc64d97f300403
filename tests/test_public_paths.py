"""What users import keeps its path: the Python API, and through 0.3 the modules that files of 0.2 name."""

import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import inspector.api
import scoring.api
from scoring.formats.benchmarks.case_format import CaseFormat
from scoring.formats.benchmarks.own import own_benchmark
from scoring.models.prms.own import own_family
from scoring.moved_modules import MODULES, path_of_today

OWN = Path(__file__).parent / "own"
PATHS = {
    "scoring.benchmarks.base": "scoring.formats.benchmarks.case_format",
    "scoring.benchmarks.by_field": "scoring.formats.benchmarks.own",
    "scoring.benchmarks.own": "scoring.formats.benchmarks.own",
    "scoring.checkpoint": "scoring.models.checkpoint",
    "scoring.prms.base": "scoring.models.prms.base",
    "scoring.prms.catalogue": "scoring.models.prms.prm_catalogue",
    "scoring.reading.fields": "scoring.formats.reading.fields",
    "scoring.readout": "scoring.data.readout",
}
"""What the guide and the examples of 0.1 and 0.2 imported, and where it is."""


@pytest.fixture
def fresh():
    """No path of 0.2 was imported before; afterwards none is there, so that the next test is warned too."""

    def forget():
        for name in [name for name in sys.modules if path_of_today(name)]:
            del sys.modules[name]

    forget()
    yield
    forget()


def of_0_2(name, folder):
    """Write an example as a file of 0.2 and return its path."""
    text = (OWN / name).read_text(encoding="utf-8")
    for before, today in PATHS.items():
        text = text.replace(f"from {today} import", f"from {before} import")
    file = folder / name
    file.write_text(text, encoding="utf-8")
    assert text != (OWN / name).read_text(encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("module", [scoring.api, inspector.api], ids=lambda module: module.__name__)
def test_an_api_exports_exactly_what_it_lists(module):
    names = {}
    exec(f"from {module.__name__} import *", names)  # noqa: S102
    assert sorted(names.keys() - {"__builtins__"}) == sorted(module.__all__) == dir(module)


@pytest.mark.parametrize("name", PATHS)
def test_a_path_of_0_2_is_the_module_of_today(name, fresh):
    today = import_module(PATHS[name])
    spec = today.__spec__
    with pytest.warns(DeprecationWarning, match=f"{name} is {PATHS[name]} now"):
        assert import_module(name) is today
    assert (today.__spec__, today.__name__) == (spec, PATHS[name])


def test_packages_of_0_2_hold_their_modules_and_no_others(fresh):
    with pytest.warns(DeprecationWarning, match=r"scoring\.prms\.qwen"):
        qwen = import_module("scoring.prms.qwen")
    assert qwen is import_module("scoring.models.prms.qwen")
    with pytest.raises(ModuleNotFoundError):
        import_module("scoring.benchmarks.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"scoring\.results"):
        import_module("scoring.results")


def test_a_warning_names_the_line_that_imports(tmp_path, fresh, monkeypatch):
    (tmp_path / "mine_of_0_2.py").write_text("x = 1\nfrom scoring.readout import Readout\n")
    monkeypatch.syspath_prepend(tmp_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import_module("mine_of_0_2")
    assert [(Path(warning.filename).name, warning.lineno) for warning in caught] == [("mine_of_0_2.py", 2)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["newline_prm.py", "context_prm.py"])
def test_an_adapter_of_0_2_is_a_family(name, tmp_path, fresh):
    family = own_family(of_0_2(name, tmp_path))
    assert family is not None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["lines.py", "sums.py"])
def test_a_benchmark_of_0_2_is_a_benchmark(name, tmp_path, fresh):
    benchmark = own_benchmark(of_0_2(name, tmp_path), ())
    assert benchmark is not None
    assert benchmark.form is None or isinstance(benchmark.form, CaseFormat)


def test_every_moved_module_is_there():
    assert [import_module(today).__name__ for today in MODULES.values()] == list(MODULES.values())
