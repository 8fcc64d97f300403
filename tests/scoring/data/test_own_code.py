import sys

import pytest

import plugged_in
from scoring.data.errors import PluginError, UsageError
from scoring.data.own_code import from_entry_point, from_file, installed, is_file, package_of


def written(tmp_path, source, name="mine.py"):
    path = tmp_path / name
    path.write_text(source)
    return path


def test_a_file_is_imported_and_leaves_nothing_beside_it(tmp_path):
    path = written(tmp_path, "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'int' = 3\n")
    code = from_file(path)
    assert code.module.A().x == 3
    assert (code.name, len(code.digest), code.package) == ("mine", 64, "")
    assert list(tmp_path.iterdir()) == [path]


def test_the_digest_is_of_what_runs(tmp_path):
    one = from_file(written(tmp_path, "x = 1"))
    two = from_file(written(tmp_path, "x = 2"))
    assert (one.module.x, two.module.x) == (1, 2)
    assert one.digest != two.digest
    assert from_file(written(tmp_path, "x = 1", "other.py")).digest == one.digest


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\nimport nosuchpackage\n", "line 2, while it was imported: ModuleNotFoundError: No module named"),
        ("x = 1\ndef f(:\n", "line 2, while it was imported: SyntaxError"),
        ("def f():\n    raise KeyError('k')\n\nf()\n", "line 2, while it was imported: KeyError: 'k'"),
        ("import sys\nsys.exit()\n", "line 2, while it was imported: SystemExit"),
        ("\0", "mine.py"),
    ],
)
def test_what_it_raises_is_one_sentence_with_its_line(tmp_path, source, said):
    path = written(tmp_path, source)
    before = set(sys.modules)
    with pytest.raises(PluginError) as caught:
        from_file(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert {name for name in set(sys.modules) - before if name.startswith("prm_inspect_own")} == set()


def test_expected_errors_stay_what_they_are(tmp_path):
    path = written(tmp_path, "from scoring.data.errors import UsageError\nraise UsageError('mine.')\n")
    with pytest.raises(UsageError, match="mine"):
        from_file(path)


@pytest.mark.parametrize("name", ["nowhere.py", "."])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path, name):
    with pytest.raises(PluginError, match="cannot be read"):
        from_file(tmp_path / name)


def test_files_are_told_from_names():
    assert is_file("a/b.py")
    assert not is_file("qwen")


def test_entry_points_are_listed_without_being_imported(tmp_path, monkeypatch):
    sources = {"plugged_one.py": "THING = 5\n", "plugged_two.py": "raise AssertionError('imported')\n"}
    plugged_in.install(tmp_path, monkeypatch, "a.group", {"one": "plugged_one:THING", "two": "plugged_two"}, sources)
    found = installed("a.group")
    assert list(found) == ["one", "two"]
    assert package_of(found["one"]) == "mine 1.2"
    assert not {"plugged_one", "plugged_two"} & sys.modules.keys()
    code, thing = from_entry_point(found["one"])
    assert (thing, code.name, code.package, len(code.digest)) == (5, "one", "mine 1.2", 64)
    with pytest.raises(PluginError, match=r"line 1, named by the package mine 1.2, .* AssertionError: imported"):
        from_entry_point(found["two"])
    for name in ("plugged_one", "plugged_two"):
        sys.modules.pop(name, None)


def test_what_is_installed_meanwhile_is_found(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    before = list(sys.path)
    assert installed("late.group") == {}
    plugged_in.install(tmp_path, monkeypatch, "late.group", {"late": "later:THING"}, {"later.py": "THING = 5\n"})
    monkeypatch.setattr(sys, "path", before)
    assert list(installed("late.group")) == ["late"]


def test_there_are_none_of_a_group_that_nobody_has():
    assert installed("prm_inspect.nothing") == {}
