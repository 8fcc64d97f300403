"""The rules of the house that a program can check: names that say what they hold, and one meaning a name."""

import ast
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {
    *("pyproject.toml", "inspector", "scoring", "tests", "assets", "README.md"),
    *("LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"),
}
EMPTY_NAMES = {"one", "found", "told", "said", "shown", "asked", "given", "heard", "wish", "manner"}
"""Variables that say nothing of what they hold."""
NO_VERBS = {
    *("The", "A", "An", "What", "Whether", "How", "Where", "Which", "Who", "Whose", "Why", "When"),
    *("All", "Every", "Each", "Those", "These", "This", "That", "It", "Its", "Some", "One", "With", "For", "Of"),
}
"""Words with which no docstring of a public function starts: it starts with what the function does."""
NO_WORDS = re.compile(
    r"^Mind: |\bLeaning\b|(?<!here )\b(?:is|are) no (?:rule|threshold|page|table|option|number|column|JSON|list)s?\b"
)
"""What no sentence on screen says: `'abc' is not a threshold`, and never `'abc' is no threshold`."""

STARTS = re.compile(
    r"sys\.(executable|_base_executable)\b|multiprocessing\b|concurrent\.futures\.(process|ProcessPool)|pty\b|"
    r"os\.(system|popen|exec|spawn|posix_spawn|fork\b|forkpty)|(torch|ray)\.multiprocessing"
)
"""What starts a Python process, which would import code from the current folder, or any process through a shell."""
MODULE_PATH = re.compile(r"\A(?:inspector|scoring)(?:\.\w+)+\Z")
"""A text that names a module, which may be imported by it."""
_FUNCTIONS = {ast.FunctionDef, ast.AsyncFunctionDef}
_TOLD = {ast.Constant, ast.Call, ast.arg, ast.Name, ast.Attribute, ast.Import, ast.ImportFrom, *_FUNCTIONS}
"""What a rule asks of."""
_LEAVES = {*ast.expr_context.__subclasses__(), *ast.operator.__subclasses__(), *ast.cmpop.__subclasses__()}
"""Nodes of which there are many, and none asks."""


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """As `ast.iter_child_nodes`, without those leaves, in half the time."""
    for name in node._fields:
        value = getattr(node, name)
        for child in value if type(value) is list else (value,):
            if isinstance(child, ast.AST) and type(child) not in _LEAVES:
                yield child


def _starts(node: ast.Attribute | ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The names in a node that start a Python process, or any process without arguments of its own."""
    if isinstance(node, ast.Attribute):
        names = [f"{getattr(node.value, 'id', '')}.{node.attr}"]
    elif isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    yield from (name for name in names if STARTS.match(name))


def _imported(node: ast.Attribute | ast.Import | ast.ImportFrom) -> list[str]:
    """The dotted names that a statement imports."""
    if isinstance(node, ast.Attribute):
        return []
    origin = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return [f"{origin}{alias.name}" for alias in node.names]


@dataclass
class Content:
    """What the rules look at in all modules, each with its place; the trees are let go at once, for they are large."""

    names: list[tuple[str, str]] = field(default_factory=list)
    """Bound within functions."""
    docstrings: list[tuple[str, str, str]] = field(default_factory=list)
    """Of public functions, with their names."""
    types: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Classes and types of modules, with the files that they are in."""
    sentences: list[tuple[str, str]] = field(default_factory=list)
    """Texts that are no docstrings."""
    starts: list[str] = field(default_factory=list)
    """Expressions with which a Python process is started, other than by `scoring.data.python_child`."""
    undescribed: list[str] = field(default_factory=list)
    """Threads of the app without a description."""
    lines: dict[str, int] = field(default_factory=dict)
    """Of each file, without docstrings and imports at its top."""
    imports: set[tuple[str, str]] = field(default_factory=set)
    """Module -> dotted name that it imports: at its top, in a function, for types alone, or named in a string."""

    def read(self, file: Path) -> None:
        text = (ROOT / file).read_text(encoding="utf-8")
        tree = ast.parse(text)
        self.lines[str(file)] = len(text.splitlines())
        above = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)]
        self.lines[str(file)] -= sum((node.end_lineno or 0) - node.lineno + 1 for node in above)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                self.types[node.name].append(str(file))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper():
                        self.types[target.id].append(str(file))
        # A node, whether it is within a function, and whether it can be reached by public names alone.
        left: list[tuple[ast.AST, bool, bool]] = [(tree, False, True)]
        while left:
            node, within, public = left.pop()
            kind = type(node)
            if kind in _TOLD:
                self._take(node, file, within=within, public=public)
                if kind in _FUNCTIONS:
                    within, public = True, False
            elif kind is ast.Expr and isinstance(node.value, ast.Constant):
                continue
            left.extend(
                (child, within, public and not (getattr(child, "name", None) or "").startswith("_"))
                for child in _children(node)
            )

    def _take(self, node: Any, file: Path, *, within: bool, public: bool) -> None:
        place = f"{file}:{node.lineno}"
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                self.sentences.append((place, node.value))
                self.imports |= {(module_name(file), name) for name in MODULE_PATH.findall(node.value)[:1]}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if public and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list):
                self.docstrings.append((place, node.name, ast.get_docstring(node) or ""))
        elif isinstance(node, ast.Call):
            described = any(keyword.arg == "description" for keyword in node.keywords)
            if getattr(node.func, "attr", "") == "run_worker" and not described:
                self.undescribed.append(place)
        elif isinstance(node, ast.Attribute | ast.Import | ast.ImportFrom):
            self.starts.extend(f"{place}: {text}" for text in _starts(node))
            self.imports |= {(module_name(file), name) for name in _imported(node)}
        elif within and isinstance(node, ast.arg):
            self.names.append((place, node.arg))
        elif within and isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.names.append((place, node.id))


