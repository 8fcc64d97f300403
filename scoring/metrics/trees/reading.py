"""Trees of searches read from files: a documented form of ours, and what public code of searches writes.

Ours is a JSON object a tree, one a line (or an array of them):

    {"id": "p1", "problem": "…", "reference_answer": "12", "chosen": "4", "nodes": [
        {"id": "0", "parent": null, "text": ""},
        {"id": "1", "parent": "0", "text": "Let x be …", "value": 0.82, "visits": 9, "pruned": null},
        {"id": "2", "parent": "0", "text": "Guess 7.", "value": 0.31, "visits": 2, "pruned": 1},
        {"id": "4", "parent": "1", "text": "So x = 12.", "value": 0.9, "correct": true}]}

An id is a text or a whole number. `value` is the PRM's number for the step, `pruned` the round in which the search
dropped the node (null, false or nothing = it was kept; true = in the round of its depth), `correct` of a leaf whether
its final answer is right. Everything but `nodes`, and of a node its `id` and `parent`, may be left out. `chosen` is the
leaf that the search answered with; without it, it is the leaf of the highest value that was kept. `depth` is checked.

Another form is two functions, what recognises a row and what makes its tree, and a line of `_FORMS`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import UnknownFormat
from scoring.data.progress import tell
from scoring.formats.reading.fields import Fields, kind_of, row_name
from scoring.formats.reading.file_bytes import UTF8_MARK, file_bytes, printable
from scoring.formats.reading.findings import Finding, some_of
from scoring.formats.reading.rows import Rows, SourceRow, read_rows
from scoring.formats.reading.text_rows import line_elements
from scoring.metrics.trees.search_tree import ROUNDS, SearchNode, SearchTree, TreeFault, tree_of

TREE_FIELDS = ("id", "problem", "reference_answer", "chosen", "nodes")
NODE_FIELDS = ("id", "parent", "text", "value", "visits", "depth", "pruned", "correct")
OF_ANSWERS = "no answer was chosen: the values are made of the answers"
_WANTED = 'Give one tree a line, {"id": ..., "nodes": [{"id": ..., "parent": null, ...}]}: prm-inspect help trees.'
_SEPARATOR = "\n\n"
_SAME = 1e-3
"""Up to which scores of one step count as equal: those of half precision differ from batch to batch."""


class TreeFile(Struct, frozen=True):
    """The trees of files in their order, what was noticed, and how many rows there were, those left out too."""

    trees: tuple[SearchTree, ...]
    findings: tuple[Finding, ...]
    rows: int


def read_trees(paths: Sequence[Path]) -> TreeFile:
    """Read the trees of files: JSON Lines, a JSON array or object, Parquet or Arrow.

    A row that is no tree is left out and said in an error of the findings; what is odd within a tree is a warning.

    Raises:
        UnreadableFile: a file cannot be read.
        UnknownFormat: a file holds no rows, or none of all rows is a tree.
    """
    trees: list[SearchTree] = []
    findings: list[Finding] = []
    rows = 0
    for path in paths:
        source = printable(path)
        for row in _rows_of(path, source, findings):
            rows += 1
            tree = tree_of_row(row, source, findings)
            if tree is not None:
                trees.append(tree)
        rows += sum(finding.code == "broken-row" and finding.source == source for finding in findings)
    if not trees:
        error = next((finding for finding in findings if finding.severity == "error"), None)
        why = "" if error is None else f" ({error.message})"
        raise UnknownFormat(f"no row of {some_of([printable(path) for path in paths], 2)} is a tree{why}.", _WANTED)
    return TreeFile(tuple(trees), tuple(findings), rows)


def _rows_of(path: Path, source: str, findings: list[Finding]) -> Iterator[SourceRow]:
    """The rows of a file; a line of JSON is decoded when it is asked for, so that one tree is in memory twice."""
    lines = file_bytes(path, source).removeprefix(UTF8_MARK).split(b"\n")
    first = next((line for line in lines if line.strip()), b"")
    if _decoded(first) is None:
        whole = read_rows(path, source)
        yield from whole.rows
        findings.extend(whole.findings)
        return
    number, done, size = 0, 0, sum(map(len, lines))
    for at, line in enumerate(lines, start=1):
        done += len(line)
        if not line.strip():
            continue
        tell(done, size, "reading trees", "")
        number += 1
        value = _decoded(line)
        if value is None:
            # The slower decoder takes more, and says what is wrong with the rest.
            rows = Rows(source, "JSON Lines")
            elements = line_elements(line.decode("utf-8", errors="replace"))
            rows.collect(replace(element, line=at) for element in elements)
            findings.extend(rows.findings)
            value = rows.rows[0].value if rows.rows else None
            if not rows.rows:
                continue
        yield SourceRow(number, at, value)


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def tree_of_row(row: SourceRow, source: str, findings: list[Finding]) -> SearchTree | None:
    """Make the tree of a row; None, and an error among the findings, where it is none."""
    fields = Fields(row.value if isinstance(row.value, Mapping) else {}, source, row.number, row.line, findings)
    if not isinstance(row.value, Mapping):
        fields.note("error", "no-object", f"a row is {kind_of(row.value)}, not an object: it is left out")
        return None
    read = next((read for recognises, read in _FORMS if recognises(row.value)), None)
    if read is None:
        names = some_of([str(name) for name in row.value], 5)
        fields.note("error", "no-tree", f"a row is no tree of a known form: it is left out (its fields: {names})")
        return None
    try:
        return read(fields)
    except TreeFault as fault:
        fields.note("error", fault.code, f"not a tree, and left out: {fault}")
        return None


# -- our own form


def _ours(fields: Fields) -> SearchTree:
    name, odd = _tree_name(fields, "id"), _Odd()
    values = fields.value["nodes"]
    if not values:
        raise TreeFault("no-nodes", "it has no nodes")
    nodes = [_node(value, at, odd) for at, value in enumerate(values)]
    parents = {node.parent for node in nodes}
    for node in nodes:
        if node.correct is not None and node.name in parents:
            odd.note("correct", node.name)
            node.correct = None
        if node.parent is not None and not node.text.strip():
            odd.note("text", node.name)
    chosen = None if fields.value.get("chosen") is None else _word(fields.value["chosen"])
    usable = chosen not in parents and any(node.name == chosen for node in nodes)
    if chosen is not None and not usable:
        fields.note("warning", "chosen", f"{name}: chosen is not one of its leaves, and is not used")
    tree = tree_of(
        nodes,
        chosen if usable else None,
        "the file says so" if usable else "chosen is not one of the leaves",
        choose_by_value=chosen is None,
        **_facts(fields, name, "trees of prm-inspect", "the PRM's value"),
        problem=fields.text("problem") or "",
        reference_answer=_word(fields.value.get("reference_answer")),
    )
    depths = dict(zip(tree.names, tree.depths.tolist(), strict=True))
    for node, value in zip(nodes, values, strict=True):
        if value.get("depth") not in (None, depths[node.name]):
            odd.note("depth", node.name)
    others = [key for key in fields.value if key not in TREE_FIELDS]
    others += list(dict.fromkeys(f"nodes.{key}" for value in values for key in value if key not in NODE_FIELDS))
    if others:
        fields.note("note", "left-out", f"{name}: not read: {some_of(others, 6)}")
    odd.tell(fields, name)
    return tree


class _Odd:
    """Names of nodes in which something is odd, by what it is."""

    WORDS: Mapping[str, str] = {
        "text": "steps without text",
        "value": "values that are not numbers, and count as missing",
        "visits": "visits that are not whole numbers from 0 on, and count as missing",
        "correct": "correct where it is neither true nor false, or steps come after it: it is not used",
        "depth": "depths that are not the number of steps from the root, which counts",
        "pruned": "pruned is true: taken as the round of the node's depth",
    }

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = {}

    def note(self, what: str, name: str) -> None:
        self.names.setdefault(what, []).append(name)

    def tell(self, fields: Fields, tree: str) -> None:
        """Make a finding of each kind, with how many nodes it is of and the first ones."""
        for what, names in self.names.items():
            listed = some_of([repr(name) for name in names], 3)
            words = f"{tree}: {self.WORDS[what]} ({len(names)}: {listed})"
            fields.note("note" if what in {"text", "pruned"} else "warning", f"node-{what}", words)


def _node(value: Any, at: int, odd: _Odd) -> SearchNode:
    """One node; raises TreeFault where its place or when it was dropped cannot be read: the tree would be another."""
    if not isinstance(value, dict):
        raise TreeFault("node-type", f"nodes[{at}] is {kind_of(value)}, not an object")
    get = value.get
    name, parent = _node_name(get("id"), at), get("parent")
    if parent is not None:
        parent = _node_name(parent, at, "parent")
    text, number, visits, pruned, correct = get("text"), get("value"), get("visits"), get("pruned"), get("correct")
    text = _word(text) if isinstance(text, str) else ""
    # Most nodes have nothing odd: what is needed to say so is looked for only where it may be.
    if number is not None and (number := _number(number)) is None:
        odd.note("value", name)
    if visits is not None and (visits := _whole(visits)) is None:
        odd.note("visits", name)
    if correct is not None and not isinstance(correct, bool):
        odd.note("correct", name)
        correct = None
    if pruned is True:
        odd.note("pruned", name)
    elif pruned is False:
        pruned = None
    elif pruned is not None and (pruned := _whole(pruned)) is None:
        raise TreeFault("pruned", f"pruned of {name!r} is {kind_of(get('pruned'))} and not a round, a number from 0 on")
    return SearchNode(name, parent, text, number, visits, pruned, correct)


def _node_name(value: Any, at: int, field: str = "id") -> str:
    if isinstance(value, str):
        return value if value.isascii() else _word(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TreeFault("node-id", f"{field} of nodes[{at}] is {kind_of(value)}, not a text or a whole number")


def _number(value: Any) -> float | None:
    if isinstance(value, int) and not isinstance(value, bool):
        # One of hundreds of digits is no number that a value can be.
        value = float(value) if abs(value) < ROUNDS else math.inf
    return value if isinstance(value, float) and math.isfinite(value) else None


def _whole(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < ROUNDS else None


def _word(value: Any) -> str:
    """A value as text; lone surrogates, which no file can hold, become U+FFFD."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _facts(fields: Fields, name: str, form: str, value_is: str) -> dict[str, Any]:
    return {"id": name, "source": fields.source, "line": fields.line, "format": form, "value_is": value_is}


