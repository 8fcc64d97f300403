"""The rules of the house that a program can check: names that say what they hold, and one meaning a name."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
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


def _is_type(name: str) -> bool:
    return name[0].isupper() and not name.isupper()


@cache
def modules() -> dict[Path, ast.Module]:
    files = (file for folder in ("inspector", "scoring") for file in sorted((ROOT / folder).rglob("*.py")))
    return {file.relative_to(ROOT): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def functions(node: ast.AST, *, public: bool = True) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    """The functions in a node, and whether each can be reached by public names alone."""
    for child in ast.iter_child_nodes(node):
        reached = public and not (getattr(child, "name", None) or "").startswith("_")
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, reached
            yield from functions(child, public=False)
        else:
            yield from functions(child, public=reached)


def test_variables_are_named_for_what_they_hold():
    empty = []
    for file, tree in modules().items():
        for node in (node for function, _ in functions(tree) for node in ast.walk(function)):
            name = node.arg if isinstance(node, ast.arg) else node.id if isinstance(node, ast.Name) else ""
            if name in EMPTY_NAMES and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
                empty.append(f"{file}:{node.lineno}: {name}")
    assert not empty, "\n".join(empty)


def test_docstrings_of_public_functions_start_with_what_they_do():
    nouns = []
    for file, tree in modules().items():
        for function, public in functions(tree):
            value = any("property" in ast.unparse(decorator) for decorator in function.decorator_list)
            words = (ast.get_docstring(function) or "").split()
            if public and not value and words and words[0].strip(",.:") in NO_VERBS:
                nouns.append(f"{file}:{function.lineno}: {function.name}: {' '.join(words[:6])}")
    assert not nouns, "\n".join(nouns)


def test_a_public_class_or_type_has_a_name_of_its_own():
    places = defaultdict(list)
    for file, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                names = [node.name]
            elif isinstance(node, ast.Assign):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            else:
                names = []
            for name in filter(_is_type, names):
                places[name].append(str(file))
    several = {name: files for name, files in places.items() if len(files) > 1}
    assert not several, "\n".join(f"{name}: {', '.join(files)}" for name, files in sorted(several.items()))


def test_no_sentence_has_a_word_that_the_glossary_gave_up():
    odd = []
    for file, tree in modules().items():
        prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node in prose:
                continue
            if NO_WORDS.search(node.value):
                odd.append(f"{file}:{node.lineno}: {node.value[:90]!r}")
    assert not odd, "\n".join(odd)


def test_a_module_has_one_concept():
    """Which takes 700 lines at most."""
    long = [f"{file}: {n}" for file in modules() if (n := len((ROOT / file).read_text().splitlines())) > 700]
    assert not long, "\n".join(long)


def test_a_thread_of_the_app_is_described():
    """Where it is not, Textual writes down all that its function is given, which takes 70 ms."""
    silent = []
    for file, tree in modules().items():
        for node in ast.walk(tree):
            starts = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".run_worker")
            if starts and not any(keyword.arg == "description" for keyword in node.keywords):
                silent.append(f"{file}:{node.lineno}")
    assert not silent, "\n".join(silent)