def files() -> list[Path]:
    return [file.relative_to(ROOT) for top in ("inspector", "scoring") for file in sorted((ROOT / top).rglob("*.py"))]


def module_name(file: Path) -> str:
    """The dotted name of a file's module; of an `__init__.py` that of its folder."""
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def content() -> Content:
    made = Content()
    for file in files():
        made.read(file)
    return made


def test_variables_are_named_for_what_they_hold():
    assert [(place, name) for place, name in content().names if name in EMPTY_NAMES] == []


def test_docstrings_of_public_functions_start_with_what_they_do():
    nouns = [
        f"{place}: {name}: {docstring[:60]}"
        for place, name, docstring in content().docstrings
        if docstring and docstring.split()[0].strip(",.:") in NO_VERBS
    ]
    assert not nouns, "\n".join(nouns)


def test_a_public_class_or_type_has_a_name_of_its_own():
    several = {
        name: places
        for name, places in content().types.items()
        if len(places) > 1 and name[0].isupper() and not name.isupper()
    }
    assert not several, "\n".join(f"{name}: {', '.join(places)}" for name, places in sorted(several.items()))


def test_no_sentence_has_a_word_that_the_glossary_gave_up():
    odd = [f"{place}: {text[:90]!r}" for place, text in content().sentences if NO_WORDS.search(text)]
    assert not odd, "\n".join(odd)


def test_a_module_has_one_concept():
    """Which takes 670 lines at most, without docstrings and imports at its top."""
    assert [(file, lines) for file, lines in content().lines.items() if lines > 670] == []


MOST_METHODS = {
    "scoring.evaluation.evaluation.Evaluation": 20,
    "scoring.selection.result_set.ResultSet": 10,
    "inspector.state.screen_state.ScreenState": 14,
    "inspector.screens.base.AppScreen": 20,
}
"""Methods and properties in the body of a class, at most; those with a name like `__init__` are not counted."""


MOST_FIELDS = {"scoring.selection.result_set.ResultSet": 8}
"""Annotated fields of a class, at most."""