def _tree_name(fields: Fields, *names: str) -> str:
    """The first of some fields that names the tree, else its file and row."""
    for name in names:
        value = fields.value.get(name)
        if (isinstance(value, str) and value.strip()) or (isinstance(value, int) and not isinstance(value, bool)):
            return _word(value)
    return row_name(fields.source, fields.number)


# -- OpenR's OmegaPRM


_MONTE_CARLO = "the share of sampled completions that are right"


def _omega(fields: Fields) -> SearchTree:
    """Read a tree of openreasoner/openr, `data/omegaPRM_v2`: `{question, final_answer, reasoning_steps}`.

    The last is nested `{text, mc_value, children}`; without --save_data_tree it is a list of `{solution_prefix,
    mc_value}`, as in MATH-APS, and nodes hang below the longest other prefix of theirs. In the nested form a leaf with
    mc_value 1 is a completion whose answer is right: `monte_carlo_estimation` hangs those below the state that they
    were sampled from, and no other state without children has 1. Nothing is dropped there.
    """
    steps = fields.value.get("reasoning_steps", fields.value)
    problem = fields.text("question") or ""
    name = _tree_name(fields, "id", "question_id")
    if isinstance(steps, list):
        pairs = [(step.get("solution_prefix"), step.get("mc_value")) for step in steps if isinstance(step, Mapping)]
        nodes = [node for node, _ in _of_prefixes(fields, name, pairs, problem)]
    else:
        nodes = list(_nested(fields, name, steps))
        problem = problem or nodes[0].text
    return tree_of(
        nodes,
        None,
        OF_ANSWERS,
        **_facts(fields, name, "OpenR's OmegaPRM", _MONTE_CARLO),
        problem=problem,
        reference_answer=_word(fields.value.get("final_answer")),
    )


def _nested(fields: Fields, name: str, root: Any) -> Iterator[SearchNode]:
    odd = _Odd()
    # Not by recursion: it may be nested more deeply than Python goes.
    left: list[tuple[Any, str | None]] = [(root, None)]
    count = 0
    while left:
        value, parent = left.pop()
        children = value.get("children") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or not isinstance(children or [], list):
            raise TreeFault(
                "node-type", f"what hangs below node {parent} is not a list of nodes, objects with text and children"
            )
        node = SearchNode(str(count), parent, _word(value.get("text")), _number(value.get("mc_value")))
        count += 1
        if node.value is None and value.get("mc_value") is not None:
            odd.note("value", node.name)
        if parent is not None and not node.text.strip():
            odd.note("text", node.name)
        if not children and parent is not None and node.value == 1:
            node.correct = True
        yield node
        left.extend((child, node.name) for child in reversed(children or []))
    odd.tell(fields, name)


def _of_prefixes(
    fields: Fields, name: str, pairs: Iterable[tuple[Any, Any]], problem: str
) -> Iterator[tuple[SearchNode, str]]:
    """Nodes of texts from the beginning of a solution, with these; each hangs below the longest that it goes on from.

    One goes on from another where it begins with its lines. A text that is there twice counts once.
    """
    odd, values = _Odd(), dict[str, Any]()
    twice = 0
    for text, value in pairs:
        if not isinstance(text, str):
            raise TreeFault("node-type", f"the beginning of a solution is {kind_of(text)}, not text")
        beginning = _word(text).strip()
        twice += beginning in values
        values.setdefault(beginning, value)
    if twice:
        fields.note("note", "repeated-prefix", f"{name}: beginnings that are there more than once ({twice}) count once")
    root = problem.strip()
    yield SearchNode("0", None, "", _number(values.get(root) if root else values.get(""))), root
    above: list[tuple[list[str], str]] = []
    for count, text in enumerate(sorted(values.keys() - {root, ""}, key=lambda text: text.split("\n")), start=1):
        # Sorted by lines, what goes on from a beginning stands right behind it.
        lines = text.split("\n")
        while above and lines[: len(above[-1][0])] != above[-1][0]:
            above.pop()
        known = above[-1][0] if above else root.split("\n")
        new = lines[len(known) :] if lines[: len(known)] == known else lines
        node = SearchNode(str(count), above[-1][1] if above else "0", "\n".join(new).strip(), _number(values[text]))
        if node.value is None and values[text] is not None:
            odd.note("value", node.name)
        yield node, text
        above.append((lines, node.name))
    odd.tell(fields, name)