def body_of(path: str) -> list[ast.stmt]:
    """Of a class, by its dotted path."""
    module, _, name = path.rpartition(".")
    tree = ast.parse(ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8"))
    [body] = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    return body


def methods(path: str) -> list[str]:
    """Of a class, by its dotted path."""
    body = body_of(path)
    defined = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [method for method in defined if not method.startswith("__")]


@pytest.mark.parametrize("path", MOST_METHODS)
def test_a_class_has_few_methods(path):
    assert len(methods(path)) <= MOST_METHODS[path], methods(path)


@pytest.mark.parametrize("path", MOST_FIELDS)
def test_a_class_has_few_fields(path):
    fields = [node.target.id for node in body_of(path) if isinstance(node, ast.AnnAssign)]
    assert 0 < len(fields) <= MOST_FIELDS[path], fields


HAVE_STATE = {"self", "screen", "host", "_host", "front", "app"}
"""Names of what has a screen state in the files of screens and of the app."""


def state_in(node: ast.AST | None) -> bool:
    """Whether an expression is the state of a screen or of the app."""
    if isinstance(node, ast.Attribute) and node.attr == "state":
        holder = node.value
        return getattr(holder, "attr", getattr(holder, "id", "")) in HAVE_STATE
    return isinstance(node, ast.Name) and node.id == "state"


def asks_for_state(node: ast.AST) -> bool:
    """Whether a node asks if there is a state: it is compared with None, or is a condition."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(map(state_in, sides)) and any(isinstance(at, ast.Constant) and at.value is None for at in sides)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return state_in(node.test)
    if isinstance(node, ast.BoolOp):
        return any(map(state_in, node.values))
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and state_in(node.operand)


def test_screens_and_the_app_never_ask_whether_there_is_a_state():
    asking = [
        f"{file}:{node.lineno}"
        for file in files()
        if file.parts[:2] in {("inspector", "screens"), ("inspector", "app")}
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        if asks_for_state(node)
    ]
    assert asking == []


@pytest.mark.parametrize(
    "source", ["self.state is None", "None != screen.state", "self._host.state or 1", "not state", "1 if state else 2"]
)
def test_a_question_for_a_state_is_found(source):
    assert any(map(asks_for_state, ast.walk(ast.parse(source))))


LAYERS = {
    contract["name"].partition(":")[0]: [set(layer.split(" | ")) for layer in contract["layers"]]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    if contract["name"].endswith(": imports point down")
}
"""Layers of each package, top first: subpackages and top-level files. `lint-imports` reads the same table."""
ALONE = {"scoring", "scoring.moved_modules", "inspector"}
"""Files of the packages themselves, outside the layers."""
MOST_IMPORTS = {"scoring": 43, "inspector": 29}
"""The number of pairs of subpackages where the first imports the second."""


ENTRIES = (
    "inspector.cli",  # a command imports what it does when it is called
    "inspector.app",  # the first screen is painted before polars is imported
    "inspector.state.visit",
    "inspector.state.processes.job",
    "inspector.screens",  # a dialog is imported when it is opened
    "inspector.render.view",  # so is a renderer, and the conversion of formulas
    "inspector.render.mathtext",
    "inspector.state.kept_answers",
    "scoring.formats.benchmarks.benchmark_registry",
    "scoring.importing.stored_objects",
    "scoring.workspace.workspace",  # object storage, what was removed, and what an import left out: few ask
    "scoring.selection.query_notes",
    "scoring.evaluation.evaluated_cases",
    "scoring.__main__",
    "scoring.runs.critic_command",  # an engine is imported when it is chosen
    "scoring.runs.engine_options",
    "scoring.runs.opened",
    "scoring.runs.preparation",
    "scoring.runs.prm_command",
    "scoring.runs.prm_reports",
    "scoring.engines.usable_weights",
    "scoring.engines.vllm_engine",
)
"""Modules and packages whose functions may import modules of ours."""
TYPED = (
    *("inspector.cli", "inspector.app", "inspector.screens.messages", "inspector.screens.board_details"),
    *("scoring.workspace.workspace", "scoring.runs.opened", "scoring.runs.prm_worker"),
)
"""Those that may name classes of ours in annotations alone: importing them would import polars or an engine early."""


OURS = re.compile(r"(?:inspector|scoring)(?:\.|$)")


def is_in(name: str, modules: Sequence[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def inner_imports(source: str) -> Iterator[tuple[str, int]]:
    """Yield `typing` or `local`, and the line, for each of our imports that is not at the top of a module."""

    def walk(node: ast.AST, where: str) -> Iterator[tuple[str, int]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ImportFrom) and where and OURS.match(child.module or ""):
                yield where, child.lineno
            inner = where
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = "local"
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                inner = "typing"
            yield from walk(child, inner)

    yield from walk(ast.parse(source), "")


def test_modules_of_ours_are_imported_at_the_top():
    allowed = {"local": ENTRIES, "typing": TYPED}
    inner = [
        f"{file}:{line}"
        for file in files()
        if OURS.match(module_name(file))
        for where, line in inner_imports((ROOT / file).read_text(encoding="utf-8"))
        if not is_in(module_name(file), allowed[where])
    ]
    assert inner == []


def test_imports_of_ours_in_functions_and_for_types_are_found():
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from scoring.a import B\n    import x\n"
    source += "def f():\n    from inspector import c\n    from json import d\nfrom scoring.a import e\n"
    assert list(inner_imports(source)) == [("typing", 3), ("local", 6)]


def subpackage(name: str) -> str:
    return ".".join(name.split(".")[:2])


def module_of(name: str, modules: set[str]) -> str | None:
    """The module that a dotted name names or belongs to; None if it is not one of ours."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


@pytest.mark.parametrize("package", LAYERS)
def test_imports_point_down(package):
    modules = {module_name(file) for file in files()}
    assert {subpackage(name) for name in modules if name.startswith(f"{package}.")} - ALONE == set.union(
        *LAYERS[package]
    )
    rank = {name: number for number, layer in enumerate(LAYERS[package]) for name in layer}
    pairs = {
        (subpackage(name), subpackage(target))
        for name, imported in content().imports
        if name.startswith(f"{package}.") and (target := module_of(imported, modules - {package}))
    }
    pairs = {pair for pair in pairs if pair[0] != pair[1] and rank.keys() >= set(pair)}
    assert {pair for pair in pairs if rank[pair[0]] >= rank[pair[1]]} == set()
    assert len(pairs) <= MOST_IMPORTS[package]


def test_no_import_leads_back_to_where_it_came_from():
    """Imports in functions, imports for types alone and module names in strings count too."""
    modules = {module_name(file) for file in files()}
    imports: dict[str, set[str]] = defaultdict(set)
    for name, imported in content().imports:
        target = module_of(imported, modules - {"inspector", "scoring"})
        if target is not None and target != name:
            imports[name].add(target)
    # What imports nothing that is left is in no cycle.
    while leaves := {name for name in modules if not imports[name] & modules}:
        modules -= leaves
    # The rest are cycles, and what leads to them.
    while roots := modules - set().union(*(imports[name] for name in modules)):
        modules -= roots
    assert sorted(modules) == []


def test_the_top_level_holds_what_a_reader_expects_there():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    if not files:
        pytest.skip("not a checkout")
    there = {name.partition("/")[0] for name in files.splitlines()}
    assert {name for name in there if not name.startswith(".")} == TOP_LEVEL


def test_a_file_has_a_name_of_its_own_in_its_subpackage():
    names = defaultdict(list)
    for file in files():
        if len(file.parts) > 2 and file.stem not in {"__init__", "__main__"}:
            names[file.parts[:2], file.stem].append(str(file))
    assert [places for places in names.values() if len(places) > 1] == []


@pytest.mark.parametrize("name", sorted(name for layers in LAYERS.values() for layer in layers for name in layer))
def test_a_subpackage_says_what_it_is_for_what_it_imports_and_what_to_read_first(name):
    folder = ROOT.joinpath(*name.split("."))
    if folder.is_dir():
        docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        purpose, more = docstring.split("\n\n")[:2]
        assert purpose.endswith(".")
        assert more.startswith("It imports ")
        first = re.findall(r"Read `([\w/.]+)` first", more)
        assert [path for path in first if not (folder / path).is_file()] == []
        assert len(first) == 1


def test_a_thread_of_the_app_is_described():
    """Where it is not, Textual writes down all that its function is given, and the keys wait for it."""
    assert not content().undescribed, "\n".join(content().undescribed)


def test_one_module_starts_python_processes():
    """`scoring.data.python_child`, which keeps code of the current folder out of them."""
    assert [start for start in content().starts if "scoring/data/python_child.py" not in start] == []


@pytest.mark.parametrize(
    "source",
    [
        *("import sys; sys.executable", "from sys import executable", "import os; os.execv", "from os import system"),
        *("import multiprocessing.pool", "from multiprocessing import Pool", "import torch.multiprocessing"),
        *("from concurrent.futures import ProcessPoolExecutor", "from concurrent.futures.process import x"),
    ],
)
def test_a_start_of_a_python_process_is_found(source):
    nodes = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute | ast.Import | ast.ImportFrom)
    ]
    assert [name for node in nodes for name in _starts(node)]