# -- ReST-MCTS*


def _rest(fields: Fields) -> SearchTree:
    """Read samples of THUDM/ReST-MCTS (`MCTS/task.py`, sample_value full): a tree of texts from the beginning.

    A row is `{content, real_answer, policy_samples: [{solution, summary, correct}], value_samples: [{steps, value}]}`.
    The value is what the value model is to learn, made of the answers; without a right answer there are none. Each
    solution is a leaf.
    """
    name = _tree_name(fields, "id")
    solved: dict[str, Any] = {}
    for sample in fields.value["policy_samples"]:
        if isinstance(sample, Mapping) and isinstance(sample.get("solution"), str):
            solved.setdefault(_word(sample["solution"]).strip(), sample.get("correct"))
    samples = [sample for sample in fields.value["value_samples"] if isinstance(sample, Mapping)]
    pairs = [(sample.get("steps"), sample.get("value")) for sample in samples]
    valued = {_word(text).strip() for text, _ in pairs}
    made = list(_of_prefixes(fields, name, [*pairs, *((text, None) for text in solved if text not in valued)], ""))
    parents = {node.parent for node, _ in made}
    for node, text in made:
        correct = solved.get(text)
        node.correct = correct if isinstance(correct, bool) and node.name not in parents else None
    return tree_of(
        [node for node, _ in made],
        None,
        OF_ANSWERS,
        **_facts(fields, name, "ReST-MCTS*", "the value model's target, made of the answers"),
        problem=fields.text("content") or "",
        reference_answer=_word(fields.value.get("real_answer")),
    )


# -- search-and-learn


def _completions(fields: Fields) -> SearchTree:
    """Read completions of huggingface/search-and-learn (beam search, DVTS, best of n) as the tree of what they share.

    A row has `completions`, `scores` (a list of numbers a completion) and `pred` (`src/sal/search`). Steps end at blank
    lines, as its PRMs cut them (`src/sal/models/reward_models.py`): one cuts off an empty step where a completion ends
    with a blank line, the other does not. What the search dropped is not in the row, nor whether a completion is right.
    """
    name = _tree_name(fields, "unique_id", "id", "idx")
    completions, scores = fields.value["completions"], fields.value["scores"]
    nodes = [SearchNode("0", None, "", visits=0)]
    at: dict[tuple[int, str], int] = {}
    leaves: dict[str, int] = {}
    unscored, differing = 0, 0
    for number, completion in enumerate(completions):
        if not isinstance(completion, str):
            raise TreeFault("node-type", f"completions[{number}] is {kind_of(completion)}, not text")
        steps, values = _scored_steps(completion, scores[number] if number < len(scores) else None)
        unscored += values is None
        place = 0
        _visit(nodes[0])
        for step, text in enumerate(steps):
            value = None if values is None else values[step]
            following = at.setdefault((place, text), len(nodes))
            if following == len(nodes):
                nodes.append(SearchNode(str(following), nodes[place].name, _word(text), value, 0))
            known = nodes[following]
            if known.value is None:
                known.value = value
            elif value is not None and abs(known.value - value) > _SAME:
                differing += 1
            place = following
            _visit(known)
        leaves.setdefault(completion, place)
    if unscored:
        words = "their numbers of scores are not those of their steps, and they have no values"
        fields.note("warning", "unscored", f"{name}: {unscored} of {len(completions)} completions: {words}")
    if differing:
        words = "scores of one step that differ between completions, of which the first counts"
        fields.note("warning", "differing-scores", f"{name}: {words} ({differing})")
    parents = {node.parent for node in nodes}
    chosen = leaves.get(fields.value.get("pred", "")) if isinstance(fields.value.get("pred"), str) else None
    ends = chosen is not None and nodes[chosen].name not in parents
    return tree_of(
        nodes,
        nodes[chosen].name if ends and chosen is not None else None,
        "the row's pred" if ends else "the row has no pred that is one of its completions, and ends there",
        **_facts(fields, name, "search-and-learn", "the PRM's score"),
        problem=fields.text("problem") or "",
        reference_answer=_word(fields.value.get("answer")),
    )


def _visit(node: SearchNode) -> None:
    node.visits = (node.visits or 0) + 1


def _scored_steps(completion: str, scores: Any) -> tuple[list[str], list[float | None] | None]:
    """The steps of a completion and their scores; None where there are not as many as steps."""
    steps = completion.split(_SEPARATOR)
    values = [_number(score) for score in scores] if isinstance(scores, list) else []
    ended = steps[:-1] if len(steps) > 1 and not steps[-1] else steps
    return ended, values[: len(ended)] if len(values) in {len(steps), len(ended)} else None


# -- which form a row has


def _is_omega(row: Mapping[str, Any]) -> bool:
    steps = row.get("reasoning_steps")
    if isinstance(steps, list):
        return bool(steps) and all(isinstance(step, Mapping) and "solution_prefix" in step for step in steps)
    steps = row if steps is None else steps
    return isinstance(steps, Mapping) and "mc_value" in steps and "children" in steps


def _lists(*names: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda row: all(isinstance(row.get(name), list) for name in names)


_FORMS: tuple[tuple[Callable[[Mapping[str, Any]], bool], Callable[[Fields], SearchTree]], ...] = (
    (_lists("nodes"), _ours),
    (_is_omega, _omega),
    (_lists("policy_samples", "value_samples"), _rest),
    (_lists("completions", "scores"), _completions),
)
